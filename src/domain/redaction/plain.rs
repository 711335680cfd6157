//! An account as the rules read it, and where each of its characters stands in the original: digits of any script, wide and
//! decomposed letters, look-alikes of apostrophes and hyphens in their common form, words that a line's end cut as one.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::Span;
use crate::domain::text::is_blank;

/// Zeros of the scripts whose digits compatibility does not decompose; nine more digits follow each.
const ZEROS: [char; 36] = [
    '\u{660}',
    '\u{6F0}',
    '\u{7C0}',
    '\u{966}',
    '\u{9E6}',
    '\u{A66}',
    '\u{AE6}',
    '\u{B66}',
    '\u{BE6}',
    '\u{C66}',
    '\u{CE6}',
    '\u{D66}',
    '\u{DE6}',
    '\u{E50}',
    '\u{ED0}',
    '\u{F20}',
    '\u{1040}',
    '\u{1090}',
    '\u{17E0}',
    '\u{1810}',
    '\u{1946}',
    '\u{19D0}',
    '\u{1A80}',
    '\u{1A90}',
    '\u{1B50}',
    '\u{1BB0}',
    '\u{1C40}',
    '\u{1C50}',
    '\u{A620}',
    '\u{A8D0}',
    '\u{A900}',
    '\u{A9D0}',
    '\u{A9F0}',
    '\u{AA50}',
    '\u{ABF0}',
    '\u{104A0}',
];
/// Blanks behind a hyphen that a line's end may have, at most.
const INDENT: usize = 8;

pub struct Plain {
    pub text: String,
    /// Of each piece its first byte, and the characters of the original that it stands for.
    pieces: Vec<(usize, Range<usize>)>,
}

impl Plain {
    pub fn of(original: &str) -> Self {
        let signs: Vec<char> = original.chars().collect();
        let mut plain = Self {
            text: String::with_capacity(original.len()),
            pieces: Vec::with_capacity(signs.len()),
        };
        let mut at = 0;
        while let Some(sign) = signs.get(at) {
            let marks = signs[at + 1..].iter().take_while(|mark| is_mark(**mark));
            let end = at + 1 + marks.count();
            let next = signs.get(end).copied();
            at = if let Some(behind) = behind_cut(&plain.text, &signs, at) {
                plain.put(cut_sign(signs[at - 1], signs[behind]), at..behind);
                behind
            } else {
                let read = read(*sign, &signs[at + 1..end], &plain.text, next);
                plain.put(&read, at..end);
                end
            };
        }
        plain
    }

    fn put(&mut self, piece: &str, characters: Range<usize>) {
        if !piece.is_empty() {
            self.pieces.push((self.text.len(), characters));
            self.text.push_str(piece);
        }
    }

    /// The characters of the original that bytes of the plain text stand for.
    pub fn span(&self, bytes: &Range<usize>) -> Span {
        let piece = |byte: usize| {
            let behind = self.pieces.partition_point(|(first, _)| *first <= byte);
            let piece = self.pieces.get(behind.saturating_sub(1));
            piece.map_or(0..0, |(_, characters)| characters.clone())
        };
        Span {
            start: piece(bytes.start).start,
            end: piece(bytes.end.saturating_sub(1)).end,
        }
    }
}

/// Whether it belongs to the character before it: accents, and signs that show nothing.
fn is_mark(sign: char) -> bool {
    !sign.is_ascii()
        && !sign.is_whitespace()
        && (is_combining_mark(sign) || is_blank(sign.encode_utf8(&mut [0; 4])))
}

/// A character with its marks, in the form that the rules know.
fn read(sign: char, marks: &[char], before: &str, next: Option<char>) -> String {
    let in_word = before.ends_with(char::is_alphabetic) && next.is_some_and(char::is_alphabetic);
    match sign {
        '\u{2018}' | '\u{2BC}' | '\u{2032}' | '\u{2B9}' | '\u{B4}' | '`' if in_word => "'".into(),
        '\u{2013}' if in_word => "-".into(),
        '\u{2010}' | '\u{2011}' => "-".into(),
        'º' => "°".into(),
        '\u{2028}' | '\u{2029}' | '\u{85}' => "\n".into(),
        sign if !sign.is_ascii() && sign.is_whitespace() => " ".into(),
        sign if is_mark(sign) => String::new(),
        sign if marks.is_empty() && sign.is_ascii() => sign.into(),
        sign => compatible(sign, marks),
    }
}

fn compatible(sign: char, marks: &[char]) -> String {
    let all = std::iter::once(sign).chain(marks.iter().copied());
    let wide = matches!(sign, '\u{FE50}'..='\u{FE6B}' | '\u{FF01}'..='\u{FF5E}');
    let raised = matches!(
        sign,
        '\u{B2}' | '\u{B3}' | '\u{B9}' | '\u{2070}'..='\u{209F}'
    );
    let shown = |sign: &char| !is_mark(*sign);
    let read: String = all.clone().nfkc().filter(shown).map(as_digit).collect();
    if !raised && (wide || read.chars().all(char::is_alphanumeric)) {
        return read;
    }
    all.nfc().filter(shown).collect()
}

fn as_digit(sign: char) -> char {
    let value = |zero: &char| {
        let value = u32::from(sign).checked_sub(u32::from(*zero))?;
        char::from_digit(value, 10)
    };
    let other = sign.is_numeric() && !sign.is_ascii();
    let digit = other.then(|| ZEROS.iter().find_map(value)).flatten();
    digit.unwrap_or(sign)
}

/// Where a word or number goes on in the next line, if there is the hyphen that cuts it.
fn behind_cut(before: &str, signs: &[char], at: usize) -> Option<usize> {
    let cuts = matches!(signs[at], '-' | '\u{2010}' | '\u{2011}');
    if !cuts || !before.ends_with(char::is_alphanumeric) {
        return None;
    }
    let blanks = signs[at + 1..].iter().take(INDENT);
    let blanks = blanks.take_while(|sign| sign.is_whitespace()).count();
    let behind = at + 1 + blanks;
    let breaks = signs[at + 1..behind].iter().filter(|sign| **sign == '\n');
    let goes_on = signs.get(behind).is_some_and(|sign| sign.is_alphanumeric());
    (breaks.count() == 1 && goes_on).then_some(behind)
}

/// 'Bian-' and 'chi' are one word, 'Rossi-' and 'Bianchi' two, figures stay apart.
fn cut_sign(before: char, behind: char) -> &'static str {
    let capitals = before.is_uppercase() && behind.is_uppercase();
    if behind.is_lowercase() || capitals {
        ""
    } else {
        "-"
    }
}
