//! Routes by which reports arrive: conversation, uploads; and those of a siege.

pub mod chat;
pub mod form;
pub mod sieges;
pub mod uploads;
