//! Backups seen from outside: made by the command, taken apart, and put together wrong on purpose.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::chat::{Person, submit};
use super::disk;
use super::executable::succeeds;
use super::program::Program;

/// An installation that has stopped: its password is set, and it holds so many reports, some of them worked on.
pub fn archive(reports: usize) -> Program {
    let mut program = Program::start();
    let editor = program.set_up();
    for number in 1..=reports {
        let id = submit(&program.client(), &Person::numbered(number));
        if number % 3 == 0 {
            let change = json!({ "stato": "Risolta", "note": format!("Nota {number}") });
            editor.patch(&id, &json!(1), &change).expect(200);
        }
    }
    program.stop();
    program
}

/// `segnalazioni backup`; the file it made.
pub fn back_up(folder: &Path, arguments: &[&str]) -> PathBuf {
    let arguments = [&["backup", "--json"], arguments].concat();
    let told: Value = serde_json::from_str(&succeeds(folder, &arguments, "")).expect("JSON");
    folder.join(told["file"].as_str().expect("a path"))
}

/// What comes back as it was: every row but those of sessions, counted guesses and known browsers.
pub fn kept_rows(data: &Path) -> BTreeMap<String, Vec<String>> {
    let mut rows = disk::rows(data);
    for passing in ["sessions", "login_attempts", "browsers"] {
        assert!(rows.remove(passing).is_some());
    }
    rows
}

/// Every file of a stopped installation but locks, and what SQLite makes anew at each look.
pub fn lasting_files(data: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let passing = ["-wal", "-shm", ".lock"];
    let mut files = disk::files(data);
    files.retain(|path, _| {
        !passing
            .iter()
            .any(|end| path.to_string_lossy().ends_with(end))
    });
    files
}

/// The database in a backup, and what the backup says of it.
pub fn unpacked(file: &Path) -> (Value, Vec<u8>) {
    let bytes = fs::read(file).expect("a backup");
    let [magic, manifest, frame] = bytes
        .splitn(3, |byte| *byte == b'\n')
        .collect::<Vec<_>>()
        .try_into()
        .expect("three parts");
    assert_eq!(magic, b"segnalazioni-backup 1");
    let manifest = serde_json::from_slice(manifest).expect("a manifest");
    let mut database = Vec::new();
    let decoder = zstd::Decoder::with_buffer(frame).expect("a frame");
    let read = decoder.single_frame().read_to_end(&mut database);
    read.expect("a database");
    (manifest, database)
}

/// A backup with a right sum, whatever is in it. `change` has the last word on what it says of itself.
pub fn packed(database: &[u8], manifest: &Value, change: impl FnOnce(&mut Value)) -> Vec<u8> {
    packed_with(database, &[], manifest, change)
}

/// The same with something behind the database.
pub fn packed_with(
    database: &[u8],
    behind: &[u8],
    manifest: &Value,
    change: impl FnOnce(&mut Value),
) -> Vec<u8> {
    let mut manifest = manifest.clone();
    manifest["bytes"] = json!(database.len());
    change(&mut manifest);
    let mut bytes = format!("segnalazioni-backup 1\n{manifest}\n").into_bytes();
    bytes.extend(zstd::bulk::compress(database, 3).expect("a frame"));
    bytes.extend(behind);
    let sum = hex::encode(Sha256::digest(&bytes));
    bytes.extend(format!("sha256 {sum}\nhmac -\n").bytes());
    bytes
}

/// A database changed by some statements.
pub fn altered(database: &[u8], statements: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x.db");
    fs::write(&path, database).expect("written");
    let connection = Connection::open(&path).expect("a database");
    connection.execute_batch(statements).expect("altered");
    drop(connection);
    fs::read(&path).expect("a database")
}
