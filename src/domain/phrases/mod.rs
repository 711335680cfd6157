//! The sentences of the chat: what the newsroom can reword, the defaults, the placeholders.

mod placeholders;

pub use placeholders::{fill, fill_between, unknown_in};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::declare::section;
use super::invalid::{Invalid, verdict};
use super::settings::check_text;

/// In characters: two screens of a phone.
pub const PHRASE_MAX: usize = 2_000;
/// Names that are replaced between braces.
pub(super) const PLACEHOLDERS: [&str; 4] = ["name", "org", "minChars", "minWords"];
const LEGAL: &str = "Non posso fornire consigli legali. Torniamo ai dettagli della segnalazione.";

/// One question for a personal datum.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Question {
    /// The question.
    #[schema(required = false)]
    pub prompt: String,
    /// Said when the answer does not fit the question.
    #[schema(required = false)]
    pub invalid: String,
    /// Said when the answer is accepted.
    #[schema(required = false)]
    pub next: String,
}

impl Question {
    fn new(prompt: &str, invalid: &str, next: &str) -> Self {
        let [prompt, invalid, next] = [prompt, invalid, next].map(str::to_owned);
        Self {
            prompt,
            invalid,
            next,
        }
    }
}

section! {
    /// Age check: the welcome has asked the question.
    pub struct AgeCheck {
        /// The question, repeated.
        pub prompt: String = "Quanti anni hai?".to_owned(),
        /// Said when the answer is not an age.
        pub invalid: String = "Inserisci un'età valida (numero).".to_owned(),
        /// The reporter is a minor; the chat ends.
        pub under_age: String =
            "Mi dispiace, non posso raccogliere segnalazioni da minorenni. La chat termina qui.".to_owned(),
        /// The reporter is of age.
        pub valid: String =
            "Grazie. Adesso ti chiedo i tuoi dati, così la redazione potrà ricontattarti.".to_owned(),
    }
}

section! {
    /// The account of what happened.
    pub struct InvestigativeQuestions {
        /// The question.
        pub prompt: String = concat!(
            "Adesso raccontami che cosa è successo: chi è coinvolto, dove e quando, come lo hai saputo e ",
            "se hai delle prove. Prenditi il tempo che ti serve: più dettagli dai, più la redazione potrà ",
            "verificare."
        ).to_owned(),
        /// The answer holds a forbidden word.
        pub forbidden: String = LEGAL.to_owned(),
        /// Said when the answer is too short.
        pub too_short: String = concat!(
            "Per favore, raccontami più nel dettaglio la situazione. ",
            "Servono almeno {minChars} caratteri e {minWords} parole."
        ).to_owned(),
        /// Said when the answer is accepted.
        pub next: String = "Grazie per il tuo racconto.".to_owned(),
    }
}

section! {
    /// The last question, and the farewell.
    pub struct CollectReport {
        /// The question.
        pub prompt: String =
            "Manca qualcosa? Scrivilo qui. Se è tutto, premi «Invia la segnalazione» o rispondi «no».".to_owned(),
        /// The answer was yes, and no more.
        pub more: String = "Scrivi pure che cosa vuoi aggiungere. Se è tutto, premi «Invia la segnalazione» o rispondi «no».".to_owned(),
        /// The answer holds a forbidden word.
        pub forbidden: String = LEGAL.to_owned(),
        /// The report is on its way.
        #[serde(rename = "final")]
        pub closing: String = concat!(
            "Grazie: la tua segnalazione è arrivata alla redazione di {org}. ",
            "Se decidiamo di occuparcene, ti ricontatteremo ai recapiti che ci hai lasciato."
        ).to_owned(),
    }
}

section! {
    /// Sources of help, for wording that gives cause for concern.
    pub struct Care {
        /// Said when an answer first gives cause for concern, or cause of another kind, and when help is asked for.
        pub help: String = concat!(
            "Una cosa che ci sta a cuore: se tu o un'altra persona siete in pericolo adesso, chiama subito il 112, ",
            "gratuito e attivo giorno e notte. Se stai pensando di fare del male a te o ad altri, o senti di non farcela, ",
            "parlane con qualcuno: Telefono Amico Italia risponde allo 02 2327 2327 ogni giorno dalle 9 alle 24, e per ",
            "violenza e stalking c'è il 1522, gratuito a tutte le ore."
        ).to_owned(),
        /// Said to a minor after the farewell.
        pub minor: String = concat!(
            "Se hai bisogno di aiuto puoi chiamare il 114 Emergenza Infanzia o il 19696 di Telefono Azzurro: ",
            "sono gratuiti e rispondono giorno e notte. Se c'è un pericolo adesso, chiama il 112."
        ).to_owned(),
    }
}

section! {
    /// Replies to questions that a reporter asks.
    pub struct Guide {
        /// Who reads the report, what happens to the data and why each item is asked for; shown beside the chat, and
        /// when a reporter asks.
        pub explain: String = concat!(
            "Quello che scrivi lo legge la redazione di {org}, e soltanto se concludi la chat: prima non conserviamo ciò che scrivi.",
            "\n\n",
            "L'età serve perché non raccogliamo segnalazioni da minorenni. Nome, cognome e indirizzo servono per sapere chi ",
            "scrive e da dove; telefono ed email per ricontattarti. Senza i dati obbligatori la segnalazione non può partire: se ",
            "non vuoi che il tuo nome venga reso pubblico, scrivilo nel racconto."
        ).to_owned(),
        /// Whether it is anonymous.
        pub anonymous: String = concat!(
            "No: chiediamo nome e recapiti, li vede solo la redazione. Puoi chiedere di non comparire. ",
            "Non registriamo da quale indirizzo ti colleghi."
        ).to_owned(),
        /// Said when the answer is only 'aiuto'.
        pub which_help: String = "Ti serve aiuto adesso, o aiuto con la chat?".to_owned(),
        /// The next steps after a report; also shown beside the chat.
        pub afterwards: String = concat!(
            "La redazione decide se occuparsene. Se lo fa, ti ricontatta ai recapiti che hai ",
            "lasciato: può volerci del tempo, e non sempre è possibile rispondere a tutti.\n\n",
            "Fino all'ultima risposta puoi fermarti quando vuoi: se chiudi la pagina non resta nulla di ciò che hai scritto. ",
            "I file che hai già allegato vengono cancellati dopo un giorno."
        ).to_owned(),
        /// Said to a reporter who wants to correct an answer.
        pub correct: String = "Per cambiare una risposta premi «Correggi» sotto ciò che hai scritto.".to_owned(),
        /// Said in place of `correct` at the last question, and to a reporter who would rather send nothing.
        pub unsent: String = concat!(
            "Non ho ancora inviato nulla. Per cambiare premi «Correggi»; ",
            "per lasciar perdere, «Ricomincia»."
        ).to_owned(),
        /// Said to a reporter who cannot give a required datum; may be empty.
        pub unable: String = concat!(
            "Se non puoi darci questo dato, contatta la redazione di {org} per un'altra via: ",
            "i recapiti sono sul suo sito."
        ).to_owned(),
        /// Said when the reporter tells what happened before being asked; the text is kept for that question.
        pub kept: String = "Lo tengo per il racconto: lo ritrovi più avanti, non devi riscriverlo.".to_owned(),
        /// Said when an answer was corrected.
        pub corrected: String = "Fatto, ho corretto.".to_owned(),
    }
}

section! {
    /// The whole prompt configuration.
    pub struct Phrases {
        /// First message: who speaks, what happens to a report, and the question for the age.
        pub welcome: String = concat!(
            "Ciao! Sono {name}, l'assistente della redazione di {org}. ",
            "Ti chiederò i tuoi dati e poi che cosa è successo: se decidiamo di occuparcene, ",
            "la redazione ti contatterà.\n\n",
            "Se c'è un pericolo adesso, chiama il 112: questa chat non viene letta subito. ",
            "Se una segnalazione contiene minacce, o l'intenzione di farsi del male, possiamo inoltrarla alle forze ",
            "dell'ordine.\n\n",
            "Per cominciare: quanti anni hai?"
        ).to_owned(),
        /// Age check.
        pub age_check: AgeCheck = AgeCheck::default(),
        /// First name.
        pub collect_name: Question = Question::new(
            "Come ti chiami? Scrivi solo il nome.",
            "Inserisci un nome valido (almeno 2 caratteri).",
            "Grazie.",
        ),
        /// Surname.
        pub collect_surname: Question = Question::new(
            "Qual è il tuo cognome?",
            "Inserisci un cognome valido (almeno 2 caratteri).",
            "Grazie. Passiamo ai recapiti.",
        ),
        /// Mobile number.
        pub collect_phone: Question = Question::new(
            "Qual è il tuo numero di cellulare?",
            "Numero non valido. Inserisci 10 cifre che iniziano con 3 (es: 3123456789).",
            "Grazie.",
        ),
        /// E-mail address.
        pub collect_email: Question = Question::new(
            "Qual è il tuo indirizzo email?",
            "Email non valida. Inserisci un indirizzo email corretto.",
            "Bene. Ultimo dato, poi passiamo al racconto.",
        ),
        /// Postal address.
        pub collect_address: Question = Question::new(
            "Dove abiti? Scrivi via, numero civico e città.",
            "Inserisci un indirizzo completo (almeno 10 caratteri).",
            "Grazie, con i tuoi dati abbiamo finito.",
        ),
        /// The account.
        pub investigative_questions: InvestigativeQuestions = InvestigativeQuestions::default(),
        /// Additional text and farewell.
        pub collect_report: CollectReport = CollectReport::default(),
        /// Where help is at hand.
        pub care: Care = Care::default(),
        /// Answers to what is asked back.
        pub guide: Guide = Guide::default(),
    }
}

impl Phrases {
    /// No sentence but `guide.unable` may be empty; none longer than [`PHRASE_MAX`], nor hold control characters or unknown
    /// placeholders.
    pub fn validate(&self) -> Result<(), Vec<Invalid>> {
        let json = serde_json::to_value(self);
        let json = json.map_err(|error| vec![Invalid::new("", "type", error.to_string())])?;
        let mut refusals = Vec::new();
        check_all("", &json, &mut refusals);
        verdict(refusals.into_iter())
    }
}

/// Each sentence has a dotted name.
fn check_all(parent: &str, json: &Value, refusals: &mut Vec<Invalid>) {
    match json {
        Value::Object(section) => {
            for (key, value) in section {
                let dot = if parent.is_empty() { "" } else { "." };
                check_all(&format!("{parent}{dot}{key}"), value, refusals);
            }
        }
        phrase => refusals.extend(check(parent, phrase.as_str().unwrap_or_default())),
    }
}

fn check(field: &str, phrase: &str) -> Option<Invalid> {
    if field == "guide.unable" && phrase.is_empty() {
        return None;
    }
    check_text(field, phrase, PHRASE_MAX, false)
        .or_else(|| unknown_in(field, phrase, &PLACEHOLDERS))
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALUES: [(&str, &str); 4] = [
        ("name", "PelazzAI"),
        ("org", "Le Iene"),
        ("minChars", "70"),
        ("minWords", "10"),
    ];

    #[test]
    fn defaults_are_valid_and_say_what_they_must() {
        let phrases = Phrases::default();
        assert_eq!(phrases.validate(), Ok(()));
        let welcome = fill(&phrases.welcome, &VALUES);
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
            assert_eq!(fill(phrase, &VALUES), expected);
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
                "guide",
                "investigativeQuestions",
                "welcome"
            ]
        );
        for (pointer, expected) in [
            ("/ageCheck", vec!["invalid", "prompt", "underAge", "valid"]),
            ("/collectName", vec!["invalid", "next", "prompt"]),
            (
                "/investigativeQuestions",
                vec!["forbidden", "next", "prompt", "tooShort"],
            ),
            (
                "/collectReport",
                vec!["final", "forbidden", "more", "prompt"],
            ),
            ("/care", vec!["help", "minor"]),
            (
                "/guide",
                vec![
                    "afterwards",
                    "anonymous",
                    "correct",
                    "corrected",
                    "explain",
                    "kept",
                    "unable",
                    "unsent",
                    "whichHelp",
                ],
            ),
        ] {
            let mut found = keys(pointer);
            found.sort();
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn what_is_missing_reads_as_the_default_of_its_section() {
        let phrases: Phrases =
            serde_json::from_str(r#"{"collectReport":{"prompt":"Altro?"},"altro":1}"#).unwrap();
        assert_eq!(phrases.collect_report.prompt, "Altro?");
        assert_eq!(phrases.collect_report.forbidden, LEGAL);
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
                ("collectEmail.next", "long"),
                ("collectName.prompt", "placeholder"),
                ("collectPhone.next", "control"),
                ("collectReport.final", "placeholder"),
                ("welcome", "empty"),
            ]
        );
        assert_eq!(
            refusals[1].message,
            "Segnaposto sconosciuto: {nome}. Puoi usare {name}, {org}, {minChars}, {minWords}."
        );
        assert!(refusals[3].message.contains("{name."));
        let limit = Phrases {
            welcome: "è".repeat(PHRASE_MAX),
            ..Phrases::default()
        };
        assert_eq!(limit.validate(), Ok(()));
    }
}
