//! The rounds: timed work and backups, once a minute each, off the event loop. Must never decide what is due:
//! that is said below.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use anyhow::Result;
use tokio::task::JoinHandle;

use crate::backup;
use crate::clock::Clock;
use crate::http::state::{App, Shared};
use crate::keeper::Keeping;

/// How often each of them comes.
const KEEPER_EVERY: Duration = Duration::from_mins(1);

/// What is said of each part of the timed work that failed.
const TIDYING_FAILED: &str = "the timed work failed";

/// What one round does.
type Round = fn(&App) -> Result<()>;

/// Begins what comes round by itself. Backups are apart: a large archive takes minutes to copy, and sessions must not wait for
/// it. Under a clock that is moved by hand nothing comes by itself: whoever moves it calls for the rounds.
pub fn begin(app: &Shared) -> Vec<JoinHandle<()>> {
    if matches!(app.clock, Clock::Manual(_)) {
        return Vec::new();
    }
    let kinds: [(Round, &str); 2] = [
        (tidy, TIDYING_FAILED),
        (
            |app| backup::yielding(|| back_up(app)),
            "the backups were not looked after",
        ),
    ];
    kinds
        .map(|(work, complaint)| tokio::spawn(keep(Arc::clone(app), work, complaint)))
        .into()
}

/// Does some work once a minute, off the event loop.
async fn keep(app: Shared, work: Round, complaint: &'static str) {
    let mut rounds = tokio::time::interval(KEEPER_EVERY);
    loop {
        rounds.tick().await;
        let round = Arc::clone(&app);
        match tokio::task::spawn_blocking(move || work(&round)).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::warn!(%error, "{complaint}"),
            Err(error) => tracing::error!(%error, "a round of timed work ended abnormally"),
        }
    }
}

/// One round of the timed work. What failed besides the first is told here.
pub fn tidy(app: &App) -> Result<()> {
    let keeping = Keeping {
        store: &app.store,
        vault: &app.vault,
        stops: &app.stops,
        forget: &|erased| app.search.forget(erased),
    };
    // What follows does not wait for a disk that refuses a part of it.
    let kept = keeping.tidy(app.clock.now_ms());
    let mut failures: Vec<anyhow::Error> = kept.into_iter().map(Into::into).collect();
    if let Some(data) = &app.data {
        failures.extend(backup::sweep_left_behind(data).err().map(Into::into));
    }
    app.courier.wake();
    // The round may have locked the archive.
    app.follow_vault();
    failures.extend(app.search.catch_up().err().map(Into::into));
    told_once(failures)
}

/// Answers the first failure and tells the others: each once, for one cause may make several parts fail.
fn told_once(failures: Vec<anyhow::Error>) -> Result<()> {
    let mut told: Vec<String> = Vec::new();
    let mut first = Ok(());
    for error in failures {
        let text = error.to_string();
        if told.contains(&text) {
            continue;
        }
        if told.is_empty() {
            first = Err(error);
        } else {
            tracing::warn!(%error, "{TIDYING_FAILED}");
        }
        told.push(text);
    }
    first
}

/// One round of the server's own backups.
pub fn back_up(app: &App) -> Result<()> {
    let Some(data) = &app.data else {
        return Ok(());
    };
    let keeper = backup::keep::Keeper {
        data,
        store: &app.store,
        vault: &app.vault,
        zone: &app.time_zone,
        unwritten: &app.backup_failure,
    };
    let _alone = app
        .backing_up
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    keeper.round(app.clock.now_ms())
}
