//! Keys and sealing (PRODUCT.md §2, §7, §12). Personal data reaches the disk only through here.
//! The vault knows no SQL, HTTP or async, touches files in `keyfile` alone, and must never ask for the time, log, or
//! let a private or symmetric key out.
//!
//! - `keypair`: the newsroom's X25519 pair, HPKE to it; `slots`: its private half under passwords, recovery code and invitations
//! - `epoch`: an hour's symmetric key, sealed to the newsroom, and the rows under it
//! - `file`: files sealed in pieces, each file under a key of its own
//! - `operational`: tokens, fingerprints and data that the program must read by itself; `keyfile`: the server key file
//! - `password`, `recovery`: from typed secrets to the key of a slot; `second_factor`: one-time codes; `passkey`: questions to
//!   authenticators and their answers; `receipt`: from a reporter's code to a key and the report's id
//! - `page`: pages that wait in memory for the browser that knows their address

mod aead;
mod epoch;
mod error;
mod file;
mod keyfile;
pub mod keypair;
mod operational;
mod page;
pub mod passkey;
pub mod password;
mod receipt;
mod recovery;
mod second_factor;
mod secret;
mod slots;

use std::num::NonZeroUsize;
use std::sync::Arc;

use lru::LruCache;
use parking_lot::Mutex;

pub use epoch::{Epoch, open_row, open_row_into, seal_row};
pub use error::VaultError;
pub use file::{FileKey, PIECE_LEN, SEALED_LEN};
pub use keyfile::{KeyFile, KeyFileError};
pub use keypair::{PrivateKey, PublicKey};
pub use operational::{Stamp, is_mark};
pub use page::PageKey;
pub use password::PasswordParams;
pub use receipt::{ReceiptCode, open_with_receipt, seal_for_receipt};
pub use recovery::RecoveryCode;
pub use second_factor::{TotpFactor, new_totp_secret, totp_uri};
pub use secret::Secret32;
pub use slots::{PASSKEY_SALT_LEN, SlotKind, invitation_key, passkey_key};

use operational::Operational;

/// How long an epoch seals new reports: one hour (PRODUCT.md §12).
const EPOCH_LIFE_MS: i64 = 60 * 60 * 1000;

/// The number of opened epochs kept in memory: almost a year of hours, in about a megabyte.
const MAX_OPENED_EPOCHS: NonZeroUsize = NonZeroUsize::new(8192).unwrap();

/// The keys at hand, shared by all threads. The vault always seals. It opens while it holds the private key: always if the key
/// file has a copy, in sealed mode only between [`Vault::unlock`] and [`Vault::lock`].
pub struct Vault {
    public: PublicKey,
    /// Name of the archive's first pair, by which receipts lead to their reports whatever pair came since.
    archive: String,
    operational: Operational,
    /// Separate from `reading`, so that saving a report never waits for old epochs to be opened.
    writing: Mutex<Option<Arc<CurrentEpoch>>>,
    reading: Mutex<OpenedKeys>,
}

pub struct CurrentEpoch {
    pub epoch: Arc<Epoch>,
    /// In milliseconds UTC.
    pub born_ms: i64,
    /// The key, sealed to the newsroom.
    pub sealed: Vec<u8>,
}

/// The secrets that [`Vault::lock`] wipes.
struct OpenedKeys {
    private: Option<PrivateKey>,
    /// Whether the key file has a copy of the private key. Locking would then protect nothing.
    copy_kept: bool,
    opened: LruCache<i64, Arc<Epoch>>,
}

impl Vault {
    /// Unlocked if the key file has the private key of this pair. The copy of another pair (a restored database) is ignored.
    pub fn new(file: &KeyFile, public: PublicKey) -> Result<Self, VaultError> {
        let copy = file.newsroom.clone();
        let private = copy.filter(|copy| copy.public_key() == public);
        Ok(Self {
            public,
            archive: public.key_id(),
            operational: Operational::new(&file.operational, file.stamp()?)?,
            writing: Mutex::new(None),
            reading: Mutex::new(OpenedKeys {
                copy_kept: private.is_some(),
                private,
                opened: LruCache::new(MAX_OPENED_EPOCHS),
            }),
        })
    }

    /// The vault of an archive whose pairs were replaced, the first of them by name; `None` where none ever was.
    pub fn of_archive(mut self, first: Option<String>) -> Self {
        self.archive = first.unwrap_or(self.archive);
        self
    }

    /// A vault for the demonstration; its keys are lost when the program ends.
    pub fn in_memory() -> Result<Self, VaultError> {
        let mut file = KeyFile::generate()?;
        let (private, public) = keypair::generate()?;
        file.newsroom = Some(private);
        Self::new(&file, public)
    }

    pub fn public_key(&self) -> PublicKey {
        self.public
    }

    pub fn key_id(&self) -> String {
        self.public.key_id()
    }

    pub fn is_unlocked(&self) -> bool {
        self.reading.lock().private.is_some()
    }

    pub fn unlock(&self, private: PrivateKey) -> Result<(), VaultError> {
        if private.public_key() != self.public {
            return Err(VaultError::WrongKey);
        }
        self.reading.lock().private = Some(private);
        Ok(())
    }

    /// An unlocked vault with the same keys, for one transaction. This vault stays as it is.
    pub fn unlocked_with(&self, private: PrivateKey) -> Result<Self, VaultError> {
        let vault = Self {
            public: self.public,
            archive: self.archive.clone(),
            operational: self.operational.clone(),
            writing: Mutex::new(None),
            reading: Mutex::new(OpenedKeys {
                private: None,
                copy_kept: self.is_copy_kept(),
                opened: LruCache::unbounded(),
            }),
        };
        vault.unlock(private)?;
        Ok(vault)
    }

    /// Wipes the private key and all opened epochs; the next report begins a new epoch. Sealed data cannot be read until the next
    /// unlock. Does nothing while the key file has a copy.
    pub fn lock(&self) {
        let mut writing = self.writing.lock();
        let mut reading = self.reading.lock();
        if reading.copy_kept || reading.private.is_none() {
            return;
        }
        reading.private = None;
        reading.opened.clear();
        *writing = None;
    }

    /// Notes whether the key file has a copy of the private key (false in sealed mode). The private key at hand stays until
    /// [`Vault::lock`].
    pub fn set_copy_kept(&self, kept: bool) {
        self.reading.lock().copy_kept = kept;
    }

    pub fn is_copy_kept(&self) -> bool {
        self.reading.lock().copy_kept
    }

    pub fn private_key(&self) -> Result<PrivateKey, VaultError> {
        let private = self.reading.lock().private.clone();
        private.ok_or(VaultError::Locked)
    }

    pub fn seal_slot(&self, kind: SlotKind, slot_key: &Secret32) -> Result<Vec<u8>, VaultError> {
        slots::seal(kind, &self.private_key()?, slot_key)
    }

    pub fn open_slot(
        &self,
        kind: SlotKind,
        slot_key: &Secret32,
        blob: &[u8],
    ) -> Result<PrivateKey, VaultError> {
        slots::open(kind, &self.public, slot_key, blob)
    }

    /// The epoch for a report at `now_ms` (UTC): a new one at each start and each hour, also if the clock was set back by an hour.
    /// The writer stores its sealed key with the first report.
    pub fn current_epoch(&self, now_ms: i64) -> Result<Arc<CurrentEpoch>, VaultError> {
        let mut writing = self.writing.lock();
        let lasts = |current: &&Arc<CurrentEpoch>| {
            now_ms.abs_diff(current.born_ms) < EPOCH_LIFE_MS.unsigned_abs()
        };
        if let Some(current) = writing.as_ref().filter(lasts) {
            return Ok(Arc::clone(current));
        }
        let epoch = Epoch::begin()?;
        let current = Arc::new(CurrentEpoch {
            sealed: epoch.seal(&self.public)?,
            epoch: Arc::new(epoch),
            born_ms: now_ms,
        });
        Ok(Arc::clone(writing.insert(current)))
    }

    /// The epoch sealed to the pair `key_id`, from memory or opened with the private key.
    pub fn open_epoch(
        &self,
        id: i64,
        key_id: &str,
        sealed: &[u8],
    ) -> Result<Arc<Epoch>, VaultError> {
        if key_id != self.key_id() {
            return Err(VaultError::WrongKey);
        }
        if let Some(epoch) = self.opened_epoch(id) {
            return Ok(epoch);
        }
        // The mutex is held until the epoch is stored: `lock` cannot run in between and miss it.
        let mut reading = self.reading.lock();
        let private = reading.private.as_ref().ok_or(VaultError::Locked)?;
        let epoch = Arc::new(Epoch::open(id, private, sealed)?);
        reading.opened.put(id, Arc::clone(&epoch));
        Ok(epoch)
    }

    /// The key of an epoch of this pair, sealed to the pair of another vault.
    pub fn reseal_epoch(&self, id: i64, sealed: &[u8], to: &Self) -> Result<Vec<u8>, VaultError> {
        Epoch::open(id, &self.private_key()?, sealed)?.seal(&to.public)
    }

    /// An epoch at hand: the current one, or one opened before.
    pub fn opened_epoch(&self, id: i64) -> Option<Arc<Epoch>> {
        let current = self.writing.lock().clone();
        match current.filter(|current| current.epoch.id == id) {
            Some(current) => Some(Arc::clone(&current.epoch)),
            None => self.reading.lock().opened.get(&id).cloned(),
        }
    }
}

#[cfg(test)]
mod tests;
