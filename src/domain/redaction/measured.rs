//! How much of what names somebody is proposed, by kind, on forms and accounts that were not written for it.

use serde::Deserialize;

use super::{Naming, Proposal, proposals};
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

/// Of the rows of a kind: places that are proposed, all places, and those that are not.
fn recall(kind: &str) -> (usize, usize, Vec<String>) {
    let rows: Vec<Row> = serde_json::from_str(NAMING).expect("rows");
    let (mut all, mut missed) = (0, Vec::new());
    for row in rows.iter().filter(|row| row.kind == kind) {
        let (account, places) = read(&row.text);
        let found = proposals(&report(&row.nome, &row.cognome, &account));
        let left = places.iter().filter(|place| !covers(&found, place));
        missed.extend(left.map(|place| text_of(&account, place.start, place.end)));
        all += places.len();
    }
    (all - missed.len(), all, missed)
}

fn text_of(account: &str, start: usize, end: usize) -> String {
    account.chars().skip(start).take(end - start).collect()
}

#[test]
fn nine_of_ten_numbers_and_codes_are_proposed() {
    for kind in ["telefono", "email", "codice fiscale", "IBAN", "targa"] {
        let (proposed, all, missed) = recall(kind);
        assert!(all >= 15, "{kind}: {all}");
        assert!(
            proposed * 10 >= all * 9,
            "{kind}: {proposed} of {all}: {missed:?}"
        );
        assert_eq!(missed, [""; 0], "{kind}");
    }
}

/// The lists of names were made with these rows in view: names that are not in them are found more seldom.
#[test]
fn four_of_five_own_names_are_proposed() {
    let (proposed, all, missed) = recall("nome");
    assert!(proposed * 10 >= all * 8, "{proposed} of {all}: {missed:?}");
    assert_eq!((proposed, all), (117, 117));
}

/// Of all that is proposed in them some ten places name nobody ('S. Viviamo', 'assunta').
#[test]
fn few_places_of_an_account_are_proposed_for_nothing() {
    let accounts = NAMELESS.iter().flat_map(|file| file.lines());
    let (mut accounts_read, mut places) = (0, Vec::new());
    for line in accounts {
        let Account { text } = serde_json::from_str(line).expect("an account");
        accounts_read += 1;
        for one in proposals(&report("Zaccaria", "Zzz", &text)) {
            places.push((one.why, text_of(&text, one.start, one.end)));
        }
    }
    let named = [Naming::OwnName, Naming::Name, Naming::Address];
    let of_a_number = |(why, _): &&(Naming, String)| !named.contains(why);
    assert_eq!(places.iter().find(of_a_number), None);
    assert_eq!((places.len(), accounts_read), (76, 1_312));
}

/// Names lose the capitals that tell them apart: fewer are found in small letters, and more words are taken for names in capitals.
#[test]
fn few_places_are_proposed_for_nothing_in_one_writing() {
    let accounts = NAMELESS.iter().flat_map(|file| file.lines());
    let (mut shouted, mut whispered) = (0, 0);
    for line in accounts {
        let Account { text } = serde_json::from_str(line).expect("an account");
        shouted += proposals(&report("Zaccaria", "Zzz", &text.to_uppercase())).len();
        whispered += proposals(&report("Zaccaria", "Zzz", &text.to_lowercase())).len();
    }
    assert_eq!((shouted, whispered), (87, 36));
}
