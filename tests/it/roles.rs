//! Who may call what, and what one may see: each role against each call, and whoever sees one desk against an archive in which there
//! never was another.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::support::chat::{Person, submit};
use crate::support::disk;
use crate::support::http::{Answer, Client};
use crate::support::panel::{Editor, ids};
use crate::support::people::{id_of, join, log_in_as};
use crate::support::program::Program;
use crate::support::wait_for;

/// The least role that may make each call, and where it names a report a body that is good for it.
const CALLS: &str = r#"
lettore         GET    /account/sessions
lettore         DELETE /account/sessions
lettore         DELETE /account/sessions/{id}
lettore         GET    /account/passkeys
lettore         POST   /account/passkeys/question
lettore         POST   /account/passkeys
lettore         PATCH  /account/passkeys/{id}
lettore         DELETE /account/passkeys/{id}
lettore         POST   /account/totp
lettore         DELETE /account/totp
lettore         GET    /account
lettore         PUT    /account
lettore         POST   /account/email
lettore         GET    /analytics
lettore         GET    /analytics.csv
lettore         GET    /colleagues
lettore         GET    /labels
lettore         PUT    /password
lettore         GET    /reports
lettore         GET    /reports/{id}
lettore         GET    /reports/{id}/attachments/{n}
lettore         GET    /reports/{id}/messages
lettore         GET    /reports/{id}/related
lettore         GET    /session
lettore         DELETE /session
lettore         POST   /session/unlock
lettore         GET    /settings/desk
lettore         GET    /system/alerts
lettore         DELETE /system/alerts/new-browser
lettore         GET    /views
lettore         GET    /stories
redattore       POST   /stories
lettore         GET    /stories/proposals
redattore       POST   /stories/proposals/{key}    {"accept":true}
redattore       POST   /stories/proposals/{key}/undo {"undo":""}
redattore       POST   /stories/apart
lettore         GET    /stories/{id}
redattore       PATCH  /stories/{id}
redattore       DELETE /stories/{id}
redattore       PUT    /stories/{id}/reports/{report}
redattore       DELETE /stories/{id}/reports/{report}
lettore         GET    /departments
amministratore  POST   /departments
amministratore  PATCH  /departments/{key}
amministratore  PUT    /departments/order
amministratore  DELETE /departments/{key}
lettore         GET    /callouts
lettore         GET    /callouts/{id}
lettore         GET    /callouts/{id}/answers
redattore       POST   /callouts
redattore       PUT    /callouts/{id}
redattore       DELETE /callouts/{id}
redattore       POST   /callouts/{id}/open
redattore       POST   /callouts/{id}/close
lettore         GET    /desk/mine
lettore         GET    /desk/today
lettore         GET    /reports/{id}/comments
redattore       POST   /reports/{id}/comments      {"text":"Visto."}
redattore       PATCH  /reports/{id}/comments/{n}  {"text":"Rivisto."}
redattore       DELETE /reports/{id}/comments/{n}
redattore       PUT    /reports/{id}/snooze        {"until":"2026-04-01T08:00:00Z","word":"Richiamare."}
redattore       DELETE /reports/{id}/snooze
redattore       PUT    /reports/{id}/sender-aside
redattore       DELETE /reports/{id}/sender-aside
redattore       POST   /reports/{id}/done
redattore       DELETE /reports/{id}/done
lettore         GET    /reports/{id}/presence
lettore         POST   /reports/{id}/presence      {"writing":false}
redattore       POST   /labels
redattore       DELETE /labels/{id}
redattore       PATCH  /labels/{id}
redattore       POST   /reports
redattore       GET    /reports/bulk
redattore       POST   /reports/bulk
redattore       POST   /reports/bulk/{batch}/undo
redattore       GET    /reports/export.csv
redattore       PATCH  /reports/{id}               {"stato":"Risolta"}
redattore       GET    /reports/{id}/dossier.zip
redattore       GET    /stories/{id}/dossier.zip
redattore       POST   /reports/{id}/exports
redattore       POST   /reports/{id}/redacted
redattore       POST   /reports/{id}/messages      {"text":"Grazie."}
redattore       DELETE /reports/{id}/messages/{n}
redattore       POST   /reports/{id}/consents      {"kind":"voce","text":"Possiamo?"}
redattore       GET    /reports/{id}/mask
redattore       PUT    /reports/{id}/mask          {"fields":[],"spans":[],"textVersion":""}
redattore       GET    /reports/{id}/redacted.zip
lettore         GET    /messages/bulk/{batch}/answers
lettore         GET    /messages/bulk
redattore       POST   /messages/bulk
redattore       POST   /messages/bulk/{batch}/undo
redattore       POST   /views
redattore       DELETE /views/{id}
amministratore  GET    /backup
amministratore  GET    /deliveries
amministratore  POST   /deliveries/ignore
amministratore  POST   /deliveries/retry
amministratore  GET    /deliveries/summary
amministratore  POST   /deliveries/{id}/ignore
amministratore  POST   /deliveries/{id}/retry
amministratore  GET    /logs
amministratore  DELETE /logs
amministratore  GET    /prompts
amministratore  PUT    /prompts
amministratore  DELETE /prompts
redattore       POST   /prompts/try
amministratore  POST   /reports/erasures
amministratore  DELETE /reports/{id}
amministratore  GET    /retention
amministratore  GET    /retention/reports
amministratore  POST   /routing/dry-run
amministratore  GET    /routing/memory
amministratore  DELETE /routing/memory
amministratore  POST   /routing/preview
amministratore  GET    /security/sealed
amministratore  POST   /security/sealed
amministratore  DELETE /security/sealed
amministratore  DELETE /settings
amministratore  GET    /settings/email
amministratore  PUT    /settings/email
amministratore  POST   /settings/email/test
amministratore  PUT    /settings/logo
amministratore  DELETE /settings/logo
amministratore  GET    /settings/security
amministratore  PUT    /settings/security
amministratore  GET    /settings/system
amministratore  PUT    /settings/system
amministratore  POST   /settings/webhook/secret
amministratore  DELETE /settings/webhook/secret
amministratore  POST   /settings/webhook/test
amministratore  GET    /sieges
amministratore  POST   /sieges/aside
amministratore  GET    /system
amministratore  GET    /system/authenticity
amministratore  POST   /system/authenticity
amministratore  GET    /system/backups
amministratore  POST   /system/doctor
amministratore  GET    /people
amministratore  POST   /people
amministratore  PATCH  /people/{id}
amministratore  DELETE /people/{id}
amministratore  POST   /people/{id}/invitation
"#;

const ROLES: [&str; 3] = ["lettore", "redattore", "amministratore"];
/// Name to log in by, role and departments; the shared password stands beside them.
const PEOPLE: [(&str, &str, &[&str]); 4] = [
    ("capo", "amministratore", &[]),
    ("tutto", "redattore", &[]),
    ("due", "redattore", &["sanita", "lavoro"]),
    ("uno", "lettore", &["sanita"]),
];
const NEVER: &str = "00000000-0000-4000-8000-000000000000";

struct Call {
    least: &'static str,
    method: &'static str,
    path: &'static str,
    body: Value,
}

impl Call {
    fn is_open_to(&self, role: &str) -> bool {
        let rank = |role: &str| ROLES.iter().position(|one| *one == role).expect("a role");
        rank(role) >= rank(self.least)
    }

    fn send(&self, client: &Client, id: &str, other: &str) -> Answer {
        let path = match self.path.strip_prefix("/labels") {
            Some(label) => format!("/labels{}", label.replace("{id}", "49")),
            None => self.path.replace("{id}", id),
        };
        let path = path.replace("{other}", other).replace("{n}", "1");
        let path = path.replace("{report}", other).replace("{key}", id);
        let path = path.replace("{batch}", "1");
        let path = if path.starts_with("/deliveries/") {
            path.replace(id, "1")
        } else {
            path
        };
        let request = client.api(self.method, &path).header("if-match", "\"1\"");
        if self.method == "GET" {
            request.send()
        } else {
            request.json(&self.body).send()
        }
    }
}

fn calls() -> Vec<Call> {
    let call = |line: &'static str| {
        let mut words = line.split_whitespace();
        let mut word = || words.next().unwrap_or_default();
        Call {
            least: word(),
            method: word(),
            path: word(),
            body: serde_json::from_str(word()).unwrap_or_else(|_| json!({})),
        }
    };
    CALLS.trim().lines().map(call).collect()
}

fn documented() -> BTreeSet<(String, String)> {
    let text = include_str!("../../ui/openapi.json");
    let document: Value = serde_json::from_str(text).expect("JSON");
    let mut found = BTreeSet::new();
    for (path, methods) in document["paths"].as_object().expect("paths") {
        for (method, operation) in methods.as_object().expect("operations") {
            if operation.get("security").is_some() {
                let path = path.trim_start_matches("/paibeta/api").to_owned();
                found.insert((method.to_uppercase(), path));
            }
        }
    }
    found
}

/// An installation with these people, and a report on each of two desks: of health and of schools.
fn two_desks() -> (Program, Editor, [String; 2]) {
    let (program, shared) = Program::with_editor();
    invite_all(&program, &shared);
    let reports = [(1, "sanita"), (2, "scuola")].map(|(number, desk)| {
        let id = program.report(number);
        shared.change(&id, &json!({ "department": desk }));
        id
    });
    (program, shared, reports)
}

#[test]
fn each_role_may_make_the_calls_of_the_table_and_no_others() {
    let (program, ..) = two_desks();
    let named: BTreeSet<_> = calls()
        .iter()
        .map(|call| (call.method.to_owned(), call.path.to_owned()))
        .collect();
    // Else a call is missing in the table, or in the document.
    assert_eq!(named, documented());
    let people = PEOPLE.map(|(user, role, _)| (Some(user), role));
    let mut refused = 0;
    for (user, role) in people.into_iter().chain([(None, "amministratore")]) {
        for call in calls() {
            let editor = match user {
                Some(user) => log_in_as(&program.client(), user),
                None => program.log_in(),
            };
            let answer = call.send(&editor, NEVER, NEVER);
            let what = format!("{user:?}: {} {}", call.method, call.path);
            if call.is_open_to(role) {
                let status = answer.status;
                let made = !matches!(status, 401 | 403 | 405 | 500..);
                assert!(made, "{what}: {status}");
            } else {
                assert_eq!(answer.status, 403, "{what}");
                answer.problem(403, "ruolo");
                refused += 1;
            }
        }
    }
    assert!(refused > 100, "{refused}");
}

#[test]
fn no_handler_of_the_panel_reads_but_as_whoever_asks_may_see() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/http/routes");
    let mut around = BTreeMap::new();
    let mut folders = vec![folder];
    while let Some(folder) = folders.pop() {
        for file in std::fs::read_dir(folder).expect("a folder") {
            let path = file.expect("a file").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let source = std::fs::read_to_string(&path).expect("a text");
            let roles = ["Reader", "Editor", "Administrator"];
            let takes_one = roles.iter().any(|role| source.contains(role));
            let reads = source.matches("app.read(").count() + source.matches("store.read").count();
            if takes_one && reads > 0 {
                let name = path.file_name().expect("a name").to_owned();
                around.insert(name.into_string().expect("a name"), reads);
            }
        }
    }
    // The logo, who is invited, the key pair, whether there is a password, the room for files.
    let known = ["logo.rs", "roster.rs", "seal.rs", "session.rs", "system.rs"];
    assert_eq!(around, known.map(|name| (name.to_owned(), 1)).into());
}

/// What an answer says, but for what differs from call to call.
fn said(answer: &Answer) -> (u16, String) {
    let text = match serde_json::from_slice(&answer.body) {
        Ok(Value::Object(mut told)) => {
            // Cursors are sealed anew with each answer.
            for member in ["requestId", "nextCursor", "prevCursor"] {
                told.remove(member);
            }
            Value::Object(told).to_string()
        }
        _ => String::from_utf8_lossy(&answer.body).into_owned(),
    };
    (answer.status, text)
}

#[test]
fn a_report_of_another_desk_is_answered_as_one_that_never_was() {
    let (program, shared, [own, other]) = two_desks();
    let before = shared.quiet().report(&other);
    let mut compared = 0;
    for (user, role) in [("due", "redattore"), ("uno", "lettore")] {
        let editor = log_in_as(&program.client(), user);
        let about = |call: &Call| call.path.starts_with("/reports/{id}") && call.is_open_to(role);
        for call in calls().into_iter().filter(about) {
            let what = format!("{user}: {} {}", call.method, call.path);
            let never = said(&call.send(&editor, NEVER, &own));
            assert_eq!(never.0, 404, "{what}");
            assert_eq!(said(&call.send(&editor, &other, &own)), never, "{what}");
            if call.path.contains("{other}") {
                let never = said(&call.send(&editor, &own, NEVER));
                assert_eq!(said(&call.send(&editor, &own, &other)), never, "{what}");
            } else if !call.path.contains("{n}") {
                // The control; a change comes too late.
                let status = call.send(&editor, &own, NEVER).status;
                assert!(matches!(status, 200 | 204 | 409 | 412), "{what}: {status}");
            }
            compared += 1;
        }
    }
    assert!(compared > 10, "{compared}");
    let editor = log_in_as(&program.client(), "due");
    let bulk = |body: Value| editor.post_and_read("/reports/bulk", &body);
    for id in [NEVER, &other] {
        let done = bulk(json!({ "ids": [id], "change": { "urgente": true } }));
        assert_eq!(done["changed"], 0, "{id}");
        has!(done["refused"][0], "id": id, "current": null);
    }
    let done = bulk(json!({ "filter": {}, "change": { "urgente": true } }));
    has!(done, "changed": 1, "refused": []);
    let now = shared.quiet().report(&other);
    assert_eq!(now, before, "nothing of it has changed");
}

#[test]
fn why_a_report_came_to_a_desk_out_of_sight_is_not_told() {
    let (program, shared, [own, _]) = two_desks();
    let reason = |editor: &Editor| editor.report(&own)["reason"].clone();
    let all = reason(&shared);
    let named = all.as_str().expect("a text").contains("all'arrivo era in ");
    assert!(named, "{all}");
    assert_eq!(reason(&log_in_as(&program.client(), "uno")), "");
}

#[test]
fn a_report_that_leaves_the_desk_is_saved_and_gone_at_once_and_who_reads_changes_nothing() {
    let (program, shared, [own, other]) = two_desks();
    let reader = log_in_as(&program.client(), "uno");
    reader.report(&own);
    assert_eq!(shared.list("")["data"][1]["unread"], true);
    let editor = log_in_as(&program.client(), "due");
    let version = editor.report(&own)["versione"].clone();
    let moved = json!({ "department": "scuola" });
    editor.patch(&own, &version, &moved).expect(204);
    editor.get(&format!("/reports/{own}")).not_found();
    for gone in [&editor, &reader] {
        let list = gone.list("");
        assert_eq!(ids(&list).len(), 0);
        assert_eq!(list["counters"]["total"], 0);
    }
    let person = format!("/people/{}", id_of(&reader));
    let moved = json!({ "departments": ["scuola"] });
    shared.modify(&person, &moved).expect(204);
    let seen: BTreeSet<_> = ids(&reader.list("")).into_iter().collect();
    assert_eq!(seen, BTreeSet::from([own, other]), "with the next request");
}

/// A desk of schools with reports among others of health, and an editor of schools alone.
fn desk_among_others(own: usize, others: usize) -> (Program, Editor, Editor, Vec<String>) {
    let (program, shared, mut reports) = Program::with_reports(own + others);
    let client = program.client();
    let editor = join(&shared, &client, "scuola", "redattore", &["scuola"]);
    for (number, id) in reports.iter().enumerate() {
        let desk = if number < own { "scuola" } else { "sanita" };
        shared.change(id, &json!({ "department": desk }));
    }
    reports.truncate(own);
    (program, shared, editor, reports)
}

#[test]
fn no_number_says_how_many_reports_the_other_desks_have() {
    let (program, shared, editor, _) = desk_among_others(1, 9);
    let eleventh = program.report(10);
    shared.change(&eleventh, &json!({ "department": "scuola" }));
    let cursor = |order: &str| {
        let list = editor.list(&format!("?limit=1&order={order}"));
        list["nextCursor"].as_str().expect("a cursor").to_owned()
    };
    // As long for the 1st as for the 11th.
    assert_eq!(cursor("asc").len(), cursor("desc").len());
    assert_eq!(cursor("asc"), cursor("asc"), "a poll sees no change");
    // Whoever names a number must not learn whether a report came before it.
    let shown = json!({ "newest": 1, "at": i64::MAX });
    let all = json!({ "filter": {}, "shown": shown, "change": { "urgente": true } });
    let done = editor.post_and_read("/reports/bulk", &all);
    assert_eq!(done["changed"], 2);
}

#[test]
fn a_change_of_many_that_moved_them_out_of_sight_is_taken_back_by_who_made_it() {
    let (program, shared, editor, reports) = desk_among_others(3, 0);
    let moved = json!({ "ids": reports, "change": { "department": "sanita" } });
    let batch = editor.post_and_read("/reports/bulk", &moved)["batch"].clone();
    assert_eq!(ids(&editor.list("")).len(), 0);
    // One of them is worked on there.
    shared.change(&reports[0], &json!({ "urgente": true }));
    let undo = format!("/reports/bulk/{batch}/undo");
    let client = program.client();
    let other = join(&shared, &client, "altra", "redattore", &["sanita"]);
    other.post_json(&undo, &json!({})).conflict();
    let done = editor.post_and_read(&undo, &json!({}));
    has!(done, "changed": 2, "refused": []);
    let back: BTreeSet<_> = ids(&editor.list("")).into_iter().collect();
    assert_eq!(back, reports[1..].iter().cloned().collect());
    assert_eq!(shared.quiet().report(&reports[0])["department"], "sanita");
}

#[test]
fn who_lost_rights_while_a_change_was_on_its_way_makes_it_no_more() {
    let (_program, shared, editor, reports) = desk_among_others(1, 0);
    let person = format!("/people/{}", id_of(&editor));
    let comments = format!("/reports/{}/comments", reports[0]);
    let begin = || {
        let comment = json!({ "text": "Visto." });
        editor.api("POST", &comments).json(&comment).begin()
    };
    for (right, loss, kept) in [
        ("departments", json!(["sanita"]), json!(["scuola"])),
        ("role", json!("lettore"), json!("redattore")),
    ] {
        let waiting = begin();
        shared.modify(&person, &json!({ right: loss })).expect(204);
        waiting.finish().conflict();
        shared.modify(&person, &json!({ right: kept })).expect(204);
    }
    // The control: nothing was lost.
    begin().finish().expect(200);
    let waiting = begin();
    shared.delete(&person).expect(204);
    waiting.finish().conflict();
    assert_eq!(shared.rows(&comments).len(), 1);
}

const STORY: &str = "Nel reparto di chirurgia lasciano i pazienti senza cure per ore, il primario non risponde e le infermiere sono \
                     soltanto due per tutta la notte da mesi.";
/// The names of the views that somebody is shown.
fn views_of(editor: &Editor) -> Vec<String> {
    let views = editor.rows("/views").into_iter();
    let name = |view: Value| view["name"].as_str().expect("a name").to_owned();
    views.map(name).collect()
}

#[test]
fn a_view_is_there_for_who_sees_what_its_maker_saw() {
    let (program, shared) = Program::with_editor();
    let client = program.client();
    let editor = |user: &str, desks: &[&str]| join(&shared, &client, user, "redattore", desks);
    let health = editor("uno", &["sanita"]);
    let work = editor("due", &["lavoro"]);
    let both = editor("tre", &["sanita", "lavoro"]);
    for (editor, name) in [(&shared, "tutto"), (&health, "salute"), (&both, "due")] {
        let view = json!({ "name": name, "query": "search=Rossi" });
        editor.post_json("/views", &view).expect(200);
    }
    assert_eq!(views_of(&shared), ["tutto", "salute", "due"]);
    assert_eq!(views_of(&both), ["salute", "due"]);
    assert_eq!(views_of(&health), ["salute"]);
    assert!(views_of(&work).is_empty());
    for view in shared.rows("/views") {
        let path = format!("/views/{}", view["id"].as_str().expect("an id"));
        work.delete(&path).expect(404);
    }
    assert_eq!(views_of(&shared).len(), 3);
}

#[test]
fn who_does_not_see_all_desks_changes_no_label_of_all() {
    let (program, shared) = Program::with_editor();
    let desk = join(&shared, &program.client(), "uno", "redattore", &["sanita"]);
    let label = json!({ "name": "Da seguire", "color": "viola" });
    desk.post_json("/labels", &label).expect(200);
    let other = json!({ "name": "Altro" });
    let rename = |editor: &Editor| editor.api("PATCH", "/labels/1").json(&other).send();
    for refused in [rename(&desk), desk.delete("/labels/1")] {
        let problem = refused.conflict();
        let said = problem["detail"].as_str().expect("a sentence");
        assert!(said.contains("tutti i reparti"), "{said}");
    }
    rename(&shared).expect(204);
    shared.delete("/labels/1").expect(204);
}

/// Stands in accounts of the other desk alone.
const RARE: &str = "Quadrangolo";

/// An archive with three reports on a desk and three on another, which have to do with each other in every way there is.
fn entangled(program: &Program) -> [Vec<String>; 2] {
    let shared = program.set_up();
    invite_all(program, &shared);
    shared.call("https://esempio.it/gancio");
    let label = json!({ "name": "Da seguire", "color": "viola" });
    shared.post_json("/labels", &label).expect(200);
    let mut desks = [Vec::new(), Vec::new()];
    // In turn, so that their arrival numbers have gaps.
    for number in [0, 3, 1, 4, 2, 5] {
        let (desk, department) = (number / 3, ["sanita", "scuola"][number / 3]);
        let rare = if desk == 1 { RARE } else { "" };
        let account = format!("{STORY} {rare}. Era il giorno {number} del mese.");
        let person = Person {
            // Two by two of one person.
            telefono: Person::numbered(number % 3).telefono,
            ..Person::telling(number, &account)
        };
        let id = submit(&program.client(), &person);
        let change = json!({ "department": department, "labels": [1], "note": account });
        shared.change(&id, &change);
        if number % 3 > 0 {
            let change = json!({ "stato": "Risolta", "urgente": number % 3 == 1 });
            shared.change(&id, &change);
        }
        let path = format!("/reports/{id}/comments");
        shared.post_and_read(&path, &json!({ "text": account }));
        desks[desk].push(id);
    }
    let [own, other] = &desks;
    // Who does not see all of it gets the title that would be proposed.
    let all = json!({ "title": "Storia senza titolo", "reports": [own[1], other[0], other[2]] });
    let story = shared.post_and_read("/stories", &all)["id"].clone();
    let message = json!({ "story": story, "text": "Grazie." });
    assert_eq!(shared.post_and_read("/messages/bulk", &message)["sent"], 3);
    let many = json!({ "ids": other, "change": { "urgente": true } });
    shared.post_and_read("/reports/bulk", &many);
    wait_for("the calls", || {
        let delivered = shared.quiet().rows("/deliveries?stato=consegnata");
        (delivered.len() == 6).then_some(())
    });
    desks
}

fn invite_all(program: &Program, shared: &Editor) {
    for (user, role, desks) in PEOPLE {
        join(shared, &program.client(), user, role, desks);
    }
}

/// What somebody who sees a desk fetches of it.
fn paths(own: &[String], other: &[String]) -> Vec<String> {
    let calls = "/analytics /labels /session /views /desk/mine /desk/today /reports/bulk /stories /stories/proposals /messages/bulk";
    let mut paths: Vec<String> = calls.split(' ').map(str::to_owned).collect();
    for id in own {
        for about in "|/related|/messages|/dossier.zip|/comments|/attachments/1".split('|') {
            paths.push(format!("/reports/{id}{about}"));
        }
    }
    let mut queries: Vec<String> = QUERIES.split(' ').map(str::to_owned).collect();
    for number in 3..6 {
        let person = Person::numbered(number);
        let telefono = Person::numbered(number % 3).telefono;
        let searches = [person.nome, person.email, telefono];
        queries.extend(searches.map(|search| format!("search={search}")));
    }
    let parts = other.iter().flat_map(|id| [&id[..8], id]);
    queries.extend(parts.map(|id| format!("search={id}")));
    for query in &queries {
        for order in ["", "&order=asc"] {
            paths.push(format!("/reports?{query}{order}"));
        }
        if !query.starts_with("limit") {
            paths.push(format!("/reports/export.csv?{query}&extra=true"));
            paths.push(format!("/reports/export.csv?{query}"));
        }
    }
    paths
}

const QUERIES: &str = " stato=Nuova stato=Risolta department=scuola department=sanita urgente=true urgente=false \
    sospette=true sospette=false answer=true todo=true aside=true label=1 assignedTo=none origin=chat origin=lettera period=today \
    from=2026-01-01 to=2026-12-31 from=2027-01-01 limit=1 limit=2 search=Nome search=chirurgia&inText=true \
    search=Quadrangolo&inText=true";

/// Everything of these addresses, and the pages behind them.
fn fetched(editor: &Editor, paths: &[String]) -> BTreeMap<String, (u16, String)> {
    let mut found = BTreeMap::new();
    for path in paths {
        let answer = editor.get(path);
        let list = serde_json::from_slice::<Value>(&answer.body).unwrap_or_default();
        if let Some(cursor) = list["nextCursor"].as_str() {
            let next = editor.get(&format!("{path}&cursor={cursor}")).expect(200);
            found.insert(format!("behind {path}"), said(&next));
        }
        found.insert(path.clone(), said(&answer));
    }
    found
}

#[test]
fn nothing_of_another_desk_is_in_anything_that_can_be_fetched() {
    let folder = tempfile::tempdir().expect("a folder");
    let [whole, alone] = ["whole", "alone"].map(|name| folder.path().join(name));
    std::fs::create_dir_all(&whole).expect("a folder");
    let (mut program, _post) = Program::start_at(&whole);
    let [own, other] = entangled(&program);
    program.stop();
    disk::copy(&whole, &alone);
    forget_desk(&alone);
    program.start_again();
    let (bare, _post) = Program::start_at(&alone);
    let mut traces = other.clone();
    traces.push(RARE.to_owned());
    for person in (3..6).map(Person::numbered) {
        traces.extend([person.nome, person.cognome, person.email, person.indirizzo]);
    }
    let paths = paths(&own, &other);
    let shared = program.log_in();
    shared.wait_for_search();
    for (user, ..) in &PEOPLE[2..] {
        let [found, expected] = [&program, &bare].map(|one| {
            let editor = log_in_as(&one.client(), user);
            editor.wait_for_search();
            wait_for("the proposals", || {
                (editor.read("/stories/proposals")["ready"] == true).then_some(())
            });
            fetched(&editor, &paths)
        });
        for (path, answer) in &found {
            assert_eq!(answer, &expected[path], "{user}: {path}");
            let trace = traces.iter().find(|trace| answer.1.contains(*trace));
            assert_eq!(trace, None, "{user}: {path}");
        }
        assert!(found.len() > 100);
    }
    // The control: an editor of both desks finds them.
    let all = fetched(&shared, &paths);
    for trace in traces {
        assert!(
            all.values().any(|(_, text)| text.contains(&trace)),
            "{trace}"
        );
    }
}

/// Takes the other desk's reports out of an archive that is not in use, as if they had never been: those that are left are numbered as if
/// they had come alone.
fn forget_desk(home: &Path) {
    let database = Connection::open(home.join("data/segnalazioni.db")).expect("a database");
    database
        .execute_batch(
            "PRAGMA foreign_keys = ON; DELETE FROM segnalazioni WHERE department = 'scuola'; PRAGMA foreign_keys = OFF;
             UPDATE segnalazioni SET seq = (SELECT count(*) FROM segnalazioni AS s WHERE s.seq <= segnalazioni.seq);
             UPDATE deliveries SET id = (SELECT count(*) FROM deliveries AS d WHERE d.id <= deliveries.id);",
        )
        .expect("deleted");
}
