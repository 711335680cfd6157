//! The power goes. The program runs under strace while people finish their reports; then its disk is rebuilt as it would
//! be after a power cut at every acknowledgement and at every sync, and opened by the program's own code. Each report
//! that was acknowledged by then must be there, open, in a sound database. `kill -9` cannot test this: the system keeps
//! what a killed program wrote, synced or not.
//!
//! The control replays the same record as if the log had never been synced, which is what `synchronous=NORMAL` does
//! between checkpoints, and must find reports lost.

mod disk;
mod trace;

use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use rusqlite::Connection as Database;
use segnalazioni::testing::actions::{self, open_report};
use segnalazioni::testing::newsroom;
use segnalazioni::testing::{Config, Flags};
use tempfile::TempDir;

use super::support::http::Connection;
use super::support::person::{finish, talk};
use super::support::server::Installation;
use super::{Dice, length_of, say};
use disk::{Disk, Lost, Syncs};
use trace::{Moment, moments};

/// People who talk at once: enough for several reports to share a commit.
const PEOPLE: usize = 4;
/// How long strace may take to write its last line after the program has ended.
const TRACING: Duration = Duration::from_secs(30);
/// Longest text of one write that is recorded, in bytes: more than the program ever writes at once.
const LONGEST_WRITE: &str = "16777216";
/// Everything that touches a file's content or name, and what goes out over sockets.
const CALLS: &str = "trace=?open,openat,?creat,close,dup,?dup2,dup3,fcntl,lseek,write,writev,pwrite64,pwritev,ftruncate,\
                     truncate,fallocate,copy_file_range,sendfile,fsync,fdatasync,?sync_file_range,?rename,renameat,\
                     renameat2,?link,linkat,?unlink,unlinkat,sendto,sendmsg";

/// What the cuts of one replay came to.
#[derive(Default)]
struct Verdict {
    cuts: usize,
    /// Cuts after the first acknowledgement.
    cuts_with_reports: usize,
    /// Cuts after which a report was missing, or nothing could be opened.
    bad: usize,
    acknowledged: usize,
    /// The first bad cut, in words.
    first: Option<String>,
}

/// Records so many reports, and replays the record.
pub fn run(program: &Path, reports: usize, mut dice: Dice) -> Result<()> {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
    let installation = Installation::new(program, folder.path())?;
    let record = installation.data().with_file_name("record.strace");
    let acknowledged = make_record(&installation, &record, reports)?;
    ensure!(acknowledged >= reports, "only {acknowledged} acknowledged");
    let data = installation.data();
    let kept = replay(&record, &data, &Syncs::Honoured, &mut dice)?;
    say(&kept.in_words("power cuts"));
    if let Some(first) = kept.first {
        bail!("acknowledged reports did not survive a power cut: {first}");
    }
    ensure!(
        kept.acknowledged == acknowledged,
        "{acknowledged} reports were acknowledged, the record shows {}",
        kept.acknowledged
    );
    let control = replay(&record, &data, &Syncs::IgnoredFor("-wal"), &mut dice)?;
    say(&control.in_words("control, log never synced"));
    ensure!(
        control.bad * 2 > control.cuts_with_reports,
        "the control lost next to nothing: this test would not notice a loss"
    );
    Ok(())
}

impl Verdict {
    fn in_words(&self, title: &str) -> String {
        format!(
            "{title}: {} cuts, {} reports acknowledged, reports lost or damaged at {} cuts",
            self.cuts, self.acknowledged, self.bad
        )
    }
}

/// Runs the program under strace while people finish their reports; answers how many were acknowledged.
fn make_record(installation: &Installation, record: &Path, reports: usize) -> Result<usize> {
    let mut strace = installation.confined(Path::new("strace"));
    // -D: the program is this process's child, and strace a bystander, so that a signal reaches the program.
    strace
        .args([
            "-D",
            "-f",
            "-q",
            "-xx",
            "-s",
            LONGEST_WRITE,
            "-e",
            CALLS,
            "-e",
            "signal=none",
            "-o",
        ])
        .arg(record)
        .arg(installation.program());
    let found = Command::new("strace").arg("-V").output();
    found.context("strace is needed: install Debian's package strace")?;
    let server = installation.serve(strace)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let acknowledged = runtime.block_on(tell(server.address, reports))?;
    server.stop()?;
    wait_for_the_end_of(record)?;
    Ok(acknowledged)
}

async fn tell(address: SocketAddr, reports: usize) -> Result<usize> {
    let taken = Arc::new(AtomicUsize::new(0));
    let mut people = tokio::task::JoinSet::new();
    for _ in 0..PEOPLE {
        let taken = Arc::clone(&taken);
        people.spawn(async move {
            let mut connection = Connection::open(address).await?;
            let mut told = 0;
            loop {
                let number = taken.fetch_add(1, Ordering::Relaxed);
                if number >= reports {
                    return anyhow::Ok(told);
                }
                let last = talk(&mut connection, number, length_of(number)).await?;
                finish(&mut connection, &last).await?;
                told += 1;
            }
        });
    }
    let mut told = 0;
    while let Some(person) = people.join_next().await {
        told += person??;
    }
    Ok(told)
}

/// strace writes on for a moment after the program has ended.
fn wait_for_the_end_of(record: &Path) -> Result<()> {
    let begun = Instant::now();
    loop {
        if trace::is_whole(record)? {
            return Ok(());
        }
        ensure!(
            begun.elapsed() < TRACING,
            "strace does not finish its record"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Rebuilds the disk along the record, and looks at it wherever the power may go.
fn replay(record: &Path, data: &Path, syncs: &Syncs, dice: &mut Dice) -> Result<Verdict> {
    let mut disk = Disk::new(data, syncs);
    let mut acknowledged = Vec::new();
    let mut verdict = Verdict::default();
    moments(record, &mut |moment| {
        let cut = match &moment {
            Moment::Sent { bytes } => {
                let before = acknowledged.len();
                acknowledged.extend(report_ids(bytes));
                acknowledged.len() > before
            }
            // The worst moment: everything since the last sync is still on its way.
            Moment::Called { call, .. } => call.is_sync() && disk.knows(call),
            Moment::Returned { .. } => false,
        };
        if cut {
            look(&disk, &acknowledged, dice, &mut verdict)?;
        }
        disk.follow(&moment)
    })?;
    look(&disk, &acknowledged, dice, &mut verdict)?;
    verdict.acknowledged = acknowledged.len();
    Ok(verdict)
}

/// The ids of reports in an answer that goes out.
fn report_ids(bytes: &[u8]) -> Vec<String> {
    const MEMBER: &str = "\"reportId\":\"";
    let text = String::from_utf8_lossy(bytes);
    let answers = text.split(MEMBER).skip(1);
    answers
        .filter_map(|rest| rest.split_once('"').map(|(id, _)| id.to_owned()))
        .collect()
}

/// Cuts the power here, in both ways, and judges what is left.
fn look(
    disk: &Disk,
    acknowledged: &[String],
    dice: &mut Dice,
    verdict: &mut Verdict,
) -> Result<()> {
    for lost in [Lost::EverythingUnsynced, Lost::SomeOfIt] {
        let folder = scratch()?;
        let data = folder.path().join("data");
        disk.write_remains(&data, lost, dice)?;
        verdict.cuts += 1;
        verdict.cuts_with_reports += usize::from(!acknowledged.is_empty());
        if let Err(error) = judge(&data, acknowledged) {
            verdict.bad += 1;
            let count = acknowledged.len();
            let said = || format!("after {count} acknowledgements, {lost:?}: {error:#}");
            verdict.first.get_or_insert_with(said);
        }
    }
    Ok(())
}

/// A folder in memory where there is one: what is opened there was lost already.
fn scratch() -> Result<TempDir> {
    let in_memory = Path::new("/dev/shm");
    let folder = if in_memory.is_dir() {
        tempfile::tempdir_in(in_memory)
    } else {
        tempfile::tempdir()
    };
    Ok(folder?)
}

/// Opens the remains as the program does, and every acknowledged report with its keys.
fn judge(data: &Path, acknowledged: &[String]) -> Result<()> {
    let flags = Flags {
        data_dir: Some(data.to_owned()),
        ..Flags::default()
    };
    let config = Config::load(&flags, [], data)?;
    let newsroom = newsroom::open(&config, 0, Box::new(|| ()))?;
    let vault = Arc::clone(&newsroom.vault);
    let ids = acknowledged.to_vec();
    newsroom.store.read(move |snapshot| {
        for id in &ids {
            let row = snapshot.report(id)?.ok_or(actions::Error::NotFound)?;
            open_report(snapshot, &vault, &row)?;
        }
        Ok::<_, actions::Error>(())
    })?;
    drop(newsroom);
    let database = fs::read_dir(data)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| path.extension().is_some_and(|extension| extension == "db"));
    let database = Database::open(database.context("no database")?)?;
    let verdict: String = database.query_row("PRAGMA integrity_check", [], |row| row.get(0))?;
    ensure!(verdict == "ok", "integrity_check: {verdict}");
    Ok(())
}
