//! `segnalazioni verify`: checks a backup as a restore would, and touches nothing.
//! Must never say that a file is good before it was read to its end.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use serde_json::json;

use super::{Common, load, made_on, reports, say};
use crate::backup::examine::verify;
use crate::clock::Clock;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    common: Common,
    /// Il backup da controllare
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Descrive il backup in JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    let config = load(&arguments.common.flags())?;
    let (sound, sample) = verify(&config, &arguments.file, Clock::System.now_ms())?;
    if arguments.json {
        let described = json!({
            "file": arguments.file,
            "kind": sound.kind,
            "created": sound.created,
            "reports": sound.found.reports(),
            "manifest": sound.manifest,
            "own": sound.own,
            "sample": sample,
            "attachments": sound.files.len(),
            "attachmentsMissing": sound.missing,
        });
        return say(&described.to_string());
    }
    let (made, count) = (
        made_on(sound.created, &config),
        reports(sound.found.reports()),
    );
    say(&format!("Il backup{made} è integro: {count}."))?;
    match (sound.files.len(), sound.missing) {
        (0, 0) => {}
        (here, 0) => say(&format!("Allegati: {here}."))?,
        (here, missing) => say(&format!("Allegati: {here}; ne mancano {missing}."))?,
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
