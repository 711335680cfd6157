//! Routing remembers reports that staff move: near copies follow them, it forgets on demand and with the report, and nothing
//! of it lies about in the clear (PRODUCT.md §11).

use segnalazioni::testing::domain::Pieces;
use serde_json::{Value, json};

use crate::support::MINUTE;
use crate::support::at_once;
use crate::support::chat::{Person, submit};
use crate::support::disk;
use crate::support::panel::Editor;
use crate::support::program::Program;

/// Arrives at 'Ambiente'; this newsroom has its desk for work look after what happens at sea.
const FERRY: &str = "Il traghetto delle sei salta una corsa su tre da quando la compagnia ha cambiato capitano: i \
     pendolari dell'isola restano sul molo, e in biglietteria dicono che è colpa del vento anche quando il mare è piatto.";
/// The same, as another passenger types it.
const FERRY_TYPOS: &str = "Il trahgetto dele sei salta una corsa su tre da quanddo la compania ha cambiato capitano i \
     pendolari dell isola restano sul mmolo e in bigliteria dicono che è colpa del vento anche cuando il mare è piatto.";
const KENNEL: &str = "Nel canile convenzionato i cani dormono sul cemento bagnato. Ho contato quaranta gabbie per centosei \
     animali, e la domenica non c'è nessuno che porti l'acqua: me l'ha detto chi ci lavora da volontario.";

fn send(program: &Program, number: usize, account: &str) -> String {
    submit(&program.client(), &Person::telling(number, account))
}

/// Moves a report on the version that it has.
fn relocate(editor: &Editor, id: &str, department: &str) {
    editor.change(id, &json!({ "department": department }));
}

/// How many moves are remembered.
fn moves(editor: &Editor) -> Value {
    editor.read("/routing/memory")["moves"].clone()
}

/// Where a text would go, with every percentage.
fn preview(editor: &Editor, text: &str) -> Value {
    let call = editor
        .api("POST", "/routing/preview")
        .json(&json!({ "text": text }));
    call.send().expect(200).json()
}

#[test]
fn near_copies_follow_a_moved_report_until_it_is_moved_back() {
    let (mut program, editor) = Program::with_editor();
    let before = [FERRY, KENNEL].map(|text| preview(&editor, text));
    let id = send(&program, 1, FERRY);
    let arrived = editor.report(&id)["department"].clone();
    assert!(arrived != "lavoro" && arrived == before[0]["department"]);

    relocate(&editor, &id, "scuola");
    relocate(&editor, &id, "lavoro");
    assert_eq!(moves(&editor), 1);
    for text in [FERRY, FERRY_TYPOS] {
        let routed = preview(&editor, text);
        assert_eq!(routed["department"], "lavoro", "{text}");
        let reason = routed["reason"].as_str().unwrap();
        let said = "Come una segnalazione quasi uguale che la redazione ha spostato in Lavoro/Sfruttamento. ";
        assert!(reason.starts_with(said), "{reason}");
        assert_eq!(
            routed["scores"][0]["department"], arrived,
            "the analysis stays"
        );
    }
    assert_eq!(preview(&editor, KENNEL), before[1], "others do not move");
    let next = send(&program, 2, FERRY_TYPOS);
    assert_eq!(editor.report(&next)["department"], "lavoro");
    assert_eq!(moves(&editor), 1, "what follows is no move");
    let run = editor
        .api("POST", "/routing/dry-run")
        .json(&json!({ "routingMode": "manual" }));
    let run = run.send().expect(200).json();
    let example = &run["examples"][0];
    has!(example, "before": "lavoro", "after": "generale");

    let remembered = preview(&editor, FERRY);
    program.restart();
    let editor = program.log_in();
    assert_eq!(preview(&editor, FERRY), remembered);
    relocate(&editor, &id, arrived.as_str().unwrap());
    assert_eq!(moves(&editor), 0);
    assert_eq!([FERRY, KENNEL].map(|text| preview(&editor, text)), before);
}

#[test]
fn of_one_text_moved_to_two_desks_the_latest_move_counts() {
    let (program, editor) = Program::with_editor();
    let (one, other) = (send(&program, 1, FERRY), send(&program, 2, FERRY));
    relocate(&editor, &one, "scuola");
    // At the same moment, then later.
    for (id, department) in [(&other, "lavoro"), (&one, "sanita"), (&other, "corruzione")] {
        relocate(&editor, id, department);
        assert_eq!(preview(&editor, FERRY)["department"], department);
        program.clock.advance(MINUTE);
    }
    assert_eq!(moves(&editor), 2);
}

#[test]
fn two_editors_at_once_lose_no_move_and_all_are_forgotten_on_demand() {
    let (program, editor) = Program::with_editor();
    let see = |editor: &Editor| [FERRY, FERRY_TYPOS, KENNEL].map(|text| preview(editor, text));
    let before = see(&editor);
    let ids = [send(&program, 1, FERRY), send(&program, 2, KENNEL)];
    at_once(2, |at| relocate(&editor, &ids[at], "criminalita"));
    assert_eq!(moves(&editor), 2);
    for routed in see(&editor) {
        assert_eq!(routed["department"], "criminalita");
    }
    let forgotten = editor.delete("/routing/memory");
    assert_eq!(forgotten.expect(200).json(), json!({ "moves": 0 }));
    assert_eq!(moves(&editor), 0);
    assert_eq!(see(&editor), before);
    for id in &ids {
        assert_eq!(
            editor.report(id)["department"],
            "criminalita",
            "reports stay"
        );
    }
    // Beside the set-up, which notes the password.
    let noted = editor.get("/logs?action=SETTINGS_CHANGED").expect(200);
    assert_eq!(noted.json()["data"].as_array().unwrap().len(), 1 + 1);
}

#[test]
fn the_memory_is_sealed_like_its_report_and_erased_with_it() {
    let (mut program, editor) = Program::with_editor();
    let before = preview(&editor, FERRY);
    let id = send(&program, 1, FERRY);
    relocate(&editor, &id, "lavoro");
    let remembered = preview(&editor, FERRY);
    program.stop();
    // The pieces, as anybody would make them who knew the report.
    let pieces = Pieces::of(FERRY).expect("enough text").to_bytes();
    assert!(disk::holding(program.data(), &pieces[..24]).is_empty());
    assert!(disk::holding(program.data(), b"traghetto").is_empty());

    // Without the newsroom's key it is of no use, and reports find their way all the same.
    let key = &program.config().key_file;
    let keys = std::fs::read_to_string(key).expect("keys");
    let kept: Vec<&str> = keys
        .lines()
        .filter(|line| !line.starts_with("newsroom "))
        .collect();
    std::fs::write(key, kept.join("\n")).expect("written");
    program.start_again();
    let stranger = program.session(&editor);
    assert_eq!(preview(&stranger, FERRY), before);
    send(&program, 2, FERRY);
    let editor = program.log_in();
    assert_eq!(preview(&editor, FERRY), remembered, "the password opens it");
    program.stop();

    let database = disk::database(program.data());
    let damage = "UPDATE routing_memory SET pieces = zeroblob(length(pieces))";
    database.execute(damage, []).expect("damaged");
    drop(database);
    program.start_again();
    let editor = program.log_in();
    assert_eq!(preview(&editor, FERRY), before, "damaged");
    relocate(&editor, &id, "scuola");
    assert_eq!(preview(&editor, FERRY)["department"], "scuola");

    editor.erase(&id).expect(200);
    assert_eq!(moves(&editor), 0);
    assert_eq!(preview(&editor, FERRY), before);
    program.stop();
    assert_eq!(program.count("SELECT count(*) FROM routing_memory"), 0);
}
