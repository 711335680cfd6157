//! A new start for an archive that no key opens any more. An empty archive with other keys takes its place; the old one is put
//! aside whole, and `restore` takes it back once its recovery code is found. Must never begin anew while the present archive can
//! be opened, nor without the new key in a slot.

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};

use super::panel::found;
use super::restore::{copy_of, hold, put_in_place};
use super::scratch::Scratch;
use crate::actions::Act;
use crate::actions::access::set_password;
use crate::actions::access::set_password::NewPassword;
use crate::actions::archive::authenticity::Trust;
use crate::actions::settings::sections::{clear_allowed_ips, clear_unreadable};
use crate::config::Config;
use crate::newsroom::{self, Newsroom, trust_on_disk};
use crate::store::{Error, Held, Present, SETTINGS, read_present, settle_database};
use crate::vault::{KeyFile, RecoveryCode};

/// An installation that may begin anew, and is locked until it has.
pub struct Closed {
    held: Held,
    pub present: Present,
}

pub fn take(config: &Config) -> Result<Closed> {
    let held = hold(config)?;
    let present = read_present(&config.data_dir)?
        .ok_or_else(|| Error::Missing(config.data_dir.display().to_string()))?;
    ensure!(
        copy_of(&config.key_file)? != present.key_id,
        "il file delle chiavi apre le segnalazioni: per una nuova password --abandon non serve"
    );
    Ok(Closed { held, present })
}

/// Begins anew with the former settings; returns where the former archive is.
pub fn begin_anew(
    config: &Config,
    closed: &Closed,
    now: i64,
    password: NewPassword,
    code: RecoveryCode,
    lift_allow_list: bool,
) -> Result<PathBuf> {
    let scratch = Scratch::below(&config.data_dir)?;
    let data_dir = found(config, &scratch, &SETTINGS)?;
    // A key file that is missing is made, and one that cannot be written stops this before anything changes.
    let (key_file, data) = (&config.key_file, &config.data_dir);
    let mut keys = KeyFile::find(key_file)?.map_or_else(KeyFile::generate, Ok)?;
    keys.save(key_file, data)?;
    keys.newsroom = None;
    let held = trust_on_disk(config)? != Some(Trust::Integro);
    let Newsroom { store, vault } = newsroom::open_with(&data_dir, &mut keys, now, held)?;
    let private = vault.private_key()?;
    store.write(move |tx| {
        let act = Act::unattended(tx, &vault, now);
        clear_unreadable(&act)?;
        if lift_allow_list {
            clear_allowed_ips(&act)?;
        }
        set_password::set_up(&act, &password, &code)
    })?;
    drop(store);
    let database = settle_database(&data_dir)?;
    let aside = put_in_place(config, &closed.held, &database, now)?;
    // If the program stops here, the next login writes the key.
    KeyFile::restore_copy(key_file, data, private)?;
    aside.context("l'archivio di prima non c'è più")
}
