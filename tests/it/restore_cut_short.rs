//! `segnalazioni restore` that did not come to its end: the second name of an archive that a kill left, a journal without its
//! database, a key file made for an archive that never came (PRODUCT.md §9).

use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use segnalazioni::store::{forget_second_names, forsake_folder, lock_folder, lock_opening};

use crate::support::backups::{archive, back_up, home, kept_rows, lasting_files};
use crate::support::executable::{Server, command, fails, run, serve, succeeds, text};
use crate::support::panel::{Editor, OTHER_PASSWORD, PASSWORD, try_log_in};
use crate::support::program::Program;

/// What a restore calls the archive it replaces.
const ASIDE: &str = "segnalazioni.db.prima-del-ripristino-20260310T090000Z";

/// An archive with a backup, and the second name that a restore gave it which was killed a moment later.
fn cut_short() -> (Program, String, PathBuf) {
    let program = archive(2);
    let file = back_up(home(&program), &["--output", "buono.backup"]);
    let name = program.data().join(ASIDE);
    fs::hard_link(program.data().join("segnalazioni.db"), &name).expect("linked");
    (program, file.to_str().expect("a text").to_owned(), name)
}

fn put_aside(data: &Path) -> Vec<String> {
    let entries = fs::read_dir(data).expect("a folder").map(|entry| {
        let name = entry.expect("an entry").file_name();
        name.into_string().expect("a text")
    });
    entries
        .filter(|name| name.contains("prima-del-ripristino"))
        .collect()
}

#[test]
fn the_archive_in_use_is_no_backup_under_whatever_name() {
    let (program, _, name) = cut_short();
    let data = program.data();
    let (link, live) = (home(&program).join("copia"), data.join("segnalazioni.db"));
    symlink(&live, &link).expect("linked");
    let before = lasting_files(data);
    for (file, words) in [
        (&name, "rimasto da un ripristino interrotto"),
        (&live, "è l'archivio in uso, non un suo backup"),
        (&link, "è l'archivio in uso, non un suo backup"),
    ] {
        let file = file.to_str().expect("a text");
        for arguments in [
            &["restore", file][..],
            &["restore", file, "--dry-run"],
            &["verify", file],
        ] {
            let told = fails(home(&program), arguments, "");
            assert!(told.contains(words), "{arguments:?}: {told}");
        }
    }
    assert!(lasting_files(data) == before);
    // The control: a copy under such a name is a former archive.
    let copy = data.join("segnalazioni.db.prima-del-ripristino-20260310T090001Z");
    fs::copy(&live, &copy).expect("copied");
    succeeds(
        home(&program),
        &["restore", copy.to_str().expect("a text")],
        "",
    );
}

#[test]
fn the_second_name_goes_with_the_next_start_or_restore() {
    let (mut program, file, name) = cut_short();
    let rows = kept_rows(program.data());
    // The control: a former archive, with a log of its own.
    let former = program.data().join(format!("{ASIDE}-2"));
    fs::copy(&name, &former).expect("copied");
    program.start_again();
    program.stop();
    assert!(!name.exists() && former.exists());
    assert_eq!(kept_rows(program.data()), rows);

    fs::hard_link(program.data().join("segnalazioni.db"), &name).expect("linked");
    succeeds(home(&program), &["restore", &file], "");
    let aside = put_aside(program.data());
    assert_eq!(aside.len(), 2, "{aside:?}");
    assert!(!name.exists() && former.exists());
    for name in aside {
        let links = program
            .data()
            .join(name)
            .metadata()
            .expect("a file")
            .nlink();
        assert_eq!(links, 1);
    }
}

#[test]
fn a_log_that_had_followed_the_second_name_comes_back() {
    let (program, file, name) = cut_short();
    let data = program.data();
    let (live, aside) = (
        data.join("segnalazioni.db"),
        data.join(format!("{ASIDE}-wal")),
    );
    // A database that is lost is put aside with its log as they lie.
    fs::write(&live, "").expect("emptied");
    fs::write(&aside, "registro").expect("written");
    assert_eq!(live.metadata().expect("a file").nlink(), 2);
    let said = succeeds(home(&program), &["restore", &file], "");
    assert!(!name.exists() && !aside.exists(), "{said}");
    let log = put_aside(data)
        .into_iter()
        .find(|name| name.ends_with("-wal"));
    let log = data.join(log.expect("the log is kept"));
    assert_eq!(fs::read(&log).expect("a log"), b"registro");
    assert!(
        said.contains(log.file_name().unwrap().to_str().unwrap()),
        "{said}"
    );
}

/// A log with every page of a database in it.
fn log_of_all(database: &Path) -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x.db");
    fs::copy(database, &path).expect("copied");
    let connection = Connection::open(&path).expect("a database");
    connection
        .execute_batch("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; VACUUM;")
        .expect("written anew");
    fs::read(folder.path().join("x.db-wal")).expect("a log")
}

#[test]
fn a_log_never_comes_back_beside_an_archive_that_was_made_since() {
    let (program, _, name) = cut_short();
    let (live, aside) = (
        program.data().join("segnalazioni.db"),
        program.data().join(format!("{ASIDE}-wal")),
    );
    let log = log_of_all(&live);
    // The control: SQLite takes it for what is newest in whatever database it lies beside.
    let folder = tempfile::tempdir().expect("a folder");
    let other = folder.path().join("x.db");
    Connection::open(&other)
        .and_then(|made| made.execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE altro (x);"))
        .expect("made");
    fs::write(folder.path().join("x.db-wal"), &log).expect("written");
    let reports: i64 = Connection::open(&other)
        .and_then(|archive| {
            archive.query_row("SELECT count(*) FROM segnalazioni", [], |row| row.get(0))
        })
        .expect("read");
    assert_eq!(reports, 2);

    fs::write(&live, "").expect("emptied");
    fs::write(&aside, &log).expect("written");
    let inode = live.metadata().expect("a file").ino();
    let set = command(home(&program), &["reset-password", "--stdin"]);
    let output = run(set, OTHER_PASSWORD);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let found = live.metadata().expect("a file");
    assert!(found.ino() == inode && found.len() > 0 && found.nlink() == 2);
    let server = Server::spawn(serve(home(&program)), home(&program));
    try_log_in(&server.client(), PASSWORD).problem(401, "password-non-valida");
    Editor::log_in(&server.client(), OTHER_PASSWORD);
    assert!(name.exists() && fs::read(&aside).expect("a log") == log);
}

#[test]
fn whatever_the_order_of_the_names_a_log_comes_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let lost = folder.path().join("segnalazioni.db");
    fs::write(&lost, "").expect("made");
    let held = lock_folder(folder.path()).expect("held");
    for second in 0..30 {
        let name = format!("segnalazioni.db.prima-del-ripristino-20261122T0200{second:02}Z");
        let log = folder.path().join(format!("{name}-wal"));
        // A folder may be read in the order in which its entries were made, or against it.
        if second % 2 == 0 {
            fs::hard_link(&lost, folder.path().join(&name)).expect("linked");
            fs::write(&log, &name).expect("written");
        } else {
            fs::write(&log, &name).expect("written");
            fs::hard_link(&lost, folder.path().join(&name)).expect("linked");
        }
        let forgotten = forget_second_names(folder.path(), &held).expect("forgotten");
        assert!(forgotten == 1 && put_aside(folder.path()).is_empty());
        let back = folder.path().join("segnalazioni.db-wal");
        assert_eq!(fs::read(&back).expect("a log"), name.as_bytes());
        fs::remove_file(back).expect("removed");
    }
}

#[test]
fn a_former_archive_gets_no_name_beside_which_something_lies() {
    for ending in ["-wal", "-shm", "-journal"] {
        let (program, file, name) = cut_short();
        fs::remove_file(&name).expect("removed");
        // Every name of the seconds to come.
        let now = jiff::Timestamp::now();
        for second in 0..600 {
            let at = now + jiff::SignedDuration::from_secs(second);
            let stamp = at.strftime("%Y%m%dT%H%M%SZ");
            let name = format!("segnalazioni.db.prima-del-ripristino-{stamp}{ending}");
            fs::write(program.data().join(name), "altro").expect("written");
        }
        succeeds(home(&program), &["restore", &file], "");
        let aside = put_aside(program.data());
        let archives = aside.iter().filter(|name| !name.ends_with(ending));
        let names: Vec<&String> = archives.collect();
        assert!(names.len() == 1 && names[0].ends_with("Z-2"), "{names:?}");
    }
}

/// A journal as SQLite leaves it when it is killed while it changes a database, or makes one: the real one, copied before the
/// change was done.
fn journal(of_pages: bool) -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x.db");
    let connection = Connection::open(&path).expect("a database");
    if of_pages {
        connection
            .execute_batch("CREATE TABLE t (x)")
            .expect("made");
    }
    connection
        .execute_batch("PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN; CREATE TABLE u (x);")
        .expect("begun");
    let filler = "INSERT INTO u SELECT zeroblob(4000) FROM (WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n \
                  WHERE n < 50) SELECT n FROM n)";
    connection.execute_batch(filler).expect("changed");
    fs::read(folder.path().join("x.db-journal")).expect("a journal")
}

#[test]
fn a_journal_whose_database_is_lost_is_never_deleted() {
    for lost in [true, false] {
        let program = archive(2);
        let file = back_up(home(&program), &["--output", "buono.backup"]);
        let (live, log) = (
            program.data().join("segnalazioni.db"),
            program.data().join("segnalazioni.db-journal"),
        );
        let kept = journal(true);
        fs::write(&log, &kept).expect("written");
        if lost {
            fs::remove_file(&live).expect("removed");
        } else {
            fs::write(&live, "").expect("emptied");
        }
        for refused in [&["serve", "--listen", "127.0.0.1:0"][..], &["doctor"]] {
            let output = run(command(home(&program), refused), "");
            let said = format!("{}{}", text(&output.stdout), text(&output.stderr));
            assert_eq!(output.status.code(), Some(1), "{said}");
            assert!(said.contains("conservare il -journal"), "{said}");
            assert!(fs::read(&log).expect("a journal") == kept);
        }
        let said = succeeds(
            home(&program),
            &["restore", file.to_str().expect("a text")],
            "",
        );
        assert!(said.contains("-journal: conservarlo"), "{said}");
        assert_eq!(kept_rows(program.data())["segnalazioni"].len(), 2);
        // The control: one of a database that never had a page is what the first start leaves that was killed.
        if !lost {
            fs::write(&live, "").expect("emptied");
            fs::write(&log, journal(false)).expect("written");
            fs::remove_file(program.data().join("segnalazioni.key")).expect("removed");
            Server::start(home(&program)).kill();
        }
    }
}

#[test]
fn a_key_file_made_for_an_archive_that_did_not_come_goes() {
    let mut program = archive(2);
    program.start_again();
    let file = home(&program).join("pannello.json");
    let told = program.log_in().get("/backup").expect(200);
    fs::write(&file, told.text()).expect("written");
    program.stop();
    let file = file.to_str().expect("a text");
    let key = home(&program).join("altrove.key");
    let restore = || {
        let mut restore = command(home(&program), &["restore", file]);
        restore.env("SEGNALAZIONI_KEY_FILE", &key);
        run(restore, "")
    };
    // Another program has the database open: the last step fails.
    let reader = Connection::open(program.data().join("segnalazioni.db")).expect("opened");
    reader
        .query_row("SELECT count(*) FROM segnalazioni", [], |_| Ok(()))
        .expect("read");
    let output = restore();
    assert!(!output.status.success());
    assert!(
        text(&output.stderr).contains("in uso"),
        "{}",
        text(&output.stderr)
    );
    assert!(!key.exists());
    // The control: one that was there stays as it was.
    fs::copy(program.data().join("segnalazioni.key"), &key).expect("copied");
    let before = fs::read(&key).expect("a key file");
    assert!(!restore().status.success());
    assert!(fs::read(&key).expect("a key file") == before);
    fs::remove_file(&key).expect("removed");
    drop(reader);
    assert!(restore().status.success());
    assert!(key.exists(), "the new archive's own");
}

#[test]
fn a_restore_that_fails_deletes_no_key_file_that_it_did_not_make() {
    let program = archive(2);
    let sound = back_up(home(&program), &["--output", "buono.backup"]);
    let rubbish = home(&program).join("altro.backup");
    fs::write(&rubbish, "altro").expect("written");
    // The disk with the key file is not mounted.
    let key = home(&program).join("altrove.key");
    symlink(home(&program).join("disco/segnalazioni.key"), &key).expect("linked");
    for (file, words) in [(&rubbish, ""), (&sound, "non è un file normale")] {
        for trial in [true, false] {
            let file = file.to_str().expect("a text");
            let mut restore = command(home(&program), &["restore", file]);
            restore.args(trial.then_some("--dry-run"));
            restore.env("SEGNALAZIONI_KEY_FILE", &key);
            let output = run(restore, "");
            let said = text(&output.stderr);
            assert!(!output.status.success() && said.contains(words), "{said}");
            assert!(key.is_symlink(), "{file}, {trial}: {said}");
        }
    }
    // The control: with the key file at its place the backup is sound.
    let sound = sound.to_str().expect("a text");
    succeeds(home(&program), &["restore", sound], "");
}

#[test]
fn of_a_folder_that_was_made_for_nothing_only_what_is_ours_goes() {
    let folder = tempfile::tempdir().expect("a folder");
    let rubbish = folder.path().join("altro.backup");
    fs::write(&rubbish, "altro").expect("written");
    let rubbish = rubbish.to_str().expect("a text");
    fails(folder.path(), &["restore", rubbish], "");
    let data = folder.path().join("data");
    assert!(!data.exists());
    // What somebody copies there meanwhile stays.
    fs::create_dir(&data).expect("made");
    let held = (
        lock_folder(&data).expect("held"),
        lock_opening(&data).expect("held"),
    );
    let key = data.join("segnalazioni.key");
    fs::write(&key, "chiave").expect("written");
    assert!(forsake_folder(&data, (&held.0, &held.1)).is_err());
    assert_eq!(fs::read(&key).expect("a key file"), b"chiave");
}
