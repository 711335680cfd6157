//! The work of editors on reports: changes of one and of many, labels, stories, comments, views, the memory of moves.

pub mod bulk;
pub mod clean_copy;
pub mod comments;
pub mod done;
pub mod edit_reports;
pub mod labels;
pub mod openings;
pub mod proposals;
pub mod routing_memory;
pub mod sender_aside;
pub mod snooze;
pub mod stories;
pub mod views;
