//! An account as stories are found by: the names and rare words in it, and its character n-grams. It holds what a reporter
//! wrote, and is not kept.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

use rust_stemmers::{Algorithm, Stemmer};

use crate::domain::classify::{Features, TokenizedText, Word, ngrams};
use crate::domain::routing::DepartmentKey;
use crate::domain::text::fold;

/// Word stems with how rare they are: 24 bits of a hash and 8 of [`STEP`]s above [`LEAST`], in order.
const RARITY: &[u8] = include_bytes!("../../../models/stories/rarity.bin");
/// How much each bucket of n-grams tells: the logarithm of how few reports have it.
const GRAMS: &[u8] = include_bytes!("../../../models/stories/grams.bin");
/// Words that name nothing by themselves: salutations, months, offices, parts of names of places.
const GENERIC: &str = include_str!("../../../models/stories/generic.txt");
/// Words by which a letter tells of itself: no part of a score is changed by them.
const FORMULAS: &str = include_str!("../../../models/stories/formulas.txt");
/// Words before or at the beginning of the name of a place, a street or an office.
const CIVIC: &str = include_str!("../../../models/stories/civic.txt");
pub const BUCKETS: usize = 1 << 15;
pub const LEAST: f64 = 7.0;
pub const STEP: f64 = 0.04;
/// Minus the logarithm of a word's probability: of words that are not in the table, and from where on a word is rare.
const ABSENT: f64 = 15.5;
const RARE: f64 = 11.0;
/// From where on a word is part of a phrase; how rare its two parts are at least, together.
const PLAIN: f64 = 7.3;
const SELDOM: f64 = 15.5;
/// Letters that its parts begin with alike. Short words that begin a phrase.
const BEGIN: usize = 5;
const HEADS: [&str; 6] = ["via", "san", "bar", "don", "rag", "val"];
/// What a phrase tells, and a word that is in no vocabulary.
const PHRASE: f64 = 0.35;
const UNKNOWN: f64 = 0.6;
/// How forms of so many letters end that no name has: 'chiamatemi', 'denunciarlo', 'vergognosamente'.
const LONG: usize = 8;
const INFLECTED: [&str; 19] = [
    "mente", "temi", "teci", "telo", "tela", "tevi", "rmi", "rti", "rci", "rvi", "rsi", "rlo",
    "rla", "rli", "rle", "rne", "ndomi", "ndolo", "ndosi",
];
/// Letters of an anchor, at least; digits of a number.
const LETTERS: usize = 4;
const DIGITS: usize = 3;

static ITALIAN: LazyLock<Stemmer> = LazyLock::new(|| Stemmer::create(Algorithm::Italian));
static CIVIC_WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| CIVIC.split_whitespace().collect());
static GENERIC_WORDS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| GENERIC.split_whitespace().collect());

static FORMULA_WORDS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| FORMULAS.split_whitespace().collect());

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AnchorKind {
    Name,
    Rare,
    Number,
    /// Neighbouring words as one: what one writes together, another writes apart. It tells nothing where both write it apart.
    Joined,
    /// Two words that are seldom together ('palazzo rosa'): told to people, and no part of a score.
    Phrase,
}

/// A name or word that few accounts share by chance.
#[derive(Clone)]
pub struct Anchor {
    pub key: u64,
    pub kind: AnchorKind,
    /// What it tells by itself, between 0 and 1.
    pub tells: f64,
    /// Of a place, a street or an office: people share it who know nothing of each other.
    pub civic: bool,
    /// In a weighed account: how many accounts have it, and what it tells there.
    pub count: u16,
    pub weight: f64,
    /// Its first place in the account.
    pub at: Range<usize>,
}

impl Anchor {
    /// Whether it names something by itself: so does a word that is in no vocabulary, as names are that are written small.
    pub fn is_naming(&self) -> bool {
        match self.kind {
            AnchorKind::Name | AnchorKind::Number | AnchorKind::Phrase => true,
            AnchorKind::Rare => self.tells >= UNKNOWN,
            AnchorKind::Joined => false,
        }
    }
}

#[derive(Clone)]
pub struct ReadAccount {
    pub text: String,
    /// In order of keys, each once.
    pub anchors: Vec<Anchor>,
    pub grams: Features,
    pub department: DepartmentKey,
}

impl ReadAccount {
    pub fn new(text: &str, department: DepartmentKey) -> Self {
        let reading = TokenizedText::new(text);
        let part = |word| part_of_phrase(text, &reading, word);
        let parts: Vec<_> = reading.words.iter().map(part).collect();
        let mut anchors = Vec::new();
        let spans = (0..reading.words.len()).flat_map(|at| (1..=3).map(move |n| at..at + n));
        for span in spans.filter(|span| span.end <= parts.len()) {
            let (words, parts) = (&reading.words[span.clone()], &parts[span]);
            let anchor = anchor(text, &reading, words);
            let phrase = phrase(text, words, parts).filter(|_| !is_formula(&reading, words));
            for (kind, key, tells) in anchor.into_iter().chain(phrase) {
                anchors.push(Anchor {
                    key,
                    kind,
                    tells,
                    civic: is_civic(&reading, &words[0]),
                    count: 0,
                    weight: 0.0,
                    at: words[0].at.start..words[words.len() - 1].at.end,
                });
            }
        }
        anchors.sort_by_key(|anchor| (anchor.key, anchor.kind as u8));
        anchors.dedup_by(|later, kept| {
            let same = later.key == kept.key;
            kept.civic |= same && later.civic;
            same
        });
        Self {
            text: text.to_owned(),
            anchors,
            grams: weighed_grams(reading.padded(&reading.words)),
            department,
        }
    }
}

/// The anchor that a word is, or up to three of them written as one, if they are one: kind, key, and what it tells.
fn anchor(
    text: &str,
    reading: &TokenizedText<'_>,
    words: &[Word],
) -> Option<(AnchorKind, u64, f64)> {
    let letters = reading.padded(words).replace(' ', "");
    let mut pairs = words.windows(2);
    match words {
        [word] => single(text, reading, word, &letters),
        _ if !pairs.all(|pair| are_neighbours(text, &pair[0], &pair[1])) => None,
        [one, next] if is_capital(text, one) && is_capital(text, next) => {
            let tells = |word| {
                let letters = reading.letters(word);
                // 'Su Facebook', 'Chiamatemi Marco'.
                let opens = begins_sentence(text, reading, word) && is_ordinary(key(letters));
                let named = letters.len() >= LETTERS && !opens;
                if named { name_tells(letters) } else { 0.0 }
            };
            let tells = tells(one) + tells(next);
            (tells > 0.0).then(|| (AnchorKind::Name, key(&letters), tells.min(1.0)))
        }
        [_, _] if letters.len() <= LETTERS => None,
        _ => Some((AnchorKind::Joined, key(&letters), 1.0)),
    }
}

fn single(
    text: &str,
    reading: &TokenizedText<'_>,
    word: &Word,
    letters: &str,
) -> Option<(AnchorKind, u64, f64)> {
    let raw = &text[word.at.clone()];
    if raw.bytes().all(|byte| byte.is_ascii_digit()) {
        let year = raw.len() == 4 && (raw.starts_with("19") || raw.starts_with("20"));
        // A sum of money.
        let round = raw.bytes().skip(1).all(|byte| byte == b'0') || raw.ends_with("00");
        let known = GENERIC_WORDS.contains(raw);
        let telling = raw.len() >= DIGITS && !year && !round && !known;
        return telling.then(|| (AnchorKind::Number, hash(raw), 0.5));
    }
    if letters.len() < LETTERS || GENERIC_WORDS.contains(letters) {
        return None;
    }
    let key = key(letters);
    let rarity = rarity(key);
    if is_capital(text, word) && !begins_sentence(text, reading, word) {
        return Some((AnchorKind::Name, key, name_tells(letters)));
    }
    // A form of a verb or an adverb names nothing, however rare it is.
    let inflected = letters.len() >= LONG && INFLECTED.iter().any(|end| letters.ends_with(end));
    let most = if inflected { 0.9 } else { 1.0 };
    let known = ((rarity - RARE) / 4.5).clamp(0.0, most);
    (rarity > RARE).then_some((AnchorKind::Rare, key, UNKNOWN * known))
}

/// Two words as a phrase, if they are beside each other or with a word between them that stands beside all words.
fn phrase(
    text: &str,
    words: &[Word],
    parts: &[Option<(u64, f64)>],
) -> Option<(AnchorKind, u64, f64)> {
    let ([Some(one), Some(two)] | [Some(one), None, Some(two)]) = parts else {
        return None;
    };
    let ((one, rarity), (two, other)) = (one, two);
    let mut pairs = words.windows(2);
    let is_one = one != two
        && rarity + other >= SELDOM
        && pairs.all(|pair| are_neighbours(text, &pair[0], &pair[1]));
    is_one.then(|| (AnchorKind::Phrase, one.rotate_left(17) ^ two, PHRASE))
}

fn is_formula(reading: &TokenizedText<'_>, words: &[Word]) -> bool {
    let ends = [words.first(), words.last()].into_iter().flatten();
    let mut letters = ends.map(|word| reading.letters(word));
    letters.all(|letters| FORMULA_WORDS.contains(letters))
}

/// Whether a letter tells of itself by this word.
pub fn tells_of_letter(word: &str) -> bool {
    FORMULA_WORDS.contains(&*fold(word))
}

/// The key of a word in a phrase, whatever its ending ('palazzo', 'palazzina'), and how rare it is.
fn part_of_phrase(text: &str, reading: &TokenizedText<'_>, word: &Word) -> Option<(u64, f64)> {
    let (raw, letters) = (&text[word.at.clone()], reading.letters(word));
    if raw.bytes().all(|byte| byte.is_ascii_digit()) {
        return (raw.len() <= DIGITS).then(|| (hash(raw), 9.0));
    }
    if HEADS.contains(&letters) {
        return Some((key(letters), 8.5));
    }
    let begin = letters.char_indices().nth(BEGIN);
    let begin = begin.map_or(letters, |(end, _)| &letters[..end]);
    let rarity = rarity(key(letters));
    (letters.len() >= LETTERS && rarity > PLAIN).then(|| (key(begin), rarity))
}

/// Whether a name that begins with this word is of a place, a street or an office, as far as the word before it says.
fn is_civic(reading: &TokenizedText<'_>, word: &Word) -> bool {
    let words = &reading.words;
    let behind = words.partition_point(|one| one.at.start < word.at.start);
    let around = [behind.checked_sub(1), Some(behind)].into_iter().flatten();
    let mut letters = around
        .filter_map(|at| words.get(at))
        .map(|one| reading.letters(one));
    letters.any(|letters| CIVIC_WORDS.contains(letters))
}

/// How much a word tells as a name: one that is also an ordinary word less.
fn name_tells(letters: &str) -> f64 {
    if GENERIC_WORDS.contains(letters) {
        return 0.0;
    }
    0.3 + 0.7 * ((rarity(key(letters)) - 9.0) / 6.0).clamp(0.0, 1.0)
}

fn is_capital(text: &str, word: &Word) -> bool {
    let mut letters = text[word.at.clone()].chars();
    letters.next().is_some_and(char::is_uppercase) && letters.any(char::is_lowercase)
}

fn begins_sentence(text: &str, reading: &TokenizedText<'_>, word: &Word) -> bool {
    let words = &reading.words;
    let behind = words.partition_point(|one| one.at.start < word.at.start);
    let Some(before) = words[..behind].last() else {
        return true;
    };
    let gap = &text[before.at.end..word.at.start];
    // 'dott. Riva'
    let short = before.at.len() <= 4 && gap.trim_end() == ".";
    let ends = |one| ".!?:;\n«\"“(".contains(one);
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

/// Whether a key is of a word that people use without naming anything.
pub fn is_ordinary(key: u64) -> bool {
    rarity(key) < RARE
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
    let squares = grams.iter().map(|(_, value)| value * value);
    let length = squares.sum::<f64>().sqrt();
    for (_, value) in grams.iter_mut().filter(|_| length > 0.0) {
        *value /= length;
    }
    grams
}
