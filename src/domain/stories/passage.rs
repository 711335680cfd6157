//! The passage of an account that holds what it shares with others, with the words to mark in it.

use std::collections::BTreeSet;

use super::account::{Anchor, ReadAccount};
use crate::domain::text::{char_count, excerpt, lower};

/// Characters before the first shared word, at most: it has to be in sight in a line that is cut.
const LEAD: usize = 24;
/// Letters of a word that is marked: a shorter one stands inside of others.
const LETTERS: usize = 4;

/// A passage on one line.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Passage {
    /// With '…' where it was cut.
    pub text: String,
    /// The shared words in it, as the account writes them, with spaces between: what a search for them would mark.
    pub marks: String,
}

/// The passage of so many characters, or fewer at the end, that leads to the heaviest of what is shared, by its keys; the beginning of
/// an account that shares nothing. `None` where the account has no words.
pub fn passage(
    account: &ReadAccount,
    shared: &BTreeSet<u64>,
    characters: usize,
) -> Option<Passage> {
    let text = &*account.text;
    let found = account.anchors.iter();
    let found = found.filter(|one| one.weight > 0.0 && shared.contains(&one.key));
    let found: Vec<&Anchor> = found.collect();
    let start = text.find(|one: char| !one.is_whitespace())?;
    let begins = found.iter().map(|one| begin(text, one.at.start));
    let mut begins: Vec<usize> = begins.collect();
    begins.sort_unstable();
    let within = |from: usize| {
        let end = text[from..].char_indices().nth(characters);
        let end = end.map_or(text.len(), |(end, _)| from + end);
        let is_in = move |one: &&&Anchor| one.at.start >= from && one.at.end <= end;
        found.iter().filter(is_in)
    };
    let weight = |from: usize| within(from).map(|one| one.weight).sum::<f64>();
    let best = begins.iter().copied().rev();
    let best = best.max_by(|one, other| weight(*one).total_cmp(&weight(*other)));
    let from = best.unwrap_or(start);
    let cut = if from > start { "…" } else { "" };
    let mut places: Vec<_> = within(from).map(|one| one.at.clone()).collect();
    places.sort_by_key(|at| at.start);
    Some(Passage {
        text: format!("{cut}{}", excerpt(&text[from..], characters)),
        marks: marks(places.into_iter().map(|at| &text[at])),
    })
}

/// Where a passage begins that leads to this place: at a word of its sentence.
fn begin(text: &str, at: usize) -> usize {
    let lead = text[..at].char_indices().rev().take(LEAD);
    let lead = lead.take_while(|(_, one)| !".!?".contains(*one));
    let from = lead.last().map_or(at, |(from, _)| from);
    let before = text[..from].chars().next_back();
    let is_begun = before.is_none_or(|one| one.is_whitespace() || ".!?".contains(one));
    let lead = &text[from..at];
    let skipped = match lead.find(char::is_whitespace) {
        Some(end) if !is_begun => end,
        _ => 0,
    };
    let rest = lead[skipped..].trim_start();
    at - rest.len()
}

/// The words of these places, each once.
fn marks<'t>(places: impl Iterator<Item = &'t str>) -> String {
    let (mut known, mut marks) = (BTreeSet::new(), Vec::new());
    for place in places {
        let longest = place.split_whitespace().map(char_count).max();
        let least = LETTERS.min(longest.unwrap_or_default());
        for word in place
            .split_whitespace()
            .filter(|one| char_count(one) >= least)
        {
            if known.insert(lower(word)) {
                marks.push(word);
            }
        }
    }
    marks.join(" ")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::domain::routing::DepartmentKey;
    use crate::domain::stories::reasons::shared_keys;
    use crate::domain::stories::sketches::SketchIndex;
    use crate::domain::text::{clean, clean_line};

    fn read(text: &str) -> ReadAccount {
        let account = ReadAccount::new(text, DepartmentKey::GENERALE);
        SketchIndex::new([1, 2]).weigh(account)
    }

    /// With an account that names Serenella, Montaldo and Ponte Fosco.
    fn shown(text: &str) -> (String, String) {
        let other = read("da Serenella a Montaldo, oltre Ponte Fosco");
        let own = read(text);
        let shared = shared_keys(&[&own, &other]);
        let Passage { text, marks } = passage(&own, &shared, 60).unwrap_or_default();
        (text, marks)
    }

    #[test]
    fn the_passage_holds_what_is_shared_in_the_words_of_the_account() {
        let long = "Scrivo perché non so più a chi dirlo, e da anni nessuno mi ascolta davvero.";
        let sentence =
            format!("{long} Mia zia alla\nserenela di montaldo aveva paura, tanta paura.");
        let amid = format!(
            "{long} Non lo avrei mai creduto possibile ma mia zia, che alla Serenella ci vive, ha paura di tutti."
        );
        let twice = format!("Alla Serenella no. {long} Da Montaldo la Serenella è lontana.");
        for (text, passage, marks) in [
            ("alla Serenella", "alla Serenella", "Serenella"),
            (
                &*sentence,
                "…Mia zia alla serenela di montaldo aveva paura, tanta paura.",
                "serenela montaldo",
            ),
            (
                &amid,
                "…ma mia zia, che alla Serenella ci vive, ha paura di tutti.",
                "Serenella",
            ),
            (
                &twice,
                "Alla Serenella no. Scrivo perché non so più a chi dirlo, e d…",
                "Serenella",
            ),
            (
                "oltre Pontefosco, a montaldo",
                "oltre Pontefosco, a montaldo",
                "Pontefosco montaldo",
            ),
            (
                "oltre il ponte fosco",
                "oltre il ponte fosco",
                "ponte fosco",
            ),
            (
                long,
                "Scrivo perché non so più a chi dirlo, e da anni nessuno mi a…",
                "",
            ),
            ("", "", ""),
        ] {
            assert_eq!(shown(text), (passage.into(), marks.into()));
        }
    }

    proptest! {
        #[test]
        fn any_account_has_a_passage_with_its_own_words(
            text in "([A-ZÈa-zà' .\n-]{0,12}|Serenella|[0-9]{3,6}|.{0,4}){0,30}",
            characters in 1_usize..80,
        ) {
            let account = read(&clean(&text));
            let shared = shared_keys(&[&account, &account]);
            let shown = passage(&account, &shared, characters).unwrap_or_default();
            let line = clean_line(&account.text);
            prop_assert!(line.contains(shown.text.trim_matches('…')), "{line} | {shown:?}");
            prop_assert!(char_count(&shown.text) <= characters + 2);
            for mark in shown.marks.split(' ') {
                prop_assert!(shown.text.contains(mark), "{shown:?}");
            }
        }
    }
}
