//! A text as classifiers read it: folded once, and cut into words. It holds what a reporter wrote, and is not kept.

use std::borrow::Cow;
use std::ops::Range;

use unicode_normalization::char::is_combining_mark;

use crate::domain::text::{fold, lower};

pub struct TokenizedText<'t> {
    raw: &'t str,
    /// Each word stands between two spaces.
    padded: String,
    pub words: Vec<Word>,
}

#[derive(Debug, Clone)]
pub struct Word {
    /// The place in the text, in bytes.
    pub at: Range<usize>,
    letters: Range<usize>,
}

impl<'t> TokenizedText<'t> {
    pub fn new(raw: &'t str) -> Self {
        let mut reading = Self {
            raw,
            padded: String::with_capacity(raw.len() + 2),
            words: Vec::with_capacity(raw.len() / 5),
        };
        reading.padded.push(' ');
        let mut rest = raw;
        while let Some(begin) = rest.find(of_a_word) {
            let word = &rest[begin..];
            let end = end_of_word(word);
            let at = raw.len() - word.len();
            reading.take(at..at + end);
            rest = &word[end..];
        }
        reading
    }

    fn take(&mut self, at: Range<usize>) {
        let (from, word) = (self.padded.len(), &self.raw[at.clone()]);
        if is_plain(word) {
            self.padded.push_str(word);
            self.padded[from..].make_ascii_lowercase();
        } else {
            let folded = fold(word);
            let kept = folded.chars().filter(|one| one.is_alphanumeric());
            let alike = kept.map(|one| if one.is_ascii_digit() { '0' } else { one });
            self.padded.extend(alike);
        }
        let letters = from..self.padded.len();
        if !letters.is_empty() {
            self.words.push(Word { at, letters });
            self.padded.push(' ');
        }
    }

    /// Folded letters; each digit is `0`, so that sums of money look alike.
    #[inline]
    pub fn letters(&self, word: &Word) -> &str {
        &self.padded[word.letters.clone()]
    }

    /// The letters with one space before, between and behind them.
    #[inline]
    pub fn padded(&self, words: &[Word]) -> &str {
        match (words.first(), words.last()) {
            (Some(first), Some(last)) => &self.padded[first.letters.start - 1..=last.letters.end],
            _ => "",
        }
    }

    /// The text as it was written.
    pub const fn raw(&self) -> &'t str {
        self.raw
    }

    pub fn all_letters(&self) -> &str {
        self.padded.trim()
    }

    /// Whether the letters are the spelling, but for upper case.
    pub fn is_plain(&self, words: &[Word]) -> bool {
        words
            .iter()
            .all(|word| is_plain(&self.raw[word.at.clone()]))
    }

    /// In lower case, with accents.
    #[inline]
    pub fn written(&self, word: &Word) -> Cow<'_, str> {
        match &self.raw[word.at.clone()] {
            raw if is_plain(raw) => Cow::Borrowed(self.letters(word)),
            raw => Cow::Owned(lower(raw)),
        }
    }
}

fn end_of_word(text: &str) -> usize {
    let bytes = text.as_bytes();
    let plain = bytes.iter().position(|byte| !byte.is_ascii_alphanumeric());
    match plain {
        Some(end) if bytes[end].is_ascii() => end,
        _ => text.find(|one| !of_a_word(one)).unwrap_or(text.len()),
    }
}

/// A letter, a digit, or a mark on one.
#[inline]
fn of_a_word(character: char) -> bool {
    character.is_ascii_alphanumeric()
        || !character.is_ascii() && (character.is_alphanumeric() || is_combining_mark(character))
}

#[inline]
fn is_plain(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_alphabetic())
}

pub const SLOTS: usize = 1 << 12;

/// The list for the beginning of a word and the first letter of the next one. Different beginnings may share a list.
#[inline]
pub fn slot(word: &str, next: &str) -> usize {
    let mut begin = [0; 4];
    for (place, byte) in begin.iter_mut().zip(word.bytes().take(3)) {
        *place = byte;
    }
    begin[3] = next.bytes().next().unwrap_or_default();
    (u32::from_le_bytes(begin).wrapping_mul(0x9e37_79b1) >> 20) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn letters_are_folded_words() {
        let reading = TokenizedText::new("  Città: 1.340 euro… all'ASL! ");
        assert_eq!(reading.all_letters(), "citta 0 000 euro all asl");
        let written = |word| reading.written(word).into_owned();
        let written: Vec<String> = reading.words.iter().map(written).collect();
        assert_eq!(written, ["città", "1", "340", "euro", "all", "asl"]);
        assert_eq!(reading.padded(&reading.words[..1]), " citta ");
        assert_eq!(reading.padded(&reading.words[1..3]), " 0 000 ");
        for nothing in ["?!", "", "\u{200B}\u{301}"] {
            let reading = TokenizedText::new(nothing);
            assert!(reading.words.is_empty() && reading.all_letters().is_empty());
            assert_eq!(reading.padded(&reading.words), "");
        }
    }

    proptest! {
        #[test]
        fn words_make_up_the_letters_of_any_text(raw in any::<String>(), more in "[a-zA-Z0-9àÈ'’ .\u{301}]{0,40}") {
            for raw in [raw, more] {
                let reading = TokenizedText::new(&raw);
                let letters: Vec<&str> = reading.words.iter().map(|word| reading.letters(word)).collect();
                prop_assert_eq!(letters.join(" "), reading.all_letters());
                for word in &reading.words {
                    prop_assert!(raw.get(word.at.clone()).is_some());
                    let numeric = |word: &str| word.chars().any(char::is_numeric);
                    prop_assert_eq!(numeric(reading.letters(word)), numeric(&reading.written(word)));
                }
            }
        }
    }
}
