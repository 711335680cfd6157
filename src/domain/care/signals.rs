//! Groups of phrases that speak for or against a concern (`models/care/signals.json`), and what two of them mean together:
//! a means beside a farewell, a death in the past tense, a quarrel in a film. It must never hold a phrase in code.
//!
//! A phrase is words as `TokenizedText::letters` gives them; a word that ends with `*` stands for all that begin so. Where it is
//! the first, three letters of it are given at least.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::Deserialize;

use crate::domain::classify::{Features, SLOTS, TokenizedText, Word, ngrams, slot};

const BUCKETS: u32 = 1 << 12;
/// The weight of a signal beside all n-grams of the text together, whose length is 1.
const SIGNAL: f64 = 0.2;

/// Abbreviations of text messages, and what they stand for.
const SHORTHAND: [(&str, &str); 5] = [
    ("nn", "non"),
    ("nun", "non"),
    ("ke", "che"),
    ("xke", "perche"),
    ("x", "per"),
];

/// Comparing the length first saves comparing the texts.
const LONGEST_SHORTHAND: usize = 3;

/// More hits of a group do not count.
const MOST_HITS: u8 = 4;
/// Texts with fewer words than the first figure, or more than the second, are marked.
const SHORT_AND_LONG: (usize, usize) = (25, 70);

#[derive(Deserialize)]
#[cfg_attr(test, derive(serde::Serialize))]
struct Bundled {
    groups: BTreeMap<String, Vec<String>>,
    /// Two groups in one text count as a signal of their own.
    pairs: Vec<(String, String)>,
    /// A text without one of these is not grave, however odd. Those behind the first nine occur in any report, so they weigh
    /// little alone.
    grave: Vec<String>,
}

/// The groups, ready to be looked for.
pub struct Measure {
    groups: usize,
    phrases: PhraseIndex,
    pairs: Vec<(usize, usize)>,
    grave: Vec<usize>,
}

/// Phrases of all groups, each with the number of its group, by [`slot`].
struct PhraseIndex(Vec<Vec<(usize, Vec<Wanted>)>>);

#[derive(Clone)]
enum Wanted {
    Word(String),
    Beginning(String),
}

impl Measure {
    pub fn bundled() -> Option<Self> {
        Self::read(include_str!("../../../models/care/signals.json"))
    }

    /// `None` for other JSON, or a pair that names an unknown group.
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
            phrases: PhraseIndex::new(groups.values()),
            pairs: pairs
                .map(|(one, other)| Some((number(one)?, number(other)?)))
                .collect::<Option<_>>()?,
            grave: grave.iter().map(number).collect::<Option<_>>()?,
        })
    }

    pub fn dimensions(&self) -> usize {
        BUCKETS as usize + self.groups + self.pairs.len() + 2
    }

    pub fn is_grave(&self, signals: &[f64]) -> bool {
        self.grave.iter().any(|group| signals[*group] > 0.0)
    }

    /// The words of each phrase of a grave group, by their numbers.
    pub fn grave_places(&self, reading: &TokenizedText<'_>) -> Vec<Range<usize>> {
        let spelled_out = |word| spelled_out(reading.letters(word));
        let words: Vec<&str> = reading.words.iter().map(spelled_out).collect();
        let mut places = Vec::new();
        self.phrases.each(self.groups, &words, |group, place| {
            if self.grave.contains(&group) {
                places.push(place);
            }
        });
        places
    }

    /// N-grams, then signals.
    pub fn features(reading: &TokenizedText<'_>, words: &[Word], signals: &[f64]) -> Features {
        let mut features = ngrams::features::<{ BUCKETS as usize }>(reading.padded(words));
        let signals = (BUCKETS..).zip(signals.iter().map(|signal| signal * SIGNAL));
        features.extend(signals.filter(|(_, signal)| *signal > 0.0));
        features
    }

    /// Hits by group (damped), pairs, and marks of a short or a long text.
    pub fn signals(&self, reading: &TokenizedText<'_>, words: &[Word]) -> Vec<f64> {
        let spelled_out = |word| spelled_out(reading.letters(word));
        let words: Vec<&str> = words.iter().map(spelled_out).collect();
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

impl PhraseIndex {
    fn new<'p>(groups: impl IntoIterator<Item = &'p Vec<String>>) -> Self {
        let mut all = vec![Vec::new(); SLOTS];
        for (group, phrases) in groups.into_iter().enumerate() {
            for phrase in phrases {
                let words: Vec<Wanted> = phrase.split(' ').map(Wanted::new).collect();
                let mut begin = phrase.split(' ');
                let [first, next] = [(); 2].map(|()| begin.next().unwrap_or_default());
                all[slot(first, next)].push((group, words));
            }
        }
        // At each place the longest phrase counts.
        for same in &mut all {
            same.sort_by_key(|(group, words)| (*group, std::cmp::Reverse(words.len())));
        }
        Self(all)
    }

    /// Phrases found by group.
    fn hits(&self, groups: usize, words: &[&str]) -> Vec<u8> {
        let mut hits = vec![0_u8; groups];
        self.each(groups, words, |group, _| {
            hits[group] = hits[group].saturating_add(1);
        });
        hits
    }

    /// Hands over the group and the words of each phrase, the longest at each place, without overlaps in a group.
    fn each(&self, groups: usize, words: &[&str], mut found: impl FnMut(usize, Range<usize>)) {
        // The end of the last phrase of each group.
        let mut free = vec![0; groups];
        for (at, first) in words.iter().enumerate() {
            let rest = &words[at..];
            let next = rest.get(1).copied().unwrap_or_default();
            // Phrases of one word come last: they are the shortest.
            let (same, single) = (&self.0[slot(first, next)], &self.0[slot(first, "")]);
            for (group, phrase) in same.iter().chain(single) {
                if at >= free[*group] && begins_with(rest, phrase) {
                    free[*group] = at + phrase.len();
                    found(*group, at..free[*group]);
                }
            }
        }
    }
}

impl Wanted {
    fn new(word: &str) -> Self {
        match word.strip_suffix('*') {
            Some(beginning) => Self::Beginning(beginning.to_owned()),
            None => Self::Word(word.to_owned()),
        }
    }

    #[inline]
    fn is(&self, word: &str) -> bool {
        match self {
            Self::Word(wanted) => word == wanted,
            Self::Beginning(wanted) => word.starts_with(&**wanted),
        }
    }
}

#[inline]
fn begins_with(words: &[&str], phrase: &[Wanted]) -> bool {
    let mut pairs = phrase.iter().zip(words);
    phrase.len() <= words.len() && pairs.all(|(wanted, word)| wanted.is(word))
}

#[inline]
fn spelled_out(word: &str) -> &str {
    if word.len() > LONGEST_SHORTHAND {
        return word;
    }
    let mut all = SHORTHAND.iter();
    let found = all.find(|(short, _)| *short == word);
    found.map_or(word, |(_, long)| long)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(phrases: &[&str]) -> PhraseIndex {
        let phrases: Vec<String> = phrases.iter().map(|one| (*one).to_owned()).collect();
        PhraseIndex::new([&phrases])
    }

    fn hits(group: &PhraseIndex, text: &str) -> u8 {
        let reading = TokenizedText::new(text);
        let letters = reading.all_letters().split_whitespace();
        group.hits(1, &letters.map(spelled_out).collect::<Vec<_>>())[0]
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
        let of = |text: &str| {
            let reading = TokenizedText::new(text);
            signals.signals(&reading, &reading.words)
        };
        let ones = |text: &str| of(text).iter().filter(|one| **one > 0.0).count();
        assert_eq!(ones("mi ammazzo"), 2, "the group, and that it is short");
        assert_eq!(
            ones("stasera mi ammazzo"),
            4,
            "two groups, their pair, short"
        );
        assert_eq!(BUCKETS as usize + of("").len(), signals.dimensions());
        assert!(signals.is_grave(&of("mi ammazzo")));
        assert!(!signals.is_grave(&of("stasera")));
        named.groups.remove("soon");
        assert!(Measure::read(&serde_json::to_string(&named).unwrap()).is_none());
        assert!(Measure::read("[]").is_none());
    }

    /// A beginning of fewer letters would not be found.
    #[test]
    fn bundled_beginnings_are_long_enough() {
        let bundled: Bundled =
            serde_json::from_str(include_str!("../../../models/care/signals.json")).unwrap();
        for phrase in bundled.groups.values().flatten() {
            assert!(phrase.find('*').is_none_or(|at| at > 2), "{phrase}");
        }
    }
}
