//! Files that are no backup, not whole, or made to deceive: each is refused with the reason, and the present archive stays
//! as it was to the bit (PRODUCT.md §9).

use std::fs;

use serde_json::{Value, json};

use crate::support::backups::{
    altered, archive, back_up, home, packed, sealed_with_its_sum, unpacked,
};
use crate::support::executable::fails;
use crate::support::trial::{Dice, House, TRAILER};

/// A whole backup of another archive.
fn whole() -> Vec<u8> {
    let program = archive(3);
    fs::read(back_up(home(&program), &[])).expect("a backup")
}

#[test]
fn damage_that_no_sum_shows_is_found_by_what_is_behind_it() {
    let (house, good) = (House::new(), whole());
    let before = house.files();
    let body = &good[..good.len() - TRAILER];
    house.would_take(&sealed_with_its_sum(body.to_vec()));
    let (_, database) = unpacked(&house.file("buono.backup", &good));
    let (mut dice, mut refused) = (Dice::thrown(), 0);
    let mut lines = (0..body.len()).filter(|at| body[*at] == b'\n');
    let header = lines.nth(1).expect("two lines") + 1;
    for _ in 0..300 {
        // In the frame: the header may say other words in the same sense.
        let at = dice.within(header + 12..body.len());
        let mut bad = body.to_vec();
        bad[at] ^= 1_u8 << dice.within(0..8);
        refused += i32::from(house.refuses_or_unpacks_to(&sealed_with_its_sum(bad), &database));
    }
    assert!(refused > 270, "only {refused} of 300 are refused");
    for _ in 0..50 {
        let length = dice.within(header..body.len());
        house.refusal(&sealed_with_its_sum(body[..length].to_vec()));
    }
    let noise: Vec<u8> = (0..4_096)
        .map(|_| dice.within(0..256).to_le_bytes()[0])
        .collect();
    for tail in [&b"\0"[..], &noise, body] {
        let refused = house.refusal(&sealed_with_its_sum([body, tail].concat()));
        assert!(refused.contains("danneggiato"), "{refused}");
    }
    assert!(house.files() == before, "something was touched");
}

#[test]
fn a_file_that_is_something_else_is_told_what_it_is() {
    let house = House::new();
    let before = house.files();
    let program = archive(0);
    let database = fs::read(program.data().join("segnalazioni.db")).expect("a database");
    let zeros = vec![0; 100_000];
    for (content, reason) in [
        (&b""[..], "il file è vuoto"),
        (b"\0", "non è un backup"),
        (&zeros, "non è un backup"),
        (b"PK\x03\x04 ../../etc/passwd", "non è un backup"),
        (&database, "è un database SQLite, non un backup"),
        (b"segnalazioni-backup", "non è un backup"),
        (b"segnalazioni-backup 1\n", "danneggiato o incompleto"),
        (b"{", "JSON è danneggiato o incompleto (riga 1"),
        (b"{}", "manca l'elenco «reports»"),
        (b"[]", "non è un backup"),
        (
            br#"{"format": "altro", "reports": []}"#,
            "è un file di un altro prodotto",
        ),
        (
            br#"{"format": "segnalazioni-backup", "formatVersion": 2, "reports": []}"#,
            "serve una versione più recente",
        ),
        (br#"{"reports": [], "reports": []}"#, "c'è due volte"),
        (
            br#"{"format": "segnalazioni-backup", "reports": [{"nome": "A"}]}"#,
            "segnalazione 1 del file: manca l'identificativo",
        ),
        (
            br#"{"format": "segnalazioni-backup", "reports": [{"id": "../x"}]}"#,
            "non c'è né un identificativo",
        ),
        (
            br#"{"format": "segnalazioni-backup", "reports": [{"id": 1}, {"id": 2, "stato": "Persa"}]}"#,
            "segnalazione 2 del file: stato sconosciuto",
        ),
        (
            br#"{"format": "segnalazioni-backup", "reports": [{"id": 1, "eta": 300}]}"#,
            "«eta» non è un'età",
        ),
        (
            br#"{"format": "segnalazioni-backup", "reports": [{"id": 1, "data_creazione": "ieri"}]}"#,
            "«data_creazione» non è una data",
        ),
        (
            br#"{"format": "segnalazioni-backup", "reports": [{"id": 1, "nome": ["A"]}]}"#,
            "«nome» non è un testo",
        ),
        (
            br#"{"timestamp": "mai", "reports": []}"#,
            "la data del file",
        ),
        (br#"{"settings": 1, "reports": []}"#, "le impostazioni"),
        (br#"{"reports": []} {"#, "danneggiato o incompleto"),
        (br#"{"reports": "[{"}"#, "danneggiato o incompleto"),
        // A predecessor's, of which nothing at all can be taken.
        (
            br#"{"reports": [null, {}]}"#,
            "segnalazione 1 del file: non è un gruppo di campi",
        ),
    ] {
        let refused = house.refusal(content);
        assert!(refused.contains(reason), "{refused}");
    }
    let line = fails(home(&program), &["restore", "manca.backup"], "");
    assert!(line.contains("manca.backup: il file non esiste"), "{line}");
    assert!(house.files() == before, "something was touched");
}

#[test]
fn an_archive_that_is_not_what_its_version_makes_is_refused_by_name() {
    let (house, good) = (House::new(), whole());
    let before = house.files();
    let (manifest, database) = unpacked(&house.file("buono.backup", &good));
    house.would_take(&packed(&database, &manifest, |_| ()));
    let newest = manifest["schemaVersion"].as_i64().expect("a version");
    for (statements, reason) in [
        (
            "CREATE TRIGGER spia AFTER INSERT ON segnalazioni BEGIN DELETE FROM history; END"
                .to_owned(),
            "oggetto inatteso, trigger «spia»",
        ),
        (
            "CREATE VIEW specchio AS SELECT contenuto FROM segnalazioni".to_owned(),
            "oggetto inatteso, view «specchio»",
        ),
        (
            "CREATE TABLE \"x\ny\u{1b}[2J\" (z)".to_owned(),
            "oggetto inatteso, table «x?y??2J»",
        ),
        (
            "DROP TRIGGER segnalazioni_counted".to_owned(),
            "manca l'oggetto trigger «segnalazioni_counted»",
        ),
        (
            "ALTER TABLE history ADD COLUMN altro TEXT".to_owned(),
            "è stato modificato l'oggetto table «history»",
        ),
        (
            format!("PRAGMA user_version = {}", newest + 1),
            "aggiornare il programma",
        ),
        (
            "PRAGMA user_version = 1".to_owned(),
            "lo schema dell'archivio non è quello",
        ),
        (
            "PRAGMA user_version = 0".to_owned(),
            "non è un archivio di segnalazioni",
        ),
        (
            "PRAGMA application_id = 7".to_owned(),
            "non è un archivio di segnalazioni",
        ),
        (
            "PRAGMA foreign_keys = OFF; DELETE FROM epochs".to_owned(),
            "riferimenti interrotti",
        ),
    ] {
        let bad = packed(&altered(&database, &statements), &manifest, |said| {
            if statements.starts_with("PRAGMA user_version") {
                said["schemaVersion"] = json!(
                    statements
                        .rsplit(' ')
                        .next()
                        .unwrap()
                        .parse::<i64>()
                        .unwrap()
                );
            }
        });
        let refused = house.refusal(&bad);
        assert!(refused.contains(reason), "{statements}: {refused}");
    }
    // Pages that are not what their tree says, under sums that are right: the whole of it but the first, from which a file is known.
    for page in 1..database.len() / 4_096 {
        let mut torn = database.clone();
        torn[page * 4_096..][..4_096].fill(0xA5);
        let refused = house.refusal(&packed(&torn, &manifest, |_| ()));
        assert!(
            refused.contains("integrità")
                || refused.contains("malformed")
                || refused.contains("illeggibile"),
            "{page}: {refused}"
        );
    }
    let foreign = packed(b"SQLite format 3\0 e poi nulla", &manifest, |_| ());
    house.refusal(&foreign);
    assert!(house.files() == before, "something was touched");
}

#[test]
fn a_backup_that_says_something_else_than_it_holds_is_refused() {
    type Lie = fn(&mut Value);
    let (house, good) = (House::new(), whole());
    let before = house.files();
    let (manifest, database) = unpacked(&house.file("buono.backup", &good));
    let lies: [(Lie, &str); 6] = [
        // More than any disk: nothing is unpacked.
        (|said| said["bytes"] = json!(u64::MAX), "ce ne sono liberi"),
        (
            |said| said["bytes"] = json!(4_096),
            "non è quello annunciato",
        ),
        (
            |said| said["sha256"] = json!("0".repeat(64)),
            "non è quello annunciato",
        ),
        (
            |said| said["tables"]["segnalazioni"] = json!(4),
            "non è quello che annuncia",
        ),
        (
            |said| said["schemaVersion"] = json!(1),
            "non è quello che annuncia",
        ),
        (
            |said| said["created"] = json!("ieri"),
            "intestazione illeggibile",
        ),
    ];
    for (lie, reason) in lies {
        let refused = house.refusal(&packed(&database, &manifest, lie));
        assert!(refused.contains(reason), "{refused}");
    }
    let newer = String::from_utf8_lossy(b"segnalazioni-backup 2\n").into_owned();
    let body = [newer.as_bytes(), &good[22..good.len() - TRAILER]].concat();
    let refused = house.refusal(&sealed_with_its_sum(body));
    assert!(
        refused.contains("serve una versione più recente"),
        "{refused}"
    );
    // A small frame that would unpack to a great deal ends at what was announced.
    let bomb = packed(&vec![0; 64 << 20], &manifest, |said| {
        said["bytes"] = json!(8_192);
    });
    assert!(bomb.len() < 64 << 10);
    assert!(house.refusal(&bomb).contains("non è quello annunciato"));
    assert!(house.files() == before, "something was touched");
}
