//! People with an account of their own, their invitations and second factors.

pub mod notices;
pub mod roster;
pub mod second_factor;
