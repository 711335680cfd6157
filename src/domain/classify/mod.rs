//! Small text classifiers: hashed character n-grams and a linear model whose weights ship as a file (made by `tools/train`).
//! Nothing depends on the machine (threads, hash seeds, mathematics of the system): a text has the same probabilities
//! everywhere, to the last bit.

mod head;
pub mod math;
pub mod ngrams;
mod reading;

pub use head::LinearModel;
pub use reading::{SLOTS, TokenizedText, Word, slot};

/// Dimensions with their values, in order, each once.
pub type Features = Vec<(u32, f64)>;
