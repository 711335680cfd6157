//! What leaves the archive: as a file, and with time.

pub mod export;
pub mod retention;
