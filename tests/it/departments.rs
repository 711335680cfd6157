//! Departments of the newsroom's own: made, named, ordered and removed while the program runs, and where reports go by them.

use std::thread;

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::support::chat::{Person, submit};
use crate::support::disk::COUNTED;
use crate::support::executable::{Server, installation};
use crate::support::http::Answer;
use crate::support::load::Ledger;
use crate::support::panel::{Editor, ids};
use crate::support::people::{id_of, join, log_in_as};
use crate::support::program::Program;
use crate::support::{backups, contains, wait_for};

const MATCH: &str = "L'arbitro della partita di domenica ha preso soldi dalla squadra avversaria, lo sanno tutti in paese.";

fn listed(editor: &Editor) -> (String, Value) {
    let answer = editor.get("/departments").expect(200);
    let tag = answer.header("etag").expect("a version").to_owned();
    (tag, answer.json())
}

fn keys(list: &Value) -> Vec<&str> {
    let rows = list["data"].as_array().expect("a list").iter();
    rows.map(|row| row["key"].as_str().expect("a key"))
        .collect()
}

/// A change on the present version of the list.
fn change(editor: &Editor, method: &str, path: &str, body: &Value) -> Answer {
    let request = editor
        .api(method, path)
        .header("if-match", &listed(editor).0);
    request.json(body).send()
}

fn add(editor: &Editor, body: &Value) -> Value {
    change(editor, "POST", "/departments", body)
        .expect(200)
        .json()
}

fn sport(editor: &Editor) {
    let words = "arbitro, partita, squadra, calcio";
    add(
        editor,
        &json!({ "name": "Sport", "email": " Sport <sport@esempio.it> ", "keywords": words }),
    );
}

/// Removes a department and waits until its reports are moved.
fn remove(editor: &Editor, path: &str) {
    wait_for("the move", || {
        let answer = editor.delete(path);
        if answer.status == 204 {
            return Some(());
        }
        answer.expect(202);
        None
    });
}

#[test]
fn the_list_is_read_changed_and_ordered() {
    let (_program, editor) = Program::with_editor();
    let (tag, list) = listed(&editor);
    let six = [
        "corruzione",
        "sanita",
        "lavoro",
        "scuola",
        "ambiente",
        "criminalita",
        "generale",
    ];
    assert_eq!(keys(&list), six);
    has!(list["data"][1], "name": "Sanità/Ospedali", "matter": "sanita", "email": "", "reports": 0);
    sport(&editor);
    let old = editor.api("POST", "/departments").header("if-match", &tag);
    old.json(&json!({ "name": "Esteri" })).send().expect(412);
    let unversioned = editor.post_json("/departments", &json!({ "name": "Esteri" }));
    unversioned.expect(428);
    let (_, list) = listed(&editor);
    has!(list["data"][6], "key": "sport", "name": "Sport", "matter": null, "email": "sport@esempio.it");

    for (method, path, body, field) in [
        ("POST", "/departments", json!({ "name": "S" }), "name"),
        ("POST", "/departments", json!({ "name": "sport" }), "name"),
        (
            "POST",
            "/departments",
            json!({ "name": "x".repeat(41) }),
            "name",
        ),
        (
            "POST",
            "/departments",
            json!({ "name": "Esteri", "email": "Anna" }),
            "email",
        ),
        (
            "POST",
            "/departments",
            json!({ "name": "Esteri", "keywords": "a" }),
            "keywords",
        ),
        (
            "PATCH",
            "/departments/generale",
            json!({ "email": "a@b.it" }),
            "email",
        ),
        (
            "PUT",
            "/departments/order",
            json!({ "keys": ["sport"] }),
            "keys",
        ),
    ] {
        let refused = change(&editor, method, path, &body);
        assert_eq!(refused.refused_fields(), [field], "{body}");
    }
    change(&editor, "PATCH", "/departments/mai", &json!({})).expect(404);

    let renamed = json!({ "name": "Desk centrale" });
    change(&editor, "PATCH", "/departments/generale", &renamed).expect(200);
    let matter = json!({ "matter": "criminalita", "name": "Calcio e altro" });
    change(&editor, "PATCH", "/departments/sport", &matter).expect(200);
    let order = json!({ "keys": ["sport", "criminalita", "sanita", "lavoro", "scuola", "ambiente", "corruzione"] });
    let list = change(&editor, "PUT", "/departments/order", &order)
        .expect(200)
        .json();
    assert_eq!(keys(&list)[..2], ["sport", "criminalita"]);
    assert_eq!(keys(&list)[7], "generale");
    has!(list["data"][0], "name": "Calcio e altro", "matter": "criminalita");
    has!(list["data"][7], "name": "Desk centrale");
}

#[test]
fn settings_name_every_department_that_there_is() {
    let (_program, editor) = Program::with_editor();
    sport(&editor);
    let saved = editor.save_email(&json!({ "dept_sport_email": "gol@esempio.it" }));
    has!(saved, "dept_sport_email": "gol@esempio.it", "dept_lavoro_email": "", "smtpPort": 587);
    has!(listed(&editor).1["data"][6], "email": "gol@esempio.it", "keywords": "arbitro, partita, squadra, calcio");
    let unknown = editor.put("/settings/email", &json!({ "dept_esteri_email": "a@b.it" }));
    assert_eq!(unknown.refused_fields(), ["dept_esteri_email"]);
    remove(&editor, "/departments/sport");
    let gone = editor.put("/settings/email", &json!({ "dept_sport_email": "" }));
    assert_eq!(gone.refused_fields(), ["dept_sport_email"]);
}

#[test]
fn a_report_goes_to_a_department_of_the_newsrooms_own() {
    let (program, editor) = Program::with_editor();
    sport(&editor);
    let report = editor.report(&submit(&program.client(), &Person::telling(1, MATCH)));
    has!(report, "department": "sport", "departmentName": "Sport");
    let reason = report["reason"].as_str().expect("a reason");
    assert!(reason.contains("Sport") && reason.ends_with("Decidono le parole chiave del reparto."));
    let figures = editor.read("/analytics")["byDepartment"].clone();
    has!(figures[6], "department": "sport", "name": "Sport", "count": 1);
    let csv = editor.get("/reports/export.csv?extra=true").expect(200);
    assert!(csv.text().contains("\"Sport\""));
}

#[test]
fn who_sees_some_departments_sees_those_alone_also_of_new_ones() {
    let (program, editor) = Program::with_editor();
    sport(&editor);
    let client = program.client();
    let theirs = submit(&client, &Person::telling(1, MATCH));
    let other = submit(&client, &Person::numbered(2));
    let anna = join(&editor, &client, "anna", "redattore", &["sport", "scuola"]);
    let bruno = join(&editor, &client, "bruno", "redattore", &["scuola"]);
    let (_, list) = listed(&anna);
    assert_eq!(keys(&list), ["scuola", "sport"]);
    assert_eq!(
        (&list["data"][1]["email"], &list["data"][1]["reports"]),
        (&Value::Null, &json!(1))
    );
    assert_eq!(
        anna.read("/session")["departments"],
        json!(["scuola", "sport"])
    );
    assert_eq!(ids(&anna.list("")), [theirs.as_str()]);
    assert!(ids(&bruno.list("")).is_empty());
    anna.get(&format!("/reports/{other}")).expect(404);

    // Moved to one that she does not see, it is gone for her; she loses no other.
    remove(&editor, "/departments/sport?to=scuola");
    assert_eq!(ids(&bruno.list("")), [theirs.as_str()]);
    assert_eq!(anna.read("/session")["departments"], json!(["scuola"]));
    let refused = editor.delete("/departments/scuola").conflict();
    let said = refused["detail"].as_str().expect("a reason");
    assert!(
        said.contains("Nome di anna") && said.contains("Nome di bruno"),
        "{said}"
    );
}

/// What a person moved out of a department is taken back to its heir where they see that.
#[test]
fn a_change_of_many_is_taken_back_after_its_department_is_gone() {
    let (program, editor) = Program::with_editor();
    sport(&editor);
    let client = program.client();
    let id = submit(&client, &Person::telling(1, MATCH));
    let anna = join(
        &editor,
        &client,
        "anna",
        "redattore",
        &["sport", "scuola", "lavoro"],
    );
    let change = json!({ "ids": [id], "change": { "department": "scuola" } });
    let batch = anna.post_and_read("/reports/bulk", &change)["batch"].clone();
    remove(&editor, "/departments/sport?to=lavoro");
    let undone = anna.post_and_read(&format!("/reports/bulk/{batch}/undo"), &json!({}));
    has!(undone, "changed": 1, "refused": []);
    has!(anna.report(&id), "department": "lavoro");
}

#[test]
fn what_names_a_removed_department_follows_and_its_key_is_not_given_again() {
    let (program, editor) = Program::with_editor();
    sport(&editor);
    let id = submit(&program.client(), &Person::telling(1, MATCH));
    editor
        .post_json(
            "/views",
            &json!({ "name": "Gol", "query": "department=sport&stato=Nuova" }),
        )
        .expect(200);
    editor.delete("/departments/generale").conflict();
    editor.delete("/departments/mai").expect(404);
    for to in ["sport", "mai"] {
        let refused = editor.delete(&format!("/departments/sport?to={to}"));
        assert_eq!(refused.refused_fields(), ["to"]);
    }
    remove(&editor, "/departments/sport?to=lavoro");
    let report = editor.report(&id);
    has!(report, "department": "lavoro", "departmentName": "Lavoro/Sfruttamento");
    let said = report["reason"].as_str().expect("a reason");
    assert!(
        said.starts_with("Spostata dalla redazione; all'arrivo era in Sport."),
        "{said}"
    );
    let history = report["storia"].as_array().expect("a history").iter();
    let moves: Vec<&Value> = history.filter(|event| event["tipo"] == "reparto").collect();
    assert_eq!(moves.len(), 1);
    has!(moves[0], "da": "sport", "fromName": "Sport", "a": "lavoro", "toName": "Lavoro/Sfruttamento");
    assert_eq!(
        editor.read("/views")["data"][0]["query"],
        "department=lavoro&stato=Nuova"
    );
    let list = add(&editor, &json!({ "name": "Sport" }));
    assert_eq!(keys(&list)[6], "sport-2");
    let refused = editor
        .api("PATCH", &format!("/reports/{id}"))
        .header("if-match", "*");
    let refused = refused.json(&json!({ "department": "sport" })).send();
    assert_eq!(refused.refused_fields(), ["department"]);
    let refused = editor.post_json(
        "/people",
        &json!({
            "name": "Carla", "user": "carla", "role": "lettore", "departments": ["sport"],
        }),
    );
    assert_eq!(refused.refused_fields(), ["departments"]);
}

#[test]
fn a_removal_that_was_killed_goes_on() {
    killed(1_500);
}

#[test]
#[ignore = "soak"]
fn a_removal_of_many_that_was_killed_goes_on() {
    killed(10_000);
}

fn killed(reports: usize) {
    let folder = installation();
    let server = Server::start(folder.path());
    let editor = server.log_in();
    editor.expects_a_flood();
    sport(&editor);
    submit(&server.client(), &Person::telling(1, MATCH));
    server.stop();
    let path = folder.path().join("data/segnalazioni.db");
    let copies = Connection::open(&path).expect("a database");
    copies.execute_batch(COUNTED).expect("counted");
    copies
        .execute_batch(&format!(
            "WITH RECURSIVE n(n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM n WHERE n < {reports})
             INSERT INTO segnalazioni (id, stato, department, data_creazione, data_aggiornamento, privacy_version, impronta, epoch,
                 contenuto)
             SELECT printf('copia-%d', n), 'Nuova', department, data_creazione, data_creazione, '', impronta, epoch, contenuto
             FROM segnalazioni, n;",
        ))
        .expect("copies");
    drop(copies);
    let (server, arriving) = (Server::start(folder.path()), Ledger::default());
    let (client, editor) = (server.client(), server.session(&editor));
    let (moving, last) = thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| arriving.tell(&client, |number| Person::telling(number, MATCH)));
        }
        let come = |enough| wait_for("reports", || (arriving.count() >= enough).then_some(()));
        come(4);
        let last = arriving.acknowledged().pop().expect("a report");
        let asked = editor.delete("/departments/sport?to=scuola").expect(202);
        come(arriving.count() + 1);
        server.kill();
        (asked.json()["moving"].as_i64().expect("a number"), last)
    });
    assert!(usize::try_from(moving).expect("not below 0") >= reports);

    let server = Server::start(folder.path());
    let editor = server.session(&editor);
    // One that still waits is worked on: only whose choice it was that it moved is remembered.
    editor.change(&last, &json!({ "urgente": true }));
    arriving.note(submit(&server.client(), &Person::telling(2, MATCH)));
    remove(&editor, "/departments/sport");
    assert_eq!(editor.read("/routing/memory")["moves"], 0);
    server.stop();
    let acknowledged = serde_json::to_string(&arriving.acknowledged()).expect("JSON");
    let database = Connection::open(&path).expect("a database");
    let count = |sql: &str| -> i64 {
        let counted = database.query_row(sql, [], |row| row.get(0));
        counted.expect("a count")
    };
    let moved =
        "SELECT count(*) FROM history WHERE kind = 'reparto' AND da = 'sport' AND a = 'scuola'";
    assert_eq!(count(moved), moving);
    assert_eq!(
        count("SELECT count(DISTINCT report) FROM history WHERE kind = 'reparto'"),
        moving
    );
    let astray = "SELECT count(*) FROM segnalazioni WHERE department NOT IN (SELECT key FROM departments WHERE gone IS NULL)";
    assert_eq!(count(astray), 0);
    let copies =
        "SELECT count(*) FROM segnalazioni WHERE id LIKE 'copia-%' AND department = 'scuola'";
    assert_eq!(usize::try_from(count(copies)), Ok(reports - 1));
    let counted = "SELECT (SELECT sum(n) FROM counts WHERE kind = 'stato' AND department = 'scuola') - count(*) \
                   FROM segnalazioni WHERE department = 'scuola'";
    assert_eq!(count(counted), 0);
    let missing = format!(
        "SELECT count(*) FROM json_each('{acknowledged}') WHERE value NOT IN (SELECT id FROM segnalazioni)"
    );
    assert_eq!(count(&missing), 0);
}

#[test]
fn new_departments_stand_last_and_there_is_an_end_to_them() {
    let (_program, editor) = Program::with_editor();
    remove(&editor, "/departments/sanita");
    for number in 5..24 {
        let list = add(&editor, &json!({ "name": format!("Altro {number:02}") }));
        let key = format!("altro-{number:02}");
        assert_eq!(keys(&list)[number], key, "behind the others");
    }
    change(
        &editor,
        "POST",
        "/departments",
        &json!({ "name": "Uno di troppo" }),
    )
    .conflict();
}

#[test]
fn a_department_that_there_is_not_is_refused_as_a_filter() {
    let (program, editor) = Program::with_editor();
    sport(&editor);
    let bound = join(
        &editor,
        &program.client(),
        "anna",
        "redattore",
        &["sport", "scuola"],
    );
    remove(&editor, "/departments/sport");
    for one in [&editor, &bound] {
        for unknown in ["mai", "sport"] {
            for path in ["/reports", "/reports/export.csv"] {
                let refused = one.get(&format!("{path}?department={unknown}"));
                assert_eq!(refused.refused_fields(), ["department"], "{path} {unknown}");
            }
            let many =
                json!({ "filter": { "department": unknown }, "change": { "urgente": true } });
            let refused = one.post_json("/reports/bulk", &many);
            assert_eq!(refused.refused_fields(), ["department"]);
        }
        // One out of sight is there, and empty for whoever does not see it.
        assert!(ids(&one.list("?department=lavoro")).is_empty());
    }
}

/// The reports that somebody sees, of these; every answer that tells of reports agrees.
fn seen<'r>(editor: &Editor, all: &'r [String]) -> Vec<&'r str> {
    let listed = ids(&editor.list(""));
    let csv = editor.get("/reports/export.csv");
    let mut seen = Vec::new();
    for id in all {
        let there = listed.contains(id);
        let status = editor.get(&format!("/reports/{id}")).status;
        assert_eq!(status, if there { 200 } else { 404 }, "{id}");
        assert_eq!(
            csv.status == 200 && csv.text().contains(id),
            there && csv.status == 200,
            "{id}"
        );
        if there {
            seen.push(&**id);
        }
    }
    let many = json!({ "filter": {}, "change": { "urgente": true } });
    let done = editor.post_json("/reports/bulk", &many);
    if done.status == 200 {
        assert_eq!(done.json()["refused"], json!([]));
    }
    let figures = editor.read("/analytics");
    let (_, departments) = listed_departments(editor);
    for total in [
        editor.list("")["counters"]["total"].as_u64(),
        figures["total"].as_u64(),
        Some(departments),
    ] {
        assert_eq!(total, u64::try_from(seen.len()).ok());
    }
    seen
}

/// Keys of the list, and how many reports they have.
fn listed_departments(editor: &Editor) -> (Vec<String>, u64) {
    let (_, list) = listed(editor);
    let rows = list["data"].as_array().expect("a list").iter();
    let reports = rows.map(|row| row["reports"].as_u64().expect("a number"));
    let reports = reports.sum();
    assert_eq!(list["moving"], 0);
    (
        keys(&list).into_iter().map(str::to_owned).collect(),
        reports,
    )
}

#[test]
fn no_role_sees_a_report_of_another_department_whatever_is_made_and_removed() {
    let (program, shared) = Program::with_editor();
    let client = program.client();
    for name in ["Sport", "Esteri"] {
        add(&shared, &json!({ "name": name }));
    }
    let desks = ["sport", "esteri", "scuola", "generale"];
    let reports: Vec<String> = (1..)
        .zip(desks)
        .map(|(number, desk)| {
            let id = program.report(number);
            shared.change(&id, &json!({ "department": desk }));
            id
        })
        .collect();
    let people = [
        ("capo", "amministratore", &[][..]),
        ("sporte", "redattore", &["sport", "scuola"]),
        ("legge", "lettore", &["sport", "esteri"]),
        ("estero", "redattore", &["esteri", "generale"]),
    ]
    .map(|(user, role, desks)| join(&shared, &client, user, role, desks));
    // Which of the four reports each of the four people sees.
    let check = |step: &str, expected: [&[usize]; 4]| {
        for (person, numbers) in people.iter().zip(expected) {
            let numbers: Vec<&str> = numbers.iter().map(|at| &*reports[*at]).collect();
            assert_eq!(seen(person, &reports), numbers, "{step}");
        }
    };
    check("made", [&[0, 1, 2, 3], &[0, 2], &[0, 1], &[1, 3]]);
    remove(&shared, "/departments/esteri?to=scuola");
    check("removed", [&[0, 1, 2, 3], &[0, 1, 2], &[0], &[3]]);
    // The same name again is another department, which none of them was ever given.
    add(&shared, &json!({ "name": "Esteri" }));
    shared.change(&reports[1], &json!({ "department": "esteri-2" }));
    check("made again", [&[0, 1, 2, 3], &[0, 2], &[0], &[3]]);
    shared.delete("/departments/sport").conflict();
    check("refused", [&[0, 1, 2, 3], &[0, 2], &[0], &[3]]);
    let reader = format!("/people/{}", id_of(&people[2]));
    shared
        .modify(&reader, &json!({ "departments": ["esteri-2"] }))
        .expect(204);
    remove(&shared, "/departments/sport?to=esteri-2");
    check("removed to a new one", [&[0, 1, 2, 3], &[2], &[0, 1], &[3]]);
    assert_eq!(listed_departments(&people[2]).0, ["esteri-2"]);
}

#[test]
fn a_backup_and_a_file_of_the_panel_bring_their_departments_back() {
    let (mut program, editor) = Program::with_editor();
    program.report(1);
    program.stop();
    let six = backups::back_up(program.home(), &[]);
    program.start_again();
    let editor = program.session(&editor);
    sport(&editor);
    remove(&editor, "/departments/lavoro");
    let anna = join(&editor, &program.client(), "anna", "lettore", &["sport"]);
    let id = submit(&program.client(), &Person::telling(2, MATCH));
    assert_eq!(ids(&anna.list("")), [id.as_str()]);
    let told = |editor: &Editor| keys(&listed(editor).1).join(" ");
    let own = "corruzione sanita scuola ambiente criminalita sport generale";
    assert_eq!(told(&editor), own);
    let file = backups::of_panel(&program, &editor);
    let mut json: Value =
        serde_json::from_slice(&std::fs::read(&file).expect("a file")).expect("JSON");
    let older = program.home().join("older.json");
    let broken = program.home().join("broken.json");
    let mut twice = json.clone();
    let first = twice["departments"][0].clone();
    twice["departments"]
        .as_array_mut()
        .expect("a list")
        .push(first);
    std::fs::write(&broken, twice.to_string()).expect("written");
    json.as_object_mut().expect("members").remove("departments");
    std::fs::write(&older, json.to_string()).expect("written");
    program.stop();

    contains(
        backups::refuse(program.home(), &broken, &["--force"]),
        &["departments"],
    );
    backups::restore(program.home(), &file, &["--force"]);
    program.start_again();
    let editor = program.log_in();
    assert_eq!(told(&editor), own);
    has!(editor.report(&id), "department": "sport", "departmentName": "Sport");
    has!(listed(&editor).1["data"][5], "email": "sport@esempio.it", "keywords": "arbitro, partita, squadra, calcio");
    let anna = log_in_as(&program.client(), "anna");
    assert_eq!(ids(&anna.list("")), [id.as_str()]);
    program.stop();

    // A file without departments means the six; what anna saw is in none of hers.
    let first = "corruzione sanita lavoro scuola ambiente criminalita generale";
    backups::restore(program.home(), &older, &["--force"]);
    program.start_again();
    let editor = program.log_in();
    assert_eq!(told(&editor), first);
    assert_eq!(editor.report(&id)["department"], "generale");
    let anna = log_in_as(&program.client(), "anna");
    assert!(ids(&anna.list("")).is_empty() && told(&anna).is_empty());
    assert_eq!(editor.rows("/people")[0]["departments"], json!(["sport"]));
    assert_eq!(
        keys(&add(&editor, &json!({ "name": "Sport" })))[6],
        "sport-2"
    );
    program.stop();

    backups::restore(program.home(), &six, &["--force"]);
    program.start_again();
    assert_eq!(told(&program.log_in()), first);
}
