//! Erasing reports: nothing of them is left in any byte of the data folder, in no list, figure or search, and what was not
//! named stays as it was (PRODUCT.md §4).

use std::thread;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};
use serde_json::{Value, json};

use crate::support::chat::{Chat, Person, submit, turn};
use crate::support::disk::{self, count, pieces_found, sealed_of};
use crate::support::executable::{Server, command, run};
use crate::support::outbox::{ADDRESS, HOOK, Newsroom};
use crate::support::panel::{Editor, PASSWORD, ids};
use crate::support::post::Manner;
use crate::support::program::Program;
use crate::support::wait_for;

/// Somebody whose account has this many words more.
fn wordy(number: usize, words: usize) -> Person {
    let person = Person::numbered(number);
    let more = " Poi sono tornati con due camion".repeat(words / 6);
    Person {
        segnalazione: person.segnalazione + &more,
        ..person
    }
}

fn note(editor: &Editor, id: &str, version: i64, note: &str) {
    let change = json!({ "note": note, "stato": "In lavorazione" });
    editor.patch(id, &json!(version), &change).expect(200);
}

#[test]
fn no_byte_of_an_erased_report_is_left_and_no_other_is_touched() {
    let newsroom = Newsroom::with(true, true);
    let (program, editor) = (&newsroom.program, &newsroom.editor);
    newsroom.post.set(ADDRESS, Manner::Fails);
    newsroom.post.set(HOOK, Manner::Fails);
    // Of all sizes, and rewritten with notes of all sizes, so that the database moves them about.
    let people: Vec<Person> = (1..=30).map(|n| wordy(n, 40 * (n % 9))).collect();
    let all: Vec<String> = people
        .iter()
        .map(|person| submit(&program.client(), person))
        .collect();
    for (number, id) in all.iter().enumerate().filter(|(number, _)| number % 2 == 0) {
        editor.report(id);
        note(
            editor,
            id,
            1,
            &"Da richiamare. ".repeat(1 + 20 * (number % 7)),
        );
    }
    let (gone, kept): (Vec<&String>, Vec<&String>) = all.iter().partition(|id| {
        let number = all.iter().position(|other| other == *id).unwrap();
        number % 3 == 0
    });
    let sealed = |ids: &[&String]| -> Vec<Vec<u8>> {
        ids.iter()
            .flat_map(|id| sealed_of(program.data(), id))
            .collect()
    };
    let (lost, others) = (sealed(&gone), sealed(&kept));
    // A report, its two bodies, and every other one a note.
    assert_eq!(lost.len(), 3 * gone.len() + 5);
    // The control: before, every piece of both is there.
    let pieces = |values: &[Vec<u8>]| {
        values
            .iter()
            .map(|v| v.len() / 16)
            .map(|n| n.div_ceil(2))
            .sum()
    };
    let all_pieces: usize = pieces(&lost);
    assert_eq!(pieces_found(program.data(), &lost), all_pieces);

    let answer = editor.erase(gone[0]).expect(200).json();
    assert_eq!(answer, json!({ "erased": 1, "settled": true }));
    for id in &gone[1..3] {
        editor.erase(id).expect(200);
    }
    let rest: Vec<&str> = gone[3..].iter().map(|id| id.as_str()).collect();
    let answer = editor.erase_all(&rest).expect(200).json();
    assert_eq!(answer, json!({ "erased": rest.len(), "settled": true }));

    assert_eq!(pieces_found(program.data(), &lost), 0);
    let other_pieces: usize = pieces(&others);
    assert_eq!(pieces_found(program.data(), &others), other_pieces);
    for id in &kept {
        editor
            .with("x-background", "1")
            .get(&format!("/reports/{id}"))
            .expect(200);
    }
    for id in &gone {
        editor
            .get(&format!("/reports/{id}"))
            .problem(410, "cancellata");
        let sql = |table: &str| format!("SELECT count(*) FROM {table} WHERE report = '{id}'");
        assert_eq!(count(program.data(), &sql("history")), 0);
        assert_eq!(count(program.data(), &sql("deliveries")), 0);
    }
}

#[test]
fn lists_figures_and_search_forget_it_and_the_log_says_who_did() {
    let newsroom = Newsroom::with(true, true);
    let (program, editor) = (&newsroom.program, &newsroom.editor);
    let person = Person::numbered(7);
    let id = submit(&program.client(), &person);
    let other = submit(&program.client(), &Person::numbered(8));
    editor
        .patch(&id, &json!(1), &json!({ "stato": "Risolta" }))
        .expect(200);
    let search = format!("?search={}", person.email);
    assert_eq!(ids(&editor.list(&search)), [id.as_str()]);
    editor.erase(&id).expect(200);

    assert_eq!(ids(&editor.list("")), [other.as_str()]);
    for query in [
        search,
        "?search=Racconto&inText=true&stato=Risolta".to_owned(),
    ] {
        assert_eq!(ids(&editor.list(&query)), Vec::<String>::new());
    }
    let list = editor.list("");
    let counters = json!({ "total": 1, "new": 1, "inProgress": 0, "resolved": 0 });
    assert_eq!(list["counters"], counters);
    assert_eq!(
        list["search"],
        json!({ "ready": true, "indexed": 1, "total": 1 })
    );
    let figures = editor.get("/analytics").expect(200).json();
    assert_eq!(figures["received"]["month"], 1, "{figures}");
    let of = editor.get("/deliveries").expect(200).json();
    let left: Vec<&Value> = of["data"].as_array().unwrap().iter().collect();
    assert!(left.iter().all(|one| one["reportId"] != json!(id)), "{of}");
    // Whoever still has it open.
    let change = json!({ "note": "x" });
    let problem = editor
        .patch(&id, &json!(2), &change)
        .problem(410, "cancellata");
    assert_eq!(problem["detail"], "Questa segnalazione è stata cancellata.");
    editor.erase(&id).problem(410, "cancellata");
    let log = editor.get("/logs?limit=1").json();
    assert_eq!(log["data"][0]["action"], "REPORT_ERASED");
    assert_eq!(log["data"][0]["reportId"], json!(id));
    let erased = editor.get("/retention").expect(200).json()["erased"].clone();
    assert_eq!(erased, 1);
}

#[test]
fn only_an_editor_erases_and_only_what_was_shown() {
    let program = Program::start();
    let editor = program.set_up();
    let known: Vec<String> = (1..=3)
        .map(|n| submit(&program.client(), &Person::numbered(n)))
        .collect();
    let unknown = "00000000-0000-4000-8000-000000000000";
    let path = format!("/reports/{}", known[0]);
    let outside = program.client();
    outside
        .api("DELETE", &path)
        .send()
        .problem(401, "non-autenticato");
    let body = json!({ "ids": known });
    let many = outside.api("POST", "/reports/erasures").json(&body).send();
    many.problem(401, "non-autenticato");

    editor
        .patch(&known[0], &json!(1), &json!({ "note": "Nuova" }))
        .expect(200);
    let stale = editor
        .api("DELETE", &path)
        .header("if-match", "\"1\"")
        .send();
    let problem = stale.problem(412, "versione-superata");
    assert_eq!(problem["current"]["note"], "Nuova");
    editor.erase(unknown).problem(404, "non-trovato");
    // All or none.
    editor
        .erase_all(&[&known[0], unknown])
        .problem(404, "non-trovato");
    assert_eq!(editor.all_ids().len(), 3);
    for wrong in [0, 201] {
        let named = vec![known[0].as_str(); wrong];
        let problem = editor.erase_all(&named).problem(422, "dati-non-validi");
        assert_eq!(problem["errors"]["ids"], "Indica da 1 a 200 segnalazioni.");
    }
    let current = editor
        .api("DELETE", &path)
        .header("if-match", "\"2\"")
        .send();
    assert_eq!(current.expect(200).json()["erased"], 1);
    // What is gone already is no obstacle, and is not counted again.
    let both = editor.erase_all(&[&known[0], &known[1]]).expect(200).json();
    assert_eq!(both["erased"], 1);
    assert_eq!(editor.all_ids(), [known[2].as_str()]);
}

#[test]
fn one_persons_reports_are_those_with_the_same_address_or_number() {
    let program = Program::start();
    let editor = program.set_up();
    let person = Person::numbered(1);
    let like = |change: fn(&mut Person)| {
        let mut other = Person::numbered(2);
        change(&mut other);
        submit(&program.client(), &other)
    };
    let by_mail = like(|other| other.email = "PERSONA1@esempio.it".to_owned());
    let by_phone = like(|other| other.telefono = "+39 300 0000001".to_owned());
    like(|other| {
        (other.nome, other.cognome) = ("Nome1".to_owned(), "Cognome1".to_owned());
    });
    like(|other| other.email = "xpersona1@esempio.it".to_owned());
    let id = submit(&program.client(), &person);
    let found = editor
        .get(&format!("/reports/{id}/same-person"))
        .expect(200)
        .json();
    let rows: Vec<Value> = found["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| json!([row["id"], row["email"], row["telefono"]]))
        .collect();
    let expected = [
        json!([id, true, true]),
        json!([by_phone, false, true]),
        json!([by_mail, true, false]),
    ];
    assert_eq!(
        (rows.as_slice(), &found["more"]),
        (&expected[..], &json!(false))
    );
    assert_eq!(found["data"][0]["nome"], "Nome1");
    editor.erase(&id).expect(200);
    editor
        .get(&format!("/reports/{id}/same-person"))
        .problem(410, "cancellata");
}

#[test]
fn what_a_browser_sends_again_after_the_erasure_is_not_stored() {
    let program = Program::start();
    let editor = program.set_up();
    let person = Person::numbered(1);
    let last = Chat::at_the_end(&program.client(), &person);
    let said = turn(&program.client(), last.token(), "no")
        .expect(200)
        .json();
    let id = said["reportId"].as_str().expect("an id").to_owned();
    // The control: until then it is acknowledged again.
    let again = turn(&program.client(), last.token(), "no")
        .expect(200)
        .json();
    assert_eq!(again["reportId"], json!(id));
    editor.erase(&id).expect(200);
    for text in ["no", "Ho altro da dire."] {
        // The page takes this for sent, and lets go of its copy.
        turn(&program.client(), last.token(), text).problem(409, "conflitto");
    }
    assert_eq!(editor.all_ids(), Vec::<String>::new());
    submit(&program.client(), &person);
    assert_eq!(editor.all_ids().len(), 1, "whoever begins anew is heard");
}

#[test]
fn numbers_of_what_is_gone_are_not_given_to_others() {
    let mut newsroom = Newsroom::with(true, false);
    let client = newsroom.program.client();
    newsroom.post.set(ADDRESS, Manner::Hangs);
    let first = submit(&client, &Person::numbered(1));
    newsroom.post.wait_hanging(1);
    let search = |editor: &Editor, n: usize| ids(&editor.list(&format!("?search=persona{n}@")));
    assert_eq!(search(&newsroom.editor, 1), [first.as_str()]);
    // While its mail is on its way.
    newsroom.editor.erase(&first).expect(200);
    let second = submit(&client, &Person::numbered(2));
    let found = search(&newsroom.editor, 2);
    assert_eq!(
        found,
        [second.as_str()],
        "the index does not take it for the other"
    );
    newsroom.post.set(ADDRESS, Manner::Takes);
    newsroom.wait_quiet();
    newsroom.advance(Duration::from_hours(1));
    let attempts = newsroom.post.wait(ADDRESS, 2);
    assert_eq!(
        attempts[1].reports,
        [second.as_str()],
        "its own mail goes out"
    );
    let data = newsroom.program.data();
    assert_eq!(count(data, "SELECT min(seq) FROM segnalazioni"), 2);
    assert_eq!(count(data, "SELECT min(id) FROM deliveries"), 2);
}

#[test]
fn beside_a_long_reading_the_log_is_emptied_as_soon_as_it_ends() {
    let program = Program::start();
    let editor = program.set_up();
    let id = submit(&program.client(), &Person::numbered(1));
    let sealed = sealed_of(program.data(), &id);
    let path = program.data().join("segnalazioni.db");
    let reader = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    reader
        .execute_batch("BEGIN; SELECT count(*) FROM segnalazioni")
        .unwrap();
    let answer = editor.erase(&id).expect(200).json();
    assert_eq!(answer, json!({ "erased": 1, "settled": false }));
    editor
        .get(&format!("/reports/{id}"))
        .problem(410, "cancellata");
    program.running().tidy().expect("a round");
    assert!(
        pieces_found(program.data(), &sealed) > 0,
        "it is still being read"
    );
    submit(&program.client(), &Person::numbered(2));
    reader.execute_batch("COMMIT").unwrap();
    program.running().tidy().expect("a round");
    assert_eq!(pieces_found(program.data(), &sealed), 0);
}

#[test]
fn killed_at_any_moment_a_report_is_whole_or_gone() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    assert!(
        run(
            command(folder.path(), &["reset-password", "--stdin"]),
            PASSWORD
        )
        .status
        .success()
    );
    let (mut whole, mut gone) = (0, 0);
    for round in 0..4_u64 {
        let server = Server::start(folder.path());
        let editor = Editor::log_in(&server.client(), PASSWORD);
        let all: Vec<(String, Vec<Vec<u8>>)> = (0..6)
            .map(|number| submit(&server.client(), &wordy(number, 200)))
            .map(|id| (id.clone(), sealed_of(&data, &id)))
            .collect();
        let mut acknowledged = 0;
        thread::scope(|scope| {
            let erasing = scope.spawn(|| {
                let sent = |id: &str| editor.api("DELETE", &format!("/reports/{id}")).try_send();
                all.iter()
                    .take_while(|(id, _)| sent(id).is_ok_and(|answer| answer.status == 200))
                    .count()
            });
            // Not always at the same stage.
            thread::sleep(Duration::from_millis(4 * round));
            server.kill();
            acknowledged = erasing.join().expect("it ends");
        });
        let server = Server::start(folder.path());
        let editor = Editor::log_in(&server.client(), PASSWORD);
        for (number, (id, sealed)) in all.iter().enumerate() {
            let answer = editor.get(&format!("/reports/{id}"));
            if answer.status == 200 {
                assert!(number >= acknowledged, "what was acknowledged is back");
                assert_eq!(answer.json()["nome"], format!("Nome{number}"));
                assert_eq!(sealed_of(&data, id), *sealed);
                whole += 1;
            } else {
                answer.problem(410, "cancellata");
                // The start does what the killed program did not come to: within a minute where its first backup still reads.
                wait_for("the log to be emptied", Duration::from_secs(90), || {
                    (pieces_found(&data, sealed) == 0).then_some(())
                });
                gone += 1;
            }
        }
        let counted = disk::count(&data, "SELECT sum(n) FROM counters");
        assert_eq!(
            counted,
            disk::count(&data, "SELECT count(*) FROM segnalazioni")
        );
    }
    assert!(whole > 0, "no kill came early enough: {gone} were gone");
}
