//! Answers to a callout as people say them. What is plain is understood; what may be meant otherwise is asked back, and never
//! stored unasked (`PRODUCT.md §17`).

use jiff::civil::Date;

use super::answer::{Answer, as_float, italian_number, plain};
use super::{AnswerKind, CalloutOption, CalloutQuestion, days};
use crate::domain::{numerals, text};

/// Answers that are offered where several may be meant.
const OFFERED: usize = 4;
/// Characters of the reporter's own words that are kept beside an answer.
const WORDS_MAX: usize = 300;

/// The reading of an answer.
#[derive(Clone, PartialEq, Eq)]
pub enum Understood {
    Sure(Answer),
    /// Any of these may be meant: the question asks which, or whether the one is.
    Asked(Vec<Answer>, String),
    /// They do not know: what to do where it is needed, in Italian.
    Unknown(String),
    /// Refused, with the text that says what to do, in Italian.
    Refused(String),
}

impl CalloutQuestion {
    /// Reads what was said on a day. After `refused` refusals of this question the sentence is another one.
    pub fn understand(&self, said: &str, today: Date, refused: u8) -> Understood {
        let strict = match self.read(said) {
            Ok(answer) => return Understood::Sure(answer),
            Err(sentence) => sentence,
        };
        let line = text::clean_line(said);
        // An answer that was kept with its words is read by them.
        let line = kept_words(&line).unwrap_or(&line);
        let read = match self.kind {
            AnswerKind::Text => None,
            AnswerKind::Number => self.number(line),
            AnswerKind::Date => Self::date(line, today),
            AnswerKind::YesNo => self.yes_or_no(line),
            AnswerKind::Choice => self.choice(line),
            AnswerKind::Choices => self.some_choices(line),
        };
        if let Some(read) = read {
            return read;
        }
        if self.kind != AnswerKind::Text && is_unknown(line) {
            return Understood::Unknown(self.estimate().to_owned());
        }
        let other = refused % 2 == 1;
        Understood::Refused(if other {
            self.in_other_words(strict)
        } else {
            strict
        })
    }

    /// The question for a reporter who does not know exactly.
    const fn estimate(&self) -> &'static str {
        match self.kind {
            AnswerKind::Number => {
                "Anche una stima va bene: scrivi un numero vicino, per esempio 300."
            }
            AnswerKind::Date => "Va bene anche solo il mese o l'anno, per esempio marzo 2025.",
            _ => "Se non hai la certezza, scegli la risposta che ti sembra più vicina.",
        }
    }

    fn in_other_words(&self, sentence: String) -> String {
        match self.kind {
            AnswerKind::Text => sentence,
            AnswerKind::Number | AnswerKind::Date => self.estimate().to_owned(),
            AnswerKind::YesNo => "Qui basta un sì o un no: scegline uno.".to_owned(),
            AnswerKind::Choice | AnswerKind::Choices => {
                let options = self.choices();
                let numbered = (1..)
                    .zip(&options)
                    .map(|(number, one)| format!("{number} per «{}»", one.text));
                format!(
                    "Basta il numero della risposta: {}.",
                    numbered.collect::<Vec<_>>().join(", ")
                )
            }
        }
    }

    fn number(&self, line: &str) -> Option<Understood> {
        let mut values = numbers(line);
        if values.is_empty() && text::is_listed(NONE, &plain(line)) {
            values.push(0.0);
        }
        values.truncate(OFFERED);
        let wrong = |value: &f64| self.bound_broken(*value);
        let fitting: Vec<f64> = values
            .iter()
            .copied()
            .filter(|value| wrong(value).is_none())
            .collect();
        if fitting.is_empty() {
            return values.iter().find_map(wrong).map(Understood::Refused);
        }
        let answers = fitting
            .iter()
            .map(|value| in_words_of(Answer::Number(value.to_string()), line))
            .collect();
        let question = match &*fitting {
            [one] => format!("Scrivo {}?", one.to_string().replace('.', ",")),
            _ => "Quale numero scrivo?".to_owned(),
        };
        Some(Understood::Asked(answers, question))
    }

    /// Why a number does not fit its bounds.
    pub(super) fn bound_broken(&self, value: f64) -> Option<String> {
        let short = self.min.filter(|min| value < as_float(*min));
        let over = self.max.filter(|max| value > as_float(*max));
        match (short, over) {
            (Some(min), _) => Some(format!("Il numero più piccolo che vale qui è {min}.")),
            (_, Some(max)) => Some(format!("Il numero più grande che vale qui è {max}.")),
            _ => None,
        }
    }

    fn date(line: &str, today: Date) -> Option<Understood> {
        let told = days::days(line, today);
        if let [one] = &*told
            && one.sure
        {
            return Some(Understood::Sure(Answer::Date(one.day)));
        }
        let answers: Vec<Answer> = told
            .iter()
            .take(OFFERED)
            .map(|one| in_words_of(Answer::Date(one.day), line))
            .collect();
        let question = match &*told {
            [] => return None,
            [one] => format!(
                "Scrivo {} («{}»)?",
                days::in_words(one.day),
                text::excerpt(line, WORDS_MAX)
            ),
            _ => "Quale giorno scrivo?".to_owned(),
        };
        Some(Understood::Asked(answers, question))
    }

    fn yes_or_no(&self, line: &str) -> Option<Understood> {
        let said = words(line);
        let has = |list: &str| said.iter().any(|word| text::is_listed(list, word));
        let first = said.iter().find(|word| !text::is_listed(FILLERS, word))?;
        let (yes, no) = (has(YES), has(NO));
        let means = match (yes, no) {
            (true, false) => Some("si"),
            (false, true) => Some("no"),
            (false, false) if has(CERTAIN) => Some("si"),
            (false, false)
                if !has(
                    "mai|forse|dipende|credo|penso|abbastanza|insomma|quasi|talvolta|volte",
                ) =>
            {
                return None;
            }
            _ => None,
        };
        let first = text::is_listed(YES, first)
            || text::is_listed(NO, first)
            || text::is_listed(CERTAIN, first);
        let place = means.and_then(|key| self.choices().iter().position(|one| one.key == key));
        let place = place.and_then(|place| u8::try_from(place).ok());
        Some(match place.filter(|_| first && !has(UNCERTAIN)) {
            Some(place) => Understood::Sure(in_words_of(Answer::Chosen(vec![place]), line)),
            None => Understood::Asked(Vec::new(), "Intendi sì o no?".to_owned()),
        })
    }

    fn choice(&self, line: &str) -> Option<Understood> {
        let options = self.choices();
        let found = matches(&options, line)?;
        let answer = |place: &u8| in_words_of(Answer::Chosen(vec![*place]), line);
        Some(match &*found.places {
            [place] if found.whole => Understood::Sure(Answer::Chosen(vec![*place])),
            [place] => Understood::Asked(vec![answer(place)], written(&options, &[*place])),
            places => Understood::Asked(
                places.iter().map(answer).collect(),
                "Quale di queste?".to_owned(),
            ),
        })
    }

    fn some_choices(&self, line: &str) -> Option<Understood> {
        let options = self.choices();
        let spaced = format!(" {} ", text::fold(line))
            .replace(" ed ", ",")
            .replace(" e ", ",")
            .replace(" piu ", ",");
        let parts = spaced
            .split([',', ';', '/', '+', '&', '.'])
            .filter(|part| !part.trim().is_empty());
        let (mut places, mut whole) = (Vec::new(), true);
        for part in parts {
            match matches(&options, part) {
                Some(Match {
                    places: found,
                    whole: exact,
                }) if found.len() == 1 => {
                    whole &= exact;
                    places.extend(found);
                }
                _ => whole = false,
            }
        }
        places.sort_unstable();
        places.dedup();
        let chosen = Answer::Chosen(places.clone());
        Some(match (places.is_empty(), whole) {
            (true, _) => return None,
            (false, true) => Understood::Sure(chosen),
            (false, false) => {
                Understood::Asked(vec![in_words_of(chosen, line)], written(&options, &places))
            }
        })
    }
}

const NONE: &str = "nessuno|nessuna|niente|nulla|neanche uno|neanche una|neppure uno|mai";
const FILLERS: &str = "eh|beh|be|ah|oh|mah|purtroppo|direi|guardi|guarda|allora|ma|e|ovvio|in|effetti|questo|per|fortuna";
const YES: &str =
    "si|sii|siii|sisi|yes|gia|esatto|esattamente|confermo|vero|giusto|affermativo|eccome";
const NO: &str = "no|noo|nooo|nono|nope|negativo|macche";
/// A yes, where no 'no' follows.
const CERTAIN: &str =
    "certo|certamente|sicuro|sicuramente|assolutamente|ovviamente|ovvio|chiaro|naturalmente";
const UNCERTAIN: &str =
    "credo|penso|forse|quasi|dipende|insomma|mai|direi|sembra|pare|probabilmente|non|anzi|o|magari";

/// With the words that say more than the answer.
fn in_words_of(answer: Answer, line: &str) -> Answer {
    let more = words(line).len() > 1;
    if more {
        Answer::Said(Box::new(answer), text::excerpt(line, WORDS_MAX))
    } else {
        answer
    }
}

/// The words that stand beside an answer as it is kept.
fn kept_words(line: &str) -> Option<&str> {
    let (_, words) = line.strip_suffix("»)")?.split_once(" («")?;
    Some(words)
}

fn words(line: &str) -> Vec<String> {
    let folded = text::fold(line);
    let words = folded
        .split(|sign: char| !sign.is_alphanumeric())
        .filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}

fn is_unknown(line: &str) -> bool {
    let plain = words(line).join(" ");
    let begins = [
        "non lo so",
        "non so",
        "non ricordo",
        "non mi ricordo",
        "non me lo ricordo",
        "non lo ricordo",
        "non saprei",
        "non ne ho idea",
        "chi lo sa",
        "boh",
        "mah",
        "non posso saperlo",
    ];
    begins
        .iter()
        .any(|one| plain.starts_with(one) || plain.ends_with(one))
}

/// The numbers in a sentence, each once: in figures, with 'mila' behind them, or in words.
fn numbers(line: &str) -> Vec<f64> {
    let spaced =
        text::fold(line).replace(['€', '-', '–', '/', '(', ')', ':', ';', '~', '±', '≈'], " ");
    let said: Vec<&str> = spaced
        .split_whitespace()
        .map(|word| word.trim_end_matches(['.', ',', '!', '?']))
        .collect();
    let mut found: Vec<f64> = Vec::new();
    let mut at = 0;
    while at < said.len() {
        let (value, next) = number_at(&said, at);
        at = next;
        if let Some(value) = value
            && !found.contains(&value)
        {
            found.push(value);
        }
    }
    found
}

/// The number that begins at a word, and where it goes on behind it.
fn number_at(said: &[&str], at: usize) -> (Option<f64>, usize) {
    let scale = |word: Option<&&str>| match word.copied() {
        Some("mila" | "k") => Some(1_000.0),
        Some("milione" | "milioni" | "mln") => Some(1_000_000.0),
        _ => None,
    };
    let word = said[at].trim_end_matches("euro").trim_end_matches("eur");
    for (behind, factor) in [
        ("mila", 1_000.0),
        ("k", 1_000.0),
        ("mln", 1_000_000.0),
        ("", 1.0),
    ] {
        if let Some(value) = word.strip_suffix(behind).and_then(italian_number) {
            return match scale(said.get(at + 1)).filter(|_| behind.is_empty()) {
                Some(scale) => (Some(value * scale), at + 2),
                None => (Some(value * factor), at + 1),
            };
        }
    }
    let longest = (at + 1..=said.len().min(at + 8)).rev().find(|end| {
        let run = &said[at..*end];
        let inner = |word: &str| text::is_listed("e|di", word);
        numerals::spoken(run).is_some()
            && !inner(run[0])
            && !run.last().is_some_and(|word| inner(word))
    });
    let Some(end) = longest else {
        return (None, at + 1);
    };
    let article = end == at + 1 && text::is_listed("un|una|uno", said[at]) && said.len() > 1;
    // Far below 2^53.
    let value =
        numerals::spoken(&said[at..end]).filter(|value| !article && *value < 1_000_000_000_000);
    (value.and_then(|value| value.to_string().parse().ok()), end)
}

struct Match {
    places: Vec<u8>,
    /// Every word that was said is one of the option.
    whole: bool,
}

/// The options with most of the words that were said; by their number too.
fn matches(options: &[CalloutOption], said: &str) -> Option<Match> {
    let folded = words(said);
    let said: Vec<&str> = folded
        .iter()
        .map(String::as_str)
        .filter(|word| !text::is_listed(SMALL, word))
        .collect();
    if said.is_empty()
        || folded
            .iter()
            .any(|word| text::is_listed("non|no|ne|tranne|nessuno|nessuna|altro", word))
    {
        return None;
    }
    if let [one] = &*said
        && let Some(place) = numbered(one, options.len())
    {
        return Some(Match {
            places: vec![place],
            whole: true,
        });
    }
    let count = |option: &CalloutOption| {
        let own = words(&option.text);
        said.iter()
            .filter(|word| own.iter().any(|one| is_same_word(one, word)))
            .count()
    };
    let counts: Vec<usize> = options.iter().map(count).collect();
    let most = counts.iter().copied().max().filter(|most| *most > 0)?;
    let places = (0_u8..).zip(&counts).filter(|(_, count)| **count == most);
    Some(Match {
        places: places.map(|(place, _)| place).collect(),
        whole: most == said.len(),
    })
}

/// Words that choose nothing.
const SMALL: &str = "il|lo|la|i|gli|le|l|un|uno|una|di|del|della|dei|delle|a|al|alla|da|dal|in|nel|nella|nell|con|per|e|ed|sono|io|ho|faccio|\
                     numero|risposta|opzione|quella|quello|direi|penso|credo|d|si";

/// 'La prima', '2', 'l'ultima'.
fn numbered(word: &str, options: usize) -> Option<u8> {
    let ordinals = [
        "prim", "second", "terz", "quart", "quint", "sest", "settim", "ottav", "non", "decim",
    ];
    let ordinal = ordinals.iter().position(|stem| {
        word.strip_prefix(stem)
            .is_some_and(|rest| matches!(rest, "a" | "o"))
    });
    let place = match ordinal {
        Some(place) => place,
        None if matches!(word, "ultima" | "ultimo") => options.checked_sub(1)?,
        None => {
            let value = word.parse().ok().or_else(|| numerals::value(word))?;
            usize::try_from(value).ok()?.checked_sub(1)?
        }
    };
    (place < options).then(|| u8::try_from(place).ok())?
}

/// But for the last letter, which gender and number change.
fn is_same_word(one: &str, other: &str) -> bool {
    let stem = |word: &str| {
        let last = word.char_indices().next_back().map_or(0, |(at, _)| at);
        word[..last].to_owned()
    };
    one == other || one.len() >= 4 && other.len() >= 4 && stem(one) == stem(other)
}

fn written(options: &[CalloutOption], places: &[u8]) -> String {
    let texts = places
        .iter()
        .filter_map(|place| options.get(usize::from(*place)));
    let texts: Vec<&str> = texts.map(|one| &*one.text).collect();
    format!("Scrivo «{}»?", texts.join(", "))
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    fn shown(question: &CalloutQuestion, said: &str) -> String {
        let kept = |answer: &Answer| {
            question
                .kept(answer)
                .map(|kept| format!("{} [{}]", kept.text, kept.value))
                .unwrap_or_default()
        };
        match question.understand(said, date(2026, 11, 28), 0) {
            Understood::Sure(answer) => kept(&answer),
            Understood::Asked(answers, asked) => {
                let answers: Vec<String> = answers.iter().map(kept).collect();
                [&[asked], &answers[..]].concat().join(" | ")
            }
            Understood::Unknown(_) => "unknown".to_owned(),
            Understood::Refused(sentence) => sentence,
        }
    }

    fn of(kind: AnswerKind, options: &[&str]) -> CalloutQuestion {
        let option = |text: &&str| CalloutOption {
            key: plain(text).replace(' ', "-"),
            text: (*text).to_owned(),
            next: None,
        };
        CalloutQuestion {
            kind,
            options: options.iter().map(option).collect(),
            ..CalloutQuestion::default()
        }
    }

    #[test]
    fn numbers_are_read_as_people_say_them() {
        let question = CalloutQuestion {
            max: Some(5_000_000),
            ..of(AnswerKind::Number, &[])
        };
        for (said, expected) in [
            ("300", "300 [300]"),
            ("1500 euro", "1500 [1500]"),
            ("trecento", "Scrivo 300? | 300 [300]"),
            ("mille", "Scrivo 1000? | 1000 [1000]"),
            ("circa 300", "Scrivo 300? | 300 («circa 300») [300]"),
            (
                "1.500 al mese",
                "Scrivo 1500? | 1500 («1.500 al mese») [1500]",
            ),
            (
                "300-400",
                "Quale numero scrivo? | 300 («300-400») [300] | 400 («300-400») [400]",
            ),
            (
                "tra 300 e 400 euro",
                "Quale numero scrivo? | 300 («tra 300 e 400 euro») [300] | 400 («tra 300 e 400 euro») [400]",
            ),
            (
                "duemila e cinquecento euro",
                "Scrivo 2500? | 2500 («duemila e cinquecento euro») [2500]",
            ),
            ("2 mila", "Scrivo 2000? | 2000 («2 mila») [2000]"),
            ("2mila", "Scrivo 2000? | 2000 [2000]"),
            (
                "1,5 milioni",
                "Scrivo 1500000? | 1500000 («1,5 milioni») [1500000]",
            ),
            ("un centinaio", "Scrivo 100? | 100 («un centinaio») [100]"),
            (
                "12,50€ l'ora",
                "Scrivo 12,5? | 12,5 («12,50€ l'ora») [12.5]",
            ),
            ("nessuno", "Scrivo 0? | 0 [0]"),
            ("non ricordo", "unknown"),
            ("non lo so di preciso", "unknown"),
            (
                "non ricordo bene, sui 300",
                "Scrivo 300? | 300 («non ricordo bene, sui 300») [300]",
            ),
            (
                "dieci milioni",
                "Il numero più grande che vale qui è 5000000.",
            ),
            ("tanti", "Scrivi un numero, per esempio 350 o 12,50."),
            ("300 («circa 300»)", "Scrivo 300? | 300 («circa 300») [300]"),
        ] {
            assert_eq!(shown(&question, said), expected, "{said}");
        }
    }

    #[test]
    fn days_keep_the_words_that_told_them() {
        let question = of(AnswerKind::Date, &[]);
        for (said, expected) in [
            ("12/03/2025", "12/03/2025 [\"2025-03-12\"]"),
            ("12 marzo 2025", "12/03/2025 [\"2025-03-12\"]"),
            (
                "ieri",
                "Scrivo 27 novembre 2026 («ieri»)? | 27/11/2026 [\"2026-11-27\"]",
            ),
            (
                "marzo 2025",
                "Scrivo 1 marzo 2025 («marzo 2025»)? | 01/03/2025 («marzo 2025») [\"2025-03-01\"]",
            ),
            (
                "nel 2024",
                "Scrivo 1 gennaio 2024 («nel 2024»)? | 01/01/2024 («nel 2024») [\"2024-01-01\"]",
            ),
            ("non mi ricordo", "unknown"),
            (
                "tanto tempo fa",
                "Scrivi giorno, mese e anno, per esempio 12/03/2024.",
            ),
        ] {
            assert_eq!(shown(&question, said), expected, "{said}");
        }
    }

    #[test]
    fn a_yes_and_a_no_may_have_words_beside_them() {
        let question = of(AnswerKind::YesNo, &[]);
        for (said, expected) in [
            ("sì", "Sì [true]"),
            ("sì, tutti i giorni", "Sì («sì, tutti i giorni») [true]"),
            ("certo", "Sì [true]"),
            ("certo che no", "No («certo che no») [false]"),
            ("purtroppo no", "No («purtroppo no») [false]"),
            ("eh sì", "Sì («eh sì») [true]"),
            ("assolutamente no", "No («assolutamente no») [false]"),
            ("credo di sì", "Intendi sì o no?"),
            ("mai", "Intendi sì o no?"),
            ("sì e no", "Intendi sì o no?"),
            ("no, anzi sì", "Intendi sì o no?"),
            ("dipende", "Intendi sì o no?"),
            ("non lo so", "unknown"),
            ("boh", "unknown"),
            ("il direttore", "Rispondi sì o no."),
        ] {
            assert_eq!(shown(&question, said), expected, "{said}");
        }
    }

    #[test]
    fn options_are_known_by_their_words() {
        let work = [
            "Medico di base",
            "Infermiere",
            "Operatore sanitario",
            "Altro lavoro",
        ];
        let one = of(AnswerKind::Choice, &work);
        let some = of(AnswerKind::Choices, &work);
        for (question, said, expected) in [
            (&one, "medico", "Medico di base [\"medico-di-base\"]"),
            (
                &one,
                "sono un medico",
                "Medico di base [\"medico-di-base\"]",
            ),
            (&one, "infermiera", "Infermiere [\"infermiere\"]"),
            (&one, "la prima", "Medico di base [\"medico-di-base\"]"),
            (&one, "l'ultima", "Altro lavoro [\"altro-lavoro\"]"),
            (&one, "due", "Infermiere [\"infermiere\"]"),
            (
                &one,
                "medico in ospedale",
                "Scrivo «Medico di base»? | Medico di base («medico in ospedale») [\"medico-di-base\"]",
            ),
            (
                &one,
                "medico e infermiere",
                "Quale di queste? | Medico di base («medico e infermiere») [\"medico-di-base\"] | Infermiere («medico e infermiere») [\"infermiere\"]",
            ),
            (
                &one,
                "non medico",
                "Scegli fra: «Medico di base», «Infermiere», «Operatore sanitario», «Altro lavoro».",
            ),
            (
                &some,
                "1 e 3",
                "Medico di base, Operatore sanitario [[\"medico-di-base\",\"operatore-sanitario\"]]",
            ),
            (
                &some,
                "medico e infermiere",
                "Medico di base, Infermiere [[\"medico-di-base\",\"infermiere\"]]",
            ),
            (
                &some,
                "la prima, la seconda",
                "Medico di base, Infermiere [[\"medico-di-base\",\"infermiere\"]]",
            ),
            (
                &some,
                "medico e anche pilota",
                "Scrivo «Medico di base»? | Medico di base («medico e anche pilota») [[\"medico-di-base\"]]",
            ),
            (
                &some,
                "pilota",
                "Scegli fra: «Medico di base», «Infermiere», «Operatore sanitario», «Altro lavoro».",
            ),
        ] {
            assert_eq!(shown(question, said), expected, "{said}");
        }
        let places = of(AnswerKind::Choice, &["Nord", "Centro", "Sud", "Sicilia"]);
        assert_eq!(shown(&places, "in Sicilia"), "Sicilia [\"sicilia\"]");
        assert!(shown(&places, "sud e centro").starts_with("Quale di queste? | Centro"));
    }

    #[test]
    fn no_sentence_refuses_twice() {
        for kind in [
            AnswerKind::Number,
            AnswerKind::Date,
            AnswerKind::YesNo,
            AnswerKind::Choice,
            AnswerKind::Choices,
        ] {
            let question = of(kind, &["Nord", "Sud"]);
            let sentences =
                [0, 1, 2].map(|refused| question.understand("qwerty", date(2026, 11, 28), refused));
            let refused = |one: &Understood| matches!(one, Understood::Refused(_));
            assert!(sentences.iter().all(refused), "{kind:?}");
            assert!(sentences[0] != sentences[1], "{kind:?}");
            assert!(sentences[1] != sentences[2], "{kind:?}");
        }
    }
}
