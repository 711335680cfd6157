//! How typed text is made comparable and safe to show. Visible characters stay as they were written.

use std::fmt::Display;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Unicode normal form C, trimmed, line breaks as `\n`, tabs kept; idempotent (`PRODUCT.md §2`). Stripped are control
/// characters, bidi marks (a text would read differently from what is stored), annotations, tags and variation selectors
/// beyond the first sixteen (they can hide a text; flags made with tags become black flags), what copied texts bring in place of
/// pictures, and zero-width characters that split words. Joiners and the other selectors stay where they draw: behind emoji and
/// letters of scripts that join.
pub fn clean(raw: &str) -> String {
    if raw.chars().all(is_plain) {
        return raw.trim().to_owned();
    }
    let mut kept = String::with_capacity(raw.len());
    let mut before = ' ';
    let mut characters = raw.nfc().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\r' if characters.peek() == Some(&'\n') => continue,
            '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => kept.push('\n'),
            other if is_stripped(other) => continue,
            other if is_shaping(other) && !is_shaped(before) => {
                // Digits in boxes are drawn so.
                if characters.peek() != Some(&KEYCAP) {
                    continue;
                }
                kept.push(other);
            }
            other => kept.push(other),
        }
        before = character;
    }
    let normal: String = kept.nfc().collect();
    normal.trim().to_owned()
}

/// [`clean_line`] without any character that shows nothing, for data in which none has a meaning.
pub fn visible_line(raw: &str) -> String {
    let seen = |character: &char| !is_stripped(*character) && !is_shaping(*character);
    let seen: String = raw.chars().filter(seen).collect();
    clean_line(&seen.replace('\u{2800}', " "))
}

/// Encloses the sign before it in a box.
const KEYCAP: char = '\u{20E3}';

/// Characters that [`clean`] leaves as they are, and that are in normal form beside each other.
fn is_plain(character: char) -> bool {
    matches!(character, ' '..='~' | '\n' | '\t' | '\u{A0}'..='\u{AC}' | '\u{AE}'..='\u{2FF}')
}

/// Entries of a list are separated by `|`.
pub fn is_listed(list: &str, entry: &str) -> bool {
    list.split('|').any(|one| one == entry)
}

/// [`clean`] for a value of one line: runs of whitespace become one space.
pub fn clean_line(raw: &str) -> String {
    let cleaned = clean(raw);
    cleaned.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// '1 segnalazione', '2 segnalazioni'.
pub fn counted<N: Copy + Display + PartialEq + From<u8>>(
    count: N,
    one: &str,
    many: &str,
) -> String {
    let noun = if count == N::from(1) { one } else { many };
    format!("{count} {noun}")
}

/// One line, with `…` where it was cut.
pub fn excerpt(text: &str, characters: usize) -> String {
    // Bounds the work, even if every other character is a blank.
    let seen = text.char_indices().nth(4 * characters);
    let cleaned = clean(&text[..seen.map_or(text.len(), |(end, _)| end)]);
    let mut length = 0;
    let words = cleaned.split_whitespace().take_while(|word| {
        let room = length <= characters + 1;
        length += 1 + char_count(word);
        room
    });
    let mut line = words.collect::<Vec<_>>().join(" ");
    if let Some((end, _)) = line.char_indices().nth(characters) {
        line.truncate(end);
        line.truncate(line.trim_end().len());
        line.push('…');
    }
    line
}

/// Unicode scalar values: every limit shown to a person counts so.
pub fn char_count(text: &str) -> usize {
    text.chars().count()
}

pub fn word_count(text: &str) -> usize {
    text.split_whitespace().count()
}

/// Only whitespace and invisible characters.
pub fn is_blank(text: &str) -> bool {
    text.chars()
        .all(|character| character.is_whitespace() || is_invisible(character))
}

/// A character that [`clean`] strips, or with `single_line` a line break or tab.
pub fn has_controls(text: &str, single_line: bool) -> bool {
    text.chars().any(|character| {
        is_stripped(character)
            || (single_line && matches!(character, '\n' | '\t' | '\u{2028}' | '\u{2029}'))
    })
}

/// For comparison: lower case, without diacritics, letters that do not decompose spelled out, one kind of apostrophe. It may be
/// longer than the text.
pub fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let plain = rest.bytes().position(|byte| !byte.is_ascii());
        let (plain, behind) = rest.split_at(plain.unwrap_or(rest.len()));
        folded.extend(plain.bytes().map(|byte| match byte {
            b'`' => '\'',
            other => char::from(other.to_ascii_lowercase()),
        }));
        let mut characters = behind.chars();
        if let Some(letter) = characters.next().and_then(folded_alone) {
            folded.push(letter);
            rest = characters.as_str();
        } else {
            let (other, behind) = behind.split_at(other_start(behind));
            folded.push_str(&fold_slowly(other));
            rest = behind;
        }
    }
    folded
}

/// Common letters beyond ASCII, whatever stands beside them: a mark on one is dropped anyway.
fn folded_alone(letter: char) -> Option<char> {
    let at = "àèéìòùÈ’".chars().position(|one| one == letter)?;
    "aeeioue'".chars().nth(at)
}

/// Bytes up to the next two ASCII characters: the first of them no longer changes what precedes.
fn other_start(text: &str) -> usize {
    let pairs = text.as_bytes().windows(2);
    let mut ended = pairs.enumerate().skip(1);
    ended
        .find(|(_, pair)| pair.is_ascii())
        .map_or(text.len(), |(at, _)| at)
}

fn fold_slowly(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    text.nfd()
        .flat_map(char::to_lowercase)
        // Lower-casing can produce a combining mark ('İ').
        .nfd()
        .filter(|character| !is_combining_mark(*character))
        .nfc()
        // Composing produces further accents, so this comes last.
        .for_each(|character| match spelled_out(character) {
            "" => folded.push(character),
            plain => folded.push_str(plain),
        });
    folded
}

/// How letters are written that do not decompose, by those whose keyboard lacks them; empty for others.
const fn spelled_out(letter: char) -> &'static str {
    match letter {
        '\u{2019}' | '\u{2018}' | '\u{2BC}' | '\u{2032}' | '`' | '\u{B4}' => "'",
        'ß' => "ss",
        'æ' => "ae",
        'œ' => "oe",
        'þ' => "th",
        'ð' | 'đ' => "d",
        'ł' | 'ŀ' => "l",
        'ø' => "o",
        'ı' => "i",
        'ŋ' => "n",
        'ħ' => "h",
        'ŧ' => "t",
        'ſ' => "s",
        'ŉ' => "'n",
        'ĳ' => "ij",
        'ﬀ' => "ff",
        'ﬁ' => "fi",
        'ﬂ' => "fl",
        'ﬃ' => "ffi",
        'ﬄ' => "ffl",
        _ => "",
    }
}

/// Lower case in normal form C, for matching that ignores case and respects accents.
pub fn lower(text: &str) -> String {
    if text.chars().all(is_plain) {
        let low: String = text.chars().flat_map(char::to_lowercase).collect();
        // One capital letter has a small one with a mark.
        if low.chars().all(is_plain) {
            return low;
        }
    }
    text.nfc().flat_map(char::to_lowercase).nfc().collect()
}

/// Whether a character never shows: control characters, those `Default_Ignorable_Code_Point` (Unicode 16) that
/// [`is_shaping`] does not know, annotations and the stand-in of an object.
fn is_stripped(character: char) -> bool {
    (character.is_control() && !matches!(character, '\n' | '\t'))
        || matches!(
            character,
            '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}' | '\u{180E}'
                | '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}'
                | '\u{3164}' | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFFC}'
                | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}'
        )
}

/// Joiners and variation selectors: they show nothing, and change how the character before them is drawn.
const fn is_shaping(character: char) -> bool {
    matches!(
        character,
        '\u{180B}'..='\u{180D}' | '\u{180F}' | '\u{200C}' | '\u{200D}' | '\u{FE00}'..='\u{FE0F}'
    )
}

/// Whether a joiner or selector behind the character draws something: it does not behind Latin, Greek and Cyrillic letters,
/// digits and blanks.
fn is_shaped(character: char) -> bool {
    character >= '\u{590}'
        && !matches!(character, '\u{1AB0}'..='\u{1FFF}' | '\u{2C60}'..='\u{2C7F}' | '\u{A720}'..='\u{A7FF}')
        && !character.is_whitespace()
}

fn is_invisible(character: char) -> bool {
    is_stripped(character)
        || is_shaping(character)
        || is_combining_mark(character)
        || character == '\u{2800}'
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn cleaning_strips_what_is_not_text() {
        let cases = [
            ("  ciao  ", "ciao"),
            ("a\0b\u{7}c\u{1b}d\u{9f}e", "abcde"),
            ("prima\r\nseconda\rterza", "prima\nseconda\nterza"),
            ("uno\u{2028}due\u{85}tre", "uno\ndue\ntre"),
            ("col\tonna", "col\tonna"),
            (
                "\u{202E}gpj.exe\u{202C} \u{2066}x\u{2069}\u{202A}",
                "gpj.exe x",
            ),
            ("avvo\u{200B}ca\u{AD}to\u{FEFF}", "avvocato"),
            ("av\u{200E}vo\u{61C}ca\u{FFF9}t\u{FFFB}o", "avvocato"),
            (
                "🏴\u{E0067}\u{E0062}\u{E007F} a\u{E0001}\u{E0041}b",
                "🏴 ab",
            ),
            ("a\u{200F}v\u{2061}v\u{2064}o\u{E0100}\u{E01EF}", "avvo"),
            ("❤\u{FE0F}", "❤\u{FE0F}"),
            ("1\u{FE0F}\u{20E3}", "1\u{FE0F}\u{20E3}"),
            // Copied out of rich texts and of contacts: woocommerce/woocommerce#58000, antiwork/gumroad#6522.
            ("Ma\u{FE0F}rio\u{200D} \u{200C}Rossi\u{FFFC}", "Mario Rossi"),
            ("\u{3164}Anna\u{180E}", "Anna"),
            ("e\u{FE0F}\u{301}", "\u{e9}"),
            // Persian writes this word with a joiner.
            ("می\u{200C}خواهم", "می\u{200C}خواهم"),
            ("e\u{300}", "\u{e8}"),
            ("👩\u{200D}🚒", "👩\u{200D}🚒"),
            ("", ""),
            ("\u{200B} \n\t", ""),
        ];
        for (raw, expected) in cases {
            assert_eq!(clean(raw), expected, "{raw:?}");
        }
    }

    #[test]
    fn a_line_has_single_spaces() {
        assert_eq!(
            clean_line("  Anna \t\n  Maria\u{A0}\u{A0}De  Luca "),
            "Anna Maria De Luca"
        );
        assert_eq!(clean_line(" \n "), "");
    }

    #[test]
    fn counts_are_of_characters_and_words() {
        assert_eq!(char_count("perché 🚒"), 8);
        assert_eq!(word_count("  uno\n due\t\ttre  "), 3);
        assert_eq!(word_count(""), 0);
    }

    #[test]
    fn blank_means_nothing_to_see() {
        for blank in [
            "",
            " \n",
            "\u{200D}\u{200D}",
            "\u{FE0F}",
            "\u{301}\u{301}",
            "\u{3164}",
        ] {
            assert!(is_blank(blank), "{blank:?}");
        }
        for seen in ["a", " . ", "🚒", "字"] {
            assert!(!is_blank(seen), "{seen:?}");
        }
    }

    #[test]
    fn controls_are_found_also_line_breaks_when_asked() {
        assert!(has_controls("a\0", false));
        assert!(has_controls("a\u{202E}", false));
        assert!(!has_controls("a\nb\tc", false));
        assert!(has_controls("a\nb", true));
        assert!(!has_controls("Perché no? 🚒", true));
    }

    #[test]
    fn folding_forgets_case_and_accents() {
        for (raw, expected) in [
            ("PERCHÉ", "perche"),
            ("e\u{300}", "e"),
            ("Șerban Ăla", "serban ala"),
            ("İstanbul", "istanbul"),
            ("D'Àngelo", "d'angelo"),
            // FossifyOrg/Contacts#204, coder13/Competitor-groups#39: letters that do not decompose.
            ("Groß GROẞ", "gross gross"),
            ("Işıl", "isil"),
            ("Æsa Œuvre", "aesa oeuvre"),
            ("Þórður", "thordur"),
            ("Wałęsa, Sørensen, Ǿ, Đurić", "walesa, sorensen, o, duric"),
            ("ŋ ħ ŀ ŧ", "n h l t"),
            ("uﬃcio ﬁrma", "ufficio firma"),
        ] {
            assert_eq!(fold(raw), expected, "{raw}");
        }
        assert_eq!(lower("PERCHE\u{301}"), "perché");
    }

    #[test]
    fn every_apostrophe_is_one() {
        for raw in [
            "D'Àngelo",
            "d’angelo",
            "D‘ANGELO",
            "dʼangelo",
            "d′angelo",
            "d`angelo",
            "d´angelo",
        ] {
            assert_eq!(fold(raw), "d'angelo", "{raw}");
        }
        // The Greek forms of two accents are the accents.
        assert_eq!(fold("\u{1FFD}\u{1FEF}"), "''");
        assert_eq!(fold("“D\"A”"), "“d\"a”", "quotation marks of two stay");
    }

    #[test]
    fn only_whole_entries_are_listed() {
        let list = "no|no grazie|è|niente";
        for (entry, listed) in [
            ("no", true),
            ("no grazie", true),
            ("è", true),
            ("niente", true),
            ("grazie", false),
            ("n", false),
            ("nient", false),
            ("nienteniente", false),
            ("", false),
        ] {
            assert_eq!(is_listed(list, entry), listed, "{entry}");
        }
    }

    #[test]
    fn a_pile_of_combining_marks_is_normalised() {
        let pile: String = std::iter::once('a')
            .chain((0..200_000).map(|index| if index % 2 == 0 { '\u{301}' } else { '\u{323}' }))
            .collect();
        assert_eq!(char_count(&clean(&pile)), 200_000);
    }

    proptest! {
        #[test]
        fn cleaning_twice_is_cleaning_once(raw in any::<String>()) {
            let once = clean(&raw);
            prop_assert_eq!(clean(&once), once.clone());
            prop_assert!(!has_controls(&once, false));
            let line = clean_line(&raw);
            prop_assert_eq!(clean_line(&line), line.clone());
            prop_assert!(!line.contains("  "));
        }

        #[test]
        fn folding_quickly_is_folding(raw in "[aeioI'`’´\u{300}\u{301}\u{323}èÈàßẞæŉǾﬃİſK .!0-9]{0,40}", any in any::<String>()) {
            for text in [raw.clone(), any.clone(), format!("{raw}{any}")] {
                prop_assert_eq!(fold(&text), fold_slowly(&text));
            }
        }

        #[test]
        fn plain_texts_are_clean_and_normal(raw in "[ -~\t\n\r\u{7F}-\u{310}]{0,20}", any in any::<char>()) {
            for text in [raw.clone(), format!("{any}{raw}")] {
                // Behind a character that is not plain the long way is gone.
                let long = clean(&format!("\u{200B}{text}"));
                prop_assert_eq!(clean(&text), long);
                let low: String = text.nfc().flat_map(char::to_lowercase).nfc().collect();
                prop_assert_eq!(lower(&text), low);
            }
        }

        #[test]
        fn folding_twice_is_folding_once(raw in any::<String>()) {
            let once = fold(&raw);
            prop_assert_eq!(fold(&once), once);
        }
    }
}
