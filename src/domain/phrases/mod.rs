//! The sentences of the chat: what the newsroom can reword, the defaults, the placeholders. It must never decide when
//! a sentence is said, and never expand what a setting holds a second time.

mod placeholders;

pub use placeholders::{Placeholders, fill, render, unknown_in};

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::invalid::Invalid;
use super::text;
use placeholders::unknown_placeholder;

/// Longest sentence, in characters: two screens of a phone.
pub const PHRASE_MAX: usize = 2_000;

/// Declares the sentences of one section with their defaults, and lists them for validation. Keys are token trees:
/// the schema derive does not see through a `literal` fragment.
macro_rules! section {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $field:ident = $key:tt : $default:expr;)+ }) => {
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
        #[serde(default)]
        pub struct $name {
            $($(#[$doc])* #[serde(rename = $key)] pub $field: String,)+
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $default.to_owned(),)+ }
            }
        }

        impl $name {
            fn said(&self, values: &Placeholders<'_>) -> Self {
                let defaults = Self::default();
                Self { $($field: say(&self.$field, &defaults.$field, values),)+ }
            }

            fn entries(&self) -> Vec<(&'static str, &str)> {
                vec![$(($key, self.$field.as_str()),)+]
            }
        }
    };
}

section! {
    /// Age check: the welcome has asked the question.
    AgeCheck {
        /// The answer is no age.
        invalid = "invalid": "Inserisci un'età valida (numero).";
        /// The reporter is a minor; the chat ends.
        under_age = "underAge":
            "Mi dispiace, non posso raccogliere segnalazioni da minorenni. La chat termina qui.";
        /// The reporter is of age.
        valid = "valid": "Grazie. Adesso ti chiedo i tuoi dati, così la redazione potrà ricontattarti.";
    }
}

section! {
    /// First name.
    CollectName {
        /// The question.
        prompt = "prompt": "Come ti chiami? Scrivi solo il nome.";
        /// The answer is no name.
        invalid = "invalid": "Inserisci un nome valido (almeno 2 caratteri).";
        /// The answer is accepted.
        next = "next": "Piacere di conoscerti!";
    }
}

section! {
    /// Surname.
    CollectSurname {
        /// The question.
        prompt = "prompt": "Qual è il tuo cognome?";
        /// The answer is no surname.
        invalid = "invalid": "Inserisci un cognome valido (almeno 2 caratteri).";
        /// The answer is accepted.
        next = "next": "Grazie. Passiamo ai recapiti.";
    }
}

section! {
    /// Mobile number.
    CollectPhone {
        /// The question.
        prompt = "prompt": "Qual è il tuo numero di cellulare?";
        /// The answer is no Italian mobile number.
        invalid = "invalid":
            "Numero non valido. Inserisci 10 cifre che iniziano con 3 (es: 3123456789).";
        /// The answer is accepted.
        next = "next": "Perfetto.";
    }
}

section! {
    /// E-mail address.
    CollectEmail {
        /// The question.
        prompt = "prompt": "Qual è il tuo indirizzo email?";
        /// The answer is no e-mail address.
        invalid = "invalid": "Email non valida. Inserisci un indirizzo email corretto.";
        /// The answer is accepted.
        next = "next": "Bene, ci siamo quasi.";
    }
}

section! {
    /// Postal address.
    CollectAddress {
        /// The question.
        prompt = "prompt": "Dove abiti? Scrivi via, numero civico e città.";
        /// The answer is too short for an address.
        invalid = "invalid": "Inserisci un indirizzo completo (almeno 10 caratteri).";
        /// The answer is accepted.
        next = "next": "Grazie, con i tuoi dati abbiamo finito.";
    }
}

section! {
    /// The account of what happened.
    InvestigativeQuestions {
        /// The question.
        prompt = "prompt": concat!(
            "Adesso raccontami che cosa è successo: chi è coinvolto, dove e quando, come lo hai saputo e ",
            "se hai delle prove. Prenditi il tempo che ti serve: più dettagli dai, più la redazione potrà ",
            "verificare."
        );
        /// The answer holds a forbidden word.
        forbidden = "forbidden":
            "Non posso fornire consigli legali. Torniamo ai dettagli della segnalazione.";
        /// The answer is too short.
        too_short = "tooShort": concat!(
            "Per favore, raccontami più nel dettaglio la situazione. ",
            "Servono almeno {minChars} caratteri e {minWords} parole."
        );
        /// The answer is accepted.
        next = "next": "Grazie per il tuo racconto.";
    }
}

section! {
    /// The last question, and the farewell.
    CollectReport {
        /// The question.
        prompt = "prompt": concat!(
            "Vuoi aggiungere qualcosa? Scrivilo qui in un unico messaggio, ",
            "oppure rispondi «no» per inviare la segnalazione così com'è."
        );
        /// The answer holds a forbidden word.
        forbidden = "forbidden":
            "Non posso fornire consigli legali. Torniamo ai dettagli della segnalazione.";
        /// The report is on its way.
        closing = "final": concat!(
            "Grazie: la tua segnalazione è stata trasmessa alla redazione di {org}. ",
            "Se verrà presa in carico, ti ricontatteremo ai recapiti che ci hai lasciato."
        );
    }
}

section! {
    /// Where help is at hand, for wording that worries (`PRODUCT.md §5`).
    Care {
        /// Said once in a conversation, beside what is said anyway.
        help = "help": concat!(
            "Una cosa che ci sta a cuore: se tu o un'altra persona siete in pericolo adesso, chiama subito il 112, ",
            "gratuito e attivo giorno e notte. Se stai pensando di fare del male a te o ad altri, o senti di non farcela, ",
            "parlane con qualcuno: Telefono Amico Italia risponde allo 02 2327 2327 ogni giorno dalle 9 alle 24, e per ",
            "violenza e stalking c'è il 1522, gratuito a tutte le ore."
        );
    }
}

/// The whole prompt configuration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct Phrases {
    /// First message: who speaks, what happens to a report, and the question for the age.
    pub welcome: String,
    /// Age check.
    pub age_check: AgeCheck,
    /// First name.
    pub collect_name: CollectName,
    /// Surname.
    pub collect_surname: CollectSurname,
    /// Mobile number.
    pub collect_phone: CollectPhone,
    /// E-mail address.
    pub collect_email: CollectEmail,
    /// Postal address.
    pub collect_address: CollectAddress,
    /// The account.
    pub investigative_questions: InvestigativeQuestions,
    /// Additional text and farewell.
    pub collect_report: CollectReport,
    /// Where help is at hand.
    pub care: Care,
}

impl Default for Phrases {
    fn default() -> Self {
        Self {
            welcome: concat!(
                "Ciao! Sono {name}, l'assistente della redazione di {org}. ",
                "Ti chiederò i tuoi dati e poi che cosa è successo: se la segnalazione verrà presa in carico, ",
                "la redazione ti contatterà.\n\n",
                "Le segnalazioni con minacce o intenzioni di farsi del male vengono inoltrate alle forze dell'ordine.\n\n",
                "Per cominciare: quanti anni hai?"
            )
            .to_owned(),
            age_check: AgeCheck::default(),
            collect_name: CollectName::default(),
            collect_surname: CollectSurname::default(),
            collect_phone: CollectPhone::default(),
            collect_email: CollectEmail::default(),
            collect_address: CollectAddress::default(),
            investigative_questions: InvestigativeQuestions::default(),
            collect_report: CollectReport::default(),
            care: Care::default(),
        }
    }
}

impl Phrases {
    /// Checks every sentence: not empty, at most [`PHRASE_MAX`] characters, no control characters, only known
    /// placeholders.
    pub fn validate(&self) -> Result<(), Vec<Invalid>> {
        let refusals: Vec<Invalid> = self
            .entries()
            .into_iter()
            .filter_map(|(field, phrase)| check(&field, phrase))
            .collect();
        if refusals.is_empty() {
            Ok(())
        } else {
            Err(refusals)
        }
    }

    /// Every sentence as it is said, placeholders replaced; one that comes out blank is said as its
    /// default, so that the chat never falls silent.
    pub fn said(&self, values: &Placeholders<'_>) -> Self {
        Self {
            welcome: say(&self.welcome, &Self::default().welcome, values),
            age_check: self.age_check.said(values),
            collect_name: self.collect_name.said(values),
            collect_surname: self.collect_surname.said(values),
            collect_phone: self.collect_phone.said(values),
            collect_email: self.collect_email.said(values),
            collect_address: self.collect_address.said(values),
            investigative_questions: self.investigative_questions.said(values),
            collect_report: self.collect_report.said(values),
            care: self.care.said(values),
        }
    }

    /// Every sentence under its dotted name.
    fn entries(&self) -> Vec<(String, &str)> {
        let sections = [
            ("ageCheck", self.age_check.entries()),
            ("collectName", self.collect_name.entries()),
            ("collectSurname", self.collect_surname.entries()),
            ("collectPhone", self.collect_phone.entries()),
            ("collectEmail", self.collect_email.entries()),
            ("collectAddress", self.collect_address.entries()),
            (
                "investigativeQuestions",
                self.investigative_questions.entries(),
            ),
            ("collectReport", self.collect_report.entries()),
            ("care", self.care.entries()),
        ];
        let mut entries = vec![("welcome".to_owned(), self.welcome.as_str())];
        for (section, phrases) in sections {
            for (key, phrase) in phrases {
                entries.push((format!("{section}.{key}"), phrase));
            }
        }
        entries
    }
}

/// One sentence as it is said, or its default where nothing would be seen of it.
fn say(phrase: &str, default: &str, values: &Placeholders<'_>) -> String {
    let said = render(phrase, values);
    if text::is_blank(&said) {
        render(default, values)
    } else {
        said
    }
}

/// The first thing that is wrong with one sentence.
fn check(field: &str, phrase: &str) -> Option<Invalid> {
    if text::is_blank(phrase) {
        return Some(Invalid::new(
            field,
            "empty",
            "Il testo non può essere vuoto.",
        ));
    }
    let length = text::char_count(phrase);
    if length > PHRASE_MAX {
        return Some(Invalid::new(
            field,
            "long",
            format!("Il testo è troppo lungo: al massimo {PHRASE_MAX} caratteri, sono {length}."),
        ));
    }
    if text::has_controls(&phrase.replace("\r\n", "\n"), false) {
        return Some(Invalid::new(
            field,
            "control",
            "Il testo contiene caratteri invisibili (di controllo o di direzione) non ammessi: riscrivilo a mano.",
        ));
    }
    unknown_placeholder(phrase).map(|unknown| {
        let known = placeholders::known();
        Invalid::new(
            field,
            "placeholder",
            format!("Segnaposto sconosciuto: {unknown}. Puoi usare {known}."),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALUES: Placeholders<'static> = Placeholders {
        name: "PelazzAI",
        org: "Le Iene",
        min_chars: 70,
        min_words: 10,
    };

    #[test]
    fn defaults_are_valid_and_say_what_they_must() {
        let phrases = Phrases::default();
        assert_eq!(phrases.validate(), Ok(()));
        let welcome = render(&phrases.welcome, &VALUES);
        assert!(welcome.contains("Sono PelazzAI"));
        assert!(welcome.contains("redazione ti contatterà"));
        assert!(welcome.contains("minacce") && welcome.contains("forze dell'ordine"));
        assert!(welcome.ends_with("quanti anni hai?"));
        for number in ["il 112", "02 2327 2327", "il 1522"] {
            assert!(phrases.care.help.contains(number));
        }
    }

    #[test]
    fn default_refusals_read_word_for_word() {
        let phrases = Phrases::default();
        let legal = "Non posso fornire consigli legali. Torniamo ai dettagli della segnalazione.";
        for (phrase, expected) in [
            (
                &phrases.age_check.invalid,
                "Inserisci un'età valida (numero).",
            ),
            (
                &phrases.age_check.under_age,
                "Mi dispiace, non posso raccogliere segnalazioni da minorenni. La chat termina qui.",
            ),
            (
                &phrases.collect_name.invalid,
                "Inserisci un nome valido (almeno 2 caratteri).",
            ),
            (
                &phrases.collect_surname.invalid,
                "Inserisci un cognome valido (almeno 2 caratteri).",
            ),
            (
                &phrases.collect_phone.invalid,
                "Numero non valido. Inserisci 10 cifre che iniziano con 3 (es: 3123456789).",
            ),
            (
                &phrases.collect_email.invalid,
                "Email non valida. Inserisci un indirizzo email corretto.",
            ),
            (
                &phrases.collect_address.invalid,
                "Inserisci un indirizzo completo (almeno 10 caratteri).",
            ),
            (
                &phrases.investigative_questions.too_short,
                "Per favore, raccontami più nel dettaglio la situazione. Servono almeno 70 caratteri e 10 parole.",
            ),
            (&phrases.investigative_questions.forbidden, legal),
            (&phrases.collect_report.forbidden, legal),
        ] {
            assert_eq!(render(phrase, &VALUES), expected);
        }
    }

    #[test]
    fn json_names_are_the_published_ones() {
        let json = serde_json::to_value(Phrases::default()).unwrap();
        let keys = |pointer: &str| -> Vec<String> {
            json.pointer(pointer)
                .unwrap()
                .as_object()
                .unwrap()
                .keys()
                .cloned()
                .collect()
        };
        let mut sections = keys("");
        sections.sort();
        assert_eq!(
            sections,
            [
                "ageCheck",
                "care",
                "collectAddress",
                "collectEmail",
                "collectName",
                "collectPhone",
                "collectReport",
                "collectSurname",
                "investigativeQuestions",
                "welcome"
            ]
        );
        for (pointer, expected) in [
            ("/ageCheck", vec!["invalid", "underAge", "valid"]),
            ("/collectName", vec!["invalid", "next", "prompt"]),
            (
                "/investigativeQuestions",
                vec!["forbidden", "next", "prompt", "tooShort"],
            ),
            ("/collectReport", vec!["final", "forbidden", "prompt"]),
            ("/care", vec!["help"]),
        ] {
            let mut found = keys(pointer);
            found.sort();
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn what_is_missing_reads_as_the_default_of_its_section() {
        let phrases: Phrases =
            serde_json::from_str(r#"{"collectSurname":{"prompt":"Cognome?"},"altro":1}"#).unwrap();
        assert_eq!(phrases.collect_surname.prompt, "Cognome?");
        assert_eq!(
            phrases.collect_surname.invalid,
            CollectSurname::default().invalid
        );
        assert_eq!(phrases.welcome, Phrases::default().welcome);
    }

    #[test]
    fn bad_sentences_are_named() {
        let mut phrases = Phrases {
            welcome: " \n".to_owned(),
            ..Phrases::default()
        };
        phrases.collect_name.prompt = "Ciao {nome}, come va?".to_owned();
        phrases.collect_email.next = "è".repeat(PHRASE_MAX + 1);
        phrases.collect_phone.next = "a\u{202E}b".to_owned();
        phrases.collect_report.closing = "Fine {name".to_owned();
        let refusals = phrases.validate().unwrap_err();
        let found: Vec<(&str, &str)> = refusals
            .iter()
            .map(|refusal| (refusal.field.as_str(), refusal.code))
            .collect();
        assert_eq!(
            found,
            [
                ("welcome", "empty"),
                ("collectName.prompt", "placeholder"),
                ("collectPhone.next", "control"),
                ("collectEmail.next", "long"),
                ("collectReport.final", "placeholder"),
            ]
        );
        assert_eq!(
            refusals[1].message,
            "Segnaposto sconosciuto: {nome}. Puoi usare {name}, {org}, {minChars}, {minWords}."
        );
        assert!(refusals[4].message.contains("{name."));
        let limit = Phrases {
            welcome: "è".repeat(PHRASE_MAX),
            ..Phrases::default()
        };
        assert_eq!(limit.validate(), Ok(()));
    }
}
