//! One turn of a conversation. Total and pure: the same rules, conversation and text give the same step, for any text
//! and any conversation. It must never finish with an incomplete draft: where an earlier answer is missing, it goes
//! back and asks for it.

use super::rules::Rules;
use super::wordings::{Meaning, leaves, meaning};
use super::{ChatState, Conversation, Datum, Rule, datum, first_missing};
use crate::domain::care;
use crate::domain::fields::{self, FieldError};
use crate::domain::report::{ADDITION_HEADING, Report};
use crate::domain::text;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// What the assistant says, one bubble each: at least one, none of them blank.
    pub replies: Vec<String>,
    pub outcome: StepOutcome,
    pub rule: Rule,
    /// The forbidden word that stopped the answer.
    pub blocked: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StepOutcome {
    /// It waits for the next answer.
    Continue(Conversation),
    /// It is over and nothing of it may be kept: the reporter is a minor.
    Minor,
    /// It is over, and this is the report.
    Completed(Report),
}

/// Begins a conversation, with one message: welcome and question for the age in one.
pub fn start(rules: &Rules) -> Step {
    Step {
        replies: vec![rules.welcome()],
        outcome: StepOutcome::Continue(Conversation::default()),
        rule: Rule::Started,
        blocked: None,
    }
}

/// The question of `state` again, to be answered anew; then the conversation goes on where it stands. `None` for a question
/// that has not been put yet.
pub fn back(rules: &Rules, conversation: Conversation, state: ChatState) -> Option<Step> {
    let stands = conversation.resume.unwrap_or(conversation.state);
    if state > stands || state == ChatState::FinalQuestion {
        return None;
    }
    let conversation = Conversation {
        resume: (state < stands).then_some(stands),
        ..conversation
    };
    let turn = Turn {
        rules,
        conversation,
        answer: "",
    };
    Some(turn.wait(Rule::Guided, state, &[rules.prompt(state)]))
}

/// What follows when `answer` is given to `conversation`.
///
/// A conversation that stands beyond an answer that it does not hold (no honest one does) is taken back to the first
/// missing one, with that question; so `final_question` closes whenever there is a report to close with.
pub fn step(rules: &Rules, conversation: Conversation, answer: &str) -> Step {
    let turn = Turn {
        rules,
        conversation,
        answer,
    };
    let Conversation { state, helped, .. } = turn.conversation;
    if let Some(missing) = first_missing(&turn.conversation.draft).filter(|one| *one < state) {
        return turn.wait(Rule::Incomplete, missing, &[rules.prompt(missing)]);
    }
    let mut step = turn.take();
    if !helped && state.is_account() && step.rule != Rule::TooLong && is_grave(answer) {
        let help = rules.say(&rules.phrases.care.help);
        // Before a question that stays or becomes open, so that the question is read last; behind a farewell.
        let mut at = step.replies.len();
        if let StepOutcome::Continue(conversation) = &mut step.outcome {
            conversation.helped = true;
            at -= 1;
        }
        step.replies.insert(at, help);
    }
    step
}

/// Whether the wording of an answer worries, be the answer accepted or not: who writes three grave words is told that
/// they are too few, but not only that. An answer far beyond what is kept is not read.
fn is_grave(answer: &str) -> bool {
    let said = text::clean(answer);
    text::char_count(&said) <= fields::REPORT_MAX && care::concern(&said).is_some()
}

struct Turn<'a> {
    rules: &'a Rules,
    conversation: Conversation,
    answer: &'a str,
}

impl Turn<'_> {
    fn take(mut self) -> Step {
        if let Some(stood) = self.conversation.resume.filter(|_| leaves(self.answer)) {
            self.conversation.resume = None;
            let question = self.rules.prompt(stood);
            return self.wait(Rule::Guided, stood, &[question]);
        }
        let state = self.conversation.state;
        let guide = &self.rules.phrases.guide;
        // A forbidden word decides first, whatever else an account says.
        if state.is_account()
            && let Some(word) = self.forbidden_word()
        {
            return self.block(word);
        }
        if state == ChatState::FinalQuestion {
            return self.finish();
        }
        let meaning = meaning(self.answer, state);
        match meaning {
            Some(Meaning::Question) => return self.guide(&guide.explain),
            Some(Meaning::Correction) if state == ChatState::CollectReport => {
                return self.guide(&guide.unsent);
            }
            Some(Meaning::Correction) => return self.guide(&guide.correct),
            _ => {}
        }
        match (datum(state), state) {
            (Some(datum), _) => self.collect(datum),
            (None, ChatState::AgeCheck) => self.check_age(),
            (None, ChatState::InvestigativeQuestions) => self.take_account(),
            (None, _) => self.take_addition(meaning),
        }
    }

    /// Minors leave before anything is asked of them (`PRODUCT.md §2`).
    fn check_age(mut self) -> Step {
        let sentences = &self.rules.phrases.age_check;
        match fields::parse_age(self.answer) {
            Err(_) => self.stay(Rule::Invalid, &sentences.invalid),
            Ok(age) if age < fields::ADULT_AGE => {
                let words = [&sentences.under_age, &self.rules.phrases.care.minor];
                Step {
                    replies: words.map(|one| self.rules.say(one)).to_vec(),
                    outcome: StepOutcome::Minor,
                    rule: Rule::Minor,
                    blocked: None,
                }
            }
            Ok(age) => {
                self.conversation.draft.eta = age;
                self.advance(&sentences.valid)
            }
        }
    }

    /// One personal datum, kept in its place of the draft.
    fn collect(mut self, datum: &Datum) -> Step {
        let sentences = (datum.question)(&self.rules.phrases);
        match (datum.parse)(self.rules, self.answer) {
            Ok(value) => {
                *(datum.place)(&mut self.conversation.draft) = value;
                self.advance(&sentences.next)
            }
            Err(error) => self.refuse(error, Rule::Invalid, &sentences.invalid),
        }
    }

    fn take_account(mut self) -> Step {
        let sentences = &self.rules.phrases.investigative_questions;
        match fields::parse_report(self.answer, self.rules.minimum) {
            Ok(account) => {
                self.conversation.draft.segnalazione = account;
                self.advance(&sentences.next)
            }
            Err(error) => self.refuse(error, Rule::TooShort, &sentences.too_short),
        }
    }

    /// Both ways of closing: nothing to add, or text that goes under its heading.
    fn take_addition(mut self, meaning: Option<Meaning>) -> Step {
        let sentences = &self.rules.phrases.collect_report;
        match meaning {
            Some(Meaning::Nothing) => return self.finish(),
            Some(Meaning::Yes) => return self.stay(Rule::Guided, &sentences.more),
            _ => {}
        }
        match fields::parse_addition(self.answer) {
            Ok(addition) => {
                let account = &mut self.conversation.draft.segnalazione;
                account.push_str("\n\n");
                account.push_str(ADDITION_HEADING);
                account.push('\n');
                account.push_str(&addition);
                self.finish()
            }
            Err(error) => self.refuse(error, Rule::Invalid, &sentences.prompt),
        }
    }

    /// Closes with the report, of which [`step`] has seen that nothing is missing.
    fn finish(self) -> Step {
        Step {
            replies: vec![self.rules.say(&self.rules.phrases.collect_report.closing)],
            outcome: StepOutcome::Completed(self.conversation.draft),
            rule: Rule::Completed,
            blocked: None,
        }
    }

    fn forbidden_word(&self) -> Option<String> {
        fields::first_of(self.answer, &self.rules.forbidden_words).map(str::to_owned)
    }

    /// On to the next question, after an acknowledgement; after a correction, to the one that waits.
    fn advance(mut self, acknowledgement: &str) -> Step {
        let (rule, next, said) = match self.conversation.resume.take() {
            Some(stood) => (Rule::Corrected, stood, &*self.rules.phrases.guide.corrected),
            None => (
                Rule::Answered,
                self.conversation.state.next(),
                acknowledgement,
            ),
        };
        let question = self.rules.prompt(next);
        self.wait(rule, next, &[said, question])
    }

    /// An answer to what was asked back, and the question again.
    fn guide(self, words: &str) -> Step {
        let state = self.conversation.state;
        let question = self.rules.prompt(state);
        self.wait(Rule::Guided, state, &[words, question])
    }

    fn block(self, word: String) -> Step {
        let said = &self.rules.phrases;
        let sentence = match self.conversation.state {
            ChatState::InvestigativeQuestions => &said.investigative_questions.forbidden,
            _ => &said.collect_report.forbidden,
        };
        Step {
            blocked: Some(word),
            ..self.stay(Rule::Forbidden, sentence)
        }
    }

    /// The same question stays open after an answer that cannot be kept: with the section's own sentence, unless the
    /// answer is too long, which no section has words for.
    fn refuse(self, error: FieldError, malformed: Rule, sentence: &str) -> Step {
        match error {
            FieldError::Malformed => self.stay(malformed, sentence),
            FieldError::TooLong(message) => self.stay(Rule::TooLong, &message),
        }
    }

    /// The same question stays open; `phrase` says why.
    fn stay(self, rule: Rule, phrase: &str) -> Step {
        let state = self.conversation.state;
        self.wait(rule, state, &[phrase])
    }

    /// Opens the question of `state` (again).
    fn wait(self, rule: Rule, state: ChatState, phrases: &[&str]) -> Step {
        Step {
            replies: phrases.iter().map(|one| self.rules.say(one)).collect(),
            outcome: StepOutcome::Continue(Conversation {
                state,
                ..self.conversation
            }),
            rule,
            blocked: None,
        }
    }
}

#[cfg(test)]
#[path = "engine_tests.rs"]
mod tests;
