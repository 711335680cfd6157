//! Backups of every schema version there was, good and spoiled in every way: a good one comes back row for row, of a spoiled
//! one the reason is told and nothing of the present installation changes (PRODUCT.md §9).
//!
//! `tests/fixtures/backups` has one for each version but today's, which the tests make. After a new migration
//! `UPDATE_FIXTURES=1 cargo nextest run -E 'test(every_earlier_schema)'` makes the one that is missing.

use std::fs;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rusqlite::Connection;
use segnalazioni::app::{self, Options};
use segnalazioni::backup::restore::restore;
use segnalazioni::clock::Manual;
use segnalazioni::http::state::Mode;
use serde_json::{Value, json};

use crate::support::backups::{altered, back_up, home, packed, sealed_with_its_sum, unpacked};
use crate::support::chat::{Person, submit};
use crate::support::disk;
use crate::support::http::Client;
use crate::support::outbox::{HOOK, Newsroom};
use crate::support::panel::{Editor, PASSWORD};
use crate::support::post::{Manner, Post};
use crate::support::program::{Program, START, at, config, options};
use crate::support::trial::{Dice, House, TRAILER};
use crate::support::versions::{self, kept, newest};

/// Bits that are turned, over all versions together. `FLIPS` in the environment says how many in each: `make soak` turns 1,000.
const BITS: usize = 1_000;
/// Lengths at which each version is cut.
const CUTS: usize = 20;
/// Reports of each kept backup.
const REPORTS: usize = 6;

/// An archive that has something in every table: reports worked on, moved, delivered and not, settings, secrets, a logo.
fn lived() -> Program {
    let mut newsroom = Newsroom::with(true, true);
    newsroom.post.set(HOOK, Manner::Fails);
    let editor = newsroom.editor.clone();
    let secrets = json!({ "smtpUsername": "chat", "smtpPassword": "posta-segreta" });
    editor.put("/settings/email", &secrets).expect(200);
    let look = json!({ "productName": "Vera Voce", "webhookApiKey": "chiave-segreta" });
    editor.put("/settings/system", &look).expect(200);
    editor
        .put("/settings/security", &json!({ "minWordCount": 8 }))
        .expect(200);
    let phrases = json!({ "collectName": { "prompt": "Nome?" } });
    editor.put("/prompts", &phrases).expect(200);
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x40\0\0\0\x40\x08\x06\0\0\0\x01";
    let logo = json!({ "image": STANDARD.encode(png) });
    editor.put("/settings/logo", &logo).expect(204);
    for number in 1..=REPORTS {
        let id = submit(&newsroom.program.client(), &Person::numbered(number));
        if number.is_multiple_of(3) {
            let change = json!({
                "stato": "Risolta", "note": format!("Nota {number}"), "department": "lavoro"
            });
            editor.patch(&id, &json!(1), &change).expect(200);
        }
    }
    newsroom.wait_quiet();
    newsroom.program.stop();
    newsroom.program
}

/// A backup of an archive as a version had it.
fn made(version: usize, today: &Program) -> Vec<u8> {
    if version == newest() {
        return fs::read(back_up(home(today), &[])).expect("a backup");
    }
    let folder = tempfile::tempdir().expect("a folder");
    versions::as_of(version, today.data(), &folder.path().join("data"));
    fs::read(back_up(folder.path(), &[])).expect("a backup")
}

/// A backup of every version, oldest first: those that were kept, and one of today.
fn every_version() -> Vec<(usize, Vec<u8>)> {
    let earlier =
        (1..newest()).map(|version| (version, fs::read(kept(version)).expect("a backup")));
    let today = (newest(), made(newest(), &lived()));
    earlier.chain([today]).collect()
}

#[test]
fn a_backup_of_every_earlier_schema_is_kept() {
    if std::env::var_os("UPDATE_FIXTURES").is_some() {
        let today = lived();
        for version in (1..newest()).filter(|version| !kept(*version).exists()) {
            fs::write(kept(version), made(version, &today)).expect("written");
        }
    }
    for version in 1..newest() {
        let file = kept(version);
        assert!(
            file.exists(),
            "{} is missing: see the head of {}",
            file.display(),
            file!()
        );
        assert_eq!(unpacked(&file).0["schemaVersion"], version);
        assert!(fs::metadata(&file).expect("a file").len() < 64 << 10);
    }
}

/// What the counted tables must say, each with what they count.
const COUNTS: [(&str, &str); 5] = [
    (
        "SELECT group_concat(stato || n) FROM (SELECT * FROM counters WHERE n > 0 ORDER BY stato)",
        "SELECT group_concat(stato || n) FROM (SELECT stato, count(*) AS n FROM segnalazioni GROUP BY 1 ORDER BY 1)",
    ),
    (
        "SELECT group_concat(quarter || ' ' || n) FROM (SELECT * FROM arrivals ORDER BY 1)",
        "SELECT group_concat(q || ' ' || n) FROM (SELECT data_creazione / 900000 AS q, count(*) AS n FROM segnalazioni \
         GROUP BY 1 ORDER BY 1)",
    ),
    (
        "SELECT CAST(n AS TEXT) FROM resolutions",
        "SELECT CAST(count(risolta) AS TEXT) FROM segnalazioni",
    ),
    (
        "SELECT group_concat(department || n) FROM (SELECT * FROM department_counts WHERE n > 0 ORDER BY 1)",
        "SELECT group_concat(department || n) FROM (SELECT department, count(*) AS n FROM segnalazioni GROUP BY 1 \
         ORDER BY 1)",
    ),
    (
        "SELECT coalesce(group_concat(kind || state || n), '') \
         FROM (SELECT * FROM delivery_counts WHERE n > 0 ORDER BY kind, state)",
        "SELECT coalesce(group_concat(kind || state || n), '') \
         FROM (SELECT kind, state, count(*) AS n FROM deliveries GROUP BY 1, 2 ORDER BY 1, 2)",
    ),
];

#[test]
fn of_every_schema_every_row_comes_back_and_every_report_opens() {
    for (version, backup) in every_version() {
        let machine = tempfile::tempdir().expect("a folder");
        let file = machine.path().join("buono.backup");
        fs::write(&file, &backup).expect("written");
        let old = machine.path().join("allora.db");
        let (manifest, database) = unpacked(&file);
        assert_eq!(manifest["schemaVersion"], version);
        fs::write(&old, database).expect("written");

        let config = config(machine.path(), &[]);
        let restored = restore(&config, &file, at(START), false).expect("it comes back");
        assert_eq!(restored.schema_version, i64::try_from(version).ok());
        let new = config.data_dir.join("segnalazioni.db");
        let (before, after) = versions::before_and_after(&old, &new);
        assert_eq!(before["segnalazioni"].len(), REPORTS);
        assert_eq!(after, before, "schema {version}");
        let database = Connection::open(&new).expect("a database");
        let told =
            |sql: &str| -> String { database.query_row(sql, [], |row| row.get(0)).expect(sql) };
        for (counted, counts) in COUNTS {
            assert_eq!(told(counted), told(counts), "schema {version}: {counted}");
        }
        drop(database);
        every_report_opens(&config, version);
    }
}

/// What was sealed then opens now, after one login, and more can be written.
fn every_report_opens(config: &segnalazioni::config::Config, version: usize) {
    let clock = Manual::new(at(START));
    // Messages of then that wait must not leave.
    let options = Options {
        carrier: Some(Post::new(&clock)),
        ..options(Mode::Live, &clock)
    };
    let running = app::start(config, options).expect("it starts");
    let client = Client::new(running.address());
    let editor = Editor::log_in(&client, PASSWORD);
    let ids = editor.all_ids();
    for (id, number) in ids.iter().rev().zip(1..) {
        let (report, person) = (editor.report(id), Person::numbered(number));
        let texts = [
            "nome",
            "cognome",
            "telefono",
            "email",
            "indirizzo",
            "segnalazione",
        ]
        .map(|field| report[field].as_str().expect("a text").to_owned());
        assert_eq!(texts.to_vec(), person.texts(), "schema {version}");
        assert_eq!(report["eta"].to_string(), person.eta);
        let (stato, note) = if number.is_multiple_of(3) {
            ("Risolta", format!("Nota {number}"))
        } else {
            ("Nuova", String::new())
        };
        assert_eq!(
            (&report["stato"], &report["note"]),
            (&json!(stato), &json!(note))
        );
    }
    submit(&client, &Person::numbered(9));
    assert_eq!(editor.list("")["counters"]["total"], REPORTS + 1);
    drop(running);
}

#[test]
fn turned_bits_cuts_and_zeros_in_a_backup_of_any_schema_are_noticed() {
    let (house, mut dice) = (House::new(), Dice::thrown());
    let before = house.files();
    let wanted = std::env::var("FLIPS").ok();
    let wanted = wanted.map(|number| number.parse().expect("a number"));
    let flips = wanted.unwrap_or(BITS.div_ceil(newest()));
    for (version, good) in every_version() {
        house.would_take(&good);
        for _ in 0..flips {
            house.refuses(&dice.turned(&good, 0));
        }
        let cuts = (0..CUTS).map(|_| dice.within(1..good.len()));
        for length in cuts.chain([good.len() - 1, good.len() - TRAILER, 22]) {
            house.refuses(&good[..length]);
        }
        for _ in 0..CUTS {
            let (mut bad, from) = (good.clone(), dice.within(0..good.len() - 8));
            let to = dice.within(from + 8..good.len() + 1);
            bad[from..to].fill(0);
            house.refuses(&bad);
        }
        let refused = house.refusal(&vec![0; good.len()]);
        assert!(refused.contains("non è un backup"), "{refused}");
        // Under a sum that is right, what is behind it notices.
        let body = &good[..good.len() - TRAILER];
        let database = unpacked(&house.file("buono.backup", &good)).1;
        let mut lines = (0..body.len()).filter(|at| body[*at] == b'\n');
        let frame = lines.nth(1).expect("two lines") + 13;
        for _ in 0..CUTS {
            let bad = sealed_with_its_sum(dice.turned(body, frame));
            house.refuses_or_unpacks_to(&bad, &database);
        }
        assert!(
            house.files() == before,
            "schema {version}: something was touched"
        );
        house.would_take(&good);
    }
}

#[test]
fn a_backup_of_any_schema_that_holds_something_else_is_refused_by_name() {
    let house = House::new();
    let before = house.files();
    let newer = newest() + 1;
    for (version, good) in every_version() {
        let (manifest, database) = unpacked(&house.file("buono.backup", &good));
        house.would_take(&packed(&database, &manifest, |_| ()));
        for (statements, says, reason) in [
            (
                "CREATE TRIGGER spia AFTER INSERT ON segnalazioni BEGIN DELETE FROM history; END",
                version,
                "trigger «spia»",
            ),
            (
                "CREATE VIEW specchio AS SELECT contenuto FROM segnalazioni",
                version,
                "view «specchio»",
            ),
            (
                "DROP TRIGGER segnalazioni_counted",
                version,
                "manca l'oggetto trigger «segnalazioni_counted»",
            ),
            (
                &format!("PRAGMA user_version = {newer}"),
                newer,
                "aggiornare il programma",
            ),
            (
                "PRAGMA application_id = 7",
                version,
                "non è un archivio di segnalazioni",
            ),
        ] {
            let bad = packed(&altered(&database, statements), &manifest, |said| {
                said["schemaVersion"] = json!(says);
            });
            let refused = house.refusal(&bad);
            assert!(
                refused.contains(reason),
                "schema {version}, {statements}: {refused}"
            );
        }
        // It passes for every version but its own.
        for other in (1..=newest()).filter(|other| *other != version) {
            let statement = format!("PRAGMA user_version = {other}");
            let bad = packed(&altered(&database, &statement), &manifest, |said| {
                said["schemaVersion"] = json!(other);
            });
            let refused = house.refusal(&bad);
            assert!(
                refused.contains("non è quello della sua versione"),
                "{refused}"
            );
        }
        let refused = house.refusal(&database);
        assert!(refused.contains("è un database SQLite"), "{refused}");
        let refused = house.refusal(&packed(&foreign(), &manifest, |_| ()));
        assert!(
            refused.contains("non è un archivio di segnalazioni"),
            "{refused}"
        );
        let text = json!({ "format": "altro", "reports": [], "manifest": manifest }).to_string();
        assert!(house.refusal(text.as_bytes()).contains("altro prodotto"));
        house.refusal(&packed(text.as_bytes(), &manifest, |_| ()));
        assert!(
            house.files() == before,
            "schema {version}: something was touched"
        );
    }
}

/// A database of somebody else.
fn foreign() -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("altro.db");
    let database = Connection::open(&path).expect("a database");
    let table = "PRAGMA user_version = 1; CREATE TABLE segnalazioni (id TEXT); INSERT INTO segnalazioni VALUES ('x')";
    database.execute_batch(table).expect("a table");
    drop(database);
    fs::read(path).expect("a database")
}

#[test]
fn the_panels_file_of_an_archive_of_any_schema_comes_back_and_a_part_of_it_does_not() {
    let (house, mut dice) = (House::new(), Dice::thrown());
    let before = house.files();
    for (version, backup) in every_version() {
        let seen = |config: &segnalazioni::config::Config, save_as: Option<&Path>| -> Vec<Value> {
            let clock = Manual::new(at(START));
            let options = Options {
                carrier: Some(Post::new(&clock)),
                ..options(Mode::Live, &clock)
            };
            let running = app::start(config, options).expect("it starts");
            let editor = Editor::log_in(&Client::new(running.address()), PASSWORD);
            if let Some(path) = save_as {
                fs::write(path, editor.get("/backup").expect(200).text()).expect("written");
            }
            let quiet = editor.with("x-background", "1");
            let ids = quiet.all_ids();
            ids.iter()
                .map(|id| {
                    let mut report = quiet.report(id);
                    // Deliveries are not in that file.
                    report.as_object_mut().expect("a report").remove("consegne");
                    report
                })
                .collect()
        };
        let machine = tempfile::tempdir().expect("a folder");
        let config = config(machine.path(), &[]);
        let archive = house.file("buono.backup", &backup);
        restore(&config, &archive, at(START), false).expect("it comes back");
        let panel = machine.path().join("pannello.json");
        let then = seen(&config, Some(&panel));
        assert_eq!(then.len(), REPORTS);
        restore(&config, &panel, at(START), false).expect("it comes back");
        assert_eq!(seen(&config, None), then, "schema {version}");

        let good = fs::read(&panel).expect("a file");
        for _ in 0..CUTS {
            let length = dice.within(1..good.len() - 2);
            let refused = house.refusal(&good[..length]);
            assert!(refused.contains("danneggiato o incompleto"), "{refused}");
        }
        assert!(
            house.files() == before,
            "schema {version}: something was touched"
        );
    }
}

#[test]
fn an_archive_can_still_be_made_as_the_version_before_had_it() {
    let (today, before) = (lived(), newest() - 1);
    House::new().would_take(&made(before, &today));
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    versions::as_of(before, today.data(), &data);
    assert_eq!(disk::count(&data, "SELECT count(*) FROM segnalazioni"), 6);
    let broken = "SELECT count(*) FROM pragma_foreign_key_check";
    assert_eq!(disk::count(&data, broken), 0);
}
