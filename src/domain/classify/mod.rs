//! Small text classifiers: hashed character n-grams and a linear head whose weights ship as a file (made by `tools/train`).
//! Must never use what differs between machines (threads, hash seeds, the system's mathematics): the same text has the same
//! probabilities, to the last bit, everywhere.

mod features;
mod head;
pub mod math;
pub mod ngrams;

pub use features::Features;
pub use head::Head;
