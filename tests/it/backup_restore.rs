//! `segnalazioni restore`: whole or not at all, with the archive before it kept, on this machine and on another one
//! (PRODUCT.md §13).

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::attachments::report_with;
use crate::support::attachments::photo;
use crate::support::backups::{self, archive, back_up, kept_rows, lasting_files};
use crate::support::chat::{Person, submit};
use crate::support::contains;
use crate::support::disk;
use crate::support::doctor::ask;
use crate::support::executable::{Server, command, fails, run, succeeds, text};
use crate::support::program::Program;

fn put_aside(data: &Path) -> Vec<PathBuf> {
    disk::paths_with("messo-da-parte", data)
}

#[test]
fn the_archive_comes_back_and_the_one_before_it_is_kept() {
    let mut program = archive(3);
    let file = back_up(program.home(), &[]);
    let saved = kept_rows(program.data());
    program.start_again();
    program.report(4);
    let session = program.log_in();
    program.stop();
    let later = kept_rows(program.data());

    let before = lasting_files(program.data());
    let said = backups::restore(program.home(), &file, &["--dry-run"]);
    contains(said, &["Prova riuscita", "3 segnalazioni"]);
    // A trial changes nothing.
    assert!(lasting_files(program.data()) == before);

    let said = backups::restore(program.home(), &file, &[]);
    let aside = only_put_aside(&program);
    let name = aside.file_name().unwrap().to_str().unwrap();
    let words = ["3 segnalazioni", "all'avvio si leggono subito", name];
    contains(&said, &words);
    assert!(said.starts_with("Ripristinato il backup del "), "{said}");
    assert_eq!(kept_rows(program.data()), saved);
    assert_eq!(disk::mode(&aside), 0o600);
    let former = tempfile::tempdir().expect("a folder");
    fs::copy(aside, former.path().join("segnalazioni.db")).expect("copied");
    assert_eq!(kept_rows(former.path()), later, "nothing of it is lost");

    program.start_again();
    // Sessions of then and since have ended.
    assert_eq!(program.session(&session).session(), 401);
    let editor = program.log_in();
    assert_eq!(editor.all_ids().len(), 3);
    program.report(9);
    assert_eq!(editor.all_ids().len(), 4);
}

fn only_put_aside(program: &Program) -> PathBuf {
    let mut aside = put_aside(program.data());
    assert_eq!(aside.len(), 1, "one archive is kept");
    aside.remove(0)
}

#[test]
fn what_a_restore_put_aside_comes_back_by_another_restore() {
    let mut program = archive(3);
    let file = back_up(program.home(), &[]);
    program.start_again();
    program.report(4);
    let erased = program.log_in().all_ids()[3].clone();
    program.stop();
    let later = kept_rows(program.data());
    backups::restore(program.home(), &file, &[]);
    let first = only_put_aside(&program);

    // Cut short it is refused, and nothing changes; so is a database under any other name.
    let whole = fs::read(&first).unwrap();
    fs::write(&first, &whole[..whole.len() / 2]).unwrap();
    let before = lasting_files(program.data());
    backups::refuse(program.home(), &first, &[]);
    fs::write(program.home().join("copia.db"), &whole).unwrap();
    let line = backups::refuse(program.home(), "copia.db", &[]);
    contains(line, &["è un database SQLite"]);
    assert!(lasting_files(program.data()) == before);
    fs::write(&first, &whole).unwrap();

    let said = backups::verify(program.home(), &first);
    contains(said, &["4 segnalazioni"]);
    let said = backups::restore(program.home(), &first, &[]);
    let words = "Ripristinato l'archivio messo da parte: 4 segnalazioni.";
    assert!(said.starts_with(words), "{said}");
    assert_eq!(kept_rows(program.data()), later);
    // The present one is kept, too, and the one that came back stays as it was.
    assert_eq!(put_aside(program.data()).len(), 2);
    assert!(fs::read(&first).unwrap() == whole);

    // What is erased then does not come back with it.
    program.start_again();
    program.log_in().erase(&erased).expect(200);
    program.stop();
    let said = backups::restore(program.home(), &first, &[]);
    contains(said, &["era stata cancellata: non torna"]);
    program.start_again();
    assert_eq!(program.log_in().all_ids().len(), 3);
}

#[test]
fn beside_a_server_or_another_program_it_is_refused() {
    let mut program = archive(1);
    let file = back_up(program.home(), &[]);
    program.start_again();
    let line = backups::refuse(program.home(), &file, &[]);
    contains(line, &["fermare prima il server"]);
    // A trial and a server do not disturb each other.
    program.log_in();
    let said = backups::restore(program.home(), &file, &["--dry-run"]);
    contains(said, &["Prova riuscita", "1 segnalazione"]);
    assert_eq!(program.log_in().all_ids().len(), 1);
    program.stop();
    // Not a server, but a program whose changes would be lost.
    let other = disk::database(program.data());
    let count = || -> rusqlite::Result<i64> {
        other.query_row("SELECT count(*) FROM segnalazioni", [], |row| row.get(0))
    };
    assert_eq!(count(), Ok(1));
    let line = backups::refuse(program.home(), &file, &[]);
    contains(line, &["già in uso"]);
    assert_eq!(put_aside(program.data()), Vec::<PathBuf>::new());
    assert_eq!(count(), Ok(1));
    drop(other);
    backups::restore(program.home(), &file, &[]);
}

#[test]
#[allow(clippy::print_stderr, reason = "a test that is skipped says so")]
fn what_root_saves_and_restores_belongs_to_the_owner_of_the_folder() {
    use std::os::unix::fs::{MetadataExt as _, chown};

    const NOBODY: u32 = 65_534;
    if !rustix::process::geteuid().is_root() {
        eprintln!("SKIPPED: only root can give files away");
        return;
    }
    let program = archive(1);
    let own = |path: &Path| chown(path, Some(NOBODY), Some(NOBODY)).expect("given away");
    own(program.data());
    for path in disk::files(program.data()).into_keys() {
        // What is not there yet must be made for its owner too.
        if path.to_string_lossy().ends_with(".lock") {
            fs::remove_file(path).expect("removed");
        } else {
            own(&path);
        }
    }
    let elsewhere = program.home().join("copie");
    fs::create_dir(&elsewhere).expect("a folder");
    let apart = back_up(program.home(), &["--output", "copie"]);
    let file = back_up(program.home(), &[]);
    backups::restore(program.home(), &file, &[]);
    for path in disk::files(program.data()).into_keys() {
        let owner = fs::metadata(&path).expect("a file").uid();
        assert_eq!(owner, NOBODY, "{}", path.display());
    }
    let folder = fs::metadata(program.data().join("backups")).expect("a folder");
    assert_eq!(folder.uid(), NOBODY);
    // What root saves elsewhere stays its own.
    assert_eq!(fs::metadata(apart).expect("a file").uid(), 0);
}

#[test]
fn on_another_machine_the_first_login_opens_the_reports() {
    let program = archive(2);
    let file = back_up(program.home(), &[]);
    let machine = tempfile::tempdir().expect("a folder");
    // It has run already, and has keys and a pair of its own.
    let server = Server::start(machine.path());
    server.kill();
    let said = backups::restore(machine.path(), &file, &[]);
    assert!(said.contains("accedere una volta al pannello"), "{said}");
    for round in ["with the login", "from the key file"] {
        let server = Server::start(machine.path());
        let editor = server.log_in();
        let names: Vec<Value> = editor
            .all_ids()
            .iter()
            .map(|id| editor.report(id)["nome"].clone())
            .collect();
        assert_eq!(names, ["Nomec", "Nomeb"], "{round}");
        server.kill();
    }
    let keys = fs::read_to_string(machine.path().join("data/segnalazioni.key")).expect("keys");
    let copies = keys.lines().filter(|line| line.starts_with("newsroom "));
    assert_eq!(copies.count(), 1);
}

#[test]
fn what_could_never_be_read_is_not_put_in_place() {
    // Reports, and no password: only the key file opens them.
    let mut program = Program::start();
    program.report(1);
    program.stop();
    let file = back_up(program.home(), &[]);
    let machine = tempfile::tempdir().expect("a folder");
    let line = backups::refuse(machine.path(), &file, &[]);
    contains(line, &["prima che ci fosse una password"]);
    assert!(!machine.path().join("data").exists(), "nothing is left");
    // With its key file it is.
    let said = backups::restore(program.home(), &file, &[]);
    contains(said, &["si leggono subito"]);

    // And such an archive is not put aside for one whose key would take the place of its own.
    let copied = program.home().join("altro.backup");
    fs::copy(back_up(archive(1).home(), &[]), copied).expect("copied");
    let before = kept_rows(program.data());
    let line = backups::refuse(program.home(), "altro.backup", &[]);
    contains(line, &["Impostare prima una password"]);
    assert_eq!(kept_rows(program.data()), before);
}

/// Files of a killed server's database: all there is when its first page was never brought up to date.
fn killed_with_a_log(program: &Program) -> PathBuf {
    let server = Server::start(program.home());
    submit(&server.client(), &Person::numbered(7));
    server.kill();
    let log = program.data().join("segnalazioni.db-wal");
    assert!(log.metadata().expect("a log").len() > 0);
    log
}

#[test]
fn a_log_whose_database_is_lost_is_never_deleted() {
    const KEPT: &str = "conservare il -wal";
    for lost in [true, false] {
        let program = archive(2);
        let file = back_up(program.home(), &["--output", "buono.backup"]);
        let log = killed_with_a_log(&program);
        let kept = fs::read(&log).unwrap();
        let present = ruin(&program, lost);
        let untouched = |what: &str| {
            assert!(fs::read(&log).is_ok_and(|now| now == kept), "{what}");
            let length = present.metadata().map(|file| file.len()).ok();
            assert_eq!(length, (!lost).then_some(0), "{what}");
        };
        let output = run(command(program.home(), &["doctor", "--json"]), "");
        assert_eq!(output.status.code(), Some(1));
        contains(text(&output.stdout), &[KEPT]);
        untouched("doctor");
        let missing = if lost { "non c'è un archivio" } else { KEPT };
        for (refused, words) in [(&SERVE[..], KEPT), (&["backup"], missing)] {
            contains(fails(program.home(), refused, ""), &[words]);
            untouched(refused[0]);
        }
        backups::restore(program.home(), &file, &["--dry-run"]);
        untouched("a trial");

        let said = backups::restore(program.home(), &file, &[]);
        let mut aside = put_aside(program.data()).into_iter();
        let aside = aside.find(|path| path.to_string_lossy().ends_with("-wal"));
        let aside = aside.expect("the log is kept");
        assert!(fs::read(&aside).unwrap() == kept);
        contains(said, &[aside.file_name().unwrap().to_str().unwrap()]);
        goes_on(&program);
    }
}

const SERVE: [&str; 3] = ["serve", "--listen", "127.0.0.1:0"];

/// The database is lost, or empty; its path.
fn ruin(program: &Program, lost: bool) -> PathBuf {
    let present = program.data().join("segnalazioni.db");
    fs::write(&present, "").unwrap();
    if lost {
        fs::remove_file(&present).unwrap();
    }
    present
}

fn goes_on(program: &Program) {
    assert_eq!(kept_rows(program.data())["segnalazioni"].len(), 2);
    Server::start(program.home()).kill();
}

#[test]
fn a_log_that_a_restore_put_aside_before_it_was_cut_off_is_not_begun_anew_beside() {
    for lost in [true, false] {
        let program = archive(2);
        let file = back_up(program.home(), &["--output", "buono.backup"]);
        let log = killed_with_a_log(&program);
        let aside = "segnalazioni.db.messo-da-parte-20260310T090000Z-wal";
        fs::rename(&log, program.data().join(aside)).unwrap();
        let present = ruin(&program, lost);
        let line = fails(program.home(), &SERVE, "");
        contains(line, &["conservare il -wal"]);
        assert_eq!(present.exists(), !lost, "nothing was made");
        backups::restore(program.home(), &file, &[]);
        goes_on(&program);
    }
}

/// An installation that has stopped, with what a loss of its database leaves beside it, in each way in which that is told.
fn with_remains() -> Vec<(&'static str, Program)> {
    let mut attached = Program::start();
    attached.set_up();
    report_with(&attached, "foto.jpg", &photo(5_000));
    attached.stop();
    let (saved, aside) = (archive(2), archive(2));
    let backup = back_up(saved.home(), &[]);
    backups::restore(aside.home(), backup, &["--force"]);
    vec![
        ("allegati", attached),
        ("backup", saved),
        ("messi da parte", aside),
    ]
}

#[test]
fn an_archive_that_is_lost_while_more_of_it_is_there_is_not_begun_anew() {
    for lost in [true, false] {
        for (named, program) in with_remains() {
            let (home, data) = (program.home(), program.data());
            let file = back_up(home, &["--output", "buono.backup"]);
            let present = ruin(&program, lost);
            let kept = lasting_files(data);
            let words = [
                named,
                "segnalazioni restore",
                "spostare altrove la cartella",
            ];
            for command in [
                &SERVE[..],
                &["rekey", "--generate"],
                &["reset-password", "--generate"],
                &["login-link"],
            ] {
                contains(fails(home, command, ""), &words);
                assert!(lasting_files(data) == kept, "{named}: {command:?}");
            }
            let told = |subcommand| ask(command(home, &[subcommand, "--json"])).1;
            told("status").says("segnalazioni", "errore", words[1]);
            let found = told("doctor");
            found.says("archivio", "errore", words[1]);
            found.says("allegati", "errore", words[1]);
            assert_eq!(present.exists(), !lost, "nothing was made");
            backups::restore(home, &file, &["--force"]);
            Server::start(home).kill();
        }
    }
}

#[test]
fn a_first_start_that_was_cut_off_begins_again() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    succeeds(folder.path(), &["reset-password", "--generate"], "");
    fs::write(data.join("segnalazioni.db"), "").unwrap();
    for below in ["allegati", "backups"] {
        fs::create_dir(data.join(below)).unwrap();
    }
    // What is empty has no keys to be exchanged.
    let refused = fails(folder.path(), &["rekey", "--generate"], "");
    contains(refused, &["non c'è un archivio"]);
    Server::start(folder.path()).kill();
}
