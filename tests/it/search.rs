//! `GET /reports?search=`: any part of a name, an address or a number, over the whole archive (PRODUCT.md §4).

use std::time::Duration;

use segnalazioni::testing::app;
use segnalazioni::testing::clock::Manual;
use segnalazioni::testing::http::state::Mode;
use serde_json::{Value, json};

use crate::support::chat::{Person, submit};
use crate::support::http::Client;
use crate::support::panel::{Editor, ids};
use crate::support::program::{Program, START, at, config, options};
use crate::support::wait_for;

/// A person with these answers, the rest as with everybody.
fn person(nome: &str, cognome: &str, telefono: &str, email: &str, account: &str) -> Person {
    Person {
        nome: nome.to_owned(),
        cognome: cognome.to_owned(),
        telefono: telefono.to_owned(),
        email: email.to_owned(),
        segnalazione: format!("{account} {}", Person::numbered(7).segnalazione),
        ..Person::numbered(7)
    }
}

/// A text as it travels in a query.
fn encoded(text: &str) -> String {
    text.bytes()
        .fold(String::new(), |query, byte| query + &format!("%{byte:02X}"))
}

fn found(editor: &Editor, search: &str) -> Vec<String> {
    ids(&editor.list(&format!("?search={}", encoded(search))))
}

fn found_in_text(editor: &Editor, search: &str) -> Vec<String> {
    ids(&editor.list(&format!("?inText=true&search={}", encoded(search))))
}

fn when_ready(editor: &Editor) -> Value {
    wait_for("the search index", Duration::from_mins(1), || {
        let list = editor.list("");
        (list["search"]["ready"] == true).then_some(list)
    })
}

#[test]
fn any_part_of_a_name_an_address_or_a_number_finds_a_report() {
    let program = Program::start();
    let editor = program.set_up();
    let client = program.client();
    let niccolo = submit(
        &client,
        &person(
            "Niccolò",
            "D'Àngelo",
            "3471234567",
            "nic_da%lo@esempio.it",
            "Truffa all'asilo.",
        ),
    );
    let anna = submit(
        &client,
        &person(
            "ANNA MARIA",
            "Rossi",
            "3289999999",
            "anna@altrove.example",
            "Città piena di buche.",
        ),
    );
    assert_eq!(
        when_ready(&editor)["search"],
        json!({ "ready": true, "indexed": 2, "total": 2 })
    );
    let both = vec![anna.clone(), niccolo.clone()];
    for (search, expected) in [
        ("niccolò", vec![&niccolo]),
        ("NICCOLÒ", vec![&niccolo]),
        ("niccolo", vec![&niccolo]),
        ("nicco\u{6C}o\u{300}", vec![&niccolo]),
        ("colo d'ang", vec![&niccolo]),
        ("anna maria rossi", vec![&anna]),
        ("  Anna   Maria ", vec![&anna]),
        ("4712", vec![&niccolo]),
        ("3471234567", vec![&niccolo]),
        ("347 123 4567", vec![&niccolo]),
        ("347.123-45", vec![&niccolo]),
        ("(347) 123", vec![&niccolo]),
        ("+39 347 1234567", vec![&niccolo]),
        ("+39347", vec![&niccolo]),
        ("00393471234567", vec![&niccolo]),
        ("+41 347 1234567", vec![]),
        ("9 9", vec![&anna]),
        ("+39", vec![]),
        ("@altrove.EXAMPLE", vec![&anna]),
        ("%", vec![&niccolo]),
        ("_", vec![&niccolo]),
        ("n", both.iter().collect()),
        ("nn", vec![&anna]),
        ("truffa", vec![]),
        ("rossi anna", vec![]),
        ("rossi anna@", vec![]),
        ("' OR 1=1 --", vec![]),
    ] {
        assert_eq!(
            found(&editor, search).iter().collect::<Vec<_>>(),
            expected,
            "{search:?}"
        );
    }
    assert_eq!(
        found_in_text(&editor, "TRUFFA ALL'ASILO"),
        std::slice::from_ref(&niccolo)
    );
    assert_eq!(
        found_in_text(&editor, "citta piena"),
        std::slice::from_ref(&anna)
    );
    assert_eq!(found_in_text(&editor, "niccolò"), [niccolo]);
    for nothing in [
        "?search=",
        "?search=%20%20",
        "?search=&inText=true",
        "?inText=false",
    ] {
        assert_eq!(ids(&editor.list(nothing)), both, "{nothing}");
    }
}

#[test]
fn what_was_added_at_the_end_is_searched_with_the_account() {
    let program = Program::start();
    let editor = program.set_up();
    let mut teller = Person::numbered(1);
    teller.chiusura = "Il custode si chiama Teodoberto.".to_owned();
    let id = submit(&program.client(), &teller);
    assert_eq!(found_in_text(&editor, "teodoberto"), [id]);
    assert_eq!(found(&editor, "teodoberto"), Vec::<String>::new());
}

#[test]
fn a_search_goes_with_status_period_and_pages() {
    let program = Program::start();
    program.set_up();
    let mut all = Vec::new();
    for number in 0..70 {
        program.clock.advance(Duration::from_hours(1));
        let teller = Person {
            cognome: if number % 2 == 0 { "Verdi" } else { "Neri" }.to_owned(),
            ..Person::numbered(number)
        };
        all.push(submit(&program.client(), &teller));
    }
    let editor = program.log_in();
    when_ready(&editor);
    all.reverse();
    let verdi: Vec<String> = all.iter().skip(1).step_by(2).cloned().collect();
    for (late, query) in ["search=verdi", "search=VERDI&inText=true"]
        .into_iter()
        .enumerate()
    {
        let first = editor.list(&format!("?{query}&limit=30"));
        assert_eq!(
            (ids(&first), &first["prevCursor"]),
            (verdi[..30].to_vec(), &Value::Null)
        );
        assert_eq!(
            first["counters"]["total"],
            70 + late,
            "over the whole archive"
        );
        let next = first["nextCursor"].as_str().expect("there is more");
        // A report that arrives meanwhile moves no page.
        let newest = submit(&program.client(), &Person::numbered(999));
        let second = editor.list(&format!("?{query}&limit=30&cursor={next}"));
        assert_eq!(
            (ids(&second), &second["nextCursor"]),
            (verdi[30..].to_vec(), &Value::Null)
        );
        let back = second["prevCursor"].as_str().expect("a way back");
        assert_eq!(
            ids(&editor.list(&format!("?{query}&limit=30&cursor={back}"))),
            verdi[..30]
        );
        assert_eq!(found(&editor, "cognome999")[0], newest);
    }
    let solved = &verdi[10];
    editor
        .patch(solved, &json!(1), &json!({ "stato": "Risolta" }))
        .expect(200);
    assert_eq!(
        ids(&editor.list("?search=verdi&stato=Risolta")),
        std::slice::from_ref(solved)
    );
    assert_eq!(
        ids(&editor.list("?search=neri&stato=Risolta")),
        Vec::<String>::new()
    );
    assert_eq!(
        ids(&editor.list("?search=verdi&stato=Nuova&limit=200")).len(),
        34
    );
    let today = ids(&editor.list("?period=today&limit=200"));
    let today_verdi: Vec<String> = today
        .iter()
        .filter(|id| verdi.contains(id))
        .cloned()
        .collect();
    assert!(!today_verdi.is_empty() && today_verdi.len() < verdi.len());
    assert_eq!(ids(&editor.list("?search=verdi&period=today")), today_verdi);
    assert_eq!(
        ids(&editor.list("?search=verdi&period=today&inText=true")),
        today_verdi
    );
}

#[test]
fn a_report_is_found_as_soon_as_it_is_acknowledged_and_after_a_restart() {
    let mut program = Program::start();
    let editor = program.set_up();
    when_ready(&editor);
    for number in 0..20 {
        let id = submit(&program.client(), &Person::numbered(number));
        assert_eq!(found(&editor, &format!("persona{number}@")), [id]);
    }
    program.restart();
    let editor = program.log_in();
    let list = when_ready(&editor);
    assert_eq!(
        list["search"],
        json!({ "ready": true, "indexed": 20, "total": 20 })
    );
    assert_eq!(found(&editor, "persona7@").len(), 1);
}

#[test]
fn a_search_that_makes_no_sense_is_refused_at_its_parameter() {
    let program = Program::start();
    let editor = program.set_up();
    let long = "è".repeat(201);
    for (query, parameter) in [
        (format!("?search={}", encoded(&long)), "search"),
        ("?inText=forse".to_owned(), "inText"),
        ("?search=a&testo=true".to_owned(), "testo"),
    ] {
        let problem = editor
            .get(&format!("/reports{query}"))
            .problem(422, "dati-non-validi");
        assert!(
            problem["errors"][parameter].is_string(),
            "{query}: {problem}"
        );
    }
    assert_eq!(found(&editor, &long[..400]), Vec::<String>::new());
}

#[test]
fn a_demonstration_can_be_searched_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let clock = Manual::new(at(START));
    let running =
        app::start(&config(folder.path(), &[]), &options(Mode::Demo, &clock)).expect("it starts");
    let editor = Editor::log_in(&Client::new(running.address()), "dimostrazione-aperta");
    when_ready(&editor);
    assert_eq!(found(&editor, "taranu"), ["3"]);
    assert_eq!(found(&editor, "damico@"), ["4"]);
    assert_eq!(found_in_text(&editor, "fusti"), ["4"]);
    running.stop();
}
