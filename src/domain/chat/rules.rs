//! What one conversation goes by: the sentences, ready to be said, and the limits in force. It must never read a setting
//! on its own: they are handed in, as they are at that turn.

use super::State;
use crate::domain::fields::Minimum;
use crate::domain::phrases::{Phrases, Placeholders};
use crate::domain::settings::{Security, System};

/// Sentences and limits, taken from the settings once a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rules {
    /// Every sentence, placeholders replaced, none blank.
    pub(super) said: Phrases,
    pub(super) minimum: Minimum,
    /// Words that stop an account, in the form that [`crate::domain::fields::contains_any`] expects.
    pub(super) forbidden_words: Vec<String>,
}

impl Rules {
    pub fn new(phrases: &Phrases, security: &Security, system: &System) -> Self {
        let said = phrases.said(&Placeholders {
            name: &system.assistant_name,
            org: &system.organization_name,
            min_chars: security.min_report_length,
            min_words: security.min_word_count,
        });
        Self {
            said,
            minimum: Minimum {
                chars: as_count(security.min_report_length),
                words: as_count(security.min_word_count),
            },
            forbidden_words: security.forbidden_words(),
        }
    }

    /// The sentence that asks for what a state waits for. The welcome has asked for the age; asked again, it is the
    /// age check's own reminder.
    pub(super) fn prompt(&self, state: State) -> &str {
        let said = &self.said;
        match state {
            State::AgeCheck => &said.age_check.invalid,
            State::CollectName => &said.collect_name.prompt,
            State::CollectSurname => &said.collect_surname.prompt,
            State::CollectPhone => &said.collect_phone.prompt,
            State::CollectEmail => &said.collect_email.prompt,
            State::CollectAddress => &said.collect_address.prompt,
            State::InvestigativeQuestions => &said.investigative_questions.prompt,
            State::CollectReport | State::FinalQuestion => &said.collect_report.prompt,
        }
    }
}

/// A setting as a count; on a machine whose counts are smaller the limit is their largest.
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
        assert!(rules.said.welcome.contains("Sono Vera"));
        assert!(rules.said.welcome.contains("redazione di La {name}."));
        assert!(
            rules
                .said
                .investigative_questions
                .too_short
                .ends_with("almeno 20 caratteri e 3 parole.")
        );
        assert_eq!(
            rules.minimum,
            Minimum {
                chars: 20,
                words: 3
            }
        );
    }

    #[test]
    fn a_blank_sentence_is_said_as_its_default() {
        let mut phrases = Phrases::default();
        phrases.collect_email.next = " \u{200B}".to_owned();
        phrases.collect_name.prompt = "{name}".to_owned();
        let system = System {
            assistant_name: String::new(),
            ..System::default()
        };
        let rules = Rules::new(&phrases, &Security::default(), &system);
        assert_eq!(
            rules.said.collect_email.next,
            Phrases::default().collect_email.next
        );
        assert_eq!(
            rules.said.collect_name.prompt,
            Phrases::default().collect_name.prompt
        );
    }
}
