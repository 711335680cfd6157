//! One turn of a conversation. Total and pure: the same rules, conversation and text give the same step, for any text
//! and any conversation. It must never finish with an incomplete draft: where an earlier answer is missing, it goes
//! back and asks for it.

use super::rules::Rules;
use super::{Conversation, Rule, State};
use crate::domain::care;
use crate::domain::fields::{self, FieldError};
use crate::domain::report::{ADDITION_HEADING, Draft, Report};
use crate::domain::text;

/// Answers that mean "nothing to add", in lower case (`PRODUCT.md §3`).
const NOTHING_TO_ADD: [&str; 4] = ["no", "no.", "niente", "basta"];

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// What the assistant says, one bubble each: at least one, none of them blank.
    pub replies: Vec<String>,
    pub outcome: Outcome,
    pub rule: Rule,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It waits for the next answer.
    Continue(Conversation),
    /// It is over and nothing of it may be kept: the reporter is a minor.
    Minor,
    /// It is over, and this is the report.
    Completed(Report),
}

/// A new conversation, and the one message that opens it: welcome and question for the age in one.
pub fn start(rules: &Rules) -> (Conversation, Vec<String>) {
    let conversation = Conversation {
        state: State::AgeCheck,
        draft: Draft::default(),
        helped: false,
    };
    (conversation, vec![rules.said.welcome.clone()])
}

/// What follows when `answer` is given to `conversation`.
///
/// A conversation that stands beyond an answer that it does not hold (no honest one does) is taken back to the first
/// missing one, with that question; so `final_question` closes whenever there is a report to close with.
pub fn step(rules: &Rules, conversation: Conversation, answer: &str) -> Step {
    let Conversation {
        state,
        draft,
        helped,
    } = conversation;
    if let Some(missing) = draft.first_missing().map(State::collecting)
        && missing < state
    {
        return ask_again(rules, missing, draft).helped(helped);
    }
    let turn = Turn {
        rules,
        state,
        draft,
        answer,
    };
    let step = turn.take();
    if !helped && state.is_account() && step.rule != Rule::TooLong && is_grave(answer) {
        step.saying_help(&rules.said.care.help)
    } else {
        step.helped(helped)
    }
}

/// Whether the wording of an answer worries, be the answer accepted or not: who writes three grave words is told that
/// they are too few, but not only that. An answer far beyond what is kept is not read.
fn is_grave(answer: &str) -> bool {
    let said = text::clean(answer);
    text::char_count(&said) <= fields::REPORT_MAX && care::concern(&said).is_some()
}

impl Step {
    /// The same step, with the sentence on help beside what is said anyway: before a question that stays or becomes open,
    /// so that the question is what is read last; behind a farewell.
    fn saying_help(mut self, help: &str) -> Self {
        let at = match self.outcome {
            Outcome::Continue(_) => self.replies.len().saturating_sub(1),
            Outcome::Minor | Outcome::Completed(_) => self.replies.len(),
        };
        self.replies.insert(at, help.to_owned());
        self.helped(true)
    }

    /// The same step, remembering whether help was spoken of.
    fn helped(mut self, helped: bool) -> Self {
        if let Outcome::Continue(conversation) = &mut self.outcome {
            conversation.helped = helped;
        }
        self
    }
}

struct Turn<'a> {
    rules: &'a Rules,
    state: State,
    draft: Draft,
    answer: &'a str,
}

impl Turn<'_> {
    fn take(self) -> Step {
        let said = &self.rules.said;
        let (name, surname) = (&said.collect_name, &said.collect_surname);
        let (phone, email) = (&said.collect_phone, &said.collect_email);
        let address = &said.collect_address;
        match self.state {
            State::AgeCheck => self.check_age(),
            State::CollectName => {
                self.collect(&name.invalid, &name.next, fields::parse_name, |draft| {
                    &mut draft.nome
                })
            }
            State::CollectSurname => self.collect(
                &surname.invalid,
                &surname.next,
                fields::parse_surname,
                |draft| &mut draft.cognome,
            ),
            State::CollectPhone => {
                self.collect(&phone.invalid, &phone.next, fields::parse_phone, |draft| {
                    &mut draft.telefono
                })
            }
            State::CollectEmail => {
                self.collect(&email.invalid, &email.next, fields::parse_email, |draft| {
                    &mut draft.email
                })
            }
            State::CollectAddress => self.collect(
                &address.invalid,
                &address.next,
                fields::parse_address,
                |draft| &mut draft.indirizzo,
            ),
            State::InvestigativeQuestions => self.take_account(),
            State::CollectReport => self.take_addition(),
            State::FinalQuestion => self.finish(),
        }
    }

    /// Minors leave before anything is asked of them (`PRODUCT.md §3`).
    fn check_age(mut self) -> Step {
        let sentences = &self.rules.said.age_check;
        match fields::parse_age(self.answer) {
            Err(_) => self.stay(Rule::Invalid, sentences.invalid.clone()),
            Ok(age) if age < fields::ADULT_AGE => Step {
                replies: vec![sentences.under_age.clone()],
                outcome: Outcome::Minor,
                rule: Rule::Minor,
            },
            Ok(age) => {
                self.draft.eta = Some(age);
                self.advance(sentences.valid.clone())
            }
        }
    }

    /// One personal datum, kept in its slot of the draft, with the words for a refused and for a valid answer.
    fn collect(
        mut self,
        invalid: &str,
        next: &str,
        parse: fn(&str) -> Result<String, FieldError>,
        slot: fn(&mut Draft) -> &mut Option<String>,
    ) -> Step {
        match parse(self.answer) {
            Ok(value) => {
                *slot(&mut self.draft) = Some(value);
                self.advance(next.to_owned())
            }
            Err(error) => self.refuse(error, Rule::Invalid, invalid),
        }
    }

    /// The account. Forbidden words come before its length.
    fn take_account(mut self) -> Step {
        let sentences = &self.rules.said.investigative_questions;
        if self.is_forbidden() {
            return self.stay(Rule::Forbidden, sentences.forbidden.clone());
        }
        match fields::parse_report(self.answer, self.rules.minimum) {
            Ok(account) => {
                self.draft.segnalazione = Some(account);
                self.advance(sentences.next.clone())
            }
            Err(error) => self.refuse(error, Rule::TooShort, &sentences.too_short),
        }
    }

    /// Both ways of closing: nothing to add, or text that goes under its heading.
    fn take_addition(mut self) -> Step {
        let sentences = &self.rules.said.collect_report;
        if self.is_forbidden() {
            return self.stay(Rule::Forbidden, sentences.forbidden.clone());
        }
        let plain = text::lower(&text::clean(self.answer));
        if NOTHING_TO_ADD.contains(&plain.as_str()) {
            return self.finish();
        }
        match fields::parse_addition(self.answer) {
            Ok(addition) => {
                if let Some(account) = &mut self.draft.segnalazione {
                    account.push_str("\n\n");
                    account.push_str(ADDITION_HEADING);
                    account.push('\n');
                    account.push_str(&addition);
                }
                self.finish()
            }
            Err(error) => self.refuse(error, Rule::Invalid, &sentences.prompt),
        }
    }

    /// Closes with the report, or goes back for what it lacks.
    fn finish(self) -> Step {
        let Some(report) = self.draft.complete() else {
            let missing = self
                .draft
                .first_missing()
                .map_or(State::AgeCheck, State::collecting);
            return ask_again(self.rules, missing, self.draft);
        };
        Step {
            replies: vec![self.rules.said.collect_report.closing.clone()],
            outcome: Outcome::Completed(report),
            rule: Rule::Completed,
        }
    }

    fn is_forbidden(&self) -> bool {
        fields::contains_any(self.answer, &self.rules.forbidden_words)
    }

    /// On to the next question, after an acknowledgement.
    fn advance(self, acknowledgement: String) -> Step {
        let state = self.state.next();
        let replies = vec![acknowledgement, self.rules.prompt(state).to_owned()];
        wait(Rule::Answered, replies, state, self.draft)
    }

    /// The same question stays open after an answer that cannot be kept: with the section's own sentence, unless the
    /// answer is too long, which no section has words for.
    fn refuse(self, error: FieldError, malformed: Rule, sentence: &str) -> Step {
        match error {
            FieldError::Malformed => self.stay(malformed, sentence.to_owned()),
            FieldError::TooLong(too_long) => self.stay(Rule::TooLong, too_long.to_string()),
        }
    }

    /// The same question stays open; `reply` says why.
    fn stay(self, rule: Rule, reply: String) -> Step {
        wait(rule, vec![reply], self.state, self.draft)
    }
}

/// Opens the question of `state` (again).
fn ask_again(rules: &Rules, state: State, draft: Draft) -> Step {
    let replies = vec![rules.prompt(state).to_owned()];
    wait(Rule::Incomplete, replies, state, draft)
}

fn wait(rule: Rule, replies: Vec<String>, state: State, draft: Draft) -> Step {
    Step {
        replies,
        outcome: Outcome::Continue(Conversation {
            state,
            draft,
            helped: false,
        }),
        rule,
    }
}

#[cfg(test)]
#[path = "engine_tests.rs"]
mod tests;
