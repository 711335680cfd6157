//! What every part of the running program shares, and how it is opened: data folder, key file and key pair, made where missing.
//! Must never leave a key pair in the database whose private half is in no file and no slot.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use jiff::tz::TimeZone;

use crate::actions;
use crate::actions::in_force::{InForce, Settings};
use crate::clock::Clock;
use crate::config::Config;
use crate::store::{Error, Store, lock_opening, prepare_folder};
use crate::vault::{KeyFile, PublicKey, Vault, keypair};

/// The open newsroom, shared by handlers, deliveries and timed work.
pub struct Core {
    pub store: Arc<Store>,
    pub vault: Arc<Vault>,
    pub clock: Clock,
    pub time_zone: TimeZone,
    pub settings: Settings,
}

impl Core {
    /// The settings as they are now; not to be asked for inside of a transaction, which reads its own.
    pub fn settings(&self) -> actions::Result<Arc<InForce>> {
        self.settings.in_force(&self.store)
    }
}

pub struct Newsroom {
    pub store: Store,
    pub vault: Arc<Vault>,
}

/// Opens the newsroom of a configuration. `fatal` is called when a sync to disk failed.
pub fn open(config: &Config, now: i64, fatal: Box<dyn FnOnce() + Send>) -> Result<Newsroom> {
    prepare_folder(&config.data_dir)?;
    let _alone = lock_opening(&config.data_dir)?;
    let store = Store::open(&config.data_dir, fatal)?;
    let mut keys = KeyFile::load_or_create(&config.key_file, &config.data_dir)?;
    let public =
        key_pair(&store, &mut keys, Some(config), now).context("chiavi della redazione")?;
    let vault = Arc::new(Vault::new(&keys, public)?);
    Ok(Newsroom { store, vault })
}

/// Opens the newsroom of a folder with keys that are in no file there: whoever calls puts them where they belong before the
/// database takes the place of another.
pub fn open_with(data_dir: &Path, keys: &mut KeyFile, now: i64) -> Result<Newsroom> {
    let store = Store::open(data_dir, Box::new(|| ()))?;
    let public = key_pair(&store, keys, None, now).context("chiavi della redazione")?;
    let vault = Arc::new(Vault::new(keys, public)?);
    Ok(Newsroom { store, vault })
}

pub fn in_memory(now: i64) -> Result<Newsroom> {
    let (store, vault) = (Store::in_memory()?, Arc::new(Vault::in_memory()?));
    activate(&store, &vault.public_key(), now)?;
    Ok(Newsroom { store, vault })
}

/// The pair to seal to: the active one of the database, or a new one where nothing depends on another yet.
fn key_pair(
    store: &Store,
    keys: &mut KeyFile,
    config: Option<&Config>,
    now: i64,
) -> Result<PublicKey> {
    let Some(pair) = store.read(|snapshot| snapshot.active_key_pair())? else {
        return found(store, keys, config, now);
    };
    let public = PublicKey::from_bytes(&pair.public_key)?;
    let copy = keys.newsroom.as_ref();
    let copied = copy.is_some_and(|copy| copy.public_key() == public);
    let (slots, reports) = store.read(move |snapshot| {
        let slots = snapshot.has_slots(&pair.key_id)?;
        Ok::<_, Error>((slots, snapshot.counters()?.total))
    })?;
    match (copied, pair.sealed) {
        _ if !copied && !slots && reports == 0 => return found(store, keys, config, now),
        _ if !copied && !slots => bail!(
            "{} non ha la chiave con cui sono sigillate le segnalazioni già ricevute, e non c'è ancora una password né \
             un codice di recupero che la riapra: rimettere al suo posto il file originale",
            config
                .map_or(Path::new("il file delle chiavi"), |config| &config.key_file)
                .display()
        ),
        (true, true) => tracing::warn!(
            "the archive is to be sealed and the key file still opens it: the next login takes the key out"
        ),
        (false, false) => {
            tracing::warn!(
                "the key file lacks the newsroom's key: reports can be read after a login"
            );
        }
        _ => {}
    }
    Ok(public)
}

/// Makes the key file's pair the active one; one is made first, and safely in its file, where there is none.
fn found(
    store: &Store,
    keys: &mut KeyFile,
    config: Option<&Config>,
    now: i64,
) -> Result<PublicKey> {
    let public = if let Some(copy) = &keys.newsroom {
        copy.public_key()
    } else {
        let (private, public) = keypair::generate()?;
        keys.newsroom = Some(private);
        if let Some(config) = config {
            keys.save(&config.key_file, &config.data_dir)?;
        }
        public
    };
    activate(store, &public, now)?;
    Ok(public)
}

fn activate(store: &Store, public: &PublicKey, now: i64) -> Result<()> {
    let (key_id, bytes) = (public.key_id(), public.as_bytes().to_vec());
    Ok(store.write(move |tx| tx.activate_key_pair(&key_id, &bytes, now))?)
}
