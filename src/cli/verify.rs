//! `segnalazioni verify`: checks a backup as a restore would, and touches nothing.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use serde_json::json;

use super::{CommonFlags, load, made_on, reports, say};
use crate::backup::archive::Attachments;
use crate::backup::examine::{Verified, verify};
use crate::clock::Clock;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    common: CommonFlags,
    /// Il backup da controllare
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Descrive il backup in JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    let config = load(&arguments.common)?;
    let found = verify(&config, &arguments.file, Clock::System.now_ms())?;
    let (sound, sample) = (&found.sound, found.sample);
    if arguments.json {
        let described = json!({
            "file": arguments.file,
            "kind": sound.kind,
            "created": sound.created,
            "reports": sound.found.reports(),
            "manifest": sound.manifest,
            "own": sound.own,
            "sample": sample,
            "attachments": found.attachments,
            "attachmentsMissing": found.attachments_missing,
        });
        return say(&described.to_string());
    }
    let made = made_on(sound.created, &config);
    let count = reports(sound.found.reports());
    say(&format!("Il backup{made} è integro: {count}."))?;
    if let Some(line) = attachments(&found) {
        say(&line)?;
    }
    if !sound.own {
        say(
            "Non controllato: chi lo ha scritto (non porta la firma del file delle chiavi di questa macchina).",
        )?;
    }
    match sample {
        Some(sample) => say(&format!("Aperte per prova: {}.", reports(sample.opened))),
        None => say(
            "Non controllato: se le segnalazioni si aprono (il file delle chiavi di questa macchina non ha la loro chiave).",
        ),
    }
}

fn attachments(found: &Verified) -> Option<String> {
    let (here, missing) = (found.attachments, found.attachments_missing);
    let place = match found.sound.attachments {
        Attachments::InDataFolder => ", nella cartella «allegati» e non nel backup",
        Attachments::Included => "",
    };
    match (here, missing) {
        (0, 0) => None,
        (here, 0) => Some(format!("Allegati: {here}{place}.")),
        (here, missing) => Some(format!("Allegati: {here}{place}; ne mancano {missing}.")),
    }
}
