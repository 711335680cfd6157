//! The words that rules name, with the sets that each belongs to. A long word is found with one slip too: a letter too many, too
//! few, another or a neighbour's; doubled letters count as one.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::domain::classify::ngrams::fnv_of;

/// Letters, without doubled ones, from which a word is found with a slip.
const LONG: usize = 6;
/// Letters from which a word with other doubled letters is the same one.
const DOUBLED: usize = 5;
/// Marks a class whose words are found with a slip.
const FORGIVING: &str = "~";
/// The class of words that are meant as they are, however near to another one.
const REAL: &str = "<real>";

#[derive(Default)]
pub(super) struct Dictionary {
    /// By name: words, and beginnings of words with `*`.
    classes: HashMap<String, Class>,
    /// Numbers of the sets that rules name, by their text.
    sets: HashMap<String, usize>,
    words: HashMap<String, Entry>,
    /// By their first letters.
    beginnings: HashMap<String, Vec<(String, Entry)>>,
    /// Long words and what is left of them without one letter, by hash.
    slips: HashMap<u64, Vec<(String, Entry)>, BuildHasherDefault<Hashed>>,
}

/// Takes a hash as it is: the keys of [`Dictionary::slips`] are hashes.
#[derive(Default)]
struct Hashed(u64);

impl Hasher for Hashed {
    fn write(&mut self, bytes: &[u8]) {
        self.0 = fnv_of(bytes.iter().copied());
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

struct Class {
    words: Vec<String>,
    forgiving: bool,
}

/// Numbers of the sets that a word is in.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Entry(Vec<u64>);

impl Entry {
    pub fn add(&mut self, set: usize) {
        let block = set / 64;
        if self.0.len() <= block {
            self.0.resize(block + 1, 0);
        }
        self.0[block] |= 1 << (set % 64);
    }

    fn join(&mut self, other: &Self) {
        for set in other.shared(other) {
            self.add(set);
        }
    }

    #[inline]
    pub fn is_in(&self, set: usize) -> bool {
        self.0
            .get(set / 64)
            .is_some_and(|block| block >> (set % 64) & 1 == 1)
    }

    /// Sets that are in both.
    pub fn shared(&self, other: &Self) -> impl Iterator<Item = usize> {
        let both = self.0.iter().zip(&other.0).map(|(one, other)| one & other);
        both.enumerate().flat_map(|(block, mut bits)| {
            std::iter::from_fn(move || {
                let next = (bits != 0).then(|| 64 * block + bits.trailing_zeros() as usize);
                bits &= bits.wrapping_sub(1);
                next
            })
        })
    }
}

impl Dictionary {
    /// Reads lines such as `<want>~ voglio vorrei <must>`; a class names earlier ones.
    pub fn of_classes(lines: &[&str]) -> Option<Self> {
        let mut read = Self::default();
        for line in lines {
            let (name, words) = line.split_once(' ')?;
            let (name, forgiving) = match name.strip_suffix(FORGIVING) {
                Some(name) => (name, true),
                None => (name, false),
            };
            let mut all = Vec::new();
            for word in words.split(' ').filter(|word| !word.is_empty()) {
                match read.classes.get(word) {
                    Some(class) => all.extend(class.words.iter().cloned()),
                    None if word.starts_with('<') => return None,
                    None => all.push(word.to_owned()),
                }
            }
            read.classes.insert(
                name.to_owned(),
                Class {
                    words: all,
                    forgiving,
                },
            );
        }
        Some(read)
    }

    /// The number of a set of words and classes, such as `mi|me|<want>`.
    pub fn set(&mut self, text: &str) -> Option<usize> {
        if let Some(number) = self.sets.get(text) {
            return Some(*number);
        }
        let number = self.sets.len();
        for one in text.split('|') {
            if !one.starts_with('<') {
                self.add(one, number, false);
                continue;
            }
            let Class { words, forgiving } = self.classes.get(one)?;
            let (words, forgiving) = (words.clone(), *forgiving);
            for word in words {
                self.add(&word, number, forgiving);
            }
        }
        self.sets.insert(text.to_owned(), number);
        Some(number)
    }

    fn add(&mut self, word: &str, set: usize, forgiving: bool) {
        if let Some(beginning) = word.strip_suffix('*') {
            let same = self
                .beginnings
                .entry(slot(beginning).to_owned())
                .or_default();
            entry_of(same, beginning).add(set);
            return;
        }
        self.words.entry(word.to_owned()).or_default().add(set);
        let single = without_doubles(word);
        if forgiving && single.len() >= DOUBLED {
            for slip in slips(&single) {
                let same = self.slips.entry(slip).or_default();
                entry_of(same, &single).add(set);
            }
        }
    }

    /// Ends the reading: every word knows the beginnings that it has.
    pub fn close(&mut self) {
        for (word, entry) in &mut self.words {
            for beginning in beginnings_of(&self.beginnings, word) {
                entry.join(beginning);
            }
        }
        if let Some(real) = self.classes.get(REAL) {
            for word in &real.words {
                self.words.entry(word.clone()).or_default();
            }
        }
    }

    pub fn entry(&self, letters: &str) -> Option<&Entry> {
        if let Some(entry) = self.words.get(letters) {
            return Some(entry);
        }
        let slipped = self.with_a_slip(letters);
        slipped.or_else(|| beginnings_of(&self.beginnings, letters).next())
    }

    fn with_a_slip(&self, letters: &str) -> Option<&Entry> {
        if letters.len() < DOUBLED {
            return None;
        }
        let single = without_doubles(letters);
        if single.len() < DOUBLED {
            return None;
        }
        slips(&single).find_map(|slip| {
            let near = self.slips.get(&slip)?.iter();
            let mut near = near.filter(|(word, _)| {
                word == &single || word.len() >= LONG && is_near(word, &single)
            });
            near.next().map(|(_, entry)| entry)
        })
    }
}

/// The entry of a word in a list, which is added where it is not there.
fn entry_of<'l>(list: &'l mut Vec<(String, Entry)>, word: &str) -> &'l mut Entry {
    let at = list.iter().position(|(one, _)| one == word);
    let at = at.unwrap_or_else(|| {
        list.push((word.to_owned(), Entry::default()));
        list.len() - 1
    });
    &mut list[at].1
}

/// Beginnings have three letters at least.
fn slot(word: &str) -> &str {
    word.get(..3).unwrap_or_default()
}

fn beginnings_of<'d>(
    beginnings: &'d HashMap<String, Vec<(String, Entry)>>,
    word: &str,
) -> impl Iterator<Item = &'d Entry> {
    let same = beginnings.get(slot(word)).into_iter().flatten();
    same.filter(move |(one, _)| word.starts_with(&**one))
        .map(|(_, entry)| entry)
}

fn without_doubles(word: &str) -> String {
    let mut last = None;
    word.chars()
        .filter(|letter| last.replace(*letter) != Some(*letter))
        .collect()
}

/// The hash of the word, and where the word is long, the hashes of it without one letter.
fn slips(word: &str) -> impl Iterator<Item = u64> {
    let open = if word.len() + 1 < LONG { 0 } else { usize::MAX };
    let without = (0..word.len()).map(|left_out| {
        let kept = word
            .bytes()
            .enumerate()
            .filter(move |(at, _)| *at != left_out);
        fnv_of(kept.map(|(_, byte)| byte))
    });
    [fnv_of(word.bytes())].into_iter().chain(without.take(open))
}

/// Whether one slip makes one word of the other.
fn is_near(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let same = one.iter().zip(other).take_while(|(a, b)| a == b).count();
    let (one, other) = (&one[same..], &other[same..]);
    match (one, other) {
        ([], []) => true,
        ([_, rest @ ..], [_, others @ ..]) if rest == others => true,
        ([a, b, rest @ ..], [c, d, others @ ..]) if a == d && b == c && rest == others => true,
        ([_, rest @ ..], _) if rest == other => true,
        (_, [_, others @ ..]) if one == others => true,
        _ => false,
    }
}
