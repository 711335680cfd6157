//! The one writer: a thread that takes what is queued, runs each job in a savepoint, commits once, then answers each.
//! Must never answer a job as done before the commit that holds it returned from the disk.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;

use rusqlite::Connection;

use super::error::{Error, Result};
use super::fatal::{Fatal, is_lost_sync};
use super::log_keeper::LogKeeper;
use super::session::Tx;

/// Most jobs committed together; bounds the wait of the first one in a batch.
const BATCH: usize = 256;
/// Most jobs waiting; beyond it a write is refused at once (503).
const QUEUE: usize = 4_096;

/// A queued change.
pub(super) trait Job: Send {
    /// Makes the change; `false` asks for it to be rolled back.
    fn run(&mut self, tx: &Tx<'_>) -> bool;
    /// Answers whoever queued it, once the fate of the commit is known.
    fn settle(self: Box<Self>, commit: Result<()>);
}

/// What a queued closure and its answer look like from the outside of the thread.
pub(super) struct Task<T, E, F, D> {
    work: Option<F>,
    outcome: Option<std::result::Result<T, E>>,
    done: D,
}

impl<T, E, F, D> Task<T, E, F, D> {
    pub(super) fn new(work: F, done: D) -> Self {
        Self {
            work: Some(work),
            outcome: None,
            done,
        }
    }
}

impl<T, E, F, D> Job for Task<T, E, F, D>
where
    T: Send,
    E: From<Error> + Send,
    F: FnOnce(&Tx<'_>) -> std::result::Result<T, E> + Send,
    D: FnOnce(std::result::Result<T, E>) + Send,
{
    fn run(&mut self, tx: &Tx<'_>) -> bool {
        let Some(work) = self.work.take() else {
            return false;
        };
        let outcome = catch_unwind(AssertUnwindSafe(|| work(tx))).unwrap_or_else(|_| {
            Err(Error::Sqlite("errore interno durante una scrittura".to_owned()).into())
        });
        let keep = outcome.is_ok();
        self.outcome = Some(outcome);
        keep
    }

    fn settle(self: Box<Self>, commit: Result<()>) {
        let answer = match (commit, self.outcome) {
            (Ok(()), Some(outcome)) => outcome,
            (Ok(()), None) => Err(Error::Closed.into()),
            // A job that failed by itself keeps its own reason.
            (Err(_), Some(Err(own))) => Err(own),
            (Err(error), _) => Err(error.into()),
        };
        (self.done)(answer);
    }
}

/// What the writer has done so far, and what waits for it.
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
    failing: AtomicBool,
    waiting: AtomicUsize,
    committed: AtomicU64,
    failed: AtomicU64,
}

impl Health {
    pub(super) fn failing(&self) -> bool {
        self.failing.load(Ordering::Acquire)
    }

    pub(super) fn load(&self) -> Load {
        Load {
            waiting: self.waiting.load(Ordering::Relaxed),
            committed: self.committed.load(Ordering::Relaxed),
            failed: self.failed.load(Ordering::Relaxed),
        }
    }
}

pub(super) struct Writer {
    queue: SyncSender<Box<dyn Job>>,
    thread: Option<JoinHandle<()>>,
    pub(super) health: Arc<Health>,
}

impl Writer {
    /// Starts the thread on its connection. `fatal` is raised when a sync failed: what the disk holds is then unknown, so
    /// the process must end and open the file again (never retry a failed sync). A database in memory has no log to keep.
    pub(super) fn start(
        connection: Connection,
        log: Option<LogKeeper>,
        fatal: Fatal,
    ) -> Result<Self> {
        let (queue, jobs) = sync_channel(QUEUE);
        let health = Arc::new(Health::default());
        let seen = Arc::clone(&health);
        let thread = std::thread::Builder::new()
            .name("writer".to_owned())
            .spawn(move || {
                Loop {
                    log,
                    connection,
                    jobs,
                    health: seen,
                }
                .run(&fatal);
            })
            .map_err(|error| Error::Disk(error.to_string()))?;
        Ok(Self {
            queue,
            thread: Some(thread),
            health,
        })
    }

    /// Queues a job; one that cannot be queued is settled at once with the reason.
    pub(super) fn enqueue(&self, job: Box<dyn Job>) {
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
        job.settle(Err(error));
    }
}

impl Drop for Writer {
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
    /// Ends before the connection does, which is the last to close.
    log: Option<LogKeeper>,
    connection: Connection,
    jobs: Receiver<Box<dyn Job>>,
    health: Arc<Health>,
}

impl Loop {
    fn run(mut self, fatal: &Fatal) {
        while let Ok(first) = self.jobs.recv() {
            let mut waiting = vec![first];
            while waiting.len() < BATCH
                && let Ok(job) = self.jobs.try_recv()
            {
                waiting.push(job);
            }
            if self.commit_all(waiting).is_err() {
                fatal.raise();
                return;
            }
            // Once they are answered: nobody waits for it but those who come next.
            if let Some(log) = &mut self.log
                && log.after_commit(&self.connection).is_err()
            {
                return;
            }
        }
    }

    /// Commits the jobs, in one transaction when nothing goes wrong. `Err` means that the disk cannot be trusted any more.
    fn commit_all(&self, jobs: Vec<Box<dyn Job>>) -> std::result::Result<(), ()> {
        let mut jobs = jobs.into_iter();
        while jobs.len() > 0 {
            let mut done = Vec::new();
            let commit = self.transaction(&mut jobs, &mut done);
            let lost_sync = commit.as_ref().is_err_and(is_lost_sync);
            let commit = commit.map_err(Error::from);
            self.note_health(&commit);
            // Before they are answered, so that whoever has an answer is not counted any more.
            self.health.waiting.fetch_sub(done.len(), Ordering::Relaxed);
            for job in done {
                answer(job, commit.clone());
            }
            if lost_sync {
                jobs.for_each(|job| answer(job, Err(Error::Closed)));
                return Err(());
            }
        }
        Ok(())
    }

    /// One transaction over as many of the jobs as it can take; those it took end up in `done`.
    fn transaction(
        &self,
        jobs: &mut impl Iterator<Item = Box<dyn Job>>,
        done: &mut Vec<Box<dyn Job>>,
    ) -> rusqlite::Result<()> {
        if let Err(error) = self.connection.execute_batch("BEGIN IMMEDIATE") {
            done.extend(jobs);
            return Err(error);
        }
        for mut job in jobs.by_ref() {
            let kept = self.savepoint(job.as_mut());
            done.push(job);
            if let Err(error) = kept {
                self.roll_back();
                return Err(error);
            }
            // SQLite ends the whole transaction by itself on a full disk or an I/O error.
            if self.connection.is_autocommit() {
                let full = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_FULL);
                return Err(rusqlite::Error::SqliteFailure(full, None));
            }
        }
        self.connection
            .execute_batch("COMMIT")
            .inspect_err(|_| self.roll_back())
    }

    fn savepoint(&self, job: &mut dyn Job) -> rusqlite::Result<()> {
        self.connection.execute_batch("SAVEPOINT job")?;
        let keep = job.run(&Tx::new(&self.connection));
        if self.connection.is_autocommit() {
            return Ok(());
        }
        self.connection.execute_batch(if keep {
            "RELEASE job"
        } else {
            "ROLLBACK TO job; RELEASE job"
        })
    }

    fn roll_back(&self) {
        if !self.connection.is_autocommit()
            && let Err(error) = self.connection.execute_batch("ROLLBACK")
        {
            tracing::error!(%error, "rollback failed");
        }
    }

    fn note_health(&self, commit: &Result<()>) {
        let failing = commit.is_err();
        let count = if failing {
            &self.health.failed
        } else {
            &self.health.committed
        };
        count.fetch_add(1, Ordering::Relaxed);
        let was = self.health.failing.swap(failing, Ordering::AcqRel);
        match (was, commit) {
            (false, Err(error)) => tracing::error!(%error, "writes are failing"),
            (true, Ok(())) => tracing::info!("writes succeed again"),
            _ => {}
        }
    }
}

/// Answers a job. Its answer runs code of whoever asked: that it panics must not end the one writer.
fn answer(job: Box<dyn Job>, commit: Result<()>) {
    if catch_unwind(AssertUnwindSafe(|| job.settle(commit))).is_err() {
        tracing::error!("the answer to a write ended abnormally");
    }
}
