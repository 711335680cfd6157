//! `segnalazioni`: a newsroom's tip line in one executable. Citizens talk to a chat, editors work in a panel.
//!
//! Imports go one way:
//!
//! ```text
//! main → cli → app → http → actions → {vault, store} → domain
//!              app, http → search → {actions::sealing, store, vault, domain}
//!              app → rounds → {http, backup, actions, store}
//!              app, http → deliveries → {actions, store, vault, domain}
//!              app, http, doctor → tls → config
//!   cli, app, http → backup → {newsroom, actions, store, vault}
//!   cli, app, http → doctor → {backup, deliveries, actions, store, vault}
//! ```
//!
//! - [`domain`]: the rules, pure: conversation, fields, phrases, settings
//! - [`vault`]: keys and sealing; [`store`]: the database
//! - [`actions`]: every change of state, one file each
//! - [`deliveries`]: mail and webhook, with `tls` the only part that opens connections outward
//! - [`search`]: finds reports by what is sealed in them
//! - [`backup`]: making, checking and restoring copies of the archive
//! - [`doctor`]: what is wrong with an installation
//! - [`http`]: the API, the pages and the embedded interface
//! - [`tls`]: the certificate that visitors are shown, from files or asked for
//! - [`app`]: puts the program together; [`cli`]: its subcommands; [`rounds`]: its timed work
//! - [`core`]: database, keys, clock and time zone, as all parts share them
//! - [`config`], [`clock`], [`telemetry`], [`metrics`], [`supervisor`]: the process

pub mod actions;
pub mod app;
pub mod backup;
pub mod cli;
pub mod clock;
pub mod config;
pub mod core;
pub mod deliveries;
pub mod demo;
pub mod doctor;
pub mod domain;
pub mod http;
pub mod metrics;
pub mod newsroom;
pub mod rounds;
pub mod search;
pub mod store;
pub mod supervisor;
pub mod telemetry;
pub mod tls;
pub mod vault;

/// Version of the program, as its package says.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
