//! Routes by which reports arrive: conversation, files; and those of a siege.

pub mod arriving;
pub mod chat;
pub mod form;
pub mod form_files;
pub mod sieges;
pub mod tus;
