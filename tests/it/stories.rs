//! Stories: reports about the same matter, joined by people, and what each caller sees of them.

use serde_json::{Value, json};

use crate::attachments::entries_of;
use crate::callouts;
use crate::support::backups::{self, back_up};
use crate::support::chat::{Chat, Person, Reply, submit, turn};
use crate::support::disk;
use crate::support::http::{Answer, Client, rows_of};
use crate::support::panel::{Editor, ids};
use crate::support::people::{id_of, join};
use crate::support::program::Program;
use crate::support::returning::{Visit, report, said};
use crate::support::snapshot::{snapshot, table};
use crate::support::{DAY, SECOND, contains, free_port, wait_for};

/// What no report and no story is called.
const UNKNOWN: &str = "00000000-0000-4000-8000-000000000000";

fn story(editor: &Editor, title: &str, reports: &[&String]) -> String {
    let new = json!({ "title": title, "reports": reports });
    let made = editor.post_and_read("/stories", &new);
    made["id"].as_str().expect("an id").to_owned()
}

fn read(editor: &Editor, id: &str) -> Value {
    editor.read(&format!("/stories/{id}"))
}

fn dissolve(editor: &Editor, id: &str) -> Answer {
    editor.delete(&format!("/stories/{id}"))
}

fn put(editor: &Editor, id: &str, report: &str) -> Answer {
    let path = format!("/stories/{id}/reports/{report}");
    editor.put(&path, &json!({}))
}

fn take_out(editor: &Editor, id: &str, report: &str) -> Answer {
    editor.delete(&format!("/stories/{id}/reports/{report}"))
}

fn accept(editor: &Editor, proposal: &str) -> Answer {
    let path = format!("/stories/proposals/{proposal}");
    editor.post_json(&path, &json!({ "accept": true }))
}

/// The CSV file of a story has so many reports.
fn exported(editor: &Editor, id: &str, reports: usize) {
    let file = editor.get(&format!("/reports/export.csv?story={id}"));
    let rows = file.expect(200).header("x-total-rows").map(str::to_owned);
    assert_eq!(rows, Some(reports.to_string()));
}

/// Moves reports to these departments.
fn spread(editor: &Editor, reports: &[String], desks: &[&str]) {
    for (report, desk) in reports.iter().zip(desks) {
        editor.change(report, &json!({ "department": desk }));
    }
}

fn modify(editor: &Editor, id: &str, version: u32, change: &Value) -> Answer {
    let patch = editor.api("PATCH", &format!("/stories/{id}"));
    let patch = patch.header("if-match", &format!("\"{version}\""));
    patch.json(change).send()
}

/// The reports of a story, oldest first.
fn members(editor: &Editor, id: &str) -> Vec<String> {
    ids(&editor.list(&format!("?story={id}&order=asc")))
}

/// Whose records are in the archive of a story.
fn records(editor: &Editor, id: &str) -> Vec<String> {
    let archive = editor
        .get(&format!("/stories/{id}/dossier.zip"))
        .expect(200);
    let entries = entries_of(&archive.body).into_iter();
    let told = entries.map(|(name, record)| {
        let (report, _) = name.split_once("/segnalazione.txt").expect("a record");
        assert!(String::from_utf8_lossy(&record).contains(report));
        report.to_owned()
    });
    told.collect()
}

fn name_of(editor: &Editor, report: &str) -> String {
    let told = editor.quiet().report(report);
    let part = |part: &str| told[part].as_str().expect("a name").to_owned();
    [part("nome"), part("cognome")].join(" ")
}

#[test]
fn a_story_is_made_told_changed_and_goes_with_its_last_report() {
    let (program, _, reports) = Program::with_reports(4);
    program.clock.advance(8 * DAY);
    let editor = program.log_in();
    let new = program.report(9);
    let label = json!({ "name": "Cliniche", "color": "verde" });
    let label = editor.post_and_read("/labels", &label)["id"].clone();
    let change = json!({ "stato": "In lavorazione", "department": "sanita", "labels": [label] });
    editor.change(&reports[0], &change);
    let joined = [&reports[0], &reports[1], &new];
    let id = story(&editor, " Clinica  San Marco ", &joined);
    insta::assert_snapshot!(snapshot(&editor.read("/stories")), @r#"
    {
      "data": [
        {
          "answers": 0, "departments": ["sanita", "ambiente"], "id": "id1", "labels": [1], "last": "2026-03-18T09:00:00Z",
          "people": [], "reports": 3, "statuses": { "In lavorazione": 1, "Nuova": 2 }, "title": "Clinica San Marco",
          "unread": 3, "version": 1, "week": 1
        }
      ],
      "nextCursor": null
    }
    "#);
    let note = json!({ "note": "Sentire il primario." });
    modify(&editor, &id, 1, &note).expect(200);
    modify(&editor, &id, 1, &json!({ "title": "Altro" })).problem(412, "versione-superata");
    let told = editor.get(&format!("/stories/{id}")).expect(200);
    assert_eq!(told.header("etag"), Some("\"2\""));
    has!(told.json(), "title": "Clinica San Marco", "note": "Sentire il primario.", "reports": 3, "week": 1);

    // In the list, in the report, as a filter.
    let head = json!({ "id": id, "title": "Clinica San Marco" });
    let rows = editor.rows("/reports?order=asc").into_iter();
    let marks: Vec<Value> = rows.map(|row| row["story"].clone()).collect();
    let [joined, free] = [&head, &Value::Null];
    assert_eq!(
        marks.iter().collect::<Vec<_>>(),
        [joined, joined, free, free, joined]
    );
    assert_eq!(editor.quiet().report(&new)["story"], head);
    has!(editor.list(&format!("?story={id}")), "matching": 3);
    assert_eq!(members(&editor, &id), [&*reports[0], &*reports[1], &*new]);
    exported(&editor, &id, 3);
    let change = json!({ "filter": { "story": id }, "change": { "urgente": true } });
    has!(editor.post_and_read("/reports/bulk", &change), "changed": 3);
    editor.get("/reports?story=x").refused_fields();

    // One story a report.
    let other = json!({ "title": "Altro", "reports": [reports[2], reports[1]] });
    let refused = editor.post_json("/stories", &other).conflict();
    let name = name_of(&editor, &reports[1]);
    let said = format!("«{name}» è già nella storia «Clinica San Marco».");
    assert_eq!(refused["detail"], said);
    assert_eq!(editor.rows("/stories").len(), 1);
    let other = story(&editor, "Altro", &[&reports[2]]);
    for _ in 0..2 {
        put(&editor, &other, &reports[1]).expect(204);
    }
    assert_eq!(members(&editor, &other), [&*reports[1], &*reports[2]]);
    assert_eq!(
        table(&editor.read("/stories")["data"], "title reports"),
        "Clinica San Marco 2\nAltro 2"
    );
    let mut history = editor.quiet().report(&reports[1])["storia"].take();
    let entries = history.as_array_mut().expect("entries");
    entries.retain(|one| one["tipo"] == "storia");
    assert_eq!(table(&history, "da a"), "0 1\n1 1");

    // Taken out, freed, erased.
    take_out(&editor, &id, &new).expect(204);
    assert_eq!(program.count("SELECT count(*) FROM apart"), 1);
    put(&editor, &id, &new).expect(204);
    assert_eq!(program.count("SELECT count(*) FROM apart"), 0);
    dissolve(&editor, &other).expect(204);
    editor.get(&format!("/stories/{other}")).not_found();
    editor.erase_all(&[&reports[0], &new]).expect(200);
    editor.get(&format!("/stories/{id}")).not_found();
    assert_eq!(program.count("SELECT count(*) FROM stories"), 0);
    assert_eq!(editor.quiet().report(&reports[1])["story"], Value::Null);
}

#[test]
fn stories_come_page_by_page() {
    let (_program, editor, reports) = Program::with_reports(2);
    story(&editor, "Altro", &[&reports[0]]);
    story(&editor, "Clinica San Marco", &[&reports[1]]);
    let first = editor.read("/stories?limit=1");
    let cursor = first["nextCursor"].as_str().expect("a cursor");
    let second = editor.read(&format!("/stories?limit=1&cursor={cursor}"));
    assert_eq!(table(&second["data"], "title"), "Altro");
    assert_eq!(second["nextCursor"], Value::Null);
}

#[test]
fn titles_and_reports_that_cannot_be_are_refused() {
    let (_program, editor, reports) = Program::with_reports(1);
    let long = "x".repeat(121);
    for (title, reports, field) in [
        (" ", json!([reports[0]]), "title"),
        (&*long, json!([reports[0]]), "title"),
        ("Sì", json!([]), "reports"),
    ] {
        let new = json!({ "title": title, "reports": reports });
        assert_eq!(editor.post_json("/stories", &new).refused_fields(), [field]);
    }
    let new = json!({ "title": "Sì", "reports": [reports[0], UNKNOWN] });
    editor.post_json("/stories", &new).not_found();
    assert_eq!(editor.rows("/stories").len(), 0);
    put(&editor, UNKNOWN, &reports[0]).not_found();
}

/// A story as an editor is told of it, but for title and note.
fn told(editor: &Editor, id: &str) -> (Option<String>, [Value; 2]) {
    let detail = editor.get(&format!("/stories/{id}")).expect(200);
    let mut all = [detail.json(), editor.read("/stories")["data"][0].clone()];
    for one in &mut all {
        for text in ["title", "note"] {
            one.as_object_mut().expect("a story").remove(text);
        }
    }
    (detail.header("etag").map(str::to_owned), all)
}

#[test]
fn a_story_of_two_desks_is_for_each_what_it_sees_of_it_and_for_a_third_nothing() {
    let (program, shared, reports) = Program::with_reports(5);
    spread(
        &shared,
        &reports,
        &["scuola", "sanita", "scuola", "sanita", "sanita"],
    );
    let people = [("uno", "scuola"), ("due", "sanita"), ("tre", "lavoro")];
    let [school, health, work] =
        people.map(|(user, desk)| join(&shared, &program.client(), user, "redattore", &[desk]));
    let anna = id_of(&health);
    let given = json!({ "assegnataA": anna, "stato": "Risolta" });
    shared.change(&reports[1], &given);
    // The control is the same story where there are no others; title and note are of those who see all of it.
    let alone = story(&shared, "Mensa", &[&reports[2]]);
    let note = json!({ "note": "Sentire la regione." });
    modify(&shared, &alone, 1, &note).expect(200);
    has!(read(&school, &alone), "title": "Mensa", "note": "Sentire la regione.");
    let (control, mixed) = (told(&school, &alone), alone);
    for report in [&reports[1], &reports[3]] {
        put(&shared, &mixed, report).expect(204);
    }
    assert_eq!(told(&school, &mixed), control);
    // Who does not see all of it gets the title that would be proposed, and no note.
    let partly = read(&school, &mixed);
    assert_eq!(partly["title"], "Storia senza titolo");
    assert_eq!(partly.get("note"), None);
    let listed = school.list(&format!("?story={mixed}"));
    has!(listed["data"][0]["story"], "title": "Storia senza titolo");
    for change in [json!({ "note": "x" }), json!({ "title": "x" })] {
        modify(&school, &mixed, 2, &change).problem(403, "ruolo");
    }
    let taken = json!({ "title": "Altra", "reports": [reports[2]] });
    let taken = school.post_json("/stories", &taken).conflict();
    contains(taken["detail"].to_string(), &["è già in un'altra storia"]);
    has!(read(&shared, &mixed), "title": "Mensa", "note": "Sentire la regione.");
    has!(read(&shared, &mixed), "reports": 3);
    has!(read(&health, &mixed), "reports": 2, "people": [{ "id": anna, "name": "Nome di due" }]);
    assert_eq!(members(&school, &mixed), [&*reports[2]]);
    exported(&school, &mixed, 1);
    assert_eq!(records(&school, &mixed), [&*reports[2]]);
    assert_eq!(records(&shared, &mixed), reports[1..4]);
    assert_eq!(shared.rows("/logs?action=EXPORT_ZIP").len(), 2);

    // One that is not seen is one that never was.
    let hidden = story(&shared, "Nascosta", &[&reports[4]]);
    assert_eq!(school.rows("/stories").len(), 1);
    assert_eq!(work.rows("/stories").len(), 0);
    let own = &reports[0];
    let [before, after] = [UNKNOWN, &*hidden].map(|id| {
        let answers = [
            school.get(&format!("/stories/{id}")),
            modify(&school, id, 1, &json!({ "note": "x" })),
            dissolve(&school, id),
            put(&school, id, own),
            take_out(&school, id, own),
            school.get(&format!("/reports?story={id}")),
            school.get(&format!("/reports/export.csv?story={id}")),
            school.get(&format!("/stories/{id}/dossier.zip")),
        ];
        answers.map(|answer| {
            let text = String::from_utf8_lossy(&answer.body).into_owned();
            let told = serde_json::from_str::<Value>(&text).map(|mut told| {
                told.as_object_mut().expect("an object").remove("requestId");
                if let Some(shown) = told["shown"].as_object_mut() {
                    shown.remove("at");
                }
                told.to_string()
            });
            (answer.status, told.unwrap_or(text))
        })
    });
    assert_eq!(before, after);
    has!(read(&shared, &hidden), "note": "", "version": 1);

    // Who dissolves it frees what they see; the rest goes on.
    dissolve(&school, &mixed).expect(204);
    school.get(&format!("/stories/{mixed}")).not_found();
    assert_eq!(members(&shared, &mixed), [&*reports[1], &*reports[3]]);
}

const ASKED: &str = "Chi di voi ha ancora la ricetta?";

fn write(editor: &Editor, body: &Value) -> Value {
    editor.post_and_read("/messages/bulk", body)
}

fn undo(editor: &Editor, sent: &Value) -> Answer {
    let batch = sent["batch"].as_str().expect("a name");
    editor.post_json(&format!("/messages/bulk/{batch}/undo"), &json!({}))
}

/// Reports with a code, oldest first.
fn with_codes(client: &Client, numbers: std::ops::Range<usize>) -> (Vec<String>, Vec<String>) {
    numbers.map(|number| report(client, number)).unzip()
}

#[test]
fn a_message_goes_to_all_of_a_story_and_who_read_and_answered_is_told() {
    let (program, editor) = Program::with_editor();
    let client = program.client();
    let (mut reports, codes) = with_codes(&client, 0..12);
    let entered = json!({ "nome": "Ada", "cognome": "Verdi", "segnalazione": Person::numbered(40).segnalazione, "origine": "lettera" });
    let entered = editor.post_and_read("/reports", &entered)["id"].clone();
    let entered = entered.as_str().expect("an id").to_owned();
    reports.push(entered.clone());
    let id = story(&editor, "Ricette", &reports.iter().collect::<Vec<_>>());
    // One that is put off belongs to it all the same.
    let away = json!({ "until": "2026-03-12T08:00:00Z" });
    editor
        .put(&format!("/reports/{}/snooze", reports[3]), &away)
        .expect(204);
    let sent = write(&editor, &json!({ "story": id, "text": ASKED }));
    has!(sent, "sent": 12);
    has!(sent["refused"][0], "id": entered, "name": "Ada Verdi",
        "detail": "Questa segnalazione non ha una ricevuta: chi l'ha inviata non può leggere un messaggio.");
    assert_eq!(sent["refused"].as_array().map(Vec::len), Some(1));
    let list = |story: &str| editor.read(&format!("/messages/bulk?story={story}"));
    let rounds = list(&id);
    let told = table(&rounds["data"], "at author text sent read answered");
    assert_eq!(told, format!("2026-03-10T09:00:00Z null {ASKED} 12 0 0"));
    assert_eq!(rounds, editor.read("/messages/bulk"));
    assert_eq!(list(UNKNOWN)["data"], json!([]));
    let told = editor.quiet().report(&reports[0])["storia"].clone();
    assert!(table(&told, "tipo").contains("messaggio"), "{told}");

    let visit = Visit::by(&client, &codes[2]);
    assert_eq!(said(&visit.read()), [("redazione", ASKED)]);
    Visit::by(&client, &codes[5]);
    visit.tell("Io, è di marzo.").expect(200);
    let rounds = list(&id);
    has!(rounds["data"][0], "sent": 12, "read": 2, "answered": 1);
    has!(read(&editor, &id), "answers": 1);
    let all = rounds["data"][0]["reports"].as_array().expect("reports");
    let of = |number: usize| {
        let mut found = all.iter().filter(|one| one["id"] == reports[number]);
        found.next().expect("a report").clone()
    };
    has!(of(2), "name": "Nomec Cognomec", "read": true, "answered": true);
    has!(of(5), "read": true, "answered": false);
    has!(of(0), "read": false, "answered": false);
    let detail = "Il messaggio non si può più ritirare: 2 persone l’hanno già letto.";
    assert_eq!(undo(&editor, &sent).conflict()["detail"], detail);

    // To a selection: it answers the one of them who waits.
    has!(editor.list("?answer=true"), "matching": 1);
    let ids = json!({ "ids": [reports[2], reports[0]], "text": "Grazie." });
    has!(write(&editor, &ids), "sent": 2, "refused": []);
    has!(editor.list("?answer=true"), "matching": 0);
    let all = json!({ "filter": { "origin": "lettera" }, "text": "Grazie." });
    has!(write(&editor, &all), "sent": 0);
}

#[test]
fn what_none_has_read_is_taken_back_as_if_it_had_never_been_written() {
    let (program, editor) = Program::with_editor();
    editor.mail_to(free_port());
    let client = program.client();
    let (reports, codes) = with_codes(&client, 0..3);
    let before = editor.quiet().report(&reports[0])["storia"].clone();
    let to_all = json!({ "ids": reports, "text": "Non-per-voi-Zampalesta" });
    let sent = write(&editor, &to_all);
    let mails = "SELECT count(*) FROM deliveries WHERE kind = 'risposta'";
    assert_eq!(program.count(mails), 3);
    // Each was tried once, in vain.
    let waiting = "SELECT count(*) FROM deliveries WHERE kind = 'risposta' AND state = 'pending' AND attempts = 1";
    wait_for("the mails", || (program.count(waiting) == 3).then_some(()));
    has!(undo(&editor, &sent).expect(200).json(), "undone": 3);
    undo(&editor, &sent).not_found();
    for code in &codes {
        assert_eq!(said(&Visit::by(&client, code).read()), []);
    }
    assert_eq!(editor.quiet().report(&reports[0])["storia"], before);
    let written = "SELECT count(*) FROM segnalazioni WHERE scritta IS NOT NULL";
    for none in [mails, written] {
        assert_eq!(program.count(none), 0, "{none}");
    }
    assert_eq!(editor.rows("/messages/bulk").len(), 0);

    for (body, field) in [
        (json!({ "ids": reports, "text": " " }), "text"),
        (json!({ "text": "Sì" }), "ids"),
        (json!({ "story": "x", "filter": {}, "text": "Sì" }), "ids"),
        (json!({ "story": "x", "text": "Sì" }), "story"),
    ] {
        let refused = editor.post_json("/messages/bulk", &body);
        assert_eq!(refused.refused_fields(), [field]);
    }
    // None is no story of nobody.
    let filter = json!({ "story": UNKNOWN });
    for (path, body) in [
        ("/messages/bulk", json!({ "story": UNKNOWN, "text": "Sì" })),
        ("/messages/bulk", json!({ "filter": filter, "text": "Sì" })),
        (
            "/reports/bulk",
            json!({ "filter": filter, "change": { "urgente": true } }),
        ),
    ] {
        editor.post_json(path, &body).not_found();
    }
    editor.save_system(&json!({ "receiptsEnabled": false }));
    let body = json!({ "ids": reports, "text": "Sì" });
    editor.post_json("/messages/bulk", &body).conflict();
}

#[test]
fn a_message_to_many_that_is_sent_again_under_its_key_goes_to_nobody_twice() {
    let (program, editor) = Program::with_editor();
    let (mut reports, codes) = with_codes(&program.client(), 0..12);
    let id = story(&editor, "Ricette", &reports.iter().collect::<Vec<_>>());
    let body = json!({ "story": id, "text": ASKED, "key": "6b1f0c1e-9a53-4a2e-8f5e-0d6f1c2b3a49" });
    let sent = write(&editor, &body);
    has!(sent, "sent": 12, "refused": []);
    program.clock.advance(SECOND);
    for _ in 0..3 {
        assert_eq!(write(&editor, &body), sent);
    }
    let rounds = editor.rows("/messages/bulk");
    assert_eq!((rounds.len(), &rounds[0]["sent"]), (1, &json!(12)));
    let thread = Visit::by(&program.client(), &codes[2]).read();
    assert_eq!(said(&thread), [("redazione", ASKED)]);
    // It was cut off before the last ones: sent again, it goes to those.
    let (later, _) = report(&program.client(), 20);
    put(&editor, &id, &later).expect(204);
    has!(write(&editor, &body), "batch": sent["batch"], "sent": 13);
    reports.push(later);
    assert_eq!(editor.rows("/messages/bulk")[0]["sent"], 13);
    // Another text is another message, and without a key each is.
    let other = json!({ "story": id, "text": "Altro.", "key": body["key"] });
    let refused = write(&editor, &other);
    assert_eq!(refused["sent"], 0);
    assert_eq!(refused["refused"].as_array().map(Vec::len), Some(13));
    for _ in 0..2 {
        write(&editor, &json!({ "ids": reports, "text": ASKED }));
    }
    assert_eq!(editor.rows("/messages/bulk").len(), 3);
    let long = json!({ "story": id, "text": ASKED, "key": "k".repeat(37) });
    let long = editor.post_json("/messages/bulk", &long);
    assert_eq!(long.refused_fields(), ["key"]);
}

#[test]
fn of_a_message_to_two_desks_each_sees_and_takes_back_its_own_part() {
    let (program, shared) = Program::with_editor();
    let (reports, codes) = with_codes(&program.client(), 0..4);
    spread(&shared, &reports, &["scuola", "sanita", "scuola", "sanita"]);
    let school = join(&shared, &program.client(), "uno", "redattore", &["scuola"]);
    let id = story(&shared, "Mensa", &reports.iter().collect::<Vec<_>>());
    let sent = write(&shared, &json!({ "story": id, "text": ASKED }));
    has!(sent, "sent": 4);
    Visit::by(&program.client(), &codes[1]);
    let again = Visit::by(&program.client(), &codes[1]);
    again.tell("Io.").expect(200);
    let rounds = school.read("/messages/bulk");
    has!(rounds["data"][0], "sent": 2, "read": 0, "answered": 0);
    assert_eq!(
        ids(&json!({ "data": rounds["data"][0]["reports"] })),
        [&*reports[2], &*reports[0]]
    );
    // One that was read elsewhere does not show by a refusal.
    has!(undo(&school, &sent).expect(200).json(), "undone": 2);
    assert_eq!(school.rows("/messages/bulk").len(), 0);
    undo(&school, &sent).not_found();
    has!(shared.read("/messages/bulk")["data"][0], "sent": 2, "read": 1);
    undo(&shared, &sent).conflict();
    // Its own part alone is written to.
    has!(write(&school, &json!({ "story": id, "text": "Grazie." })), "sent": 2, "refused": []);
}

/// An account of the same matter, with names that no other one has.
fn of_the_clinic(number: usize, told: &str) -> Person {
    let account = format!(
        "Nella clinica Serenella di Borgoratto il dottor Montaldo {told}, e l'amministratore Quartapelle lo sa da mesi."
    );
    // One in two adds something at last, which is kept under a heading of the program's own.
    let added = if number % 2 == 1 {
        "Ho ancora le ricevute."
    } else {
        "no"
    };
    Person {
        chiusura: added.to_owned(),
        ..Person::telling(number, &account)
    }
}

const CLINIC: [&str; 5] = [
    "chiede soldi in contanti per una visita che sarebbe gratuita",
    "fa firmare ricette in bianco alle infermiere del turno di notte",
    "rimanda gli interventi di chi non passa prima dal suo studio privato",
    "prescrive sempre le stesse protesi della ditta di suo cognato",
    "fa sparire le cartelle di chi si lamenta delle attese al pronto soccorso",
];
const OTHER: &str = "Il comune di Valdorba ha pagato due volte la stessa ditta per asfaltare la strada delle scuole elementari, ho le fatture.";

fn proposals(editor: &Editor) -> Vec<Value> {
    editor.rows("/stories/proposals")
}

/// Waits until so many reports are proposed together.
fn proposed(program: &Program, editor: &Editor, reports: usize) -> Value {
    editor.wait_for_search();
    program.round();
    wait_for("a proposal", || {
        let found = proposals(editor);
        let size = |one: &Value| one["reports"].as_array().map(Vec::len);
        found.into_iter().find(|one| size(one) == Some(reports))
    })
}

fn decide(editor: &Editor, proposal: &Value, decision: &Value) -> Value {
    let key = proposal["key"].as_str().expect("a key");
    editor.post_and_read(&format!("/stories/proposals/{key}"), decision)
}

/// What the list says of a report.
fn row(editor: &Editor, id: &str) -> Value {
    let rows = rows_of(&editor.quiet().list("?limit=200"));
    rows.into_iter().find(|row| row["id"] == id).expect("a row")
}

fn nearest(editor: &Editor, id: &str) -> Vec<Value> {
    let related = editor.read(&format!("/reports/{id}/related"));
    related["maybe"].as_array().expect("a list").clone()
}

#[test]
fn what_is_about_the_same_matter_is_proposed_and_people_decide() {
    let (program, editor) = Program::with_editor();
    let tell = |number: usize| submit(&program.client(), &of_the_clinic(number, CLINIC[number]));
    let mut reports: Vec<String> = (0..4).map(tell).collect();
    let other = submit(&program.client(), &Person::telling(9, OTHER));
    let found = proposed(&program, &editor, 4);
    has!(found, "reports": reports, "key": reports[0], "story": null);
    let title = found["title"].as_str().expect("a title");
    let mut names = ["Serenella", "Montaldo", "Quartapelle"].into_iter();
    assert!(names.any(|name| title.contains(name)), "{found}");
    let heads = found["heads"].as_array().expect("a list");
    assert_eq!(ids(&json!({ "data": heads })), reports);
    has!(heads[3], "nome": "Nomed", "department": "sanita", "stato": "Nuova");
    contains(heads[3]["excerpt"].to_string(), &["Serenella"]);
    wait_for("all to be read", || {
        (editor.read("/stories/proposals")["ready"] == true).then_some(())
    });
    has!(row(&editor, &reports[2])["maybe"], "story": null, "reports": 3);
    has!(row(&editor, &other), "maybe": null, "story": null);
    assert_eq!(editor.quiet().report(&reports[2])["maybe"]["reports"], 3);
    let near = nearest(&editor, &reports[0]);
    assert!(!near.is_empty());
    assert_ne!(near[0]["reasons"], json!([]));

    // One that is something else is left out.
    let pair = json!({ "a": reports[3], "b": reports[0] });
    editor.post_json("/stories/apart", &pair).expect(204);
    let found = proposed(&program, &editor, 3);
    assert_eq!(found["reports"], json!(reports[..3]));
    assert_eq!(row(&editor, &reports[3])["maybe"], Value::Null);
    let near = nearest(&editor, &reports[0]);
    assert!(near.iter().all(|one| one["id"] != *reports[3]));
    accept(&editor, &other).not_found();

    let yes = json!({ "accept": true, "title": "Clinica" });
    let made = decide(&editor, &found, &yes)["story"].clone();
    let made = made.as_str().expect("an id");
    assert_eq!(members(&editor, made), reports[..3]);
    assert_eq!(proposals(&editor), [] as [Value; 0]);

    // Another one arrives beside it.
    reports.push(tell(4));
    let head = json!({ "id": made, "title": "Clinica" });
    let found = proposed(&program, &editor, 1);
    has!(found, "reports": [reports[4]], "story": made, "title": "Clinica");
    assert_eq!(row(&editor, &reports[4])["maybe"]["story"], head);
    assert_eq!(nearest(&editor, &reports[4]).len(), 1);
    let no = json!({ "accept": false });
    has!(decide(&editor, &found, &no), "story": null, "message": null);
    assert_eq!(proposals(&editor), [] as [Value; 0]);
    has!(row(&editor, &reports[4]), "maybe": null, "story": null);
    put(&editor, made, &reports[4]).expect(204);
    has!(row(&editor, &reports[4]), "maybe": null, "story": head);

    // What was taken out stays out, until the story is no more and somebody joins them by hand.
    take_out(&editor, made, &reports[1]).expect(204);
    assert_eq!(proposals(&editor), [] as [Value; 0]);
    dissolve(&editor, made).expect(204);
    let left = json!([reports[0], reports[2], reports[4]]);
    assert_eq!(proposed(&program, &editor, 3)["reports"], left);
}

#[test]
fn nothing_is_proposed_by_what_a_desk_does_not_see() {
    let (program, shared) = Program::with_editor();
    let tell = |number: usize| submit(&program.client(), &of_the_clinic(number, CLINIC[number]));
    let reports: Vec<String> = (0..4).map(tell).collect();
    spread(&shared, &reports, &["scuola", "sanita", "sanita", "sanita"]);
    let school = join(&shared, &program.client(), "uno", "redattore", &["scuola"]);
    proposed(&program, &shared, 4);
    assert_eq!(proposals(&school), [] as [Value; 0]);
    has!(row(&school, &reports[0]), "maybe": null);
    let shared_names = |editor: &Editor| {
        let related = editor.read(&format!("/reports/{}/related", reports[0]));
        related["shared"].clone()
    };
    has!(shared_names(&shared), "names": ["Quartapelle", "Serenella", "Montaldo"], "others": 3);
    assert_eq!(nearest(&school, &reports[0]), [] as [Value; 0]);
    assert_eq!(shared_names(&school), Value::Null);
    // Its own report, which is the key of what others see, is none to it; and theirs never was.
    for key in [&*reports[0], &*reports[1], UNKNOWN] {
        accept(&school, key).not_found();
    }
    for other in [&*reports[1], UNKNOWN] {
        let pair = json!({ "a": reports[0], "b": other });
        school.post_json("/stories/apart", &pair).not_found();
    }
    // Beside a story of others it says nothing either.
    let hidden = story(&shared, "Clinica", &[&reports[1], &reports[2]]);
    has!(row(&school, &reports[0]), "maybe": null);
    assert_eq!(proposals(&school), [] as [Value; 0]);
    has!(row(&shared, &reports[0])["maybe"], "story": { "id": hidden, "title": "Clinica" });
    dissolve(&shared, &hidden).expect(204);
    // The control: two in sight.
    shared.change(&reports[3], &json!({ "department": "scuola" }));
    let found = proposed(&program, &school, 2);
    assert_eq!(found["reports"], json!([reports[0], reports[3]]));
    has!(row(&school, &reports[3])["maybe"], "story": null, "reports": 1);
    let near = json!({ "data": nearest(&school, &reports[0]) });
    assert_eq!(ids(&near), [&*reports[3]]);
    has!(shared_names(&school), "others": 1);
    decide(&school, &found, &json!({ "accept": true }));
    assert_eq!(school.rows("/stories").len(), 1);
    let made = school.rows("/stories")[0]["id"].clone();
    assert_eq!(proposed(&program, &shared, 2)["story"], made);
}

/// The first and the third have no name in common.
const JOINED_BY_THE_SECOND: [&str; 3] = [
    "Alla clinica Serenella di Borgoratto chiedono soldi in contanti per una visita gratuita, e chi non paga aspetta mesi.",
    "Alla clinica Serenella di Borgoratto il dottor Montaldo e l'amministratore Quartapelle chiedono soldi in contanti.",
    "Il dottor Montaldo e l'amministratore Quartapelle chiedono soldi in contanti per una visita gratuita ai pazienti.",
];

/// Two that a third one joins, of which one desk sees only the two.
#[test]
fn what_only_a_hidden_report_joins_is_not_proposed() {
    let (program, shared) = Program::with_editor();
    let tell = |(number, account): (usize, &&str)| {
        submit(&program.client(), &Person::telling(number, account))
    };
    let reports: Vec<String> = JOINED_BY_THE_SECOND.iter().enumerate().map(tell).collect();
    spread(&shared, &reports, &["scuola", "sanita", "scuola"]);
    let school = join(&shared, &program.client(), "uno", "redattore", &["scuola"]);
    proposed(&program, &shared, 3);
    assert_eq!(proposals(&school), [] as [Value; 0]);
    has!(row(&school, &reports[0]), "maybe": null);
    accept(&school, &reports[0]).not_found();
    // The control: all three in sight.
    shared.change(&reports[1], &json!({ "department": "scuola" }));
    proposed(&program, &school, 3);
}

fn set_aside(editor: &Editor, id: &str) {
    let path = format!("/reports/{id}/sender-aside");
    editor.put(&path, &Value::Null).expect(204);
}

fn take_sender_back(editor: &Editor, id: &str) {
    let path = format!("/reports/{id}/sender-aside");
    editor.delete(&path).expect(204);
}

/// What a report names that others name too, and the nearest of them.
fn related(editor: &Editor, id: &str) -> Value {
    let related = editor.read(&format!("/reports/{id}/related"));
    let shared = &related["shared"];
    assert_eq!(related["maybe"] == json!([]), shared.is_null());
    assert!(shared["names"] != json!([]) && shared["others"] != 0);
    json!({ "maybe": related["maybe"], "shared": shared })
}

#[test]
fn a_sender_set_aside_is_in_no_proposal_and_no_story_until_they_are_taken_back() {
    let (program, editor) = Program::with_editor();
    let tell = |number: usize| coded(&program.client(), number).0;
    let reports: Vec<String> = (0..5).map(tell).collect();
    let found = proposed(&program, &editor, 5);
    let beside = related(&editor, &reports[0]);
    has!(beside["shared"], "others": 4);
    set_aside(&editor, &reports[4]);
    assert_eq!(
        proposed(&program, &editor, 4)["reports"],
        json!(reports[..4])
    );
    has!(row(&editor, &reports[0])["maybe"], "reports": 3);
    let less = related(&editor, &reports[0]);
    has!(less["shared"], "others": 3);
    let near = json!({ "data": less["maybe"] });
    assert!(!ids(&near).contains(&reports[4]));
    let yes = json!({ "accept": true, "shown": reports });
    try_to_decide(&editor, &found, &yes).conflict();
    take_sender_back(&editor, &reports[4]);
    assert_eq!(proposed(&program, &editor, 5), found);
    assert_eq!(related(&editor, &reports[0]), beside);

    let all: Vec<&String> = reports.iter().collect();
    let id = story(&editor, "Clinica", &all);
    let whole = read(&editor, &id);
    let none = json!({ "maybe": [], "shared": null });
    assert_eq!(related(&editor, &reports[0]), none);
    set_aside(&editor, &reports[4]);
    let told = read(&editor, &id);
    has!(told, "title": "Clinica", "reports": 4, "week": 4, "statuses": { "Nuova": 4 });
    has!(editor.rows("/stories")[0], "reports": 4, "week": 4);
    assert_eq!(members(&editor, &id), reports[..4]);
    exported(&editor, &id, 4);
    assert_eq!(records(&editor, &id), reports[..4]);
    has!(write(&editor, &json!({ "story": id, "text": ASKED })), "sent": 4, "refused": []);
    for report in &reports[..4] {
        set_aside(&editor, report);
    }
    assert_eq!(editor.rows("/stories"), [] as [Value; 0]);
    for report in &reports {
        take_sender_back(&editor, report);
    }
    has!(read(&editor, &id), "reports": 5, "week": 5, "last": whole["last"]);
}

/// A desk's stranger and a sender who is set aside are the same to those who are left.
#[test]
fn what_only_a_sender_who_is_set_aside_joins_is_not_proposed() {
    let (program, editor) = Program::with_editor();
    let tell = |(number, account): (usize, &&str)| {
        submit(&program.client(), &Person::telling(number, account))
    };
    let reports: Vec<String> = JOINED_BY_THE_SECOND.iter().enumerate().map(tell).collect();
    proposed(&program, &editor, 3);
    set_aside(&editor, &reports[1]);
    assert_eq!(proposals(&editor), [] as [Value; 0]);
    has!(row(&editor, &reports[0]), "maybe": null);
    take_sender_back(&editor, &reports[1]);
    proposed(&program, &editor, 3);
}

/// However many of them are near, and whatever else they tell.
#[test]
fn a_name_is_told_with_the_number_of_all_in_sight_who_name_it() {
    let (program, editor) = Program::with_editor();
    let tell = |(number, account): (usize, &str)| {
        let account = format!("{account} L'ho sentito dire a Brandolini.");
        submit(&program.client(), &Person::telling(number, &account))
    };
    let accounts = STRANGERS.into_iter().flatten();
    let reports: Vec<String> = accounts.enumerate().map(tell).collect();
    let read = |editor: &Editor| {
        editor.wait_for_search();
        program.round();
        wait_for("all to be read", || {
            (editor.read("/stories/proposals")["ready"] == true).then_some(())
        });
        related(editor, &reports[0])["shared"].clone()
    };
    has!(read(&editor), "names": ["Brandolini"], "others": 5);
    editor.change(&reports[1], &json!({ "stato": "Archiviata" }));
    has!(read(&editor), "others": 5);
    set_aside(&editor, &reports[2]);
    has!(read(&editor), "others": 4);
    let pair = json!({ "a": reports[0], "b": reports[3] });
    editor.post_json("/stories/apart", &pair).expect(204);
    has!(read(&editor), "others": 3);
    spread(
        &editor,
        &reports,
        &["scuola", "scuola", "scuola", "scuola", "sanita", "scuola"],
    );
    let school = join(&editor, &program.client(), "uno", "redattore", &["scuola"]);
    has!(read(&school), "names": ["Brandolini"], "others": 2);
}

/// Accounts that have nothing in common.
const STRANGERS: [[&str; 2]; 3] = [
    [
        "Il maneggio tiene i cavalli legati al sole senza acqua per giorni interi, e il padrone ride quando glielo si fa notare.",
        "Mia nonna ha firmato una polizza e non sa che cosa sia.",
    ],
    [
        "Hanno venduto biglietti falsi per il concerto, cinquanta euro l'uno, e adesso nessuno risponde più al telefono.",
        "Il semaforo davanti alla caserma resta verde per tre secondi.",
    ],
    [
        "La gru perde olio sopra i banchi del pesce ogni mattina, chi compra non lo sa e chi vende ha paura di dirlo in giro.",
        "Al corso di nuoto chiedono la quota anche a chi è assente per malattia.",
    ],
];

/// Additions, entries by staff and answers to a callout: the heading over the first, and the options of the last, are said by
/// none of those who report.
#[test]
fn what_the_program_and_the_newsroom_say_themselves_makes_no_story() {
    let (program, editor) = Program::with_editor();
    let mut callout = callouts::paid();
    callout["questions"][0]["options"][1]["text"] = json!("No, incassava Malagodi di Borgoratto");
    callouts::open(&editor, &callout);
    for (number, [account, answer]) in STRANGERS.into_iter().enumerate() {
        let told = Person {
            chiusura: format!("Si può venire a vedere {number} volte."),
            ..Person::telling(number, account)
        };
        submit(&program.client(), &told);
        let taken = format!(
            "{}\n\nINFORMAZIONI AGGIUNTIVE\nAl telefono.",
            CLINIC[number]
        );
        let taken = json!({ "nome": "Ida", "cognome": "Bruni", "segnalazione": taken, "origine": "telefono" });
        editor.post_and_read("/reports", &taken);
        let answers = ["42", "2", answer, "Anna", "invia"];
        has!(callouts::say(&program.client(), &answers), "finished": true);
    }
    for (number, told) in CLINIC.into_iter().enumerate().skip(3) {
        submit(&program.client(), &of_the_clinic(number, told));
    }
    let found = proposed(&program, &editor, 2);
    contains(found["reasons"].to_string(), &["Montaldo"]);
    assert_eq!(proposals(&editor).len(), 1);
}

/// A report of the clinic with the code of its reporter.
fn coded(client: &Client, number: usize) -> (String, String) {
    let chat = Chat::at_the_end(client, &of_the_clinic(number, CLINIC[number]));
    let last = Reply::of(&turn(client, chat.token(), "no"));
    let [id, code] = [last.report_id, last.receipt].map(|text| text.expect("a report"));
    (id, code)
}

/// What staff take down about the clinic, which gives no code.
fn taken_down(editor: &Editor, number: usize) -> String {
    let account = of_the_clinic(number, CLINIC[number]).segnalazione;
    let taken = json!({ "nome": "Ida", "cognome": "Bruni", "segnalazione": account, "origine": "telefono" });
    let id = editor.post_and_read("/reports", &taken)["id"].clone();
    id.as_str().expect("an id").to_owned()
}

fn try_to_decide(editor: &Editor, proposal: &Value, decision: &Value) -> Answer {
    let key = proposal["key"].as_str().expect("a key");
    editor.post_json(&format!("/stories/proposals/{key}"), decision)
}

fn take_back(editor: &Editor, proposal: &Value, decided: &Value) -> Answer {
    let key = proposal["key"].as_str().expect("a key");
    let undo = json!({ "undo": decided["undo"] });
    editor.post_json(&format!("/stories/proposals/{key}/undo"), &undo)
}

const APART: &str = "SELECT count(*) FROM apart";

#[test]
fn some_of_a_proposal_are_left_out_and_a_decision_is_taken_back_exactly() {
    let (mut program, editor) = Program::with_editor();
    let tell = |number: usize| submit(&program.client(), &of_the_clinic(number, CLINIC[number]));
    let reports: Vec<String> = (0..5).map(tell).collect();
    let found = proposed(&program, &editor, 5);
    let (yes, no) = (json!({ "accept": true }), json!({ "accept": false }));
    let and = |decision: &Value, name: &str, value: Value| {
        let mut more = decision.clone();
        more[name] = value;
        more
    };
    for (decision, field) in [
        (and(&yes, "without", json!([UNKNOWN])), "without"),
        (and(&yes, "without", json!(reports)), "without"),
        (and(&yes, "without", json!(reports[1..])), "without"),
        (and(&no, "without", json!(reports[..1])), "without"),
        (and(&no, "text", json!(ASKED)), "text"),
        (and(&yes, "text", json!(" ")), "text"),
        (and(&yes, "questions", json!([{ "text": "Chi?" }])), "text"),
        (and(&yes, "title", json!(" ")), "title"),
    ] {
        let refused = try_to_decide(&editor, &found, &decision);
        assert_eq!(refused.refused_fields(), [field], "{decision}");
    }
    let shown = and(&yes, "shown", json!([reports[0], reports[1], UNKNOWN]));
    try_to_decide(&editor, &found, &shown).conflict();
    assert_eq!(editor.rows("/stories").len(), 0);
    assert_eq!(program.count(APART), 0);

    // The last one came after the page was shown: it is neither in nor apart.
    let mut some = and(&yes, "shown", json!(reports[..4]));
    some["without"] = json!([reports[3]]);
    let decided = decide(&editor, &found, &some);
    has!(decided, "message": null);
    let made = decided["story"].as_str().expect("an id");
    assert_eq!(members(&editor, made), reports[..3]);
    assert_eq!(program.count(APART), 3);
    has!(proposed(&program, &editor, 1), "story": made, "reports": [reports[4]]);
    take_back(&editor, &found, &decided).expect(204);
    let back = |program: &Program, editor: &Editor| {
        assert_eq!(editor.rows("/stories").len(), 0);
        assert_eq!(program.count(APART), 0);
        assert_eq!(proposed(program, editor, 5), found);
    };
    back(&program, &editor);
    take_back(&editor, &found, &decided).conflict();

    // What was set apart by hand stays so.
    let refused = decide(&editor, &found, &no);
    has!(refused, "story": null);
    assert_eq!(program.count(APART), 10);
    assert_eq!(proposals(&editor), [] as [Value; 0]);
    program.restart();
    let editor = program.log_in();
    take_back(&editor, &found, &refused).expect(204);
    back(&program, &editor);
    take_back(&editor, &found, &refused).conflict();
    let other = submit(&program.client(), &Person::telling(9, OTHER));
    let pair = json!({ "a": reports[0], "b": other });
    editor.post_json("/stories/apart", &pair).expect(204);
    let refused = decide(&editor, &found, &no);
    take_back(&editor, &found, &refused).expect(204);
    assert_eq!(program.count(APART), 1);

    // A story that there is, from which one is taken without being set apart.
    let grown = story(&editor, "Clinica", &[&reports[0], &reports[1]]);
    let found = proposed(&program, &editor, 3);
    let some = and(&yes, "without", json!([reports[2], reports[3]]));
    let decided = decide(&editor, &found, &some);
    has!(decided, "story": grown);
    assert_eq!(members(&editor, &grown).len(), 3);
    assert_eq!(program.count(APART), 1 + 6);
    take_back(&editor, &found, &decided).expect(204);
    assert_eq!(members(&editor, &grown), reports[..2]);
    assert_eq!(program.count(APART), 1);
    assert_eq!(proposed(&program, &editor, 3), found);
}

/// What happens between a decision and its undo: by its editor, with the story, its reports and another report.
type Change = fn(&Editor, &str, &[String], &str);

#[test]
fn a_decision_is_not_taken_back_once_something_changed() {
    let (program, editor) = Program::with_editor();
    let tell = |number: usize| submit(&program.client(), &of_the_clinic(number, CLINIC[number]));
    let reports: Vec<String> = (0..4).map(tell).collect();
    let other = submit(&program.client(), &Person::telling(9, OTHER));
    let yes = json!({ "accept": true, "title": "Clinica" });
    let changes: [Change; 5] = [
        |editor, made, _, _| _ = modify(editor, made, 1, &json!({ "title": "Altro" })).expect(200),
        |editor, made, reports, _| _ = take_out(editor, made, &reports[1]).expect(204),
        |editor, made, _, other| _ = put(editor, made, other).expect(204),
        |editor, made, _, _| _ = dissolve(editor, made).expect(204),
        |editor, _, reports, _| _ = story(editor, "Altra", &[&reports[3]]),
    ];
    for change in changes {
        let found = proposed(&program, &editor, 4);
        let some = json!({ "accept": true, "title": "Clinica", "without": [reports[3]] });
        let decided = decide(&editor, &found, &some);
        let made = decided["story"].as_str().expect("an id");
        change(&editor, made, &reports, &other);
        let before = (editor.rows("/stories"), program.count(APART));
        let undone = take_back(&editor, &found, &decided);
        if before.0.len() == 2 {
            // The one that was left out has a story of its own by now, which is not touched.
            undone.expect(204);
        } else {
            let detail = undone.conflict()["detail"].to_string();
            contains(detail, &["non si può più annullare"]);
            assert_eq!((editor.rows("/stories"), program.count(APART)), before);
        }
        for one in editor.rows("/stories") {
            dissolve(&editor, one["id"].as_str().expect("an id")).expect(204);
        }
        program.plant("DELETE FROM apart");
    }
    // Another proposal's, another time's, and none at all.
    let found = proposed(&program, &editor, 4);
    let decided = decide(&editor, &found, &yes);
    let elsewhere = json!({ "key": reports[1] });
    for (proposal, decided) in [(&elsewhere, &decided), (&found, &json!({ "undo": "x" }))] {
        assert_eq!(
            take_back(&editor, proposal, decided).refused_fields(),
            ["undo"]
        );
    }
    program.clock.advance(601 * SECOND);
    take_back(&editor, &found, &decided).conflict();
    assert_eq!(editor.rows("/stories").len(), 1);
}

#[test]
fn a_story_is_made_as_its_letter_is_sent_and_both_are_taken_back() {
    let (program, editor) = Program::with_editor();
    let client = program.client();
    let (mut reports, codes): (Vec<_>, Vec<_>) =
        (0..4).map(|number| coded(&client, number)).unzip();
    reports.push(taken_down(&editor, 4));
    let found = proposed(&program, &editor, 5);
    let heads = found["heads"].as_array().expect("heads").iter();
    let reached: Vec<_> = heads.map(|head| head["code"] == true).collect();
    assert_eq!(reached, [true, true, true, true, false]);
    let some = json!({ "accept": true, "title": "Clinica", "without": [reports[3]], "text": ASKED, "questions": [{ "text": "Chi?" }] });
    let decided = decide(&editor, &found, &some);
    let message = &decided["message"];
    has!(message, "sent": 3);
    has!(message["refused"][0], "id": reports[4], "name": "Ida Bruni");
    let threads = || {
        let threads = codes.iter().map(|code| Visit::by(&client, code));
        threads
            .map(|visit| said(&visit.read()).len())
            .collect::<Vec<_>>()
    };
    let rounds = editor.rows("/messages/bulk");
    assert_eq!((rounds.len(), &rounds[0]["batch"]), (1, &message["batch"]));
    assert_eq!(rounds[0]["questions"], 1);
    take_back(&editor, &found, &decided).expect(204);
    assert_eq!(editor.rows("/messages/bulk").len(), 0);
    assert_eq!(editor.rows("/stories").len(), 0);
    assert_eq!(threads(), [0, 0, 0, 0]);

    // Once it was read, both stay. The stranger gets none.
    assert_eq!(proposed(&program, &editor, 5), found);
    let decided = decide(&editor, &found, &some);
    assert_eq!(threads(), [1, 1, 1, 0]);
    let refused = take_back(&editor, &found, &decided).conflict();
    contains(refused["detail"].to_string(), &["letto"]);
    assert_eq!(editor.rows("/stories").len(), 1);
    assert_eq!(editor.rows("/messages/bulk").len(), 1);
}

#[test]
fn without_anyone_to_reach_no_story_is_made() {
    let (program, editor) = Program::with_editor();
    let reports: Vec<String> = (0..3).map(|number| taken_down(&editor, number)).collect();
    let found = proposed(&program, &editor, 3);
    let letter = json!({ "accept": true, "text": ASKED });
    let refused = try_to_decide(&editor, &found, &letter).conflict();
    contains(refused["detail"].to_string(), &["nessuna ha un codice"]);
    let left_out = json!({ "accept": true, "text": ASKED, "without": [reports[2]] });
    try_to_decide(&editor, &found, &left_out).conflict();
    assert_eq!(editor.rows("/stories").len(), 0);
    assert_eq!(program.count(APART), 0);
    assert_eq!(proposed(&program, &editor, 3), found);
    // The control: the same with one who has a code.
    coded(&program.client(), 3);
    let found = proposed(&program, &editor, 4);
    has!(decide(&editor, &found, &letter)["message"], "sent": 1);
}

#[test]
fn in_sealed_mode_what_came_while_nobody_was_there_is_proposed_at_the_next_login() {
    let mut program = Program::start();
    let (editor, code) = program.set_up_with_code();
    editor.post_and_read("/security/sealed", &json!({ "recoveryCode": code }));
    let tell = |program: &Program, number: usize| {
        submit(&program.client(), &of_the_clinic(number, CLINIC[number]))
    };
    let mut reports: Vec<String> = (0..3).map(|number| tell(&program, number)).collect();
    let found = proposed(&program, &editor, 3);
    let refused = decide(&editor, &found, &json!({ "accept": false }));
    editor.delete("/session").expect(204);
    reports.push(tell(&program, 3));
    program.restart();
    let editor = program.log_in();
    take_back(&editor, &found, &refused).expect(204);
    let found = proposed(&program, &editor, 4);
    has!(found, "reports": reports);
    for head in found["heads"].as_array().expect("heads") {
        contains(head["excerpt"].to_string(), &["Serenella"]);
        contains(head["marks"].to_string(), &["Serenella"]);
    }
}

/// Told in the chat with an addition, taken down by staff, and answered to a callout: each is shown by the reporter's own words
/// with what is shared, never by what the program or the newsroom wrote.
#[test]
fn each_of_a_proposal_is_shown_by_the_passage_with_what_it_shares() {
    let (program, editor) = Program::with_editor();
    let mut callout = callouts::paid();
    callout["questions"][0]["options"][1]["text"] = json!("No, incassava Malagodi di Borgoratto");
    callouts::open(&editor, &callout);
    let client = program.client();
    let before = "Sono anni che ci penso e non ho mai avuto il coraggio di dirlo a nessuno, nemmeno a casa mia. ".repeat(2);
    let added = Person {
        chiusura: "Il dottor Montaldo della clinica Serenella di Borgoratto lo sanno tutti."
            .to_owned(),
        ..Person::telling(0, &before)
    };
    submit(&client, &added);
    let late = format!(
        "{before}Alla clinica serenela di borgoratto il dottor montaldo prende i contanti."
    );
    let late =
        json!({ "nome": "Ida", "cognome": "Bruni", "segnalazione": late, "origine": "telefono" });
    editor.post_and_read("/reports", &late);
    let told = "Alla Serenella di Borgoratto ho pagato Montaldo in contanti.";
    let answers = ["42", "2", told, "Anna", "invia"];
    has!(callouts::say(&client, &answers), "finished": true);
    let found = proposed(&program, &editor, 3);
    has!(found, "names": ["Serenella", "Montaldo", "Borgoratto"], "title": "Clinica Serenella, Montaldo");
    let heads = found["heads"].as_array().expect("heads");
    for (head, (begin, marks)) in heads.iter().zip([
        ("…", "Montaldo Serenella Borgoratto"),
        ("…", "serenela borgoratto montaldo"),
        (told, "Serenella Borgoratto Montaldo"),
    ]) {
        let excerpt = head["excerpt"].as_str().expect("a passage");
        assert!(excerpt.starts_with(begin), "{excerpt}");
        assert_eq!(head["marks"], marks);
        contains(excerpt, &marks.split(' ').collect::<Vec<_>>());
        for own in ["AGGIUNTIVE", "incassava", "Malagodi"] {
            assert!(!excerpt.contains(own), "{excerpt}");
        }
    }
}

/// What a query finds of sealed values.
fn sealed(program: &Program, sql: &str) -> Vec<Vec<u8>> {
    let database = disk::database(program.data());
    let mut found = database.prepare(sql).expect("a query");
    let rows = found.query_map([], |row| row.get(0)).expect("rows");
    rows.map(|row| row.expect("a blob")).collect()
}

#[test]
fn of_a_story_that_goes_no_byte_is_left() {
    let (program, editor, reports) = Program::with_reports(3);
    let keep = |report: &String| {
        let id = story(&editor, "Titolo-Zampanera", &[report]);
        let note = format!("{} Nota-Roccafinta.", "Da sentire. ".repeat(200));
        modify(&editor, &id, 1, &json!({ "note": note })).expect(200);
        id
    };
    let freed = keep(&reports[0]);
    keep(&reports[1]);
    let sealed = sealed(&program, "SELECT sealed FROM stories");
    assert_eq!(sealed.len(), 2);
    program.hides(&["Titolo-Zampanera", "Nota-Roccafinta"]);
    assert!(disk::pieces_found(program.data(), &sealed) > 20);
    dissolve(&editor, &freed).expect(204);
    editor.erase(&reports[1]).expect(200);
    assert_eq!(disk::pieces_found(program.data(), &sealed), 0);
}

/// Sealed sketches by arrival.
fn sketches(program: &Program) -> Vec<Vec<u8>> {
    sealed(program, "SELECT sealed FROM sketches ORDER BY report")
}

#[test]
fn what_stories_are_found_by_goes_with_a_report_and_comes_back_with_a_restore() {
    let (mut program, editor) = Program::with_editor();
    let tell = |number: usize| submit(&program.client(), &of_the_clinic(number, CLINIC[number]));
    let reports: Vec<String> = (0..4).map(tell).collect();
    proposed(&program, &editor, 4);
    let kept = sketches(&program);
    assert_eq!(kept.len(), 4);
    for words in ["Serenella", "serenella", "Montaldo"] {
        assert!(disk::holding(program.data(), words.as_bytes()).is_empty());
    }
    editor.erase_all(&[&reports[1]]).expect(200);
    proposed(&program, &editor, 3);
    assert_eq!(sketches(&program), [0, 2, 3].map(|at| kept[at].clone()));
    let backup = back_up(program.home(), &[]);
    program.stop();
    // The control: those of the others are in the file.
    assert_eq!(disk::pieces_found(program.data(), &kept[1..2]), 0);
    assert!(disk::pieces_found(program.data(), &kept[2..]) > 0);

    // The same after a start and after a restore, from what was kept.
    program.start_again();
    let found = proposed(&program, &program.log_in(), 3);
    assert_eq!(sketches(&program).len(), 3);
    program.stop();
    backups::restore(program.home(), &backup, &["--force"]);
    program.start_again();
    let again = proposed(&program, &program.log_in(), 3);
    assert_eq!(again["reports"], found["reports"]);
    assert_eq!(again["reasons"], found["reasons"]);
}
