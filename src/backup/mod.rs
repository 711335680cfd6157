//! Backups as files: making one while the server writes, checking and restoring one, the schedule by which the server makes and
//! rehearses them (PRODUCT.md §13), and the replica on a second machine.
//! Must never put a key file or a password into a backup, nor change an installation before a file was checked to its end.

pub mod archive;
pub mod attachments;
pub mod begin_anew;
pub mod examine;
pub mod folder;
pub mod keep;
pub mod make;
pub mod open;
pub mod panel;
pub mod replica;
pub mod restore;
pub mod schedule;
mod scratch;

pub use scratch::{left_behind, sweep_left_behind};
