//! Routes by which reports arrive: conversation, uploads; and those of a siege.

pub mod chat;
pub mod sieges;
pub mod uploads;
