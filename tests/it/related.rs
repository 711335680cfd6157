//! What has to do with a report: the same person, nearly the same account, links; and the mark of it in the list.

use serde_json::{Value, json};

use crate::support::chat::{Person, submit};
use crate::support::panel::Editor;
use crate::support::program::Program;
use crate::support::wait_for;

const STORY: &str = "Nel cantiere del porto scaricano di notte fusti arrugginiti nel canale, li ho visti tre volte e ho le \
                     fotografie con la data di ogni giorno.";

const OTHER: &str = "La direttrice della casa di riposo lega gli anziani ai letti ogni sera, lo sanno tutti e nessuno parla per paura.";

const THIRD: &str = "Il primario chiede soldi in contanti per saltare la lista d'attesa, a mia madre ne ha chiesti mille prima dell'estate.";

fn related(editor: &Editor, id: &str) -> Value {
    editor
        .get(&format!("/reports/{id}/related"))
        .expect(200)
        .json()
}

fn ids(list: &Value) -> Vec<String> {
    let list = list.as_array().expect("a list").iter();
    list.map(|one| one["id"].as_str().expect("an id").to_owned())
        .collect()
}

/// The marks in the list, newest first.
fn marks(editor: &Editor) -> Vec<bool> {
    let rows = editor.quiet().list("")["data"].clone();
    rows.as_array()
        .unwrap()
        .iter()
        .map(|row| row["related"].as_bool().unwrap())
        .collect()
}

#[test]
fn the_same_person_and_near_copies_are_marked_named_and_forgotten_with_an_erased_report() {
    let program = Program::start();
    let editor = program.set_up();
    wait_for("the index", || {
        editor.quiet().list("")["search"]["ready"]
            .as_bool()
            .filter(|ready| *ready)
    });
    let client = program.client();
    let first = submit(&client, &Person::telling(1, STORY));
    let alone = submit(&client, &Person::telling(2, OTHER));
    assert_eq!(marks(&editor), [false, false]);
    let copy = submit(
        &client,
        &Person::telling(3, &format!("Buongiorno. {STORY}")),
    );
    let other = Person::telling(4, THIRD);
    let again = Person {
        telefono: Person::numbered(2).telefono,
        ..other
    };
    let again = submit(&client, &again);
    assert_eq!(marks(&editor), [true; 4]);

    let found = related(&editor, &first);
    assert_eq!(ids(&found["similar"]), [&*copy]);
    assert!(
        found["similar"][0]["likeness"].as_f64().unwrap() >= 0.8,
        "{found}"
    );
    assert_eq!(
        (&found["samePerson"], &found["linked"]),
        (&json!([]), &json!([]))
    );
    assert_eq!(ids(&related(&editor, &alone)["samePerson"]), [&*again]);

    let link = format!("/reports/{first}/links/{alone}");
    editor.put(&link, &json!({})).expect(204);
    assert_eq!(ids(&related(&editor, &alone)["linked"]), [&*first]);
    assert_eq!(ids(&related(&editor, &first)["linked"]), [&*alone]);
    editor.delete(&link).expect(204);
    assert!(ids(&related(&editor, &first)["linked"]).is_empty());

    editor.erase(&copy).expect(200);
    assert!(ids(&related(&editor, &first)["similar"]).is_empty());
    assert_eq!(marks(&editor), [true, true, false]);
}
