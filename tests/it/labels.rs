//! Labels and links: made, put on reports, found by, taken away, sealed, and gone with an erased report (PRODUCT.md §6).

use serde_json::{Value, json};

use crate::support::chat::{Person, submit};
use crate::support::disk;
use crate::support::panel::{Editor, ids};
use crate::support::program::Program;

fn with_reports(count: usize) -> (Program, Editor, Vec<String>) {
    let program = Program::start();
    let editor = program.set_up();
    let ids = (0..count).map(|number| submit(&program.client(), &Person::numbered(number)));
    let ids = ids.collect();
    (program, editor, ids)
}

/// Makes a label; its number.
fn label(editor: &Editor, name: &str) -> Value {
    let made = editor.post_json("/labels", &json!({ "name": name, "color": "viola" }));
    made.expect(200).json()["id"].clone()
}

#[test]
fn a_label_is_made_put_on_a_report_found_by_changed_and_taken_away() {
    let (_program, editor, reports) = with_reports(3);
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
    editor
        .api("PATCH", &path)
        .json(&json!({ "name": "Verificata" }))
        .send()
        .expect(204);
    let all = editor.get("/labels").expect(200).json();
    let expected = json!([
        { "id": second, "name": "Servizio", "color": "viola" },
        { "id": first, "name": "Verificata", "color": "viola" },
    ]);
    assert_eq!(all["data"], expected);

    editor.delete(&path).expect(204);
    assert_eq!(editor.report(&reports[1])["labels"], json!([second]));
    assert!(ids(&editor.list(&format!("?label={first}"))).is_empty());
    let gone = json!({ "labels": [first] });
    let refused = editor
        .patch(&reports[1], &json!(2), &gone)
        .problem(422, "dati-non-validi");
    assert!(refused["errors"]["labels"].is_string(), "{refused}");
    editor
        .api("PATCH", &path)
        .json(&json!({ "name": "Altra" }))
        .send()
        .expect(404);
}

#[test]
fn a_name_is_needed_short_and_one_of_a_kind_and_there_are_fifty_at_most() {
    let (_program, editor, _) = with_reports(0);
    let refused = |body: Value| {
        let problem = editor
            .post_json("/labels", &body)
            .problem(422, "dati-non-validi");
        problem["errors"]["name"]
            .as_str()
            .expect("a message")
            .to_owned()
    };
    assert_eq!(
        refused(json!({ "color": "blu" })),
        "Dai un nome all'etichetta."
    );
    assert_eq!(
        refused(json!({ "name": " \u{200B} " })),
        "Dai un nome all'etichetta."
    );
    let long = refused(json!({ "name": "è".repeat(31) }));
    assert_eq!(long, "Il nome può avere al massimo 30 caratteri.");
    label(&editor, "Però");
    assert_eq!(
        refused(json!({ "name": "PERO" })),
        "C'è già un'etichetta con questo nome."
    );
    for number in 1..50 {
        label(&editor, &format!("Etichetta {number}"));
    }
    editor
        .post_json("/labels", &json!({ "name": "Una di troppo" }))
        .problem(409, "conflitto");
}

#[test]
fn neither_names_nor_links_stay_where_they_must_not() {
    let (mut program, editor, reports) = with_reports(2);
    let number = label(&editor, "Zuccavuotissima");
    editor.change(&reports[0], &json!({ "labels": [number] }));
    let link = format!("/reports/{}/links/{}", reports[0], reports[1]);
    editor.put(&link, &json!({})).expect(204);
    editor.put(&link, &json!({})).expect(204);
    let count = |program: &Program| disk::count(program.data(), "SELECT count(*) FROM links");
    assert_eq!(count(&program), 1);
    let own = format!("/reports/{0}/links/{0}", reports[0]);
    editor.put(&own, &json!({})).problem(409, "conflitto");
    editor.erase(&reports[1]).expect(200);
    assert_eq!(count(&program), 0);
    editor.put(&link, &json!({})).problem(410, "cancellata");
    program.stop();
    assert!(disk::holding(program.data(), b"Zuccavuotissima").is_empty());
}

#[test]
fn a_damaged_label_hides_no_other_and_can_be_named_anew() {
    let program = Program::start();
    let editor = program.set_up();
    let [first, second] = ["Prima", "Seconda"].map(|name| label(&editor, name));
    let sql = "UPDATE labels SET name = x'00' WHERE id = ?1";
    let damaged = disk::database(program.data()).execute(sql, [first.as_i64()]);
    assert_eq!(damaged.expect("damaged"), 1);
    let names = || {
        let all = editor.get("/labels").expect(200).json()["data"].clone();
        let mut all = all.as_array().unwrap().clone();
        all.sort_by_key(|one| one["id"].as_i64());
        all.iter()
            .map(|one| one["name"].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(names(), ["Etichetta 1 illeggibile", "Seconda"]);
    let path = format!("/labels/{first}");
    let change = editor.api("PATCH", &path);
    change.json(&json!({ "name": "Prima" })).send().expect(204);
    assert_eq!(names(), ["Prima", "Seconda"]);
    assert_ne!(first, second);
}
