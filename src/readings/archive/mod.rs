//! What becomes of the archive with time.

pub mod retention;
