//! The power goes. The program runs under strace while people finish their reports; then its disk is rebuilt as it would
//! be after a power cut at every acknowledgement and at every sync, and opened by the program's own code. Each report
//! that was acknowledged by then must be there, open, in a sound database. `kill -9` cannot test this: the system keeps
//! what a killed program wrote, synced or not.

mod disk;
mod trace;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use segnalazioni::testing::actions::{self, open_report};
use segnalazioni::testing::newsroom;

use crate::support::chat::{Person, submit};
use crate::support::disk::database;
use crate::support::executable::{PATH, Server, confine};
use crate::support::program::config;
use crate::support::{Dice, at_once, from_environment, wait_for};
use disk::Disk;
use trace::{Moment, moments};

/// People who talk at once: enough for several reports to share a commit.
const PEOPLE: usize = 4;
/// Longest text of one write that is recorded, in bytes: more than the program ever writes at once.
const LONGEST_WRITE: &str = "16777216";
/// Everything that touches a file's content or name, and what goes out over sockets.
const CALLS: &str = "trace=?open,openat,?creat,close,dup,?dup2,dup3,fcntl,lseek,write,writev,pwrite64,pwritev,ftruncate,\
                     truncate,fallocate,copy_file_range,sendfile,fsync,fdatasync,?sync_file_range,?rename,renameat,\
                     renameat2,?link,linkat,?unlink,unlinkat,sendto,sendmsg";

/// What the cuts of one replay came to.
#[derive(Debug, Default)]
struct Verdict {
    cuts: usize,
    /// Cuts after the first acknowledgement.
    cuts_with_reports: usize,
    /// Cuts after which a report was missing, or nothing could be opened.
    bad: usize,
    acknowledged: Vec<String>,
    /// The first bad cut, in words.
    first: Option<String>,
}

#[test]
#[ignore = "soak"]
fn no_acknowledged_report_is_lost_when_the_power_goes() {
    let reports = from_environment("REPORTS", 60);
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let (data, record) = (folder.path().join("data"), folder.path().join("record"));
    make_record(folder.path(), &record, reports);
    let mut dice = Dice::thrown();
    let kept = replay(&record, Disk::new(&data, None), &mut dice);
    assert_eq!(kept.first, None, "{kept:?}");
    assert_eq!(kept.acknowledged.len(), reports);
    // The control: as if the log had never been synced, which is what `synchronous=NORMAL` does between checkpoints.
    let lost = replay(&record, Disk::new(&data, Some("-wal")), &mut dice);
    assert!(
        lost.bad * 2 > lost.cuts_with_reports,
        "no loss would be noticed: {lost:?}"
    );
}

/// Runs the program under strace while people finish their reports.
fn make_record(folder: &Path, record: &Path, reports: usize) {
    let mut strace = Command::new("strace");
    confine(&mut strace, folder);
    // -D: the program is this process's child, and strace a bystander, so that a signal reaches the program.
    strace.args(["-D", "-f", "-q", "-xx", "-s", LONGEST_WRITE, "-e", CALLS]);
    strace.args(["-e", "signal=none", "-o"]).arg(record);
    strace.args([PATH, "serve", "--listen", "127.0.0.1:0", "--data-dir"]);
    strace.arg(folder.join("data"));
    let mut server = Server::spawn(strace, folder);
    let client = server.client();
    at_once(PEOPLE, |person| {
        for number in (person..reports).step_by(PEOPLE) {
            let mut person = Person::numbered(number);
            if number.is_multiple_of(4) {
                // Several pages of the database.
                person.segnalazione = person.segnalazione.repeat(60);
            }
            submit(&client, &person);
        }
    });
    let last = format!("{} +++ exited with 0 +++\n", server.pid().as_raw_nonzero());
    server.terminate();
    assert!(server.ended().success());
    // strace writes on for a moment after the program has ended.
    wait_for("the end of the record", || {
        fs::read(record)
            .expect("a record")
            .ends_with(last.as_bytes())
            .then_some(())
    });
}

/// Rebuilds the disk along the record, and looks at it wherever the power may go.
fn replay(record: &Path, mut disk: Disk, dice: &mut Dice) -> Verdict {
    let mut verdict = Verdict::default();
    moments(record, |moment| {
        if let Moment::Began(call) = &moment {
            let before = verdict.acknowledged.len();
            if call.is_sending() {
                verdict.acknowledged.extend(report_ids(&call.bytes()));
            }
            // The worst moment of a sync is its beginning: everything since the one before is still on its way.
            if verdict.acknowledged.len() > before || call.is_sync() && disk.knows(call) {
                verdict.look(&disk, dice);
            }
        }
        disk.follow(moment);
    });
    verdict.look(&disk, dice);
    verdict
}

fn report_ids(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    let answers = text.split("\"reportId\":\"").skip(1);
    answers
        .filter_map(|rest| Some(rest.split_once('"')?.0.to_owned()))
        .collect()
}

impl Verdict {
    /// Cuts the power here, in both ways, and judges what is left.
    fn look(&mut self, disk: &Disk, dice: &mut Dice) {
        for dice in [None, Some(dice)] {
            // In memory where there is some: what is opened there was lost already.
            let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
            let folder = folder.expect("a folder");
            let way = if dice.is_some() { "some" } else { "all" };
            disk.write_remains(&folder.path().join("data"), dice);
            self.cuts += 1;
            self.cuts_with_reports += usize::from(!self.acknowledged.is_empty());
            if let Err(error) = judge(folder.path(), &self.acknowledged) {
                self.bad += 1;
                let count = self.acknowledged.len();
                let said =
                    || format!("after {count} reports, {way} that was not synced lost: {error:#}");
                self.first.get_or_insert_with(said);
            }
        }
    }
}

/// Opens the remains as the program does, and every acknowledged report with its keys.
fn judge(folder: &Path, acknowledged: &[String]) -> anyhow::Result<()> {
    let config = config(folder, &[]);
    let newsroom = newsroom::open(&config, 0, Box::new(|| ()))?;
    let (vault, ids) = (Arc::clone(&newsroom.vault), acknowledged.to_vec());
    newsroom.store.read(move |snapshot| {
        for id in &ids {
            let row = snapshot.report(id)?.ok_or(actions::Error::NotFound)?;
            open_report(snapshot, &vault, &row)?;
        }
        Ok::<_, actions::Error>(())
    })?;
    drop(newsroom);
    let check = "PRAGMA integrity_check";
    let verdict: String = database(&config.data_dir).query_row(check, [], |row| row.get(0))?;
    anyhow::ensure!(verdict == "ok", "integrity_check: {verdict}");
    Ok(())
}
