//! Answers as they are spoken: a datum inside a sentence, an age in words, a year of birth. What is plain is understood; what
//! may be meant otherwise is asked back, and never stored unasked (`PRODUCT.md §2`).

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use super::wordings::{self, is_introduction, is_unlike_a_name};
use super::{ChatState, Datum, Rules};
use crate::domain::fields::{self, AGE_MAX};
use crate::domain::report::Report;
use crate::domain::text;

/// What was understood, until the reporter has said that it is so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Doubt {
    /// These answers, by their questions: a yes takes them.
    Answers(Vec<(ChatState, String)>),
    /// One of the two ages that a year of birth leaves.
    Ages(u8, u8),
}

pub(super) enum Reading {
    /// The answer to the question, out of its sentence.
    Plain(String),
    Doubtful(Doubt, String),
}

/// Reads an answer to the question for the age, in a conversation of `year`; `None` where it is to be taken as it is.
pub(super) fn read_age(answer: &str, year: u16) -> Option<Reading> {
    let said = wordings::plain(&text::clean_line(answer));
    let words: Vec<&str> = said.split(' ').collect();
    if let Some(born) = year_of_birth(&words, year) {
        let after = u8::try_from(year.checked_sub(born)?).ok()?;
        let before = after.checked_sub(1).filter(|age| *age > 0)?;
        let question = format!("Anno di nascita {born}: hai {before} o {after} anni?");
        return Some(Reading::Doubtful(Doubt::Ages(before, after), question));
    }
    let mut spelled = words.iter().filter(|word| SPELLED.contains_key(**word));
    let (word, None) = (spelled.next()?, spelled.next()) else {
        return None;
    };
    let age = SPELLED.get(*word)?;
    // The words around it count as beside a figure: 'quasi diciotto' is no age.
    let figures = said.replacen(word, &age.to_string(), 1);
    let age = fields::parse_age(&figures).ok()?.to_string();
    let question = format!("Hai {age} anni?");
    let doubt = Doubt::Answers(vec![(ChatState::AgeCheck, age)]);
    Some(Reading::Doubtful(doubt, question))
}

/// A year in four figures; beside 'nata' also in two.
fn year_of_birth(words: &[&str], year: u16) -> Option<u16> {
    let birth = words
        .iter()
        .any(|word| text::is_listed("nato|nata|nascita|classe", word));
    let mut years = words.iter().filter_map(|word| {
        let figures: u16 = word.parse().ok()?;
        match word.len() {
            4 => Some(figures),
            2 if birth => {
                let century = year - year % 100;
                Some(
                    figures
                        + if figures <= year % 100 {
                            century
                        } else {
                            century - 100
                        },
                )
            }
            _ => None,
        }
    });
    let born = years.next_back()?;
    let oldest = year.checked_sub(u16::from(AGE_MAX))?;
    (oldest..year).contains(&born).then_some(born)
}

/// Ages in words. The first ten are left out: they mean other things too ('sei', 'uno').
static SPELLED: LazyLock<HashMap<String, u8>> = LazyLock::new(|| {
    let mut spelled: HashMap<String, u8> = (11..=AGE_MAX).map(|age| (spell(age), age)).collect();
    // 'trent'anni', 'cinquantun anni'.
    for age in 20..=AGE_MAX {
        let mut word = spell(age);
        word.pop();
        spelled.entry(word).or_insert(age);
    }
    spelled
});

/// Without accents, in one word.
fn spell(number: u8) -> String {
    const ONES: [&str; 20] = [
        "",
        "uno",
        "due",
        "tre",
        "quattro",
        "cinque",
        "sei",
        "sette",
        "otto",
        "nove",
        "dieci",
        "undici",
        "dodici",
        "tredici",
        "quattordici",
        "quindici",
        "sedici",
        "diciassette",
        "diciotto",
        "diciannove",
    ];
    const TENS: [&str; 8] = [
        "venti",
        "trenta",
        "quaranta",
        "cinquanta",
        "sessanta",
        "settanta",
        "ottanta",
        "novanta",
    ];
    match number {
        100.. => format!("cento{}", spell(number - 100)),
        20.. => {
            let (tens, ones) = (TENS[usize::from(number / 10 - 2)], number % 10);
            let vowel = usize::from(matches!(ones, 1 | 8));
            format!("{}{}", &tens[..tens.len() - vowel], ONES[usize::from(ones)])
        }
        _ => ONES[usize::from(number)].to_owned(),
    }
}

/// Reads an answer to the question for a datum.
pub(super) fn read_datum(
    rules: &Rules,
    datum: &Datum,
    draft: &Report,
    answer: &str,
) -> Option<Reading> {
    let said = text::clean_line(answer);
    match datum.state {
        ChatState::CollectName | ChatState::CollectSurname => read_name(datum.state, draft, &said),
        ChatState::CollectPhone => read_phone(rules, datum, &said),
        ChatState::CollectEmail => read_email(&said),
        _ => None,
    }
}

fn read_name(state: ChatState, draft: &Report, said: &str) -> Option<Reading> {
    let (introduced, name) = without_introduction(said);
    if name.is_empty() || name.contains(char::is_numeric) {
        return None;
    }
    let at_surname = state == ChatState::CollectSurname;
    let words: Vec<&str> = name.split(' ').collect();
    let given: Vec<&str> = draft.nome.split(' ').collect();
    // Asked for the surname, many repeat the whole name.
    if at_surname && words.len() > given.len() && is_same(&words[..given.len()], &given) {
        return Some(Reading::Plain(words[given.len()..].join(" ")));
    }
    let speech = name
        .chars()
        .all(|sign| sign.is_alphabetic() || " '’.,!".contains(sign));
    let doubtful = speech && words.iter().any(|word| is_unlike_a_name(word));
    // Or they gave it before.
    let told = doubtful || given.last().is_some_and(|last| is_same(&words, &[*last]));
    if at_surname && told && given.len() > 1 {
        return Some(whole_name(&given));
    }
    if doubtful {
        let question = format!("Vuoi che scriva «{name}»?");
        return Some(Reading::Doubtful(
            Doubt::Answers(vec![(state, name)]),
            question,
        ));
    }
    match introduced {
        true if at_surname || words.len() == 1 => Some(Reading::Plain(name)),
        true => Some(whole_name(&words)),
        false => None,
    }
}

fn is_same(one: &[&str], other: &[&str]) -> bool {
    text::fold(&one.join(" ")) == text::fold(&other.join(" "))
}

/// Asks whether two words or more are a name and a surname ('De Luca', 'Lo Cascio').
fn whole_name(words: &[&str]) -> Reading {
    let particle = |word: &&str| text::is_listed(PARTICLES, &text::fold(word));
    let last = words.len() - 1;
    let at = if last > 1 && particle(&words[last - 1]) {
        last - 1
    } else {
        last
    };
    let (given, surname) = (words[..at].join(" "), words[at..].join(" "));
    let question = format!("Nome: {given} · Cognome: {surname}?");
    let answers = vec![
        (ChatState::CollectName, given),
        (ChatState::CollectSurname, surname),
    ];
    Reading::Doubtful(Doubt::Answers(answers), question)
}

const PARTICLES: &str = "de|di|del|della|dello|dei|degli|da|dal|dalla|lo|la|li|le|van|von|el|al";

/// Whether words like 'mi chiamo' stood before, and what follows them.
fn without_introduction(said: &str) -> (bool, String) {
    let words: Vec<&str> = said
        .split(' ')
        .map(|word| word.trim_matches(['.', ',', ':', '!', ';']))
        .collect();
    let behind = (1..words.len())
        .rev()
        .find(|at| is_introduction(&wordings::plain(&words[..*at].join(" "))));
    (behind.is_some(), words[behind.unwrap_or(0)..].join(" "))
}

/// The only number among words.
fn read_phone(rules: &Rules, datum: &Datum, said: &str) -> Option<Reading> {
    let has_digits = |word: &&str| word.contains(|character: char| character.is_ascii_digit());
    let (numbers, words): (Vec<&str>, Vec<&str>) = said.split(' ').partition(has_digits);
    let number = numbers.join(" ");
    let spoken = words.iter().any(|word| word.contains(char::is_alphabetic));
    let number = number.trim_end_matches(['.', ',', ';']);
    (spoken && (datum.parse)(rules, number).is_ok()).then(|| Reading::Plain(number.to_owned()))
}

/// An address behind words like 'la mia mail è', or one that is dictated.
fn read_email(said: &str) -> Option<Reading> {
    let (introduced, dictated) = without_introduction(said);
    if dictated.contains('@') {
        let behind_words = introduced && fields::parse_email(&dictated).is_ok();
        return behind_words.then_some(Reading::Plain(dictated));
    }
    let spelled = dictated.split(' ').map(|word| match &*text::fold(word) {
        "chiocciola" => "@".to_owned(),
        "punto" => ".".to_owned(),
        "trattino" => "-".to_owned(),
        "underscore" => "_".to_owned(),
        word => word.to_owned(),
    });
    let address: String = spelled.collect();
    fields::parse_email(&address).ok()?;
    let question = format!("Scrivo {address}?");
    let doubt = Doubt::Answers(vec![(ChatState::CollectEmail, address)]);
    Some(Reading::Doubtful(doubt, question))
}

#[cfg(test)]
mod tests {
    use super::super::datum;
    use super::*;
    use crate::domain::phrases::Phrases;
    use crate::domain::settings::{Security, System};

    fn shown(reading: Option<Reading>) -> String {
        match reading {
            None => "as it is".to_owned(),
            Some(Reading::Plain(value)) => value,
            Some(Reading::Doubtful(_, question)) => question,
        }
    }

    #[test]
    fn ages_are_spelled_as_in_italian() {
        for (age, word) in [
            (11, "undici"),
            (21, "ventuno"),
            (28, "ventotto"),
            (40, "quaranta"),
            (42, "quarantadue"),
            (81, "ottantuno"),
            (108, "centootto"),
            (120, "centoventi"),
        ] {
            assert_eq!(spell(age), word);
        }
    }

    #[test]
    fn spoken_ages_are_asked_back() {
        for (said, expected) in [
            ("quarantadue", "Hai 42 anni?"),
            ("Ho cinquantotto anni.", "Hai 58 anni?"),
            ("ottantatré", "Hai 83 anni?"),
            ("trent'anni", "Hai 30 anni?"),
            ("tengo cinquantott'anni", "Hai 58 anni?"),
            ("diciassette", "Hai 17 anni?"),
            ("quasi diciotto", "as it is"),
            ("venti o trenta", "as it is"),
            ("sei", "as it is"),
            (
                "sono nata nel 1980",
                "Anno di nascita 1980: hai 45 o 46 anni?",
            ),
            ("12/03/1980", "Anno di nascita 1980: hai 45 o 46 anni?"),
            ("classe 63", "Anno di nascita 1963: hai 62 o 63 anni?"),
            ("sono del 63", "as it is"),
            (
                "nato il 9 maggio 08",
                "Anno di nascita 2008: hai 17 o 18 anni?",
            ),
            ("1850", "as it is"),
            ("2026", "as it is"),
            ("42", "as it is"),
        ] {
            assert_eq!(shown(read_age(said, 2026)), expected, "{said}");
        }
        assert_eq!(shown(read_age("nata nel 1980", 0)), "as it is");
    }

    #[test]
    fn spoken_data_come_out_of_their_sentence() {
        let rules = Rules::new(
            &Phrases::default(),
            &Security::default(),
            &System::default(),
        );
        let named = |nome: &str| Report {
            nome: nome.to_owned(),
            ..Report::default()
        };
        let draft = named("Teresa");
        let (name, surname) = (ChatState::CollectName, ChatState::CollectSurname);
        let (phone, email) = (ChatState::CollectPhone, ChatState::CollectEmail);
        for (state, said, expected) in [
            (
                name,
                "Mi chiamo Teresa Rossi",
                "Nome: Teresa · Cognome: Rossi?",
            ),
            (
                name,
                "buongiorno, sono Maria Teresa De Luca.",
                "Nome: Maria Teresa · Cognome: De Luca?",
            ),
            (name, "mi chiamo Teresa", "Teresa"),
            (name, "Teresa", "as it is"),
            (name, "Anna Maria", "as it is"),
            (name, "sono nata nel 1980", "as it is"),
            (name, "Mario Rossi 3", "as it is"),
            (name, "ciao", "Vuoi che scriva «ciao»?"),
            (name, "non te lo dico", "Vuoi che scriva «non te lo dico»?"),
            (
                surname,
                "te l'ho già detto",
                "Vuoi che scriva «te l'ho già detto»?",
            ),
            (surname, "Mi chiamo Teresa Rossi", "Rossi"),
            (surname, "il mio cognome è Rossi", "Rossi"),
            (surname, "Teresa Rossi", "Rossi"),
            (surname, "Di Maio", "as it is"),
            (phone, "il mio numero è 333 9876543", "333 9876543"),
            (phone, "333 9876543", "as it is"),
            (phone, "3339876543 dopo le 18", "as it is"),
            (email, "la mia mail è teresa@posta.it.", "teresa@posta.it"),
            (email, "teresa@posta.it", "as it is"),
            (email, "teresa rossi@posta.it", "as it is"),
            (
                email,
                "teresa punto rossi chiocciola posta punto it",
                "Scrivo teresa.rossi@posta.it?",
            ),
            (
                email,
                "la mia mail è teresa chiocciola posta punto it",
                "Scrivo teresa@posta.it?",
            ),
            (email, "non ce l'ho", "as it is"),
        ] {
            let datum = datum(state).unwrap();
            let reading = read_datum(&rules, datum, &draft, said);
            assert_eq!(shown(reading), expected, "{said}");
        }
        let surname = datum(surname).unwrap();
        for said in ["te l'ho già detto", "Rossi"] {
            let reading = read_datum(&rules, surname, &named("Teresa Rossi"), said);
            assert_eq!(shown(reading), "Nome: Teresa · Cognome: Rossi?");
        }
    }
}
