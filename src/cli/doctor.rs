//! `segnalazioni doctor`: what is wrong with an installation, a line each, and an exit code that a monitor can read.

use anyhow::{Result, ensure};
use clap::Args;
use serde_json::json;

use super::{CommonFlags, load, say};
use crate::clock::Clock;
use crate::deliveries::OutboundPolicy;
use crate::doctor::{Check, CheckState, Installation, error, examine};

#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    common: CommonFlags,
    /// Risponde in JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    let checks = match load(&arguments.common) {
        Ok(config) => {
            let installation = Installation::of(&config, &OutboundPolicy::default());
            examine(&installation, Clock::System.now_ms())
        }
        Err(fault) => vec![Check::new("configurazione", error(format!("{fault:#}")))],
    };
    let wrong = checks
        .iter()
        .filter(|check| check.state == CheckState::Errore)
        .count();
    if arguments.json {
        say(&json!({ "ok": wrong == 0, "checks": checks }).to_string())?;
    } else {
        for Check {
            name,
            state,
            message,
        } in &checks
        {
            say(&format!("{state:<10}  {name}: {message}"))?;
        }
    }
    ensure!(wrong == 0, "controlli non superati: {wrong}");
    Ok(())
}
