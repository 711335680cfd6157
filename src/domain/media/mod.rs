//! Files that reporters attach and pictures that the newsroom uploads: kinds, names, what is stripped.

pub mod attachment;
mod container;
mod film;
pub mod icon;
pub mod image;
pub mod kind;
pub mod strip;
