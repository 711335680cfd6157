//! Settings: the stored sections, the ones in force, the secrets of integrations.

pub mod in_force;
pub mod secrets;
pub mod sections;
