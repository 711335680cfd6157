//! The server key file, `segnalazioni.key` (PRODUCT.md §12): the operational key, and the copy of the newsroom's private
//! key that sealed mode removes. The only part of the vault that touches the disk; it must never follow a symbolic link,
//! write a file others can read, accept one they can, or quote its content in an error.
//!
//! Text, one key a line, fields parted by one space; lines that start with `#` and empty lines are for people:
//! ```text
//! segnalazioni-key 1
//! operational <id> <key>
//! newsroom <id> <private key>
//! next-operational <id> <key>
//! next-newsroom <id> <private key>
//! ```
//! The first line is the format and its version. `<id>` has 32 lower-case hexadecimal digits: for `newsroom` the key id
//! of the pair, for `operational` the first 16 bytes of SHA-256 of `segnalazioni operational key` and the key, so that a
//! damaged key is noticed. Keys are 32 bytes in base64url without padding. `newsroom` is absent in sealed mode. `next-`
//! are the keys that replace the others, while the database is sealed for them.

mod disk;

use std::io;
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use thiserror::Error;
use zeroize::Zeroizing;

use super::keypair::{PrivateKey, PublicKey, id_of};
use super::{Secret32, Stamp, VaultError};

const MAGIC: &str = "segnalazioni-key";
const VERSION: &str = "1";
/// Limit of a key file, in bytes.
const MAX_LEN: usize = 8 * 1024;
/// The size of the buffer for a key file. A growing buffer would leave copies of the keys.
const FORMATTED_LEN: usize = 1024;
/// Before the names of the keys to come.
const NEXT: &str = "next-";
const OPERATIONAL_ID: &[u8] = b"segnalazioni operational key";
const HEADER: &str = "# Chiavi del server. Chi ha questo file e il database può leggere le segnalazioni:\n\
                      # non copiarlo insieme ai backup e non cambiarne i permessi (0600).\n";

#[derive(Debug, Error)]
#[error("il file delle chiavi {} {problem}", path.display())]
pub struct KeyFileError {
    path: PathBuf,
    problem: KeyFileProblem,
}

#[derive(Debug, Error)]
pub enum KeyFileProblem {
    #[error("non esiste")]
    Missing,
    /// Other users may read or change the file.
    #[error("è accessibile ad altri utenti (permessi {mode:04o}): correggi con «chmod 600 {}» e riprova", path.display())]
    TooOpen { path: PathBuf, mode: u32 },
    #[error(
        "non è un file normale: collegamenti simbolici, cartelle e dispositivi non sono ammessi"
    )]
    NotAFile,
    /// The first wrong line, from 1, or one past the end if something is missing.
    #[error("è danneggiato alla riga {0}: rimettine al suo posto una copia intatta")]
    Damaged(usize),
    #[error(
        "ha un formato che questa versione del programma non conosce: serve una versione più recente"
    )]
    Version,
    #[error("non è accessibile: {0}")]
    Io(#[from] io::Error),
    #[error("non si può creare: {0}")]
    Keys(#[from] VaultError),
}

#[derive(Debug)]
pub struct KeyFile {
    /// Seals conversation tokens and the server's own secrets.
    pub operational: Secret32,
    /// The copy of the newsroom's private key; absent in sealed mode, and before there is a newsroom.
    pub newsroom: Option<PrivateKey>,
    /// The keys to come: they stand beside these until it is known which of them the database is sealed for.
    pub next: Option<Box<Self>>,
}

impl KeyFile {
    /// A new operational key. The caller makes the newsroom's pair, once it knows that the database has none.
    pub fn generate() -> Result<Self, VaultError> {
        Ok(Self {
            operational: Secret32::random()?,
            newsroom: None,
            next: None,
        })
    }

    pub fn stamp(&self) -> Result<Stamp, VaultError> {
        Stamp::new(&self.operational, operational_id(&self.operational))
    }

    pub fn load(path: &Path) -> Result<Self, KeyFileError> {
        let text = disk::read(path, MAX_LEN);
        at(path, text.and_then(|text| Self::parse(&text)))
    }

    /// `None` without a file.
    pub fn find(path: &Path) -> Result<Option<Self>, KeyFileError> {
        match Self::load(path) {
            Err(error) if matches!(error.problem, KeyFileProblem::Missing) => Ok(None),
            loaded => loaded.map(Some),
        }
    }

    /// Adds the copy of the private key to the file of a server that has none, such as a new machine after a restore. Not for
    /// a sealed archive.
    pub fn restore_copy(path: &Path, data: &Path, private: PrivateKey) -> Result<(), KeyFileError> {
        let mut file = Self::load(path)?;
        file.newsroom = Some(private);
        file.save(path, data)
    }

    /// Removes the copy of this pair's private key, and what an interrupted write left (sealed mode). The copy of another pair
    /// stays.
    pub fn remove_copy(path: &Path, data: &Path, pair: &PublicKey) -> Result<(), KeyFileError> {
        let mut file = Self::load(path)?;
        match file.newsroom.take() {
            Some(copy) if copy.public_key() == *pair => file.save(path, data),
            Some(_) => Ok(()),
            None => Self::sweep(path),
        }
    }

    /// What writes that were cut off left beside a key file, with keys in it, as far as its folder can be read.
    pub fn left_behind(path: &Path) -> Vec<PathBuf> {
        disk::left_behind(path).unwrap_or_default()
    }

    /// Removes what writes that were cut off left beside a key file.
    pub fn sweep(path: &Path) -> Result<(), KeyFileError> {
        at(path, disk::sweep(path))
    }

    /// Replaces the key file, whole or not at all, with mode 0600.
    pub fn save(&self, path: &Path, data: &Path) -> Result<(), KeyFileError> {
        at(path, disk::replace(path, data, self.format().as_bytes()))
    }

    fn format(&self) -> Zeroizing<String> {
        let mut text = Zeroizing::new(String::with_capacity(FORMATTED_LEN));
        text.push_str(HEADER);
        text.extend([MAGIC, " ", VERSION, "\n"]);
        self.write_keys("", &mut text);
        if let Some(next) = &self.next {
            next.write_keys(NEXT, &mut text);
        }
        text
    }

    fn write_keys(&self, prefix: &str, text: &mut String) {
        let (id, key) = (
            operational_id(&self.operational),
            encoded(&self.operational),
        );
        text.extend([prefix, "operational ", &id, " ", &key, "\n"]);
        if let Some(copy) = &self.newsroom {
            let (id, key) = (copy.key_id(), encoded(&copy.to_secret()));
            text.extend([prefix, "newsroom ", &id, " ", &key, "\n"]);
        }
    }

    fn parse(text: &str) -> Result<Self, KeyFileProblem> {
        let mut lines = (1..)
            .zip(text.lines())
            .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        let end = text.lines().count() + 1;
        let (number, first) = lines.next().ok_or(KeyFileProblem::Damaged(end))?;
        match first.split_once(' ') {
            Some((MAGIC, VERSION)) => {}
            Some((MAGIC, _)) => return Err(KeyFileProblem::Version),
            _ => return Err(KeyFileProblem::Damaged(number)),
        }
        let (mut present, mut next) = (FoundKeys::default(), FoundKeys::default());
        for (number, line) in lines {
            let damaged = || KeyFileProblem::Damaged(number);
            let (name, id, key) = fields(line).ok_or_else(damaged)?;
            let added = match name.strip_prefix(NEXT) {
                Some(name) => next.add(name, id, key),
                None => present.add(name, id, key),
            };
            added.ok_or_else(damaged)?;
        }
        let ended = || KeyFileProblem::Damaged(end);
        Ok(Self {
            next: match next {
                FoundKeys {
                    operational: None,
                    newsroom: None,
                } => None,
                next => Some(Box::new(next.whole().ok_or_else(ended)?)),
            },
            ..present.whole().ok_or_else(ended)?
        })
    }
}

/// Keys of one set, as far as they were read.
#[derive(Default)]
struct FoundKeys {
    operational: Option<Secret32>,
    newsroom: Option<PrivateKey>,
}

impl FoundKeys {
    /// Takes a line; `None` for one that is wrong here.
    fn add(&mut self, name: &str, id: &str, key: Secret32) -> Option<()> {
        match name {
            "operational" if self.operational.is_none() && operational_id(&key) == id => {
                self.operational = Some(key);
            }
            "newsroom" if self.newsroom.is_none() => self.newsroom = Some(copy(id, &key)?),
            _ => return None,
        }
        Some(())
    }

    fn whole(self) -> Option<KeyFile> {
        Some(KeyFile {
            operational: self.operational?,
            newsroom: self.newsroom,
            next: None,
        })
    }
}

fn at<T>(path: &Path, outcome: Result<T, KeyFileProblem>) -> Result<T, KeyFileError> {
    let path = path.to_owned();
    outcome.map_err(|problem| KeyFileError { path, problem })
}

fn fields(line: &str) -> Option<(&str, &str, Secret32)> {
    let (name, rest) = line.split_once(' ')?;
    let (id, key) = rest.split_once(' ')?;
    let key = Zeroizing::new(URL_SAFE_NO_PAD.decode(key).ok()?);
    Some((name, id, Secret32::from_slice(&key)?))
}

/// The copy, if it is exactly the key of this id: X25519 ignores five bits of a private key, which [`PrivateKey::to_secret`]
/// writes in one way only.
fn copy(id: &str, key: &Secret32) -> Option<PrivateKey> {
    let private = PrivateKey::from_secret(key).ok()?;
    (private.key_id() == id && private.to_secret().ct_eq(key)).then_some(private)
}

fn encoded(key: &Secret32) -> Zeroizing<String> {
    Zeroizing::new(URL_SAFE_NO_PAD.encode(key.expose()))
}

fn operational_id(key: &Secret32) -> String {
    let named = Zeroizing::new([OPERATIONAL_ID, key.expose()].concat());
    hex::encode(id_of(&named))
}

#[cfg(test)]
mod tests;
