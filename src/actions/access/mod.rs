//! Who gets in: logging in and out, limits on guesses, the password, the access log and its chain.

pub mod account;
pub mod log_access;
pub mod log_chain;
pub mod login_limit;
pub mod passkey_login;
pub mod set_password;
pub mod sign_in;
