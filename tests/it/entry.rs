//! `POST /reports`: what staff take down by telephone, by letter or in person goes the way of every report (PRODUCT.md §3).

use serde_json::{Value, json};

use crate::support::HOUR;
use crate::support::chat::{GRAVE, Person};
use crate::support::panel::{Editor, ids};
use crate::support::people::desk;
use crate::support::program::Program;
use crate::support::snapshot::table;

/// What an editor takes down, with other answers where they are given.
fn entry(answers: Value) -> Value {
    let account = Person::numbered(1).segnalazione;
    let mut entry = json!({ "nome": "Ida", "cognome": "Bruni", "segnalazione": account, "origine": "telefono" });
    if let Value::Object(answers) = answers {
        entry.as_object_mut().expect("an entry").extend(answers);
    }
    entry
}

/// Enters a report; answers its id.
fn enter(editor: &Editor, answers: Value) -> String {
    let entered = editor.post_and_read("/reports", &entry(answers));
    entered["id"].as_str().expect("an id").to_owned()
}

#[test]
fn a_name_and_an_account_are_enough_and_the_rest_is_as_in_the_chat() {
    let (program, editor) = Program::with_editor();
    program.report(9);
    let id = enter(&editor, json!({ "nome": " Ida " }));
    has!(
        editor.report(&id),
        "nome": "Ida", "origin": "telefono", "department": "ambiente", "eta": 0, "telefono": "", "stato": "Nuova"
    );
    assert_eq!(ids(&editor.list("?origin=telefono")), [&*id]);
    let file = editor.get("/reports/export.csv?extra=true&origin=telefono");
    let file = file.expect(200).text().trim_end().to_owned();
    // An age that was not told is none.
    assert!(file.ends_with(r#""no";"";"";"""#), "{file}");
    has!(editor.list("?search=bruni")["data"][0], "origin": "telefono");
    assert_eq!(ids(&editor.list("?origin=chat")).len(), 1);
    assert_eq!(editor.list("")["counters"]["new"], 2);
    let mut log = editor.rows("/logs").into_iter();
    assert!(log.any(|one| one["reportId"] == *id));

    let whole = json!({
        "segnalazione": GRAVE, "origine": "di persona", "eta": 44, "telefono": "+39 333 1234567",
        "email": "ida@esempio.it", "indirizzo": "Via Roma 1, Milano",
    });
    let report = editor.report(&enter(&editor, whole));
    has!(report, "telefono": "3331234567", "eta": 44, "urgenteOra": true, "origin": "di persona");
}

#[test]
fn one_that_is_sent_again_under_its_key_is_one_report() {
    let (program, editor) = Program::with_editor();
    let first = enter(&editor, json!({ "key": "una scheda" }));
    program.clock.advance(2 * HOUR);
    let editor = program.log_in();
    assert_eq!(enter(&editor, json!({ "key": "una scheda" })), first);
    assert_eq!(ids(&editor.list("")).len(), 1);
    let other = entry(json!({ "nome": "Irma", "key": "una scheda" }));
    editor.post_json("/reports", &other).conflict();
    assert_ne!(enter(&editor, json!({ "key": "un'altra" })), first);
    // An empty one is none.
    let without = [(); 2].map(|()| enter(&editor, json!({ "key": "" })));
    assert_ne!(without[0], without[1]);
    let long = entry(json!({ "key": "x".repeat(37) }));
    editor.post_json("/reports", &long).invalid();
}

#[test]
fn a_name_and_any_text_are_enough_whatever_the_chat_asks_for() {
    let (_program, editor) = Program::with_editor();
    editor.save_security(
        &json!({ "minReportLength": 500, "minWordCount": 90, "forbiddenWords": "avvocato" }),
    );
    let said = json!({
        "nome": "Signora del 3° piano", "cognome": "", "segnalazione": "Ha un avvocato.", "telefono": "02 1234567",
        "indirizzo": "Napoli",
    });
    has!(
        editor.report(&enter(&editor, said)),
        "nome": "Signora del 3° piano", "cognome": "", "segnalazione": "Ha un avvocato.", "telefono": "+39021234567",
        "indirizzo": "Napoli", "email": "", "eta": 0
    );
    let bare = json!({ "nome": "Ida", "segnalazione": "Sì.", "origine": "lettera" });
    let id = editor.post_and_read("/reports", &bare)["id"].clone();
    let id = id.as_str().expect("an id");
    has!(editor.report(id), "nome": "Ida", "cognome": "", "segnalazione": "Sì.");
    has!(editor.list("?search=ida")["data"][0], "id": id);
}

#[test]
fn what_is_no_answer_is_refused_at_its_field_to_an_editor() {
    let (_program, editor) = Program::with_editor();
    for (answers, fields, said) in [
        (
            json!({ "nome": " " }),
            "nome",
            "Scrivi almeno il nome, o come chiamare questa persona.",
        ),
        (
            json!({ "segnalazione": " \u{200B}" }),
            "segnalazione",
            "Scrivi che cosa racconta.",
        ),
        (
            json!({ "cognome": "x".repeat(101) }),
            "cognome",
            "Al massimo 100 caratteri: ora sono 101.",
        ),
        (
            json!({ "telefono": "12", "email": "ida" }),
            "email telefono",
            "Non è un indirizzo email completo, come anna@esempio.it.",
        ),
        (
            json!({ "eta": 17 }),
            "eta",
            "Non si possono raccogliere segnalazioni da minorenni.",
        ),
        (json!({ "eta": 130 }), "eta", "L’età va da 18 a 120 anni."),
        (
            json!({ "origine": "chat" }),
            "origine",
            "Scegli telefono, lettera o di persona.",
        ),
    ] {
        let refused = editor.post_json("/reports", &entry(answers));
        assert_eq!(refused.refused_fields().join(" "), fields);
        let text = refused.text();
        assert!(text.contains(said), "{text}");
    }
    assert!(ids(&editor.list("")).is_empty());
}

#[test]
fn the_webhook_hears_of_it_and_nobody_without_an_address_is_written_to() {
    let (_program, editor) = Program::with_editor();
    editor.call("https://esempio.it/");
    let report = editor.report(&enter(&editor, json!({})));
    assert_eq!(table(&report["consegne"], "tipo"), "webhook");
}

#[test]
fn its_history_says_who_took_it_down_and_who_opened_it_first() {
    let (_program, reports, [shared, anna, bruno]) = desk(1);
    let (entered, sent) = (enter(&anna, json!({})), &reports[0]);
    bruno.report(&entered);
    // Opened by the shared password: nobody by name.
    shared.report(sent);
    for (id, received, opened) in [
        (&entered, json!("Nome di anna"), json!("Nome di bruno")),
        (sent, Value::Null, Value::Null),
    ] {
        anna.report(id);
        let history = shared.quiet().report(id)["storia"].clone();
        assert_eq!(table(&history, "tipo"), "ricevuta\naperta", "{id}");
        assert_eq!(history[0]["author"]["name"], received);
        assert_eq!(history[1]["author"]["name"], opened);
    }
}
