//! People with an account of their own, their invitations and second factors.

pub mod notices;
pub mod passkeys;
pub mod roster;
pub mod second_factor;
