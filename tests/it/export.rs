//! `GET /reports/export.csv`: the rows of the current filter, all of them, safe to open in a spreadsheet (PRODUCT.md §6).

use std::io::Read;
use std::net::TcpStream;

use serde_json::json;

use crate::support::chat::{Person, submit};
use crate::support::disk;
use crate::support::http::Answer;
use crate::support::panel::Editor;
use crate::support::program::{Program, START};
use crate::support::wait_for;

const PATH: &str = "/reports/export.csv";

/// The rows of a file without its heading.
fn rows(answer: &Answer) -> Vec<Vec<String>> {
    let mut rows = read(answer.text(), b';');
    assert_eq!(rows.remove(0)[0], "ID");
    rows
}

/// The cells of a file as somebody sees them who reads it with this separator.
fn read(text: &str, separator: u8) -> Vec<Vec<String>> {
    let text = text.strip_prefix('\u{FEFF}').expect("a mark of UTF-8");
    csv::ReaderBuilder::new()
        .delimiter(separator)
        .has_headers(false)
        .flexible(true)
        .from_reader(text.as_bytes())
        .deserialize()
        .collect::<Result<_, _>>()
        .expect("cells")
}

fn export(editor: &Editor, query: &str) -> Vec<Vec<String>> {
    let answer = editor.get(&format!("{PATH}{query}")).expect(200);
    let rows = rows(&answer);
    let total = rows.len().to_string();
    assert_eq!(answer.header("x-total-rows"), Some(total.as_str()));
    rows
}

#[test]
fn a_file_has_the_published_name_form_and_columns() {
    let (program, editor) = Program::with_editor();
    let person = Person {
        cognome: "D'Àngelo".to_owned(),
        indirizzo: "Via \"Roma\" 1; Milano, MI".to_owned(),
        ..Person::numbered(3)
    };
    let id = submit(&program.client(), &person);
    editor.save_system(&json!({ "productName": "La Voce — Città" }));
    let answer = editor.get(PATH).expect(200);
    answer.has_headers(&[
        ("content-type", "text/csv; charset=utf-8; header=present"),
        (
            "content-disposition",
            "attachment; filename=\"segnalazioni_la-voce-citta.csv\"",
        ),
        ("cache-control", "no-store"),
        ("x-total-rows", "1"),
    ]);
    // The manual clock stands at 9:00 UTC, which is 10:00 in Rome.
    let expected = format!(
        "\u{FEFF}\"ID\";\"Nome\";\"Telefono\";\"Email\";\"Indirizzo\";\"Data\";\"Stato\";\"Segnalazione\"\r\n\
         \"{id}\";\"Nomed D'Àngelo\";\"{}\";\"{}\";\"Via \"\"Roma\"\" 1; Milano, MI\";\"10/03/2026 10:00\";\"Nuova\";\"{}\"\r\n",
        person.telefono, person.email, person.segnalazione
    );
    assert_eq!(answer.text(), expected);
}

#[test]
fn no_cell_is_a_formula_whatever_the_file_is_read_with() {
    let (program, editor) = Program::with_editor();
    let person = Person {
        cognome: "Rossi:=A+A".to_owned(),
        indirizzo: "Via Roma 1, +39 333 1234567, Milano".to_owned(),
        ..Person::telling(
            5,
            "Ecco che cosa ho visto nel cantiere del porto la notte di lunedì:\n=cmd|' /C calc'!A0\n  @SUM(1+1)\n\
             ＝1+1\nfusti;-2+3;bidoni, \"=HYPERLINK(1)\", e altro\n\"\"+1\n- un elenco\n1 = 1, a-b, x@y.it",
        )
    };
    submit(&program.client(), &person);
    let answer = editor.get(PATH).expect(200);
    let hidden = |character: char| character.is_whitespace() || character == '"';
    let formulas = [';', ',', '\t'].map(|separator| {
        let cells = read(answer.text(), separator as u8).concat();
        let runs = |cell: &String| {
            let shown = cell.trim_start_matches(hidden);
            shown.starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠'])
        };
        cells.into_iter().filter(runs).collect::<Vec<_>>()
    });
    assert_eq!(formulas, [const { Vec::<String>::new() }; 3]);
    let told = rows(&answer).remove(0).remove(7);
    let expected = person.segnalazione.replace('\'', "");
    assert_eq!(told.replace('\'', ""), expected);
    assert!(told.ends_with("1 = 1, a-b, x@y.it"), "{told}");
}

#[test]
fn further_columns_follow_where_they_are_asked_for() {
    let (program, editor) = Program::with_editor();
    program.report(1);
    let id = program.report(2);
    let note = "=1+1\nRichiamata; \"sì\"";
    let change = json!({ "note": note, "urgente": true, "department": "sanita" });
    editor.change(&id, &change);
    let plain = export(&editor, "");
    let answer = editor.get(&format!("{PATH}?extra=true")).expect(200);
    let heading = read(answer.text(), b';').remove(0);
    let expected = ["Reparto", "Urgente", "Età", "Note", "Assegnata a"];
    assert_eq!(heading[8..], expected);
    let full = rows(&answer);
    assert_eq!(full[0][..8], plain[0]);
    let (age, noted) = (Person::numbered(2).eta, format!("'{note}"));
    assert_eq!(full[0][8..], ["Sanità/Ospedali", "sì", &*age, &*noted, ""]);
    let age = Person::numbered(1).eta;
    assert_eq!(full[1][9..], ["no", &*age, "", ""]);
    // Also of what a search finds.
    let found = export(&editor, "?extra=true&search=persona2@");
    assert_eq!(found, [full[0].clone()]);
    for path in [&format!("{PATH}?extra=2"), "/reports?extra=true"] {
        assert_eq!(editor.get(path).refused_fields(), ["extra"], "{path}");
    }
}

#[test]
fn an_export_is_logged_with_who_and_when() {
    let (program, editor) = Program::with_editor();
    program.report(1);
    export(&editor, "?search=segreto-cercato");
    let log = editor.read("/logs?action=EXPORT_CSV");
    let entry = &log["data"][0];
    has!(entry, "ip": "127.0.0.1", "timestamp": START);
    assert!(!editor.get("/logs").text().contains("segreto-cercato"));
}

#[test]
fn an_export_with_a_parameter_that_is_not_known_is_refused() {
    let (_program, editor) = Program::with_editor();
    for (parameter, value) in [("stato", "Persa"), ("cursor", "p1"), ("inText", "2")] {
        let refused = editor.get(&format!("{PATH}?{parameter}={value}"));
        assert_eq!(refused.refused_fields(), [parameter]);
    }
    // Nothing was exported.
    let log = editor.read("/logs");
    assert!(!log.to_string().contains("EXPORT_CSV"), "{log}");
}

#[test]
fn an_export_that_fails_half_way_is_broken_off() {
    let mut program = Program::start();
    program.set_up();
    for number in 0..3 {
        program.report(number);
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
fn a_client_that_stops_reading_holds_no_turn_after_it_is_gone() {
    let (program, editor) = Program::with_editor();
    // Few characters of many bytes.
    let long = "😀😀😀😀😀😀😀😀😀 ".repeat(1_900);
    for number in 0..15 {
        submit(&program.client(), &Person::telling(number, &long));
    }
    // More than what sockets and channel hold lies ahead of a client that reads the head only.
    let stalled = [(); 2].map(|()| stalled_export(&editor));
    drop(stalled);
    let again = wait_for("a free turn", || {
        let answer = editor.get(PATH);
        (answer.status == 200).then_some(answer)
    });
    assert_eq!(rows(&again).len(), 15);
}

/// An export of which only the first bytes are taken.
fn stalled_export(editor: &Editor) -> TcpStream {
    let mut stream = editor.api("GET", PATH).send_only();
    let mut first = [0; 12];
    stream.read_exact(&mut first).expect("an answer");
    assert_eq!(&first, b"HTTP/1.1 200");
    stream
}
