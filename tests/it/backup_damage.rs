//! Files that are no backup, not whole, or made to deceive: each is refused with the reason, and the present archive stays
//! as it was to the bit (PRODUCT.md §13).

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::{fs, thread};

use segnalazioni::testing::{RestoreOptions, restore, verify};
use serde_json::{Value, json};

use crate::support::backups::{
    self, Part, altered, archive, back_up, bundled, lasting_files, packed, parts, summed, unpacked,
};
use crate::support::program::{Program, START, at};
use crate::support::returning::report_with_photos;
use crate::support::{Dice, contains};

/// With `--force`: what is refused all the same is no archive.
fn how(trial: bool) -> RestoreOptions {
    RestoreOptions { trial, force: true }
}

/// An installation to which nothing must happen, whatever file is tried on it; every byte of it is compared at the end.
struct House {
    program: Program,
    before: BTreeMap<PathBuf, Vec<u8>>,
}

impl Drop for House {
    fn drop(&mut self) {
        let untouched = lasting_files(self.program.data()) == self.before;
        assert!(untouched || thread::panicking(), "something was touched");
    }
}

impl House {
    fn new() -> Self {
        let program = archive(1);
        let before = lasting_files(program.data());
        Self { program, before }
    }

    fn file(&self, content: &[u8]) -> PathBuf {
        let file = self.program.home().join("prova.backup");
        fs::write(&file, content).expect("written");
        file
    }

    fn refusal(&self, content: &[u8]) -> String {
        let file = self.file(content);
        let refused = restore(self.program.config(), &file, at(START), how(false)).err();
        let refused = format!("{:#}", refused.expect("it is refused"));
        let checked = verify(self.program.config(), &file, at(START)).err();
        let checked = format!("{:#}", checked.expect("it is refused here too"));
        // They differ in the disk that they ask for room.
        let reason = |text: &str| text.split(" e nella cartella").next().map(str::to_owned);
        assert_eq!(reason(&checked), reason(&refused));
        refused
    }

    fn takes(&self, content: &[u8]) -> bool {
        let file = self.file(content);
        restore(self.program.config(), &file, at(START), how(true)).is_ok()
    }

    /// A bit that the packing has no use for may be turned: then what comes out is the very same archive. Anything else is
    /// refused.
    fn refuses_or_unpacks_to(&self, content: &[u8], whole: &[Part]) -> bool {
        if self.takes(content) {
            let found = parts(&self.file(content));
            assert!(found == whole, "another archive was taken");
            return false;
        }
        self.refusal(content);
        true
    }

    /// Each of these contents is refused with these words.
    fn refuses_each(&self, rows: Vec<Row>) {
        for (what, content, reason) in rows {
            let said = self.refusal(&content);
            assert!(said.contains(reason), "{what}: {said}");
        }
    }
}

/// What a file is, its content, and why it is refused.
type Row = (String, Vec<u8>, &'static str);

/// A whole backup of another archive, which has a file too.
fn whole() -> Vec<u8> {
    let mut program = archive(2);
    program.start_again();
    report_with_photos(&program.client(), 3, &[("piazza.jpg", 70_000)]);
    program.stop();
    fs::read(back_up(program.home(), &[])).expect("a backup")
}

/// Manifest and database of a whole backup without files.
fn whole_database(house: &House) -> (Value, Vec<u8>) {
    let (manifest, database) = unpacked(&back_up(archive(3).home(), &[]));
    // The control: as it is, it would be taken.
    assert!(house.takes(&packed(&database, &manifest, |_| ())));
    (manifest, database)
}

/// Turns bits of a backup, cuts it and adds to it: what is not refused unpacks to the very same archive.
fn damaged(flips: usize, cuts: usize) {
    let (house, good) = (House::new(), whole());
    assert!(house.takes(&good));
    let all = parts(&house.file(&good));
    let (mut dice, mut refused) = (Dice::thrown(), 0);
    for _ in 0..flips {
        let mut bad = good.clone();
        bad[dice.within(0..good.len())] ^= 1_u8 << dice.within(0..8);
        refused += usize::from(house.refuses_or_unpacks_to(&bad, &all));
    }
    assert!(refused > flips * 9 / 10, "only {refused} of {flips}");
    for _ in 0..cuts {
        house.refusal(&good[..dice.within(0..good.len())]);
    }
    for tail in [&b"\0"[..], &[0xA5; 4_096], &good] {
        contains(house.refusal(&[&good, tail].concat()), &["danneggiato"]);
    }
}

#[test]
fn a_backup_with_a_bit_turned_cut_short_or_added_to_is_refused() {
    damaged(60, 20);
}

#[test]
#[ignore = "soak"]
fn thousands_of_damaged_backups_are_refused() {
    damaged(3_000, 300);
}

type Change = fn(&mut Vec<Part>);

#[test]
fn parts_that_are_not_those_of_a_backup_are_refused() {
    let (house, good) = (House::new(), whole());
    let good = parts(&house.file(&good));
    assert!(house.takes(&bundled(&good)));
    let (torn, sums) = ("danneggiato", "le somme di controllo non corrispondono");
    let changes: [(&str, Change, &str); 7] = [
        ("longer", |parts| parts[0].1.push(0), sums),
        ("no database", |parts| drop(parts.remove(0)), torn),
        ("cut off", |parts| parts.truncate(2), torn),
        ("in another order", |parts| parts.swap(0, 1), torn),
        ("twice", |parts| parts.insert(0, parts[0].clone()), torn),
        (
            "more",
            |parts| parts.push(("altro".to_owned(), Vec::new())),
            torn,
        ),
        (
            "another name",
            |parts| parts[0].0 = "altro.db".to_owned(),
            torn,
        ),
    ];
    let bad = changes.map(|(what, change, reason)| {
        let mut parts = good.clone();
        change(&mut parts);
        (what.to_owned(), bundled(&parts), reason)
    });
    house.refuses_each(bad.into());
}

/// A tar of one file in this folder, which claims to be so long and is empty.
fn packed_as(folder: &str, bytes: u64) -> Vec<u8> {
    let mut header = tar::Header::new_ustar();
    let name = format!("{folder}/segnalazioni.db");
    header.set_path(name).expect("short");
    header.set_size(bytes);
    header.set_cksum();
    zstd::encode_all(&header.as_bytes()[..], 3).expect("a frame")
}

#[test]
fn a_file_that_is_something_else_is_told_what_it_is() {
    let house = House::new();
    let program = archive(0);
    let database = fs::read(program.data().join("segnalazioni.db")).expect("a database");
    let torn = "danneggiato o incompleto";
    let contents: [(&[u8], &str); 16] = [
        (b"", "il file è vuoto"),
        (b"\0", "non è un backup"),
        (&[0; 10_000], "non è un backup"),
        (b"PK\x03\x04 ../../etc/passwd", "non è un backup"),
        (&database, "è un database SQLite, non un backup"),
        (&[0x28, 0xB5, 0x2F, 0xFD], torn),
        (&packed_as("altro-1", 0), "non è un backup di segnalazioni"),
        (
            &packed_as("segnalazioni-backup-2", 0),
            "serve una versione più recente",
        ),
        // One part claims more than the disk has; what there is room for is looked for.
        (
            &packed_as("segnalazioni-backup-1", u64::MAX >> 2),
            "ce ne sono liberi",
        ),
        (&packed_as("segnalazioni-backup-1", 4_096), "danneggiato"),
        (b"{", "JSON è danneggiato o incompleto (riga 1"),
        (b"{}", "non è un backup intero"),
        (b"[]", "non è un backup"),
        (br#"{"reports": []}"#, "non è un backup intero"),
        (br#"{"reports": [], "reports": []}"#, "il file JSON non è"),
        (br#"{"reports": [}"#, torn),
    ];
    let rows = contents.map(|(content, reason)| {
        let what = String::from_utf8_lossy(&content[..content.len().min(20)]);
        (what.into_owned(), content.to_vec(), reason)
    });
    house.refuses_each(rows.into());
    let line = backups::refuse(program.home(), "manca.backup", &[]);
    contains(line, &["manca.backup: il file non esiste"]);
}

/// Statements that alter an archive, and why it is refused then.
const ALTERED: &str = "\
    CREATE TRIGGER spia AFTER INSERT ON segnalazioni BEGIN DELETE FROM history; END | oggetto inatteso, trigger «spia»
    CREATE VIEW specchio AS SELECT contenuto FROM segnalazioni | oggetto inatteso, view «specchio»
    DROP TRIGGER segnalazioni_uncounted | manca l'oggetto trigger «segnalazioni_uncounted»
    ALTER TABLE history ADD COLUMN altro TEXT | è stato modificato l'oggetto table «history»
    PRAGMA application_id = 7 | non è un archivio di segnalazioni
    PRAGMA foreign_keys = OFF; DELETE FROM epochs | riferimenti interrotti";

#[test]
fn an_archive_that_is_not_what_its_version_makes_is_refused_by_name() {
    let house = House::new();
    let (manifest, database) = whole_database(&house);
    let newest = manifest["schemaVersion"].as_i64().expect("a version");
    let lines = ALTERED.lines().map(|line| {
        let (sql, reason) = line.trim().split_once(" | ").expect("a row");
        (sql, newest, reason)
    });
    let named = "CREATE TABLE \"x\ny\u{1b}[2J\" (z)";
    let more = [
        (named, newest, "oggetto inatteso, table «x?y??2J»"),
        ("SELECT 1", newest + 1, "aggiornare il programma"),
        ("SELECT 1", 0, "non è un archivio di segnalazioni"),
    ];
    let altered = lines.chain(more).map(|(statements, version, reason)| {
        let statements = format!("{statements}; PRAGMA user_version = {version}");
        let bad = packed(&altered(&database, &statements), &manifest, |said| {
            said["schemaVersion"] = json!(version);
        });
        (statements, bad, reason)
    });
    house.refuses_each(altered.collect());
    // Pages that are not what their tree says, under sums that are right.
    for page in [1, 2, database.len() / 8_192, database.len() / 4_096 - 1] {
        let mut torn = database.clone();
        torn[page * 4_096..][..4_096].fill(0xA5);
        house.refusal(&packed(&torn, &manifest, |_| ()));
    }
}

#[test]
fn a_backup_that_says_something_else_than_it_holds_is_refused() {
    type Lie = fn(&mut Value);
    let house = House::new();
    let (manifest, database) = whole_database(&house);
    let (other, unread) = ("non è quello che annuncia", "manifest.json illeggibile");
    let lies: [(&str, Lie, &str); 4] = [
        (
            "reports",
            |said| said["tables"]["segnalazioni"] = json!(4),
            other,
        ),
        ("version", |said| said["schemaVersion"] = json!(7), other),
        ("day", |said| said["created"] = json!("ieri"), unread),
        ("more", |said| said["altro"] = json!(1), unread),
    ];
    let mut rows: Vec<Row> = lies
        .map(|(what, lie, reason)| (what.to_owned(), packed(&database, &manifest, lie), reason))
        .into();
    let nobodys = "allegati/00000000-0000-4000-8000-000000000000".to_owned();
    let nobodys = vec![(nobodys, b"ciao!".to_vec())];
    let file = bundled(&summed(&database, nobodys, &manifest, |_| ()));
    rows.push((
        "a file of nobody".to_owned(),
        file,
        "non sono di nessuna segnalazione",
    ));
    house.refuses_each(rows);
}
