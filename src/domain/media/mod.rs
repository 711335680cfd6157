//! Files that reporters attach and pictures that the newsroom uploads: kinds, names, what is stripped.

pub mod attachment;
pub mod image;
pub mod strip;
