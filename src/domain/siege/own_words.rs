//! Sentences that only one account of a group has: a real report may quote the text that fakes spread.

use std::collections::{HashMap, HashSet};

use super::crowd::Sketch;

/// A sentence with so many pairs of its own is its own: a changed number or name makes two.
const OWN_PAIRS: usize = 8;

/// Accounts of a group by pair of neighbouring words.
#[derive(Debug, Default)]
pub struct GroupWords(HashMap<u32, u32>);

impl GroupWords {
    pub fn add(&mut self, account: &str) {
        let pairs: HashSet<u32> = sentences(account).flat_map(pairs).collect();
        for pair in pairs {
            *self.0.entry(pair).or_default() += 1;
        }
    }

    /// The sentence of an added account with the most pairs of its own, and their number.
    pub fn own_sentence<'a>(&self, account: &'a str) -> Option<(usize, &'a str)> {
        let own = |sentence| {
            pairs(sentence)
                .filter(|pair| self.0.get(pair) == Some(&1))
                .count()
        };
        let each = sentences(account).map(|sentence| (own(sentence), sentence));
        each.filter(|(own, _)| *own >= OWN_PAIRS)
            .max_by_key(|(own, _)| *own)
    }
}

fn sentences(account: &str) -> impl Iterator<Item = &str> {
    let ends = |letter: char| matches!(letter, '.' | '!' | '?' | ';' | '\n');
    account.split_inclusive(ends).map(str::trim)
}

fn pairs(sentence: &str) -> impl Iterator<Item = u32> {
    Sketch::of(sentence).into_pairs()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FAKE: &str =
        "Nel cantiere scaricano di notte fusti arrugginiti nel canale. Inoltrate a tutti!";
    const OWN: &str = "Ho le ricevute e le registrazioni di chi lo ha ordinato a febbraio.";

    fn own(accounts: &[String]) -> Vec<Option<&str>> {
        let mut words = GroupWords::default();
        for account in accounts {
            words.add(account);
        }
        let own = |account| words.own_sentence(account).map(|(_, sentence)| sentence);
        accounts.iter().map(|account| own(account)).collect()
    }

    #[test]
    fn only_words_of_its_own_make_a_sentence_its_own() {
        let numbered = (1..4).map(|number| format!("Numero {number}: {FAKE}"));
        let mut accounts: Vec<String> = numbered.collect();
        accounts.push(format!("{FAKE} {OWN}"));
        assert_eq!(own(&accounts), [None, None, None, Some(OWN)]);
        // Without a full stop too.
        accounts[3] = format!("{} {OWN}", FAKE.replace(['.', '!'], ""));
        assert!(own(&accounts)[3].is_some_and(|sentence| sentence.ends_with(OWN)));
        // A sentence that two of them have belongs to neither.
        accounts[2] = accounts[3].clone();
        assert_eq!(own(&accounts), [None; 4]);
    }
}
