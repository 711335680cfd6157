//! Routes of sessions and of the access log.

pub mod logs;
pub mod passkey_session;
pub mod session;
