//! What a process holds in memory and had of the processors, as the kernel counts it. Must never take a process that is gone
//! for one that holds nothing.

use std::fs;

use anyhow::{Context as _, Result};

/// What it holds now, in bytes.
pub fn resident(id: u32) -> Result<u64> {
    field(id, "VmRSS:")
}

/// The most it held since its start, or since [`forget_high_water`], in bytes.
pub fn high_water(id: u32) -> Result<u64> {
    field(id, "VmHWM:")
}

/// Has the high-water mark begin again where the process stands now.
pub fn forget_high_water(id: u32) -> Result<()> {
    Ok(fs::write(format!("/proc/{id}/clear_refs"), "5")?)
}

/// Processor time of a process so far, in clock ticks (100 to a second).
pub fn ticks(id: u32) -> Result<u64> {
    let stat = fs::read_to_string(format!("/proc/{id}/stat"))?;
    let (_, rest) = stat.rsplit_once(") ").context("no name")?;
    let mut fields = rest.split(' ').skip(11);
    let mut next = || -> Result<u64> { Ok(fields.next().context("no time")?.parse()?) };
    Ok(next()? + next()?)
}

fn field(id: u32, name: &str) -> Result<u64> {
    let status = fs::read_to_string(format!("/proc/{id}/status"))?;
    let line = status.lines().find(|line| line.starts_with(name));
    let kib = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
    Ok(kib.with_context(|| format!("no {name} of {id}"))? * 1024)
}
