//! Tables of sessions, login attempts and the access log.

pub mod access_log;
pub mod sessions;
