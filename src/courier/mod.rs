//! Carries what a report sets in motion out of the newsroom: mail and webhook. It is the only part of the program that
//! opens connections outward. It must never put a person's words into a log, an error or an address.

mod addresses;
pub mod email;
pub mod failure;
pub mod letter;
pub mod way;
pub mod webhook;
