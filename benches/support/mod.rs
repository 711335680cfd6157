//! What both benches share: the executable in a process of its own, clients, people with something to tell, a filled archive
//! and tables.

pub mod archive;
pub mod client;
pub mod figures;
pub mod hello;
pub mod load;
pub mod machine;
pub mod person;
pub mod server;
