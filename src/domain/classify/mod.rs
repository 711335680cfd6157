//! Small text classifiers: hashed character n-grams and a linear head whose weights ship as a file (made by `tools/train`).
//! Must never use what differs between machines (threads, hash seeds, the system's mathematics): the same text has the same
//! probabilities, to the last bit, everywhere.

mod head;
pub mod math;
pub mod ngrams;
mod reading;

pub use head::LinearModel;
pub use reading::{SLOTS, TokenizedText, Word, slot};

/// What is measured of a text: few numbers in many dimensions, in order, each dimension once.
pub type Features = Vec<(u32, f64)>;
