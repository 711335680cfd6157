//! Groups of phrases that speak for or against a concern (`data/care/signals.json`), and what two of them mean together:
//! a means beside a farewell, a death in the past tense, a quarrel in a film. It must never hold a phrase in code.
//!
//! A phrase is words as `classify::ngrams::letters` makes them; a word that ends with `*` stands for all that begin so.

use std::collections::{BTreeMap, HashMap};

use serde::Deserialize;

use crate::domain::classify::Features;
use crate::domain::classify::ngrams::{Ngrams, letters};

/// The n-grams that are counted beside the groups.
const NGRAMS: Ngrams = Ngrams {
    shortest: 3,
    longest: 5,
    buckets: 1 << 12,
};
/// What a signal weighs beside all n-grams of the text together, whose length is 1.
const SIGNAL: f64 = 0.2;

/// Words written as on a telephone, and what they stand for.
const SHORTHAND: [(&str, &str); 5] = [
    ("nn", "non"),
    ("nun", "non"),
    ("ke", "che"),
    ("xke", "perche"),
    ("x", "per"),
];

/// More hits of a group than these say nothing more.
const MOST_HITS: u8 = 4;
/// Texts with fewer words than the first, or more than the second figure, are marked as such.
const SHORT_AND_LONG: (usize, usize) = (25, 70);

/// The file, by names.
#[derive(Deserialize)]
#[cfg_attr(test, derive(serde::Serialize))]
struct Bundled {
    groups: BTreeMap<String, Vec<String>>,
    /// Groups whose meeting in one text counts by itself.
    pairs: Vec<(String, String)>,
    /// Groups of which at least one must be found: without, a text is none of ours, however odd it is. Those behind the first
    /// nine hold what any report may say, so that they weigh little alone.
    grave: Vec<String>,
}

/// What is measured of a text: the groups, ready to be looked for.
pub struct Measure {
    groups: usize,
    phrases: Phrases,
    /// Numbers of groups, as is `grave`.
    pairs: Vec<(usize, usize)>,
    grave: Vec<usize>,
}

/// Phrases of all groups, each with the number of its group, by the first two letters with which they begin.
#[derive(Default)]
struct Phrases(HashMap<String, Vec<(usize, Vec<String>)>>);

impl Measure {
    /// With the groups of the repository.
    pub fn bundled() -> Option<Self> {
        Self::read(include_str!("../../../data/care/signals.json"))
    }

    /// Reads the groups from their JSON; `None` when it is none, or lacks a group that a pair names.
    fn read(json: &str) -> Option<Self> {
        let Bundled {
            groups,
            pairs,
            grave,
        } = serde_json::from_str(json).ok()?;
        let number = |name: &String| groups.keys().position(|key| key == name);
        let pairs = pairs.iter();
        Some(Self {
            groups: groups.len(),
            phrases: Phrases::new(groups.values()),
            pairs: pairs
                .map(|(one, other)| Some((number(one)?, number(other)?)))
                .collect::<Option<_>>()?,
            grave: grave.iter().map(number).collect::<Option<_>>()?,
        })
    }

    pub fn dimensions(&self) -> usize {
        NGRAMS.buckets as usize + self.groups + self.pairs.len() + 2
    }

    /// The features of a text: its n-grams, and behind them its signals; and whether any of these is grave.
    pub fn features(&self, text: &str) -> (Features, bool) {
        let letters = letters(text);
        let mut features = NGRAMS.features(&letters);
        let signals = self.measure(&letters);
        for (dimension, signal) in (NGRAMS.buckets..).zip(&signals) {
            features.push(dimension, signal * SIGNAL);
        }
        (features, self.is_grave(&signals))
    }

    fn is_grave(&self, signals: &[f64]) -> bool {
        self.grave.iter().any(|group| signals[*group] > 0.0)
    }

    /// What is found in the words of a text: hits by group (damped), pairs that meet, whether it is short or long.
    fn measure(&self, letters: &str) -> Vec<f64> {
        let words: Vec<&str> = letters.split_whitespace().map(spelled_out).collect();
        let hits = self.phrases.hits(self.groups, &words);
        let meets = |(one, other): &(usize, usize)| hits[*one] > 0 && hits[*other] > 0;
        let (short, long) = SHORT_AND_LONG;
        let marks = self.pairs.iter().map(meets);
        let marks = marks.chain([words.len() < short, words.len() > long]);
        hits.iter()
            .map(|count| f64::from((*count).min(MOST_HITS)).sqrt())
            .chain(marks.map(|holds| if holds { 1.0 } else { 0.0 }))
            .collect()
    }
}

impl Phrases {
    fn new<'p>(groups: impl IntoIterator<Item = &'p Vec<String>>) -> Self {
        let mut all = Self::default();
        for (group, phrases) in groups.into_iter().enumerate() {
            for phrase in phrases {
                let words: Vec<String> = phrase.split(' ').map(str::to_owned).collect();
                if let Some(first) = words.first() {
                    let same = all.0.entry(key(first).to_owned()).or_default();
                    same.push((group, words));
                }
            }
        }
        // The longest first: at each place it counts.
        for same in all.0.values_mut() {
            same.sort_by_key(|(group, words)| (*group, std::cmp::Reverse(words.len())));
        }
        all
    }

    /// By group, the number of its phrases found, the longest at each place, none overlapping another of its group.
    fn hits(&self, groups: usize, words: &[&str]) -> Vec<u8> {
        let mut hits = vec![0_u8; groups];
        // Where the last phrase of each group ended.
        let mut free = vec![0; groups];
        for (at, first) in words.iter().enumerate() {
            let rest = &words[at..];
            for (group, phrase) in self.0.get(key(first)).into_iter().flatten() {
                if at >= free[*group] && begins_with(rest, phrase) {
                    hits[*group] = hits[*group].saturating_add(1);
                    free[*group] = at + phrase.len();
                }
            }
        }
        hits
    }
}

fn begins_with(words: &[&str], phrase: &[String]) -> bool {
    phrase.len() <= words.len()
        && phrase
            .iter()
            .zip(words)
            .all(|(wanted, word)| match wanted.strip_suffix('*') {
                Some(beginning) => word.starts_with(beginning),
                None => word == wanted,
            })
}

/// The first two letters of a word.
fn key(word: &str) -> &str {
    let end = word.char_indices().nth(2).map_or(word.len(), |(at, _)| at);
    &word[..end]
}

fn spelled_out(word: &str) -> &str {
    SHORTHAND
        .iter()
        .find(|(short, _)| *short == word)
        .map_or(word, |(_, long)| *long)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(phrases: &[&str]) -> Phrases {
        let phrases: Vec<String> = phrases.iter().map(|one| (*one).to_owned()).collect();
        Phrases::new([&phrases])
    }

    fn hits(group: &Phrases, text: &str) -> u8 {
        let folded = letters(text);
        let words: Vec<&str> = folded.split_whitespace().map(spelled_out).collect();
        group.hits(1, &words)[0]
    }

    #[test]
    fn phrases_are_words_and_beginnings_of_words() {
        let group = group(&["non ce la faccio", "stanc*", "a peso", "perche"]);
        assert_eq!(hits(&group, "NN CE LA FACCIO, sono stanchissima!"), 2);
        assert_eq!(hits(&group, "Perché? xke a peso"), 3);
        assert_eq!(hits(&group, "la stanza, non ce la"), 0);
        assert_eq!(hits(&group, ""), 0);
    }

    #[test]
    fn the_longest_phrase_takes_its_words() {
        let group = group(&["la faccio", "la faccio finita", "finita"]);
        assert_eq!(hits(&group, "stasera la faccio finita"), 1);
        assert_eq!(hits(&group, "la faccio la faccio finita finita"), 3);
    }

    #[test]
    fn groups_that_meet_are_marked() {
        let mut named = Bundled {
            groups: [("will", "mi ammazzo"), ("soon", "stasera")]
                .map(|(name, phrase)| (name.to_owned(), vec![phrase.to_owned()]))
                .into(),
            pairs: vec![("will".to_owned(), "soon".to_owned())],
            grave: vec!["will".to_owned()],
        };
        let signals = Measure::read(&serde_json::to_string(&named).unwrap()).unwrap();
        let ones = |text: &str| {
            signals
                .measure(text)
                .iter()
                .filter(|one| **one > 0.0)
                .count()
        };
        assert_eq!(ones("mi ammazzo"), 2, "the group, and that it is short");
        assert_eq!(
            ones("stasera mi ammazzo"),
            4,
            "two groups, their pair, short"
        );
        assert_eq!(
            NGRAMS.buckets as usize + signals.measure("").len(),
            signals.dimensions()
        );
        assert!(signals.is_grave(&signals.measure("mi ammazzo")));
        assert!(!signals.is_grave(&signals.measure("stasera")));
        named.groups.remove("soon");
        assert!(Measure::read(&serde_json::to_string(&named).unwrap()).is_none());
        assert!(Measure::read("[]").is_none());
    }
}
