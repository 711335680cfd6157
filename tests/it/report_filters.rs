//! `department=` and `urgente=` on the list and in the CSV export, alone and with every other filter (PRODUCT.md §6).

use std::time::Duration;

use serde_json::json;

use crate::support::chat::{GRAVE, Person, submit};
use crate::support::panel::{Editor, ids};
use crate::support::program::Program;

/// A department for each remainder.
const DESKS: [&str; 3] = ["sanita", "lavoro", "generale"];

/// Twelve reports, a minute apart, oldest first: departments take turns, every fourth is urgent, the first six are
/// `Risolta`.
fn archive() -> (Program, Editor, Vec<String>) {
    let (program, editor) = Program::with_editor();
    let client = program.client();
    let put = |number: usize| {
        program.clock.advance(Duration::from_mins(1));
        let mut person = Person::numbered(number);
        if number.is_multiple_of(4) {
            person = Person::telling(number, GRAVE);
        }
        let id = submit(&client, &person);
        let stato = if number < 6 { "Risolta" } else { "Nuova" };
        let change = json!({ "department": DESKS[number % 3], "stato": stato });
        editor.patch(&id, &json!(1), &change).expect(200);
        id
    };
    let ids = (0..12).map(put).collect();
    editor.wait_for_search();
    (program, editor, ids)
}

/// Which numbers a filter lets through.
type Wanted<'a> = &'a dyn Fn(usize) -> bool;

/// The reports of these numbers, newest first.
fn numbers(all: &[String], wanted: impl Fn(usize) -> bool) -> Vec<String> {
    let numbered = all.iter().enumerate().rev();
    let chosen = numbered.filter(|(number, _)| wanted(*number));
    chosen.map(|(_, id)| id.clone()).collect()
}

/// What a filter shows, two to a page, forward; each page backward again must be the one before.
fn leafed(editor: &Editor, query: &str) -> Vec<String> {
    let mut page = editor.list(&format!("?limit=2&{query}"));
    let mut seen: Vec<Vec<String>> = vec![ids(&page)];
    while let Some(next) = page["nextCursor"].as_str() {
        page = editor.list(&format!("?limit=2&{query}&cursor={next}"));
        let back = page["prevCursor"].as_str().expect("a way back");
        let before = editor.list(&format!("?limit=2&{query}&cursor={back}"));
        assert_eq!(Some(&ids(&before)), seen.last(), "{query}");
        let ahead = seen.iter().map(Vec::len).sum::<usize>();
        // Of what a search found that is not counted.
        if !query.contains("search") {
            assert_eq!(page["ahead"], ahead, "{query}");
        }
        seen.push(ids(&page));
    }
    seen.concat()
}

/// Ids in the first column of an export.
fn exported(editor: &Editor, query: &str) -> Vec<String> {
    let answer = editor.get(&format!("/reports/export.csv?{query}"));
    let answer = answer.expect(200);
    let rows = answer.text().lines().skip(1);
    rows.filter_map(|row| row.strip_prefix('"')?.split('"').next())
        .filter(|cell| cell.len() == 36)
        .map(str::to_owned)
        .collect()
}

#[test]
fn departments_and_the_urgent_combine_with_all_filters_in_list_and_export() {
    let (program, editor, all) = archive();
    let sanita = |number: usize| number.is_multiple_of(3);
    let urgent = |number: usize| number.is_multiple_of(4);
    let filters: [(&str, Wanted<'_>); 11] = [
        ("department=sanita", &sanita),
        ("department=generale", &|number| number % 3 == 2),
        ("department=ambiente", &|_| false),
        ("department=sanita&stato=Risolta", &|number| {
            sanita(number) && number < 6
        }),
        ("department=sanita&period=today&stato=Nuova", &|number| {
            sanita(number) && number >= 6
        }),
        ("department=sanita&search=nome", &sanita),
        ("department=sanita&search=mensa&inText=true", &|_| false),
        ("urgente=true", &urgent),
        ("urgente=false", &|number| !urgent(number)),
        ("urgente=true&department=lavoro&stato=Risolta", &|number| {
            urgent(number) && number % 3 == 1 && number < 6
        }),
        ("urgente=true&search=banca&inText=true&period=week", &urgent),
    ];
    for (query, wanted) in filters {
        let expected = numbers(&all, wanted);
        assert_eq!(leafed(&editor, query), expected, "{query}");
        assert_eq!(exported(&editor, query), expected, "{query}");
    }
    assert_eq!(leafed(&editor, ""), numbers(&all, |_| true));
    assert_eq!(leafed(&editor, "order=asc"), all);
    // What was found under a name and is urgent; the name alone finds more.
    assert!(leafed(&editor, "search=nomeb&urgente=true").is_empty());
    let named = numbers(&all, |number| number == 1 || number >= 10);
    assert_eq!(leafed(&editor, "search=nomeb"), named);

    // One that arrives is there at once, and a report that is moved leaves its department.
    let new = submit(&program.client(), &Person::telling(20, GRAVE));
    assert_eq!(ids(&editor.list("?urgente=true&limit=1")), [new]);
    let moved = json!({ "department": "scuola" });
    editor.patch(&all[9], &json!(2), &moved).expect(200);
    assert!(ids(&editor.list("?department=scuola")).contains(&all[9]));
    assert!(!ids(&editor.list("?department=sanita")).contains(&all[9]));
}

#[test]
fn what_no_filter_can_be_is_named() {
    let (program, editor) = Program::with_editor();
    let stranger = Editor::with_cookie(&program.client(), "AAAA".to_owned());
    for path in ["/reports", "/reports/export.csv"] {
        for (query, field) in [
            ("department=Sanita", "department"),
            ("urgente=si", "urgente"),
        ] {
            let answer = editor.get(&format!("{path}?{query}"));
            assert_eq!(answer.refused_fields(), [field], "{path} {query}");
            let stranger = stranger.get(&format!("{path}?{query}"));
            stranger.no_session();
        }
        let empty = editor.get(&format!("{path}?department=&urgente="));
        empty.expect(200);
    }
}
