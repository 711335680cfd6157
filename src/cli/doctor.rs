//! `segnalazioni doctor`: what is wrong with an installation, a line each, and an exit code that a monitor can read.

use anyhow::{Result, ensure};
use clap::Args;
use serde_json::{Map, Value, json};

use super::{CommonFlags, load, say};
use crate::clock::Clock;
use crate::deliveries::OutboundPolicy;
use crate::doctor::{Check, CheckState, Installation, error, examine};

/// The arguments of `doctor` and `status`.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    common: CommonFlags,
    /// Risponde in JSON
    #[arg(long)]
    pub(super) json: bool,
}

type Facts = Map<String, Value>;

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    answer(arguments, |installation, now| {
        (examine(installation, now), Facts::new())
    })
}

/// Says what was found, in JSON with other facts beside it; fails where something is wrong.
pub(super) fn answer(
    arguments: &Arguments,
    look: impl FnOnce(&Installation, i64) -> (Vec<Check>, Facts),
) -> Result<()> {
    let (checks, facts) = match load(&arguments.common) {
        Ok(config) => {
            let installation = Installation::of(&config, &OutboundPolicy::default());
            look(&installation, Clock::System.now_ms())
        }
        Err(fault) => {
            let wrong = Check::new("configurazione", error(format!("{fault:#}")));
            (vec![wrong], Facts::new())
        }
    };
    tell(&checks, arguments.json, facts)
}

fn tell(checks: &[Check], in_json: bool, mut facts: Facts) -> Result<()> {
    let wrong = checks
        .iter()
        .filter(|check| check.state == CheckState::Errore)
        .count();
    if in_json {
        facts.insert("ok".to_owned(), json!(wrong == 0));
        facts.insert("checks".to_owned(), json!(checks));
        say(&Value::Object(facts).to_string())?;
    } else {
        for Check {
            name,
            state,
            message,
        } in checks
        {
            say(&format!("{state:<10}  {name}: {message}"))?;
        }
    }
    ensure!(wrong == 0, "controlli non superati: {wrong}");
    Ok(())
}
