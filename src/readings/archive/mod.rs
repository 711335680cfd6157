//! Readings of what leaves the archive, as a file or with time.

pub mod export;
pub mod retention;
pub mod sealed_mode;
