//! Makes a database of the panel's JSON backup: reports sealed with this newsroom's key, settings, log and ledger as they were.
//! Must never write a report in the clear, nor touch anything but the scratch folder.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result};
use jiff::Timestamp;

use super::panel::{self, PanelBackup};
use super::scratch::Scratch;
use crate::actions::save_settings::store_section;
use crate::config::{Config, KEY_FILE_NAME};
use crate::newsroom::{self, Newsroom};
use crate::store::{KEYS, Store, Tx, carry_tables, prepare_folder, read_present, settle_database};
use crate::vault::{KeyFile, Vault};

/// Entries of the access log that are kept (PRODUCT.md §6).
const LOG_KEEP: i64 = 1_000;

pub(super) struct Made {
    pub(super) created: Timestamp,
    pub(super) database: PathBuf,
    /// The key file that goes with it: a copy of the present one, or a new one where there is none.
    pub(super) key_file: PathBuf,
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
    let inner = found(config, scratch, carried)?;
    if config.key_file.exists() {
        KeyFile::load(&config.key_file)?.save(&inner.key_file)?;
    }
    let Newsroom { store, vault } = newsroom::open(&inner, now, Box::new(|| ()))?;
    let file = file.to_owned();
    let created = store.write(move |tx| fill(tx, &vault, now, &file, count))?;
    drop(store);
    Ok(Made {
        created,
        database: settle_database(&inner.data_dir)?,
        key_file: inner.key_file,
    })
}

/// A folder in the scratch folder with an empty archive, and with some tables of the present one.
pub(super) fn found(config: &Config, scratch: &Scratch, carried: &[&str]) -> Result<Config> {
    let data_dir = scratch.file("nuovo");
    let inner = Config {
        key_file: data_dir.join(KEY_FILE_NAME),
        data_dir,
        ..config.clone()
    };
    prepare_folder(&inner.data_dir)?;
    drop(Store::open(&inner.data_dir, Box::new(|| ()))?);
    if !carried.is_empty() {
        carry_tables(&config.data_dir, &inner.data_dir, carried)
            .context("l'archivio presente non si può leggere")?;
    }
    Ok(inner)
}

fn fill(tx: &Tx<'_>, vault: &Arc<Vault>, now: i64, file: &Path, count: i64) -> Result<Timestamp> {
    // The newest stands first.
    let mut seq = count;
    let rest = panel::read(file, &mut |record| {
        record.store(tx, vault, now, seq)?;
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
    store_section(tx, now, &settings.security)?;
    store_section(tx, now, &settings.system)?;
    store_section(tx, now, &settings.email)?;
    store_section(tx, now, &settings.prompts)?;
    for entry in logs.into_iter().rev() {
        tx.insert_access(&entry.row(), LOG_KEEP)?;
    }
    for entry in &erased {
        tx.enter_into_ledger(&entry.row())?;
    }
    Ok(timestamp)
}
