//! What the kernel says of a process, and the pace of the disk.

use std::fs;
use std::fs::OpenOptions;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};

use super::figures::Latencies;

/// Bytes of one canary write: a page of the database.
const PAGE: usize = 4096;
/// How long the canary runs.
const CANARY: Duration = Duration::from_millis(500);
/// A run in which the canary or the bare hello changed its pace by more than this factor is void.
pub const STEADY: f64 = 1.2;

pub fn describe() -> Result<String> {
    let processors = std::thread::available_parallelism()?;
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease")?;
    Ok(format!("{processors} processors, Linux {}", kernel.trim()))
}

/// The bytes that a process holds in memory.
pub fn resident(id: u32) -> Result<u64> {
    memory(id, "VmRSS:")
}

/// The most bytes that it held since its start or since [`forget_high_water`].
pub fn high_water(id: u32) -> Result<u64> {
    memory(id, "VmHWM:")
}

pub fn forget_high_water(id: u32) -> Result<()> {
    Ok(fs::write(format!("/proc/{id}/clear_refs"), "5")?)
}

fn memory(id: u32, name: &str) -> Result<u64> {
    let status = fs::read_to_string(format!("/proc/{id}/status"))?;
    let line = status.lines().find(|line| line.starts_with(name));
    let kib = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
    Ok(kib.with_context(|| format!("no {name} of {id}"))? * 1024)
}

/// Processor time of a process so far, in clock ticks (100 to a second).
pub fn ticks(id: u32) -> Result<u64> {
    let stat = fs::read_to_string(format!("/proc/{id}/stat"))?;
    let (_, rest) = stat.rsplit_once(") ").context("no name")?;
    let mut fields = rest.split(' ').skip(11);
    let mut next = || -> Result<u64> { Ok(fields.next().context("no time")?.parse()?) };
    Ok(next()? + next()?)
}

/// The pace of the disk: one page overwritten and synced again and again.
pub fn canary(folder: &Path) -> Result<Latencies> {
    let path = folder.join("canary");
    let mut options = OpenOptions::new();
    let file = options
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
        let written = Instant::now();
        file.write_all_at(&page, 0)?;
        file.sync_data()?;
        times.push(written.elapsed());
    }
    fs::remove_file(path)?;
    Ok(Latencies::new(times))
}
