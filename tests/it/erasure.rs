//! Erasing reports: nothing of them is left in any byte of the data folder, in no list, figure or search, and what was not
//! named stays as it was (PRODUCT.md §14).

use std::thread;
use std::time::Duration;

use serde_json::json;

use crate::support::chat::{Chat, Person, submit, turn};
use crate::support::disk::{self, pieces_found, sealed_of};
use crate::support::executable::{Server, installation};
use crate::support::http::Answer;
use crate::support::outbox::{ADDRESS, HOOK, Newsroom};
use crate::support::panel::{Editor, ids};
use crate::support::post::Manner;
use crate::support::program::Program;
use crate::support::snapshot::table;
use crate::support::{assert_gone, has, wait_for};

/// Somebody whose account has this many words more.
fn wordy(number: usize, words: usize) -> Person {
    let person = Person::numbered(number);
    let more = " Poi sono tornati con due camion".repeat(words / 6);
    Person {
        segnalazione: person.segnalazione + &more,
        ..person
    }
}

#[test]
fn no_byte_of_an_erased_report_is_left_and_no_other_is_touched() {
    let newsroom = Newsroom::with(true, true);
    let (program, editor) = (&newsroom.program, &newsroom.editor);
    newsroom.post.set(ADDRESS, Manner::Fails);
    newsroom.post.set(HOOK, Manner::Fails);
    // Of all sizes, and rewritten with notes of all sizes, so that the database moves them about.
    let all: Vec<String> = (1..=30)
        .map(|number| submit(&program.client(), &wordy(number, 20 * (number % 9))))
        .collect();
    for (number, id) in all.iter().enumerate().step_by(2) {
        let note = "Da richiamare. ".repeat(1 + 20 * (number % 7));
        editor.change(id, &json!({ "note": note, "stato": "In lavorazione" }));
    }
    let gone: Vec<&str> = all.iter().step_by(3).map(String::as_str).collect();
    let mut kept = all.iter().map(String::as_str).collect::<Vec<_>>();
    kept.retain(|id| !gone.contains(id));
    let sealed = |ids: &[&str]| -> Vec<Vec<u8>> {
        let sealed = ids.iter().flat_map(|id| sealed_of(program.data(), id));
        sealed.collect()
    };
    let (lost, others) = (sealed(&gone), sealed(&kept));
    // A report, what lists show of it, its two bodies, and every other one a note.
    assert_eq!(lost.len(), 4 * gone.len() + 5);
    // The control: before, every piece of both is there.
    let pieces =
        |values: &[Vec<u8>]| -> usize { values.iter().map(|v| (v.len() / 16).div_ceil(2)).sum() };
    assert_eq!(pieces_found(program.data(), &lost), pieces(&lost));

    let erased = |answer: Answer, count: usize| {
        let expected = json!({ "erased": count, "settled": true });
        assert_eq!(answer.expect(200).json(), expected);
    };
    for id in &gone[..3] {
        erased(editor.erase(id), 1);
    }
    erased(editor.erase_all(&gone[3..]), gone.len() - 3);

    assert_eq!(pieces_found(program.data(), &lost), 0);
    assert_eq!(pieces_found(program.data(), &others), pieces(&others));
    let quiet = editor.quiet();
    for id in kept {
        quiet.report(id);
    }
    for id in gone {
        assert_gone(editor, id);
        for table in ["history", "deliveries"] {
            let sql = format!("SELECT count(*) FROM {table} WHERE report = '{id}'");
            assert_eq!(program.count(&sql), 0, "{table}");
        }
    }
}

#[test]
fn lists_figures_and_search_forget_it_and_the_log_says_who_did() {
    let newsroom = Newsroom::with(true, true);
    let (program, editor) = (&newsroom.program, &newsroom.editor);
    let [id, other] = [7, 8].map(|n| program.report(n));
    editor.change(&id, &json!({ "stato": "Risolta" }));
    let search = "?search=persona7@esempio.it";
    assert_eq!(ids(&editor.list(search)), [id.as_str()]);
    editor.erase(&id).expect(200);

    for query in [search, "?search=Racconto&inText=true&stato=Risolta"] {
        assert_eq!(ids(&editor.list(query)), Vec::<String>::new());
    }
    let list = editor.list("");
    assert_eq!(ids(&list), [other.as_str()]);
    let counters = json!({ "total": 1, "new": 1, "inProgress": 0, "resolved": 0 });
    let index = json!({ "ready": true, "indexed": 1, "total": 1 });
    assert_eq!((&list["counters"], &list["search"]), (&counters, &index));
    let figures = editor.read("/analytics");
    assert_eq!(figures["received"]["month"], 1, "{figures}");
    assert!(!editor.get("/deliveries").expect(200).text().contains(&id));
    // Whoever still has it open.
    let change = editor.patch(&id, &json!(2), &json!({ "note": "x" }));
    let problem = change.problem(410, "cancellata");
    assert_eq!(problem["detail"], "Questa segnalazione è stata cancellata.");
    editor.erase(&id).problem(410, "cancellata");
    let log = editor.get("/logs?limit=1").json()["data"][0].clone();
    has(&log, &json!({ "action": "REPORT_ERASED", "reportId": id }));
    assert_eq!(editor.read("/retention")["erased"], 1);
}

#[test]
fn only_what_was_shown_is_erased() {
    let (program, editor) = Program::with_editor();
    let known = [1, 2, 3].map(|n| program.report(n));
    let unknown = "00000000-0000-4000-8000-000000000000";
    let on_version = |tag: &str| {
        let request = editor.api("DELETE", &format!("/reports/{}", known[0]));
        request.header("if-match", tag).send()
    };
    editor.change(&known[0], &json!({ "note": "Nuova" }));
    let problem = on_version("\"1\"").problem(412, "versione-superata");
    assert_eq!(problem["current"]["note"], "Nuova");
    editor.erase(unknown).problem(404, "non-trovato");
    // All or none.
    editor
        .erase_all(&[&known[0], unknown])
        .problem(404, "non-trovato");
    for wrong in [0, 201] {
        let problem = editor
            .erase_all(&vec![known[0].as_str(); wrong])
            .problem(422, "dati-non-validi");
        assert_eq!(problem["errors"]["ids"], "Indica da 1 a 200 segnalazioni.");
    }
    assert_eq!(editor.all_ids().len(), 3);
    assert_eq!(on_version("\"2\"").expect(200).json()["erased"], 1);
    // What is gone already is no obstacle, and is not counted again.
    let both = editor.erase_all(&[&known[0], &known[1]]).expect(200).json();
    assert_eq!(both["erased"], 1);
    assert_eq!(editor.all_ids(), [known[2].as_str()]);
}

#[test]
fn one_persons_reports_are_those_with_the_same_address_or_number() {
    let (program, editor) = Program::with_editor();
    let like = |change: fn(&mut Person)| {
        let mut other = Person::numbered(2);
        change(&mut other);
        submit(&program.client(), &other)
    };
    let by_mail = like(|other| other.email = "PERSONA1@esempio.it".to_owned());
    let by_phone = like(|other| other.telefono = "+39 300 0000001".to_owned());
    like(|other| {
        (other.nome, other.cognome) = ("Nomeb".to_owned(), "Cognomeb".to_owned());
    });
    like(|other| other.email = "xpersona1@esempio.it".to_owned());
    let id = program.report(1);
    editor.wait_for_search();
    let found = editor.read(&format!("/reports/{id}/related"));
    has(&found, &json!({ "more": false, "ready": true }));
    let rows = &found["samePerson"];
    assert_eq!(table(rows, "email telefono"), "false true\ntrue false");
    assert_eq!([&rows[0]["id"], &rows[1]["id"]], [&by_phone, &by_mail]);
    editor.erase(&id).expect(200);
    let related = editor.get(&format!("/reports/{id}/related"));
    related.problem(410, "cancellata");
}

#[test]
fn what_a_browser_sends_again_after_the_erasure_is_not_stored() {
    let (program, editor) = Program::with_editor();
    let client = program.client();
    let last = Chat::at_the_end(&client, &Person::numbered(1));
    let said = turn(&client, last.token(), "no").expect(200).json();
    // The control: until then it is acknowledged again.
    let again = turn(&client, last.token(), "no").expect(200).json();
    assert_eq!(again["reportId"], said["reportId"]);
    editor
        .erase(said["reportId"].as_str().expect("an id"))
        .expect(200);
    for text in ["no", "Il capo si chiama Bianchi."] {
        // The page takes this for sent, and lets go of its copy.
        turn(&client, last.token(), text).problem(409, "conflitto");
    }
    assert_eq!(editor.all_ids(), [""; 0]);
    program.report(1);
    assert_eq!(editor.all_ids().len(), 1, "another conversation is heard");
}

#[test]
fn numbers_of_what_is_gone_are_not_given_to_others() {
    let mut newsroom = Newsroom::with(true, false);
    newsroom.post.set(ADDRESS, Manner::Hangs);
    let first = newsroom.report(1);
    newsroom.post.wait_hanging(1);
    let search = |editor: &Editor, n: usize| ids(&editor.list(&format!("?search=persona{n}@")));
    assert_eq!(search(&newsroom.editor, 1), [first.as_str()]);
    // While its mail is on its way.
    newsroom.editor.erase(&first).expect(200);
    let second = newsroom.report(2);
    // Neither the index nor the mail takes it for the other.
    assert_eq!(search(&newsroom.editor, 2), [second.as_str()]);
    newsroom.post.set(ADDRESS, Manner::Takes);
    newsroom.wait_quiet();
    newsroom.advance(Duration::from_hours(1));
    let attempts = newsroom.post.wait(ADDRESS, 2);
    assert_eq!(attempts[1].reports, [second.as_str()]);
    for (sql, number) in [
        ("SELECT min(seq) FROM segnalazioni", 2),
        ("SELECT min(id) FROM deliveries", 2),
    ] {
        assert_eq!(newsroom.program.count(sql), number, "{sql}");
    }
}

#[test]
fn beside_a_long_reading_the_log_is_emptied_as_soon_as_it_ends() {
    let (program, editor) = Program::with_editor();
    let id = program.report(1);
    let sealed = sealed_of(program.data(), &id);
    let found = || pieces_found(program.data(), &sealed);
    let reader = disk::database(program.data());
    let read = "BEGIN; SELECT count(*) FROM segnalazioni";
    reader.execute_batch(read).unwrap();
    let answer = editor.erase(&id).expect(200).json();
    assert_eq!(answer, json!({ "erased": 1, "settled": false }));
    assert_gone(&editor, &id);
    program.round();
    assert!(found() > 0, "it is still being read");
    program.report(2);
    reader.execute_batch("COMMIT").unwrap();
    program.round();
    assert_eq!(found(), 0);
}

#[test]
fn killed_at_any_moment_a_report_is_whole_or_gone() {
    let folder = installation();
    let data = folder.path().join("data");
    let (mut whole, mut gone) = (0, 0);
    for round in 0..3_u64 {
        let server = Server::start(folder.path());
        let editor = server.log_in();
        let all: Vec<(String, Vec<Vec<u8>>)> = (0..6)
            .map(|number| submit(&server.client(), &wordy(number, 60)))
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
        let editor = server.log_in();
        for (number, (id, sealed)) in all.iter().enumerate() {
            let answer = editor.get(&format!("/reports/{id}"));
            if answer.status == 200 {
                assert!(number >= acknowledged, "what was acknowledged is back");
                assert_eq!(answer.json()["nome"], Person::numbered(number).nome);
                assert_eq!(sealed_of(&data, id), *sealed);
                whole += 1;
            } else {
                answer.problem(410, "cancellata");
                // The start does what the killed program did not come to: within a minute where its first backup still reads.
                wait_for("the log to be emptied", || {
                    (pieces_found(&data, sealed) == 0).then_some(())
                });
                gone += 1;
            }
        }
        let counted =
            "SELECT (SELECT sum(n) FROM counts WHERE kind = 'stato') = count(*) FROM segnalazioni";
        assert_eq!(disk::count(&data, counted), 1);
    }
    assert!(whole > 0, "no kill came early enough: {gone} were gone");
}
