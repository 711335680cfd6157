//! Backups as files: making one while the server writes, checking one whole, going back to one, and the schedule by which
//! the server makes and rehearses them (PRODUCT.md §9).
//! Must never put a key file or a password into a backup, nor change an installation before a file was checked to its end.
//!
//! - `packed`: the file: two lines of text, the compressed database, a digest of all of it
//! - `make`, `shelf`: writing one, naming and counting those of a folder
//! - `examine`: what a file is, and whether it is whole; `json`, `fields`: the panel's file, read part by part
//! - `restore`, `import`, `erased`, `told`: the way back, which lets nothing return that was erased
//! - `schedule`, `keep`, `status`: what the server does by itself

pub mod erased;
pub mod examine;
mod fields;
mod import;
pub mod json;
pub mod keep;
pub mod make;
pub mod packed;
pub mod restore;
pub mod schedule;
mod scratch;
pub mod shelf;
mod status;
mod steady;
mod told;

pub use scratch::{left_behind, sweep_left_behind};

use jiff::Timestamp;

/// How much whoever reports comes first, from 0 to 19: writing and compressing can wait.
pub const NICE: i32 = 10;

/// Does some work behind whoever reports: on a thread of its own, because a priority is not given back.
pub fn yielding(work: impl FnOnce() -> anyhow::Result<()> + Send) -> anyhow::Result<()> {
    std::thread::scope(|scope| {
        let working = scope.spawn(|| {
            // Refused where the process may not: it is a courtesy, not a condition.
            let _ = rustix::process::nice(NICE);
            work()
        });
        working
            .join()
            .unwrap_or_else(|_| Err(anyhow::anyhow!("a round of backups ended abnormally")))
    })
}

/// A moment in milliseconds as the files write it.
fn moment(ms: i64) -> anyhow::Result<Timestamp> {
    Ok(Timestamp::from_millisecond(ms)?)
}

/// Bytes for people: whole MiB, at least one.
fn mebibytes(bytes: u64) -> u64 {
    bytes.div_ceil(1024 * 1024).max(1)
}
