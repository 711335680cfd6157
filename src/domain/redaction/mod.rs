//! A clean copy: what an account shows once the places that name somebody are covered (`PRODUCT.md §19`). It proposes such
//! places and covers those that were taken. All places are in characters (Unicode scalar values) of the account.

mod names;
mod rules;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::declare::names;
use super::report::Report;

/// What stands in place of what is covered: of one length, which does not tell how much was there.
pub const BAR: &str = "█████";

names! {
    /// Why a place names somebody.
    pub enum Naming {
        /// A name of the reporter or of a person near to them.
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
}

/// The places of an account that name somebody, in their order and without overlap.
pub fn proposals(report: &Report) -> Vec<Proposal> {
    let text = &*report.segnalazione;
    let mut found: Vec<_> = rules::found(text)
        .chain(names::found(text, report))
        .collect();
    found.sort_by_key(|(at, _)| (at.start, usize::MAX - at.end));
    found.dedup_by(|(later, _), (kept, _)| {
        let overlaps = later.start < kept.end;
        if overlaps {
            kept.end = kept.end.max(later.end);
        }
        overlaps
    });
    let mut places = Places::of(text);
    let proposal = |(at, why): (std::ops::Range<usize>, _)| Proposal {
        start: places.of_byte(at.start),
        end: places.of_byte(at.end),
        why,
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

/// Characters before a byte of a text, asked in ascending order.
struct Places<'t> {
    text: &'t str,
    byte: usize,
    character: usize,
}

impl<'t> Places<'t> {
    const fn of(text: &'t str) -> Self {
        Self {
            text,
            byte: 0,
            character: 0,
        }
    }

    fn of_byte(&mut self, byte: usize) -> usize {
        let between = self.text.get(self.byte..byte).unwrap_or_default();
        self.character += between.chars().count();
        self.byte = self.byte.max(byte);
        self.character
    }
}
