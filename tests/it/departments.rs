//! Departments of the newsroom's own: made, named, ordered and removed while the program runs, and where reports go by them.

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::support::chat::{Person, submit};
use crate::support::disk::COUNTED;
use crate::support::executable::{Server, installation};
use crate::support::http::Answer;
use crate::support::panel::{Editor, ids};
use crate::support::people::join;
use crate::support::program::Program;
use crate::support::wait_for;

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
        match answer.status {
            204 => Some(()),
            _ => {
                answer.expect(202);
                None
            }
        }
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
    let server = Server::start(folder.path());
    let asked = server
        .session(&editor)
        .delete("/departments/sport?to=scuola");
    assert_eq!(asked.expect(202).json()["moving"], reports);
    server.kill();
    let server = Server::start(folder.path());
    // One that arrives meanwhile goes to none that was removed.
    submit(&server.client(), &Person::telling(2, MATCH));
    remove(&server.session(&editor), "/departments/sport");
    server.stop();
    let count = |sql: &str| -> usize {
        let database = Connection::open(&path).expect("a database");
        let counted: Result<i64, _> = database.query_row(sql, [], |row| row.get(0));
        usize::try_from(counted.expect("a count")).expect("not below 0")
    };
    for (sql, number) in [
        (
            "SELECT count(*) FROM segnalazioni WHERE department = 'scuola'",
            reports,
        ),
        (
            "SELECT count(*) FROM segnalazioni WHERE department = 'sport'",
            0,
        ),
        (
            "SELECT count(DISTINCT report) FROM history WHERE kind = 'reparto' AND da = 'sport' AND a = 'scuola'",
            reports,
        ),
        (
            "SELECT count(*) FROM history WHERE kind = 'reparto'",
            reports,
        ),
        (
            "SELECT sum(n) FROM counts WHERE kind = 'stato' AND department = 'scuola'",
            reports,
        ),
    ] {
        assert_eq!(count(sql), number, "{sql}");
    }
}
