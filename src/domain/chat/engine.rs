//! One turn of a conversation, as a pure function. It must never complete an incomplete draft: it goes back to the missing
//! answer.

use std::cmp::Ordering;
use std::ops::{ControlFlow, Range};

use jiff::civil::Date;

use super::rules::Rules;
use super::spoken::{self, DatumReading, Doubt};
use super::wordings::{
    Meaning, WhichHelp, behind_a_no, confirms, declines, leaves, meaning, skips, which_help,
};
use super::{
    ChatState, Conversation, Datum, Rule, ScriptPlace, SummaryLine, datum, first_missing, reasons,
};
use crate::domain::callout::{Answer, CalloutAnswers, Understood};
use crate::domain::care::{Concern, concern};
use crate::domain::fields::{self, AgeReading, FieldError};
use crate::domain::report::{ADDITION_HEADING, Report};
use crate::domain::text;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// One bubble each: at least one, none blank.
    pub replies: Vec<String>,
    /// The replies that the page holds until the reporter confirms having read them.
    pub hold: Range<usize>,
    pub outcome: StepOutcome,
    pub rule: Rule,
    /// Why the answer was refused, beside the sentence of its section.
    pub reason: Option<String>,
    /// The newsroom's advice for a reporter who cannot give a required datum.
    pub unable: Option<String>,
    /// The answers as they were understood, if they differ from what was typed.
    pub understood: Vec<SummaryLine>,
    /// The answers of a completed conversation of a callout.
    pub callout: CalloutAnswers,
    /// The gravest concern of the conversation so far; `None` also for a step that reads no answer.
    pub concern: Option<Concern>,
    /// Whether the reporter has been told where to find help; false also for a step that reads no answer.
    pub helped: bool,
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
            callout: CalloutAnswers::default(),
            concern: None,
            helped: false,
        }
    }
}

/// An answer of so many characters and [`EARLY_WORDS`] to the question for a datum is taken for the beginning of the account.
const EARLY: usize = 70;
/// Even a long name has fewer words.
const EARLY_WORDS: usize = 6;
/// No datum is looked for in an answer of more bytes.
const SEARCHED_MAX: usize = 4_000;
/// Refusals of a required datum after which the newsroom offers another way.
const REFUSALS: u8 = 2;

/// Said when the answer is about another person.
const OWN_AGE: &str = "Quanti anni hai tu?";

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StepOutcome {
    Continue(Conversation),
    /// The reporter is a minor: nothing may be kept.
    Minor,
    /// An answer leads to no report: nothing may be kept.
    Ended,
    Completed(Report),
}

/// Begins a conversation. Ages given as a date or year of birth are counted on this day.
pub fn start(rules: &Rules, today: Date) -> Step {
    let begun = Conversation {
        begun: today,
        ..Conversation::default()
    };
    let outcome = StepOutcome::Continue(begun);
    Step::new(vec![rules.welcome()], outcome, Rule::Started)
}

/// Asks the question at `place` again; afterwards the conversation continues where it was. `None` if the answers do not lead to
/// that question, if it has not been asked yet, or if it is the final one.
pub fn back(rules: &Rules, conversation: Conversation, place: ScriptPlace) -> Option<Step> {
    let stands = conversation.resume.unwrap_or(conversation.place());
    let (asked, open) = (
        rules.script.position(place)?,
        rules.script.position(stands)?,
    );
    let passed = rules
        .script
        .path(&conversation.answers)
        .any(|one| one == place);
    if asked > open || !passed || place.state == ChatState::FinalQuestion {
        return None;
    }
    let conversation = Conversation {
        resume: (asked < open).then_some(stands),
        doubt: None,
        refused: 0,
        ..conversation
    };
    let turn = Turn {
        rules,
        conversation,
        answer: "",
        doubt: None,
        grave: false,
    };
    Some(turn.reply_at(Rule::Guided, place, &[&rules.prompt(place)]))
}

/// Takes `answer`. If an earlier answer is missing, as in a forged conversation, the step goes back to that question. The final
/// question therefore always finds a complete report.
pub fn step(rules: &Rules, conversation: Conversation, answer: &str) -> Step {
    let position = |place| rules.script.position(place);
    let stands = position(conversation.place());
    let missing = first_missing(rules, &conversation);
    let (known, helped) = (conversation.concern, conversation.helped);
    let found = concern_of(answer);
    let turn = Turn {
        rules,
        conversation,
        answer,
        doubt: None,
        grave: found.is_some(),
    };
    if let Some(missing) = missing.filter(|one| position(*one) < stands) {
        return turn.reply_at(Rule::Incomplete, missing, &[&rules.prompt(missing)]);
    }
    let mut step = turn.take();
    if found.is_some() {
        // An answer that gives cause for concern gets no lecture on format.
        step.reason = None;
        // Help is said again when another kind of harm is read (`PRODUCT.md §11`).
        if !step.helped && (!helped || known != found) {
            say_where_help_is(rules, &mut step);
        }
    }
    step.concern = known.into_iter().chain(found).min();
    step.helped |= helped || found.is_some();
    if let StepOutcome::Continue(conversation) = &mut step.outcome {
        conversation.concern = step.concern;
        conversation.helped |= step.helped;
    }
    step
}

/// Inserts the text about help: before the next question if the answer was accepted, after a farewell, else first. The reply to a
/// minor has its own.
fn say_where_help_is(rules: &Rules, step: &mut Step) {
    let at = match &step.outcome {
        StepOutcome::Minor => return,
        StepOutcome::Continue(_) if step.rule.leads_on() => step.replies.len() - 1,
        StepOutcome::Continue(_) => 0,
        StepOutcome::Ended | StepOutcome::Completed(_) => step.replies.len(),
    };
    step.replies.insert(at, rules.help());
    step.hold = at..at + 1;
}

/// The concern that an answer raises, accepted or not. An answer longer than an account may be is not read.
fn concern_of(answer: &str) -> Option<Concern> {
    let said = text::clean(answer);
    (text::char_count(&said) <= fields::REPORT_MAX)
        .then(|| concern(&said))
        .flatten()
}

struct Turn<'a> {
    rules: &'a Rules,
    conversation: Conversation,
    answer: &'a str,
    /// The pending confirmation, if this answer is neither yes nor no.
    doubt: Option<(Doubt, String)>,
    /// Whether the answer gives cause for concern.
    grave: bool,
}

impl Turn<'_> {
    fn take(mut self) -> Step {
        if let Some(doubt) = self.conversation.doubt.take() {
            match self.resolve(doubt) {
                ControlFlow::Break(step) => return step,
                ControlFlow::Continue(open) => self = open,
            }
        }
        // An offered option is taken as such, whatever else its words may mean.
        if let Some(answer) = self.choice() {
            return self.keep_callout_answer(answer);
        }
        let state = self.conversation.state;
        // 'No' is an answer to a question of a callout.
        let leaves = state != ChatState::OwnQuestion && leaves(self.answer);
        if let Some(stood) = self.conversation.resume.filter(|_| leaves) {
            return self.leave(stood);
        }
        // A forbidden word counts before any meaning of the answer.
        if state.is_told()
            && let Some(word) = fields::first_of(self.answer, &self.rules.forbidden_words)
        {
            return self.block(word);
        }
        if state == ChatState::FinalQuestion {
            return self.finish();
        }
        let optional = !self.requires();
        if self.rules.script.callout.is_some() && optional && skips(self.answer) {
            return self.skip();
        }
        match datum(state) {
            Some(datum) if (state.is_contact() || optional) && declines(self.answer, optional) => {
                self.decline(datum)
            }
            datum => self.take_by_meaning(datum),
        }
    }

    /// Takes the reply to a pending confirmation. `Continue` if it is none: it is then an answer to the question itself.
    fn resolve(mut self, doubt: (Doubt, String)) -> ControlFlow<Step, Self> {
        let state = self.conversation.state;
        match (confirms(self.answer), &doubt.0) {
            (Some(true), Doubt::Answers(answers)) => {
                return ControlFlow::Break(self.confirm(answers));
            }
            (Some(true), Doubt::Slip(meant, _)) => {
                return ControlFlow::Break(self.confirm(&[(state, meant.clone())]));
            }
            (Some(false), Doubt::Slip(_, typed)) => {
                return ControlFlow::Break(self.confirm(&[(state, typed.clone())]));
            }
            (Some(true), Doubt::CalloutAnswers(answers)) if answers.len() == 1 => {
                return ControlFlow::Break(self.keep_callout_answer(answers[0].clone()));
            }
            (None, Doubt::CalloutAnswers(answers)) => {
                if let Some(answer) = self.offered(answers) {
                    return ControlFlow::Break(self.keep_callout_answer(answer));
                }
            }
            (Some(false), _) => return ControlFlow::Break(self.deny()),
            (_, Doubt::Help) => {
                if let Some(which) = which_help(self.answer) {
                    return ControlFlow::Break(self.give_help(which));
                }
            }
            _ => {}
        }
        // The question which help is meant is asked only once.
        self.doubt = Some(doubt).filter(|(doubt, _)| *doubt != Doubt::Help);
        self.answer = behind_a_no(self.answer).unwrap_or(self.answer);
        ControlFlow::Continue(self)
    }

    fn give_help(self, which: WhichHelp) -> Step {
        let rules = self.rules;
        match which {
            WhichHelp::Now => self.help(),
            WhichHelp::Chat => self.guide(&rules.phrases.guide.explain),
        }
    }

    /// Ends a correction without changing the answer: the conversation continues where it stood.
    fn leave(mut self, stood: ScriptPlace) -> Step {
        self.conversation.resume = None;
        let question = self.rules.prompt(stood);
        self.reply_at(Rule::Guided, stood, &[&question])
    }

    /// The answer, if it is one of the choices of the open question.
    fn choice(&self) -> Option<Answer> {
        let question = self.rules.script.question(self.conversation.place())?;
        let choices = question.kind.has_choices();
        choices.then(|| question.read(self.answer))?.ok()
    }

    /// The offered answer that the reporter typed, if any.
    fn offered(&self, answers: &[Answer]) -> Option<Answer> {
        let question = self.rules.script.question(self.conversation.place())?;
        let typed = text::fold(&text::clean_line(self.answer));
        let is_typed = |answer: &&Answer| {
            let kept = question.kept(answer.bare());
            kept.is_some_and(|kept| text::fold(&kept.text) == typed)
        };
        answers.iter().find(is_typed).cloned()
    }

    fn requires(&self) -> bool {
        self.rules.requires(self.conversation.place())
    }

    /// Leaves an optional question of a callout without an answer.
    fn skip(mut self) -> Step {
        let place = self.conversation.place();
        match (datum(place.state), place.state) {
            (Some(datum), _) => (datum.place)(&mut self.conversation.draft).clear(),
            (None, ChatState::InvestigativeQuestions) => {
                self.conversation.draft.segnalazione.clear();
            }
            _ => {
                self.conversation
                    .answers
                    .insert(place.question, Answer::Skipped);
            }
        }
        self.advance("")
    }

    fn take_by_meaning(mut self, datum: Option<&Datum>) -> Step {
        let (state, guide) = (self.conversation.state, &self.rules.phrases.guide);
        let meaning = meaning(self.answer, state);
        match (meaning, state) {
            // 'Aiuto' is also a surname: given a second time, it is taken as the name.
            (Some(Meaning::Question | Meaning::Help | Meaning::Anonymity), _)
                if state.is_name()
                    && self.conversation.refused > 0
                    && !self.answer.contains('?') =>
            {
                let said = text::clean_line(self.answer);
                self.accept_or_confirm(spoken::written_so(state, said))
            }
            // '34 anni, perché?'
            (Some(Meaning::Question), ChatState::AgeCheck) if self.tells_an_age() => {
                self.check_age()
            }
            (Some(Meaning::Help), _) if self.grave => self.help(),
            (Some(Meaning::Help), _) => self.ask_which_help(),
            (Some(Meaning::Anonymity), _) if !self.conversation.told_anonymity => {
                self.conversation.told_anonymity = true;
                self.guide(&guide.anonymous)
            }
            (Some(Meaning::Question | Meaning::Anonymity), _) => self.guide(&guide.explain),
            (Some(Meaning::Correction), ChatState::CollectReport) => self.guide(&guide.unsent),
            (Some(Meaning::Correction), _) => self.guide(&guide.correct),
            (_, ChatState::InvestigativeQuestions) => self.take_account(),
            (_, ChatState::CollectReport) => self.take_addition(meaning),
            (_, ChatState::OwnQuestion) => self.take_callout_answer(),
            _ if self.tells_early() || datum.is_some_and(|one| self.tells_more(one)) => {
                self.keep_for_account(datum)
            }
            _ if self.worries_at_free_text() => self.set_aside_worry(),
            _ => match datum {
                Some(datum) => self.read(datum),
                None => self.check_age(),
            },
        }
    }

    /// Whether a name or an address was answered with words that give cause for concern. Given a second time, they are taken as
    /// the datum.
    fn worries_at_free_text(&self) -> bool {
        let Conversation { state, refused, .. } = self.conversation;
        let said = text::clean(self.answer);
        let again = if self.awaits_account() {
            self.conversation.early.ends_with(&said)
        } else {
            refused > 0
        };
        self.grave && !again && (state.is_name() || state == ChatState::CollectAddress)
    }

    /// Keeps such words for the account if it is still to come, and asks the question again.
    fn set_aside_worry(mut self) -> Step {
        let place = self.conversation.place();
        let question = self.rules.prompt(place);
        if !self.awaits_account() {
            self.conversation.refused = self.conversation.refused.max(1);
            return self.reply_here(Rule::Guided, &question);
        }
        self.add_to_account();
        let said = [&*self.rules.phrases.guide.kept, &question];
        self.reply_at(Rule::Kept, place, &said)
    }

    /// Adds the answer to the account, or to what is kept for it until it is given.
    fn add_to_account(&mut self) {
        let kept = if self.awaits_account() {
            &mut self.conversation.early
        } else {
            &mut self.conversation.draft.segnalazione
        };
        if !kept.is_empty() {
            kept.push_str("\n\n");
        }
        kept.push_str(&text::clean(self.answer));
    }

    /// Asks which help is meant.
    fn ask_which_help(mut self) -> Step {
        if self.conversation.state.is_name() {
            self.conversation.refused = self.conversation.refused.max(1);
        }
        let question = self.rules.phrases.guide.which_help.clone();
        self.conversation.doubt = Some((Doubt::Help, question.clone()));
        self.reply_here(Rule::Asked, &question)
    }

    /// Says where to find help, and asks the question again.
    fn help(self) -> Step {
        let rules = self.rules;
        let step = self.guide(&rules.phrases.care.help);
        Step {
            hold: 0..1,
            helped: true,
            ..step
        }
    }

    /// The reporter rejects the reading: the question is asked again.
    fn deny(mut self) -> Step {
        self.conversation.refused = self.conversation.refused.max(1);
        let question = self.rules.prompt(self.conversation.place());
        self.reply_here(Rule::Guided, &question)
    }

    /// Whether the account is still to come.
    fn awaits_account(&self) -> bool {
        let position = |place| self.rules.script.position(place);
        self.conversation.draft.segnalazione.is_empty()
            && position(ChatState::InvestigativeQuestions.into())
                > position(self.conversation.place())
    }

    /// Whether the answer is the beginning of the account, which is still to come.
    fn tells_early(&self) -> bool {
        let answer = text::clean(self.answer);
        let state = self.conversation.state;
        self.awaits_account()
            && state != ChatState::CollectAddress
            && (!state.is_name() || spoken::is_story(&answer))
            && text::char_count(&answer) >= EARLY
            && self.fits_the_account(&answer)
            && text::word_count(&answer) >= EARLY_WORDS
    }

    /// Whether the answer holds several contacts although one was asked for. The account then keeps the whole answer.
    fn tells_more(&self, datum: &Datum) -> bool {
        matches!(
            datum.state,
            ChatState::CollectPhone | ChatState::CollectEmail
        ) && self.answer.len() <= SEARCHED_MAX
            && self.fits_the_account(self.answer)
            && (datum.parse)(self.rules, self.answer).is_err()
            && fields::contacts_in(self.answer) > 1
    }

    /// Whether the account has room for the answer beside what is kept already.
    fn fits_the_account(&self, answer: &str) -> bool {
        let Conversation { early, draft, .. } = &self.conversation;
        let kept = text::char_count(early) + text::char_count(&draft.segnalazione);
        kept + 2 + text::char_count(answer) <= fields::REPORT_MAX
    }

    /// Keeps the answer for the account. A datum read in it is asked back; without one the question is repeated.
    fn keep_for_account(mut self, datum: Option<&Datum>) -> Step {
        let place = self.conversation.place();
        self.add_to_account();
        let question = match self.datum_in_text(datum) {
            Some(DatumReading::Doubtful(doubt, question)) => {
                self.conversation.doubt = Some((doubt, question.clone()));
                question
            }
            _ => self.restore_question(),
        };
        let said = [&*self.rules.phrases.guide.kept, &question];
        self.reply_at(Rule::Kept, place, &said)
    }

    /// Restores the pending confirmation, if there is one. Returns its question, else the open one.
    fn restore_question(&mut self) -> String {
        self.conversation.doubt = self.doubt.take();
        match &self.conversation.doubt {
            Some((_, question)) => question.clone(),
            None => self.rules.prompt(self.conversation.place()).into_owned(),
        }
    }

    /// The age or datum that a longer answer holds.
    fn datum_in_text(&self, datum: Option<&Datum>) -> Option<DatumReading> {
        let conversation = &self.conversation;
        match datum {
            _ if self.answer.len() > SEARCHED_MAX => None,
            Some(datum) => spoken::datum_in_text(self.rules, datum, conversation, self.answer),
            None => {
                let age = fields::told_age(self.answer, conversation.begun);
                age.map(|age| spoken::ages_asked(&[age]))
            }
        }
    }

    /// Takes a datum, also out of a sentence. An uncertain reading is asked back first.
    fn read(self, datum: &Datum) -> Step {
        let (rules, conversation, state) =
            (self.rules, &self.conversation, self.conversation.state);
        let line = self.answer.len() <= SEARCHED_MAX && !self.answer.trim().contains('\n');
        let read = || spoken::read_datum(rules, datum, conversation, self.answer);
        let reading = if line { read() } else { None };
        let named = state.is_name();
        let as_typed = || spoken::written_so(state, text::clean_line(self.answer));
        // After a question back, 'sì sono io' is no name; words with a capital letter are.
        let after_doubt = self.doubt.is_some() && !self.answer.starts_with(char::is_uppercase);
        match reading.or_else(|| (named && after_doubt).then(as_typed)) {
            None => self.settle(),
            Some(reading) => self.accept_or_confirm(reading),
        }
    }

    /// Takes a certain reading, and asks back an uncertain one.
    fn accept_or_confirm(mut self, reading: DatumReading) -> Step {
        match reading {
            DatumReading::Plain(value) => {
                let state = self.conversation.state;
                self.confirm(&[(state, value)])
            }
            DatumReading::Doubtful(doubt, question) => {
                self.conversation.doubt = Some((doubt, question.clone()));
                self.reply_here(Rule::Asked, &question)
            }
        }
    }

    /// Takes `answers` as if they had been typed at their questions.
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
        self.conversation = self.conversation.at((*state).into());
        let step = Turn { answer, ..self }.settle();
        let taken = answers.iter().filter(|_| step.rule.leads_on());
        let line = |(state, text): &(ChatState, String)| SummaryLine {
            state: state.as_str().to_owned(),
            text: text.clone(),
            label: None,
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

    /// The reporter says that they have no such datum. If it is required, the question stays open.
    fn decline(mut self, datum: &Datum) -> Step {
        let sentences = (datum.question)(&self.rules.phrases);
        if self.requires() {
            self.conversation.refused = REFUSALS;
            return self.refuse(FieldError::Malformed, Rule::Invalid, &sentences.invalid);
        }
        (datum.place)(&mut self.conversation.draft).clear();
        let nothing = SummaryLine {
            state: datum.state.as_str().to_owned(),
            text: String::new(),
            label: None,
        };
        Step {
            understood: vec![nothing],
            ..self.advance(&sentences.next)
        }
    }

    fn tells_an_age(&self) -> bool {
        let read = fields::read_age(self.answer, self.conversation.begun);
        !matches!(read, AgeReading::Unclear | AgeReading::SomebodyElse)
    }

    /// Minors leave before any other question (`PRODUCT.md §2`).
    fn check_age(mut self) -> Step {
        let sentences = &self.rules.phrases.age_check;
        match fields::read_age(self.answer, self.conversation.begun) {
            AgeReading::Adult(age) => {
                self.conversation.draft.eta = age;
                // A callout does not ask for contacts next.
                let general = self.rules.script.callout.is_none();
                self.advance(if general { &sentences.valid } else { "" })
            }
            AgeReading::Minor => self.leave_as_a_minor(),
            AgeReading::Asked(ages) => self.accept_or_confirm(spoken::ages_asked(&ages)),
            AgeReading::Born(year, ages) => self.accept_or_confirm(spoken::born_asked(year, ages)),
            AgeReading::SomebodyElse => self.refuse(FieldError::Malformed, Rule::Invalid, OWN_AGE),
            AgeReading::Unclear => {
                self.refuse(FieldError::Malformed, Rule::Invalid, &sentences.invalid)
            }
        }
    }

    fn leave_as_a_minor(self) -> Step {
        let said = &self.rules.phrases;
        let words = [&said.age_check.under_age, &said.care.minor];
        let replies = words.map(|one| self.rules.say(one)).to_vec();
        Step {
            hold: 0..replies.len(),
            ..Step::new(replies, StepOutcome::Minor, Rule::Minor)
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
            // Do not tell someone in trouble how many characters are missing.
            Err(FieldError::Malformed) if self.grave => {
                let question = self.rules.prompt(self.conversation.place());
                self.reply_here(Rule::TooShort, &question)
            }
            Err(error) => self.refuse(error, Rule::TooShort, &sentences.too_short),
        }
    }

    fn take_callout_answer(mut self) -> Step {
        let Conversation { begun, refused, .. } = self.conversation;
        let Some(question) = self.rules.script.question(self.conversation.place()) else {
            return self.advance("");
        };
        match question.understand(self.answer, begun, refused) {
            Understood::Sure(answer) => self.keep_callout_answer(answer),
            Understood::Asked(answers, asked) => {
                let doubt =
                    (!answers.is_empty()).then(|| (Doubt::CalloutAnswers(answers), asked.clone()));
                self.conversation.doubt = doubt;
                self.reply_here(Rule::Asked, &asked)
            }
            Understood::Unknown(_) if !self.requires() => self.skip(),
            Understood::Unknown(sentence) | Understood::Refused(sentence) => {
                self.conversation.refused = refused.saturating_add(1);
                self.reply_here(Rule::Invalid, &sentence)
            }
        }
    }

    fn keep_callout_answer(mut self, answer: Answer) -> Step {
        let place = self.conversation.place();
        self.conversation.answers.insert(place.question, answer);
        match self.rules.script.ending(place, &self.conversation.answers) {
            Some(words) => {
                let farewell = vec![self.rules.say(words)];
                Step::new(farewell, StepOutcome::Ended, Rule::Ended)
            }
            None => self.advance(""),
        }
    }

    /// Takes the reporter's addition, which goes under [`ADDITION_HEADING`], or their word that there is none.
    fn take_addition(mut self, meaning: Option<Meaning>) -> Step {
        let sentences = &self.rules.phrases.collect_report;
        match meaning {
            Some(Meaning::Nothing) => return self.finish(),
            Some(Meaning::Yes) => return self.reply_here(Rule::Guided, &sentences.more),
            _ => {}
        }
        match fields::parse_addition(self.answer) {
            Ok(addition) => {
                let account = &mut self.conversation.draft.segnalazione;
                if !account.is_empty() {
                    account.push_str("\n\n");
                }
                account.push_str(ADDITION_HEADING);
                account.push('\n');
                account.push_str(&addition);
                self.finish()
            }
            Err(error) => self.refuse(error, Rule::Invalid, &sentences.prompt),
        }
    }

    /// Completes the report. [`step`] has checked that nothing is missing.
    fn finish(self) -> Step {
        let farewell = self.rules.say(&self.rules.phrases.collect_report.closing);
        let answers = self.rules.script.kept(&self.conversation.answers);
        let outcome = StepOutcome::Completed(self.conversation.draft);
        Step {
            callout: answers,
            ..Step::new(vec![farewell], outcome, Rule::Completed)
        }
    }

    /// Where the conversation continues after a correction: at the first question on the new path that was never asked; else
    /// where it stood, or at the question after it if the correction has answered that one too.
    fn after(&self, stood: ScriptPlace) -> ScriptPlace {
        let Conversation { draft, answers, .. } = &self.conversation;
        let script = &self.rules.script;
        let open = |place: &ScriptPlace| match script.position(*place).cmp(&script.position(stood))
        {
            Ordering::Less => {
                place.state == ChatState::OwnQuestion && !answers.contains_key(&place.question)
            }
            Ordering::Equal => {
                datum(stood.state).is_none_or(|one| text::is_blank((one.read)(draft)))
            }
            // The corrected answer may lead past where it stood.
            Ordering::Greater => true,
        };
        script.path(answers).find(open).unwrap_or(stood)
    }

    /// Continues with the next question, or after a correction where it stood.
    fn advance(mut self, acknowledgement: &str) -> Step {
        self.conversation.refused = 0;
        let (rule, next, said) = match self.conversation.resume.take() {
            Some(stood) => {
                let next = self.after(stood);
                let position = |place| self.rules.script.position(place);
                // Questions that were never asked come first; then the conversation continues where it was.
                self.conversation.resume = (position(next) < position(stood)).then_some(stood);
                (Rule::Corrected, next, &*self.rules.phrases.guide.corrected)
            }
            None => (
                Rule::Answered,
                self.rules
                    .script
                    .after(self.conversation.place(), &self.conversation.answers),
                acknowledgement,
            ),
        };
        let question = self.rules.prompt(next);
        let said = [said, &question].into_iter().filter(|one| !one.is_empty());
        self.reply_at(rule, next, &said.collect::<Vec<_>>())
    }

    fn guide(mut self, words: &str) -> Step {
        if self.conversation.state.is_name() {
            self.conversation.refused = self.conversation.refused.max(1);
        }
        let place = self.conversation.place();
        let question = self.restore_question();
        self.reply_at(Rule::Guided, place, &[words, &question])
    }

    fn block(self, word: &str) -> Step {
        let said = &self.rules.phrases;
        let sentence = match self.conversation.state {
            ChatState::InvestigativeQuestions => &said.investigative_questions.forbidden,
            _ => &said.collect_report.forbidden,
        };
        Step {
            reason: Some(reasons::about_a_word(word)),
            ..self.reply_here(Rule::Forbidden, sentence)
        }
    }

    /// Refuses an answer with the sentence of its section. An answer that is too long has a sentence of its own. While a
    /// confirmation is pending, its question is asked again instead.
    fn refuse(mut self, error: FieldError, malformed: Rule, sentence: &str) -> Step {
        match error {
            FieldError::Malformed if self.doubt.is_some() => {
                let question = self.restore_question();
                self.reply_here(Rule::Asked, &question)
            }
            FieldError::Malformed => {
                let state = self.conversation.state;
                let refused = self.conversation.refused.saturating_add(1);
                self.conversation.refused = refused;
                // Two refusals of an age in a row use different sentences.
                let reworded = state == ChatState::AgeCheck && refused.is_multiple_of(2);
                let question = self.rules.prompt(state.into());
                let sentence = if reworded { &question } else { sentence };
                let unable = || self.rules.say(&self.rules.phrases.guide.unable);
                let offered = state.is_contact() && refused >= REFUSALS
                    || reasons::is_foreign(self.rules, state, self.answer);
                Step {
                    reason: reasons::reason(self.rules, state, self.answer, refused),
                    unable: offered.then(unable).filter(|said| !said.is_empty()),
                    ..self.reply_here(malformed, sentence)
                }
            }
            FieldError::TooLong(message) => self.reply_here(Rule::TooLong, &message),
        }
    }

    fn reply_here(self, rule: Rule, phrase: &str) -> Step {
        let place = self.conversation.place();
        self.reply_at(rule, place, &[phrase])
    }

    fn reply_at(self, rule: Rule, place: ScriptPlace, phrases: &[&str]) -> Step {
        let replies = phrases.iter().map(|one| self.rules.say(one)).collect();
        let conversation = self.conversation.at(place);
        Step::new(replies, StepOutcome::Continue(conversation), rule)
    }
}

#[cfg(test)]
#[path = "engine_tests.rs"]
mod tests;
