//! Files that reporters attach and pictures that the newsroom uploads: kinds, names, what is stripped.

pub mod attachment;
pub mod image;
mod sound;
pub mod strip;
