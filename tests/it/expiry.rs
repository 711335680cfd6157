//! Reports that their age erases: only closed ones that somebody opened, never without fourteen days in which the panel
//! said so, whatever the clock, the settings and the power switch do (PRODUCT.md §14).

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::chat::{Person, submit};
use crate::support::disk::{COUNTED, database, pieces_found, sealed_of};
use crate::support::panel::Editor;
use crate::support::program::{Program, at};
use crate::support::snapshot::table;
use crate::support::{DAY, HOUR, assert_gone, has};

const MOMENT: Duration = Duration::from_millis(1);

/// A moment less than so many days.
fn just_before(days: u32) -> Duration {
    (days * DAY).saturating_sub(MOMENT)
}

fn keep_for(program: &Program, days: u32) {
    let body = json!({ "reportRetentionDays": days });
    program.log_in().save("/settings/security", &body);
    round(program);
}

fn round(program: &Program) {
    program.round();
}

/// Lets time pass as it does: with a round each hour.
fn pass(program: &Program, time: Duration) {
    let mut left = time;
    while left > Duration::ZERO {
        let step = left.min(12 * HOUR);
        program.clock.advance(step);
        round(program);
        left -= step;
    }
}

/// A report that was opened and has this status.
fn report(program: &Program, editor: &Editor, number: usize, stato: &str) -> String {
    let id = program.report(number);
    editor.report(&id);
    if stato != "Nuova" {
        editor.change(&id, &json!({ "stato": stato }));
    }
    id
}

fn outlook(program: &Program) -> Value {
    program.log_in().read("/retention")
}

fn left(program: &Program) -> Vec<String> {
    program.log_in().all_ids()
}

#[test]
fn nothing_goes_by_age_unless_the_settings_say_so() {
    let (program, editor) = Program::with_editor();
    report(&program, &editor, 1, "Risolta");
    program.clock.advance(4_000 * DAY);
    round(&program);
    let expected = json!({
        "days": 0, "warningDays": 14, "warned": 0, "next": null, "spared": 0, "expired": 0, "erased": 0,
    });
    assert_eq!(outlook(&program), expected);
    assert_eq!(left(&program).len(), 1);
}

#[test]
fn closed_reports_that_were_opened_go_after_the_warning_and_no_others() {
    let (program, editor) = Program::with_editor();
    let resolved = report(&program, &editor, 1, "Risolta");
    let archived = report(&program, &editor, 2, "Archiviata");
    let new = report(&program, &editor, 3, "Nuova");
    let working = report(&program, &editor, 4, "In lavorazione");
    let unread = program.report(5);
    editor.change(&unread, &json!({ "stato": "Archiviata" }));
    keep_for(&program, 60);
    pass(&program, just_before(46));
    assert_eq!(outlook(&program)["warned"], 0);
    let late = report(&program, &program.log_in(), 6, "Risolta");
    pass(&program, MOMENT);
    let due = "2026-05-09T09:00:00Z";
    has(&outlook(&program), &json!({ "warned": 2, "next": due }));
    let editor = program.log_in();
    assert_eq!(editor.report(&resolved)["scadenza"], due);
    for spared in [&new, &working, &late] {
        let shown = editor.quiet().report(spared);
        assert_eq!(shown["scadenza"], Value::Null);
    }
    let soon = editor.read("/retention/reports")["data"].clone();
    assert_eq!([&soon[0]["id"], &soon[1]["id"]], [&resolved, &archived]);
    let expected = format!("Nomeb {due}\nNomec {due}");
    assert_eq!(table(&soon, "nome scadenza"), expected);
    let sealed = [&resolved, &archived]
        .map(|id| sealed_of(program.data(), id))
        .concat();

    pass(&program, just_before(14));
    assert_eq!(left(&program).len(), 6);
    assert!(pieces_found(program.data(), &sealed) > 0);
    pass(&program, MOMENT);
    assert_eq!(left(&program), [late, unread.clone(), working, new]);
    assert_eq!(pieces_found(program.data(), &sealed), 0);
    let figures = json!({ "warned": 0, "spared": 3, "expired": 2, "erased": 0 });
    has(&outlook(&program), &figures);
    let editor = program.log_in();
    for gone in [&resolved, &archived] {
        assert_gone(&editor, gone);
    }
    // One that is opened only now is announced as long as any other.
    editor.report(&unread);
    let expected = "2026-05-23T09:00:00Z";
    assert_eq!(editor.report(&unread)["scadenza"], expected);
    pass(&program, just_before(14));
    assert_eq!(program.log_in().report(&unread)["scadenza"], expected);
    pass(&program, MOMENT);
    assert_gone(&program.log_in(), &unread);
}

#[test]
fn a_rule_that_is_new_or_shorter_takes_fourteen_days_to_begin() {
    let (program, editor) = Program::with_editor();
    let id = report(&program, &editor, 1, "Risolta");
    let set = |stato: &str| program.log_in().change(&id, &json!({ "stato": stato }));
    program.clock.advance(500 * DAY);
    keep_for(&program, 365);
    assert_eq!(outlook(&program)["warned"], 1);
    pass(&program, 13 * DAY);
    // Put further away, it waits for nothing; nearer again, for the whole warning.
    keep_for(&program, 600);
    assert_eq!(outlook(&program)["warned"], 0);
    keep_for(&program, 365);
    pass(&program, just_before(14));
    assert_eq!(left(&program), [id.as_str()]);
    // Brought back to work, it is not touched.
    set("In lavorazione");
    pass(&program, 2 * DAY);
    assert_eq!(left(&program), [id.as_str()]);
    set("Risolta");
    pass(&program, just_before(14));
    assert_eq!(left(&program), [id.as_str()]);
    pass(&program, MOMENT);
    assert_eq!(left(&program), [""; 0]);
}

#[test]
fn days_of_being_off_and_a_clock_that_jumps_shorten_no_warning() {
    let (mut program, editor) = Program::with_editor();
    let id = report(&program, &editor, 1, "Risolta");
    keep_for(&program, 60);
    pass(&program, 40 * DAY);
    // Off for three weeks, over the day on which it was due.
    program.stop();
    program.clock.advance(21 * DAY);
    program.start_again();
    round(&program);
    assert_eq!(left(&program), [id.as_str()]);
    assert_eq!(outlook(&program)["warned"], 1);
    pass(&program, 13 * DAY);
    assert_eq!(left(&program), [id.as_str()]);
    // A clock that is years ahead for an hour, and is put right.
    let right = program.clock.clone();
    program.clock.advance(2_000 * DAY);
    round(&program);
    assert_eq!(left(&program), [id.as_str()]);
    right.set(at("2026-03-10T09:00:00Z") + i64::try_from((74 * DAY).as_millis()).unwrap());
    round(&program);
    pass(&program, 13 * DAY);
    assert_eq!(left(&program), [id.as_str()]);
    pass(&program, DAY);
    assert_eq!(left(&program), [""; 0]);
    assert_eq!(outlook(&program)["expired"], 1);
}

#[test]
fn many_go_in_small_steps_between_which_others_write() {
    let (mut program, editor) = Program::with_editor();
    report(&program, &editor, 1, "Risolta");
    keep_for(&program, 30);
    program.stop();
    let copies = database(program.data());
    copies.execute_batch(COUNTED).expect("counted");
    copies
        .execute_batch(
            "WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 350)
             INSERT INTO segnalazioni (id, stato, department, data_creazione, data_aggiornamento, privacy_version, impronta, epoch,
                 contenuto, aperta)
             SELECT printf('copia-%d', n), 'Nuova', department, data_creazione, data_creazione, '', impronta, epoch, contenuto, aperta
             FROM segnalazioni, n;
             UPDATE segnalazioni SET stato = 'Risolta', data_aggiornamento = data_creazione, stato_dal = data_creazione,
                 risolta = data_creazione WHERE id LIKE 'copia-%'",
        )
        .expect("copies");
    drop(copies);
    program.start_again();
    pass(&program, just_before(30));
    assert_eq!(left(&program).len(), 351);
    // Writers at the same time are all served; each step is a transaction of a hundred rows.
    let client = program.client();
    program.clock.advance(MOMENT);
    std::thread::scope(|scope| {
        let writing = scope.spawn(|| {
            (0..5)
                .map(|n| submit(&client, &Person::numbered(n)))
                .collect::<Vec<_>>()
        });
        round(&program);
        assert_eq!(writing.join().expect("they are served").len(), 5);
    });
    assert_eq!(left(&program).len(), 5);
    program.stop();
    for (sql, number) in [
        ("SELECT count(*) FROM erased WHERE cause = 'scadenza'", 351),
        ("SELECT n FROM erased_counts WHERE cause = 'scadenza'", 351),
        ("SELECT sum(n) FROM counts WHERE kind = 'stato'", 5),
    ] {
        assert_eq!(program.count(sql), number, "{sql}");
    }
}
