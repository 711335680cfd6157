//! Eyes on a process: how long it runs, what it holds, what grows beside it. Must never hold it up.

use std::path::{Path, PathBuf};
use std::process::Child;
use std::time::{Duration, Instant};

use anyhow::Result;
use tokio::sync::watch::Sender;
use tokio::time::sleep;

use super::succeeded;
use super::support::memory::{high_water, ticks};
use super::support::server::Server;

/// Between two looks.
const LOOK: Duration = Duration::from_millis(20);
/// A server that used less than this of a second, in clock ticks (100 to a second), is idle.
const IDLE_TICKS: u64 = 5;

/// What was seen.
pub struct Watched {
    /// From its start to its end.
    pub time: Duration,
    /// The most memory it held, in bytes.
    pub peak: u64,
    /// The longest that the database's log was, in bytes.
    pub log: u64,
}

/// Watches a command to its end, and tells `over`.
pub async fn to_the_end(
    mut child: Child,
    data: Option<PathBuf>,
    over: Sender<bool>,
) -> Result<Watched> {
    let begun = Instant::now();
    let (mut peak, mut log) = (0, 0);
    let status = loop {
        peak = peak.max(high_water(child.id()).unwrap_or(0));
        if let Some(data) = &data {
            log = log.max(length(&data.join("segnalazioni.db-wal")));
        }
        if let Some(status) = child.try_wait()? {
            break status;
        }
        sleep(LOOK).await;
    };
    let time = begun.elapsed();
    over.send_replace(true);
    succeeded(status)?;
    Ok(Watched { time, peak, log })
}

/// Waits until a server has done what it had to do after its start.
pub async fn until_idle(server: &Server) -> Result<()> {
    let mut before = ticks(server.id())?;
    loop {
        sleep(Duration::from_secs(1)).await;
        let now = ticks(server.id())?;
        if now - before < IDLE_TICKS {
            return Ok(());
        }
        before = now;
    }
}

fn length(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |file| file.len())
}
