//! The archive of reports as a whole: sealing and opening, import, retention, sealed mode, authenticity.

pub mod authenticity;
pub mod import_report;
pub mod rekey;
pub mod retention;
pub mod seal_archive;
pub mod sealing;
