//! Folding by the page: the same result as `domain::text::search_fold`, many times faster on the text of a European language.
//! Must never differ from it by a byte: a needle is folded there, the archive here.

use std::sync::LazyLock;

use zeroize::Zeroizing;

use super::wiped::Wiped;
use crate::domain::text;

/// First character with an entry in [`LATIN`].
const LATIN_START: u32 = 0x80;
/// One past the last: Latin-1, Latin Extended-A and B.
const LATIN_END: u32 = 0x250;

/// The accented letters of European languages, each folded beforehand. None of them combines with its neighbours.
static LATIN: LazyLock<Vec<String>> = LazyLock::new(|| {
    let letters = LATIN_START..LATIN_END;
    let folded = |code| {
        char::from_u32(code).map(|letter| text::search_fold(letter.encode_utf8(&mut [0; 4])))
    };
    letters
        .map(|code| folded(code).unwrap_or_default())
        .collect()
});

/// Appends the folded text. It may be done run by run, because ASCII combines with nothing but marks, and folding drops
/// those.
pub(super) fn fold_into(folded: &mut Wiped, text: &str) {
    let mut rest = text;
    while !rest.is_empty() {
        let plain = rest.bytes().position(|byte| !byte.is_ascii());
        let (plain, after) = rest.split_at(plain.unwrap_or(rest.len()));
        folded.extend_with(plain.as_bytes(), fold_ascii);
        let run = after.bytes().position(|byte| byte.is_ascii());
        let (accented, after) = after.split_at(run.unwrap_or(after.len()));
        fold_run(folded, accented);
        rest = after;
    }
}

fn fold_ascii(byte: u8) -> u8 {
    if text::is_apostrophe(char::from(byte)) {
        b'\''
    } else {
        byte.to_ascii_lowercase()
    }
}

fn fold_run(folded: &mut Wiped, run: &str) {
    let latin = |letter: char| (LATIN_START..LATIN_END).contains(&u32::from(letter));
    // The apostrophe of word processors stands in every text that came out of one; nothing combines with it.
    if !run
        .chars()
        .all(|letter| latin(letter) || text::is_apostrophe(letter))
    {
        folded.extend(Zeroizing::new(text::search_fold(run)).as_bytes());
        return;
    }
    for letter in run.chars() {
        if text::is_apostrophe(letter) {
            folded.push(b'\'');
            continue;
        }
        let entry = usize::try_from(u32::from(letter) - LATIN_START).unwrap_or(usize::MAX);
        if let Some(letter) = LATIN.get(entry) {
            folded.extend(letter.as_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn fast(raw: &str) -> String {
        let mut folded = Wiped::default();
        folded.extend("Prima".as_bytes());
        fold_into(&mut folded, raw);
        let text = std::str::from_utf8(&folded).unwrap();
        text.strip_prefix("Prima").unwrap().to_owned()
    }

    #[test]
    fn every_character_folds_alike_beside_every_kind_of_neighbour() {
        // The planes above hold no letters.
        for code in 0..0x3_0000 {
            let Some(character) = char::from_u32(code) else {
                continue;
            };
            let raw = format!("{character}A{character}\u{301}èé{character}\u{1161}\u{11A8}");
            assert_eq!(fast(&raw), text::search_fold(&raw), "{raw:?}");
        }
    }

    proptest! {
        #[test]
        fn any_text_folds_alike(raw in any::<String>()) {
            prop_assert_eq!(fast(&raw), text::search_fold(&raw));
        }

        #[test]
        fn text_of_letters_marks_and_syllables_folds_alike(
            raw in "[a-cA-C àÈİßøŐȘ'’`´ʼ\u{1FFD}\u{1FEF}\u{300}\u{301}\u{323}\u{345}\u{391}\u{3AC}가각\u{1100}\u{1161}\u{11A8}👩🏽]{0,24}"
        ) {
            prop_assert_eq!(fast(&raw), text::search_fold(&raw));
        }
    }
}
