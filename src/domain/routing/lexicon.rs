//! Words and phrases that speak for a department, found in any of their Italian forms. A word is compared whole, by its stem.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use rust_stemmers::{Algorithm, Stemmer};

use super::{Departments, Matter};
use crate::domain::classify::{SLOTS, TokenizedText, Word, slot};
use crate::domain::settings::entries;
use crate::domain::text::fold;

/// The lexicon's own words weigh 1 to 3.
pub(super) const KEYWORD_WEIGHT: f64 = 2.0;

/// The stem with accents removed afterwards, and before: people leave accents out.
type Stems = [String; 2];

fn stems(reading: &TokenizedText<'_>, word: &Word) -> Stems {
    let stemmer = Stemmer::create(Algorithm::Italian);
    let written = reading.written(word);
    let stem = stemmer.stem(&written);
    let plain = if written.is_ascii() {
        stem.clone()
    } else {
        stemmer.stem(&fold(&written)).into_owned().into()
    };
    [fold(&stem), plain.into_owned()]
}

/// Those that the model tells apart: the matters, and behind them what is none of them.
pub(super) const CLASSES: usize = Matter::ALL.len() + 1;
pub(super) const NONE: usize = Matter::ALL.len();
/// Departments by their places.
pub(super) const PLACES: usize = Departments::MOST + 1;

/// By stems with spaces between; with the weight for each of `N` classes or places.
type Entries<const N: usize> = BTreeMap<String, ([f64; N], Forms)>;

/// The spellings of a phrase that are [`TokenizedText::is_plain`]: the same spelling has the same stems, and stemming costs a
/// thousand times as much.
type Forms = Vec<String>;

pub struct Lexicon<const N: usize> {
    /// Ordered by stems.
    phrases: Vec<Phrase<N>>,
    /// By [`slot`] of the beginning of the first stem.
    slots: Vec<Vec<usize>>,
}

struct Phrase<const N: usize> {
    stems: Vec<String>,
    /// Letters with which each word of a stem begins.
    beginnings: Vec<String>,
    forms: Forms,
    weights: [f64; N],
}

impl<const N: usize> Phrase<N> {
    /// Whether these words may match, by their first letters.
    fn may_be(&self, reading: &TokenizedText<'_>, words: &[Word]) -> bool {
        let mut pairs = words.iter().zip(&self.beginnings);
        pairs.all(|(word, beginning)| reading.letters(word).starts_with(beginning))
    }
}

/// A stemmer cuts endings off, and turns `-enza` into `-ent`. Comparing beginnings costs a hundredth of stemming.
fn beginning_of(stem: &str) -> String {
    let mut letters = TokenizedText::new(stem).all_letters().to_owned();
    if letters.len() > 3 && letters.ends_with("ent") {
        letters.pop();
    }
    letters
}

pub(super) struct Hit<'r, const N: usize> {
    /// The first place.
    pub(super) words: &'r [Word],
    /// Repeats counted.
    pub(super) weights: [f64; N],
}

impl<const N: usize> Hit<'_, N> {
    pub(super) fn written(&self, reading: &TokenizedText<'_>) -> String {
        let words = self.words.iter().map(|word| reading.written(word));
        words.collect::<Vec<_>>().join(" ")
    }
}

impl<const N: usize> Lexicon<N> {
    fn new(entries: Entries<N>) -> Self {
        let phrase = |(key, (weights, forms)): (String, ([f64; N], Forms))| Phrase {
            stems: key.split(' ').map(str::to_owned).collect(),
            beginnings: key.split(' ').map(beginning_of).collect(),
            forms,
            weights,
        };
        let phrases: Vec<Phrase<N>> = entries.into_iter().map(phrase).collect();
        let mut slots = vec![Vec::new(); SLOTS];
        for (number, phrase) in phrases.iter().enumerate() {
            let first = phrase.beginnings.first();
            slots[first.map_or(0, |first| slot(first, ""))].push(number);
        }
        Self { phrases, slots }
    }

    /// Each phrase once, in order of stems; the longest at each place. A repeat counts less: the square root of how often.
    pub(super) fn find<'r>(&self, reading: &'r TokenizedText<'_>) -> Vec<Hit<'r, N>> {
        if self.phrases.is_empty() {
            return Vec::new();
        }
        let mut found: Vec<(usize, usize)> = Vec::new();
        let (words, mut at) = (&reading.words, 0);
        while at < words.len() {
            let longest = self.longest_at(reading, &words[at..]);
            found.extend(longest.map(|number| (number, at)));
            at += longest.map_or(1, |number| self.phrases[number].stems.len());
        }
        found.sort_unstable();
        let same = found.chunk_by(|(one, _), (other, _)| one == other);
        let hit = |same: &[(usize, usize)]| {
            let (number, at) = *same.first()?;
            let phrase = &self.phrases[number];
            let damped = f64::from(u32::try_from(same.len()).ok()?).sqrt();
            Some(Hit {
                words: &words[at..at + phrase.stems.len()],
                weights: phrase.weights.map(|weight| weight * damped),
            })
        };
        same.filter_map(hit).collect()
    }

    fn longest_at(&self, reading: &TokenizedText<'_>, words: &[Word]) -> Option<usize> {
        let same = &self.slots[slot(reading.letters(words.first()?), "")];
        let mut taken: Vec<Stems> = Vec::new();
        let found = same.iter().filter_map(|number| {
            let phrase = &self.phrases[*number];
            let here = words.get(..phrase.stems.len())?;
            if !phrase.may_be(reading, here) {
                return None;
            }
            let padded = reading.padded(here);
            if phrase.forms.iter().any(|form| form == padded) && reading.is_plain(here) {
                return Some((here.len(), Reverse(0), *number));
            }
            let more = here.iter().skip(taken.len());
            taken.extend(more.map(|word| stems(reading, word)));
            let pairs = phrase.stems.iter().zip(&taken);
            let is = |by: &usize| pairs.clone().all(|(stem, word)| *stem == word[*by]);
            Some((here.len(), Reverse((0..2).find(is)?), *number))
        });
        found.max().map(|(_, _, number)| number)
    }
}

/// The greater of two weights counts.
fn add<const N: usize>(entries: &mut Entries<N>, phrase: &str, class: usize, weight: f64) {
    let reading = TokenizedText::new(phrase);
    let words = reading.words.iter().map(|word| stems(&reading, word));
    let words: Vec<Stems> = words.collect();
    for by in 0..2 {
        let key: Vec<&str> = words.iter().map(|stems| &*stems[by]).collect();
        if !key.is_empty() {
            let none = || ([0.0; N], Forms::new());
            let (weights, forms) = entries.entry(key.join(" ")).or_insert_with(none);
            if let Some(own) = weights.get_mut(class) {
                *own = own.max(weight);
            }
            if reading.is_plain(&reading.words) {
                forms.push(reading.padded(&reading.words).to_owned());
            }
        }
    }
}

/// The words that speak for a matter, with the keywords of the departments that have it.
pub(super) fn of_matters(departments: &Departments) -> Lexicon<CLASSES> {
    let mut all = BUNDLED.clone();
    for department in departments.desks() {
        if let Some(matter) = department.matter {
            for keyword in entries(&department.keywords) {
                add(&mut all, keyword, matter.class(), KEYWORD_WEIGHT);
            }
        }
    }
    Lexicon::new(all)
}

/// The keywords by which departments are told apart that the model does not tell apart: of those without a matter, and of those
/// that share one.
pub(super) fn of_departments(departments: &Departments) -> Lexicon<PLACES> {
    let mut all = Entries::new();
    for (place, department) in departments.desks().iter().enumerate() {
        let same = departments.desks().iter();
        let same = same.filter(|other| other.matter == department.matter);
        if department.matter.is_none() || same.count() > 1 {
            for keyword in entries(&department.keywords) {
                add(&mut all, keyword, place, KEYWORD_WEIGHT);
            }
        }
    }
    Lexicon::new(all)
}

static BUNDLED: LazyLock<Entries<CLASSES>> = LazyLock::new(|| {
    let mut entries = Entries::new();
    for (name, weights) in bundled() {
        let class = Matter::parse(&name).map_or(NONE, Matter::class);
        for (weight, phrases) in weights {
            for phrase in phrases {
                add(&mut entries, &phrase, class, f64::from(weight));
            }
        }
    }
    entries
});

/// By matter. Empty if the file is damaged, which a test excludes.
fn bundled() -> BTreeMap<String, BTreeMap<u8, Vec<String>>> {
    serde_json::from_str(include_str!("../../../models/routing/lexicon.json")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn found(phrases: &[&str], text: &str) -> Vec<(String, f64)> {
        let mut entries = Entries::<1>::new();
        for phrase in phrases {
            add(&mut entries, phrase, 0, 1.0);
        }
        let reading = TokenizedText::new(text);
        let hits = Lexicon::new(entries).find(&reading);
        let weight = |hit: &Hit<'_, 1>| hit.weights[0];
        hits.iter()
            .map(|hit| (hit.written(&reading), weight(hit)))
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
        let mut departments = Departments::default();
        let reading = TokenizedText::new("gli zeppelin");
        assert!(of_matters(&departments).find(&reading).is_empty());
        departments.desks_mut()[0].keywords = "zeppelin, ,".to_owned();
        let hits = of_matters(&departments).find(&reading);
        assert_eq!(hits.len(), 1);
        assert!((hits[0].weights[0] - KEYWORD_WEIGHT).abs() < f64::EPSILON);
        assert!(of_departments(&departments).find(&reading).is_empty());
        departments.desks_mut()[1].matter = Some(Matter::Corruzione);
        let hits = of_departments(&departments).find(&reading);
        assert!((hits[0].weights[0] - KEYWORD_WEIGHT).abs() < f64::EPSILON);
    }

    /// Endings as verbs, nouns and pronouns have them.
    const ENDINGS: [&str; 24] = [
        "a",
        "o",
        "he",
        "are",
        "arlo",
        "irsi",
        "andogliene",
        "erebbero",
        "assero",
        "uto",
        "enza",
        "enze",
        "logia",
        "logie",
        "uzione",
        "usioni",
        "amente",
        "abilmente",
        "ativa",
        "ità",
        "atrici",
        "icazione",
        "oso",
        "mento",
    ];

    proptest! {
        #[test]
        fn a_word_begins_as_its_stem_says(
            letters in "[a-zàèéìòù0-9]{1,9}",
            one in proptest::sample::select(&ENDINGS),
            other in proptest::sample::select(&ENDINGS),
        ) {
            for written in [letters.clone(), format!("{letters}{one}"), format!("{letters}{one}{other}")] {
                let reading = TokenizedText::new(&written);
                let word = &reading.words[0];
                for stem in stems(&reading, word) {
                    let beginning = beginning_of(&stem);
                    prop_assert!(reading.letters(word).starts_with(&beginning), "{written}: {stem}");
                }
            }
        }
    }

    #[test]
    fn the_bundled_phrases_are_all_there() {
        let entries = bundled();
        assert_eq!(entries.len(), CLASSES);
        let weights = entries.values().flatten();
        assert!(weights.clone().all(|(weight, _)| (1..=3).contains(weight)));
        assert!(weights.map(|(_, phrases)| phrases.len()).sum::<usize>() > 800);
    }
}
