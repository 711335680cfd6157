//! `kill -9` in the middle of a restore, and of a backup: strace ends the command as it enters one of the calls that change
//! something on the disk, chosen by the dice over all those it makes. What is there afterwards is the old or the new, whole.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use crate::support::backups::{self, archive, back_up, kept_rows};
use crate::support::chat::{Person, submit};
use crate::support::disk::{self, database};
use crate::support::executable::{PATH, Server, confine, installation, succeeds};
use crate::support::{Dice, from_environment};

/// Calls that change something on the disk, or make it lasting.
const STEPS: &str = "openat,mkdir,write,pwrite64,writev,ftruncate,fallocate,fchmod,chmod,fsync,fdatasync,rename,renameat,\
                     renameat2,link,linkat,unlink,unlinkat,rmdir,flock";
/// Kills of each kind; `make soak` has more, as many as `KILLS` in the environment says.
const KILLS: usize = 8;
/// Where a command's output goes, in its folder.
pub const PRINTED: &str = "printed";
const ARRIVING: &str = "-in-arrivo";

/// The so-manyth call of this name.
pub type Step = (String, usize);
type Rows = BTreeMap<String, Vec<String>>;

/// Runs a command of the executable under strace with these options, and this on standard input.
fn traced(folder: &Path, options: &[&str], arguments: &[&str], input: &str) -> ExitStatus {
    let mut strace = Command::new("strace");
    confine(&mut strace, folder);
    strace
        .args(["-f", "-qq"])
        .args(options)
        .arg(PATH)
        .args(arguments);
    let printed = fs::File::create(folder.join(PRINTED)).expect("a file");
    let typed = folder.join("typed");
    fs::write(&typed, input).expect("a file");
    let typed = fs::File::open(typed).expect("a file");
    strace.stdin(typed).stdout(printed).stderr(Stdio::null());
    strace
        .status()
        .expect("strace, Debian's package of that name")
}

/// Every step that a command takes, in order; it is run to its end.
pub fn steps(folder: &Path, arguments: &[&str]) -> Vec<Step> {
    steps_with(folder, arguments, "")
}

pub fn steps_with(folder: &Path, arguments: &[&str], input: &str) -> Vec<Step> {
    let (record, calls) = (folder.join("steps"), format!("trace={STEPS}"));
    let options = ["-e", &calls, "-o", record.to_str().expect("a text")];
    assert!(traced(folder, &options, arguments, input).success());
    let mut counted: BTreeMap<String, usize> = BTreeMap::new();
    let record = fs::read_to_string(&record).expect("a record");
    let calls = record.lines().filter_map(|line| {
        let (call, _) = line.split_once(' ')?.1.trim().split_once('(')?;
        (!call.starts_with('<')).then(|| call.to_owned())
    });
    let steps: Vec<Step> = calls
        .map(|call| {
            let when = counted.entry(call.clone()).or_default();
            *when += 1;
            (call, *when)
        })
        .collect();
    assert!(steps.len() > 50, "{steps:?}");
    steps
}

/// Runs a command and kills it at a step; one that does not come to it ends well.
pub fn kill_at(step: &Step, folder: &Path, arguments: &[&str]) {
    kill_with(step, folder, arguments, "");
}

pub fn kill_with((call, when): &Step, folder: &Path, arguments: &[&str], input: &str) {
    let calls = format!("trace={call}");
    let inject = format!("inject={call}:signal=SIGKILL:when={when}");
    let options = ["-e", &calls, "-e", &inject, "-o", "/dev/null"];
    let status = traced(folder, &options, arguments, input);
    // strace ends as what it watched did.
    let killed = status.signal() == Some(9) || status.code() == Some(128 + 9);
    assert!(killed || status.success(), "{arguments:?}: {status}");
}

/// Every row, opened as the server would: what SQLite was at when it was killed is finished or taken back.
fn sound_rows(folder: &Path) -> Option<Rows> {
    let data = folder.join("data");
    let check = "PRAGMA integrity_check";
    let verdict: String = database(&data)
        .query_row(check, [], |row| row.get(0))
        .ok()?;
    (verdict == "ok").then(|| kept_rows(&data))
}

/// Nothing that was being made may be left.
fn finished(folder: &Path) {
    for unfinished in ["/.segnalazioni-", ARRIVING] {
        let left = disk::paths_with(unfinished, &folder.join("data"));
        assert_eq!(left, Vec::<PathBuf>::new());
    }
}

/// An installation that was killed itself: part of it is in its log. What it was saving by itself then is no part of it.
fn killed_installation() -> tempfile::TempDir {
    let folder = installation();
    let server = Server::start(folder.path());
    for number in 0..3 {
        submit(&server.client(), &Person::numbered(number));
    }
    server.kill();
    assert!(folder.path().join("data/segnalazioni.db-wal").exists());
    fs::remove_dir_all(folder.path().join("data/backups")).ok();
    folder
}

#[test]
fn commands_killed_at_some_steps_leave_the_old_or_the_new() {
    killed(KILLS);
}

#[test]
#[ignore = "soak"]
fn commands_killed_at_many_steps_leave_the_old_or_the_new() {
    killed(from_environment("KILLS", 100));
}

fn killed(kills: usize) {
    let mut dice = Dice::thrown();
    let (old, new) = (killed_installation(), archive(4));
    let file = back_up(new.home(), &[]);
    let place = tempfile::tempdir().expect("a folder");
    let fresh = || {
        let data = place.path().join("data");
        fs::remove_dir_all(&data).ok();
        disk::copy(&old.path().join("data"), &data);
        place.path()
    };
    // Of a copy: whoever looks into an archive writes its log into it.
    let former = sound_rows(fresh());

    let restore = ["restore", file.to_str().expect("a text"), "--force"];
    let all = steps(fresh(), &restore);
    let coming = sound_rows(place.path());
    let reports = |rows: Rows| rows["segnalazioni"].clone();
    assert!(coming.clone().map(reports) == Some(reports(kept_rows(new.data()))));
    let (mut olds, mut news) = (0, 0);
    for kill in 0..kills {
        // At the very end, then in turns over the whole, the last third more often: there the archives change places.
        let chosen = dice.within(all.len() * (kill % 3) / 3..all.len());
        let step = &all[if kill == 0 { all.len() - 1 } else { chosen }];
        kill_at(step, fresh(), &restore);
        let found = sound_rows(place.path());
        assert!(found == former || found == coming, "mixed at {step:?}");
        olds += usize::from(found == former);
        news += usize::from(found == coming);
        // A kill around the exchange leaves one of the two under another name, whole.
        for left in disk::paths_with(ARRIVING, place.path()) {
            backups::verify(place.path(), &left);
            fs::remove_file(left).expect("removed");
        }
        succeeds(place.path(), &restore, "");
        assert!(sound_rows(place.path()) == coming, "after {step:?}");
        finished(place.path());
    }
    assert!(olds > 0 && news > 0, "kills came too early or too late");

    let backup = ["backup", "--keep", "3"];
    let all = steps(fresh(), &backup);
    for _ in 0..kills {
        let step = &all[dice.within(0..all.len())];
        kill_at(step, place.path(), &backup);
        // Whatever has a backup's name is whole.
        for path in disk::paths_with("backups/segnalazioni-", place.path()) {
            backups::verify(place.path(), &path);
        }
        assert!(sound_rows(place.path()) == former, "changed at {step:?}");
        succeeds(place.path(), &backup, "");
        finished(place.path());
    }

    // The control: an archive of two halves would be noticed.
    let mixed = fresh().join("data/segnalazioni.db");
    let mut bytes = fs::read(&mixed).expect("a database");
    let other = fs::read(new.data().join("segnalazioni.db")).expect("a database");
    let half = bytes.len().min(other.len()) / 8_192 * 4_096;
    bytes.splice(half.., other[half..].iter().copied());
    fs::write(&mixed, bytes).expect("written");
    let found = sound_rows(place.path());
    assert!(found != former && found != coming);
}
