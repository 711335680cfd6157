//! Rules of Italian grammar for short grave sentences (`models/care/grammar.txt`): who does what to whom, in which mood, and which
//! complement makes it a figure of speech. Short texts have too little wording for a trained model. It must never hold a phrase
//! in code.
//!
//! Rules are tried in three rounds over the words of a text. What a rule of an earlier round took, no later one reads: `!` rules
//! are grave whatever follows, `none` rules take the words of what is harmless, the others see what is left. A rule never
//! reaches beyond its sentence.

mod dictionary;
mod sentence;

use std::ops::Range;

use dictionary::{Dictionary, Entry};
use sentence::Sentence;

use super::Concern;
use crate::domain::classify::TokenizedText;

/// The class of words that begin another clause without a sign before them.
const JOINT: &str = "<joint>";

/// The rules, ready to be tried.
pub struct Grammar {
    dictionary: Dictionary,
    rounds: [RuleSet; 3],
    joint: usize,
}

/// Rules that are tried together.
#[derive(Default)]
struct RuleSet {
    /// The sets of words that first steps want.
    first: Entry,
    /// By the number of that set.
    rules: Vec<Vec<GrammarRule>>,
}

struct GrammarRule {
    /// `None` for what is harmless.
    concern: Option<Concern>,
    opens_clause: bool,
    steps: Vec<RuleStep>,
}

/// The concern of a rule that fits, and the numbers of the words that it takes.
type FittedRule = (Option<Concern>, Range<usize>);

/// The next step of a rule; sets of words are numbered.
#[derive(Clone, Copy)]
enum RuleStep {
    One(usize),
    Optional(usize),
    /// One of these, or the end of the clause.
    OneOrEnd(usize),
    /// Any words, up to this number.
    Gap(usize),
    /// Not one of these; takes nothing.
    Not(usize),
    ClauseEnd,
}

/// The verdict of the rules on a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Grave(Concern),
    /// All that could have been grave is a figure of speech.
    Harmless,
    Unknown,
}

impl Grammar {
    pub fn bundled() -> Option<Self> {
        Self::read(include_str!("../../../../models/care/grammar.txt"))
    }

    /// `None` for lines that are neither a class nor a rule, and for unknown classes.
    fn read(lines: &str) -> Option<Self> {
        let lines = lines.lines().map(str::trim);
        let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
        let (classes, rules): (Vec<&str>, Vec<&str>) =
            lines.partition(|line| line.starts_with('<'));
        let mut dictionary = Dictionary::of_classes(&classes)?;
        let joint = dictionary.set(JOINT)?;
        let mut rounds = <[RuleSet; 3]>::default();
        for line in rules {
            let (kind, rule) = line.split_once(": ")?;
            let (round, concern) = kind_of(kind)?;
            let (first, rule) = GrammarRule::read(concern, rule, &mut dictionary)?;
            rounds.get_mut(round)?.add(first, rule);
        }
        dictionary.close();
        Some(Self {
            dictionary,
            rounds,
            joint,
        })
    }

    /// The gravest that a rule finds in any sentence.
    pub fn judge(&self, reading: &TokenizedText<'_>) -> Verdict {
        let fitted = self.fitted(reading);
        match fitted.iter().filter_map(|(concern, _)| *concern).min() {
            Some(concern) => Verdict::Grave(concern),
            None if !fitted.is_empty() => Verdict::Harmless,
            None => Verdict::Unknown,
        }
    }

    /// The words by which rules find a concern, by their numbers.
    pub fn places(&self, reading: &TokenizedText<'_>, concern: Concern) -> Vec<Range<usize>> {
        let fitted = self.fitted(reading).into_iter();
        let of = fitted.filter(|(found, _)| *found == Some(concern));
        of.map(|(_, words)| words).collect()
    }

    /// What each rule that fits finds, and the words that it takes.
    fn fitted(&self, reading: &TokenizedText<'_>) -> Vec<FittedRule> {
        let mut sentence = Sentence::new(reading, &self.dictionary);
        let mut fitted = Vec::new();
        for round in &self.rounds {
            self.try_round(round, &mut sentence, &mut fitted);
        }
        fitted
    }

    /// Takes the words of each rule that fits.
    fn try_round(&self, round: &RuleSet, words: &mut Sentence<'_>, fitted: &mut Vec<FittedRule>) {
        for at in 0..words.len() {
            let Some(entry) = words.entry(at) else {
                continue;
            };
            let rules = entry
                .shared(&round.first)
                .filter_map(|set| round.rules.get(set))
                .flatten();
            for rule in rules {
                if rule.opens_clause && !words.begins_clause(at) {
                    continue;
                }
                if let Some(end) = rule.end(&rule.steps, words, at, self.joint) {
                    words.take(at..end);
                    fitted.push((rule.concern, at..end));
                    break;
                }
            }
        }
    }
}

impl RuleSet {
    fn add(&mut self, first: usize, rule: GrammarRule) {
        self.first.add(first);
        if self.rules.len() <= first {
            self.rules.resize_with(first + 1, Vec::new);
        }
        self.rules[first].push(rule);
    }
}

/// The round and the concern of a rule.
fn kind_of(kind: &str) -> Option<(usize, Option<Concern>)> {
    let (kind, round) = kind.strip_suffix('!').map_or((kind, 2), |kind| (kind, 0));
    match kind {
        "none" => Some((1, None)),
        "self" => Some((round, Some(Concern::SelfHarm))),
        "threat" => Some((round, Some(Concern::Threat))),
        "danger" => Some((round, Some(Concern::Danger))),
        _ => None,
    }
}

impl GrammarRule {
    /// The set of its first step, and the rule.
    fn read(concern: Option<Concern>, rule: &str, words: &mut Dictionary) -> Option<(usize, Self)> {
        let (opens_clause, rule) = match rule.strip_prefix("^ ") {
            Some(rule) => (true, rule),
            None => (false, rule),
        };
        let steps = rule.split(' ').map(|step| RuleStep::read(step, words));
        let steps: Vec<RuleStep> = steps.collect::<Option<_>>()?;
        let RuleStep::One(first) = *steps.first()? else {
            return None;
        };
        Some((
            first,
            Self {
                concern,
                opens_clause,
                steps,
            },
        ))
    }

    /// Where the words end that `steps` fit from `at` on.
    fn end(
        &self,
        steps: &[RuleStep],
        words: &Sentence<'_>,
        at: usize,
        joint: usize,
    ) -> Option<usize> {
        let Some((step, rest)) = steps.split_first() else {
            return Some(at);
        };
        let inside = steps.len() < self.steps.len();
        let is =
            |set| words.is_free(at, inside) && words.entry(at).is_some_and(|one| one.is_in(set));
        let behind = |at| self.end(rest, words, at, joint);
        match *step {
            RuleStep::One(set) => is(set).then(|| behind(at + 1))?,
            RuleStep::OneOrEnd(set) => {
                let with = is(set).then(|| behind(at + 1)).flatten();
                with.or_else(|| words.ends_clause(at, joint).then(|| behind(at)).flatten())
            }
            RuleStep::Optional(set) => {
                let with = is(set).then(|| behind(at + 1)).flatten();
                with.or_else(|| behind(at))
            }
            RuleStep::Not(set) => {
                let other = words.ends(at) || words.entry(at).is_none_or(|one| !one.is_in(set));
                other.then(|| behind(at))?
            }
            RuleStep::Gap(most) => {
                let mut reach = (0..=most).take_while(|gap| *gap == 0 || !words.ends(at + gap - 1));
                reach.find_map(|gap| behind(at + gap))
            }
            RuleStep::ClauseEnd => words.ends_clause(at, joint).then(|| behind(at))?,
        }
    }
}

impl RuleStep {
    fn read(step: &str, words: &mut Dictionary) -> Option<Self> {
        if step == "$" {
            return Some(Self::ClauseEnd);
        }
        if let Some(most) = step.strip_prefix('~') {
            return most.parse().ok().map(Self::Gap);
        }
        if let Some(step) = step.strip_suffix("|$") {
            return Some(Self::OneOrEnd(words.set(step)?));
        }
        Some(match (step.strip_prefix('?'), step.strip_prefix('!')) {
            (Some(step), _) => Self::Optional(words.set(step)?),
            (_, Some(step)) => Self::Not(words.set(step)?),
            _ => Self::One(words.set(step)?),
        })
    }
}
