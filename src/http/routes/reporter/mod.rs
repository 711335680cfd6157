//! Routes of the reporter's return, and of messages from both sides.

pub mod messages;
pub mod plain_follow;
pub mod receipts;
