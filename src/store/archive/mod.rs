//! Tables of keys, erased ids and search signatures.

pub mod erasure;
pub mod keys;
pub mod signatures;
