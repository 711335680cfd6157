//! Opens a newsroom: its data folder, its key file and its key pair, made where they are missing.
//! Must never leave a key pair in the database whose private half is in no file and no slot.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, bail};

use crate::actions::{self, erase_returned::erase_returned};
use crate::config::Config;
use crate::store::{Error, Store, Tx, lock_opening, prepare_folder};
use crate::vault::{KeyFile, KeyId, NewsroomCopy, PublicKey, Vault, keypair};

/// An open newsroom.
pub struct Newsroom {
    /// Its database.
    pub store: Store,
    /// Its keys.
    pub vault: Arc<Vault>,
}

impl Newsroom {
    /// Compares the list of erased reports beside the database with what this holds, and erases again what came back. For the
    /// start of a server, before anybody reads a report or a delivery goes out.
    pub fn let_stay_erased(&self, now: i64) {
        let lines = self.store.lines_beside().map_err(actions::Error::from);
        match lines.and_then(|lines| erase_returned(&self.store, &lines, now)) {
            Ok(0) => {}
            Ok(reports) => tracing::warn!(
                reports,
                "reports that had been erased came back with the database and were erased again"
            ),
            // No reason not to take reports.
            Err(error) => tracing::error!(
                %error,
                "erased reports may have come back with the database: looked for again at the next start"
            ),
        }
    }
}

/// Opens the newsroom of a configuration. `fatal` is called when a sync to disk failed.
pub fn open(config: &Config, now: i64, fatal: Box<dyn FnOnce() + Send>) -> Result<Newsroom> {
    prepare_folder(&config.data_dir)?;
    let _alone = lock_opening(&config.data_dir)?;
    let store = Store::open(&config.data_dir, fatal)?;
    if let Err(error) = store.keep_ledger() {
        // No reason not to take reports; the timed work tries it again.
        tracing::error!(%error, "the list of erased reports beside the archive cannot be written");
    }
    let mut keys = KeyFile::load_or_create(&config.key_file)?;
    let public =
        key_pair(&store, &mut keys, &config.key_file, now).context("chiavi della redazione")?;
    let vault = Arc::new(Vault::new(&keys, public)?);
    Ok(Newsroom { store, vault })
}

/// A newsroom in memory, for demonstration mode.
pub fn in_memory(now: i64) -> Result<Newsroom> {
    let (store, vault) = (Store::in_memory()?, Arc::new(Vault::in_memory()?));
    activate(&store, &vault.public_key(), now)?;
    Ok(Newsroom { store, vault })
}

/// The pair to seal to: the active one of the database, or a new one where nothing depends on another yet.
fn key_pair(store: &Store, keys: &mut KeyFile, path: &Path, now: i64) -> Result<PublicKey> {
    match standing(store, keys)? {
        Standing::Reachable(public) => Ok(public),
        Standing::Fresh => found(store, keys, path, now),
        Standing::Unreachable => bail!(
            "{} non ha la chiave con cui sono sigillate le segnalazioni già ricevute, e non c'è ancora una password né \
             un codice di recupero che la riapra: rimettere al suo posto il file originale",
            path.display()
        ),
    }
}

/// What the database and the key file say of the newsroom's pair.
enum Standing {
    /// Its private half is in the key file or in a slot.
    Reachable(PublicKey),
    /// There is no pair, or one that nobody can open and that nothing was sealed to.
    Fresh,
    /// Reports were sealed to a pair that nobody can open.
    Unreachable,
}

fn standing(store: &Store, keys: &KeyFile) -> Result<Standing> {
    let Some(pair) = store.read(|snapshot| snapshot.active_key_pair())? else {
        return Ok(Standing::Fresh);
    };
    let public: [u8; 32] = pair
        .public_key
        .try_into()
        .map_err(|_| Error::Damaged("chiave pubblica".to_owned()))?;
    let public = PublicKey::from_bytes(&public)?;
    let copied = keys
        .newsroom
        .as_ref()
        .is_some_and(|copy| copy.key_id == public.key_id());
    if copied {
        if pair.sealed {
            tracing::warn!(
                "the archive is to be sealed and the key file still opens it: the next login takes the key out"
            );
        }
        return Ok(Standing::Reachable(public));
    }
    let (slots, reports) = store.read(move |snapshot| {
        Ok::<_, Error>((
            snapshot.has_slots(&pair.key_id)?,
            snapshot.counters()?.total,
        ))
    })?;
    Ok(match (slots, reports) {
        (true, _) => {
            if !pair.sealed {
                tracing::warn!(
                    "the key file lacks the newsroom's key: reports can be read after a login"
                );
            }
            Standing::Reachable(public)
        }
        (false, 0) => Standing::Fresh,
        (false, _) => Standing::Unreachable,
    })
}

/// Makes the key file's pair the active one; one is made first, and safely in its file, where there is none.
fn found(store: &Store, keys: &mut KeyFile, path: &Path, now: i64) -> Result<PublicKey> {
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

/// Makes another pair the active one, with its private half in the key file first; `also` is what must be stored with it.
/// The pair of before stays in the database, with its slots and all that is sealed to it.
pub fn begin_anew(
    store: &Store,
    key_file: &Path,
    now: i64,
    also: impl FnOnce(&Tx<'_>, &Vault) -> actions::Result<()> + Send + 'static,
) -> Result<Arc<Vault>> {
    let mut keys = KeyFile::load_or_create(key_file)?;
    let (private, public) = keypair::generate()?;
    keys.newsroom = Some(NewsroomCopy::new(private));
    keys.save(key_file)?;
    let vault = Arc::new(Vault::new(&keys, public)?);
    let (inside, key_id) = (Arc::clone(&vault), public.key_id().to_string());
    store.write(move |tx| {
        tx.activate_key_pair(&key_id, public.as_bytes(), now)?;
        also(tx, &inside)
    })?;
    Ok(vault)
}

fn activate(store: &Store, public: &PublicKey, now: i64) -> Result<KeyId> {
    let (key_id, bytes) = (public.key_id(), public.as_bytes().to_vec());
    store.write(move |tx| tx.activate_key_pair(&key_id.to_string(), &bytes, now))?;
    Ok(key_id)
}
