//! Labels: made, put on reports, found by, taken away, sealed, and gone with an erased report (PRODUCT.md §6).

use serde_json::{Value, json};

use crate::support::disk;
use crate::support::panel::{Editor, ids};
use crate::support::program::Program;

/// Makes a label; its number.
fn label(editor: &Editor, name: &str) -> Value {
    let made = editor.post_json("/labels", &json!({ "name": name, "color": "viola" }));
    made.expect(200).json()["id"].clone()
}

#[test]
fn a_label_is_made_put_on_a_report_found_by_changed_and_taken_away() {
    let (_program, editor, reports) = Program::with_reports(3);
    let (first, second) = (
        label(&editor, "  Da   verificare "),
        label(&editor, "Servizio"),
    );
    let saved = editor.change(&reports[1], &json!({ "labels": [second, first] }));
    assert_eq!(saved["labels"], json!([first, second]));
    assert_eq!(saved["versione"], 2);
    assert_eq!(saved["storia"][1]["tipo"], "etichette");
    let found = editor.list(&format!("?label={first}"));
    assert_eq!(ids(&found), [reports[1].clone()]);
    assert_eq!(found["data"][0]["labels"], json!([first, second]));
    let named = editor.list(&format!("?label={first}&search=nessunochesichiamicosi"));
    assert!(ids(&named).is_empty());
    assert!(ids(&editor.list("?label=50")).is_empty());
    assert!(ids(&editor.list("?label=200")).is_empty());

    let path = format!("/labels/{first}");
    let name = |name| editor.modify(&path, &json!({ "name": name }));
    name("Verificata").expect(204);
    let all = editor.read("/labels");
    let expected = json!([
        { "id": second, "name": "Servizio", "color": "viola" },
        { "id": first, "name": "Verificata", "color": "viola" },
    ]);
    assert_eq!(all["data"], expected);

    editor.delete(&path).expect(204);
    assert_eq!(editor.report(&reports[1])["labels"], json!([second]));
    assert!(ids(&editor.list(&format!("?label={first}"))).is_empty());
    let gone = json!({ "labels": [first] });
    let refused = editor.patch(&reports[1], &json!(2), &gone).invalid();
    assert!(refused["errors"]["labels"].is_string(), "{refused}");
    name("Altra").expect(404);
}

#[test]
fn a_name_is_needed_short_and_one_of_a_kind_and_there_are_fifty_at_most() {
    let (_program, editor) = Program::with_editor();
    label(&editor, "Però");
    for (body, message) in [
        (json!({ "color": "blu" }), "Dai un nome all'etichetta."),
        (
            json!({ "name": " \u{200B} " }),
            "Dai un nome all'etichetta.",
        ),
        (
            json!({ "name": "è".repeat(31) }),
            "Il nome può avere al massimo 30 caratteri.",
        ),
        (
            json!({ "name": "PERO" }),
            "C'è già un'etichetta con questo nome.",
        ),
    ] {
        let refused = editor.post_json("/labels", &body).invalid();
        assert_eq!(refused["errors"]["name"], message, "{body}");
    }
    for number in 1..50 {
        label(&editor, &format!("Etichetta {number}"));
    }
    let fifty_first = json!({ "name": "Una di troppo" });
    editor.post_json("/labels", &fifty_first).conflict();
}

#[test]
fn the_name_of_a_label_is_never_in_the_clear() {
    let (mut program, editor, reports) = Program::with_reports(1);
    let number = label(&editor, "Zuccavuotissima");
    editor.change(&reports[0], &json!({ "labels": [number] }));
    program.stop();
    assert!(disk::holding(program.data(), b"Zuccavuotissima").is_empty());
}

#[test]
fn a_damaged_label_hides_no_other_and_can_be_named_anew() {
    let (program, editor) = Program::with_editor();
    let [first, second] = ["Prima", "Seconda"].map(|name| label(&editor, name));
    let sql = "UPDATE labels SET name = x'00' WHERE id = ?1";
    let damaged = disk::database(program.data()).execute(sql, [first.as_i64()]);
    assert_eq!(damaged.expect("damaged"), 1);
    let names = || {
        let mut all = editor.rows("/labels");
        all.sort_by_key(|one| one["id"].as_i64());
        all.into_iter()
            .map(|one| one["name"].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(names(), ["Etichetta 1 illeggibile", "Seconda"]);
    let path = format!("/labels/{first}");
    editor
        .modify(&path, &json!({ "name": "Prima" }))
        .expect(204);
    assert_eq!(names(), ["Prima", "Seconda"]);
    assert_ne!(first, second);
}
