//! One turn of a conversation, as a pure function. It must never complete an incomplete draft: it goes back to the missing
//! answer.

use super::rules::Rules;
use super::wordings::{Meaning, leaves, meaning};
use super::{ChatState, Conversation, Datum, Rule, datum, first_missing};
use crate::domain::care;
use crate::domain::fields::{self, FieldError};
use crate::domain::report::{ADDITION_HEADING, Report};
use crate::domain::text;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// One bubble each: at least one, none blank.
    pub replies: Vec<String>,
    pub outcome: StepOutcome,
    pub rule: Rule,
    pub blocked: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StepOutcome {
    Continue(Conversation),
    /// The reporter is a minor: nothing may be kept.
    Minor,
    Completed(Report),
}

pub fn start(rules: &Rules) -> Step {
    Step {
        replies: vec![rules.welcome()],
        outcome: StepOutcome::Continue(Conversation::default()),
        rule: Rule::Started,
        blocked: None,
    }
}

/// Puts the question of `state` again; afterwards the conversation goes on where it was. `None` for a question that was not
/// put yet.
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

/// Takes `answer`. A conversation beyond an answer that it lacks (a forged one) goes back to the first missing one; so
/// `final_question` completes whenever the report is whole.
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
        // The open question is read last; help follows a farewell.
        let mut at = step.replies.len();
        if let StepOutcome::Continue(conversation) = &mut step.outcome {
            conversation.helped = true;
            at -= 1;
        }
        step.replies.insert(at, help);
    }
    step
}

/// Also an answer that is refused may worry: three grave words are not only too few. An answer beyond the limit is not read.
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
        // A forbidden word decides before anything else.
        if state.is_account()
            && let Some(word) = fields::first_of(self.answer, &self.rules.forbidden_words)
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

    /// Minors leave before any other question (`PRODUCT.md §2`).
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

    /// Nothing to add, or text that goes under its heading.
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

    /// [`step`] has checked that nothing is missing.
    fn finish(self) -> Step {
        Step {
            replies: vec![self.rules.say(&self.rules.phrases.collect_report.closing)],
            outcome: StepOutcome::Completed(self.conversation.draft),
            rule: Rule::Completed,
            blocked: None,
        }
    }

    /// Goes on to the next question, or after a correction to the open one.
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

    fn guide(self, words: &str) -> Step {
        let state = self.conversation.state;
        let question = self.rules.prompt(state);
        self.wait(Rule::Guided, state, &[words, question])
    }

    fn block(self, word: &str) -> Step {
        let said = &self.rules.phrases;
        let sentence = match self.conversation.state {
            ChatState::InvestigativeQuestions => &said.investigative_questions.forbidden,
            _ => &said.collect_report.forbidden,
        };
        Step {
            blocked: Some(word.to_owned()),
            ..self.stay(Rule::Forbidden, sentence)
        }
    }

    /// Refuses an answer in the section's words; for one that is too long, no section has any.
    fn refuse(self, error: FieldError, malformed: Rule, sentence: &str) -> Step {
        match error {
            FieldError::Malformed => self.stay(malformed, sentence),
            FieldError::TooLong(message) => self.stay(Rule::TooLong, &message),
        }
    }

    fn stay(self, rule: Rule, phrase: &str) -> Step {
        let state = self.conversation.state;
        self.wait(rule, state, &[phrase])
    }

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
