//! Carries what a report sets in motion out of the newsroom: mail and webhook. It is the only part of the program that
//! opens connections outward. It must never put a person's words into a log, an error or an address.

pub mod failure;
