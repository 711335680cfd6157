//! `segnalazioni status`: how the installation stands, on one screen, and an exit code that a monitor can read.

use anyhow::Result;
use clap::Args;
use serde_json::{Map, Value, json};

use super::doctor::tell;
use super::{CommonFlags, LONG_VERSION, load, say};
use crate::clock::Clock;
use crate::deliveries::OutboundPolicy;
use crate::doctor::{Installation, Standing, stand};

#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    common: CommonFlags,
    /// Risponde in JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    let config = load(&arguments.common)?;
    let installation = Installation::of(&config, &OutboundPolicy::default());
    let standing = stand(&installation, Clock::System.now_ms());
    if !arguments.json {
        say(&format!("segnalazioni {LONG_VERSION}"))?;
    }
    tell(&standing.checks, arguments.json, facts(&standing))
}

fn facts(standing: &Standing) -> Map<String, Value> {
    let uptime = standing.uptime.map(|uptime| uptime.as_secs());
    let facts = [
        ("version", json!(crate::VERSION)),
        ("running", json!(uptime.is_some())),
        ("uptimeSeconds", json!(uptime)),
        ("reportsToday", json!(standing.today)),
    ];
    let facts = facts.into_iter();
    facts.map(|(name, fact)| (name.to_owned(), fact)).collect()
}
