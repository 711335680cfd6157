//! The words of a text as rules read them: what each is in the dictionary, where clauses and sentences end, and what a rule has
//! taken already.

use std::ops::Range;

use super::dictionary::{Dictionary, Entry};
use crate::domain::classify::TokenizedText;

pub(super) struct Sentence<'d> {
    words: Vec<Read<'d>>,
}

struct Read<'d> {
    entry: Option<&'d Entry>,
    /// The border before it.
    before: Border,
    taken: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Border {
    None,
    Clause,
    Sentence,
}

impl<'d> Sentence<'d> {
    pub fn new(reading: &TokenizedText<'_>, dictionary: &'d Dictionary) -> Self {
        let mut ended = 0;
        let mut capital = true;
        let words = reading.words.iter().map(|word| {
            let raw = reading.raw();
            let between = &raw[ended..word.at.start];
            let begins = raw[word.at.clone()].starts_with(char::is_uppercase);
            let mut before = border(between);
            // People who dictate begin a sentence without a full stop.
            if begins && !capital {
                before = before.max(Border::Clause);
            }
            (ended, capital) = (word.at.end, begins);
            Read {
                entry: dictionary.entry(reading.letters(word)),
                before,
                taken: false,
            }
        });
        Self {
            words: words.collect(),
        }
    }

    pub fn len(&self) -> usize {
        self.words.len()
    }

    pub fn entry(&self, at: usize) -> Option<&'d Entry> {
        self.words.get(at)?.entry
    }

    /// Whether a rule may take the word; `inside` it also has to be of the same sentence as the one before.
    pub fn is_free(&self, at: usize, inside: bool) -> bool {
        let same = |word: &Read<'_>| !inside || word.before < Border::Sentence;
        self.words
            .get(at)
            .is_some_and(|word| !word.taken && same(word))
    }

    /// Whether no word of the sentence is there.
    pub fn ends(&self, at: usize) -> bool {
        let other = |word: &Read<'_>| word.before == Border::Sentence;
        self.words.get(at).is_none_or(other)
    }

    pub fn begins_clause(&self, at: usize) -> bool {
        at == 0
            || self
                .words
                .get(at)
                .is_none_or(|word| word.before > Border::None)
    }

    pub fn ends_clause(&self, at: usize, joint: usize) -> bool {
        self.begins_clause(at) || self.entry(at).is_some_and(|entry| entry.is_in(joint))
    }

    pub fn take(&mut self, range: Range<usize>) {
        for word in &mut self.words[range] {
            word.taken = true;
        }
    }
}

fn border(between: &str) -> Border {
    let strongest = |sign| match sign {
        '.' | '!' | '?' | ';' | '\n' | '…' => Border::Sentence,
        ',' | ':' | '(' | ')' | '-' | '–' | '"' | '«' | '»' | '/' => Border::Clause,
        _ => Border::None,
    };
    between.chars().map(strongest).max().unwrap_or(Border::None)
}
