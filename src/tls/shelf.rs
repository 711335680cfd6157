//! Where certificates that were obtained, and the account that obtained them, lie from one run to the next: the folder
//! `acme` of the data, for its owner alone, in no backup. Must never leave half a file under its name.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::{Context, Result};
use async_trait::async_trait;
use rustls_acme::{AccountCache, CertCache};
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

use crate::config::Automatic as Request;

/// Name of the folder.
const FOLDER: &str = "acme";

/// Why something cannot be read or written.
pub(super) type ShelfError = io::Error;

/// The folder, and the two files in it that belong to one request. Clones are the same shelf.
#[derive(Debug, Clone)]
pub(super) struct Shelf {
    certificate: PathBuf,
    account: PathBuf,
    /// What was obtained and not yet taken.
    obtained: Arc<Mutex<Option<Zeroizing<Vec<u8>>>>>,
}

impl Shelf {
    /// Makes the folder below the data where there is none.
    pub(super) fn open(data: &Path, request: &Request) -> Result<Self> {
        let folder = data.join(FOLDER);
        if !folder.is_dir() {
            let unusable = || format!("impossibile creare la cartella {}", folder.display());
            DirBuilder::new()
                .mode(0o700)
                .create(&folder)
                .with_context(unusable)?;
        }
        Ok(Self::of(data, request))
    }

    /// The same without touching anything.
    pub(super) fn of(data: &Path, request: &Request) -> Self {
        let folder = data.join(FOLDER);
        // A certificate of other names, or of an authority for tests, must not come back under these.
        let certificate = [
            &request.domains[..],
            std::slice::from_ref(&request.directory),
        ];
        let account = [
            request.email.as_slice(),
            std::slice::from_ref(&request.directory),
        ];
        Self {
            certificate: folder.join(format!("certificato-{}.pem", digest(certificate))),
            account: folder.join(format!("account-{}.der", digest(account))),
            obtained: Arc::default(),
        }
    }

    /// The certificate of an earlier run with its key, PEM.
    pub(super) fn certificate(&self) -> Result<Option<Zeroizing<Vec<u8>>>> {
        let unreadable = || format!("impossibile leggere {}", self.certificate.display());
        let read = read(&self.certificate).with_context(unreadable)?;
        Ok(read.map(Zeroizing::new))
    }

    /// What was obtained since the last call.
    pub(super) fn take_obtained(&self) -> Option<Zeroizing<Vec<u8>>> {
        self.obtained().take()
    }

    fn obtained(&self) -> MutexGuard<'_, Option<Zeroizing<Vec<u8>>>> {
        self.obtained.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The library keeps its own time, by which it would wait here for weeks: it is told that there is no certificate yet,
/// and asked when one is due.
#[async_trait]
impl CertCache for Shelf {
    type EC = ShelfError;

    async fn load_cert(&self, _: &[String], _: &str) -> io::Result<Option<Vec<u8>>> {
        Ok(None)
    }

    async fn store_cert(&self, _: &[String], _: &str, pem: &[u8]) -> io::Result<()> {
        *self.obtained() = Some(Zeroizing::new(pem.to_vec()));
        write(&self.certificate, pem)
    }
}

#[async_trait]
impl AccountCache for Shelf {
    type EA = ShelfError;

    async fn load_account(&self, _: &[String], _: &str) -> io::Result<Option<Vec<u8>>> {
        read(&self.account)
    }

    async fn store_account(&self, _: &[String], _: &str, key: &[u8]) -> io::Result<()> {
        write(&self.account, key)
    }
}

fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Puts the whole file in its place, on disk, for its owner alone. Only one program has the data folder, so that the name
/// of what is being written can be a fixed one.
fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let being_written = path.with_extension("nuovo");
    match fs::remove_file(&being_written) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&being_written)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&being_written, path)?;
    let folder = path.parent().ok_or(io::ErrorKind::InvalidFilename)?;
    File::open(folder)?.sync_all()
}

/// A short name for these texts.
fn digest<const N: usize>(groups: [&[String]; N]) -> String {
    let mut hash = Sha256::new();
    for text in groups.into_iter().flatten() {
        hash.update((text.len() as u64).to_be_bytes());
        hash.update(text);
    }
    hex::encode(&hash.finalize()[..8])
}

#[cfg(test)]
mod tests;
