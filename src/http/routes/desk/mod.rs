//! Routes of the desk: list, report, changes, labels, stories, comments, views, files, figures.

pub mod agenda;
pub mod analytics;
pub mod attachments;
pub mod bulk;
pub mod callouts;
pub mod clean_copy;
pub mod comments;
pub mod dossier;
pub mod entry;
pub mod labels;
pub mod related;
pub mod reports;
pub mod routing;
pub mod stories;
pub mod views;
mod zip;
