//! Makes a database of the panel's JSON backup: reports sealed with this newsroom's key, settings, log and ledger as they were.
//! Must never write a report or a key in the clear, nor touch anything but the scratch folder.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use jiff::Timestamp;

use super::panel::{self, PanelBackup};
use super::scratch::Scratch;
use crate::actions::Act;
use crate::actions::settings::store_section;
use crate::config::Config;
use crate::newsroom::{self, Newsroom};
use crate::store::{KEYS, Store, carry_tables, prepare_folder, read_present, settle_database};
use crate::vault::KeyFile;

/// Entries of the access log that are kept (PRODUCT.md §6).
const LOG_KEEP: i64 = 1_000;

pub(super) struct Made {
    pub(super) created: Timestamp,
    pub(super) database: PathBuf,
    /// The keys that go with it: those of the present key file, or new ones where there is none.
    pub(super) keys: KeyFile,
}

/// Makes the database. It has the keys and the password of the present one, where that can be read.
pub(super) fn import(config: &Config, file: &Path, scratch: &Scratch, now: i64) -> Result<Made> {
    let mut count = 0;
    panel::read(file, &mut |_| {
        count += 1;
        Ok(())
    })?;
    let carried: &[&str] = match read_present(&config.data_dir) {
        Ok(Some(_)) => &KEYS,
        _ => &[],
    };
    let data_dir = found(config, scratch, carried)?;
    let mut keys = if config.key_file.exists() {
        KeyFile::load(&config.key_file)?
    } else {
        KeyFile::generate()?
    };
    let Newsroom { store, vault } = newsroom::open_with(&data_dir, &mut keys, now)?;
    let file = file.to_owned();
    let created = store.write(move |tx| fill(&Act::unattended(tx, &vault, now), &file, count))?;
    drop(store);
    Ok(Made {
        created,
        database: settle_database(&data_dir)?,
        keys,
    })
}

/// A folder in the scratch folder with an empty archive, and with some tables of the present one.
pub(super) fn found(config: &Config, scratch: &Scratch, carried: &[&str]) -> Result<PathBuf> {
    let data_dir = scratch.file("nuovo");
    prepare_folder(&data_dir)?;
    drop(Store::open(&data_dir, Box::new(|| ()))?);
    if !carried.is_empty() {
        carry_tables(&config.data_dir, &data_dir, carried)
            .context("l'archivio presente non si può leggere")?;
    }
    Ok(data_dir)
}

fn fill(act: &Act<'_>, file: &Path, count: i64) -> Result<Timestamp> {
    // The newest stands first.
    let mut seq = count;
    let rest = panel::read(file, &mut |record| {
        record.store(act, seq)?;
        seq -= 1;
        Ok(())
    })?;
    let PanelBackup {
        timestamp,
        settings,
        logs,
        erased,
        ..
    } = rest;
    store_section(act, &settings.security)?;
    store_section(act, &settings.system)?;
    store_section(act, &settings.email)?;
    store_section(act, &settings.prompts)?;
    for entry in logs.into_iter().rev() {
        act.insert_access(&entry.row(), LOG_KEEP)?;
    }
    for entry in &erased {
        act.enter_into_ledger(&entry.row())?;
    }
    Ok(timestamp)
}
