//! The reporter's own name in an account, as they and others write it: in any case, misspelled by a letter, shortened, or as a
//! pet name ('Peppino', 'Antò', 'la Anto').

use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

use super::names::is_of_place;
use super::words::{PARTS, Word};
use super::{Found, Naming};
use crate::domain::report::Report;
use crate::domain::text::fold;

/// Pet names that no rule makes, each line behind the name that they stand for; folded, but for accents.
const DIMINUTIVES: &str = include_str!("diminutives.txt");
/// Pet names that are words, which small letters do not make names.
const WORDS: [&str; 24] = [
    "ale", "bella", "berta", "betta", "costa", "dea", "fede", "fino", "franco", "genio", "lina",
    "lino", "mela", "mena", "mina", "nella", "pino", "rica", "salva", "salvo", "sale", "tino",
    "vale", "vana",
];
/// Endings of pet names, behind a name without its last vowel.
const ENDINGS: &str = "ino|ina|inu|etto|etta|ettu|uccio|uccia|ucciu|uzzo|uzza|uzzu|ello|ella|iello|iella|illo|illa|iddu|idda|\
    one|ona|otto|otta|olino|olina|arello|arella|u";
/// Letters of a part of a name that can be misspelled, or cut off, at least.
const LONG: usize = 5;
const CUT: usize = 3;
/// Digits of a telephone number, at least.
const SHORTEST_NUMBER: usize = 6;

static PET_NAMES: LazyLock<HashMap<String, Vec<String>>> = LazyLock::new(|| {
    let entry = |line: &str| {
        let mut names = line.split_whitespace().map(fold);
        Some((names.next()?, names.collect()))
    };
    DIMINUTIVES.lines().filter_map(entry).collect()
});

/// The parts of a reporter's name, folded.
struct OwnName {
    first: Vec<String>,
    surname: Vec<String>,
    /// Two parts that are written as one.
    joined: Vec<String>,
}

/// The places of the reporter's own name and number.
pub fn found(text: &str, words: &[Word<'_>], report: &Report) -> Vec<Found> {
    let names = own_names(text, words, report).into_iter();
    let spelled = spelled(text, words, &OwnName::of(report)).into_iter();
    let names = names.chain(spelled);
    let numbers = own_numbers(text, &report.telefono).into_iter();
    let numbers = numbers.map(|at| Found::of(at, Naming::Phone));
    names
        .map(|at| Found::of(at, Naming::OwnName))
        .chain(numbers)
        .collect()
}

/// A name letter by letter ('B.I.A.N.C.H.I.', 'b i a n c h i'), or its initials ('M. R.').
fn spelled(text: &str, words: &[Word<'_>], name: &OwnName) -> Vec<Range<usize>> {
    let single = |word: &Word<'_>| word.folded.len() == 1;
    let follows = |one: &Word<'_>, next: &Word<'_>| {
        single(one) && single(next) && is_thin(&text[one.at.end..next.at.start])
    };
    let runs = words.chunk_by(follows).filter(|run| run.len() > 1);
    runs.flat_map(|run| name.letters_in(run)).collect()
}

/// The reporter's number, whatever stands between its digits.
fn own_numbers(text: &str, number: &str) -> Vec<Range<usize>> {
    let own: Vec<u8> = number.bytes().filter(u8::is_ascii_digit).collect();
    let own = own
        .strip_prefix(b"39")
        .filter(|_| number.starts_with('+'))
        .unwrap_or(&own);
    if own.len() < SHORTEST_NUMBER {
        return Vec::new();
    }
    let digits = text
        .bytes()
        .enumerate()
        .filter(|(_, byte)| byte.is_ascii_digit());
    let digits: Vec<(usize, u8)> = digits.collect();
    let near = |pair: &[(usize, u8)]| {
        let between = &text[pair[0].0 + 1..pair[1].0];
        between.len() <= 4 && !between.contains(char::is_alphanumeric)
    };
    let same = |run: &&[(usize, u8)]| {
        run.iter().map(|(_, digit)| digit).eq(own) && run.windows(2).all(near)
    };
    let runs = digits.windows(own.len()).filter(same);
    runs.map(|run| run[0].0..run[own.len() - 1].0 + 1).collect()
}

/// The bytes of every place of a part of the reporter's name; parts that follow each other are one place.
fn own_names(text: &str, words: &[Word<'_>], report: &Report) -> Vec<Range<usize>> {
    let name = OwnName::of(report);
    let mut own: Vec<bool> = (0..words.len()).map(|at| name.is_at(words, at)).collect();
    for at in (1..own.len()).rev() {
        own[at - 1] |= own[at] && name.leads(&words[at - 1]);
    }
    let mut places: Vec<Range<usize>> = Vec::new();
    for word in words
        .iter()
        .zip(&own)
        .filter(|(_, own)| **own)
        .map(|(word, _)| word)
    {
        let near = places
            .last_mut()
            .filter(|last| is_thin(&text[last.end..word.at.start]));
        match near {
            Some(last) => last.end = word.at.end,
            None => places.push(word.at.clone()),
        }
    }
    places
}

/// What may stand between two parts of a name.
fn is_thin(between: &str) -> bool {
    between.len() <= 3 && between.chars().all(|sign| " '’.-".contains(sign))
}

impl OwnName {
    fn of(report: &Report) -> Self {
        let parts = |name: &str| -> Vec<String> {
            let folded = fold(name);
            let parts = folded.split(|sign: char| !sign.is_alphanumeric());
            parts
                .filter(|part| !part.is_empty())
                .map(str::to_owned)
                .collect()
        };
        let (first, surname) = (parts(&report.nome), parts(&report.cognome));
        let whole = [&first[..], &surname[..]].concat();
        let turned = surname
            .last()
            .zip(first.first())
            .map(|(last, first)| format!("{last}{first}"));
        Self {
            joined: whole.windows(2).map(<[_]>::concat).chain(turned).collect(),
            first,
            surname,
        }
    }

    fn parts(&self) -> impl Iterator<Item = &String> {
        self.first.iter().chain(&self.surname)
    }

    fn is_at(&self, words: &[Word<'_>], at: usize) -> bool {
        let word = &words[at];
        if is_of_place(words, at) || word.folded.len() < 2 {
            return false;
        }
        let written = word.is_capital() || !PARTS.contains(&*word.folded);
        let plain =
            self.parts().any(|part| *part == word.folded) || self.joined.contains(&word.folded);
        (plain && written)
            || self.parts().any(|part| is_misspelled(word, part))
            || self.first.iter().any(|part| is_pet_name(word, part))
    }

    /// The parts of the name that letters in a row spell, and capitals that are its first letters.
    fn letters_in(&self, run: &[Word<'_>]) -> Vec<Range<usize>> {
        let letters: String = run.iter().map(|word| &*word.folded).collect();
        let place =
            |first: usize, length: usize| run[first].at.start..run[first + length - 1].at.end;
        let parts = self
            .parts()
            .filter(|part| part.len() >= CUT && part.is_ascii());
        let mut places: Vec<_> = parts
            .flat_map(|part| {
                letters
                    .match_indices(&**part)
                    .map(|(at, _)| at..at + part.len())
            })
            .map(|at| place(at.start, at.len()))
            .collect();
        let first = |part: Option<&String>| part.and_then(|part| part.chars().next());
        let initials = [first(self.first.first()), first(self.surname.first())];
        let turned = [initials[1], initials[0]];
        let pointed = |word: &Word<'_>| {
            let point = word.is_capital() && word.behind == Some('.');
            point.then(|| word.folded.chars().next()).flatten()
        };
        let written: Vec<_> = run.iter().map(pointed).collect();
        let own = |pair: &[Option<char>]| {
            pair.iter().all(Option::is_some) && (pair == initials || pair == turned)
        };
        let pairs = written.windows(2).enumerate().filter(|(_, pair)| own(pair));
        places.extend(pairs.map(|(at, _)| place(at, 2)));
        places
    }

    /// An initial or a particle before a part of the name.
    fn leads(&self, word: &Word<'_>) -> bool {
        let particle =
            PARTS.contains(&*word.folded) && self.parts().any(|part| *part == word.folded);
        let initial = word.is_capital() && word.folded.len() == 1;
        particle || (initial && self.parts().any(|part| part.starts_with(&word.folded)))
    }
}

/// With single letters for double ones, or one letter off.
fn is_misspelled(word: &Word<'_>, part: &str) -> bool {
    let long = word.folded.len() >= LONG && part.len() >= LONG;
    long && (squeezed(&word.folded) == squeezed(part)
        || (word.is_capital() && is_one_off(&word.folded, part)))
}

fn squeezed(word: &str) -> String {
    let mut letters: Vec<char> = word.chars().collect();
    letters.dedup();
    letters.into_iter().collect()
}

/// One letter is another one, missing, or too many.
fn is_one_off(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() <= other.len() {
        (one, other)
    } else {
        (other, one)
    };
    let same = short
        .bytes()
        .zip(long.bytes())
        .take_while(|(one, other)| one == other)
        .count();
    let (short, long) = (&short.as_bytes()[same..], &long.as_bytes()[same..]);
    match long.len() - short.len() {
        0 => short.get(1..) == long.get(1..),
        1 => *short == long[1..],
        _ => false,
    }
}

fn is_pet_name(word: &Word<'_>, part: &str) -> bool {
    let name = &*word.folded;
    let listed = PET_NAMES
        .get(part)
        .is_some_and(|names| names.iter().any(|one| one == name));
    if listed || is_altered(name, part) {
        return word.is_capital() || !WORDS.contains(&name);
    }
    // 'Salva, vieni qui'.
    let addressed = word.behind == Some(',') || !word.begins || !word.written.is_ascii();
    word.is_capital() && addressed && is_shortened(name, part)
}

/// 'Ciruzzo', 'Annarella', 'Marchino'.
fn is_altered(name: &str, part: &str) -> bool {
    let stem = part.trim_end_matches(['a', 'e', 'i', 'o', 'u']);
    let ending = (stem.len() >= CUT)
        .then(|| name.strip_prefix(stem))
        .flatten();
    ending.is_some_and(|ending| {
        let ending = ending.strip_prefix('h').unwrap_or(ending);
        ENDINGS.split('|').any(|one| one == ending)
    })
}

/// 'Ale', 'Salvatò', 'Domy', 'Bastiano', 'Vanna'.
fn is_shortened(name: &str, part: &str) -> bool {
    let cut = |name: &str| name.len() >= CUT && name.len() < part.len() && part.starts_with(name);
    let sweet = name.strip_suffix(['y', 'i']).is_some_and(cut);
    let tail = name.len() > CUT && name.len() < part.len() && part.ends_with(name);
    cut(name) || sweet || tail
}
