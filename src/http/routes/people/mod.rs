//! Routes of people and of one's own account.

pub mod account;
pub mod roster;
