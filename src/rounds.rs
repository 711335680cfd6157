//! The timed work of the running program: a list of jobs, each with a name, an interval and a function.
//! Must never decide here what is due, nor do in one step what would block writers for long.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use tokio::task::JoinHandle;
use tokio::time::{Instant, interval_at};

use crate::actions::access::login_limit;
use crate::actions::access::sign_in::{end_expired_sessions, lock_when_alone};
use crate::actions::archive::retention::{
    STEP, archive_resolved, drop_old_deliveries, drop_old_logs, expire_reports,
};
use crate::actions::desk::bulk::drop_old_batches;
use crate::actions::intake::attachments::drop_abandoned;
use crate::actions::people::roster::drop_old_invitations;
use crate::actions::settings::departments::move_step;
use crate::actions::settings::secrets::drop_expired_secrets;
use crate::actions::{self, Act};
use crate::backup;
use crate::clock::Clock;
use crate::deliveries::notices;
use crate::files;
use crate::http::state::{App, Mode, Shared};

/// How long after the start it begins: the first visitors do not wait for it.
const FIRST: Duration = Duration::from_secs(1);
/// How long after each other the jobs begin, again and again: one thread then does most of them, where each would begin its own,
/// with memory that it keeps.
const APART: Duration = Duration::from_millis(25);
const MINUTE: Duration = Duration::from_mins(1);
const SOON: Duration = Duration::from_secs(10);
const QUARTER: Duration = Duration::from_mins(15);
/// Steps of one kind in one run: 10,000 rows. What is left is done a minute later.
const STEPS: usize = 100;

#[derive(Clone, Copy)]
struct Round {
    name: &'static str,
    every: Duration,
    work: Task,
}

#[derive(Clone, Copy)]
enum Task {
    Run(fn(&App) -> Result<()>),
    /// One change, in a transaction of its own.
    Change(fn(&Act<'_>) -> actions::Result<()>),
    /// A change in steps, each of which answers how many rows it changed and is a transaction of its own.
    Steps(fn(&Act<'_>) -> actions::Result<usize>),
}

const fn every(every: Duration, name: &'static str, work: fn(&App) -> Result<()>) -> Round {
    let work = Task::Run(work);
    Round { name, every, work }
}

const fn change(name: &'static str, work: fn(&Act<'_>) -> actions::Result<()>) -> Round {
    let (every, work) = (MINUTE, Task::Change(work));
    Round { name, every, work }
}

const fn steps(name: &'static str, step: fn(&Act<'_>) -> actions::Result<usize>) -> Round {
    let (every, work) = (MINUTE, Task::Steps(step));
    Round { name, every, work }
}

impl Task {
    fn run(self, app: &App) -> Result<()> {
        match self {
            Self::Run(work) => work(app),
            Self::Change(change) => Ok(app.core.write(change)?),
            Self::Steps(step) => {
                for _ in 0..STEPS {
                    if app.core.write(step)? < STEP {
                        break;
                    }
                }
                Ok(())
            }
        }
    }
}

/// Quick jobs, each by itself, so that none waits for another to succeed.
const QUICK: [Round; 25] = [
    change("invitations", drop_old_invitations),
    change("sessions", end_expired_sessions),
    change("failed logins", login_limit::forget_old_attempts),
    change("known browsers", login_limit::forget_old_browsers),
    change("old signing keys", drop_expired_secrets),
    change("sealed archive", lock_when_alone),
    every(MINUTE, "counts of conversations", |app| {
        Ok(app.visitors.stops.flush(&app.store)?)
    }),
    every(QUARTER, "refusals", |app| {
        Ok(app.visitors.denials.flush(&app.store, &app.vault)?)
    }),
    steps("archiving", archive_resolved),
    steps("access log", drop_old_logs),
    steps("old deliveries", drop_old_deliveries),
    every(MINUTE, "expiry", expire),
    steps("bulk changes", drop_old_batches),
    // A stopped program may have left a removal unfinished.
    steps("removed departments", move_step),
    // More often than the minute that is promised: a backup may read at every moment that this comes. Also what a program
    // that was killed has left to be done.
    every(SOON, "erasures", |app| {
        Ok(app.store.settle_erasures::<actions::Error>()?)
    }),
    every(MINUTE, "abandoned attachments", drop_files),
    // With the erasures that they belong to.
    every(SOON, "files of attachments", |app| match &app.data {
        Some(data) => files::sweep(data, &app.store),
        None => Ok(()),
    }),
    every(SOON, "room on the disk", |app| {
        Ok(app.store.settle_reserve()?)
    }),
    every(MINUTE, "siege", |app| {
        let at = app.core.moment()?;
        app.siege.review(at);
        Ok(app.siege.record_mode(&app.store, at.now)?)
    }),
    every(MINUTE, "scratch folders", |app| match &app.data {
        Some(data) => Ok(backup::sweep_left_behind(data)?),
        None => Ok(()),
    }),
    every(MINUTE, "notices", |app| match app.mode {
        Mode::Live => notices::tell(app, &app.outbound, &format!("{}/reports", app.panel)),
        Mode::Demo => Ok(()),
    }),
    every(MINUTE, "deliveries", |app| {
        app.dispatcher.wake();
        Ok(())
    }),
    every(MINUTE, "search", |app| {
        // Another job may have locked the archive.
        app.follow_vault();
        Ok(app.search.catch_up()?)
    }),
    every(SOON, "stories", |app| Ok(app.search.settle_stories()?)),
    every(Duration::from_hours(1), "signatures", |app| {
        Ok(app.search.sign()?)
    }),
];

/// Jobs that take minutes in a large archive, and jobs with an interval of their own.
const OTHERS: [Round; 2] = [
    every(MINUTE, "backups", back_up),
    every(Duration::from_secs(5), "certificate", |app| {
        look_at_certificate(app);
        Ok(())
    }),
];

/// Begins all of it. Under a clock that is moved by hand nothing comes by itself: a test calls for the work.
pub fn begin(app: &Shared) -> Vec<JoinHandle<()>> {
    if matches!(app.clock, Clock::Manual(_)) {
        return Vec::new();
    }
    let jobs = QUICK.into_iter().chain(OTHERS);
    let at = (0..).map(|place| Instant::now() + FIRST + place * APART);
    jobs.zip(at)
        .map(|(job, first)| tokio::spawn(repeat(Arc::clone(app), job, first)))
        .collect()
}

/// Runs a job at each interval, and logs each failure once until it succeeds or fails for another reason.
async fn repeat(app: Shared, job: Round, first: Instant) {
    let mut ticks = interval_at(first, job.every);
    let mut told = String::new();
    loop {
        ticks.tick().await;
        let app = Arc::clone(&app);
        let done = tokio::task::spawn_blocking(move || job.work.run(&app)).await;
        let failure = match done {
            Ok(Ok(())) => String::new(),
            Ok(Err(error)) => format!("{error:#}"),
            // The text of a panic may quote a report.
            Err(_) => "ended abnormally".to_owned(),
        };
        if !failure.is_empty() && failure != told {
            tracing::warn!(job = job.name, error = failure, "the timed work failed");
        }
        told = failure;
    }
}

/// Runs the quick jobs once; the first failure, after all of them.
pub fn tidy(app: &App) -> Result<()> {
    let outcomes = QUICK.map(|job| job.work.run(app));
    outcomes.into_iter().collect()
}

pub fn back_up(app: &App) -> Result<()> {
    let Some(data) = &app.data else {
        return Ok(());
    };
    let _alone = app.jobs.backup.lock();
    let keeper = backup::keep::Keeper {
        core: app,
        data,
        now: app.clock.now_ms(),
        failure: &app.jobs.backup_failure,
    };
    keeper.round()
}

/// The jobs that SIGHUP starts at once.
pub fn look_again(app: &App) {
    look_at_certificate(app);
    // Also where nothing was erased: while Litestream runs the log only grows.
    app.store.note_erasure();
    if let Err(error) = app.store.settle_erasures::<actions::Error>() {
        tracing::warn!(%error, "the log of writes cannot be emptied now");
    }
}

/// Takes renewed files of the certificate, and watches its end.
pub fn look_at_certificate(app: &App) {
    if let Some(certificate) = &app.tls {
        certificate.refresh(app.clock.now_ms());
    }
}

fn drop_files(app: &App) -> Result<()> {
    let mut dropped = 0;
    for _ in 0..STEPS {
        let files = app.core.write(drop_abandoned)?;
        dropped += files;
        if files < STEP {
            break;
        }
    }
    if dropped > 0 {
        tracing::info!(
            files = dropped,
            "attached files that no report followed for a day were dropped"
        );
        app.metrics.dropped("abandoned", dropped);
    }
    Ok(())
}

fn expire(app: &App) -> Result<()> {
    for _ in 0..STEPS {
        let erased = app.core.write(expire_reports)?;
        if !erased.is_empty() {
            app.forget_erased(&erased);
        }
        if erased.len() < STEP {
            break;
        }
    }
    Ok(())
}
