//! Tables of sessions, login attempts, passkeys and the access log.

pub mod access_log;
pub mod passkeys;
pub mod sessions;
