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

mod actions;
mod app;
mod backup;
pub mod cli;
mod clock;
mod config;
mod core;
mod deliveries;
mod demo;
mod doctor;
mod domain;
mod http;
mod metrics;
mod newsroom;
mod rounds;
mod search;
mod store;
mod supervisor;
mod telemetry;
mod tls;
mod vault;

/// Version of the program, as its package says.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What integration tests, benches and tools reach of the library. All else is private, so that the compiler sees dead code.
#[doc(hidden)]
pub mod testing {
    pub mod actions {
        pub use crate::actions::{Error, Result};
        pub mod claim_delivery {
            pub use crate::actions::claim_delivery::Sending;
        }
        pub mod import_report {
            pub use crate::actions::import_report::Record;
        }
        pub mod log_access {
            pub use crate::actions::log_access::Actor;
        }
        pub mod sealing {
            pub use crate::actions::sealing::open_report;
        }
        pub mod submit_report {
            pub use crate::actions::submit_report::{Submission, submit_report};
        }
        pub mod update_report {
            pub use crate::actions::update_report::{Change, update_report};
        }
    }
    pub mod app {
        pub use crate::app::{Options, Running, start};
    }
    pub mod backup {
        pub mod examine {
            pub use crate::backup::examine::verify;
        }
        pub mod restore {
            pub use crate::backup::restore::restore;
        }
    }
    pub mod cli {
        pub use crate::cli::command;
    }
    pub mod clock {
        pub use crate::clock::{Clock, Manual, zone};
    }
    pub mod config {
        pub use crate::config::{Config, Flags};
    }
    pub mod deliveries {
        pub use crate::deliveries::{OutboundPolicy, Transport};
        pub mod email {
            pub use crate::deliveries::email::{Encryption, Mail, Server, send, try_server};
        }
        pub mod letter {
            pub use crate::deliveries::letter::{Frame, render_digest, render_report};
        }
        pub mod webhook {
            pub use crate::deliveries::webhook::{Hook, body, post, post_through};
        }
    }
    pub mod domain {
        pub mod care {
            pub use crate::domain::care::{CLASSES, Concern, Measure, concern, passages};
        }
        pub mod chat {
            pub use crate::domain::chat::{Conversation, Rules, State, step};
        }
        pub mod classify {
            pub use crate::domain::classify::{Features, Head};
            pub mod math {
                pub use crate::domain::classify::math::{exp, softmax};
            }
        }
        pub mod delivery {
            pub use crate::domain::delivery::{Failure, Outcome};
        }
        pub mod payload {
            pub use crate::domain::payload::Payload;
        }
        pub mod phrases {
            pub use crate::domain::phrases::Phrases;
        }
        pub mod report {
            pub use crate::domain::report::{Draft, Report, Stato};
        }
        pub mod routing {
            pub use crate::domain::routing::{
                Analysis, Config, DIMENSIONS, Department, Memory, Pieces, Router, Routing, features,
            };
        }
        pub mod settings {
            pub use crate::domain::settings::{
                Email, EmailContent, Security, System, WebhookPayload,
            };
        }
        pub mod text {
            pub use crate::domain::text::fold;
        }
    }
    pub mod http {
        pub mod openapi {
            pub use crate::http::openapi::document;
        }
        pub mod state {
            pub use crate::http::state::Mode;
        }
    }
    pub mod newsroom {
        pub use crate::newsroom::{Newsroom, open};
    }
    pub mod store {
        pub use crate::store::Tx;
    }
    pub mod tls {
        pub use crate::tls::Status;
    }
    pub mod vault {
        pub use crate::vault::{KeyFile, PasswordParams, Vault, VaultError, open_row, seal_row};
        pub mod password {
            pub use crate::vault::password::{derive, new_salt};
        }
    }
}
