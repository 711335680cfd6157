//! What has to do with a report: the same person, nearly the same account, links; and the mark of it in the list.

use serde_json::{Value, json};

use crate::support::chat::{Person, submit};
use crate::support::disk;
use crate::support::panel::Editor;
use crate::support::program::Program;

const STORY: &str = "Nel cantiere del porto scaricano di notte fusti arrugginiti nel canale, li ho visti tre volte e ho le \
                     fotografie con la data di ogni giorno.";

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
fn the_same_person_and_near_copies_are_marked_named_and_forgotten_with_an_erased_report() {
    let (program, editor) = Program::with_editor();
    editor.wait_for_search();
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
    let expected = (&json!([]), &json!([]));
    assert_eq!((&found["samePerson"], &found["linked"]), expected);
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

#[test]
fn in_groups_alike_reports_stand_under_the_newest_of_them_and_none_is_missing() {
    let (program, editor) = Program::with_editor();
    editor.wait_for_search();
    let tell = |person: &Person| submit(&program.client(), person);
    let first = tell(&Person::telling(1, STORY));
    let person = tell(&Person::telling(2, OTHER));
    let copy = tell(&Person::telling(3, &format!("Buongiorno. {STORY}")));
    let again = tell(&Person {
        telefono: Person::numbered(2).telefono,
        ..Person::telling(4, THIRD)
    });
    let alone = tell(&Person::telling(5, FOURTH));
    // One phone number joins no two accounts.
    let order = [&alone, &again, &copy, &first, &person].map(Clone::clone);
    let head = json!({ "first": true, "reports": 2, "reasons": [] });
    let below = json!({ "first": false, "reports": 2, "reasons": ["testo simile"] });
    let list = editor.list("?order=alike");
    assert_eq!(ids(&list["data"]), order);
    let groups = list["data"].as_array().unwrap().iter();
    let groups: Vec<&Value> = groups.map(|row| &row["group"]).collect();
    let none = &Value::Null;
    assert_eq!(groups, [none, none, &head, &below, none]);
    assert_eq!(editor.list("")["data"][1]["group"], Value::Null);

    // Page by page, and back.
    let page = |cursor: &Value| {
        let cursor = cursor.as_str().expect("a cursor");
        editor.list(&format!("?order=alike&limit=2&cursor={cursor}"))
    };
    let second = page(&editor.list("?order=alike&limit=2")["nextCursor"]);
    assert_eq!(ids(&second["data"]), order[2..4]);
    let expected = (&json!(2), &json!(5));
    assert_eq!((&second["ahead"], &second["matching"]), expected);
    assert_eq!(ids(&page(&second["nextCursor"])["data"]), order[4..]);
    assert_eq!(ids(&page(&second["prevCursor"])["data"]), order[..2]);

    // What the filter keeps out makes no group.
    editor.change(&again, &json!({ "stato": "Risolta" }));
    let new = editor.list("?order=alike&stato=Nuova&search=via");
    let expected = [&alone, &copy, &first, &person].map(Clone::clone);
    assert_eq!(ids(&new["data"]), expected);
    assert_eq!(new["data"][3]["group"], Value::Null);
}

#[test]
fn more_than_can_be_compared_are_not_grouped_and_the_answer_says_so() {
    let (program, editor) = Program::with_editor();
    program.report(1);
    let sql = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
        INSERT INTO segnalazioni (id, department, stato, data_creazione, data_aggiornamento, privacy_version, impronta, epoch, contenuto)
        SELECT 'r' || i, department, stato, data_creazione, data_aggiornamento, privacy_version, impronta, epoch, contenuto
        FROM n, segnalazioni WHERE seq = 1";
    let database = disk::database(program.data());
    database.execute_batch(disk::COUNTED).expect("counted");
    let made = database.execute(sql, []);
    assert_eq!(made.expect("reports"), 10_000);
    for path in [
        "/reports/export.csv?order=alike",
        "/reports/export.csv?order=alike&stato=Risolta",
    ] {
        assert_eq!(editor.get(path).refused_fields(), ["order"]);
    }
    let refused = editor.get("/reports?order=alike");
    let refused = refused.conflict();
    let said = refused["detail"].as_str().expect("a sentence");
    assert!(said.starts_with("Restringi i filtri"), "{said}");
    assert_eq!(editor.list("")["matching"], 10_001);
}
