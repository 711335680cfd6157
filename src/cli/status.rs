//! `segnalazioni status`: how the installation stands, on one screen, and an exit code that a monitor can read.

use anyhow::Result;
use serde_json::{Map, Value, json};

use super::doctor::{Arguments, answer};
use super::{LONG_VERSION, say};
use crate::doctor::{Standing, stand};

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    if !arguments.json {
        say(&format!("segnalazioni {LONG_VERSION}"))?;
    }
    answer(arguments, |installation, now| {
        let standing = stand(installation, now);
        let facts = facts(&standing);
        (standing.checks, facts)
    })
}

fn facts(standing: &Standing) -> Map<String, Value> {
    let uptime = standing.uptime.map(|uptime| uptime.as_secs());
    let facts = [
        ("version", json!(crate::VERSION)),
        ("running", json!(standing.running)),
        ("uptimeSeconds", json!(uptime)),
        ("reportsToday", json!(standing.today)),
    ];
    let facts = facts.into_iter();
    facts.map(|(name, fact)| (name.to_owned(), fact)).collect()
}
