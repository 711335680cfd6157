//! `segnalazioni verify`: checks a backup as a restore would, and touches nothing.
//! Must never say that a file is good before it was read to its end.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use serde_json::json;

use super::remarks::{remarks_json, remarks_told};
use super::{Common, load, local, reports, say};
use crate::backup::examine::{Sound, verify};

/// Arguments of `verify`.
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
    let file = &arguments.file;
    let sound = verify(&config, file)?;
    if arguments.json {
        let manifest = match &sound {
            Sound::Archive { manifest, .. } => Some(manifest),
            Sound::PutAside { .. } | Sound::Json(_) => None,
        };
        let described = json!({
            "file": file,
            "kind": sound.kind(),
            "created": sound.created(),
            "reports": sound.reports(),
            "manifest": manifest,
            "remarks": sound.remarks().map(remarks_json),
        });
        return say(&described.to_string());
    }
    let made = sound
        .created()
        .map_or_else(String::new, |at| format!(" del {}", local(at, &config)));
    say(&format!(
        "Il backup{made} è integro: {}.",
        reports(sound.reports())
    ))?;
    let remarks = sound.remarks().map(remarks_told).unwrap_or_default();
    remarks.iter().try_for_each(|line| say(line))
}
