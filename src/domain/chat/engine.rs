//! One turn of a conversation, as a pure function. It must never complete an incomplete draft: it goes back to the missing
//! answer.

use std::ops::Range;

use super::rules::Rules;
use super::spoken::{self, Doubt, Reading};
use super::wordings::{Meaning, behind_a_no, confirms, declines, leaves, meaning};
use super::{ChatState, Conversation, Datum, Rule, SummaryLine, datum, first_missing, reasons};
use crate::domain::care;
use crate::domain::fields::{self, FieldError};
use crate::domain::report::{ADDITION_HEADING, Report};
use crate::domain::text;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// One bubble each: at least one, none blank.
    pub replies: Vec<String>,
    /// Which of them must be read.
    pub hold: Range<usize>,
    pub outcome: StepOutcome,
    pub rule: Rule,
    /// Why the answer was refused, beside the sentence of its section.
    pub reason: Option<String>,
    /// What the newsroom offers to who cannot give a required datum.
    pub unable: Option<String>,
    /// The answers that were taken, where they are not what was typed.
    pub understood: Vec<SummaryLine>,
}

impl Step {
    fn new(replies: Vec<String>, outcome: StepOutcome, rule: Rule) -> Self {
        Self {
            replies,
            hold: 0..0,
            outcome,
            rule,
            reason: None,
            unable: None,
            understood: Vec::new(),
        }
    }
}

/// Characters from which a text at a question for a datum is the beginning of the account.
const EARLY: usize = 70;
/// Words that it has then: a long name has fewer.
const EARLY_WORDS: usize = 6;
/// Bytes beyond which no datum is looked for in a sentence, which is one line.
const SENTENCE: usize = 400;
/// Refusals of a required datum after which the newsroom offers another way.
const REFUSALS: u8 = 2;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StepOutcome {
    Continue(Conversation),
    /// The reporter is a minor: nothing may be kept.
    Minor,
    Completed(Report),
}

/// Begins a conversation in `year`, from which ages are told by a year of birth.
pub fn start(rules: &Rules, year: u16) -> Step {
    let begun = Conversation {
        year,
        ..Conversation::default()
    };
    let outcome = StepOutcome::Continue(begun);
    Step::new(vec![rules.welcome()], outcome, Rule::Started)
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
        doubt: None,
        refused: 0,
        ..conversation
    };
    let turn = Turn {
        rules,
        conversation,
        answer: "",
        doubted: false,
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
        doubted: false,
    };
    let Conversation { state, helped, .. } = turn.conversation;
    let missing = first_missing(rules, &turn.conversation.draft);
    if let Some(missing) = missing.filter(|one| *one < state) {
        return turn.wait(Rule::Incomplete, missing, &[rules.prompt(missing)]);
    }
    let mut step = turn.take();
    let told = state.is_account() || step.rule == Rule::Kept || is_spoken(&step, state, answer);
    if !helped && told && step.rule != Rule::TooLong && is_grave(answer) {
        let help = rules.say(&rules.phrases.care.help);
        // The open question is read last; help follows a farewell.
        let mut at = step.replies.len();
        if let StepOutcome::Continue(conversation) = &mut step.outcome {
            conversation.helped = true;
            at -= 1;
        }
        step.replies.insert(at, help);
        step.hold = at..at + 1;
    }
    step
}

/// Whether words that are no datum stand where one was asked for; an address has a number, or is short.
fn is_spoken(step: &Step, state: ChatState, answer: &str) -> bool {
    let address = state == ChatState::CollectAddress;
    let plain = answer.contains(|sign: char| sign.is_ascii_digit()) && answer.len() < EARLY;
    text::word_count(answer) >= 3
        && if address {
            !plain
        } else {
            !step.rule.leads_on()
        }
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
    /// The answer is to what was asked back, and neither a yes nor a no.
    doubted: bool,
}

impl Turn<'_> {
    fn take(mut self) -> Step {
        let state = self.conversation.state;
        if let Some(Doubt::Answers(answers)) = self.conversation.doubt.take() {
            match confirms(self.answer) {
                Some(true) => return self.confirm(&answers),
                Some(false) => return self.deny(),
                None => self.doubted = true,
            }
            self.answer = behind_a_no(self.answer).unwrap_or(self.answer);
        }
        if let Some(stood) = self.conversation.resume.filter(|_| leaves(self.answer)) {
            self.conversation.resume = None;
            let question = self.rules.prompt(stood);
            return self.wait(Rule::Guided, stood, &[question]);
        }
        // A forbidden word decides before anything else.
        if state.is_account()
            && let Some(word) = fields::first_of(self.answer, &self.rules.forbidden_words)
        {
            return self.block(word);
        }
        if state == ChatState::FinalQuestion {
            return self.finish();
        }
        match datum(state) {
            Some(datum) if state.is_contact() && self.declines() => self.decline(datum),
            datum => self.answer(datum),
        }
    }

    fn declines(&self) -> bool {
        declines(self.answer, !self.rules.requires(self.conversation.state))
    }

    fn answer(self, datum: Option<&Datum>) -> Step {
        let (state, guide) = (self.conversation.state, &self.rules.phrases.guide);
        let meaning = meaning(self.answer, state);
        match (meaning, state) {
            (Some(Meaning::Question), _) => self.guide(&guide.explain),
            (Some(Meaning::Correction), ChatState::CollectReport) => self.guide(&guide.unsent),
            (Some(Meaning::Correction), _) => self.guide(&guide.correct),
            (_, ChatState::InvestigativeQuestions) => self.take_account(),
            (_, ChatState::CollectReport) => self.take_addition(meaning),
            _ if self.tells_early() => self.keep_for_account(),
            _ => self.read(datum),
        }
    }

    /// What was asked back is not so: its question is put again.
    fn deny(mut self) -> Step {
        self.conversation.refused = self.conversation.refused.max(1);
        let question = self.rules.prompt(self.conversation.state);
        self.stay(Rule::Guided, question)
    }

    /// Whether the answer is the beginning of the account, which is still to come.
    fn tells_early(&self) -> bool {
        let (answer, already) = (text::clean(self.answer), &self.conversation);
        let room = fields::REPORT_MAX.saturating_sub(text::char_count(&already.early) + 2);
        already.draft.segnalazione.is_empty()
            && already.state != ChatState::CollectAddress
            && (EARLY..=room).contains(&text::char_count(&answer))
            && text::word_count(&answer) >= EARLY_WORDS
    }

    fn keep_for_account(mut self) -> Step {
        let state = self.conversation.state;
        let early = &mut self.conversation.early;
        if !early.is_empty() {
            early.push_str("\n\n");
        }
        early.push_str(&text::clean(self.answer));
        let said = [&*self.rules.phrases.guide.kept, self.rules.prompt(state)];
        self.wait(Rule::Kept, state, &said)
    }

    /// Takes an age or a datum, also out of a sentence; what may be meant otherwise is asked back.
    fn read(mut self, datum: Option<&Datum>) -> Step {
        let (rules, conversation) = (self.rules, &self.conversation);
        let reading = match datum {
            _ if self.answer.len() > SENTENCE || self.answer.trim().contains('\n') => None,
            Some(datum) => spoken::read_datum(rules, datum, conversation, self.answer),
            None => spoken::read_age(self.answer, conversation.year),
        };
        let named = matches!(
            conversation.state,
            ChatState::CollectName | ChatState::CollectSurname
        );
        let again = || spoken::written_so(conversation.state, text::clean_line(self.answer));
        // 'Sì sono io' is no name; one that is written like a name is.
        let doubted = self.doubted && !self.answer.starts_with(char::is_uppercase);
        match reading.or_else(|| (named && doubted).then(again)) {
            None => self.settle(),
            Some(Reading::Plain(value)) => {
                let state = self.conversation.state;
                self.confirm(&[(state, value)])
            }
            Some(Reading::Doubtful(doubt, question)) => {
                self.conversation.doubt = Some(doubt);
                self.stay(Rule::Asked, &question)
            }
        }
    }

    /// Takes `answers` as though they had been typed at their questions.
    fn confirm(mut self, answers: &[(ChatState, String)]) -> Step {
        let Some(((state, answer), others)) = answers.split_last() else {
            return self.deny();
        };
        for (other, text) in others {
            if let Some(datum) = datum(*other)
                && let Ok(value) = (datum.parse)(self.rules, text)
            {
                *(datum.place)(&mut self.conversation.draft) = value;
            }
        }
        self.conversation.state = *state;
        let step = Turn { answer, ..self }.settle();
        let taken = answers.iter().filter(|_| step.rule.leads_on());
        let line = |(state, text): &(ChatState, String)| SummaryLine {
            state: *state,
            text: text.clone(),
        };
        Step {
            understood: taken.map(line).collect(),
            ..step
        }
    }

    fn settle(self) -> Step {
        match datum(self.conversation.state) {
            Some(datum) => self.collect(datum),
            None => self.check_age(),
        }
    }

    /// The reporter has no such datum: without one that is required there is no report.
    fn decline(mut self, datum: &Datum) -> Step {
        let sentences = (datum.question)(&self.rules.phrases);
        if self.rules.requires(datum.state) {
            self.conversation.refused = REFUSALS;
            return self.refuse(FieldError::Malformed, Rule::Invalid, &sentences.invalid);
        }
        (datum.place)(&mut self.conversation.draft).clear();
        let nothing = SummaryLine {
            state: datum.state,
            text: String::new(),
        };
        Step {
            understood: vec![nothing],
            ..self.advance(&sentences.next)
        }
    }

    /// Minors leave before any other question (`PRODUCT.md §2`).
    fn check_age(mut self) -> Step {
        let sentences = &self.rules.phrases.age_check;
        match fields::parse_age(self.answer) {
            Err(error) => self.refuse(error, Rule::Invalid, &sentences.invalid),
            Ok(age) if age < fields::ADULT_AGE => {
                let words = [&sentences.under_age, &self.rules.phrases.care.minor];
                let replies = words.map(|one| self.rules.say(one)).to_vec();
                Step {
                    hold: 0..replies.len(),
                    ..Step::new(replies, StepOutcome::Minor, Rule::Minor)
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
                self.conversation.early.clear();
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
        let farewell = self.rules.say(&self.rules.phrases.collect_report.closing);
        let outcome = StepOutcome::Completed(self.conversation.draft);
        Step::new(vec![farewell], outcome, Rule::Completed)
    }

    /// The open question, or the next where a correction has answered it too.
    fn after(&self, stood: ChatState) -> ChatState {
        let read = |datum: &Datum| (datum.read)(&self.conversation.draft);
        let answered = datum(stood).is_some_and(|datum| !text::is_blank(read(datum)));
        if answered { stood.next() } else { stood }
    }

    /// Goes on to the next question, or after a correction to the open one.
    fn advance(mut self, acknowledgement: &str) -> Step {
        self.conversation.refused = 0;
        let (rule, next, said) = match self.conversation.resume.take() {
            Some(stood) => (
                Rule::Corrected,
                self.after(stood),
                &*self.rules.phrases.guide.corrected,
            ),
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
            reason: Some(reasons::about_a_word(word)),
            ..self.stay(Rule::Forbidden, sentence)
        }
    }

    /// Refuses an answer in the section's words; for one that is too long, no section has any.
    fn refuse(mut self, error: FieldError, malformed: Rule, sentence: &str) -> Step {
        match error {
            FieldError::Malformed => {
                let state = self.conversation.state;
                let refused = self.conversation.refused.saturating_add(1);
                self.conversation.refused = refused;
                let unable = || self.rules.say(&self.rules.phrases.guide.unable);
                let offered = state.is_contact() && refused >= REFUSALS;
                Step {
                    reason: reasons::reason(self.rules, state, self.answer),
                    unable: offered.then(unable).filter(|said| !said.is_empty()),
                    ..self.stay(malformed, sentence)
                }
            }
            FieldError::TooLong(message) => self.stay(Rule::TooLong, &message),
        }
    }

    fn stay(self, rule: Rule, phrase: &str) -> Step {
        let state = self.conversation.state;
        self.wait(rule, state, &[phrase])
    }

    fn wait(self, rule: Rule, state: ChatState, phrases: &[&str]) -> Step {
        let replies = phrases.iter().map(|one| self.rules.say(one)).collect();
        let conversation = Conversation {
            state,
            ..self.conversation
        };
        Step::new(replies, StepOutcome::Continue(conversation), rule)
    }
}

#[cfg(test)]
#[path = "engine_tests.rs"]
mod tests;
