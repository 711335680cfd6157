//! Keys and sealing (PRODUCT.md §3, §4 "At rest: sealed", §6). Personal data reaches the disk only through here.
//! The vault knows no SQL, HTTP or async, touches files in `keyfile` alone, and must never ask for the time, log, or
//! let a private or symmetric key out.
//!
//! - `keypair`: the newsroom's X25519 pair, HPKE to it; `slots`: its private half under password and recovery code
//! - `epoch`, `row`: an hour's symmetric key, sealed to the newsroom, and the rows under it
//! - `kept`: what the program must read back by itself, under the operational key and to the newsroom
//! - `token`: conversation tokens and fingerprints under the operational key; `keyfile`: the server key file
//! - `password`, `recovery`: from what people type to the key of a slot

mod aead;
pub mod epoch;
mod error;
mod kept;
pub mod keyfile;
pub mod keypair;
pub mod password;
pub mod recovery;
pub mod row;
mod secret;
pub mod slots;
pub mod token;

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;

use lru::LruCache;
use parking_lot::Mutex;

pub use epoch::{Epoch, SealedEpoch};
pub use error::VaultError;
pub use keyfile::{KeyFile, KeyFileError, NewsroomCopy};
pub use keypair::{KeyId, PrivateKey, PublicKey};
pub use password::PasswordParams;
pub use recovery::RecoveryCode;
pub use row::{open_row, seal_row};
pub use secret::Secret32;
pub use slots::{Slot, SlotKind};

use token::{FINGERPRINT_LEN, Operational};

/// Opened epochs kept: almost a year of hours, in about a megabyte.
const OPENED: NonZeroUsize = NonZeroUsize::new(8192).unwrap();

/// The keys at hand, shared by every thread.
///
/// It always seals, with the public key. It opens while it holds the private key: always when the key file has a copy,
/// in sealed mode only between [`Vault::unlock`] and [`Vault::lock`].
pub struct Vault {
    public: PublicKey,
    operational: Operational,
    /// Apart from `reading`, so that saving a report never waits for old epochs being opened.
    writing: Mutex<Option<Current>>,
    reading: Mutex<Reading>,
}

struct Current {
    epoch: Arc<Epoch>,
    sealed: Arc<SealedEpoch>,
}

/// What opens reports, all of it wiped by [`Vault::lock`].
struct Reading {
    private: Option<PrivateKey>,
    /// Whether the key file has a copy of the private key, so that locking would be for show.
    copy_kept: bool,
    opened: LruCache<i64, Arc<Epoch>>,
}

impl Vault {
    /// The vault of the newsroom whose public key is `public`. It is unlocked when the key file has a copy of that
    /// pair's private key; a copy of another pair (a database restored on another machine) is of no use, and stays out.
    pub fn new(file: &KeyFile, public: PublicKey) -> Result<Self, VaultError> {
        let copy = file
            .newsroom
            .as_ref()
            .filter(|copy| copy.key_id == public.key_id());
        Ok(Self {
            public,
            operational: Operational::new(&file.operational)?,
            writing: Mutex::new(None),
            reading: Mutex::new(Reading {
                private: copy.map(|copy| copy.private.clone()),
                copy_kept: copy.is_some(),
                opened: LruCache::new(OPENED),
            }),
        })
    }

    /// A vault with fresh keys and no file, for the demo in memory: what it seals is lost with it.
    pub fn in_memory() -> Result<Self, VaultError> {
        let mut file = KeyFile::generate()?;
        let (private, public) = keypair::generate()?;
        file.newsroom = Some(NewsroomCopy::new(private));
        Self::new(&file, public)
    }

    /// The public key new reports are sealed to.
    pub fn public_key(&self) -> PublicKey {
        self.public
    }

    pub fn key_id(&self) -> KeyId {
        self.public.key_id()
    }

    pub fn is_unlocked(&self) -> bool {
        self.reading.lock().private.is_some()
    }

    /// Takes the private key, opened from a slot.
    pub fn unlock(&self, private: PrivateKey) -> Result<(), VaultError> {
        if private.public_key() != self.public {
            return Err(VaultError::WrongKey);
        }
        self.reading.lock().private = Some(private);
        Ok(())
    }

    /// Wipes the private key and every opened epoch, and lets a new epoch begin, so that what was sealed until now
    /// cannot be read any more. Does nothing while the key file has a copy, or when locked already.
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

    /// Says whether the key file has a copy of the private key from now on: false when it was removed (sealed mode),
    /// true when it was put back. The private key at hand stays until [`Vault::lock`].
    pub fn set_copy_kept(&self, kept: bool) {
        self.reading.lock().copy_kept = kept;
    }

    /// Whether the key file has a copy of the private key, as far as this process knows.
    pub fn is_copy_kept(&self) -> bool {
        self.reading.lock().copy_kept
    }

    pub fn newsroom_copy(&self) -> Result<NewsroomCopy, VaultError> {
        let reading = self.reading.lock();
        let private = reading.private.clone().ok_or(VaultError::Locked)?;
        Ok(NewsroomCopy::new(private))
    }

    /// Seals the private key at hand into a slot: at set-up, and when the password or the recovery code changes.
    pub fn seal_slot(&self, kind: SlotKind, slot_key: &Secret32) -> Result<Slot, VaultError> {
        let reading = self.reading.lock();
        Slot::seal(
            kind,
            reading.private.as_ref().ok_or(VaultError::Locked)?,
            slot_key,
        )
    }

    /// The epoch to seal a report with at `now_ms` (UTC): a new one at each start and each hour. The sealed epoch comes
    /// along every time, so that the writer stores it, where it is missing, in the transaction of the report.
    pub fn current_epoch(&self, now_ms: i64) -> Result<(Arc<Epoch>, Arc<SealedEpoch>), VaultError> {
        let mut writing = self.writing.lock();
        let current = match writing.take() {
            Some(current) if !current.epoch.is_over(now_ms) => current,
            _ => {
                let epoch = Epoch::begin(now_ms)?;
                let sealed = epoch.seal(&self.public)?;
                Current {
                    epoch: Arc::new(epoch),
                    sealed: Arc::new(sealed),
                }
            }
        };
        let current = writing.insert(current);
        Ok((Arc::clone(&current.epoch), Arc::clone(&current.sealed)))
    }

    /// The opened epoch: from memory when it is the current one or was opened lately, else with the private key.
    pub fn open_epoch(&self, sealed: &SealedEpoch) -> Result<Arc<Epoch>, VaultError> {
        if sealed.key_id != self.key_id() {
            return Err(VaultError::WrongKey);
        }
        if let Some(epoch) = self.opened_epoch(sealed.id) {
            return Ok(epoch);
        }
        let mut reading = self.reading.lock();
        let epoch = Arc::new(sealed.open(reading.private.as_ref().ok_or(VaultError::Locked)?)?);
        reading.opened.put(epoch.id, Arc::clone(&epoch));
        Ok(epoch)
    }

    /// The epoch, if it is in memory: the current one, or one opened lately.
    pub fn opened_epoch(&self, id: i64) -> Option<Arc<Epoch>> {
        let current = self
            .writing
            .lock()
            .as_ref()
            .map(|current| Arc::clone(&current.epoch));
        current
            .filter(|epoch| epoch.id == id)
            .or_else(|| self.reading.lock().opened.get(&id).cloned())
    }

    /// Seals a conversation (PRODUCT.md §3). The same plaintext always gives the same token.
    pub fn seal_token(&self, plaintext: &[u8]) -> Result<String, VaultError> {
        self.operational.seal_token(plaintext)
    }

    pub fn open_token(&self, token: &str) -> Result<Vec<u8>, VaultError> {
        self.operational.open_token(token)
    }

    /// A keyed fingerprint: tells two texts apart, and says nothing of either without the operational key.
    pub fn fingerprint(&self, bytes: &[u8]) -> [u8; FINGERPRINT_LEN] {
        self.operational.fingerprint(bytes)
    }

    /// A client's address as the limiters know it: a keyed mask, so that no address is kept even in memory.
    pub fn mask_client(&self, bytes: &[u8]) -> [u8; FINGERPRINT_LEN] {
        self.operational.mask_client(bytes)
    }
}

impl fmt::Debug for Vault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Vault")
            .field("key_id", &self.key_id())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
