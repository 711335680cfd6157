//! What this machine can do: the disk's own pace, and reports committed without any HTTP. Must never take a shortcut that
//! the program does not take: same tables, same sealing, same `synchronous=FULL`.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use segnalazioni::testing::actions::{self, Act, Ready, Settings, Submission, submit};
use segnalazioni::testing::domain::{Memory, Origine, Report, concern};
use segnalazioni::testing::newsroom::{self, Newsroom};
use segnalazioni::testing::{Config, Flags};
use segnalazioni::testing::{Tx, Undo};
use uuid::Uuid;

use super::figures::{Latencies, per_second, say};
use super::support::person::SHORT;

/// Bytes of one canary write: a page of the database.
const PAGE: usize = 4096;
/// How long the canary sings.
const CANARY: Duration = Duration::from_millis(500);
/// More reports than a millisecond takes.
const A_MILLISECOND: usize = 60;
/// `f_type` of a file system in memory (statfs(2)).
const TMPFS_MAGIC: i64 = 0x0102_1994;

/// What a run on this machine can mean; answers what is worth writing down.
pub fn describe_machine(folder: &Path) -> Result<String> {
    let processors = std::thread::available_parallelism()?;
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().unwrap_or("?");
    let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    say(&format!(
        "processors: {processors}; load before: {load}; kernel: {}",
        kernel.trim()
    ));
    let kind = rustix::fs::statfs(folder)?.f_type;
    #[expect(
        clippy::useless_conversion,
        reason = "the type differs between machines"
    )]
    if i64::try_from(kind).is_ok_and(|kind| kind == TMPFS_MAGIC) {
        say("NOTE: this folder is in memory: figures of durable writes mean nothing here");
    }
    Ok(format!("{processors} processors, Linux {}", kernel.trim()))
}

/// One page overwritten and synced, over and over: the disk's pace just now.
pub fn canary(folder: &Path) -> Result<Latencies> {
    let path = folder.join("canary");
    let file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .open(&path)?;
    let page = [0x5A; PAGE];
    file.write_all_at(&page, 0)?;
    file.sync_all()?;
    let begun = Instant::now();
    let mut times = Vec::new();
    while begun.elapsed() < CANARY {
        times.push(write_once(&file, &page)?);
    }
    std::fs::remove_file(path)?;
    Ok(Latencies::new(times))
}

fn write_once(file: &File, page: &[u8]) -> Result<Duration> {
    let begun = Instant::now();
    file.write_all_at(page, 0)?;
    file.sync_data()?;
    Ok(begun.elapsed())
}

/// Rows a second, and the time of each from its queueing to its commit.
pub struct Committed {
    /// Rows a second.
    pub rate: f64,
    /// Time of each row.
    pub latencies: Latencies,
}

/// Commits reports through the program's own store and action, `together` at a time, for `span`.
///
/// Each settled report queues the next one from the writer's thread itself, so that exactly `together` of them wait
/// whenever a batch begins, and no thread is woken in between.
pub fn group_commit(folder: &Path, together: usize, span: Duration) -> Result<Committed> {
    let folder = tempfile::tempdir_in(folder)?;
    let flags = Flags {
        data_dir: Some(folder.path().to_owned()),
        ..Flags::default()
    };
    let config = Config::load(&flags, [], folder.path())?;
    let newsroom = Arc::new(newsroom::open(&config, 0, Box::new(|| ()))?);
    let (finished, ends) = channel();
    let chain = Arc::new(Chain::new(newsroom, span)?);
    let begun = Instant::now();
    for _ in 0..together {
        queue_one(&chain, &finished);
    }
    drop(finished);
    // Every link of the chain holds a sender, and lets it go last: when the channel ends, nobody else holds the store.
    if let Some(failure) = ends.into_iter().last() {
        return Err(failure).context("a commit failed");
    }
    let elapsed = begun.elapsed();
    let times = std::mem::take(&mut *chain.times.lock().unwrap_or_else(PoisonError::into_inner));
    Ok(Committed {
        rate: per_second(times.len(), elapsed),
        latencies: Latencies::new(times),
    })
}

struct Chain {
    newsroom: Arc<Newsroom>,
    /// Classified and sealed beforehand: the writer's thread shall only commit.
    waiting: Mutex<Vec<(Submission, Ready)>>,
    until: Instant,
    times: Mutex<Vec<Duration>>,
}

impl Chain {
    /// With more reports than can be committed in `span`.
    fn new(newsroom: Arc<Newsroom>, span: Duration) -> Result<Self> {
        let (store, vault) = (&newsroom.store, &newsroom.vault);
        let revision = store.revision();
        let settings = Settings::since(0).in_force(store, vault.stamp())?;
        let account = report().segnalazione;
        let (urgente, memory) = (concern(&account), Memory::default());
        let analysis = settings.router.route(&memory, &account);
        let one = || {
            let submission = Submission {
                urgente,
                ..submission()
            };
            let in_force = Some((&*settings, revision));
            let ready = Ready::new(vault, 0, &submission, analysis.clone(), in_force)?;
            Ok((submission, ready))
        };
        let many = usize::try_from(span.as_millis())? * A_MILLISECOND;
        let waiting: Result<_> = std::iter::repeat_with(one).take(many).collect();
        Ok(Self {
            waiting: Mutex::new(waiting?),
            times: Mutex::new(Vec::with_capacity(many)),
            until: Instant::now() + span,
            newsroom,
        })
    }
}

fn queue_one(chain: &Arc<Chain>, finished: &Sender<actions::Error>) {
    let vault = Arc::clone(&chain.newsroom.vault);
    let mut waiting = chain.waiting.lock().unwrap_or_else(PoisonError::into_inner);
    let Some((submission, ready)) = waiting.pop() else {
        return;
    };
    drop(waiting);
    let (next, finished) = (Arc::clone(chain), finished.clone());
    let begun = Instant::now();
    let work = move |tx: &Tx<'_>| submit(&Act::unattended(tx, &vault, 0), &submission, ready);
    let store = &chain.newsroom.store;
    store.enqueue(Undo::WithOthers, work, move |outcome| {
        match outcome {
            Ok(_) => note(&next, begun.elapsed(), &finished),
            // The receiver listens to the end.
            Err(failure) => drop(finished.send(failure)),
        }
        drop(next);
        drop(finished);
    });
}

/// One report is committed; queues the next.
fn note(chain: &Arc<Chain>, elapsed: Duration, finished: &Sender<actions::Error>) {
    let mut times = chain.times.lock().unwrap_or_else(PoisonError::into_inner);
    times.push(elapsed);
    drop(times);
    if Instant::now() < chain.until {
        queue_one(chain, finished);
    }
}

/// A report like those that people send in this bench.
pub fn submission() -> Submission {
    let id = Uuid::new_v4();
    Submission {
        urgente: None,
        id: id.to_string(),
        report: report(),
        impronta: *id.as_bytes(),
        privacy_version: "1".to_owned(),
        receipt: None,
        origine: Origine::Chat,
        routed: None,
    }
}

/// What such a report says.
pub fn report() -> Report {
    Report {
        eta: 34,
        nome: "Anna Maria".to_owned(),
        cognome: "Prova".to_owned(),
        telefono: "3331234567".to_owned(),
        email: "persona1@esempio.it".to_owned(),
        indirizzo: "Via della Prova 1, Milano".to_owned(),
        segnalazione: super::support::person::account(1, SHORT),
    }
}
