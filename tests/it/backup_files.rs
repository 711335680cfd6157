//! The files of attachments and the backups: the server's own ones name what lies beside them, those of the command carry it
//! (PRODUCT.md §13).

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::support::attachments::{Files, photo};
use crate::support::backups::{self, back_up};
use crate::support::chat::{Chat, Person, Reply, turn};
use crate::support::disk;
use crate::support::doctor::ask;
use crate::support::executable::{command, fails, run, text};
use crate::support::program::Program;
use crate::support::small_disk::SmallDisk;
use crate::support::{DAY, contains, has};

const MIB: usize = 1 << 20;

/// A report with a file of so many bytes; its id.
fn report_with_file(program: &Program, number: usize, length: usize) -> String {
    let client = program.client();
    let chat = Chat::at_the_end(&client, &Person::numbered(number));
    Files::of(&client, chat.token()).attach("foto.jpg", &photo(length));
    let reply = Reply::of(&turn(&client, chat.token(), "no"));
    reply.report_id.expect("a report")
}

fn round(program: &Program) {
    program.running().back_up().expect("a round");
}

fn status(program: &Program) -> Value {
    program.log_in().get("/system/backups").expect(200).json()
}

fn backups(program: &Program) -> Vec<PathBuf> {
    disk::paths_with("/backups/segnalazioni-", program.data())
}

fn bytes_of(paths: &[PathBuf]) -> usize {
    let lengths = paths
        .iter()
        .map(|path| path.metadata().expect("a file").len());
    usize::try_from(lengths.sum::<u64>()).expect("a number")
}

/// Takes room until this much is left.
fn leave(small: &SmallDisk, left: usize) -> PathBuf {
    let filler = small.fill();
    let whole = filler.metadata().expect("a file").len();
    let file = fs::File::options()
        .write(true)
        .open(&filler)
        .expect("a file");
    file.set_len(whole - left as u64).expect("shortened");
    filler
}

#[test]
fn own_backups_hold_no_copies_of_files_and_do_not_fill_the_disk() {
    let Some(small) = SmallDisk::mount("1g") else {
        return;
    };
    let (program, _) = Program::start_at(small.path());
    let daily = json!({ "backupFrequency": "daily" });
    program.set_up().save("/settings/system", &daily);
    report_with_file(&program, 1, 40 * MIB);
    for _ in 0..3 {
        round(&program);
        program.clock.advance(DAY);
    }
    assert_eq!(backups(&program).len(), 3);
    assert!(bytes_of(&backups(&program)) < 10 * MIB, "files are copied");
    // The control: what the command makes is whole.
    let whole = back_up(program.home(), &["--output", "intero.backup"]);
    assert!(bytes_of(std::slice::from_ref(&whole)) > 40 * MIB);
    fs::remove_file(whole).expect("removed");

    // Room for a backup without files, none for one with them.
    let filler = leave(&small, 36 * MIB);
    let line = fails(program.home(), &["backup"], "");
    contains(&line, &["per il backup e per nuove segnalazioni servono"]);
    round(&program);
    assert_eq!(backups(&program).len(), 4);
    assert_eq!(status(&program)["lastError"], Value::Null);
    // Not even for that one: it is refused and reported, and the door stays open.
    fs::remove_file(filler).expect("removed");
    leave(&small, 12 * MIB);
    program.clock.advance(DAY);
    round(&program);
    assert_eq!(backups(&program).len(), 4);
    let told = status(&program)["lastError"]["message"].to_string();
    contains(&told, &["per il backup e per nuove segnalazioni servono"]);
    program.report(2);
    let (_, found) = ask(command(program.home(), &["doctor", "--json"]));
    found.says("spazio su disco", "errore", "ne occupano");
}

#[test]
fn a_restore_finds_the_files_beside_an_own_backup_and_says_which_are_missing() {
    let (mut program, _) = Program::with_editor();
    let ids = [1, 2].map(|number| report_with_file(&program, number, 500));
    round(&program);
    program.stop();
    let own = backups(&program).pop().expect("a backup");
    let said = backups::verify(program.home(), &own);
    contains(
        &said,
        &["Allegati: 2, nella cartella «allegati» e non nel backup.\n"],
    );
    let said = backups::restore(program.home(), &own, &[]);
    assert!(!said.contains("mancano"), "{said}");
    program.start_again();
    for id in &ids {
        let answer = program
            .log_in()
            .get(&format!("/reports/{id}/attachments/1"));
        assert!(answer.expect(200).body == photo(500));
    }

    // What was erased does not come back, and is not missed.
    program.log_in().erase(&ids[0]).expect(200);
    program.round();
    program.stop();
    let said = backups::restore(program.home(), &own, &[]);
    assert!(!said.contains("mancano"), "{said}");
    // What is lost is named by its report.
    let [file] = &disk::paths_with("/allegati/", program.data())[..] else {
        panic!("one file")
    };
    fs::remove_file(file).expect("removed");
    let said = backups::verify(program.home(), &own);
    assert!(said.contains("ne mancano 2"), "{said}");
    let said = backups::restore(program.home(), &own, &[]);
    let missing = format!("Mancano gli allegati di queste segnalazioni: {}.", ids[1]);
    assert!(said.contains(&missing), "{said}");
}

/// The newest backup under the names of so many earlier days.
fn older(program: &Program, count: usize) {
    let made = backups(program).pop().expect("a backup");
    for day in 1..=count {
        let name = format!("segnalazioni-202602{day:02}T090000Z.backup");
        fs::copy(&made, made.with_file_name(name)).expect("copied");
    }
}

#[test]
fn a_backup_that_misses_files_says_so_and_leaves_the_older_ones() {
    let (mut program, _) = Program::with_editor();
    report_with_file(&program, 1, 500);
    round(&program);
    assert_eq!(status(&program)["alarming"], false);
    older(&program, 15);
    let [file] = &disk::paths_with("/allegati/", program.data())[..] else {
        panic!("one file")
    };
    let whole = fs::read(file).expect("a file");
    let damage = |content: Option<&[u8]>| match content {
        Some(content) => fs::write(file, content).expect("written"),
        None => fs::remove_file(file).expect("removed"),
    };
    for (number, content) in [Some(&whole[1..]), None].into_iter().enumerate() {
        damage(content);
        program.clock.advance(7 * DAY);
        round(&program);
        assert_eq!(backups(&program).len(), 17 + number, "an older one is gone");
        let told = status(&program);
        assert_eq!(told["alarming"], true);
        // The backups themselves succeed.
        assert_eq!(told["lastError"], Value::Null);
        let message = told["incomplete"]["message"].to_string();
        contains(&message, &["1 allegato manca o non è intero"]);
    }
    // It is known after a restart too, and over as soon as the file is back.
    program.restart();
    assert_eq!(status(&program)["alarming"], true);
    let home = program.home().to_str().expect("a text");
    let backup = ["backup", "--output", home, "--keep", "1"];
    let output = run(command(program.home(), &backup), "");
    assert_eq!(output.status.code(), Some(0));
    let line = text(&output.stderr);
    assert!(line.contains("1 allegato manca o non è intero"), "{line}");
    damage(Some(&whole));
    round(&program);
    has(
        &status(&program),
        &json!({ "alarming": false, "incomplete": null }),
    );
    program.clock.advance(7 * DAY);
    round(&program);
    assert_eq!(backups(&program).len(), 14);
}
