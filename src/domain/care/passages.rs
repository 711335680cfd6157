//! Cuts a long account into overlapping passages of a few sentences. Length and number of passages are bounded: a hostile text
//! costs no more than an honest one of its length.

use std::ops::Range;

/// In bytes; a longer sentence is cut between words.
pub(super) const LONGEST: usize = 240;
/// Passages begin at least so many bytes apart.
const STEP: usize = LONGEST / 2;
/// A shorter passage says too little by itself.
const SHORTEST: usize = 40;

/// The places of the passages; none in a text no longer than one.
pub fn passages(text: &str) -> Vec<Range<usize>> {
    if text.len() <= LONGEST {
        return Vec::new();
    }
    let starts = sentence_starts(text);
    let mut found = Vec::new();
    let mut next = 0;
    for (number, start) in starts.iter().copied().enumerate() {
        if start < next {
            continue;
        }
        let end = starts
            .iter()
            .copied()
            .skip(number + 1)
            .chain([text.len()])
            .take_while(|end| end - start <= LONGEST)
            .last()
            .or_else(|| starts.get(number + 1).copied())
            .unwrap_or(text.len());
        let passage = text.get(start..end).unwrap_or_default();
        let (begun, whole) = (passage.trim_start(), passage.trim());
        if whole.len() >= SHORTEST {
            let start = end - begun.len();
            found.push(start..start + whole.len());
        }
        next = start + STEP;
    }
    found
}

fn sentence_starts(text: &str) -> Vec<usize> {
    let mut starts = vec![0];
    let mut last = 0;
    let mut ended = false;
    for (at, character) in text.char_indices() {
        let too_long = at - last >= LONGEST && (character == ' ' || at - last >= 2 * LONGEST);
        if at > last && ((ended && character.is_whitespace()) || character == '\n' || too_long) {
            starts.push(at);
            last = at;
        }
        ended = matches!(character, '.' | '!' | '?' | '…' | ';');
    }
    starts
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_short_text_has_none() {
        assert_eq!(passages("Una frase. E un'altra."), []);
    }

    #[test]
    fn sentences_stay_whole_and_passages_overlap() {
        let sentence =
            |n: usize| format!("Questa è la frase numero {n} di un racconto piuttosto lungo.");
        let text: Vec<String> = (0..12).map(sentence).collect();
        let text = text.join(" ");
        let found: Vec<&str> = passages(&text).into_iter().map(|at| &text[at]).collect();
        assert!(found.iter().all(|passage| passage.len() <= LONGEST));
        assert!(found.iter().all(|passage| passage.starts_with("Questa")));
        assert!(found.last().unwrap().contains("numero 11 "));
        for n in 0..12 {
            assert!(found.iter().any(|passage| passage.contains(&sentence(n))));
        }
    }

    proptest! {
        #[test]
        fn their_number_and_size_are_bounded(text in "[a-z .\n]{0,4000}", unit in any::<char>()) {
            for text in [text.clone(), format!("{text}{}", unit.to_string().repeat(1_000))] {
                let found = passages(&text);
                prop_assert!(found.len() <= text.len() / STEP + 1);
                for passage in found {
                    prop_assert!(text.get(passage).is_some_and(|passage| passage.len() <= 3 * LONGEST));
                }
            }
        }
    }
}
