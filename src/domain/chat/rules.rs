//! Sentences and limits of a conversation, as they are in force at a turn.

use std::borrow::Cow;
use std::sync::Arc;

use super::script::{CalloutVersion, Script, ScriptPlace};
use super::{ChatState, datum};
use crate::domain::fields::Minimum;
use crate::domain::phrases::{PLACEHOLDERS, Phrases, fill};
use crate::domain::settings::{Security, System};
use crate::domain::text::counted;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rules {
    pub(super) phrases: Phrases,
    values: [(&'static str, String); 4],
    pub(super) minimum: Minimum,
    /// Forbidden words, in the form that [`crate::domain::fields::first_of`] expects.
    pub(super) forbidden_words: Vec<String>,
    /// Whether numbers other than Italian mobiles are accepted.
    pub(super) other_phones: bool,
    pub script: Script,
    /// Version of the privacy notice.
    pub privacy: String,
    /// Whether phrases are being tried: nothing said may then become a report.
    pub rehearsal: bool,
    pub receipts: bool,
    /// The promises for every report, followed by a blank line; empty if there are none (`PRODUCT.md §5`).
    promises: String,
}

impl Rules {
    pub fn new(phrases: &Phrases, security: &Security, system: &System) -> Self {
        let [name, org, min_chars, min_words] = PLACEHOLDERS;
        Self {
            phrases: phrases.clone(),
            values: [
                (name, system.assistant_name.clone()),
                (org, system.organization_name.clone()),
                (min_chars, security.min_report_length.to_string()),
                (min_words, security.min_word_count.to_string()),
            ],
            minimum: Minimum {
                chars: as_count(security.min_report_length),
                words: as_count(security.min_word_count),
            },
            forbidden_words: security.forbidden_words(),
            other_phones: security.accept_other_phones,
            script: Script::general(security),
            privacy: system.privacy_version(),
            rehearsal: false,
            receipts: system.receipts_enabled,
            promises: promises(system),
        }
    }

    /// These rules for the conversation of a callout.
    #[must_use]
    pub fn of_callout(&self, version: &Arc<CalloutVersion>) -> Self {
        let mut rules = Self {
            script: Script::of(version),
            ..self.clone()
        };
        let (callout, said) = (&version.callout, &mut rules.phrases);
        let welcome = [&callout.intro, &said.age_check.prompt].map(|text| text.trim());
        welcome.join("\n\n").trim().clone_into(&mut said.welcome);
        if !callout.thanks.trim().is_empty() {
            said.collect_report.closing.clone_from(&callout.thanks);
        }
        rules
    }

    pub(super) fn requires(&self, place: ScriptPlace) -> bool {
        self.script.requires(place)
    }

    pub fn welcome(&self) -> String {
        self.say(&self.phrases.welcome)
    }

    /// The welcome: who reads, what happens next, and what is promised.
    pub fn about(&self) -> [String; 2] {
        let guide = &self.phrases.guide;
        let [explain, afterwards] =
            [&guide.explain, &guide.afterwards].map(|phrase| self.say(phrase));
        [explain, format!("{}{afterwards}", self.promises)]
    }

    /// The text that says where to find help.
    pub fn help(&self) -> String {
        self.say(&self.phrases.care.help)
    }

    /// Whether a contact is required although the phrases do not say where to turn without one.
    pub fn shut_out(&self) -> bool {
        let other_way = &self.phrases.guide.unable;
        let named = other_way.contains(['@', '/']) || other_way.contains(char::is_numeric);
        let mut states = ChatState::ALL.into_iter();
        !named && states.any(|state| state.is_contact() && self.requires(state.into()))
    }

    pub(super) fn say(&self, phrase: &str) -> String {
        fill(phrase, &self.values)
    }

    pub(super) fn prompt(&self, place: ScriptPlace) -> Cow<'_, str> {
        let said = &self.phrases;
        if let Some(question) = self.script.question(place) {
            return match question.help.trim() {
                "" => question.text.as_str().into(),
                help => format!("{}\n{help}", question.text).into(),
            };
        }
        let prompt = match (datum(place.state), place.state) {
            (Some(datum), _) => &(datum.question)(said).prompt,
            (None, ChatState::AgeCheck) => &said.age_check.prompt,
            (None, ChatState::InvestigativeQuestions) => &said.investigative_questions.prompt,
            (None, _) => &said.collect_report.prompt,
        };
        prompt.as_str().into()
    }
}

fn promises(system: &System) -> String {
    let promised = [
        ("Leggiamo ogni segnalazione", system.promise_first_days),
        ("Diciamo com'è andata", system.promise_outcome_days),
    ];
    let kept = promised.into_iter().filter(|(_, days)| *days > 0);
    let said: Vec<_> = kept
        .map(|(what, days)| format!("{what} entro {}.", counted(days, "giorno", "giorni")))
        .collect();
    if said.is_empty() {
        return String::new();
    }
    format!("{}\n\n", said.join(" "))
}

fn as_count(setting: u32) -> usize {
    usize::try_from(setting).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_come_from_the_settings() {
        let system = System {
            assistant_name: "Vera".to_owned(),
            organization_name: "La {name}".to_owned(),
            ..System::default()
        };
        let security = Security {
            min_report_length: 20,
            min_word_count: 3,
            ..Security::default()
        };
        let rules = Rules::new(&Phrases::default(), &security, &system);
        let phrases = Phrases::default();
        let welcome = rules.say(&phrases.welcome);
        assert!(welcome.contains("Sono Vera"));
        assert!(welcome.contains("redazione di La {name}."));
        assert!(rules.about()[1].starts_with(
            "Leggiamo ogni segnalazione entro 7 giorni. Diciamo com'è andata entro 90 giorni.\n\n"
        ));
        let quiet = System {
            promise_first_days: 0,
            promise_outcome_days: 0,
            ..System::default()
        };
        let said = Rules::new(&Phrases::default(), &security, &quiet).about();
        assert_eq!(said[1], rules.say(&phrases.guide.afterwards));
        let too_short = rules.say(&phrases.investigative_questions.too_short);
        assert!(too_short.ends_with("almeno 20 caratteri e 3 parole."));
        assert_eq!(
            rules.minimum,
            Minimum {
                chars: 20,
                words: 3
            }
        );
    }
}
