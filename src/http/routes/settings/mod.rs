//! Routes of settings, texts of the chat and the logo.

pub mod departments;
pub mod logo;
pub mod prompts;
pub mod sections;
