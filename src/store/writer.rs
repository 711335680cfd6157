//! The one writer: a thread that takes what is queued, runs each job in a savepoint, commits once, then answers each.
//! Must never answer a job as done before the commit that holds it returned from the disk.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;

use rusqlite::Connection;

use super::checkpoints::LogKeeper;
use super::disk::explained;
use super::error::{Error, Result};
use super::fatal::Fatal;
use super::reserve::Reserve;
use super::session::Tx;

/// Most jobs committed together; bounds the wait of the first one in a batch.
const BATCH: usize = 256;
/// Most jobs waiting; beyond it a write is refused at once (503).
const QUEUE: usize = 4_096;

/// The part that is undone when a change fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Undo {
    /// The change alone.
    Alone,
    /// Every change of its transaction, if it has written: for what is refused before it writes, and comes by the thousand. A
    /// savepoint copies each page that it touches, a tenth of what a report costs.
    WithOthers,
}

/// A queued change.
pub(super) struct Job {
    work: Work,
    undo: Undo,
}

/// It is handed a transaction, or none where there can be none.
type Work = Box<dyn FnOnce(Option<&Tx<'_>>) -> Made + Send>;

/// The outcome of a change.
pub(super) struct Made {
    /// Whether it is to be kept, not rolled back.
    keep: bool,
    /// Answers the caller, once the fate of the commit is known.
    answer: Box<dyn FnOnce(Result<()>)>,
}

pub(super) fn job<T: 'static, E: From<Error> + 'static>(
    undo: Undo,
    work: impl FnOnce(&Tx<'_>) -> Result<T, E> + Send + 'static,
    done: impl FnOnce(Result<T, E>) + Send + 'static,
) -> Job {
    let work = Box::new(move |tx: Option<&Tx<'_>>| {
        let outcome = tx.map(|tx| {
            catch_unwind(AssertUnwindSafe(|| work(tx))).unwrap_or_else(|_| {
                Err(Error::Sqlite("errore interno durante una scrittura".to_owned()).into())
            })
        });
        Made {
            keep: matches!(outcome, Some(Ok(_))),
            answer: Box::new(move |commit| {
                done(match outcome {
                    Some(Ok(value)) => commit.map(|()| value).map_err(E::from),
                    // A job that failed by itself keeps its own reason.
                    Some(own) => own,
                    None => Err(commit.err().unwrap_or(Error::Closed).into()),
                });
            }),
        }
    });
    Job { work, undo }
}

/// The writer's work so far, and its queue.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Load {
    /// Changes that are queued or being committed.
    pub waiting: usize,
    /// Transactions that reached the disk since the start.
    pub committed: u64,
    /// Transactions that did not.
    pub failed: u64,
}

/// Whether the last commit reached the disk, and how much there was and is to do.
#[derive(Debug, Default)]
pub(super) struct Health {
    pub(super) failing: AtomicBool,
    /// See [`super::Store::revision`].
    pub(super) revision: AtomicU64,
    /// See [`Tx::ensure_epoch`].
    epoch: AtomicI64,
    waiting: AtomicUsize,
    committed: AtomicU64,
    failed: AtomicU64,
}

impl Health {
    pub(super) fn load(&self) -> Load {
        Load {
            waiting: self.waiting.load(Ordering::Relaxed),
            committed: self.committed.load(Ordering::Relaxed),
            failed: self.failed.load(Ordering::Relaxed),
        }
    }
}

pub(super) struct StoreWriter {
    queue: SyncSender<Job>,
    thread: Option<JoinHandle<()>>,
    pub(super) health: Arc<Health>,
}

impl StoreWriter {
    /// Starts the thread on its connection. `fatal` is raised when a sync failed: what the disk holds is then unknown, so
    /// the process must end and open the file again (never retry a failed sync). A database in memory has no log to keep, nor a
    /// reserve.
    pub(super) fn start(
        connection: Connection,
        log: Option<LogKeeper>,
        reserve: Option<Arc<Reserve>>,
        fatal: Fatal,
    ) -> Result<Self> {
        let (queue, jobs) = sync_channel(QUEUE);
        let health = Arc::new(Health::default());
        let work = Loop {
            others: connection.pragma_query_value(None, "data_version", |row| row.get(0))?,
            log,
            reserve,
            connection,
            jobs,
            health: Arc::clone(&health),
            fatal,
        };
        let thread = std::thread::Builder::new()
            .name("writer".to_owned())
            .spawn(|| work.run())
            .map_err(|error| Error::Disk(error.to_string()))?;
        Ok(Self {
            queue,
            thread: Some(thread),
            health,
        })
    }

    /// Queues a job; one that cannot be queued is settled at once with the reason.
    pub(super) fn enqueue(&self, job: Job) {
        // Before it is sent: the writer may be done with it at once, and takes it off again.
        self.health.waiting.fetch_add(1, Ordering::Relaxed);
        let (job, error) = match self.queue.try_send(job) {
            Ok(()) => return,
            Err(TrySendError::Full(job)) => (job, Error::QueueFull),
            Err(TrySendError::Disconnected(job)) => {
                self.health.failing.store(true, Ordering::Release);
                (job, Error::Closed)
            }
        };
        self.health.waiting.fetch_sub(1, Ordering::Relaxed);
        ((job.work)(None).answer)(Err(error));
    }
}

impl Drop for StoreWriter {
    /// Lets the thread finish what is queued and close its connection.
    fn drop(&mut self) {
        let (closed, _) = sync_channel(0);
        drop(std::mem::replace(&mut self.queue, closed));
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the writer thread ended abnormally");
        }
    }
}

struct Loop {
    /// SQLite's word for what other processes have committed.
    others: i64,
    /// Ends before the connection does, which is the last to close.
    log: Option<LogKeeper>,
    reserve: Option<Arc<Reserve>>,
    connection: Connection,
    jobs: Receiver<Job>,
    health: Arc<Health>,
    fatal: Fatal,
}

impl Loop {
    fn run(mut self) {
        while !self.fatal.is_raised()
            && let Ok(first) = self.jobs.recv()
        {
            let mut waiting = vec![first];
            // A caller about to queue another job may do so first: a sync costs the same for both.
            std::thread::yield_now();
            while waiting.len() < BATCH
                && let Ok(job) = self.jobs.try_recv()
            {
                waiting.push(job);
            }
            self.commit_all(waiting);
            // Once they are answered: only later jobs wait for it.
            if let Some(log) = &mut self.log
                && !self.fatal.is_raised()
            {
                log.after_commit(&self.connection);
            }
        }
    }

    /// Commits the jobs, in one transaction when nothing goes wrong.
    fn commit_all(&mut self, jobs: Vec<Job>) {
        let mut jobs = jobs.into_iter();
        while jobs.len() > 0 {
            let mut done = Vec::new();
            let revision = self.health.revision.load(Ordering::Acquire);
            let epoch = self.health.epoch.load(Ordering::Relaxed);
            let written = self.connection.total_changes();
            let commit = self.transaction(&mut jobs, &mut done);
            if commit.is_err() {
                self.health.epoch.store(epoch, Ordering::Relaxed);
            }
            let wrote = self.connection.total_changes() > written;
            // Raised before the commit, it tells the jobs that follow; after it, those who have read meanwhile.
            if self.health.revision.load(Ordering::Acquire) != revision {
                self.health.revision.fetch_add(1, Ordering::AcqRel);
            }
            if commit
                .as_ref()
                .is_err_and(|error| self.fatal.ends_it(error))
            {
                done.extend(jobs.by_ref().map(|job| (job.work)(None)));
            }
            let commit = commit.map_err(|error| self.told(error.into()));
            self.note_health(&commit, wrote);
            // Before they are answered: an answered job is not counted any more.
            self.health.waiting.fetch_sub(done.len(), Ordering::Relaxed);
            for made in done {
                answer(made, commit.clone());
            }
        }
    }

    /// One transaction over as many of the jobs as it can take; those it took end up in `done`.
    fn transaction(
        &mut self,
        jobs: &mut impl Iterator<Item = Job>,
        done: &mut Vec<Made>,
    ) -> rusqlite::Result<()> {
        let begun = self.execute("BEGIN IMMEDIATE");
        if let Err(error) = begun.and_then(|()| self.notice_others()) {
            self.roll_back();
            done.extend(jobs.map(|job| (job.work)(None)));
            return Err(error);
        }
        for job in jobs.by_ref() {
            let taken = match job.undo {
                Undo::Alone => self.savepoint(job.work, done),
                Undo::WithOthers => self.run_bare(job.work, done),
            };
            if let Err(error) = taken {
                self.roll_back();
                return Err(error);
            }
            // SQLite ends the whole transaction by itself on a full disk or an I/O error.
            if self.connection.is_autocommit() {
                let full = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_FULL);
                return Err(rusqlite::Error::SqliteFailure(full, None));
            }
        }
        self.execute("COMMIT").inspect_err(|_| self.roll_back())
    }

    /// Raises the revision when another process has committed.
    fn notice_others(&mut self) -> rusqlite::Result<()> {
        let mut statement = self.connection.prepare_cached("PRAGMA data_version")?;
        let others = statement.query_row([], |row| row.get(0))?;
        if others != std::mem::replace(&mut self.others, others) {
            self.health.revision.fetch_add(1, Ordering::AcqRel);
        }
        Ok(())
    }

    /// Runs a statement that is prepared once.
    fn execute(&self, sql: &str) -> rusqlite::Result<()> {
        self.connection.prepare_cached(sql)?.execute([]).map(drop)
    }

    /// Runs a change that is not undone by itself.
    fn run_bare(&self, work: Work, done: &mut Vec<Made>) -> rusqlite::Result<()> {
        let written = self.connection.total_changes();
        let tx = Tx::new(&self.connection, &self.health.revision, &self.health.epoch);
        let made = work(Some(&tx));
        let half = !made.keep && self.connection.total_changes() != written;
        done.push(made);
        if half {
            let aborted = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_ABORT);
            return Err(rusqlite::Error::SqliteFailure(aborted, None));
        }
        Ok(())
    }

    fn savepoint(&self, work: Work, done: &mut Vec<Made>) -> rusqlite::Result<()> {
        let begun = self.execute("SAVEPOINT job");
        let epoch = self.health.epoch.load(Ordering::Relaxed);
        let tx = Tx::new(&self.connection, &self.health.revision, &self.health.epoch);
        let made = work(begun.is_ok().then_some(&tx));
        let keep = made.keep;
        done.push(made);
        begun?;
        if self.connection.is_autocommit() {
            return Ok(());
        }
        if !keep {
            self.execute("ROLLBACK TO job")?;
            self.health.epoch.store(epoch, Ordering::Relaxed);
        }
        self.execute("RELEASE job")
    }

    fn roll_back(&self) {
        if !self.connection.is_autocommit()
            && let Err(error) = self.execute("ROLLBACK")
        {
            tracing::error!(%error, "rollback failed");
        }
    }

    /// Why a transaction failed. A full disk costs the reserve.
    fn told(&self, error: Error) -> Error {
        let Some(reserve) = &self.reserve else {
            return error;
        };
        let error = explained(error, &reserve.database());
        if matches!(error, Error::DiskFull) {
            reserve.release();
        }
        error
    }

    /// A transaction that wrote nothing says nothing about the disk, unless it failed.
    fn note_health(&self, commit: &Result<()>, wrote: bool) {
        let health = &self.health;
        let count = commit
            .as_ref()
            .map_or(&health.failed, |()| &health.committed);
        count.fetch_add(1, Ordering::Relaxed);
        if commit.is_ok() && !wrote {
            return;
        }
        let was = health.failing.swap(commit.is_err(), Ordering::AcqRel);
        match (was, commit) {
            (false, Err(error)) => tracing::error!(%error, "writes are failing"),
            (true, Ok(())) => tracing::info!("writes succeed again"),
            _ => {}
        }
    }
}

/// Answers a job. This runs code of the caller, whose panic must not end the one writer.
fn answer(made: Made, commit: Result<()>) {
    if catch_unwind(AssertUnwindSafe(|| (made.answer)(commit))).is_err() {
        tracing::error!("the answer to a write ended abnormally");
    }
}
