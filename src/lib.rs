//! `segnalazioni`: a newsroom's tip line in one executable. Citizens talk to a chat, editors work in a panel. The
//! modules, and the imports that are allowed: `docs/ARCHITECTURE.md`.

mod actions;
mod app;
mod backup;
pub mod cli;
mod clock;
mod config;
mod deliveries;
mod demo;
mod doctor;
mod domain;
mod files;
mod http;
mod metrics;
mod newsroom;
mod readings;
mod rounds;
mod search;
mod store;
mod telemetry;
mod tls;
mod vault;

/// Version of the program, as its package says.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The part of the library that integration tests, benches and tools can reach. The rest is private, so that the
/// compiler sees dead code.
#[doc(hidden)]
pub mod testing {
    pub use crate::backup::{
        examine::verify,
        restore::{RestoreOptions, restore},
    };
    pub use crate::cli::command;
    pub use crate::clock::{Clock, Manual, zone};
    pub use crate::config::{CommonFlags, Config, Flags};
    pub use crate::http::state::Mode;
    pub use crate::tls::CertificateStatus;
    pub use crate::vault::{PasswordParams, VaultError};

    pub mod actions {
        pub use crate::actions::archive::import_report::BackupReport;
        pub use crate::actions::archive::sealing::open_report;
        pub use crate::actions::outbox::send_delivery::Sending;
        pub use crate::actions::{Act, Error, Result};
    }
    pub mod app {
        pub use crate::app::{Options, Running, start};
    }
    pub mod deliveries {
        pub use crate::deliveries::email::{Mail, Server, SmtpEncryption, send, try_server};
        pub use crate::deliveries::letter::{Frame, render_digest, render_report};
        pub use crate::deliveries::policy::Hook;
        pub use crate::deliveries::webhook::{body, post, post_through};
        pub use crate::deliveries::{OutboundPolicy, Transport};
    }
    pub mod domain {
        pub use crate::domain::callout::CalloutAnswers;
        pub use crate::domain::care::{CLASSES, Concern, Measure, passages};
        pub use crate::domain::classify::math::{exp, ln, softmax};
        pub use crate::domain::classify::ngrams::features as grams;
        pub use crate::domain::classify::{Features, LinearModel, TokenizedText};
        pub use crate::domain::delivery::{Failure, Outcome};
        pub use crate::domain::payload::Payload;
        pub use crate::domain::report::{Origine, Report, Stato};
        pub use crate::domain::routing::{
            Analysis, DIMENSIONS, DepartmentKey, Departments, Matter, Pieces, features,
        };
        pub mod stories {
            pub use crate::domain::stories::account::{BUCKETS, LEAST, ReadAccount, STEP, key};
            pub use crate::domain::stories::sketches::{CANDIDATES, SketchIndex};
            pub use crate::domain::stories::{Weights, near, pair_features, story_features};
        }
        pub use crate::domain::settings::{Email, EmailContent, System, WebhookPayload};
    }
    pub mod newsroom {
        pub use crate::backup::open::open;
        pub use crate::newsroom::Newsroom;
    }
}
