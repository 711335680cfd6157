//! Why accounts stand together, in Italian: always what weighed, in the words of the accounts.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::account::AnchorKind;
use super::{WeighedAccount, WeighedKey};

/// Names, and other words, that are said at most.
const SAID: usize = 3;

/// A key that several accounts have.
struct Common {
    word: String,
    accounts: usize,
    name: bool,
}

/// Sentences on two accounts and more, each with its text.
pub fn reasons(accounts: &[(WeighedAccount, String)]) -> Vec<String> {
    let common = common(accounts);
    let said = |name: bool| {
        let of_kind = common.iter().filter(|one| one.name == name);
        let most = of_kind.clone().map(|one| one.accounts).max().unwrap_or(0);
        let words = of_kind.filter(|one| one.accounts == most).take(SAID);
        (most, words.map(|one| one.word.as_str()).collect::<Vec<_>>())
    };
    let ((naming, names), (_, words)) = (said(true), said(false));
    let quoted: Vec<_> = names.iter().map(|name| format!("«{name}»")).collect();
    let who = match (naming, accounts.len()) {
        (2, 2) => "nominano entrambe".to_owned(),
        (all, count) if all == count => "nominano tutte".to_owned(),
        (some, count) => format!("{some} su {count} nominano"),
    };
    let first = match (names.is_empty(), words.is_empty()) {
        (false, true) => format!("Insieme perché {who} {}.", listed(&quoted)),
        (false, false) => format!(
            "Insieme perché {who} {}; parole in comune: {}.",
            listed(&quoted),
            words.join(", ")
        ),
        (true, false) => {
            let words: Vec<_> = words.iter().map(|word| format!("«{word}»")).collect();
            format!("Forse: nessun nome in comune, ma {}.", listed(&words))
        }
        (true, true) => "Forse: nessun nome in comune, ma racconti simili.".to_owned(),
    };
    let mut departments = accounts.iter().map(|(one, _)| one.account.department);
    let department = departments.next();
    let same = departments.all(|one| Some(one) == department);
    let same = same.then(|| "Stesso reparto.".to_owned());
    [first].into_iter().chain(same).collect()
}

/// What several have, what most have first, then the heaviest; no part of what is said already.
fn common(accounts: &[(WeighedAccount, String)]) -> Vec<Common> {
    let mut holders: BTreeMap<u64, Vec<(usize, &WeighedKey)>> = BTreeMap::new();
    for (at, (candidate, _)) in accounts.iter().enumerate() {
        for key in candidate.keys.iter().filter(|key| key.weight > 0.0) {
            holders.entry(key.key).or_default().push((at, key));
        }
    }
    let mut shared: Vec<_> = holders.into_values().collect();
    shared.retain(|holders| holders.len() > 1 && holders.iter().any(|(_, key)| !key.joined));
    shared.sort_by(|one, other| {
        let weight = |holders: &[(usize, &WeighedKey)]| holders[0].1.weight;
        let more = Reverse(one.len()).cmp(&Reverse(other.len()));
        more.then(weight(other).total_cmp(&weight(one)))
    });
    let mut common: Vec<Common> = Vec::new();
    for holders in shared {
        let best = holders
            .iter()
            .min_by_key(|(at, key)| (key.joined, key.kind as u8, *at));
        let Some(word) = best.and_then(|(at, key)| accounts[*at].1.get(key.at.clone())) else {
            continue;
        };
        let parts = |one: &Common| one.word.contains(word) || word.contains(&one.word);
        if !common.iter().any(parts) {
            common.push(Common {
                word: word.to_owned(),
                accounts: holders.len(),
                name: holders
                    .iter()
                    .any(|(_, key)| key.kind == AnchorKind::Name && !key.joined),
            });
        }
    }
    common
}

/// '«A», «B» e «C»'.
fn listed(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [before @ .., last] => format!("{} e {last}", before.join(", ")),
    }
}
