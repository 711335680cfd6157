//! A disk that is full when the server's own backup is due, or a backup of the command: told, logged once, nothing lost, and
//! made up for when there is room again (PRODUCT.md §9).

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use segnalazioni::testing::Manual;
use segnalazioni::testing::Mode;
use segnalazioni::testing::app::{self, Running};
use serde_json::{Value, json};

use crate::support::chat::{Person, submit};
use crate::support::disk;
use crate::support::executable::fails;
use crate::support::http::Client;
use crate::support::panel::{Editor, PASSWORD};
use crate::support::program::{START, at, config, options};
use crate::support::small_disk::SmallDisk;

const MINUTE: Duration = Duration::from_mins(1);
const HOUR: Duration = Duration::from_hours(1);
const DAY: Duration = Duration::from_hours(24);

/// What was logged at `error`, a line each.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Log {
    /// One round of the server's own backups, listened to.
    fn round(&self, running: &Running) {
        let log = self.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_ansi(false)
            .with_writer(move || log.clone())
            .finish();
        tracing::subscriber::with_default(subscriber, || running.back_up()).expect("a round");
    }

    fn lines(&self) -> Vec<String> {
        let bytes = self.0.lock().unwrap().clone();
        let text = String::from_utf8(bytes).expect("a text");
        text.lines().map(str::to_owned).collect()
    }
}

/// What lies in the folder of the backups, what the server remembers of them aside.
fn shelf(data: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = disk::files(&data.join("backups"));
    files.retain(|path, _| path.file_name().is_some_and(|name| name != "stato.json"));
    files
}

#[test]
#[allow(clippy::print_stderr, reason = "a test that is skipped says so")]
fn a_full_disk_is_told_and_logged_once_and_takes_no_backup_away() {
    let Some(disk) = SmallDisk::mount("48m") else {
        eprintln!("SKIPPED: this process may not mount a file system, so there is no disk to fill");
        return;
    };
    let clock = Manual::new(at(START));
    let config = config(disk.path(), &[]);
    let running = app::start(&config, &options(Mode::Live, &clock)).expect("it starts");
    let client = Client::new(running.address());
    let (editor, _) = Editor::set_up(&client, &running.setup_url().expect("a link"), PASSWORD);
    editor.save("/settings/security", &json!({ "sessionTimeout": 480 }));
    let log = Log::default();
    submit(&client, &Person::numbered(1));
    // The control: there is room.
    log.round(&running);
    let before = shelf(&config.data_dir);
    assert_eq!(before.len(), 1);
    clock.advance(7 * DAY);
    let editor = Editor::log_in(&client, PASSWORD);
    let told = |editor: &Editor| -> Value { editor.get("/system/backups").expect(200).json() };
    assert_eq!(told(&editor)["lastError"], Value::Null);
    assert_eq!(log.lines(), Vec::<String>::new());

    let filler = disk.fill();
    for _ in 0..3 {
        log.round(&running);
        clock.advance(MINUTE);
    }
    let failed = told(&editor);
    assert_eq!(failed["lastError"]["at"], "2026-03-17T09:00:00Z");
    let message = failed["lastError"]["message"].as_str().expect("a reason");
    assert!(
        message.contains("spa") || message.contains("liberi"),
        "{message}"
    );
    clock.advance(HOUR);
    log.round(&running);
    assert_eq!(told(&editor)["lastError"]["at"], "2026-03-17T10:03:00Z");
    let lines = log.lines();
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].contains("a scheduled backup failed"), "{lines:?}");
    assert!(
        shelf(&config.data_dir) == before,
        "a backup is gone, or a part of one there"
    );
    assert_eq!(told(&editor)["last"]["verified"], true);

    fs::remove_file(filler).expect("removed");
    clock.advance(HOUR);
    log.round(&running);
    let editor = Editor::log_in(&client, PASSWORD);
    let well = told(&editor);
    assert_eq!(
        (&well["lastError"], &well["last"]["at"]),
        (&Value::Null, &json!("2026-03-17T11:03:00Z"))
    );
    assert_eq!(shelf(&config.data_dir).len(), 2);
    assert_eq!(log.lines().len(), 1);
    drop(running);
}

#[test]
#[allow(clippy::print_stderr, reason = "a test that is skipped says so")]
fn a_backup_that_does_not_fit_leaves_the_one_before_it_and_no_part_of_itself() {
    let Some(disk) = SmallDisk::mount("24m") else {
        eprintln!("SKIPPED: this process may not mount a file system, so there is no disk to fill");
        return;
    };
    let program = crate::support::backups::archive(1);
    let home = crate::support::backups::home(&program);
    let target = disk.path().join("copie");
    fs::create_dir(&target).expect("a folder");
    let target = target.to_str().expect("a text");
    let arguments = ["backup", "--output", target, "--keep", "1"];
    crate::support::executable::succeeds(home, &arguments, "");
    let before = disk::files(disk.path());
    assert_eq!(before.len(), 1);
    let filler = disk.fill();
    let line = fails(home, &arguments, "");
    assert!(!line.contains("non è integro"), "{line}");
    fs::remove_file(filler).expect("removed");
    assert!(
        disk::files(disk.path()) == before,
        "something is gone, or too much"
    );
    crate::support::executable::succeeds(home, &arguments, "");
    assert_eq!(disk::files(disk.path()).len(), 1);
}
