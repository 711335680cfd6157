//! Opens a newsroom: its data folder, its key file and its key pair, made where they are missing.
//! Must never leave a key pair in the database whose private half is in no file and no slot.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};

use crate::config::Config;
use crate::store::{Error, Store, lock_opening, prepare_folder};
use crate::vault::{KeyFile, KeyId, NewsroomCopy, PublicKey, Vault, keypair};

/// An open newsroom.
pub struct Newsroom {
    /// Its database.
    pub store: Store,
    /// Its keys.
    pub vault: Arc<Vault>,
}

/// Opens the newsroom of a configuration. `fatal` is called when a sync to disk failed.
///
/// # Errors
/// When folder, database or key file cannot be used.
pub fn open(config: &Config, now: i64, fatal: Box<dyn FnOnce() + Send>) -> Result<Newsroom> {
    prepare_folder(&config.data_dir)?;
    let _alone = lock_opening(&config.data_dir)?;
    let store = Store::open(&config.data_dir, fatal)?;
    let mut keys = KeyFile::load_or_create(&config.key_file)?;
    let public =
        key_pair(&store, &mut keys, &config.key_file, now).context("chiavi della redazione")?;
    let vault = Arc::new(Vault::new(&keys, public)?);
    Ok(Newsroom { store, vault })
}

/// A newsroom in memory, for demonstration mode.
///
/// # Errors
/// When the system gives no memory or random numbers.
pub fn in_memory(now: i64) -> Result<Newsroom> {
    let (store, vault) = (Store::in_memory()?, Arc::new(Vault::in_memory()?));
    activate(&store, &vault.public_key(), now)?;
    Ok(Newsroom { store, vault })
}

/// The active pair of the database; on a fresh database, the key file's pair, made first where that has none.
fn key_pair(store: &Store, keys: &mut KeyFile, path: &Path, now: i64) -> Result<PublicKey> {
    let active = store.read(|snapshot| snapshot.active_key_pair())?;
    if let Some(pair) = active {
        let public: [u8; 32] = pair
            .public_key
            .try_into()
            .map_err(|_| Error::Damaged("chiave pubblica".to_owned()))?;
        return Ok(PublicKey::from_bytes(&public)?);
    }
    let public = if let Some(copy) = &keys.newsroom {
        copy.private.public_key()
    } else {
        let (private, public) = keypair::generate()?;
        keys.newsroom = Some(NewsroomCopy::new(private));
        keys.save(path)?;
        public
    };
    activate(store, &public, now)?;
    Ok(public)
}

fn activate(store: &Store, public: &PublicKey, now: i64) -> Result<KeyId> {
    let (key_id, bytes) = (public.key_id(), public.as_bytes().to_vec());
    store.write(move |tx| tx.activate_key_pair(&key_id.to_string(), &bytes, now))?;
    Ok(key_id)
}
