//! `GET /logs`: what administrators did, and nothing about reporters; statistics, filter and clearing; and what time does by
//! itself: retention and automatic archive.

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::chat::{Person, recognisable, submit, tells_nothing};
use crate::support::has;
use crate::support::panel::{Editor, OTHER_PASSWORD, PASSWORD, try_log_in};
use crate::support::program::{Program, at};
use crate::support::snapshot::table;
use crate::support::{DAY, HOUR};

fn actions(log: &Value) -> Vec<String> {
    let entries = table(&log["data"], "action");
    entries.lines().map(str::to_owned).collect()
}

#[test]
fn every_deed_of_an_editor_is_an_entry_newest_first() {
    let program = Program::start();
    let visitor = program.client().with("user-agent", "Prova/1.0");
    let (editor, _) = Editor::set_up(&visitor, &program.setup_url(), PASSWORD);
    let id = submit(&visitor, &Person::numbered(1));
    try_log_in(&visitor, "sbagliata").expect(401);
    program.clock.advance(Duration::from_mins(1));
    editor.report(&id);
    editor.change(&id, &json!({ "stato": "Risolta" }));
    editor.save("/settings/system", &json!({ "darkMode": false }));
    editor.save("/prompts", &json!({ "welcome": "Età?" }));
    let editor = editor.change_password(&visitor, PASSWORD, OTHER_PASSWORD);
    editor.delete("/session").expect(204);

    let editor = Editor::log_in(&visitor, OTHER_PASSWORD);
    let log = editor.get("/logs").expect(200).json();
    let expected = "LOGIN_SUCCESS LOGOUT SETTINGS_CHANGED PROMPTS_CHANGED SETTINGS_CHANGED \
                    REPORT_UPDATED REPORT_VIEWED LOGIN_FAILED LOGIN_SUCCESS SETTINGS_CHANGED";
    assert_eq!(actions(&log).join(" "), expected);
    let viewed = json!({
        "timestamp": "2026-03-10T09:01:00Z", "action": "REPORT_VIEWED", "ip": "127.0.0.1",
        "userAgent": "Prova/1.0", "reportId": id, "who": "password della redazione",
    });
    assert_eq!(log["data"][6], viewed);
    let newest = editor.get("/logs?limit=1").json();
    // And as many refused logins.
    assert_eq!(actions(&newest), ["LOGIN_SUCCESS", "LOGIN_FAILED"]);
}

#[test]
fn the_log_holds_nothing_of_reports_reporters_and_secrets() {
    let program = Program::behind_a_proxy();
    let reporter = recognisable(&program.client());
    let editor = program.set_up();
    let person = Person::numbered(1);
    let id = submit(&reporter, &person);
    editor.change(&id, &json!({ "note": "Nota riservata." }));
    try_log_in(&program.client(), "password-tentata-123").expect(401);
    let log = editor.get("/logs").text().to_owned();
    assert!(log.contains("REPORT_UPDATED"));
    let secrets = [
        "Nota riservata",
        "password-tentata-123",
        PASSWORD,
        editor.cookie(),
    ];
    tells_nothing(&log, &person, &secrets);
}

#[test]
fn an_answer_has_at_most_200_entries() {
    let (program, editor) = Program::with_editor();
    let id = program.report(1);
    for _ in 0..201 {
        editor.report(&id);
    }
    assert_eq!(actions(&editor.get("/logs").json()).len(), 200);
}

#[test]
fn guesses_push_nothing_out_of_the_log_and_are_all_counted() {
    let program = Program::behind_a_proxy();
    let editor = program.set_up();
    editor.save(
        "/settings/security",
        &json!({ "enableRateLimiting": false }),
    );
    editor.get("/reports/export.csv").expect(200);
    let guess = |address: &str| {
        let stranger = program.client().with("x-forwarded-for", address);
        try_log_in(&stranger, "sbagliata").expect(401);
    };
    for number in 0..1_013 {
        guess(&format!("203.0.{}.{}", number / 250, number % 250));
    }
    let log = editor.get("/logs").expect(200).json();
    let done = actions(&log);
    for deed in ["EXPORT_CSV", "SETTINGS_CHANGED"] {
        assert!(done.contains(&deed.to_owned()), "{deed} was pushed out");
    }
    assert_eq!(
        log["statistics"]["failedLogins"],
        counts(1_013, 1_013, 1_013)
    );
    // The first clients have an entry each, the rest one together.
    let failed = |log: &Value| -> Vec<String> {
        let rows = table(&log["data"], "action ip count");
        let failed = rows
            .lines()
            .filter_map(|row| row.strip_prefix("LOGIN_FAILED "));
        failed.map(str::to_owned).collect()
    };
    assert_eq!(failed(&log).len(), 20);
    let only = |editor: &Editor| failed(&editor.read("/logs?action=LOGIN_FAILED"));
    let rows = only(&editor);
    assert_eq!(rows.len(), 21);
    for row in [" 993", "203.0.0.0 null"] {
        assert!(rows.contains(&row.to_owned()), "{row}");
    }

    program.clock.advance(Duration::from_mins(15));
    for host in 1..=3 {
        guess(&format!("2001:db8:0:1::{host}"));
    }
    assert_eq!(only(&editor)[0], "2001:db8:0:1::/64 3");

    // More rows than an answer holds, and all of them newer than what was done.
    for _ in 0..9 {
        program.clock.advance(Duration::from_mins(15));
        for number in 0..21 {
            guess(&format!("203.0.113.{number}"));
        }
        program.round();
    }
    let editor = program.log_in();
    assert_eq!(only(&editor).len(), 200);
    let log = editor.get("/logs").json();
    assert!(
        actions(&log).contains(&"EXPORT_CSV".to_owned()),
        "pushed out"
    );
    assert_eq!(failed(&log).len(), 20);
}

#[test]
fn refusals_by_the_allow_list_are_counted_in_the_log() {
    let mut program = Program::behind_a_proxy();
    let from = |program: &Program, address: &str| program.client().with("x-forwarded-for", address);
    let visitor = from(&program, "192.0.2.10");
    let (editor, _) = Editor::set_up(&visitor, &program.setup_url(), PASSWORD);
    editor.save(
        "/settings/security",
        &json!({ "allowedIPs": "192.0.2.0/24" }),
    );
    let outside = from(&program, "203.0.113.1").with("user-agent", "Fuori/1.0");
    for _ in 0..30 {
        try_log_in(&outside, PASSWORD).expect(403);
    }
    let denied = |editor: &Editor| editor.get("/logs?action=ACCESS_DENIED").expect(200).json();
    let log = denied(&editor);
    let entry = json!({ "timestamp": "2026-03-10T09:00:00Z", "action": "ACCESS_DENIED", "ip": "203.0.113.1",
        "userAgent": "Fuori/1.0", "count": 30 });
    assert_eq!(log["data"], json!([entry]));
    // Beside them what set up and saved.
    assert_eq!(log["statistics"]["all"]["total"], 33);
    // What was not written down yet is, before the end.
    try_log_in(&outside, PASSWORD).expect(403);
    program.stop();
    program.start_again();
    let editor = Editor::log_in(&from(&program, "192.0.2.10"), PASSWORD);
    assert_eq!(denied(&editor)["data"][0].get("count"), None);
    assert_eq!(denied(&editor)["data"][1]["count"], 30);
    editor.delete("/logs").expect(204);
    assert_eq!(denied(&editor)["data"], json!([]));
}

#[test]
fn logging_can_be_switched_off() {
    let (program, editor) = Program::with_editor();
    let before = actions(&editor.get("/logs").json()).len();
    editor.save("/settings/security", &json!({ "enableLogging": false }));
    let id = program.report(1);
    editor.report(&id);
    try_log_in(&program.client(), "sbagliata").expect(401);
    let log = editor.get("/logs").json();
    assert_eq!(actions(&log).len(), before + 1);
    assert_eq!(actions(&log)[0], "SETTINGS_CHANGED");
    editor.save("/settings/security", &json!({ "enableLogging": true }));
    editor.report(&id);
    assert_eq!(actions(&editor.get("/logs").json()).len(), before + 3);
}

const HALF: Duration = Duration::from_mins(30);

fn counts(day: i64, week: i64, total: i64) -> Value {
    json!({ "lastDay": day, "lastWeek": week, "total": total })
}

fn report_with(program: &Program, editor: &Editor, number: usize, stato: &str) -> String {
    let id = program.report(number);
    editor.change(&id, &json!({ "stato": stato }));
    id
}

#[test]
fn statistics_count_every_action_over_three_periods() {
    let (program, _) = Program::with_editor();
    try_log_in(&program.client(), "sbagliata").expect(401);
    program.round();
    program.clock.advance(6 * DAY);
    try_log_in(&program.client(), "sbagliata").expect(401);
    program.round();
    program.log_in();
    program.clock.advance(23 * HOUR + HALF);
    let editor = program.log_in();
    try_log_in(&program.client(), "sbagliata").expect(401);
    program.clock.advance(HALF);

    let log = editor.get("/logs?limit=1").expect(200).json();
    assert_eq!(actions(&log), ["LOGIN_FAILED", "LOGIN_SUCCESS"]);
    let statistics = &log["statistics"];
    // The two of six days ago are exactly 24 hours back: still of the last day.
    assert_eq!(statistics["all"], counts(4, 7, 7));
    assert_eq!(statistics["failedLogins"], counts(2, 3, 3));
    assert_eq!(statistics["lastLogin"], "2026-03-17T08:30:00Z");
    program.clock.advance(Duration::from_millis(1));
    let later = editor.get("/logs").json()["statistics"]["all"].clone();
    assert_eq!(later, counts(2, 4, 7));
}

#[test]
fn the_log_can_be_read_by_action() {
    let (program, editor) = Program::with_editor();
    report_with(&program, &editor, 1, "Risolta");
    try_log_in(&program.client(), "sbagliata").expect(401);
    let log = editor.get("/logs?action=REPORT_UPDATED").expect(200).json();
    assert_eq!(actions(&log), ["REPORT_UPDATED"]);
    assert_eq!(log["statistics"]["failedLogins"], counts(1, 1, 1));
    let none = editor.get("/logs?action=BACKUP").expect(200).json();
    assert_eq!(none["data"], json!([]));
    for wrong in ["LOGIN", "report_updated", "%25"] {
        editor
            .get(&format!("/logs?action={wrong}"))
            .problem(422, "dati-non-validi");
    }
}

#[test]
fn clearing_leaves_one_entry_that_says_who_did() {
    let mut program = Program::start();
    let editor = program.set_up().with("user-agent", "Prova/1.0");
    for _ in 0..3 {
        try_log_in(&program.client(), "sbagliata").expect(401);
    }
    editor.delete("/logs").expect(204);
    let log = editor.get("/logs").expect(200).json();
    let entry = json!({ "timestamp": "2026-03-10T09:00:00Z", "action": "LOGS_CLEARED", "ip": "127.0.0.1",
        "userAgent": "Prova/1.0", "who": "password della redazione" });
    assert_eq!(log["data"], json!([entry]));
    assert_eq!(log["statistics"]["all"], counts(1, 1, 1));
    // The failed logins still count against whoever guesses.
    program.stop();
    assert_eq!(program.count("SELECT count(*) FROM login_attempts"), 3);
}

#[test]
fn old_entries_are_dropped_after_the_days_of_the_setting() {
    let (mut program, editor) = Program::with_editor();
    editor.save("/settings/security", &json!({ "logRetentionDays": 10 }));
    program.clock.advance(4 * DAY);
    program.log_in();
    program.clock.advance(6 * DAY);
    program.round();
    let kept = |program: &Program| {
        program.log_in().get("/logs").json()["statistics"]["all"]["total"].clone()
    };
    // Exactly ten days old: kept.
    assert_eq!(kept(&program), 5);

    // Off for days: the first round after the start drops what is due.
    program.stop();
    program.clock.advance(4 * DAY + Duration::from_millis(1));
    program.start_again();
    program.round();
    assert_eq!(kept(&program), 2);
}

#[test]
fn resolved_reports_are_archived_after_the_days_of_the_setting() {
    let (program, editor) = Program::with_editor();
    editor.save("/settings/security", &json!({ "autoArchiveDays": 7 }));
    let resolved = report_with(&program, &editor, 1, "Risolta");
    let working = report_with(&program, &editor, 2, "In lavorazione");
    program.clock.set(at("2026-03-17T08:59:59.999Z"));
    program.round();
    let editor = program.log_in();
    assert_eq!(editor.report(&resolved)["stato"], "Risolta");
    // A note does not put it off.
    editor.change(&resolved, &json!({ "note": "Pubblicata." }));
    program.clock.advance(Duration::from_millis(1));
    program.round();
    let archived = editor.report(&resolved);
    let moment = "2026-03-17T09:00:00Z";
    has(
        &archived,
        &json!({ "stato": "Archiviata", "versione": 4, "note": "Pubblicata.", "data_aggiornamento": moment }),
    );
    let last = archived["storia"].as_array().unwrap().last();
    let expected = json!({ "tipo": "stato", "data": moment, "da": "Risolta", "a": "Archiviata", "author": null });
    assert_eq!(last, Some(&expected));
    assert_eq!(editor.report(&working)["stato"], "In lavorazione");
    let log = editor.get("/logs?action=REPORT_UPDATED").json();
    assert_eq!(actions(&log).len(), 3, "nobody's deed");
    // An editor who had it open learns of it instead of overwriting it.
    let late = editor.patch(&resolved, &json!(3), &json!({ "note": "x" }));
    late.problem(412, "versione-superata");
    // The figures do not forget that it was resolved.
    let rate = editor.get("/analytics").json()["resolutionRate"].clone();
    assert_eq!(rate, json!({ "resolved": 1, "percent": 50.0 }));
}

#[test]
fn a_report_taken_out_of_the_archive_waits_anew() {
    let program = Program::start();
    let id = report_with(&program, &program.set_up(), 1, "Risolta");
    for (days, stato) in [(30, "Archiviata"), (29, "Risolta"), (1, "Archiviata")] {
        program.clock.advance(days * DAY);
        program.round();
        let editor = program.log_in();
        assert_eq!(editor.report(&id)["stato"], stato);
        if days == 30 {
            editor.change(&id, &json!({ "stato": "Risolta" }));
        }
    }
}

#[test]
fn a_change_of_the_clocks_moves_neither_archive_nor_log() {
    // In Rome the clocks go forward on 29 March and back on 25 October: a week over it has 167 or 169 hours.
    for (begun, due) in [
        ("2026-03-26T23:30:00Z", "2026-04-02T23:30:00Z"),
        ("2026-10-22T22:30:00Z", "2026-10-29T22:30:00Z"),
    ] {
        let (program, _) = Program::with_editor();
        program.clock.set(at(begun));
        let editor = program.log_in();
        let days = json!({ "autoArchiveDays": 7, "logRetentionDays": 7 });
        editor.save("/settings/security", &days);
        let id = report_with(&program, &editor, 1, "Risolta");
        let opened = |program: &Program| {
            let log = program.log_in().get("/logs?limit=200").json();
            actions(&log).contains(&"REPORT_UPDATED".to_owned())
        };
        program.clock.set(at(due) - 1);
        program.round();
        assert_eq!(program.log_in().report(&id)["stato"], "Risolta", "{begun}");
        assert!(opened(&program));
        program.clock.set(at(due));
        program.round();
        assert_eq!(program.log_in().report(&id)["stato"], "Archiviata");
        assert!(opened(&program), "exactly seven days old: kept");
        program.clock.set(at(due) + 1);
        program.round();
        assert!(!opened(&program));
    }
}
