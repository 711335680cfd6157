//! Files that are no backup, not whole, or made to deceive: each is refused with the reason, and the present archive stays
//! as it was to the bit (PRODUCT.md §13).

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::{fs, thread};

use segnalazioni::testing::{RestoreOptions, restore, verify};
use serde_json::{Value, json};

use crate::support::backups::{
    Part, altered, archive, back_up, bundled, lasting_files, packed, parts, unpacked,
};
use crate::support::executable::fails;
use crate::support::program::{Program, START, at};
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

    fn file(&self, name: &str, content: &[u8]) -> PathBuf {
        let file = self.program.home().join(name);
        fs::write(&file, content).expect("written");
        file
    }

    fn refusal(&self, content: &[u8]) -> String {
        let file = self.file("prova.backup", content);
        let refused = restore(self.program.config(), &file, at(START), how(false)).err();
        let refused = format!("{:#}", refused.expect("it is refused"));
        let checked = verify(self.program.config(), &file, at(START))
            .err()
            .expect("it is refused here too");
        // They differ in the disk that they ask for room.
        let checked = format!("{checked:#}");
        let reason = |text: &str| text.split(" e nella cartella").next().map(str::to_owned);
        assert_eq!(reason(&checked), reason(&refused));
        refused
    }

    /// A bit that the packing has no use for may be turned: then what comes out is the very same archive. Anything else is
    /// refused.
    fn refuses_or_unpacks_to(&self, content: &[u8], database: &[u8]) -> bool {
        let file = self.file("prova.backup", content);
        if restore(self.program.config(), &file, at(START), how(true)).is_ok() {
            assert!(unpacked(&file).1 == database, "another archive was taken");
            return false;
        }
        self.refusal(content);
        true
    }

    fn would_take(&self, content: &[u8]) {
        let file = self.file("prova.backup", content);
        restore(self.program.config(), &file, at(START), how(true)).expect("it is taken");
    }
}

/// A whole backup of another archive.
fn whole() -> Vec<u8> {
    let program = archive(3);
    fs::read(back_up(program.home(), &[])).expect("a backup")
}

/// Turns bits of a backup, cuts it and adds to it: what is not refused unpacks to the very same database.
fn damaged(flips: usize, cuts: usize) {
    let (house, good) = (House::new(), whole());
    house.would_take(&good);
    let (_, database) = unpacked(&house.file("buono.backup", &good));
    let (mut dice, mut refused) = (Dice::thrown(), 0);
    for _ in 0..flips {
        let mut bad = good.clone();
        bad[dice.within(0..good.len())] ^= 1_u8 << dice.within(0..8);
        refused += usize::from(house.refuses_or_unpacks_to(&bad, &database));
    }
    assert!(refused > flips * 9 / 10, "only {refused} of {flips}");
    for _ in 0..cuts {
        house.refusal(&good[..dice.within(0..good.len())]);
    }
    for tail in [&b"\0"[..], &[0xA5; 4_096], &good] {
        let said = house.refusal(&[&good, tail].concat());
        assert!(said.contains("danneggiato"), "{said}");
    }
}

#[test]
fn a_backup_with_a_bit_turned_cut_short_or_added_to_is_refused() {
    damaged(60, 20);
}

type Change = fn(&mut Vec<Part>);

#[test]
fn parts_that_are_not_those_of_a_backup_are_refused() {
    let (house, good) = (House::new(), whole());
    let file = house.file("buono.backup", &good);
    let good = parts(&file);
    let changes: [Change; 7] = [
        |parts| parts[0].1.push(0),
        |parts| drop(parts.remove(0)),
        |parts| parts.truncate(2),
        |parts| parts.swap(0, 1),
        |parts| parts.insert(0, parts[0].clone()),
        |parts| parts.push(("altro".to_owned(), Vec::new())),
        |parts| parts[0].0 = "altro.db".to_owned(),
    ];
    house.would_take(&bundled(&good));
    for (at, change) in changes.into_iter().enumerate() {
        let mut bad = good.clone();
        change(&mut bad);
        let said = house.refusal(&bundled(&bad));
        let sums = "le somme di controllo non corrispondono";
        let words = if at == 0 { sums } else { "danneggiato" };
        assert!(said.contains(words), "{at}: {said}");
    }
}

/// A tar whose first part claims to be so long.
fn claiming(bytes: u64) -> Vec<u8> {
    let mut header = tar::Header::new_ustar();
    header
        .set_path("segnalazioni-backup-1/segnalazioni.db")
        .expect("short");
    header.set_size(bytes);
    header.set_cksum();
    zstd::encode_all(&header.as_bytes()[..], 3).expect("a frame")
}

#[test]
fn a_part_that_claims_more_than_the_disk_has_is_not_unpacked() {
    let house = House::new();
    let said = house.refusal(&claiming(u64::MAX >> 2));
    assert!(said.contains("ce ne sono liberi"), "{said}");
    // The control: what there is room for is looked for.
    let said = house.refusal(&claiming(4_096));
    assert!(said.contains("danneggiato"), "{said}");
}

#[test]
#[ignore = "soak"]
fn thousands_of_damaged_backups_are_refused() {
    damaged(3_000, 300);
}

/// A tar of one empty file in this folder.
fn packed_as(folder: &str) -> Vec<u8> {
    let mut tar = tar::Builder::new(zstd::Encoder::new(Vec::new(), 3).expect("a frame"));
    let mut header = tar::Header::new_ustar();
    header.set_size(0);
    let added = tar.append_data(&mut header, format!("{folder}/segnalazioni.db"), &[][..]);
    added.expect("added");
    let frame = tar.into_inner().expect("a tar");
    frame.finish().expect("a frame")
}

#[test]
fn a_file_that_is_something_else_is_told_what_it_is() {
    let house = House::new();
    let program = archive(0);
    let database = fs::read(program.data().join("segnalazioni.db")).expect("a database");
    for (content, reason) in [
        (&b""[..], "il file è vuoto"),
        (b"\0", "non è un backup"),
        (&[0; 10_000], "non è un backup"),
        (b"PK\x03\x04 ../../etc/passwd", "non è un backup"),
        (&database, "è un database SQLite, non un backup"),
        (&[0x28, 0xB5, 0x2F, 0xFD], "danneggiato o incompleto"),
        (&packed_as("altro-1"), "non è un backup di segnalazioni"),
        (
            &packed_as("segnalazioni-backup-2"),
            "serve una versione più recente",
        ),
        (b"{", "JSON è danneggiato o incompleto (riga 1"),
        (b"{}", "non è un backup intero"),
        (b"[]", "non è un backup"),
        (br#"{"reports": []}"#, "non è un backup intero"),
        (br#"{"reports": [], "reports": []}"#, "il file JSON non è"),
        (br#"{"reports": [}"#, "danneggiato o incompleto"),
    ] {
        let refused = house.refusal(content);
        assert!(refused.contains(reason), "{refused}");
    }
    let line = fails(program.home(), &["restore", "manca.backup"], "");
    assert!(line.contains("manca.backup: il file non esiste"), "{line}");
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
    let (house, good) = (House::new(), whole());
    let (manifest, database) = unpacked(&house.file("buono.backup", &good));
    house.would_take(&packed(&database, &manifest, |_| ()));
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
    for (statements, version, reason) in lines.chain(more) {
        let statements = format!("{statements}; PRAGMA user_version = {version}");
        let bad = packed(&altered(&database, &statements), &manifest, |said| {
            said["schemaVersion"] = json!(version);
        });
        let refused = house.refusal(&bad);
        assert!(refused.contains(reason), "{statements}: {refused}");
    }
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
    let (house, good) = (House::new(), whole());
    let (manifest, database) = unpacked(&house.file("buono.backup", &good));
    let (other, unread) = ("non è quello che annuncia", "manifest.json illeggibile");
    let lies: [(&str, Lie); 4] = [
        (other, |said| said["tables"]["segnalazioni"] = json!(4)),
        (other, |said| said["schemaVersion"] = json!(7)),
        (unread, |said| said["created"] = json!("ieri")),
        (unread, |said| said["altro"] = json!(1)),
    ];
    for (reason, lie) in lies {
        let refused = house.refusal(&packed(&database, &manifest, lie));
        contains(refused, &[reason]);
    }
}
