//! `segnalazioni backup`: saves a copy of the archive. On success only a terminal is told: cron would send it on.

use std::io::IsTerminal;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::Args;
use serde_json::json;

use super::{CommonFlags, complain, load, reports, say};
use crate::backup::archive::Attachments;
use crate::backup::attachments::describe_missing;
use crate::backup::folder;
use crate::backup::make::{NewBackup, SavedBackup};
use crate::clock::Clock;
use crate::domain::media::attachment::size;
use crate::newsroom::stamp_of;

const STREAM: &str = "-";

#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    common: CommonFlags,
    /// Dove: una cartella, un file, o «-» per lo standard output [predefinita: la cartella backups dei dati]
    #[arg(long, value_name = "PERCORSO")]
    output: Option<PathBuf>,
    /// Tiene gli ultimi N backup della cartella ed elimina i precedenti
    #[arg(long, value_name = "N", value_parser = how_many)]
    keep: Option<NonZeroUsize>,
    /// Descrive il backup in JSON
    #[arg(long)]
    json: bool,
}

fn how_many(text: &str) -> Result<NonZeroUsize, &'static str> {
    text.parse()
        .map_err(|_| "un numero da 1 in su; con 0 non resterebbe nemmeno il backup appena fatto")
}

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    let config = load(&arguments.common)?;
    let data = &config.data_dir;
    ensure!(
        data.is_dir(),
        "la cartella dei dati {} non esiste",
        data.display()
    );
    let now = Clock::System.now_ms();
    let stamp = stamp_of(&config)
        .and_then(|stamp| stamp.with_context(|| format!("{} non c'è", config.key_file.display())));
    let new = NewBackup {
        data,
        attachments: Attachments::Included,
        now,
        stamp: stamp.as_ref().ok(),
    };
    let output = arguments.output.as_deref();
    if output == Some(Path::new(STREAM)) {
        ensure!(
            !arguments.json && arguments.keep.is_none(),
            "con --output - non si usano --json e --keep: sullo standard output va il backup"
        );
        let parent = folder::prepare(data)?;
        new.stream(&parent, std::io::stdout().lock())?;
    } else {
        print_result(arguments, &make(arguments, &new)?)?;
    }
    // Where only the server has the key file, what is saved is not signed.
    if let Err(error) = stamp {
        complain(&format!("il backup non è firmato: {error:#}"));
    }
    Ok(())
}

fn print_result(arguments: &Arguments, made: &SavedBackup) -> Result<()> {
    if made.missing > 0 {
        complain(&describe_missing(made.missing));
    }
    if arguments.json {
        let manifest = serde_json::to_value(&made.manifest)?;
        say(&json!({ "file": made.path, "bytes": made.bytes, "manifest": manifest }).to_string())?;
    } else if std::io::stdout().is_terminal() {
        say(&describe(made))?;
    }
    Ok(())
}

fn describe(made: &SavedBackup) -> String {
    let count = made.manifest.tables.get("segnalazioni").copied();
    let (file, count) = (made.path.display(), reports(count.unwrap_or_default()));
    format!(
        "Backup scritto e verificato: {file} ({count}, {}).",
        size(made.bytes)
    )
}

fn make(arguments: &Arguments, new: &NewBackup<'_>) -> Result<SavedBackup> {
    let folder = match arguments.output.as_deref() {
        Some(path) if !path.is_dir() => {
            ensure!(
                arguments.keep.is_none(),
                "--keep vuole una cartella: {} non lo è",
                path.display()
            );
            return new.save_as(path);
        }
        Some(path) => path.to_owned(),
        None => folder::prepare(new.data)?,
    };
    let made = new.save_in(&folder)?;
    if let Some(keep) = arguments.keep.filter(|_| made.missing == 0) {
        folder::keep_newest(&folder, keep.get(), new.now).context("il backup è stato scritto")?;
    }
    Ok(made)
}
