//! A clean copy: what an account shows once the places that name somebody are covered (`PRODUCT.md §19`). It proposes such
//! places and covers those that were taken. All places are in characters (Unicode scalar values) of the account.

#[cfg(test)]
mod measured;
mod names;
mod own;
mod plain;
mod rules;
#[cfg(test)]
mod tests;
mod words;

use std::ops::Range;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::declare::names;
use super::report::Report;
use plain::Plain;
use words::words_of;

/// What stands in place of what is covered: of one length, which does not tell how much was there.
pub const BAR: &str = "█████";

names! {
    /// Why a place names somebody.
    pub enum Naming {
        /// The reporter's own name.
        OwnName = "nome di chi ha segnalato",
        /// A name of another person.
        Name = "nome",
        /// A telephone number.
        Phone = "telefono",
        /// An e-mail address, or a name on a social network.
        Email = "email",
        /// An Italian tax code or VAT number.
        TaxCode = "codice fiscale",
        /// The number of an account or a card.
        Iban = "IBAN",
        /// The plate of a vehicle.
        Plate = "targa",
        /// A street with its number.
        Address = "indirizzo",
        /// The number of a document, a file or a badge.
        Document = "documento",
        /// A date of birth.
        Birth = "data di nascita",
    }
}

/// A place that is covered, from `start` up to and without `end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
pub struct Span {
    /// First character.
    pub start: usize,
    /// The character behind the last one.
    pub end: usize,
}

/// A place that names somebody, for a person to take or leave.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, ToSchema)]
pub struct Proposal {
    /// First character.
    pub start: usize,
    /// The character behind the last one.
    pub end: usize,
    /// What names somebody there.
    pub why: Naming,
    /// Where the account says who that is ('mia moglie').
    pub beside: Option<Span>,
}

/// A place as the rules find it, in bytes.
struct Found {
    at: Range<usize>,
    why: Naming,
    beside: Option<Range<usize>>,
}

impl Found {
    const fn of(at: Range<usize>, why: Naming) -> Self {
        Self {
            at,
            why,
            beside: None,
        }
    }

    /// Takes in a place that begins within this one.
    fn widen(&mut self, other: &mut Self) {
        self.at.end = self.at.end.max(other.at.end);
        self.beside = self.beside.take().or_else(|| other.beside.take());
        if (self.why, other.why) == (Naming::Name, Naming::OwnName) {
            self.why = Naming::OwnName;
        }
    }
}

/// The places of an account that name somebody, in their order and without overlap.
pub fn proposals(report: &Report) -> Vec<Proposal> {
    let plain = Plain::of(&report.segnalazione);
    let words = words_of(&plain.text);
    let mut found = rules::found(&plain.text);
    found.extend(names::found(&words));
    found.extend(own::found(&plain.text, &words, report));
    found.sort_by_key(|one| (one.at.start, usize::MAX - one.at.end));
    found.dedup_by(|later, kept| {
        let overlaps = later.at.start < kept.at.end;
        if overlaps {
            kept.widen(later);
        }
        overlaps
    });
    let proposal = |Found { at, why, beside }| {
        let Span { start, end } = plain.span(&at);
        let beside = beside.map(|beside| plain.span(&beside));
        Proposal {
            start,
            end,
            why,
            beside,
        }
    };
    found.into_iter().map(proposal).collect()
}

/// The text with a bar for each place. Places between which only blanks stand are one, so that bars do not count words; places
/// beyond the text cover nothing.
pub fn covered(text: &str, spans: &[Span]) -> String {
    let mut spans = spans.to_vec();
    spans.sort_unstable();
    let mut next = spans.into_iter().peekable();
    let (mut shown, mut blanks) = (String::with_capacity(text.len()), String::new());
    let (mut until, mut after_bar) = (0, false);
    for (at, character) in text.chars().enumerate() {
        while let Some(span) = next.next_if(|span| span.start <= at) {
            until = until.max(span.end);
        }
        if at < until {
            if !after_bar {
                shown.push_str(&blanks);
                shown.push_str(BAR);
            }
            blanks.clear();
            after_bar = true;
        } else if after_bar && matches!(character, ' ' | '\u{A0}') {
            blanks.push(character);
        } else {
            shown.push_str(&std::mem::take(&mut blanks));
            shown.push(character);
            after_bar = false;
        }
    }
    shown
}
