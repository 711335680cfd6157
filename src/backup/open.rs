//! Opens the newsroom of a configuration. Must never migrate an archive of an earlier version that was not saved first.

use anyhow::{Context, Result, ensure};
use std::sync::Arc;

use super::make::save_before_upgrade;
use crate::config::Config;
use crate::newsroom::{Newsroom, key_pair, new_keys, settle_keys, vault_of};
use crate::store::{Store, lock_opening, prepare_folder};
use crate::vault::KeyFile;

/// Opens the newsroom of a configuration, unless another program put its key pair there: new reports would be sealed for a
/// stranger. `fatal` is called when a sync to disk failed.
pub fn open(config: &Config, now: i64, fatal: Box<dyn FnOnce() + Send>) -> Result<Newsroom> {
    let (newsroom, ours) = open_even_altered(config, now, fatal)?;
    ensure!(
        ours,
        "l'archivio non è quello del file delle chiavi {}, o è stato modificato fuori dal programma: rimettere il file delle \
         chiavi giusto o un backup, oppure accettare l'archivio com'è con «segnalazioni reset-password»",
        config.key_file.display()
    );
    Ok(newsroom)
}

/// Opens an archive for a command that repairs an altered one. Also says whether the key pair is the program's own.
pub fn open_even_altered(
    config: &Config,
    now: i64,
    fatal: Box<dyn FnOnce() + Send>,
) -> Result<(Newsroom, bool)> {
    prepare_folder(&config.data_dir)?;
    let _alone = lock_opening(&config.data_dir)?;
    save_before_upgrade(config, now)?;
    let store = Store::open(&config.data_dir, fatal)?;
    let mut keys = match KeyFile::find(&config.key_file)? {
        Some(keys) => settle_keys(&store, keys, config)?,
        None => new_keys(&store, config)?,
    };
    let (public, ours) =
        key_pair(&store, &mut keys, Some(config), now).context("chiavi della redazione")?;
    let vault = Arc::new(vault_of(&store, &keys, public)?);
    Ok((Newsroom { store, vault }, ours))
}
