//! Tables of attachments and sieges.

pub mod attachments;
pub mod sieges;
