//! Small text classifiers, trained by the product's own code: hashed character n-grams and multinomial logistic
//! regression. It must never use what differs between machines (threads, hash seeds, the system's mathematics): the same
//! samples give the same head, to the last bit, everywhere.
//!
//! A classifier is built so:
//!
//! 1. [`ngrams::Ngrams::features`] makes [`Features`] of a text that [`ngrams::letters`] has prepared; other numbers are
//!    put behind them with [`Features::push`], in dimensions of their own.
//! 2. [`softmax::Training`] takes [`Sample`]s; [`softmax::Training::fit`] gives a [`softmax::Head`].
//! 3. [`folds::cross_validate`] says how well such a head does on samples it has not seen; [`folds::temperature`] makes its
//!    probabilities mean what they say.
//! 4. [`softmax::Head::probabilities`] answers, and [`softmax::Head::contribution`] says what an answer is made of.
//!
//! A head is kept as bytes ([`softmax::Head::to_bytes`]): 16 bits a weight.

mod features;
pub mod folds;
pub mod math;
pub mod ngrams;
pub mod softmax;

pub use features::Features;

/// A text to learn from.
#[derive(Debug, Clone)]
pub struct Sample {
    /// What is measured of it.
    pub features: Features,
    /// Number of its class.
    pub label: usize,
    /// How much it counts; 1 for an ordinary one.
    pub weight: f64,
    /// The part of a cross-validation in which it is tested; `None` for one that is only learnt from.
    pub fold: Option<usize>,
}
