//! Routes of the archive as a whole: exports, erasures, sealed mode.

pub mod erasures;
pub mod export;
pub mod seal;
