//! Backups as files: making one while the server writes, checking one whole, going back to one, and the schedule by which
//! the server makes and rehearses them (PRODUCT.md §9).
//! Must never put a key file or a password into a backup, nor change an installation before a file was checked to its end.
//!
//! - `archive`: the file: three lines of text and the compressed database
//! - `make`, `folder`: writing one, naming and counting those of a folder
//! - `panel`: the panel's JSON file, written and read part by part
//! - `examine`, `import`, `restore`: what a file is, and the way back
//! - `begin_anew`: an empty archive with other keys, where nobody can open the present one any more
//! - `schedule`, `keep`, `memory`: what the server does by itself

pub mod archive;
pub mod begin_anew;
pub mod examine;
pub mod folder;
mod import;
pub mod keep;
pub mod make;
mod memory;
pub mod panel;
pub mod restore;
pub mod schedule;
mod scratch;

pub use scratch::{left_behind, sweep_left_behind};

/// Bytes for people: whole MiB, at least one.
fn mebibytes(bytes: u64) -> u64 {
    bytes.div_ceil(1024 * 1024).max(1)
}
