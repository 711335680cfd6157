//! How much of what names somebody is proposed, by kind, on forms and accounts that were not written for it.

use serde::Deserialize;

use super::{Proposal, proposals};
use crate::domain::report::Report;

/// Each with its source: the places that name somebody stand between ⟦ and ⟧.
const NAMING: &str = include_str!("../../../tests/vectors/naming.json");
/// Accounts without a number, a code, an address of mail or a plate.
const NAMELESS: [&str; 4] = [
    include_str!("../../../models/stories/dev_stories.jsonl"),
    include_str!("../../../models/routing/examples.jsonl"),
    include_str!("../../../models/care/examples.jsonl"),
    include_str!("../../../tests/vectors/departments.jsonl"),
];

#[derive(Deserialize)]
struct Row {
    kind: String,
    text: String,
    #[serde(default)]
    nome: String,
    #[serde(default)]
    cognome: String,
}

#[derive(Deserialize)]
struct Account {
    text: String,
}

fn report(nome: &str, cognome: &str, account: &str) -> Report {
    Report {
        nome: nome.to_owned(),
        cognome: cognome.to_owned(),
        segnalazione: account.to_owned(),
        ..Report::example()
    }
}

/// The account, and its places in characters.
fn read(marked: &str) -> (String, Vec<std::ops::Range<usize>>) {
    let (mut account, mut places, mut length) = (String::new(), Vec::new(), 0);
    for sign in marked.chars() {
        match sign {
            '⟦' => places.push(length..length),
            '⟧' => places.last_mut().expect("a place").end = length,
            sign => {
                account.push(sign);
                length += 1;
            }
        }
    }
    (account, places)
}

fn covers(found: &[Proposal], place: &std::ops::Range<usize>) -> bool {
    found
        .iter()
        .any(|one| one.start <= place.start && place.end <= one.end)
}

/// Of the rows of some kinds: places that are proposed, all places, and the rows of the others.
fn recall(is_one: impl Fn(&str) -> bool) -> (usize, usize, Vec<String>) {
    let rows: Vec<Row> = serde_json::from_str(NAMING).expect("rows");
    let (mut proposed, mut all, mut missed) = (0, 0, Vec::new());
    for row in rows.iter().filter(|row| is_one(&row.kind)) {
        let (account, places) = read(&row.text);
        let found = proposals(&report(&row.nome, &row.cognome, &account));
        let hit = places.iter().filter(|place| covers(&found, place)).count();
        if hit < places.len() {
            missed.push(format!("{}: {} {found:?}", row.kind, row.text));
        }
        proposed += hit;
        all += places.len();
    }
    (proposed, all, missed)
}

#[test]
fn nine_of_ten_numbers_and_codes_are_proposed() {
    let kinds = ["telefono", "email", "codice fiscale", "IBAN", "targa"];
    let measured = kinds.map(|kind| (kind, recall(|one| one == kind)));
    for (kind, (proposed, all, missed)) in &measured {
        println!("{kind}: {proposed} of {all}\n{}", missed.join("\n"));
    }
    for (kind, (proposed, all, _)) in measured {
        assert!(proposed * 10 >= all * 9, "{kind}: {proposed} of {all}");
    }
}

#[test]
fn four_of_five_own_names_are_proposed() {
    let (proposed, all, missed) = recall(|kind| kind == "nome");
    println!("own names: {proposed} of {all}\n{}", missed.join("\n"));
    assert!(proposed * 10 >= all * 8, "{proposed} of {all}: {missed:#?}");
}

#[test]
fn few_places_of_an_account_are_proposed_for_nothing() {
    let accounts = NAMELESS.iter().flat_map(|file| file.lines());
    let (mut accounts_read, mut found_in_all) = (0, Vec::new());
    for line in accounts {
        let Account { text } = serde_json::from_str(line).expect("an account");
        let found = proposals(&report("Zaccaria", "Zzz", &text));
        accounts_read += 1;
        for one in found {
            let place: String = text
                .chars()
                .skip(one.start)
                .take(one.end - one.start)
                .collect();
            found_in_all.push(format!("{}: {place}", one.why.as_str()));
        }
    }
    println!(
        "{} in {accounts_read}\n{}",
        found_in_all.len(),
        found_in_all.join("\n")
    );
    let of_a_number = |one: &&String| !one.starts_with("nome") && !one.starts_with("indirizzo");
    assert_eq!(
        found_in_all.iter().filter(of_a_number).count(),
        0,
        "{found_in_all:#?}"
    );
    assert!(found_in_all.len() * 10 < accounts_read, "{found_in_all:#?}");
}
