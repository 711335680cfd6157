//! How many independent choices a password holds, seen by somebody who guesses words, walks over the keyboard,
//! sequences and years before anything else. It must never be taken for a measure of entropy: it only tells the weak.

use crate::domain::text;

/// Characters that follow each other in the alphabet, among the digits, and on the keyboard: along its rows, down and up
/// from one row to the next. Italian and US layouts agree on these.
const WALKS: &str = "abcdefghijklmnopqrstuvwxyz 01234567890 qwertyuiop asdfghjkl zxcvbnm \
    1qaz 2wsx 3edc 4rfv 5tgb 6yhn 7ujm 8ik 9ol 0p 2q 3w 4e 5r 6t 7y 8u 9i 0o \
    wa es rd tf yg uh ij ok pl sz dx fc gv hb jn km";
/// Shortest run of neighbouring keys that counts as one choice.
const WALK_MIN: usize = 3;
/// Years that people write: of birth, of foundation, this one.
const YEARS: std::ops::RangeInclusive<u32> = 1800..=2099;

pub(super) struct Vocabulary {
    words: Vec<Vec<char>>,
}

impl Vocabulary {
    /// Known words, years, and the names in `context`: whole and word by word.
    pub(super) fn new<'a>(known: impl Iterator<Item = &'a str>, context: &[&str]) -> Self {
        let mut words: Vec<Vec<char>> = known.map(|word| word.chars().collect()).collect();
        words.extend(YEARS.map(|year| year.to_string().chars().collect()));
        for name in context {
            let folded = text::fold(name);
            let parts = folded.split(|character: char| !character.is_alphanumeric());
            words.extend(parts.map(|part| part.chars().collect()));
            let whole = folded.chars().filter(|letter| letter.is_alphanumeric());
            words.push(whole.collect());
        }
        words.retain(|word| word.len() >= 2);
        Self { words }
    }

    /// The least number of choices that spell the (folded) password: each a character, a known word, a walk, a year.
    pub(super) fn effort(&self, password: &[char]) -> usize {
        // least[i]: choices that spell the first i characters.
        let mut least = vec![0; password.len() + 1];
        for end in 1..=password.len() {
            let spelled = &password[..end];
            let word_starts = self
                .words
                .iter()
                .filter(|word| ends_with_word(spelled, word))
                .map(|word| end - word.len());
            let walk_start = walk_start(spelled);
            let best = word_starts
                .chain(walk_start)
                .map(|start| least[start])
                .fold(least[end - 1], usize::min);
            least[end] = best + 1;
        }
        least[password.len()]
    }
}

/// Length of the shortest piece that, repeated (the last time perhaps in part), makes the whole; the whole length when
/// it is not repeated at least once.
pub(super) fn period(characters: &[char]) -> usize {
    let length = characters.len();
    (1..=length / 2)
        .find(|step| characters[*step..].iter().eq(&characters[..length - step]))
        .unwrap_or(length)
}

/// Whether the text ends with the word, also when letters are replaced by the digits and signs that look like them.
fn ends_with_word(spelled: &[char], word: &[char]) -> bool {
    let Some(start) = spelled.len().checked_sub(word.len()) else {
        return false;
    };
    spelled[start..]
        .iter()
        .zip(word)
        .all(|(typed, letter)| typed == letter || looks_like(*typed, *letter))
}

fn looks_like(typed: char, letter: char) -> bool {
    matches!(
        (typed, letter),
        ('4' | '@', 'a')
            | ('8', 'b')
            | ('3' | '€', 'e')
            | ('1' | '!' | '|', 'i' | 'l')
            | ('0', 'o')
            | ('5' | '$', 's')
            | ('7' | '+', 't')
    )
}

/// Where the walk begins that the text ends with, if that is long enough to be one.
fn walk_start(spelled: &[char]) -> Option<usize> {
    let steps = spelled
        .windows(2)
        .rev()
        .take_while(|pair| is_step(pair[0], pair[1]))
        .count();
    (steps + 1 >= WALK_MIN).then(|| spelled.len() - steps - 1)
}

/// Whether the second character follows from the first: the same, or beside it in [`WALKS`].
fn is_step(one: char, two: char) -> bool {
    let beside = |pair: [char; 2]| {
        let pair = String::from_iter(pair);
        WALKS.split_whitespace().any(|walk| walk.contains(&pair))
    };
    one == two || beside([one, two]) || beside([two, one])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chars(text: &str) -> Vec<char> {
        text.chars().collect()
    }

    #[test]
    fn periods_are_found() {
        for (text, expected) in [
            ("aaaa", 1),
            ("abab", 2),
            ("ababa", 2),
            // Less than one whole repetition is none.
            ("abcab", 5),
            ("abcabc", 3),
            ("abcd", 4),
            ("abca", 4),
            ("", 0),
        ] {
            assert_eq!(period(&chars(text)), expected, "{text}");
        }
    }

    #[test]
    fn steps_are_keys_beside_above_and_below() {
        for (one, two) in [
            ('q', 'w'),
            ('w', 'q'),
            ('1', 'q'),
            ('q', '2'),
            ('q', 'a'),
            ('a', 'w'),
            ('a', 'z'),
            ('z', 's'),
            ('a', 'b'),
            ('9', '8'),
            ('9', '0'),
            ('x', 'x'),
            ('-', '-'),
        ] {
            assert!(is_step(one, two) && is_step(two, one), "{one}{two}");
        }
        for (one, two) in [
            ('q', 'e'),
            ('1', 'a'),
            ('q', '3'),
            ('p', 'a'),
            ('è', 'ì'),
            ('-', '.'),
        ] {
            assert!(!is_step(one, two), "{one}{two}");
        }
    }

    #[test]
    fn effort_counts_choices() {
        let vocabulary = Vocabulary::new(["password", "iene"].into_iter(), &["La Voce"]);
        for (text, expected) in [
            ("", 0),
            ("x", 1),
            ("xk", 2),
            ("password", 1),
            ("p@55w0rd", 1),
            ("password1234", 2),
            ("iene2024", 2),
            ("lavoce", 1),
            ("voce!", 2),
            ("qwerty", 1),
            ("qw", 2),
            ("xkmqvt", 6),
        ] {
            assert_eq!(vocabulary.effort(&chars(text)), expected, "{text}");
        }
    }
}
