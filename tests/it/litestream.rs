//! What Litestream leaves in a database that it replicates: backups, restores and
//! checks go on as without it, and nothing else may pass under its names.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use crate::support::backups::{self, altered, archive, back_up, kept_rows, packed, unpacked};
use crate::support::disk::mode;
use crate::support::doctor::ask;
use crate::support::executable::{command, fails};

/// As Litestream 0.5 makes them, with what it keeps in them.
const ITS_TABLES: &str = "CREATE TABLE IF NOT EXISTS _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER); \
                          CREATE TABLE IF NOT EXISTS _litestream_lock (id INTEGER); \
                          INSERT INTO _litestream_seq (id, seq) VALUES (1, 1);";

#[test]
fn a_replicated_archive_is_backed_up_restored_and_found_well() {
    let mut program = archive(4);
    let before = kept_rows(program.data());
    program.plant(ITS_TABLES);
    // Its folder beside the database, and a database with the mode that its restore gives it.
    fs::create_dir_all(program.data().join(".segnalazioni.db-litestream/ltx")).unwrap();
    let path = program.data().join("segnalazioni.db");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    program.start_again();
    assert_eq!(mode(&path), 0o600);
    program.running().back_up().unwrap();
    let standing = program.log_in().read("/system/backups");
    assert_eq!(standing["lastError"], Value::Null);
    assert_eq!(standing["rehearsal"]["ok"], true);
    program.stop();

    let folder = program.home();
    let (_, found) = ask(command(folder, &["doctor", "--json"]));
    found.says("archivio", "ok", "4 segnalazioni");
    let backup = back_up(folder, &[]);
    backups::verify(folder, &backup);
    let (manifest, copy) = unpacked(&backup);
    let tables = manifest["tables"].as_object().expect("tables");
    assert!(tables.keys().all(|name| !name.contains("litestream")));
    assert!(!copy.windows(11).any(|part| part == b"_litestream"));
    let restored = tempfile::tempdir().unwrap();
    backups::restore(restored.path(), &backup, &[]);
    // What was done here has changed the access log and the numbers given out; another machine signs with a key of its own.
    let of_here = [
        "access_log",
        "access_ends",
        "sqlite_sequence",
        "authenticity",
    ];
    let [after, before] = [kept_rows(&restored.path().join("data")), before].map(|mut rows| {
        assert!(of_here.iter().all(|table| rows.remove(*table).is_some()));
        rows
    });
    assert_eq!(after, before);
    // What is replicated goes on being so after a restore in place.
    backups::restore(folder, &backup, &[]);
    let tables = "SELECT count(*) FROM sqlite_schema WHERE name GLOB '_litestream*'";
    assert_eq!(program.count(tables), 0);
}

#[test]
fn nothing_else_passes_under_its_names() {
    let program = archive(1);
    let folder = program.home();
    let (manifest, clean) = unpacked(&back_up(folder, &[]));
    let file = folder.join("estraneo.backup");
    let verify = |statements: &str| {
        let database = altered(&clean, statements);
        fs::write(&file, packed(&database, &manifest, |_| ())).unwrap();
        fails(folder, &["verify", file.to_str().unwrap()], "")
    };
    for statements in [
        "CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq TEXT)",
        "CREATE VIEW _litestream_lock AS SELECT 1 AS id",
        "CREATE TABLE _litestream_other (id INTEGER)",
        "CREATE TABLE _litestream_lock (id INTEGER); CREATE TRIGGER t AFTER INSERT ON _litestream_lock \
         BEGIN DELETE FROM segnalazioni; END",
        "CREATE TABLE _litestream_lock (id INTEGER); CREATE INDEX i ON _litestream_lock (id)",
    ] {
        let refusal = verify(statements);
        let refused = refusal.contains("contiene un oggetto inatteso");
        assert!(refused, "{statements}: {refusal}");
    }
    // The control: exactly its own pass.
    let database = altered(&clean, ITS_TABLES);
    fs::write(&file, packed(&database, &manifest, |_| ())).unwrap();
    backups::verify(folder, &file);
}
