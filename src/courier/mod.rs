//! Carries what a report sets in motion out of the newsroom: mail and webhook. It is the only part of the program that
//! opens connections outward. It must never put a person's words into a log, an error or an address.
//!
//! - `worker`: takes what waits in the outbox and has it sent, one lane a destination
//! - `switchboard`: who is awake, which lanes are at work, and the stop
//! - `network`: what is sent and with which settings; `letter`: the mails
//! - `email`, `webhook`: the senders; `way`, `addresses`: where they may go and for how long
//! - `reach`: whether the other side could be reached, with nothing sent; `in_time`: a limit of the whole
//! - `failure`: why something did not arrive

mod addresses;
pub mod email;
pub mod failure;
mod in_time;
pub mod letter;
mod network;
pub mod picture;
pub mod reach;
mod switchboard;
pub mod way;
pub mod webhook;
mod worker;

pub use network::Network;
pub use worker::{Courier, House, Silent};

use failure::Failure;

use crate::actions::claim_delivery::Parcel;

/// Takes one message to its destination and comes back with the answer. The network, or what a test puts in its place.
pub trait Carrier: Send + Sync + 'static {
    /// Sends the parcel; returns when the other side took it.
    fn carry(&self, parcel: &Parcel) -> Result<(), Failure>;
}
