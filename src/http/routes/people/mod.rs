//! Routes of people and of one's own account.

pub mod account;
pub mod passkeys;
pub mod roster;
