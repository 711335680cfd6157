//! The state that every part of the running program shares, and the keys that open it, made if they are missing. Must
//! never leave a key pair in the database whose private half is in no file and no slot.

use std::cell::Cell;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::sync_channel;

use anyhow::{Context, Result, ensure};
use jiff::tz::TimeZone;

use crate::actions::access::log_access::Actor;
use crate::actions::archive::authenticity::{Trust, adopt, fits, trust};
use crate::actions::intake::siege::Moment;
use crate::actions::settings::in_force::{InForce, Settings};
use crate::actions::{self, Act};
use crate::clock::Clock;
use crate::config::Config;
use crate::store::{Error, Snapshot, Store, Tx, Undo, has_database, look};
use crate::vault::passkey::Site;
use crate::vault::{KeyFile, KeyFileError, PrivateKey, PublicKey, Stamp, Vault, keypair};

pub struct Core {
    pub store: Arc<Store>,
    pub vault: Arc<Vault>,
    pub clock: Clock,
    pub time_zone: TimeZone,
    pub settings: Settings,
}

impl Core {
    pub fn moment(&self) -> actions::Result<Moment> {
        let most = self.settings()?.security.max_reports_per_day;
        Ok(Moment::new(self.clock.now_ms(), &self.time_zone, most))
    }

    /// Queues a change. `done` runs on the writer's thread after it, and is told whether the vault was opened or locked.
    pub fn enqueue<T: Send + 'static>(
        &self,
        by: Actor,
        undo: Undo,
        work: impl FnOnce(&Act<'_>) -> actions::Result<T> + Send + 'static,
        done: impl FnOnce(actions::Result<T>, bool) + Send + 'static,
    ) {
        let (now, vault) = (self.clock.now_ms(), Arc::clone(&self.vault));
        let settled = Arc::clone(&vault);
        self.store.enqueue(
            undo,
            move |tx| {
                let change = Cell::default();
                let tx = tx.seeing(&by.visible_departments());
                let made = work(&Act::new(&tx, &vault, now, &by, &change))?;
                Ok((made, change.take()))
            },
            move |result| match result {
                Ok((made, change)) => done(Ok(made), change.apply(&settled)),
                Err(error) => done(Err(error), false),
            },
        );
    }

    /// Makes a change of the program's own, and waits until it is on disk; not on the event loop.
    pub fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Act<'_>) -> actions::Result<T> + Send + 'static,
    ) -> actions::Result<T> {
        let (answer, outcome) = sync_channel(1);
        self.enqueue(Actor::default(), Undo::Alone, work, move |result, _| {
            // The caller waits below.
            let _ = answer.send(result);
        });
        let outcome = outcome.recv();
        outcome.unwrap_or_else(|_| Err(Error::Closed.into()))
    }

    /// The settings as they are now; not on the event loop, nor inside of a transaction, which reads its own.
    pub fn settings(&self) -> actions::Result<Arc<InForce>> {
        self.settings.in_force(&self.store, self.vault.stamp())
    }
}

pub struct Newsroom {
    pub store: Store,
    pub vault: Arc<Vault>,
}

/// New keys; on disk where there is an archive. Whose that is cannot be told any more: it is signed first, because under a key
/// that is on disk an archive without its signature counts as altered.
pub fn new_keys(store: &Store, config: &Config) -> Result<KeyFile> {
    let keys = KeyFile::generate()?;
    if let Some(pair) = store.read(|snapshot| snapshot.active_key_pair())? {
        is_needed(store, &pair.key_id, Some(config))?;
        let stamp = keys.stamp()?;
        store.write(move |tx| adopt(tx, &stamp, tx.is_in_use()?))?;
        keys.save(&config.key_file, &config.data_dir)?;
    }
    Ok(keys)
}

/// Opens the newsroom of a folder with keys that are in no file there: the caller puts them where they belong before the
/// database takes the place of another. What is in it is signed; `held` where it came from elsewhere.
pub fn open_with(data_dir: &Path, keys: &mut KeyFile, now: i64, held: bool) -> Result<Newsroom> {
    let store = Store::open(data_dir, Box::new(|| ()))?;
    let stamp = keys.stamp()?;
    store.write(move |tx| adopt(tx, &stamp, held))?;
    let (public, _) = key_pair(&store, keys, None, now).context("chiavi della redazione")?;
    let vault = Arc::new(vault_of(&store, keys, public)?);
    Ok(Newsroom { store, vault })
}

/// Whichever keys of the file an archive is sealed for: an exchange of keys may have been cut off before or after its transaction.
/// Where neither fits, both stay.
pub fn fitting_keys(snapshot: &Snapshot<'_>, mut keys: KeyFile) -> actions::Result<KeyFile> {
    if let Some(next) = keys.next.take() {
        if fits(snapshot, &next.stamp()?)? {
            return Ok(*next);
        }
        if !fits(snapshot, &keys.stamp()?)? {
            keys.next = Some(next);
        }
    }
    Ok(keys)
}

/// The fitting keys alone are left in the file.
pub fn settle_keys(store: &Store, keys: KeyFile, config: &Config) -> Result<KeyFile> {
    if keys.next.is_none() {
        return Ok(keys);
    }
    let settled = store.read(move |snapshot| fitting_keys(snapshot, keys))?;
    if settled.next.is_none() {
        settled.save(&config.key_file, &config.data_dir)?;
    }
    Ok(settled)
}

/// Exchanges the keys of an archive that nothing else uses. Until the transaction is on disk the key file has both, so that after
/// a kill one of them fits. Also answers whether the former keys left the file then: where not, the next opening takes them out.
pub fn exchange_keys<T: Send + 'static>(
    store: &Store,
    config: &Config,
    coming: KeyFile,
    work: impl FnOnce(&Tx<'_>) -> actions::Result<T> + Send + 'static,
) -> Result<(T, Result<(), KeyFileError>)> {
    let mut keys = KeyFile::load(&config.key_file)?;
    keys.next = Some(Box::new(coming));
    keys.save(&config.key_file, &config.data_dir)?;
    let done = store.write(work)?;
    let left = keys.next.map_or(Ok(()), |coming| {
        coming.save(&config.key_file, &config.data_dir)
    });
    Ok((done, left))
}

/// Passkeys that are not valid where this configuration serves, in words; `None` where all are.
pub fn passkeys_elsewhere(
    snapshot: &Snapshot<'_>,
    config: &Config,
) -> Result<Option<String>, Error> {
    let origin = config.passkey_origin(config.listen);
    let here = origin.as_deref().and_then(Site::at).map(|site| site.host);
    let mut others = snapshot.passkey_hosts()?;
    others.retain(|(host, _)| Some(host) != here.as_ref());
    if others.is_empty() {
        return Ok(None);
    }
    let count: i64 = others.iter().map(|(_, count)| count).sum();
    let hosts = others.into_iter().map(|(host, _)| host);
    let hosts = hosts.collect::<Vec<_>>().join(", ");
    let here = here.map_or_else(
        || "a questo indirizzo, che non le permette,".to_owned(),
        |host| format!("su {host}"),
    );
    let valid = if count == 1 { "vale" } else { "valgono" };
    Ok(Some(format!(
        "{count} passkey di {hosts}: {here} non {valid}. Chi le usa accede con la password e ne aggiunge una nuova."
    )))
}

/// The vault of an archive with these keys.
pub fn vault_of(store: &Store, keys: &KeyFile, public: PublicKey) -> Result<Vault> {
    let former = store.read(|snapshot| snapshot.former_pairs())?;
    Ok(Vault::new(keys, public)?.of_archive(former.into_iter().next()))
}

pub fn in_memory(now: i64) -> Result<Newsroom> {
    let (store, vault) = (Store::in_memory()?, Arc::new(Vault::in_memory()?));
    activate(&store, &vault.public_key(), vault.stamp(), now)?;
    Ok(Newsroom { store, vault })
}

/// The pair to seal to: the active one of the database, or a new one where nothing depends on another yet; and whether it is the
/// program's own, or else what the key file has instead of a stranger's.
pub fn key_pair(
    store: &Store,
    keys: &mut KeyFile,
    config: Option<&Config>,
    now: i64,
) -> Result<(PublicKey, bool)> {
    let stamp = keys.stamp()?;
    let (pair, altered, content) = store.read(move |snapshot| {
        Ok::<_, Error>(match snapshot.active_key_pair()? {
            None => (None, false, snapshot.has_content()?),
            pair => (pair, trust(snapshot, &stamp)? == Trust::Alterato, true),
        })
    })?;
    let copy = keys.newsroom.as_ref().map(PrivateKey::public_key);
    let Some(pair) = pair else {
        if config.is_none() || !content {
            return Ok((found(store, keys, config, now)?, true));
        }
        // The remains of an archive get no new key pair.
        let copy = copy.context(
            "l'archivio non ha più la sua chiave: è stato modificato fuori dal programma. Rimettere un backup con \
             «segnalazioni restore»",
        )?;
        return Ok((copy, false));
    };
    if let Some(copy) = copy.filter(|_| altered) {
        let ours = copy.key_id() == pair.key_id;
        return Ok((copy, ours));
    }
    let public = PublicKey::from_bytes(&pair.public_key)?;
    let copied = copy == Some(public);
    if !altered {
        if !copied && !is_needed(store, &pair.key_id, config)? {
            return Ok((found(store, keys, config, now)?, true));
        }
        warn_where_odd(copied, pair.sealed);
    }
    Ok((public, !altered))
}

fn warn_where_odd(copied: bool, sealed: bool) {
    match (copied, sealed) {
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
}

/// Whether anything depends on a pair that the key file does not have; refused where it could never be opened.
fn is_needed(store: &Store, key_id: &str, config: Option<&Config>) -> Result<bool> {
    let key_id = key_id.to_owned();
    let (slots, reports) = store.read(move |snapshot| {
        let slots = snapshot.has_slots(&key_id)?;
        Ok::<_, Error>((slots, snapshot.counted(None, None)?))
    })?;
    ensure!(
        slots || reports == 0,
        "{} non ha la chiave con cui sono sigillate le segnalazioni già ricevute, e non c'è ancora una password né un codice di \
         recupero che la riapra: rimettere al suo posto il file originale",
        config
            .map_or(Path::new("il file delle chiavi"), |config| &config.key_file)
            .display()
    );
    Ok(slots)
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
    activate(store, &public, &keys.stamp()?, now)?;
    Ok(public)
}

fn activate(store: &Store, public: &PublicKey, stamp: &Stamp, now: i64) -> Result<()> {
    let (key_id, bytes, stamp) = (public.key_id(), public.as_bytes().to_vec(), stamp.clone());
    Ok(store.write(move |tx| {
        let held = trust(tx, &stamp)? == Trust::DaConfermare;
        tx.activate_key_pair(&key_id, &bytes, now)?;
        adopt(tx, &stamp, held)
    })?)
}

/// The keys of the key file that fit the present archive, for callers who do not open it; `None` without a file.
pub fn keys_on_disk(config: &Config) -> Result<Option<KeyFile>> {
    match KeyFile::find(&config.key_file)? {
        Some(keys) if keys.next.is_some() && has_database(&config.data_dir)? => {
            Ok(look(&config.data_dir, |snapshot| {
                fitting_keys(snapshot, keys)
            })?)
        }
        keys => Ok(keys),
    }
}

/// The stamp made with those keys.
pub fn stamp_of(config: &Config) -> Result<Option<Stamp>> {
    let keys = keys_on_disk(config)?;
    Ok(keys.as_ref().map(KeyFile::stamp).transpose()?)
}

/// The trust of the present archive, for callers who do not open it; `None` if it cannot be told.
pub fn trust_on_disk(config: &Config) -> Result<Option<Trust>> {
    if !has_database(&config.data_dir)? {
        return Ok(None);
    }
    let Some(keys) = KeyFile::find(&config.key_file)? else {
        return Ok(None);
    };
    let told = look(&config.data_dir, |snapshot| {
        let stamp = fitting_keys(snapshot, keys)?.stamp()?;
        Ok(trust(snapshot, &stamp)?)
    });
    match told {
        Err(actions::Error::Store(Error::Damaged(_) | Error::Foreign(_) | Error::Sqlite(_))) => {
            Ok(None)
        }
        told => Ok(told?),
    }
}
