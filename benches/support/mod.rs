//! What the bench and the long tests share: the real executable in a process of its own, a client of a few lines, and
//! people who have something to tell. Must never talk to anything but the program it started.

pub mod http;
pub mod memory;
pub mod panel;
pub mod person;
pub mod server;
