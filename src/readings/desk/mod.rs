//! Readings for the desk: reports and all that staff do with them.

pub mod agenda;
pub mod analytics;
pub mod attachments;
pub mod batch_answers;
pub mod bulk;
pub mod callouts;
pub mod clean_copy;
pub mod comments;
pub mod departments;
pub mod dossier;
pub mod related;
pub mod report_detail;
pub mod reports;
pub mod routing;
pub mod selection;
pub mod stories;
pub mod todo;
pub mod views;
