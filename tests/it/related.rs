//! What has to do with a report: the same person, and copies of its account; and the mark of it in the list.

use serde_json::{Value, json};

use crate::support::chat::{Person, submit};
use crate::support::panel::Editor;
use crate::support::program::Program;
use crate::support::wait_for;

const OTHER: &str = "La direttrice della casa di riposo lega gli anziani ai letti ogni sera, lo sanno tutti e nessuno parla per paura.";

const THIRD: &str = "Il primario chiede soldi in contanti per saltare la lista d'attesa, a mia madre ne ha chiesti mille prima dell'estate.";

const FOURTH: &str = "Il capo del magazzino ci fa firmare fogli in bianco e chi rifiuta resta a casa senza stipendio per settimane intere.";

fn related(editor: &Editor, id: &str) -> Value {
    editor.read(&format!("/reports/{id}/related"))
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
fn the_same_person_is_marked_named_and_forgotten_with_an_erased_report() {
    let (program, editor) = Program::with_editor();
    editor.wait_for_search();
    let client = program.client();
    let first = submit(&client, &Person::telling(1, OTHER));
    submit(&client, &Person::telling(2, THIRD));
    assert_eq!(marks(&editor), [false, false]);
    let again = submit(
        &client,
        &Person {
            telefono: Person::numbered(1).telefono,
            ..Person::telling(3, FOURTH)
        },
    );
    assert_eq!(marks(&editor), [true, false, true]);
    let found = related(&editor, &first);
    assert_eq!(ids(&found["samePerson"]), [&*again]);
    has!(found["samePerson"][0], "telefono": true, "email": false);
    editor.erase(&again).expect(200);
    assert_eq!(related(&editor, &first)["samePerson"], json!([]));
    assert_eq!(marks(&editor), [false, false]);
}

/// A copy is found by the names in it.
#[test]
fn copies_of_an_account_that_names_something_are_proposed_as_a_story() {
    let (program, editor) = Program::with_editor();
    editor.wait_for_search();
    let tell = |number, account: &str| submit(&program.client(), &Person::telling(number, account));
    let named = [
        format!("{OTHER} Si chiama Villa Serenella, la direttrice è Ortensia Brandimarte."),
        format!("{THIRD} È il dottor Eufemio Castracane, all'ospedale di Montefiascone."),
        format!("{FOURTH} Il magazzino è quello della Frigoceretti, a Vallombrosa."),
    ];
    for (number, account) in named.iter().enumerate() {
        let first = tell(2 * number, account);
        let copy = tell(2 * number + 1, &format!("Buongiorno. {account}"));
        let found = wait_for("the proposal", || {
            program.round();
            let mut found = editor.rows("/stories/proposals").into_iter();
            found.find(|one| one["key"] == *first)
        });
        assert_eq!(found["reports"], json!([first, copy]));
    }
    assert_eq!(editor.rows("/stories/proposals").len(), 3);
    assert_eq!(marks(&editor), [true; 6]);
}
