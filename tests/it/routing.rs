//! Routing as it reaches staff: at the report, in list and figures, moved by hand, tried out, and run over the past.

use serde_json::{Value, json};

use crate::support::chat::{Chat, Person, Reply, submit};
use crate::support::outbox::{ADDRESS, Newsroom};
use crate::support::panel::Editor;
use crate::support::program::Program;

const HOSPITAL: &str = "Mia madre è rimasta quattro giorni su una barella in corridoio al pronto soccorso \
     dell'ospedale. I medici non l'hanno visitata, gli infermieri erano due per sessanta pazienti.";
const SCHOOL: &str = "A scuola la maestra lascia i bambini soli in classe per ore, il preside lo sa e agli altri genitori \
     risponde che gli insegnanti mancano in tutto l'istituto.";

fn send(program: &Program, number: usize, account: &str) -> String {
    submit(&program.client(), &Person::telling(number, account))
}

fn settings(editor: &Editor, change: &Value) {
    editor.save_email(change);
}

fn preview(editor: &Editor, body: &Value) -> Value {
    editor.post_and_read("/routing/preview", body)
}

fn dry_run(editor: &Editor, body: &Value) -> Value {
    editor.post_and_read("/routing/dry-run", body)
}

#[test]
fn a_report_comes_with_its_department_and_the_reason() {
    let (program, editor) = Program::with_editor();
    let id = send(&program, 1, HOSPITAL);
    let report = editor.report(&id);
    assert_eq!(report["department"], "sanita");
    assert_eq!(report["departmentName"], "Sanità/Ospedali");
    let reason = report["reason"].as_str().unwrap();
    assert!(
        reason.starts_with("Analisi del contenuto: Sanità/Ospedali "),
        "{reason}"
    );
    let words = report["matchedKeywords"].as_array().unwrap();
    assert!(words.contains(&json!("ospedale")) && words.len() <= 6);
    assert_eq!(report["scores"].as_array().unwrap().len(), 7);
    assert_eq!(report["scores"][0]["department"], "sanita");
    assert!(report["scores"][0]["percent"].as_u64().unwrap() >= 40);
    assert_eq!(editor.list("")["data"][0]["department"], "sanita");
    let figures = editor.read("/analytics");
    has!(figures["byDepartment"][1], "department": "sanita", "name": "Sanità/Ospedali", "count": 1, "percent": 100.0);
    assert_eq!(figures["byDepartment"].as_array().unwrap().len(), 7);
    assert_eq!(figures["byDepartment"][6]["count"], 0);
}

#[test]
fn the_settings_of_the_moment_decide() {
    let (program, editor) = Program::with_editor();
    for (number, (change, department)) in [
        (json!({ "routingMode": "manual" }), "generale"),
        (
            json!({ "routingMode": "keywords", "dept_corruzione_keywords": "Barella" }),
            "corruzione",
        ),
        (
            json!({ "routingMode": "smart", "routingThreshold": 100 }),
            "generale",
        ),
        (json!({ "routingThreshold": 40 }), "sanita"),
        (json!({ "enableDepartmentRouting": false }), "generale"),
    ]
    .iter()
    .enumerate()
    {
        settings(&editor, change);
        let id = send(&program, number, HOSPITAL);
        assert_eq!(editor.report(&id)["department"], *department, "{change}");
    }
}

/// An account is read when it is given: what follows before the report is there must count all the same.
#[test]
fn what_changes_between_the_account_and_the_end_decides() {
    let (program, editor) = Program::with_editor();
    let client = program.client();
    let at_the_end = |number, account| Chat::at_the_end(&client, &Person::telling(number, account));
    let mut stayed = at_the_end(1, HOSPITAL);
    let department = |chat: &mut Chat, last: &str| {
        let id = chat.say(last).report_id.clone().unwrap();
        editor.report(&id)["department"].clone()
    };
    assert_eq!(department(&mut stayed, "no"), "sanita");

    let mut added = at_the_end(
        2,
        "Vorrei raccontare una cosa che succede da mesi nel mio paese, vicino a casa mia e alle altre.",
    );
    assert_eq!(department(&mut added, SCHOOL), "scuola");

    let mut corrected = at_the_end(3, HOSPITAL);
    let account = json!({ "conversation": corrected.token(), "state": "investigative_questions" });
    corrected.reply = Reply::of(&client.post_json("/chat/back", &account));
    corrected.say(SCHOOL);
    assert_eq!(department(&mut corrected, "no"), "scuola");

    let moved = submit(&client, &Person::telling(4, HOSPITAL));
    let mut like_it = at_the_end(5, HOSPITAL);
    editor.change(&moved, &json!({ "department": "lavoro" }));
    assert_eq!(department(&mut like_it, "no"), "lavoro");

    let mut settled = at_the_end(6, SCHOOL);
    settings(&editor, &json!({ "routingMode": "manual" }));
    assert_eq!(department(&mut settled, "no"), "generale");
}

#[test]
fn staff_move_a_report_with_history_and_on_the_version_they_saw() {
    let (program, editor) = Program::with_editor();
    let id = send(&program, 1, HOSPITAL);
    let change = json!({ "department": "lavoro", "stato": "In lavorazione" });
    let moved = editor.patch(&id, &json!(1), &change).expect(200).json();
    assert_eq!(moved["department"], "lavoro");
    assert_eq!(moved["departmentName"], "Lavoro/Sfruttamento");
    assert_eq!(moved["versione"], 2);
    let reason = moved["reason"].as_str().unwrap();
    assert!(
        reason.starts_with(
            "Spostata dalla redazione; all'arrivo era in Sanità/Ospedali. Analisi del contenuto: "
        ),
        "{reason}"
    );
    let story = moved["storia"].as_array().unwrap();
    let last = story.last().unwrap();
    has!(last, "tipo": "reparto", "da": "sanita", "a": "lavoro");
    let before = &story[story.len() - 2];
    has!(before, "tipo": "stato", "a": "In lavorazione");

    let late = editor.patch(&id, &json!(1), &json!({ "department": "scuola" }));
    let problem = late.problem(412, "versione-superata");
    assert_eq!(problem["current"]["department"], "lavoro");
    // To where it is already is no change.
    let same = editor.patch(&id, &json!(2), &json!({ "department": "lavoro" }));
    assert_eq!(same.expect(200).json()["versione"], 2);
    let unknown = editor.patch(&id, &json!(2), &json!({ "department": "cucina" }));
    unknown.expect(422);

    let counts = editor.read("/analytics")["byDepartment"].clone();
    let expected = (&json!(0), &json!(1));
    assert_eq!((&counts[1]["count"], &counts[2]["count"]), expected);
    let back = editor
        .patch(&id, &json!(2), &json!({ "department": "sanita" }))
        .expect(200);
    let reason = back.json()["reason"].as_str().unwrap().to_owned();
    assert!(reason.starts_with("Analisi del contenuto: "), "{reason}");
}

#[test]
fn mail_goes_to_the_address_of_the_department() {
    let mut newsroom = Newsroom::mail();
    let desk = "sanita@esempio.it";
    let change = json!({ "enableDepartmentRouting": true, "dept_sanita_email": desk });
    settings(newsroom.editor(), &change);
    let routed = send(&newsroom.program, 1, HOSPITAL);
    let other = send(&newsroom.program, 2, SCHOOL);
    assert_eq!(newsroom.post.wait(desk, 1)[0].reports, [routed]);
    assert_eq!(newsroom.post.wait(ADDRESS, 1)[0].reports, [other]);
}

#[test]
fn a_text_is_tried_without_storing_anything() {
    let (_program, editor) = Program::with_editor();
    let addresses =
        json!({ "dept_sanita_email": "sanita@example.it", "emailRecipient": "tutti@example.it" });
    settings(&editor, &addresses);
    let smart = preview(&editor, &json!({ "text": HOSPITAL }));
    has!(smart, "department": "sanita", "email": "sanita@example.it");
    let words = preview(
        &editor,
        &json!({ "text": "UNA SCUOLA", "mode": "keywords" }),
    );
    let expected = json!({
        "department": "scuola", "departmentName": "Scuola/Istruzione", "email": "tutti@example.it",
        "reason": "Parole chiave di Scuola/Istruzione: scuola.", "matchedKeywords": ["scuola"], "scores": [],
        "secondary": null,
    });
    assert_eq!(words, expected);
    for body in [
        json!({ "text": HOSPITAL, "mode": "manual" }),
        json!({ "text": "" }),
    ] {
        assert_eq!(preview(&editor, &body)["department"], "generale");
    }
    let long = "a".repeat(20_000);
    preview(&editor, &json!({ "text": long }));
    let longer = json!({ "text": format!("{long}a") });
    editor.post_json("/routing/preview", &longer).expect(422);
    assert_eq!(editor.list("")["counters"]["total"], 0);
}

#[test]
fn other_settings_are_run_over_the_past() {
    let (program, editor) = Program::with_editor();
    let hospital = [0, 1, 2].map(|number| send(&program, number, HOSPITAL));
    send(&program, 9, SCHOOL);
    let same = json!({ "looked": 4, "changed": 0, "examples": [] });
    let form = editor.read("/settings/email");
    for body in [&json!({}), &form] {
        assert_eq!(dry_run(&editor, body), same);
    }
    let tried = json!({ "routingMode": "keywords", "dept_corruzione_keywords": "barella" });
    let run = dry_run(&editor, &tried);
    assert_eq!((&run["looked"], &run["changed"]), (&json!(4), &json!(3)));
    let examples = run["examples"].as_array().unwrap().iter();
    for (one, id) in examples.zip(hospital.iter().rev()) {
        has!(one, "id": id, "before": "sanita", "after": "corruzione", "department": "sanita", "stato": "Nuova");
    }
    assert_eq!(editor.read("/settings/email"), form, "nothing was saved");
    editor
        .post_json("/routing/dry-run", &json!({ "routingThreshold": 0 }))
        .expect(422);
    // More than a page of them.
    for number in 10..60 {
        send(&program, number, SCHOOL);
    }
    assert_eq!(dry_run(&editor, &tried)["looked"], 54);
}
