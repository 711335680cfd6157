//! `GET /reports`: order, pages, filters and counters, while new reports keep arriving (PRODUCT.md §6).

use serde_json::{Value, json};

use crate::support::SECOND;
use crate::support::chat::{Person, submit};
use crate::support::panel::{Editor, ids};
use crate::support::program::{Program, at};

/// A program with so many reports, ten seconds apart; their ids, oldest first.
fn with_reports(count: usize) -> (Program, Editor, Vec<String>) {
    let (program, editor) = Program::with_editor();
    let report = |number| {
        program.clock.advance(10 * SECOND);
        program.report(number)
    };
    let ids = (0..count).map(report).collect();
    (program, editor, ids)
}

fn newest_first(ids: &[String]) -> Vec<String> {
    ids.iter().rev().cloned().collect()
}

fn cursor(page: &Value, name: &str) -> Option<String> {
    page[name].as_str().map(str::to_owned)
}

#[test]
fn a_row_has_what_the_list_shows_and_nothing_more() {
    let (_program, editor, ids) = with_reports(1);
    let person = Person::numbered(0);
    let row = json!({
        "id": ids[0], "nome": person.nome, "cognome": person.cognome, "email": person.email,
        "telefono": person.telefono, "data_creazione": "2026-03-10T09:00:10Z", "stato": "Nuova",
        "department": "ambiente", "unread": true, "newToYou": true, "todo": { "why": "new", "said": null }, "aside": false, "urgente": false, "sospetta": false, "answerWaiting": false, "withdrawal": null, "labels": [], "assegnataA": null, "versione": 1,
        "related": false, "attachments": 0, "messages": 0, "story": null, "maybe": null, "inchiesta": null, "snoozedUntil": null,
        "due": { "what": "first", "at": "2026-03-17T22:59:59.999Z" },
        "origin": "chat", "code": true, "excerpt": person.segnalazione,
    });
    assert_eq!(editor.list("")["data"], json!([row]));
    editor.report(&ids[0]);
    assert_eq!(editor.list("")["data"][0]["unread"], false);
}

#[test]
fn pages_hold_fifty_reports_newest_first() {
    let (_program, editor, all) = with_reports(53);
    let first = editor.list("");
    assert_eq!(ids(&first), newest_first(&all)[..50]);
    assert_eq!(first["prevCursor"], Value::Null);
    assert_eq!(first["matching"], 53);
    let next = cursor(&first, "nextCursor").expect("there is more");
    let second = editor.list(&format!("?cursor={next}"));
    assert_eq!(ids(&second), newest_first(&all)[50..]);
    assert_eq!(second["nextCursor"], Value::Null);
    // Over the whole archive, on every page.
    assert_eq!(second["counters"]["total"], 53);
    let back = cursor(&second, "prevCursor").expect("a way back");
    assert_eq!(ids(&editor.list(&format!("?cursor={back}"))), ids(&first));
}

#[test]
fn leafing_forward_and_back_shows_each_report_once_while_new_ones_arrive() {
    let (program, editor, mut all) = with_reports(11);
    let was_there = newest_first(&all);
    let mut seen = Vec::new();
    let mut page = editor.list("?limit=3");
    loop {
        seen.extend(ids(&page));
        all.push(submit(&program.client(), &Person::numbered(all.len())));
        let Some(next) = cursor(&page, "nextCursor") else {
            break;
        };
        page = editor.list(&format!("?limit=3&cursor={next}"));
    }
    assert_eq!(seen, was_there, "forward");

    // Back from the last page to the first, which now holds what arrived meanwhile.
    let mut seen = vec![ids(&page)];
    while let Some(previous) = cursor(&page, "prevCursor") {
        page = editor.list(&format!("?limit=3&cursor={previous}"));
        seen.push(ids(&page));
    }
    let top = seen.pop().expect("a first page");
    assert_eq!(top, newest_first(&all)[..3], "a whole one");
    let below: Vec<String> = seen.into_iter().rev().flatten().collect();
    let mut found: Vec<String> = top.into_iter().chain(below).collect();
    let whole = found.len();
    found.dedup();
    let expected = newest_first(&all);
    // Back, too, none is left out, and only the first page may show a row again.
    assert!(expected.iter().all(|id| found.contains(id)));
    assert!(whole - expected.len() < 3);
}

#[test]
fn a_page_has_between_one_and_two_hundred_reports() {
    let (_program, editor, all) = with_reports(3);
    for (limit, found) in [("1", 1), ("2", 2), ("200", 3)] {
        assert_eq!(ids(&editor.list(&format!("?limit={limit}"))).len(), found);
    }
    let full = editor.list("?limit=3");
    let expected = (newest_first(&all), &Value::Null);
    assert_eq!((ids(&full), &full["nextCursor"]), expected);
    for query in "limit=0 limit=201 limit=-1 limit=1.5 limit=tanti stato=Aperta stato=nuova period=year origin=fax from=2026-02-30 to=ieri order=su from=-009999-01-01 cursor=x cursor=p-1 pagina=2".split(' ') {
        let field = query.split('=').next().unwrap();
        assert_eq!(editor.get(&format!("/reports?{query}")).refused_fields(), [field], "{query}");
    }
}

#[test]
fn the_status_filters_and_the_counters_do_not() {
    let (_program, editor, all) = with_reports(6);
    let states = ["Risolta", "In lavorazione", "Archiviata", "Risolta"];
    for (id, stato) in all.iter().zip(states) {
        editor.change(id, &json!({ "stato": stato }));
    }
    let counters = json!({ "total": 6, "new": 2, "inProgress": 1, "resolved": 2 });
    for (stato, expected) in [
        ("Nuova", &[5, 4][..]),
        ("In%20lavorazione", &[1]),
        ("In+lavorazione", &[1]),
        ("Risolta", &[3, 0]),
        ("Archiviata", &[2]),
    ] {
        let page = editor.list(&format!("?stato={stato}"));
        let expected = expected.iter().map(|number: &usize| &all[*number]);
        assert!(ids(&page).iter().eq(expected), "{stato}: {page}");
        assert_eq!(page["counters"], counters);
    }
    for (query, expected) in [
        ("archived=false", &[5, 4, 3, 1, 0][..]),
        (
            "archived=false&sort=urgent&from=2020-01-01",
            &[5, 4, 3, 1, 0],
        ),
        ("archived=false&files=true", &[]),
        ("archived=false&stato=Risolta", &[3, 0]),
        ("archived=false&stato=Archiviata", &[]),
        ("archived=false&origin=chat&order=asc", &[0, 1, 3, 4, 5]),
        ("archived=true", &[2]),
        ("archived=true&search=nome", &[2]),
    ] {
        let page = editor.list(&format!("?{query}"));
        let expected = expected.iter().map(|number: &usize| all[*number].clone());
        let expected: Vec<_> = expected.collect();
        assert_eq!(ids(&page), expected, "{query}");
        assert_eq!(page["matching"], expected.len(), "{query}");
    }
    // The filter holds over the pages.
    let first = editor.list("?stato=Risolta&limit=1");
    let next = cursor(&first, "nextCursor").expect("there is more");
    let second = editor.list(&format!("?stato=Risolta&limit=1&cursor={next}"));
    assert_eq!(ids(&second), all[..1]);
    assert_eq!(second["nextCursor"], Value::Null);
    // Back to new: the counters follow.
    editor.change(&all[0], &json!({ "stato": "Nuova" }));
    let counters = json!({ "total": 6, "new": 3, "inProgress": 1, "resolved": 1 });
    assert_eq!(editor.list("")["counters"], counters);
}

#[test]
fn free_dates_are_whole_days_of_rome_and_the_oldest_may_come_first() {
    let program = Program::start();
    program.set_up();
    let days = [
        "2026-03-28T22:59:59Z",
        "2026-03-28T23:00:00Z",
        "2026-03-29T21:59:59Z",
        "2026-03-29T22:00:00Z",
    ];
    let all = days.map(|day| {
        program.clock.set(at(day));
        program.report(1)
    });
    let editor = program.log_in();
    for (query, expected) in [
        ("from=2026-03-29", &[3, 2, 1][..]),
        ("to=2026-03-29", &[2, 1, 0]),
        ("from=2026-03-29&to=2026-03-29", &[2, 1]),
        ("from=2026-03-29&to=2026-03-29&order=asc", &[1, 2]),
        ("from=2026-03-30&to=2026-03-28", &[]),
        ("order=asc&search=nome", &[0, 1, 2, 3]),
        ("order=desc&search=nome&to=2026-03-28", &[0]),
        (
            "origin=chat&order=asc&from=2026-03-28&stato=Nuova",
            &[0, 1, 2, 3],
        ),
        ("origin=di+persona", &[]),
    ] {
        let expected = expected.iter().map(|number: &usize| all[*number].clone());
        let expected: Vec<_> = expected.collect();
        let page = editor.list(&format!("?{query}"));
        assert_eq!(ids(&page), expected, "{query}");
        assert_eq!(page["matching"], expected.len(), "{query}");
        let export = editor.get(&format!("/reports/export.csv?{query}"));
        let export = export.expect(200);
        let rows = export.text().lines().skip(1);
        let cells = rows.filter_map(|row| row.get(1..37));
        let rows: Vec<_> = cells
            .filter(|cell| cell.matches('-').count() == 4)
            .collect();
        assert_eq!(rows, expected, "{query}");
    }
}

/// Now, the filter, the moment it begins: the last one before does not count.
const PERIODS: [(&str, &str, &str); 5] = [
    // Just after midnight in Rome it is still yesterday in UTC.
    ("2026-07-01T22:30:00Z", "today", "2026-07-01T22:00:00Z"),
    // The day that has 25 hours.
    ("2026-10-25T22:59:00Z", "today", "2026-10-24T22:00:00Z"),
    // A week over a change of the clocks is the same time of day.
    ("2026-03-31T09:00:00Z", "week", "2026-03-24T10:00:00Z"),
    // A month back from a day that the month before does not have.
    ("2026-03-31T09:00:00Z", "month", "2026-02-28T10:00:00Z"),
    ("2026-03-10T09:00:00Z", "month", "2026-02-10T09:00:00Z"),
];

#[test]
fn periods_begin_where_the_calendar_of_rome_says() {
    for (now, period, first) in PERIODS {
        let program = Program::start();
        program.set_up();
        program.clock.set(at(first) - 1);
        program.report(1);
        program.clock.set(at(first));
        let inside = program.report(2);
        program.clock.set(at(now));
        let editor = program.log_in();
        let page = editor.list(&format!("?period={period}"));
        assert_eq!(ids(&page), [inside], "{period} at {now}");
        assert_eq!(page["counters"]["total"], 2);
    }
}
