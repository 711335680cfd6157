//! The passage of an account that holds what it shares with others, with the words to mark in it.

use std::collections::BTreeSet;

use super::account::{Anchor, ReadAccount};
use crate::domain::text::{char_count, excerpt, lower};

/// Characters before the first shared word, at most.
const LEAD: usize = 40;
/// Letters of a word that is marked: a shorter one stands inside of others.
const LETTERS: usize = 4;

/// A passage on one line.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Passage {
    /// With '…' where it was cut.
    pub text: String,
    /// The shared words in it, as the account writes them, with spaces between: what a search for them would mark.
    pub marks: String,
}

/// The passage of so many characters with the heaviest of what is shared, by its keys; the beginning of an account that shares
/// nothing. `None` where the account has no words.
pub fn passage(
    account: &ReadAccount,
    shared: &BTreeSet<u64>,
    characters: usize,
) -> Option<Passage> {
    let text = &*account.text;
    let found = account.anchors.iter();
    let found = found.filter(|one| one.weight > 0.0 && shared.contains(&one.key));
    let found: Vec<&Anchor> = found.collect();
    let mut begins: Vec<_> = found.iter().map(|one| begin(text, one.at.start)).collect();
    begins.extend(text.find(|one: char| !one.is_whitespace()));
    begins.sort_unstable();
    let within = |from: usize| {
        let end = text[from..].char_indices().nth(characters);
        let end = end.map_or(text.len(), |(end, _)| from + end);
        let is_in = move |one: &&&Anchor| one.at.start >= from && one.at.end <= end;
        found.iter().filter(is_in)
    };
    let weight = |from: usize| within(from).map(|one| one.weight).sum::<f64>();
    let best = begins.iter().copied().rev();
    let from = best.max_by(|one, other| weight(*one).total_cmp(&weight(*other)))?;
    let cut = if from > begins[0] { "…" } else { "" };
    let mut places: Vec<_> = within(from).map(|one| one.at.clone()).collect();
    places.sort_by_key(|at| at.start);
    Some(Passage {
        text: format!("{cut}{}", excerpt(&text[from..], characters)),
        marks: marks(places.into_iter().map(|at| &text[at])),
    })
}

/// Where a passage begins that leads to this place: at a word of its sentence.
fn begin(text: &str, at: usize) -> usize {
    let lead = text[..at].char_indices().rev().take(LEAD);
    let lead = lead.take_while(|(_, one)| !".!?\n".contains(*one));
    let from = lead.last().map_or(at, |(from, _)| from);
    let before = text[..from].chars().next_back();
    let is_begun = before.is_none_or(|one| one.is_whitespace() || ".!?\n".contains(one));
    let lead = &text[from..at];
    let skipped = match lead.find(char::is_whitespace) {
        Some(end) if !is_begun => end,
        _ => 0,
    };
    let rest = lead[skipped..].trim_start();
    at - rest.len()
}

/// The words of these places, each once.
fn marks<'t>(places: impl Iterator<Item = &'t str>) -> String {
    let (mut known, mut marks) = (BTreeSet::new(), Vec::new());
    for place in places {
        let longest = place.split_whitespace().map(char_count).max();
        let least = LETTERS.min(longest.unwrap_or_default());
        for word in place
            .split_whitespace()
            .filter(|one| char_count(one) >= least)
        {
            if known.insert(lower(word)) {
                marks.push(word);
            }
        }
    }
    marks.join(" ")
}
