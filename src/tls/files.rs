//! A certificate from two files that somebody else renews. Must never give up the one in use for one that is broken, nor
//! judge files that are being written.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

use super::pair::{Fault, Pair, Part};
use super::shown::{Kind, Shown};

/// More than any chain or key has; a device or a log named by mistake is not read to its end.
const LARGEST: u64 = 1024 * 1024;

/// Two files, and what is shown of them.
#[derive(Debug)]
pub struct Files {
    certificate: PathBuf,
    key: PathBuf,
    shown: Arc<Shown>,
    seen: Mutex<Seen>,
}

/// What the files held when they were looked at: never their content.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Content {
    Read([u8; 32]),
    Unreadable(String),
}

#[derive(Debug)]
struct Seen {
    /// What was judged last.
    judged: Content,
    /// What the last look saw, when it was something else.
    moving: Option<Content>,
}

/// The two files as they are at a moment.
type Contents = (Vec<u8>, Zeroizing<Vec<u8>>);

/// Which file, by its key of the configuration, and what is wrong with it.
#[derive(Debug, thiserror::Error)]
#[error("«{key}» = «{}»: {fault}", path.display())]
pub struct FileFault {
    key: &'static str,
    path: PathBuf,
    fault: Fault,
}

impl Files {
    /// Reads both files; what they hold must be usable at `now` (ms).
    pub fn open(certificate: &Path, key: &Path, now: i64) -> Result<Self, FileFault> {
        let files = Self {
            certificate: certificate.to_owned(),
            key: key.to_owned(),
            shown: Shown::nothing(Kind::Files),
            seen: Mutex::new(Seen {
                judged: Content::Unreadable(String::new()),
                moving: None,
            }),
        };
        let contents = files.read()?;
        files.shown.show(files.judge(&contents, now)?);
        files.seen().judged = fingerprint(&contents);
        files.warn_of_readers();
        Ok(files)
    }

    fn warn_of_readers(&self) {
        let everybody = 0o004;
        let mode = fs::metadata(&self.key).map_or(0, |metadata| metadata.mode());
        if mode & everybody != 0 {
            tracing::warn!("every user of this machine can read the file of tls_key");
        }
    }

    /// What is shown of them.
    pub fn shown(&self) -> &Arc<Shown> {
        &self.shown
    }

    /// Looks whether the files hold something else, and takes it if it can be used. Whoever renews them writes one after
    /// the other: only what two looks in a row find the same is judged.
    pub fn look(&self, now: i64) {
        let read = self.read();
        let content = match &read {
            Ok(contents) => fingerprint(contents),
            Err(fault) => Content::Unreadable(fault.to_string()),
        };
        if self.is_new_and_settled(content) {
            match read.and_then(|contents| self.judge(&contents, now)) {
                Ok(pair) => self.shown.show(pair),
                Err(fault) => self.shown.complain(format!(
                    "Il nuovo certificato non si può usare, resta quello di prima: {fault}."
                )),
            }
        }
        self.shown.watch_end(now);
    }

    fn is_new_and_settled(&self, content: Content) -> bool {
        let mut seen = self.seen();
        if seen.judged == content {
            seen.moving = None;
            return false;
        }
        if seen.moving.as_ref() == Some(&content) {
            seen.judged = content;
            seen.moving = None;
            return true;
        }
        seen.moving = Some(content);
        false
    }

    fn read(&self) -> Result<Contents, FileFault> {
        let certificate = read(&self.certificate)
            .map_err(|error| self.fault(unreadable(Part::Certificate, &error)))?;
        let key = read(&self.key).map_err(|error| self.fault(unreadable(Part::Key, &error)))?;
        Ok((certificate, Zeroizing::new(key)))
    }

    fn judge(&self, (certificate, key): &Contents, now: i64) -> Result<Pair, FileFault> {
        let pair = Pair::from_pem(certificate, key).and_then(|pair| {
            pair.check_dates(now)?;
            Ok(pair)
        });
        pair.map_err(|fault| self.fault(fault))
    }

    fn fault(&self, fault: Fault) -> FileFault {
        let (key, path) = match fault.part {
            Part::Certificate => ("tls_cert", &self.certificate),
            Part::Key => ("tls_key", &self.key),
        };
        FileFault {
            key,
            path: path.clone(),
            fault,
        }
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn read(path: &Path) -> std::io::Result<Vec<u8>> {
    let metadata = fs::metadata(path)?;
    if !metadata.is_file() || metadata.len() > LARGEST {
        return Err(std::io::ErrorKind::InvalidData.into());
    }
    fs::read(path)
}

fn unreadable(part: Part, error: &std::io::Error) -> Fault {
    Fault {
        part,
        reason: format!("non si può leggere ({error})"),
    }
}

fn fingerprint((certificate, key): &Contents) -> Content {
    let mut hash = Sha256::new();
    hash.update((certificate.len() as u64).to_be_bytes());
    hash.update(certificate);
    hash.update(key.as_slice());
    Content::Read(hash.finalize().into())
}

#[cfg(test)]
mod tests;
