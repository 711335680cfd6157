//! Opens the newsroom of a configuration. Must never migrate an archive of an earlier version that was not saved
//! first, nor make an archive in the place of one that was lost.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, bail, ensure};

use super::attachments::on_disk;
use super::folder;
use super::make::save_before_upgrade;
use crate::config::Config;
use crate::newsroom::{Newsroom, key_pair, new_keys, settle_keys, vault_of};
use crate::store::{
    PUT_ASIDE, Store, database_len, database_path, lock_opening, prepare_folder, refuse_lone_log,
};
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
    refuse_lost(&config.data_dir)?;
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

/// Refuses a folder whose archive is missing or empty while what belongs to one is there. A first start that was cut off leaves
/// nothing of the kind.
pub fn refuse_lost(data: &Path) -> Result<()> {
    let database = database_path(data);
    refuse_lone_log(&database)?;
    if database_len(data)? > 0 {
        return Ok(());
    }
    let Some(left) = remains(data)? else {
        return Ok(());
    };
    bail!(
        "{} manca o è vuoto, mentre nella cartella ci sono ancora {left}. Non è stato toccato nulla: tornare all'ultimo backup \
         buono con «segnalazioni restore» oppure, per cominciare da capo, spostare altrove la cartella {}",
        database.display(),
        data.display()
    )
}

/// The parts of a data folder that come with an archive.
fn remains(data: &Path) -> Result<Option<&'static str>> {
    if !on_disk(data)?.is_empty() {
        return Ok(Some("gli allegati di un archivio"));
    }
    if !folder::list(&data.join(folder::FOLDER))?.is_empty() {
        return Ok(Some("i backup di un archivio"));
    }
    let mut entries = data.read_dir().into_iter().flatten().flatten();
    let is_aside = |name: &str| name.starts_with(PUT_ASIDE);
    let aside = entries.any(|entry| entry.file_name().to_str().is_some_and(is_aside));
    Ok(aside.then_some("archivi messi da parte"))
}
