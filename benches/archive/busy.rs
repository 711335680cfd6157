//! Long work while reports arrive: a change of all reports, and a backup; then `verify` and `restore` with nothing beside them.
//! A ratio compares the load beside the work with the load alone just before it.

use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow, ensure};
use serde_json::json;

use super::support::client::Session;
use super::support::figures::{Latencies, Row, mib};
use super::support::load::{prepare, report_at_pace};
use super::support::machine::high_water;
use super::support::server::{Installation, Server};
use super::{LOOK, row, wait_for_rest, word};

/// Reports finished a second.
const RATE: u32 = 50;
/// How long the load lasts alone.
const ALONE: Duration = Duration::from_secs(6);
/// Reports are prepared for a load of this length, of which a twentieth is the one alone.
const LONGEST: Duration = Duration::from_mins(3);
/// In an archive of at most so many reports all of them are changed at once, several times.
const CHANGED: usize = 10_000;
const CHANGES: usize = 4;

pub fn measure(
    installation: &Installation,
    server: Server,
    session: &mut Session,
    reports: usize,
) -> Result<Vec<Row>> {
    let file = installation.data().with_file_name("bench.backup");
    let mut longest = f64::NAN;
    let mut ratios = [f64::NAN; 2];
    if reports <= CHANGED {
        (longest, ratios) = beside(&server, || change_all(session, reports))?;
    }
    let backup = ["backup", "--output", word(&file)];
    let ((time, memory), [_, p99]) = beside(&server, || command(installation, &backup))?;
    let mut rows = vec![
        row("change of all reports: longest, s", longest, 1).most(2.0),
        row(
            "change of all reports: p50 of a report, ratio",
            ratios[0],
            2,
        ),
        row(
            "change of all reports: p99 of a report, ratio",
            ratios[1],
            2,
        )
        .most(1.5),
        row("`backup`, s", time, 1),
        row("`backup`: peak memory, MiB", memory, 0),
        row("`backup`: p99 of a report, ratio", p99, 2).most(2.0),
    ];
    server.stop()?;
    for verb in ["verify", "restore"] {
        let (time, memory) = command(installation, &[verb, word(&file)])?;
        rows.push(row(&format!("`{verb}`, s"), time, 1));
        rows.push(row(&format!("`{verb}`: peak memory, MiB"), memory, 0));
    }
    Ok(rows)
}

/// Does the work while reports arrive; answers what it found, and p50 and p99 of a report as multiples of the load alone.
fn beside<T>(server: &Server, work: impl FnOnce() -> Result<T>) -> Result<(T, [f64; 2])> {
    let many = usize::try_from(LONGEST.as_secs() * u64::from(RATE))?;
    let turns = prepare(server.address, many)?;
    wait_for_rest(server)?;
    let (first, others) = turns.split_at(turns.len() / 20);
    let ((), alone) = while_reporting(server, first, || {
        sleep(ALONE);
        Ok(())
    })?;
    let (found, busy) = while_reporting(server, others, work)?;
    let ratio = |share| busy.percentile_ms(share) / alone.percentile_ms(share);
    Ok((found, [50, 99].map(ratio)))
}

fn while_reporting<T>(
    server: &Server,
    turns: &[Vec<u8>],
    work: impl FnOnce() -> Result<T>,
) -> Result<(T, Latencies)> {
    let ended = AtomicBool::new(false);
    thread::scope(|scope| {
        let reporters = scope.spawn(|| report_at_pace(server.address, turns, RATE, &ended));
        let found = work();
        ended.store(true, Ordering::Relaxed);
        let times = reporters
            .join()
            .map_err(|_| anyhow!("a client panicked"))??;
        Ok((found?, times))
    })
}

/// Changes the status of all reports several times; answers the seconds of the slowest change.
fn change_all(session: &mut Session, reports: usize) -> Result<f64> {
    let mut longest = Duration::ZERO;
    for stato in ["In lavorazione", "Nuova"].iter().cycle().take(CHANGES) {
        let body = json!({ "filter": {}, "change": { "stato": stato } });
        let begun = Instant::now();
        let done = session.send("POST", "/reports/bulk", &body)?;
        longest = longest.max(begun.elapsed());
        let changed = done["changed"].as_u64().unwrap_or(0);
        ensure!(2 * changed >= u64::try_from(reports)?, "{done}");
    }
    Ok(longest.as_secs_f64())
}

/// Runs a command on the data folder; answers its seconds, and the most MiB that it held.
fn command(installation: &Installation, words: &[&str]) -> Result<(f64, f64)> {
    let mut command = installation.confined(installation.program());
    command.args(words).stdout(Stdio::null());
    command.arg("--data-dir").arg(installation.data());
    let begun = Instant::now();
    let (mut child, mut peak) = (command.spawn()?, 0);
    let status = loop {
        peak = peak.max(high_water(child.id()).unwrap_or(0));
        if let Some(status) = child.try_wait()? {
            break status;
        }
        sleep(LOOK);
    };
    ensure!(status.success(), "{words:?} ended with {status}");
    Ok((begun.elapsed().as_secs_f64(), mib(peak)))
}
