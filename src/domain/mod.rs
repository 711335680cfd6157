//! The rules of the tip line: valid answers, the chat, reports and settings. Pure values and functions. Must never do I/O, ask
//! for the time, or name SQL, HTTP or async.

pub mod analytics;
pub mod asked;
pub mod calendar;
pub mod callout;
pub mod care;
pub mod chat;
pub mod classify;
pub mod color;
pub mod declare;
pub mod delivery;
pub mod erasure;
pub mod fields;
#[cfg(test)]
mod golden_tests;
pub mod invalid;
pub mod label;
pub mod media;
pub mod message;
pub mod moment;
pub mod notice;
pub mod numerals;
pub mod password;
pub mod payload;
pub mod person;
pub mod phrases;
pub mod redaction;
pub mod report;
pub mod retention;
pub mod routing;
pub mod settings;
pub mod siege;
pub mod stories;
pub mod system_error;
pub mod text;
