//! What one conversation goes by: the sentences, ready to be said, and the limits in force. It must never be empty of
//! words: a sentence that the settings left blank is said as its default.

use super::super::fields::Minimum;
use super::super::phrases::{Phrases, Placeholders, render};
use super::super::settings::{Security, System};
use super::super::text;
use super::State;

/// Sentences and limits, taken from the settings once a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rules {
    pub(super) welcome: String,
    pub(super) age: Age,
    pub(super) name: Question,
    pub(super) surname: Question,
    pub(super) phone: Question,
    pub(super) email: Question,
    pub(super) address: Question,
    pub(super) account: Account,
    pub(super) closing: Closing,
    pub(super) minimum: Minimum,
    pub(super) forbidden_words: Vec<String>,
}

/// Sentences of the age check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Age {
    pub(super) invalid: String,
    pub(super) minor: String,
    pub(super) valid: String,
}

/// Sentences of a question for one personal datum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Question {
    pub(super) prompt: String,
    pub(super) invalid: String,
    pub(super) next: String,
}

/// Sentences of the account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Account {
    pub(super) prompt: String,
    pub(super) forbidden: String,
    pub(super) too_short: String,
    pub(super) next: String,
}

/// Sentences of the last question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Closing {
    pub(super) prompt: String,
    pub(super) forbidden: String,
    pub(super) farewell: String,
}

impl Rules {
    /// The rules that these settings make.
    #[must_use]
    pub fn new(phrases: &Phrases, security: &Security, system: &System) -> Self {
        let defaults = Phrases::default();
        let values = Placeholders {
            name: &system.assistant_name,
            org: &system.organization_name,
            min_chars: security.min_report_length,
            min_words: security.min_word_count,
        };
        let say = |pick: fn(&Phrases) -> &str| {
            let said = render(pick(phrases), &values);
            if text::is_blank(&said) {
                render(pick(&defaults), &values)
            } else {
                said
            }
        };
        Self {
            welcome: say(|all| &all.welcome),
            age: Age {
                invalid: say(|all| &all.age_check.invalid),
                minor: say(|all| &all.age_check.under_age),
                valid: say(|all| &all.age_check.valid),
            },
            name: Question {
                prompt: say(|all| &all.collect_name.prompt),
                invalid: say(|all| &all.collect_name.invalid),
                next: say(|all| &all.collect_name.next),
            },
            surname: Question {
                prompt: say(|all| &all.collect_surname.prompt),
                invalid: say(|all| &all.collect_surname.invalid),
                next: say(|all| &all.collect_surname.next),
            },
            phone: Question {
                prompt: say(|all| &all.collect_phone.prompt),
                invalid: say(|all| &all.collect_phone.invalid),
                next: say(|all| &all.collect_phone.next),
            },
            email: Question {
                prompt: say(|all| &all.collect_email.prompt),
                invalid: say(|all| &all.collect_email.invalid),
                next: say(|all| &all.collect_email.next),
            },
            address: Question {
                prompt: say(|all| &all.collect_address.prompt),
                invalid: say(|all| &all.collect_address.invalid),
                next: say(|all| &all.collect_address.next),
            },
            account: Account {
                prompt: say(|all| &all.investigative_questions.prompt),
                forbidden: say(|all| &all.investigative_questions.forbidden),
                too_short: say(|all| &all.investigative_questions.too_short),
                next: say(|all| &all.investigative_questions.next),
            },
            closing: Closing {
                prompt: say(|all| &all.collect_report.prompt),
                forbidden: say(|all| &all.collect_report.forbidden),
                farewell: say(|all| &all.collect_report.closing),
            },
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
        match state {
            State::AgeCheck => &self.age.invalid,
            State::CollectName => &self.name.prompt,
            State::CollectSurname => &self.surname.prompt,
            State::CollectPhone => &self.phone.prompt,
            State::CollectEmail => &self.email.prompt,
            State::CollectAddress => &self.address.prompt,
            State::InvestigativeQuestions => &self.account.prompt,
            State::CollectReport | State::FinalQuestion => &self.closing.prompt,
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
        assert!(rules.welcome.contains("Sono Vera"));
        assert!(rules.welcome.contains("redazione di La {name}."));
        assert!(
            rules
                .account
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
        assert_eq!(rules.email.next, Phrases::default().collect_email.next);
        assert_eq!(rules.name.prompt, Phrases::default().collect_name.prompt);
    }
}
