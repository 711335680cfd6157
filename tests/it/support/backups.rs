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
use super::executable::{fails, succeeds};
use super::panel::Editor;
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

/// `segnalazioni verify`, which must succeed; what it said.
pub fn verify(folder: &Path, file: impl AsRef<Path>) -> String {
    succeeds(folder, &["verify", name_of(file.as_ref())], "")
}

/// `segnalazioni restore` with these options, which must succeed; what it said.
pub fn restore(folder: &Path, file: impl AsRef<Path>, options: &[&str]) -> String {
    let arguments = [&["restore", name_of(file.as_ref())], options].concat();
    succeeds(folder, &arguments, "")
}

/// The same where it must be refused.
pub fn refuse(folder: &Path, file: impl AsRef<Path>, options: &[&str]) -> String {
    let arguments = [&["restore", name_of(file.as_ref())], options].concat();
    fails(folder, &arguments, "")
}

fn name_of(file: &Path) -> &str {
    file.to_str().expect("a text")
}

/// The panel's JSON backup as a file.
pub fn of_panel(program: &Program, editor: &Editor) -> PathBuf {
    let file = program.home().join("pannello.json");
    fs::write(&file, editor.get("/backup").expect(200).text()).expect("written");
    file
}

/// What comes back as it was: every row but those of sessions, counted guesses and known browsers, and what is made anew from
/// reports.
pub fn kept_rows(data: &Path) -> BTreeMap<String, Vec<String>> {
    let mut rows = disk::rows(data);
    for passing in ["sessions", "login_attempts", "browsers", "sketches"] {
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

/// Name and content of a file in a backup.
pub type Part = (String, Vec<u8>);

const FOLDER: &str = "segnalazioni-backup-1/";

pub fn parts(file: &Path) -> Vec<Part> {
    let frame = zstd::Decoder::new(fs::File::open(file).expect("a backup")).expect("a frame");
    let mut archive = tar::Archive::new(frame);
    let entries = archive.entries().expect("a tar");
    let part = |entry: std::io::Result<tar::Entry<'_, _>>| {
        let mut entry = entry.expect("an entry");
        let path = entry.path().expect("a path").display().to_string();
        let mut content = Vec::new();
        entry.read_to_end(&mut content).expect("its content");
        (
            path.strip_prefix(FOLDER).expect("the folder").to_owned(),
            content,
        )
    };
    entries.map(part).collect()
}

pub fn unpacked(file: &Path) -> (Value, Vec<u8>) {
    let mut parts = parts(file);
    let mut part = |name: &str| {
        let at = parts.iter().position(|(other, _)| other == name);
        parts.swap_remove(at.expect("the part")).1
    };
    let manifest = serde_json::from_slice(&part("manifest.json")).expect("a manifest");
    (manifest, part("segnalazioni.db"))
}

/// A file of these parts, whatever they are.
pub fn bundled(parts: &[Part]) -> Vec<u8> {
    let frame = zstd::Encoder::new(Vec::new(), 3).expect("a frame");
    let mut tar = tar::Builder::new(frame);
    for (name, content) in parts {
        let mut header = tar::Header::new_ustar();
        header.set_size(content.len() as u64);
        let added = tar.append_data(&mut header, format!("{FOLDER}{name}"), &content[..]);
        added.expect("added");
    }
    let frame = tar.into_inner().expect("a tar");
    frame.finish().expect("a frame")
}

pub fn sums(parts: &[Part]) -> String {
    let lines = parts.iter().map(|(name, content)| {
        let sum = hex::encode(Sha256::digest(content));
        format!("{sum}  {name}\n")
    });
    lines.collect()
}

/// The parts of a backup with right sums, whatever is in them. `change` has the last word on the manifest.
pub fn summed(
    database: &[u8],
    attachments: Vec<Part>,
    manifest: &Value,
    change: impl FnOnce(&mut Value),
) -> Vec<Part> {
    let mut manifest = manifest.clone();
    change(&mut manifest);
    let mut parts = vec![("segnalazioni.db".to_owned(), database.to_vec())];
    parts.extend(attachments);
    parts.push((
        "manifest.json".to_owned(),
        manifest.to_string().into_bytes(),
    ));
    parts.push(("SHA256SUMS".to_owned(), sums(&parts).into_bytes()));
    parts
}

/// A backup with right sums and without a signature.
pub fn packed(database: &[u8], manifest: &Value, change: impl FnOnce(&mut Value)) -> Vec<u8> {
    bundled(&summed(database, Vec::new(), manifest, change))
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
