//! The words of an account: how each is written, and what is known of it.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

use crate::domain::text::fold;

/// Common first names in Italy, folded.
const FIRST_NAMES: &str = include_str!("first_names.txt");
/// Common surnames, also those that are words ('verdi', 'conti'), folded.
const SURNAMES: &str = include_str!("surnames.txt");
/// Words that accounts are made of, without names; from the accounts of `models`, folded.
const COMMON: &str = include_str!("common_words.txt");
/// Endings of verbs and adverbs that the list cannot hold, which hardly a surname has.
const ENDINGS: [&str; 26] = [
    "ava", "eva", "iva", "avano", "evano", "ivano", "avo", "evo", "ivo", "ando", "endo", "mente",
    "zione", "zioni", "rono", "rebbe", "ebbero", "isce", "iscono", "ssimo", "ssima", "ranno",
    "essero", "asse", "esse", "arlo",
];
/// Parts of surnames.
const PARTICLES: &str = "de|di|da|del|della|dello|dei|degli|dal|dalla|dall|dell|d|la|lo|li|le|van|von|der|den|dos|das|du|el|al|ben|bin|ibn|abu|o";
/// Titles that are written with a point.
const SHORTENED: &str = "dott|dr|avv|ing|arch|geom|rag|prof|sig|sigra|sigr|sigg|mr|mrs|ssa|sa|ra|na|ri|to|llo|m|on|sen|gen|col|ten|brig|mons|cav|comm|magg|isp|ved";

static KNOWN: LazyLock<HashSet<&str>> = LazyLock::new(|| FIRST_NAMES.split_whitespace().collect());
static SURNAMED: LazyLock<HashSet<&str>> = LazyLock::new(|| SURNAMES.split_whitespace().collect());
static PLAIN: LazyLock<HashSet<&str>> = LazyLock::new(|| COMMON.split_whitespace().collect());
pub static PARTS: LazyLock<HashSet<&str>> = LazyLock::new(|| PARTICLES.split('|').collect());
static SHORT: LazyLock<HashSet<&str>> = LazyLock::new(|| SHORTENED.split('|').collect());

/// How a word is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writing {
    Small,
    /// 'Luca', or a script without capitals.
    Initial,
    /// 'LUCA'.
    Capitals,
}

/// A word of a text, and what stands before it.
pub struct Word<'t> {
    pub at: Range<usize>,
    pub written: &'t str,
    pub folded: String,
    pub writing: Writing,
    /// All that parts it from the word before.
    pub gap: &'t str,
    /// Whether only a blank, an apostrophe, or the point of a shortened title parts it from the word before.
    pub joined: bool,
    /// Whether a sentence begins with it.
    pub begins: bool,
    /// The sign behind it.
    pub behind: Option<char>,
    /// Whether it is written in capitals, as the word before.
    pub shouted: bool,
}

impl Word<'_> {
    pub fn is_capital(&self) -> bool {
        self.written.chars().next().is_some_and(char::is_uppercase)
    }

    /// A common first name; 'sarà' is none.
    pub fn is_known(&self) -> bool {
        KNOWN.contains(&*self.folded) && !self.written.ends_with(['à', 'À'])
    }

    pub fn is_surname(&self) -> bool {
        SURNAMED.contains(&*self.folded)
    }

    pub fn is_particle(&self) -> bool {
        PARTS.contains(&*self.folded)
    }

    /// A word that is hardly a name; those that are both count as names.
    pub fn is_common(&self) -> bool {
        let word = &*self.folded;
        if self.is_known() || self.is_surname() {
            return false;
        }
        let ends = |ending: &&str| word.len() > 5 && word.ends_with(*ending);
        word.len() < 2
            || PLAIN.contains(word)
            || ENDINGS.iter().any(ends)
            || word.contains(|sign: char| sign.is_ascii_digit())
    }

    /// Whether it can be a surname where the way it is written says nothing.
    pub fn is_uncommon(&self) -> bool {
        self.folded.len() > 2 && !self.is_common()
    }
}

/// The words of an account.
pub fn words_of(text: &str) -> Vec<Word<'_>> {
    let mut words: Vec<Word<'_>> = Vec::new();
    let mut rest = 0;
    while let Some(start) = text[rest..].find(char::is_alphabetic).map(|at| rest + at) {
        let length = text[start..].find(|sign: char| !sign.is_alphanumeric());
        let end = length.map_or(text.len(), |length| start + length);
        let gap = &text[rest..start];
        let before = words.last();
        let joined = before.is_some_and(|before| is_near(before, gap));
        let ended = gap.contains(['.', '!', '?', '\n', ';', ':']) && !joined;
        let written = &text[start..end];
        // One capital letter is written so in any text.
        let loud = before.is_some_and(|before| {
            before.writing == Writing::Capitals && (before.written.len() > 1 || before.shouted)
        });
        let writing = writing_of(written);
        words.push(Word {
            shouted: loud && writing == Writing::Capitals,
            begins: ended || before.is_none(),
            behind: text[end..].chars().next(),
            folded: fold(written),
            at: start..end,
            written,
            writing,
            gap,
            joined,
        });
        rest = end;
    }
    words
}

fn is_near(before: &Word<'_>, gap: &str) -> bool {
    let title = before.folded.len() == 1 || SHORT.contains(&*before.folded);
    let elided = before.is_particle() && matches!(gap, "' " | "’ ");
    matches!(gap, " " | "'" | "’" | "-") || elided || (title && matches!(gap, "." | ". "))
}

fn writing_of(written: &str) -> Writing {
    let first = written.chars().next();
    if first.is_some_and(char::is_lowercase) {
        Writing::Small
    } else if first.is_some_and(char::is_uppercase) && !written.contains(char::is_lowercase) {
        Writing::Capitals
    } else {
        Writing::Initial
    }
}
