//! Words and phrases that speak for a department, found in any of their Italian forms. It must never find more than it
//! was told: a word is compared whole, by its stem.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::LazyLock;

use rust_stemmers::{Algorithm, Stemmer};

use super::Department;
use crate::domain::settings::entries;
use crate::domain::text::{fold, lower};

/// What a configured keyword weighs; the lexicon's own words weigh 1 to 3.
pub(super) const KEYWORD_WEIGHT: f64 = 2.0;

#[derive(Debug, Clone)]
pub(super) struct Word {
    /// As written, in lower case.
    pub(super) written: String,
    /// Its stem without accents, taken with them.
    stem: String,
    /// Its stem taken without accents: people leave them out.
    plain: String,
}

pub(super) fn words(text: &str) -> Vec<Word> {
    let stemmer = Stemmer::create(Algorithm::Italian);
    let lowered = lower(text);
    // A long text says most of its words more than once, and taking a stem is what costs.
    let mut met: HashMap<&str, Word> = HashMap::new();
    lowered
        .split(|character: char| !character.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(|written| {
            let word = met
                .entry(written)
                .or_insert_with(|| word(&stemmer, written));
            word.clone()
        })
        .collect()
}

fn word(stemmer: &Stemmer, written: &str) -> Word {
    let stem = stemmer.stem(written);
    let plain = if written.is_ascii() {
        stem.clone().into_owned()
    } else {
        stemmer.stem(&fold(written)).into_owned()
    };
    Word {
        stem: fold(&stem),
        plain,
        written: written.to_owned(),
    }
}

/// What speaks for which department, and how strongly: weights by class.
type Weights = [f64; Department::ALL.len()];

#[derive(Debug, Clone, Default)]
pub struct Lexicon {
    phrases: HashMap<String, Weights>,
    /// First stems of phrases of several words.
    beginnings: HashSet<String>,
    longest: usize,
}

/// A phrase that was found in a text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Hit {
    /// As first written.
    pub(super) written: String,
    /// What it weighs for each class, repeats counted.
    pub(super) weights: Weights,
}

impl Lexicon {
    /// Adds a phrase; the greater weight counts when it is there already.
    pub(super) fn add(&mut self, phrase: &str, department: Department, weight: f64) {
        let words = words(phrase);
        let (Some(first), length) = (words.first(), words.len()) else {
            return;
        };
        if length > 1 {
            self.beginnings
                .extend([first.stem.clone(), first.plain.clone()]);
        }
        self.longest = self.longest.max(length);
        for key in keys(&words) {
            let weights = self.phrases.entry(key).or_default();
            let own = &mut weights[department.class()];
            *own = own.max(weight);
        }
    }

    /// The phrases found, each once, in order of their stems; at each place the longest one. A repeat counts less than
    /// the first time: the square root of how often.
    pub(super) fn find(&self, words: &[Word]) -> Vec<Hit> {
        let mut found: BTreeMap<String, (String, u32)> = BTreeMap::new();
        let mut rest = words;
        while !rest.is_empty() {
            let (key, length) = self.longest_at(rest).unzip();
            let (here, behind) = rest.split_at(length.unwrap_or(1));
            if let Some(key) = key {
                let written = || join(here.iter().map(|word| &*word.written));
                found.entry(key).or_insert_with(|| (written(), 0)).1 += 1;
            }
            rest = behind;
        }
        let hit = |(key, (written, count)): (String, (String, u32))| {
            let damped = f64::from(count).sqrt();
            let weights = self.phrases.get(&key)?.map(|weight| weight * damped);
            Some(Hit { written, weights })
        };
        found.into_iter().filter_map(hit).collect()
    }

    /// Key and number of words of the longest phrase that begins here.
    fn longest_at(&self, words: &[Word]) -> Option<(String, usize)> {
        let first = words.first()?;
        let begins =
            self.beginnings.contains(&first.stem) || self.beginnings.contains(&first.plain);
        let most = if begins { self.longest } else { 1 };
        (1..=most.min(words.len())).rev().find_map(|length| {
            let here = words.get(..length)?;
            let key = keys(here)
                .into_iter()
                .find(|key| self.phrases.contains_key(key))?;
            Some((key, length))
        })
    }
}

/// How a phrase may be looked up.
fn keys(words: &[Word]) -> [String; 2] {
    [
        join(words.iter().map(|word| &*word.stem)),
        join(words.iter().map(|word| &*word.plain)),
    ]
}

fn join<'w>(words: impl Iterator<Item = &'w str>) -> String {
    words.collect::<Vec<_>>().join(" ")
}

/// The bundled lexicon with these lists of keywords, one a department.
pub(super) fn with(keywords: [&String; 6]) -> Lexicon {
    let mut lexicon = BUNDLED.clone();
    for (department, list) in Department::ALL.into_iter().zip(keywords) {
        for keyword in entries(list) {
            lexicon.add(keyword, department, KEYWORD_WEIGHT);
        }
    }
    lexicon
}

static BUNDLED: LazyLock<Lexicon> = LazyLock::new(|| {
    let mut lexicon = Lexicon::default();
    for (department, weights) in bundled() {
        for (weight, phrases) in weights {
            for phrase in phrases {
                lexicon.add(&phrase, department, f64::from(weight));
            }
        }
    }
    lexicon
});

/// The bundled phrases; none where the file is damaged, which a test excludes.
fn bundled() -> BTreeMap<Department, BTreeMap<u8, Vec<String>>> {
    serde_json::from_str(include_str!("../../../data/routing/lexicon.json")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(phrases: &[&str], text: &str) -> Vec<(String, f64)> {
        let mut lexicon = Lexicon::default();
        for phrase in phrases {
            lexicon.add(phrase, Department::Sanita, 1.0);
        }
        let hits = lexicon.find(&words(text));
        hits.into_iter()
            .map(|hit| (hit.written, hit.weights[Department::Sanita.class()]))
            .collect()
    }

    fn once(written: &str) -> Vec<(String, f64)> {
        vec![(written.to_owned(), 1.0)]
    }

    #[test]
    fn words_are_found_in_their_forms() {
        assert_eq!(found(&["ospedale"], "Negli OSPEDALI."), once("ospedali"));
        assert_eq!(found(&["sanità"], "la sanita pubblica"), once("sanita"));
        assert_eq!(found(&["malasanita"], "è malasanità"), once("malasanità"));
        assert_eq!(found(&["asl"], "una vasloca"), []);
    }

    #[test]
    fn the_longest_phrase_counts_and_repeats_count_less() {
        let phrases = ["pronto", "pronto soccorso"];
        let seen = found(&phrases, "Pronto soccorso, pronto. Al pronto soccorso.");
        assert_eq!(
            seen,
            [
                ("pronto".to_owned(), 1.0),
                ("pronto soccorso".to_owned(), 2_f64.sqrt())
            ]
        );
    }

    #[test]
    fn keywords_join_with_a_weight_of_their_own() {
        let (own, none) = ("zeppelin, ,".to_owned(), String::new());
        let hits = with([&own, &none, &none, &none, &none, &none]).find(&words("gli zeppelin"));
        assert_eq!(hits.len(), 1);
        assert!((hits[0].weights[0] - KEYWORD_WEIGHT).abs() < f64::EPSILON);
        assert!(BUNDLED.find(&words("gli zeppelin")).is_empty());
    }

    #[test]
    fn the_bundled_phrases_are_all_there() {
        let entries = bundled();
        assert_eq!(entries.len(), Department::ALL.len());
        let weights = entries.values().flatten();
        assert!(weights.clone().all(|(weight, _)| (1..=3).contains(weight)));
        assert!(weights.map(|(_, phrases)| phrases.len()).sum::<usize>() > 800);
    }
}
