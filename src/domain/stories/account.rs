//! An account as stories are found by: the names and rare words in it, and its character n-grams. It holds what a reporter
//! wrote, and is not kept.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

use rust_stemmers::{Algorithm, Stemmer};

use crate::domain::classify::{Features, TokenizedText, Word, ngrams};
use crate::domain::routing::Department;

/// Word stems with how rare they are: 24 bits of a hash and 8 of [`STEP`]s above [`LEAST`], in order.
const RARITY: &[u8] = include_bytes!("../../../data/stories/rarity.bin");
/// How much each bucket of n-grams tells: the logarithm of how few reports have it.
const GRAMS: &[u8] = include_bytes!("../../../data/stories/grams.bin");
/// Words that name nothing by themselves: salutations, months, offices, parts of names of places.
const GENERIC: &str = include_str!("../../../data/stories/generic.txt");
pub const BUCKETS: usize = 1 << 15;
pub const LEAST: f64 = 7.0;
pub const STEP: f64 = 0.04;
/// Minus the logarithm of a word's probability: of words that are not in the table, and from where on a word is rare.
const ABSENT: f64 = 15.5;
const RARE: f64 = 11.0;
/// Letters of an anchor, at least; digits of a number.
const LETTERS: usize = 4;
const DIGITS: usize = 3;

static ITALIAN: LazyLock<Stemmer> = LazyLock::new(|| Stemmer::create(Algorithm::Italian));
static GENERIC_WORDS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| GENERIC.split_whitespace().collect());

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AnchorKind {
    Name,
    Rare,
    Number,
}

/// A word that few accounts share by chance.
#[derive(Clone)]
pub struct Anchor {
    pub key: u64,
    pub kind: AnchorKind,
    pub rarity: f64,
    /// Its first place in the account.
    pub at: Range<usize>,
}

#[derive(Clone)]
pub struct ReadAccount {
    /// In order of keys, each once.
    pub anchors: Vec<Anchor>,
    /// Keys of neighbouring words written as one, in order: what one writes together, another writes apart.
    pub joined: Vec<(u64, Range<usize>)>,
    pub grams: Features,
    pub words: usize,
    pub department: Department,
}

impl ReadAccount {
    pub fn new(text: &str, department: Department) -> Self {
        let reading = TokenizedText::new(text);
        let mut anchors = Vec::new();
        let mut joined = Vec::new();
        for (at, word) in reading.words.iter().enumerate() {
            let next = reading.words.get(at + 1);
            anchors.extend(anchor(text, &reading, at));
            if let Some(next) = next.filter(|next| are_neighbours(text, word, next)) {
                let range = word.at.start..next.at.end;
                let both = [reading.letters(word), reading.letters(next)].concat();
                if is_capital(text, word) && is_capital(text, next) {
                    anchors.push(Anchor {
                        key: key(&both),
                        kind: AnchorKind::Name,
                        rarity: ABSENT,
                        at: range.clone(),
                    });
                }
                if both.len() > LETTERS {
                    joined.push((key(&both), range));
                }
                if let Some(third) = reading.words.get(at + 2)
                    && are_neighbours(text, next, third)
                {
                    let all = [&both, reading.letters(third)].concat();
                    joined.push((key(&all), word.at.start..third.at.end));
                }
            }
        }
        anchors.sort_by_key(|anchor| (anchor.key, anchor.kind as u8));
        anchors.dedup_by_key(|anchor| anchor.key);
        joined.sort_by_key(|(key, _)| *key);
        Self {
            anchors,
            joined,
            grams: weighed_grams(reading.padded(&reading.words)),
            words: reading.words.len(),
            department,
        }
    }
}

/// The anchor that a word is, if it is one.
fn anchor(text: &str, reading: &TokenizedText<'_>, at: usize) -> Option<Anchor> {
    let word = &reading.words[at];
    let (raw, letters) = (&text[word.at.clone()], reading.letters(word));
    let made = |key, kind, rarity| Anchor {
        key,
        kind,
        rarity,
        at: word.at.clone(),
    };
    if raw.bytes().all(|byte| byte.is_ascii_digit()) {
        let year = raw.len() == 4 && (raw.starts_with("19") || raw.starts_with("20"));
        let round = raw.bytes().skip(1).all(|byte| byte == b'0');
        let telling = raw.len() >= DIGITS && !year && !round;
        return telling.then(|| made(hash(raw), AnchorKind::Number, RARE));
    }
    if letters.len() < LETTERS || GENERIC_WORDS.contains(letters) {
        return None;
    }
    let key = key(letters);
    let rarity = rarity(key);
    let name = is_capital(text, word) && !begins_sentence(text, reading, at);
    let kind = if name {
        AnchorKind::Name
    } else {
        AnchorKind::Rare
    };
    (name || rarity > RARE).then(|| made(key, kind, rarity))
}

fn is_capital(text: &str, word: &Word) -> bool {
    let mut letters = text[word.at.clone()].chars();
    letters.next().is_some_and(char::is_uppercase) && letters.any(char::is_lowercase)
}

fn begins_sentence(text: &str, reading: &TokenizedText<'_>, at: usize) -> bool {
    let Some(before) = at.checked_sub(1).map(|before| &reading.words[before]) else {
        return true;
    };
    let gap = &text[before.at.end..reading.words[at].at.start];
    // 'dott. Riva'
    let short = before.at.len() <= 4 && gap.trim_end() == ".";
    let ends = |one: char| {
        matches!(
            one,
            '.' | '!' | '?' | ':' | ';' | '\n' | '«' | '"' | '“' | '('
        )
    };
    let quoted = gap.len() > 1 && gap.contains('\'');
    !short && (quoted || gap.contains(ends))
}

fn are_neighbours(text: &str, word: &Word, next: &Word) -> bool {
    matches!(&text[word.at.end..next.at.start], " " | "'" | "’" | "-")
}

/// One key for the forms of a word: its stem, with double letters as one.
pub fn key(letters: &str) -> u64 {
    let stem = ITALIAN.stem(letters);
    let mut single = String::with_capacity(stem.len());
    for letter in stem.chars().filter(|letter| letter.is_alphanumeric()) {
        if !single.ends_with(letter) {
            single.push(letter);
        }
    }
    hash(&single)
}

/// FNV-1a, mixed.
fn hash(text: &str) -> u64 {
    let fnv = ngrams::fnv(text);
    (fnv ^ fnv >> 32).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

fn rarity(key: u64) -> f64 {
    let (entries, _) = RARITY.as_chunks::<4>();
    let entry = |bytes: &[u8; 4]| u32::from_be_bytes(*bytes);
    let wanted = u32::try_from(key >> 40).unwrap_or(0);
    let found = entries.binary_search_by_key(&wanted, |bytes| entry(bytes) >> 8);
    found.map_or(ABSENT, |at| LEAST + STEP * f64::from(entries[at][3]))
}

/// The n-grams, each as much as it tells, brought to length 1.
fn weighed_grams(padded: &str) -> Features {
    let mut grams = ngrams::features::<BUCKETS>(padded);
    for (bucket, value) in &mut grams {
        *value *= f64::from(GRAMS.get(*bucket as usize).copied().unwrap_or(0));
    }
    let length = grams
        .iter()
        .map(|(_, value)| value * value)
        .sum::<f64>()
        .sqrt();
    if length > 0.0 {
        for (_, value) in &mut grams {
            *value /= length;
        }
    }
    grams
}
