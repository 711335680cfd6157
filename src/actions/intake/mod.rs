//! Taking reports: the conversation, attachments, the submission, the siege, counts of abandoned conversations.

pub mod attachments;
pub mod converse;
pub mod count_stops;
pub mod ended;
pub mod siege;
pub mod submit_report;
