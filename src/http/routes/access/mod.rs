//! Routes of sessions and of the access log.

pub mod logs;
pub mod session;
