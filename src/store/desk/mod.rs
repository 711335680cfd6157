//! Tables of reports, their history, counters, labels, comments, what each has to look at, views, batches and the memory of moves.

pub mod agenda;
pub mod batches;
pub mod comments;
pub mod counts;
pub mod filter;
pub mod labels;
pub mod reports;
pub mod routing_memory;
pub mod views;
