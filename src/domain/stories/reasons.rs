//! Why accounts stand together, in Italian: always what weighed, in the words of the accounts.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::account::{Anchor, AnchorKind, ReadAccount};

/// Names, and other words, that are said at most.
const SAID: usize = 3;

/// A word that so many accounts have.
struct Common<'a> {
    word: &'a str,
    accounts: usize,
    name: bool,
}

/// Why accounts stand together.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Reasons {
    /// Italian sentences.
    pub sentences: Vec<String>,
    /// The words that they quote: names where several accounts have one, else other words.
    pub quoted: Vec<String>,
}

/// What weighed among two weighed accounts and more; nothing on fewer.
pub fn reasons(accounts: &[&ReadAccount]) -> Reasons {
    if accounts.len() < 2 {
        return Reasons::default();
    }
    let common = common(accounts);
    let said = |name: bool| {
        let of_kind = common.iter().filter(|one| one.name == name);
        let most = of_kind.clone().map(|one| one.accounts).max().unwrap_or(0);
        let words = of_kind.filter(|one| one.accounts == most).take(SAID);
        (most, words.map(|one| one.word).collect::<Vec<_>>())
    };
    let ((name_count, names), (_, words)) = (said(true), said(false));
    let who = match (name_count, accounts.len()) {
        (2, 2) => "nominano entrambe".to_owned(),
        (all, count) if all == count => "nominano tutte".to_owned(),
        (some, count) => format!("{some} su {count} nominano"),
    };
    let (quoted_names, listed) = (quoted(&names), words.join(", "));
    let first = match (names.is_empty(), words.is_empty()) {
        (false, true) => format!("Insieme perché {who} {quoted_names}."),
        (false, false) => {
            format!("Insieme perché {who} {quoted_names}; parole in comune: {listed}.")
        }
        (true, false) => format!("Forse: nessun nome in comune, ma {}.", quoted(&words)),
        (true, true) => "Forse: nessun nome in comune, ma racconti simili.".to_owned(),
    };
    let mut pairs = accounts.windows(2);
    let same = pairs.all(|pair| pair[0].department == pair[1].department);
    let same = same.then(|| "Stesso reparto.".to_owned());
    let said = if names.is_empty() { words } else { names };
    Reasons {
        sentences: [first].into_iter().chain(same).collect(),
        quoted: said.into_iter().map(str::to_owned).collect(),
    }
}

/// Anchors that several accounts have, the most frequent first, then the heaviest, without parts of those already
/// named.
fn common<'a>(accounts: &[&'a ReadAccount]) -> Vec<Common<'a>> {
    let mut holders: BTreeMap<u64, Vec<(&str, &Anchor)>> = BTreeMap::new();
    for account in accounts {
        for anchor in account.anchors.iter().filter(|one| one.weight > 0.0) {
            let word = account.text.get(anchor.at.clone()).unwrap_or_default();
            holders.entry(anchor.key).or_default().push((word, anchor));
        }
    }
    let mut shared: Vec<_> = holders.into_values().collect();
    shared.retain(|holders| {
        holders.len() > 1
            && holders
                .iter()
                .any(|(_, one)| one.kind != AnchorKind::Joined)
    });
    shared.sort_by(|one, other| {
        let weight = |holders: &[(&str, &Anchor)]| holders[0].1.weight;
        let more = Reverse(one.len()).cmp(&Reverse(other.len()));
        more.then(weight(other).total_cmp(&weight(one)))
    });
    let mut common: Vec<Common<'_>> = Vec::new();
    for holders in shared {
        let best = holders.iter().min_by_key(|(_, one)| one.kind as u8);
        let word = best.map_or("", |(word, _)| word);
        if !common
            .iter()
            .any(|one| one.word.contains(word) || word.contains(one.word))
        {
            let mut whole = holders
                .iter()
                .filter(|(_, one)| one.kind != AnchorKind::Joined);
            common.push(Common {
                word,
                accounts: holders.len(),
                name: whole.any(|(_, one)| one.kind == AnchorKind::Name),
            });
        }
    }
    common
}

/// '«A», «B» e «C»'.
fn quoted(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [one] => format!("«{one}»"),
        [before @ .., last] => format!("«{}» e «{last}»", before.join("», «")),
    }
}
