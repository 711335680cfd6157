//! Answers as they are spoken: a datum inside a sentence, an age in words, a year of birth. A certain reading is accepted; an
//! uncertain one is asked back, and never stored unasked (`PRODUCT.md §2`).

use serde::{Deserialize, Serialize};

use super::wordings::{self, is_introduction, is_unlike_a_name};
use super::{ChatState, Conversation, Datum, Rules};
use crate::domain::callout::Answer;
use crate::domain::fields;
use crate::domain::text;

/// A reading that waits for the reporter's confirmation.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Doubt {
    /// A yes takes these answers, each to its question.
    Answers(Vec<(ChatState, String)>),
    /// The reporter chooses one of these.
    Choices(Vec<String>),
    /// A yes takes the first. A no takes the second, which is the answer as typed.
    Slip(String, String),
    /// The reporter chooses one of these answers to a question of a callout; a yes takes it if it is the only one.
    CalloutAnswers(Vec<Answer>),
    /// Which help 'aiuto' asks for.
    Help,
}

pub(super) enum DatumReading {
    /// The datum, taken out of its sentence.
    Plain(String),
    /// The doubt to ask back, and its question.
    Doubtful(Doubt, String),
}

fn doubtful(question: String, answers: Vec<(ChatState, String)>) -> DatumReading {
    DatumReading::Doubtful(Doubt::Answers(answers), question)
}

/// Asks to confirm an age, or to choose one of several.
pub(super) fn ages_asked(ages: &[u8]) -> DatumReading {
    if let [age] = ages {
        let answer = vec![(ChatState::AgeCheck, age.to_string())];
        return doubtful(format!("Hai {age} anni?"), answer);
    }
    let choices = ages.iter().map(u8::to_string).collect();
    DatumReading::Doubtful(Doubt::Choices(choices), "Quanti anni hai?".to_owned())
}

/// Asks for one of the two ages that a year of birth allows.
pub(super) fn born_asked(year: i16, [before, after]: [u8; 2]) -> DatumReading {
    let question = format!("Anno di nascita {year}: hai {before} o {after} anni?");
    let ages = [before, after].map(|age| age.to_string()).to_vec();
    DatumReading::Doubtful(Doubt::Choices(ages), question)
}

/// Reads an answer to the question for a datum.
pub(super) fn read_datum(
    rules: &Rules,
    datum: &Datum,
    conversation: &Conversation,
    answer: &str,
) -> Option<DatumReading> {
    let said = text::clean_line(answer);
    match datum.state {
        ChatState::CollectName | ChatState::CollectSurname => read_name(conversation, &said),
        ChatState::CollectPhone => read_phone(rules, datum, &said),
        ChatState::CollectEmail => read_email(&said),
        _ => read_address(&said),
    }
}

/// Reads the datum that a longer answer holds. It is always asked back.
pub(super) fn datum_in_text(
    rules: &Rules,
    datum: &Datum,
    conversation: &Conversation,
    answer: &str,
) -> Option<DatumReading> {
    let named = matches!(
        datum.state,
        ChatState::CollectName | ChatState::CollectSurname
    );
    let reading = if named {
        read_introduced(&text::clean_line(answer))?
    } else {
        read_datum(rules, datum, conversation, answer)?
    };
    Some(match reading {
        DatumReading::Plain(said) if named => written_so(datum.state, said),
        DatumReading::Plain(said) => doubtful(format!("Scrivo {said}?"), vec![(datum.state, said)]),
        asked @ DatumReading::Doubtful(..) => asked,
    })
}

/// The name behind 'mi chiamo', in the middle of a text.
fn read_introduced(said: &str) -> Option<DatumReading> {
    let words: Vec<&str> = said.split(' ').collect();
    let mut behind = words.windows(2).enumerate().filter_map(|(at, pair)| {
        let introduced = text::is_listed(NAMING, &wordings::plain(&pair.join(" ")));
        introduced.then_some(at + 2)
    });
    let (start, None) = (behind.next()?, behind.next()) else {
        return None;
    };
    let mut name = Vec::new();
    for word in words[start..].iter().take(LONGEST_NAME) {
        let bare = word.trim_matches(['.', ',', ':', '!', ';', '(', ')']);
        let particle = text::is_listed(PARTICLES, &text::fold(bare));
        if !(bare.starts_with(char::is_uppercase) || particle && !name.is_empty()) {
            break;
        }
        name.push(bare);
        if word.ends_with(['.', ',', ':', '!', ';', ')']) {
            break;
        }
    }
    match name[..] {
        [] => None,
        [one] => Some(DatumReading::Plain(one.to_owned())),
        _ => Some(whole_name(&name)),
    }
}

const NAMING: &str = "mi chiamo|me chiamo|nome e";
/// Limit of a name inside a text, in words.
const LONGEST_NAME: usize = 5;

/// Whether a long answer tells a story, rather than giving a long name.
pub(super) fn is_story(answer: &str) -> bool {
    let said = text::clean_line(answer);
    let (_, said) = without_introduction(&said);
    let named = |word: &str| {
        word.starts_with(char::is_uppercase) && word.contains(char::is_lowercase)
            || text::is_listed(PARTICLES, word)
    };
    let telling = |word: &str| text::is_listed(TELLING, &text::fold(word));
    !is_speech(&said)
        || !said.split(' ').all(named)
            && (said.contains(". ")
                || said
                    .split(' ')
                    .any(|word| telling(word) || is_unlike_a_name(word)))
}

/// Words of sentences.
const TELLING: &str = "ci|si|se|ne|nel|nella|nelle|nei|con|per|al|alla|allo|ai|il|gli|ogni|sul|sulla|tra|senza|era|siamo|in|\
    lavoro|lavora|lavoriamo|vivo|abito|vengo|ieri|oggi|qui|dopo|prima|stato|stata|fatto|poi|ma|o|loro|lui|lei|mai|sempre";

/// The part of an answer that is the name, up to a comma.
fn name_part(said: &str) -> (&str, bool) {
    let mut parts = said.split([',', ';']).map(str::trim);
    let is_name = |part: &&str| {
        let (introduction, name) = without_introduction(part);
        let words = || name.split(' ').filter(|word| !word.is_empty());
        words().next().is_some()
            && !words().any(is_unlike_a_name)
            && (introduction.is_some() || !wordings::is_courtesy(&wordings::plain(&name)))
    };
    let Some(part) = parts.clone().find(is_name) else {
        return (said, true);
    };
    let others = |other: &str| other == part || wordings::is_courtesy(&wordings::plain(other));
    let alone = without_introduction(part).0.is_some() || parts.all(others);
    (part, alone)
}

fn read_name(conversation: &Conversation, said: &str) -> Option<DatumReading> {
    let state = conversation.state;
    let (part, alone) = name_part(said);
    if !alone {
        return Some(written_so(state, part.to_owned()));
    }
    let (introduction, name) = without_introduction(part);
    if name.is_empty() || name.contains(char::is_numeric) {
        return None;
    }
    let at_surname = state == ChatState::CollectSurname;
    let words: Vec<&str> = name.split(' ').collect();
    let unlike = is_unlike_names(&name, &words);
    if let Some(surname) = surname_of_whole(conversation, &words, unlike) {
        return Some(surname);
    }
    // 'Sono disperata'.
    let bare = introduction.as_ref().is_some_and(|words| {
        words.ends_with("sono") || words.ends_with("faccio") && !words.contains("cognome")
    });
    let whole = !at_surname && words.len() > 1;
    if unlike || bare && !whole || fields::parse_email(&name).is_ok() {
        return Some(written_so(state, name));
    }
    match introduction {
        Some(_) if whole => Some(whole_name(&words)),
        Some(_) => Some(DatumReading::Plain(name)),
        None => (part != said).then_some(DatumReading::Plain(name)),
    }
}

/// Whether more of the words are unlike a name than a name may have.
fn is_unlike_names(name: &str, words: &[&str]) -> bool {
    let unlike = words.iter().filter(|word| is_unlike_a_name(word)).count();
    let most = if is_unlike_a_name(words[0]) || words.len() > 2 {
        1
    } else {
        2
    };
    is_speech(name) && unlike >= most
}

/// The surname, if the whole name is repeated at its question or was given before.
fn surname_of_whole(
    Conversation {
        state,
        draft,
        refused,
        ..
    }: &Conversation,
    words: &[&str],
    unlike: bool,
) -> Option<DatumReading> {
    if *state != ChatState::CollectSurname {
        return None;
    }
    let given: Vec<&str> = draft.nome.split(' ').collect();
    if words.len() > given.len() && is_same(&words[..given.len()], &given) {
        return Some(DatumReading::Plain(words[given.len()..].join(" ")));
    }
    // After a no it is not asked again.
    let told = unlike || given.last().is_some_and(|last| is_same(words, &[*last]));
    (told && given.len() > 1 && *refused == 0).then(|| whole_name(&given))
}

fn is_speech(name: &str) -> bool {
    name.chars()
        .all(|sign| sign.is_alphabetic() || " '’.,!".contains(sign))
}

/// Asks whether these words are the answer.
pub(super) fn written_so(state: ChatState, said: String) -> DatumReading {
    doubtful(format!("Vuoi che scriva «{said}»?"), vec![(state, said)])
}

fn is_same(one: &[&str], other: &[&str]) -> bool {
    text::fold(&one.join(" ")) == text::fold(&other.join(" "))
}

/// Asks whether two words or more are a name and a surname ('De Luca', 'Lo Cascio').
fn whole_name(words: &[&str]) -> DatumReading {
    let particle = |word: &&str| text::is_listed(PARTICLES, &text::fold(word));
    let last = words.len() - 1;
    let at = last - usize::from(last > 1 && particle(&words[last - 1]));
    let (given, surname) = (words[..at].join(" "), words[at..].join(" "));
    let question = format!("Nome: {given} · Cognome: {surname}?");
    let name = (ChatState::CollectName, given);
    doubtful(question, vec![name, (ChatState::CollectSurname, surname)])
}

const PARTICLES: &str = "de|di|del|della|dello|dei|degli|da|dal|dalla|lo|la|li|le|van|von|el|al";

/// Words, greetings among them.
const LONGEST_INTRODUCTION: usize = 12;

/// The folded words like 'mi chiamo' at the beginning, and what follows them.
fn without_introduction(said: &str) -> (Option<String>, String) {
    let words: Vec<&str> = said
        .split(' ')
        .map(|word| word.trim_matches(['.', ',', ':', '!', ';']))
        .collect();
    let before = |at: usize| wordings::plain(&words[..at].join(" "));
    let behind = (1..words.len().min(LONGEST_INTRODUCTION))
        .rev()
        .find(|at| is_introduction(&before(*at)));
    (behind.map(before), words[behind.unwrap_or(0)..].join(" "))
}

/// The number in a sentence. Of several, the reporter chooses one.
fn read_phone(rules: &Rules, datum: &Datum, said: &str) -> Option<DatumReading> {
    if (datum.parse)(rules, said).is_ok() {
        return None;
    }
    let (introduction, number) = without_introduction(said);
    if introduction.is_some() && (datum.parse)(rules, &number).is_ok() {
        return Some(DatumReading::Plain(number));
    }
    let found = fields::find_phones(said).into_iter();
    let taken = found.filter_map(|one| fields::taken_phone(one, rules.other_phones));
    let shown: Vec<String> = taken.map(|one| fields::shown_phone(&one)).collect();
    which(datum.state, shown, "Quale numero scrivo?")
}

/// Asks whether the one found is meant, or which of several.
fn which(state: ChatState, found: Vec<String>, question: &str) -> Option<DatumReading> {
    match &*found {
        [one] => Some(doubtful(
            format!("Scrivo {one}?"),
            vec![(state, one.clone())],
        )),
        [] => None,
        _ if found.len() > OFFERED => None,
        _ => Some(DatumReading::Doubtful(
            Doubt::Choices(found),
            question.to_owned(),
        )),
    }
}

/// Limit of the answers that are offered.
const OFFERED: usize = 4;

/// Asks back an answer that begins like speech, and is therefore perhaps no address.
fn read_address(said: &str) -> Option<DatumReading> {
    let first = wordings::plain(said);
    let first = first.split(' ').next().unwrap_or_default();
    let spoken = text::is_listed("non|no|preferisco|perche|te|boh|ho|ma|che", first);
    (spoken && is_speech(said)).then(|| written_so(ChatState::CollectAddress, said.to_owned()))
}

/// Reads an address in a sentence, a dictated one, and one whose domain is a slip of a common one.
fn read_email(said: &str) -> Option<DatumReading> {
    let (introduction, behind) = without_introduction(said);
    let plain = fields::parse_email(said).ok();
    let introduced = introduction.and_then(|_| fields::parse_email(&behind).ok());
    let found = match (&plain, &introduced) {
        (Some(one), _) | (None, Some(one)) => vec![one.clone()],
        _ => fields::find_emails(&behind),
    };
    if let [one] = &*found
        && let Some(meant) = fields::slip_of(one)
    {
        let question = format!("Volevi scrivere {meant}?");
        return Some(DatumReading::Doubtful(
            Doubt::Slip(meant, one.clone()),
            question,
        ));
    }
    match (plain, introduced) {
        (Some(_), _) => None,
        (None, Some(one)) => Some(DatumReading::Plain(one)),
        _ => which(ChatState::CollectEmail, found, "Quale indirizzo scrivo?"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::datum;
    use super::*;
    use crate::domain::phrases::Phrases;
    use crate::domain::settings::{Security, System};

    fn shown(reading: Option<DatumReading>) -> String {
        match reading {
            None => "as it is".to_owned(),
            Some(DatumReading::Plain(value)) => value,
            Some(DatumReading::Doubtful(_, question)) => question,
        }
    }

    #[test]
    fn only_what_tells_something_is_kept_for_the_account() {
        for (said, story) in [
            (
                "Maria Aparecida da Conceição dos Santos Oliveira de Souza Pereira da Silva",
                false,
            ),
            (
                "maria aparecida da conceição dos santos oliveira de souza pereira silva",
                false,
            ),
            (
                "mi chiamo Maria Aparecida da Conceição dos Santos Oliveira de Souza Pereira",
                false,
            ),
            (
                "SRI LANKAGE DON PRASANNA WIJESINGHE MUDIYANSELAGE RANASINGHE ARACHCHILAGE",
                false,
            ),
            (
                "nel cantiere di via garibaldi si lavora senza contratto e senza casco",
                true,
            ),
            (
                "Il direttore dice di legare chi si alza di notte, e nessuno fa niente",
                true,
            ),
            (
                "IL CAPO CI FA TIMBRARE E POI TORNARE DENTRO A LAVORARE GRATIS",
                true,
            ),
        ] {
            assert_eq!(is_story(said), story, "{said}");
        }
    }

    fn rules() -> Rules {
        Rules::new(
            &Phrases::default(),
            &Security::default(),
            &System::default(),
        )
    }

    fn named(nome: &str, state: ChatState) -> Conversation {
        let mut conversation = Conversation {
            state,
            ..Conversation::default()
        };
        nome.clone_into(&mut conversation.draft.nome);
        conversation
    }

    /// Checks the reading of an answer to each question, by a reporter called Teresa.
    fn understood(rows: &[(ChatState, &str, &str)]) {
        for &(state, said, expected) in rows {
            let datum = datum(state).unwrap();
            let reading = read_datum(&rules(), datum, &named("Teresa", state), said);
            assert_eq!(shown(reading), expected, "{said}");
        }
    }

    #[test]
    fn names_come_out_of_their_sentence() {
        let (name, surname) = (ChatState::CollectName, ChatState::CollectSurname);
        understood(&[
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
            (name, "mi chiamo Gennaro, signurì", "Gennaro"),
            (name, "mi chiamo Gennaro, piacere", "Gennaro"),
            (
                name,
                "mi chiamo Teresa Rossi, ho 34 anni",
                "Nome: Teresa · Cognome: Rossi?",
            ),
            (name, "ciao, Teresa", "Teresa"),
            (name, "Teresa, grazie mille", "Teresa"),
            (name, "Rossi, Mario", "Vuoi che scriva «Rossi»?"),
            (surname, "Esposito, piacere", "Esposito"),
            (surname, "Rossi, con due esse", "Vuoi che scriva «Rossi»?"),
            (name, "VAFFANCULO", "Vuoi che scriva «VAFFANCULO»?"),
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
            (surname, "Bianchi HA", "as it is"),
            (surname, "Teresa Rossi", "Rossi"),
            (surname, "Di Maio", "as it is"),
            (name, "sono disperata", "Vuoi che scriva «disperata»?"),
            (
                surname,
                "faccio la cameriera",
                "Vuoi che scriva «la cameriera»?",
            ),
        ]);
        let asked = datum(surname).unwrap();
        for said in ["te l'ho già detto", "Rossi"] {
            let mut conversation = named("Teresa Rossi", surname);
            let reading = read_datum(&rules(), asked, &conversation, said);
            assert_eq!(shown(reading), "Nome: Teresa · Cognome: Rossi?");
            conversation.refused = 1;
            let reading = shown(read_datum(&rules(), asked, &conversation, said));
            assert!(!reading.contains("Cognome"), "{reading}");
        }
    }

    #[test]
    fn contacts_come_out_of_their_sentence() {
        let (phone, email) = (ChatState::CollectPhone, ChatState::CollectEmail);
        let address = ChatState::CollectAddress;
        understood(&[
            (phone, "il mio numero è 333 9876543", "333 9876543"),
            (phone, "333 9876543", "as it is"),
            // josephr5000/confdb-public#196: words after the number, several numbers in a field.
            (phone, "3339876543 dopo le 18", "Scrivo 333 987 6543?"),
            (phone, "333 9876543 (mio figlio)", "Scrivo 333 987 6543?"),
            (phone, "non chiamate il 3339876543", "Scrivo 333 987 6543?"),
            (phone, "333 9876543 / 334 7654321", "Quale numero scrivo?"),
            (
                phone,
                "333-9876543 oppure 081 5551234",
                "Scrivo 333 987 6543?",
            ),
            (phone, "0333 9876543", "Scrivo 333 987 6543?"),
            (
                phone,
                "tre tre tre nove otto sette sessantacinque quarantatré",
                "Scrivo 333 987 6543?",
            ),
            (phone, "333 98765", "as it is"),
            (
                address,
                "preferisco non dirlo, ho paura",
                "Vuoi che scriva «preferisco non dirlo, ho paura»?",
            ),
            (address, "via Roma 12, Napoli", "as it is"),
            (email, "la mia mail è teresa@posta.it.", "teresa@posta.it"),
            (email, "teresa@posta.it", "as it is"),
            (email, "teresa rossi@posta.it", "Quale indirizzo scrivo?"),
            (email, "teresa@posta,it", "Scrivo teresa@posta.it?"),
            // liberapay/liberapay.com#1255, mailcheck/mailcheck#63.
            (
                email,
                "teresa@gmial.com",
                "Volevi scrivere teresa@gmail.com?",
            ),
            (
                email,
                "mail: teresa@gmail.con",
                "Volevi scrivere teresa@gmail.com?",
            ),
            (email, "teresa@mailw.com", "as it is"),
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
        ]);
    }
}
