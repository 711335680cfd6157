//! Routing learns from reports that staff move: what it remembers, what it forgets, what it refuses to learn, and that
//! nothing of it lies about (PRODUCT.md §5).

use std::time::Duration;

use segnalazioni::domain::routing::lessons::{Correction, learn};
use segnalazioni::domain::routing::{Config, Department, seed};
use serde_json::{Value, json};

use crate::support::at_once;
use crate::support::chat::{Person, submit};
use crate::support::disk;
use crate::support::panel::Editor;
use crate::support::program::Program;

const MINUTE: Duration = Duration::from_mins(1);
/// Arrives at 'Ambiente'; this newsroom has its desk for work look after what happens at sea.
const FERRY: &str = "Il traghetto delle sei salta una corsa su tre da quando la compagnia ha cambiato capitano: i \
     pendolari dell'isola restano sul molo, e in biglietteria dicono che è colpa del vento anche quando il mare è piatto.";
/// The same, as another passenger types it.
const FERRY_TYPOS: &str = "Il trahgetto dele sei salta una corsa su tre da quanddo la compania ha cambiato capitano i \
     pendolari dell isola restano sul mmolo e in bigliteria dicono che è colpa del vento anche cuando il mare è piatto.";
const KENNEL: &str = "Nel canile convenzionato i cani dormono sul cemento bagnato. Ho contato quaranta gabbie per centosei \
     animali, e la domenica non c'è nessuno che porti l'acqua: me l'ha detto chi ci lavora da volontario.";

fn send(program: &Program, number: usize, account: &str) -> String {
    let person = Person {
        segnalazione: account.to_owned(),
        chiusura: "no".to_owned(),
        ..Person::numbered(number)
    };
    submit(&program.client(), &person)
}

/// Moves a report on the version that it has.
fn relocate(editor: &Editor, id: &str, department: &str) {
    let version = editor.report(id)["versione"].clone();
    let change = json!({ "department": department });
    editor.patch(id, &version, &change).expect(200);
}

fn model(editor: &Editor) -> Value {
    editor.get("/routing/model").expect(200).json()
}

/// Lets the program learn what is due.
fn learnt(program: &Program, editor: &Editor) -> Value {
    program.running().learn().expect("learnt");
    model(editor)
}

/// Where a text would go, with every percentage.
fn preview(editor: &Editor, text: &str) -> Value {
    let call = editor
        .api("POST", "/routing/preview")
        .json(&json!({ "text": text }));
    call.send().expect(200).json()
}

fn undo(editor: &Editor, version: &Value) -> crate::support::http::Answer {
    let call = editor.api("POST", "/routing/model/undo");
    call.json(&json!({ "version": version })).send()
}

fn reset(editor: &Editor, query: &str) -> Value {
    let call = editor.api("DELETE", &format!("/routing/model{query}"));
    call.send().expect(200).json()
}

/// The head in force, as it lies on the disk of a program that has stopped.
fn sealed_head(program: &Program) -> Vec<u8> {
    let sql = "SELECT head FROM routing_heads ORDER BY version DESC LIMIT 1";
    let row = disk::database(program.data()).query_row(sql, [], |row| row.get(0));
    row.expect("a head")
}

#[test]
fn of_one_text_moved_to_two_desks_the_latest_move_counts() {
    let program = Program::start();
    let editor = program.set_up();
    let (one, other) = (send(&program, 1, FERRY), send(&program, 2, FERRY));
    relocate(&editor, &one, "scuola");
    for (id, department) in [(&other, "lavoro"), (&one, "sanita")] {
        program.clock.advance(MINUTE);
        relocate(&editor, id, department);
        learnt(&program, &editor);
        assert_eq!(preview(&editor, FERRY)["department"], department);
    }
}

#[test]
fn a_moved_report_teaches_and_moved_back_it_teaches_nothing() {
    let mut program = Program::start();
    let editor = program.set_up();
    let nothing =
        json!({ "active": null, "versions": [], "corrections": 0, "due": false, "last": null });
    assert_eq!(learnt(&program, &editor), nothing);
    let before = [FERRY, KENNEL].map(|text| preview(&editor, text));
    let id = send(&program, 1, FERRY);
    let arrived = editor.report(&id)["department"].clone();
    assert!(arrived != "lavoro" && arrived == before[0]["department"]);

    relocate(&editor, &id, "scuola");
    relocate(&editor, &id, "lavoro");
    let told = model(&editor);
    assert_eq!(
        (&told["corrections"], &told["due"]),
        (&json!(1), &json!(true))
    );
    assert_eq!(preview(&editor, FERRY), before[0], "not learnt yet");
    let told = learnt(&program, &editor);
    assert_eq!((&told["active"], &told["due"]), (&json!(1), &json!(false)));
    assert_eq!(told["versions"][0]["corrections"], 1);
    let last = &told["last"];
    assert_eq!(
        (&last["kept"], &last["corrections"]),
        (&json!(true), &json!(1))
    );
    assert_eq!(
        (&last["tested"], &last["bundled"]),
        (&json!(210), &json!(157))
    );
    assert!(last["right"].as_i64().unwrap() >= 155, "{last}");

    for text in [FERRY, FERRY_TYPOS] {
        assert_eq!(preview(&editor, text)["department"], "lavoro", "{text}");
    }
    assert_eq!(
        preview(&editor, KENNEL)["department"],
        before[1]["department"]
    );
    let next = send(&program, 2, FERRY_TYPOS);
    assert_eq!(editor.report(&next)["department"], "lavoro");
    let run = editor
        .api("POST", "/routing/dry-run")
        .json(&json!({ "routingMode": "manual" }));
    let run = run.send().expect(200).json();
    let before_after = &run["examples"][0];
    assert_eq!(
        (&before_after["before"], &before_after["after"]),
        (&json!("lavoro"), &json!("generale")),
        "{run}"
    );
    let remembered = preview(&editor, FERRY);
    program.restart();
    let editor = program.log_in();
    assert_eq!(preview(&editor, FERRY), remembered);
    assert_eq!(learnt(&program, &editor)["active"], 1, "nothing is due");

    relocate(&editor, &id, arrived.as_str().unwrap());
    let told = model(&editor);
    assert_eq!(
        (&told["corrections"], &told["due"]),
        (&json!(0), &json!(true))
    );
    let told = learnt(&program, &editor);
    assert_eq!(
        (&told["active"], &told["versions"][0]["corrections"]),
        (&json!(2), &json!(0))
    );
    assert_eq!([FERRY, KENNEL].map(|text| preview(&editor, text)), before);
}

#[test]
fn what_was_learnt_is_taken_back_step_by_step_or_all_at_once() {
    let mut program = Program::start();
    let editor = program.set_up();
    let see = |editor: &Editor| [FERRY, FERRY_TYPOS, KENNEL].map(|text| preview(editor, text));
    let bundled = see(&editor);
    let ids = [FERRY, KENNEL].map(|text| send(&program, 1, text));
    relocate(&editor, &ids[0], "lavoro");
    assert_eq!(learnt(&program, &editor)["active"], 1);
    let first = see(&editor);
    assert_ne!(first, bundled);
    program.stop();
    let kept = sealed_head(&program);
    program.start_again();
    let editor = program.log_in();
    // Two editors at once, on two reports.
    let late = send(&program, 2, KENNEL);
    let moved = [(&ids[1], "criminalita"), (&late, "criminalita")];
    at_once(2, |at| relocate(&editor, moved[at].0, moved[at].1));
    assert_eq!(model(&editor)["corrections"], 3, "none is lost");
    let told = learnt(&program, &editor);
    assert_eq!(told["versions"].as_array().unwrap().len(), 2);
    assert_eq!(told["versions"][0]["corrections"], 3);
    assert_eq!(preview(&editor, KENNEL)["department"], "criminalita");

    undo(&editor, &json!(1)).problem(409, "conflitto");
    let told = undo(&editor, &json!(2)).expect(200).json();
    assert_eq!(
        (&told["active"], &told["corrections"], &told["due"]),
        (&json!(1), &json!(1), &json!(false))
    );
    assert_eq!(see(&editor), first);
    undo(&editor, &json!(2)).problem(409, "conflitto");
    assert_eq!(
        learnt(&program, &editor)["active"],
        1,
        "it is not learnt again"
    );
    program.stop();
    assert!(sealed_head(&program) == kept, "to the last bit");
    program.start_again();
    let editor = program.log_in();
    assert_eq!(see(&editor), first);

    let told = reset(&editor, "");
    assert_eq!(
        (&told["active"], &told["corrections"], &told["due"]),
        (&json!(null), &json!(1), &json!(false))
    );
    assert_eq!(told["last"], json!(null));
    assert_eq!(see(&editor), bundled);
    relocate(&editor, &late, "generale");
    let told = learnt(&program, &editor);
    assert_eq!(
        (&told["active"], &told["versions"][0]["corrections"]),
        (&json!(3), &json!(2))
    );
    let told = reset(&editor, "?forget=true");
    assert_eq!(
        (&told["corrections"], &told["versions"]),
        (&json!(0), &json!([]))
    );
    assert_eq!(learnt(&program, &editor)["active"], json!(null));
    assert_eq!(see(&editor), bundled);
    // Beside the set-up, which notes the password.
    let noted = editor.get("/logs?action=SETTINGS_CHANGED").expect(200);
    assert_eq!(noted.json()["data"].as_array().unwrap().len(), 1 + 3);
    undo(&editor, &json!(3)).problem(409, "conflitto");
}

#[test]
fn everything_to_one_desk_is_not_learnt() {
    let program = Program::start();
    let editor = program.set_up();
    // Everything arrives in the fallback, so that any move is a correction.
    editor
        .put("/settings/email", &json!({ "routingMode": "manual" }))
        .expect(200);
    let some: Vec<_> = seed::examples().into_iter().step_by(8).collect();
    let ids: Vec<String> = (0..)
        .zip(&some)
        .map(|(at, one)| send(&program, at, &one.text))
        .collect();
    for id in &ids {
        relocate(&editor, id, "ambiente");
    }
    let told = learnt(&program, &editor);
    assert_eq!(
        (&told["active"], &told["due"]),
        (&json!(null), &json!(false))
    );
    let (last, corrections) = (&told["last"], json!(ids.len()));
    assert_eq!(
        (&last["kept"], &last["corrections"]),
        (&json!(false), &corrections)
    );
    assert!(last["right"].as_i64().unwrap() < 155, "{last}");
    assert_eq!(
        learnt(&program, &editor),
        told,
        "it is not tried again and again"
    );
    // The control: where they belong, as many are learnt.
    for (id, one) in ids.iter().zip(&some) {
        relocate(&editor, id, one.label.key());
    }
    let told = learnt(&program, &editor);
    assert_eq!(
        (&told["active"], &told["last"]["kept"]),
        (&json!(1), &json!(true)),
        "{told}"
    );
}

#[test]
fn what_was_learnt_is_sealed_and_goes_with_its_report() {
    let mut program = Program::start();
    let editor = program.set_up();
    let before = preview(&editor, FERRY);
    let id = send(&program, 1, FERRY);
    relocate(&editor, &id, "lavoro");
    assert_eq!(learnt(&program, &editor)["active"], 1);
    let remembered = preview(&editor, FERRY);
    program.stop();
    // The weights, as anybody would make them who knew the report.
    let known = Correction {
        text: FERRY.to_owned(),
        department: Department::Lavoro,
    };
    let model = learn(&Config::default(), &[known], &|| true)
        .expect("learnt")
        .model;
    let weights = model.head.to_bytes();
    let config = Config::default();
    let control = segnalazioni::domain::routing::route_with(&config, &model, FERRY);
    assert_eq!(remembered["scores"], json!(control.scores), "the same head");
    let part = &weights[weights.len() / 2..weights.len() / 2 + 24];
    assert!(disk::holding(program.data(), part).is_empty());
    assert!(disk::holding(program.data(), b"traghetto").is_empty());

    // Without the newsroom's key it is of no use, and reports find their way all the same.
    let (key, aside) = (&program.config().key_file, program.data().join("altrove"));
    std::fs::rename(key, &aside).expect("moved");
    program.start_again();
    let stranger = Editor::with_cookie(&program.client(), editor.cookie().to_owned());
    assert_eq!(preview(&stranger, FERRY), before);
    send(&program, 2, FERRY);
    assert_eq!(
        preview(&program.log_in(), FERRY),
        remembered,
        "the password opens it"
    );
    program.stop();
    std::fs::rename(&aside, &program.config().key_file).expect("moved");

    let damaged = {
        let mut damaged = sealed_head(&program);
        damaged[100] ^= 1;
        damaged
    };
    let whole = sealed_head(&program);
    for (head, expected) in [(damaged, &before), (whole, &remembered)] {
        let database = disk::database(program.data());
        database
            .execute("UPDATE routing_heads SET head = ?1", [head])
            .expect("put");
        program.start_again();
        assert_eq!(&preview(&program.log_in(), FERRY), expected);
        program.stop();
    }

    let database = disk::database(program.data());
    database
        .execute_batch("PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON;")
        .expect("as the program has it");
    database
        .execute("DELETE FROM segnalazioni WHERE id = ?1", [&id])
        .expect("erased");
    for table in ["corrections", "routing_heads", "routing_lessons"] {
        let sql = format!("SELECT count(*) FROM {table}");
        assert_eq!(disk::count(program.data(), &sql), 0, "{table}");
    }
    program.start_again();
    let editor = program.log_in();
    assert_eq!(preview(&editor, FERRY), before);
    let told = learnt(&program, &editor);
    assert_eq!(
        (&told["active"], &told["due"]),
        (&json!(null), &json!(false))
    );
}

#[test]
fn only_staff_may_see_it_or_take_it_back() {
    let program = Program::start();
    let editor = program.set_up();
    for (method, path) in [
        ("GET", "/routing/model"),
        ("POST", "/routing/model/undo"),
        ("DELETE", "/routing/model"),
    ] {
        let call = program
            .client()
            .api(method, path)
            .json(&json!({ "version": 1 }));
        call.send().expect(401);
    }
    let unknown = editor.api("DELETE", "/routing/model?dimentica=1");
    unknown.send().problem(422, "dati-non-validi");
}
