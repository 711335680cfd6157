//! `kill -9` under load. After each kill the program must start at once and hold every report it acknowledged; what was
//! sent and not answered is sent again and must make one report, never two. The control looks at each killed archive
//! without its write-ahead log, where reports are missing for certain, and must say so.

use std::collections::BTreeSet;
use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};
use rusqlite::{Connection as Database, ErrorCode, OpenFlags};
use tokio::runtime::Runtime;
use tokio::task::JoinHandle;

use super::support::http::Connection;
use super::support::person::{LastTurn, finish, talk};
use super::support::server::Installation;
use super::{Dice, length_of, say};

/// Kills of one data folder, before its content is counted and a new one is begun.
const GENERATION: u64 = 20;
/// The kill comes this long after the people began, in milliseconds.
const MOMENT_MS: std::ops::Range<u64> = 200..2_000;
/// A killed program must listen again this soon.
const READY: Duration = Duration::from_secs(2);
/// Name of the database in the data folder.
const DATABASE: &str = "segnalazioni.db";

/// What the people know of one data folder.
#[derive(Default)]
struct Ledger {
    acknowledged: Vec<String>,
    /// Sent, and never answered.
    unanswered: Vec<LastTurn>,
}

/// What all rounds came to.
#[derive(Default)]
struct Tally {
    acknowledged: usize,
    retried: usize,
    slowest_start: Duration,
    /// Reports that the control missed.
    seen_by_control: usize,
}

/// Kills `program` so many times.
pub fn run(program: &Path, rounds: u64, people: usize, mut dice: Dice) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let mut tally = Tally::default();
    let mut left = rounds;
    while left > 0 {
        let kills = left.min(GENERATION);
        generation(&runtime, program, kills, people, &mut dice, &mut tally)?;
        left -= kills;
        say(&format!(
            "{} of {rounds} kills: {} reports acknowledged, none lost or doubled",
            rounds - left,
            tally.acknowledged
        ));
    }
    ensure!(tally.acknowledged > 0, "nothing was acknowledged");
    ensure!(
        tally.seen_by_control > 0,
        "the control lost nothing: this test would not notice a loss"
    );
    say(&format!(
        "kill -9: {rounds} rounds, {} reports acknowledged ({} of them on the second try), 0 lost, 0 doubled; ready in \
         {:.0?} at most; control without the log: {} losses noticed",
        tally.acknowledged, tally.retried, tally.slowest_start, tally.seen_by_control
    ));
    Ok(())
}

/// Some kills of one data folder, then its reports are counted.
fn generation(
    runtime: &Runtime,
    program: &Path,
    kills: u64,
    people: usize,
    dice: &mut Dice,
    tally: &mut Tally,
) -> Result<()> {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
    let installation = Installation::new(program, folder.path())?;
    let ledger = Arc::new(Mutex::new(Ledger::default()));
    let mut checked = 0;
    for kill in 0..kills {
        let begun = Instant::now();
        let server = installation.start()?;
        if kill > 0 {
            tally.slowest_start = tally.slowest_start.max(begun.elapsed());
            ensure!(
                begun.elapsed() <= READY,
                "ready after {:?}",
                begun.elapsed()
            );
        }
        tally.retried += runtime.block_on(send_again(server.address, &ledger))?;
        let acknowledged = lock(&ledger).acknowledged[checked..].to_vec();
        checked += acknowledged.len();
        let archive = Archive::open(&installation.data())?;
        let lost = archive.missing(&acknowledged)?;
        ensure!(lost == 0, "{lost} acknowledged reports lost by a kill");
        archive.check()?;
        let moment = MOMENT_MS.start + dice.below(MOMENT_MS.end - MOMENT_MS.start);
        let first = usize::try_from(dice.next() >> 40)?;
        runtime.block_on(async {
            let crowd = crowd(server.address, people, first, &ledger);
            tokio::time::sleep(Duration::from_millis(moment)).await;
            server.kill()?;
            for person in crowd {
                person.await??;
            }
            anyhow::Ok(())
        })?;
        tally.seen_by_control += control(&installation.data(), &lock(&ledger).acknowledged)?;
    }
    let server = installation.start()?;
    tally.retried += runtime.block_on(send_again(server.address, &ledger))?;
    server.stop()?;
    let ledger = lock(&ledger);
    tally.acknowledged += ledger.acknowledged.len();
    Archive::open(&installation.data())?.holds_exactly(&ledger.acknowledged)
}

/// People who tell one story after the other until the server is gone.
fn crowd(
    address: SocketAddr,
    people: usize,
    first: usize,
    ledger: &Arc<Mutex<Ledger>>,
) -> Vec<JoinHandle<Result<()>>> {
    let person = |number| {
        let ledger = Arc::clone(ledger);
        tokio::spawn(async move {
            match tell(address, &ledger, number, people).await {
                // The server is gone, as it was meant to be.
                Err(error) if error.is::<io::Error>() => Ok(()),
                other => other,
            }
        })
    };
    (first..first + people).map(person).collect()
}

/// One person, whose stories bear this number and every `step`th after it.
async fn tell(
    address: SocketAddr,
    ledger: &Mutex<Ledger>,
    mut number: usize,
    step: usize,
) -> Result<()> {
    let mut connection = Connection::open(address).await?;
    loop {
        let last = talk(&mut connection, number, length_of(number)).await?;
        number += step;
        match finish(&mut connection, &last).await {
            Ok(id) => lock(ledger).acknowledged.push(id),
            Err(error) => {
                lock(ledger).unanswered.push(last);
                return Err(error);
            }
        }
    }
}

/// Sends what was not answered again; answers how many reports that made known.
async fn send_again(address: SocketAddr, ledger: &Mutex<Ledger>) -> Result<usize> {
    let unanswered = std::mem::take(&mut lock(ledger).unanswered);
    let mut connection = Connection::open(address).await?;
    for last in &unanswered {
        let id = finish(&mut connection, last).await?;
        lock(ledger).acknowledged.push(id);
    }
    Ok(unanswered.len())
}

/// How many acknowledged reports are missing from the database file alone, without its log.
fn control(data: &Path, acknowledged: &[String]) -> Result<usize> {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
    std::fs::copy(data.join(DATABASE), folder.path().join(DATABASE))?;
    let missing = Archive::open(folder.path())?.missing(acknowledged);
    // Killed while the log was being folded back, the file is no database at all without it: that tells nothing.
    let torn = |error: &anyhow::Error| {
        error
            .downcast_ref::<rusqlite::Error>()
            .and_then(rusqlite::Error::sqlite_error_code)
            == Some(ErrorCode::DatabaseCorrupt)
    };
    match missing {
        Err(error) if torn(&error) => Ok(0),
        other => other,
    }
}

/// The stored reports, read beside the program.
pub(super) struct Archive(Database);

impl Archive {
    pub(super) fn open(data: &Path) -> Result<Self> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY;
        Ok(Self(Database::open_with_flags(data.join(DATABASE), flags)?))
    }

    pub(super) fn missing(&self, ids: &[String]) -> Result<usize> {
        let tables: i64 = self.0.query_row(
            "SELECT count(*) FROM sqlite_schema WHERE name = 'segnalazioni'",
            [],
            |row| row.get(0),
        )?;
        // A database without its log may not know the table yet: then everything is missing.
        if tables == 0 {
            return Ok(ids.len());
        }
        let mut known = self
            .0
            .prepare("SELECT EXISTS (SELECT 1 FROM segnalazioni WHERE id = ?1)")?;
        let mut missing = 0;
        for id in ids {
            missing += usize::from(!known.query_row([id], |row| row.get::<_, bool>(0))?);
        }
        Ok(missing)
    }

    pub(super) fn check(&self) -> Result<()> {
        let verdict: String = self
            .0
            .query_row("PRAGMA integrity_check", [], |row| row.get(0))?;
        ensure!(verdict == "ok", "integrity_check: {verdict}");
        Ok(())
    }

    /// Every acknowledged report once, and nothing that nobody sent.
    fn holds_exactly(&self, acknowledged: &[String]) -> Result<()> {
        self.check()?;
        let mut statement = self.0.prepare("SELECT id FROM segnalazioni")?;
        let stored: Vec<String> = statement
            .query_map([], |row| row.get(0))?
            .collect::<rusqlite::Result<_>>()?;
        let known: BTreeSet<&String> = acknowledged.iter().collect();
        ensure!(known.len() == acknowledged.len(), "one id for two reports");
        let lost = known.len() - stored.iter().filter(|id| known.contains(id)).count();
        let doubled = stored.len() + lost - known.len();
        if lost + doubled > 0 {
            bail!("{lost} reports lost, {doubled} doubled");
        }
        Ok(())
    }
}

fn lock(ledger: &Mutex<Ledger>) -> MutexGuard<'_, Ledger> {
    ledger.lock().unwrap_or_else(PoisonError::into_inner)
}
