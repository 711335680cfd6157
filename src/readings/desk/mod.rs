//! What the desk is shown: reports and all that staff do with them.

pub mod analytics;
pub mod callouts;
