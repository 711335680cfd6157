//! `GET · POST · DELETE /views`: filters under a name, sealed (PRODUCT.md §6).

use serde_json::{Value, json};

use crate::support::disk;
use crate::support::panel::Editor;
use crate::support::program::Program;

const QUERY: &str = "search=Teodoberto&stato=Nuova&order=asc";

fn keep(editor: &Editor, name: &str, query: &str) -> String {
    let view = json!({ "name": name, "query": query });
    let kept = editor.post_and_read("/views", &view);
    kept["id"].as_str().expect("an id").to_owned()
}

fn kept(editor: &Editor) -> Value {
    editor.read("/views")["data"].clone()
}

#[test]
fn a_view_is_kept_over_a_restart_sealed_and_dropped() {
    let (mut program, editor) = Program::with_editor();
    let one = keep(&editor, "  Il caso   Gelsomina ", QUERY);
    let two = keep(&editor, "Urgenti", "urgente=true");
    let expected = json!([
        { "id": one, "name": "Il caso Gelsomina", "query": QUERY },
        { "id": two, "name": "Urgenti", "query": "urgente=true" },
    ]);
    assert_eq!(kept(&editor), expected);
    program.stop();
    program.hides(&["Gelsomina", "Teodoberto"]);
    // One that is damaged hides no other, and can be dropped.
    let damage = "UPDATE views SET sealed = zeroblob(80) WHERE id = ?1";
    let damaged = disk::database(program.data()).execute(damage, [&one]);
    assert_eq!(damaged.expect("damaged"), 1);
    program.start_again();
    let editor = program.log_in();
    assert_eq!(kept(&editor)[0]["name"], "(vista non leggibile)");
    assert_eq!(kept(&editor)[1], expected[1]);
    editor.delete(&format!("/views/{one}")).expect(204);
    assert_eq!(kept(&editor), json!([expected[1]]));
    editor.delete(&format!("/views/{one}")).not_found();
}

#[test]
fn what_is_no_view_is_refused_at_its_field() {
    let (program, editor) = Program::with_editor();
    let long = "è".repeat(61);
    for (name, query, field) in [
        (" ", "", "name"),
        (&long, "", "name"),
        ("Tutto", &"a".repeat(2_001), "query"),
    ] {
        let view = json!({ "name": name, "query": query });
        let answer = editor.post_json("/views", &view);
        assert_eq!(answer.refused_fields(), [field]);
    }
    keep(&editor, "L'Acqua", "urgente=true");
    for twin in ["L'Acqua", "  L'Acqua "] {
        let view = json!({ "name": twin, "query": "stato=Nuova" });
        let answer = editor.post_json("/views", &view);
        assert_eq!(answer.refused_fields(), ["name"]);
    }
    for number in 1..30 {
        keep(&editor, &format!("Vista {number}"), "");
    }
    let answer = editor.post_json("/views", &json!({ "name": "Una di troppo", "query": "" }));
    assert_eq!(answer.refused_fields(), ["name"]);
    let stranger = Editor::with_cookie(&program.client(), "AAAA".to_owned());
    stranger.get("/views").no_session();
}
