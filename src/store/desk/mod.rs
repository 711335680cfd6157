//! Tables of reports, their history, counters, labels, callouts, stories, comments, what each has to look at, views, batches and the memory of moves.

pub mod agenda;
pub mod asides;
pub mod batches;
pub mod callouts;
pub mod comments;
pub mod counts;
pub mod filter;
pub mod labels;
mod looks;
pub mod masks;
pub mod pages;
pub mod reports;
pub mod routing_memory;
pub mod seq_range;
pub mod stories;
pub mod views;
