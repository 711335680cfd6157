//! `GET /reports/export.csv`: the rows of the current filter, all of them, safe to open in a spreadsheet (PRODUCT.md §4).

use std::io::Read;
use std::net::TcpStream;
use std::time::Duration;

use segnalazioni::testing::app;
use segnalazioni::testing::clock::Manual;
use segnalazioni::testing::http::state::Mode;
use serde_json::{Value, json};

use crate::support::chat::{Person, submit};
use crate::support::disk;
use crate::support::http::{Answer, Client};
use crate::support::panel::{Editor, ids};
use crate::support::program::{Program, START, at, config, options};
use crate::support::wait_for;

const PATH: &str = "/reports/export.csv";

/// The rows of a file, its heading first; every cell must stand in quotes and every line end as RFC 4180 has it.
fn rows(answer: &Answer) -> Vec<Vec<String>> {
    let text = answer
        .text()
        .strip_prefix('\u{FEFF}')
        .expect("a mark of UTF-8");
    let lines = text.strip_suffix("\"\r\n").expect("the last line is ended");
    lines
        .split("\"\r\n")
        .map(|line| {
            let cells = line
                .strip_prefix('"')
                .expect("a quoted cell")
                .split("\";\"");
            cells.map(|cell| cell.replace("\"\"", "\"")).collect()
        })
        .collect()
}

fn export(editor: &Editor, query: &str) -> Vec<Vec<String>> {
    let answer = editor.get(&format!("{PATH}{query}")).expect(200);
    let mut rows = rows(&answer);
    assert_eq!(
        rows.remove(0),
        [
            "ID",
            "Nome",
            "Telefono",
            "Email",
            "Indirizzo",
            "Data",
            "Stato",
            "Segnalazione"
        ]
    );
    let total = answer.header("x-total-rows").expect("a total");
    assert_eq!(total, rows.len().to_string());
    rows
}

fn first_cells(rows: &[Vec<String>]) -> Vec<String> {
    rows.iter().map(|row| row[0].clone()).collect()
}

#[test]
fn a_file_has_the_published_name_form_and_columns() {
    let program = Program::start();
    let editor = program.set_up();
    let person = Person {
        nome: "Anna".to_owned(),
        cognome: "D'Àngelo".to_owned(),
        indirizzo: "Via \"Roma\" 1; Milano, MI".to_owned(),
        ..Person::numbered(3)
    };
    let id = submit(&program.client(), &person);
    let answer = editor.get(PATH).expect(200);
    assert_eq!(
        answer.header("content-type"),
        Some("text/csv; charset=utf-8; header=present")
    );
    assert_eq!(
        answer.header("content-disposition"),
        Some(
            "attachment; filename=\"segnalazioni_pelazzai.csv\"; filename*=UTF-8''segnalazioni_pelazzai.csv"
        )
    );
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    assert_eq!(answer.header("x-total-rows"), Some("1"));
    // The manual clock stands at 9:00 UTC, which is 10:00 in Rome.
    let row = [
        id.as_str(),
        "Anna D'Àngelo",
        &person.telefono,
        &person.email,
        &person.indirizzo,
        "10/03/2026 10:00",
        "Nuova",
        &person.segnalazione,
    ];
    assert_eq!(export(&editor, ""), [row]);
    editor
        .put(
            "/settings/system",
            &json!({ "productName": "La Voce — Città" }),
        )
        .expect(200);
    let renamed = editor.get(PATH).expect(200);
    let name = renamed.header("content-disposition").unwrap_or_default();
    assert!(
        name.contains("filename=\"segnalazioni_la-voce-citta.csv\""),
        "{name}"
    );
}

#[test]
fn an_empty_archive_is_a_file_with_its_heading() {
    let program = Program::start();
    let editor = program.set_up();
    assert_eq!(export(&editor, ""), Vec::<Vec<String>>::new());
    assert_eq!(
        export(&editor, "?search=nessuno&inText=true"),
        Vec::<Vec<String>>::new()
    );
}

#[test]
fn the_file_holds_exactly_the_rows_of_the_list() {
    let program = Program::start();
    program.set_up();
    let all: Vec<String> = (0..120)
        .map(|number| {
            program.clock.advance(Duration::from_mins(30));
            submit(&program.client(), &Person::numbered(number))
        })
        .collect();
    let editor = program.log_in();
    for id in all.iter().step_by(3) {
        editor
            .patch(id, &json!(1), &json!({ "stato": "Risolta" }))
            .expect(200);
    }
    for query in [
        "",
        "?stato=Risolta",
        "?stato=Archiviata",
        "?period=today",
        "?period=today&stato=Nuova",
        "?search=persona1",
        "?search=1&stato=Risolta",
        "?search=nome&period=week",
        "?search=numero%201&inText=true",
        "?search=numero%201&inText=true&stato=Risolta&period=today",
    ] {
        let mut listed = Vec::new();
        let mut page = editor.list(&format!(
            "{}limit=200",
            if query.is_empty() {
                "?".to_owned()
            } else {
                format!("{query}&")
            }
        ));
        loop {
            listed.extend(ids(&page));
            let Some(cursor) = page["nextCursor"].as_str() else {
                break;
            };
            page = editor.list(&format!("{query}&cursor={cursor}"));
        }
        assert_eq!(first_cells(&export(&editor, query)), listed, "{query}");
    }
    let one = &export(&editor, "?search=persona42@")[0];
    assert_eq!(
        (one[1].as_str(), one[6].as_str()),
        ("Nome42 Cognome42", "Risolta")
    );
}

#[test]
fn no_cell_is_a_formula() {
    let program = Program::start();
    let editor = program.set_up();
    let person = Person {
        nome: "=HYPERLINK(\"http://evil.example\")".to_owned(),
        indirizzo: "+39 via del Formulario 1, Roma".to_owned(),
        segnalazione: format!("@SUM(1+1) \"x\";=2+2 {}", Person::numbered(1).segnalazione),
        ..Person::numbered(1)
    };
    submit(&program.client(), &person);
    let row = &export(&editor, "")[0];
    for cell in row {
        assert!(
            !cell.starts_with(['=', '+', '-', '@', '\t', '\r']),
            "{cell}"
        );
    }
    assert_eq!(row[4], format!("'{}", person.indirizzo));
    assert_eq!(row[7], format!("'{}", person.segnalazione));
}

#[test]
fn an_export_is_logged_with_who_and_when() {
    let program = Program::start();
    let editor = program.set_up();
    submit(&program.client(), &Person::numbered(1));
    export(&editor, "?search=segreto-cercato");
    let log = editor.get("/logs").expect(200).json();
    let entries: Vec<&Value> = log["data"]
        .as_array()
        .expect("entries")
        .iter()
        .filter(|entry| entry["action"] == "EXPORT_CSV")
        .collect();
    assert_eq!(entries.len(), 1);
    assert_eq!(
        (&entries[0]["ip"], &entries[0]["timestamp"]),
        (&json!("127.0.0.1"), &json!(START))
    );
    assert!(!log.to_string().contains("segreto-cercato"));
}

#[test]
fn only_an_editor_may_export_and_only_with_parameters_that_are_known() {
    let program = Program::start();
    let editor = program.set_up();
    program.client().get(PATH).problem(401, "non-autenticato");
    for (query, parameter) in [
        ("?stato=Persa", "stato"),
        ("?cursor=p1", "cursor"),
        ("?inText=2", "inText"),
    ] {
        let problem = editor
            .get(&format!("{PATH}{query}"))
            .problem(422, "dati-non-validi");
        assert!(problem["errors"][parameter].is_string(), "{problem}");
    }
    let log = editor.get("/logs").expect(200).json();
    assert!(
        !log.to_string().contains("EXPORT_CSV"),
        "nothing was exported"
    );
}

#[test]
fn an_export_that_fails_half_way_is_broken_off() {
    let mut program = Program::start();
    program.set_up();
    for number in 0..3 {
        submit(&program.client(), &Person::numbered(number));
    }
    program.stop();
    let damaged = disk::database(program.data())
        .execute("UPDATE segnalazioni SET data_creazione = 9223372036854775807 WHERE seq = (SELECT min(seq) FROM segnalazioni)", []);
    assert_eq!(damaged.expect("a change"), 1);
    program.start_again();
    let editor = program.log_in();
    let broken = editor.api("GET", PATH).try_send();
    assert!(broken.is_err(), "{:?}", broken.map(|answer| answer.status));
    // What is whole can still be exported.
    assert_eq!(export(&editor, "?search=persona2@").len(), 1);
}

#[test]
fn a_report_that_cannot_be_opened_hides_no_other() {
    let mut program = Program::start();
    program.set_up();
    let sent: Vec<String> = (0..2)
        .map(|number| submit(&program.client(), &Person::numbered(number)))
        .collect();
    program.stop();
    disk::database(program.data())
        .execute(
            "UPDATE segnalazioni SET contenuto = zeroblob(80) WHERE id = ?1",
            [&sent[0]],
        )
        .expect("a change");
    program.start_again();
    let rows = export(&program.log_in(), "");
    assert_eq!(first_cells(&rows), [sent[1].as_str(), &sent[0]]);
    assert_eq!(rows[1][1], "(segnalazione non leggibile)");
    assert_eq!(rows[0][1], "Nome1 Cognome1");
}

#[test]
fn a_client_that_stops_reading_holds_no_turn_after_it_is_gone() {
    let program = Program::start();
    let editor = program.set_up();
    let long = "racconto lunghissimo di quello che succede ".repeat(400);
    for number in 0..60 {
        let teller = Person {
            segnalazione: format!("{long}{number}"),
            ..Person::numbered(number)
        };
        submit(&program.client(), &teller);
    }
    // More than what sockets and channel hold lies ahead of a client that reads the head only.
    let stalled: Vec<TcpStream> = (0..2)
        .map(|_| stalled_export(&program.client(), &editor))
        .collect();
    drop(stalled);
    let again = wait_for("a free turn", Duration::from_mins(1), || {
        let answer = editor.get(PATH);
        (answer.status == 200).then_some(answer)
    });
    assert_eq!(rows(&again).len(), 61);
}

/// An export of which only the first bytes are taken.
fn stalled_export(client: &Client, editor: &Editor) -> TcpStream {
    use std::io::Write;
    let mut stream = TcpStream::connect(client.address()).expect("a connection");
    let request = format!(
        "GET /paibeta/api{PATH} HTTP/1.1\r\nhost: {}\r\ncookie: __Host-segnalazioni={}\r\n\r\n",
        client.address(),
        editor.cookie()
    );
    stream.write_all(request.as_bytes()).expect("it is sent");
    let mut first = [0; 12];
    stream.read_exact(&mut first).expect("an answer");
    assert_eq!(&first, b"HTTP/1.1 200");
    stream
}

#[test]
fn a_demonstration_can_be_exported_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let clock = Manual::new(at(START));
    let running =
        app::start(&config(folder.path(), &[]), &options(Mode::Demo, &clock)).expect("it starts");
    let editor = Editor::log_in(&Client::new(running.address()), "dimostrazione-aperta");
    assert_eq!(
        first_cells(&export(&editor, "")),
        ["8", "7", "6", "5", "4", "3", "2", "1"]
    );
    assert_eq!(first_cells(&export(&editor, "?search=taranu")), ["3"]);
    running.stop();
}
