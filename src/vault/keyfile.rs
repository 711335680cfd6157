//! The server key file, `segnalazioni.key` (PRODUCT.md §4): the operational key, and the copy of the newsroom's private
//! key that sealed mode removes. The only part of the vault that touches the disk; it must never follow a symbolic link,
//! write a file others can read, accept one they can, or quote its content in an error.
//!
//! Text, one key a line, fields parted by one space; lines that start with `#` and empty lines are for people:
//! ```text
//! segnalazioni-key 1
//! operational <id> <key>
//! newsroom <id> <private key>
//! ```
//! The first line is the format and its version. `<id>` has 32 lower-case hexadecimal digits: for `newsroom` the key id
//! of the pair, for `operational` the first 16 bytes of SHA-256 of `segnalazioni operational key` and the key, so that a
//! damaged key is noticed. Keys are 32 bytes in base64url without padding. `newsroom` is absent in sealed mode.

mod disk;

use std::io;
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use thiserror::Error;
use zeroize::Zeroizing;

use super::keypair::{KeyId, PrivateKey};
use super::{Secret32, VaultError};

const MAGIC: &str = "segnalazioni-key";
const VERSION: &str = "1";
/// A key file is a few lines: a longer file is something else. In bytes.
const MAX_LEN: usize = 8 * 1024;
/// Room for a whole key file, in bytes: enough that writing one never moves its secrets.
const FORMATTED_LEN: usize = 1024;
/// Tells the id of an operational key from every other hash.
const OPERATIONAL_ID: &[u8] = b"segnalazioni operational key";
const HEADER: &str = "# Chiavi del server. Chi ha questo file e il database può leggere le segnalazioni:\n\
                      # non copiarlo insieme ai backup e non cambiarne i permessi (0600).\n";

/// Why the key file cannot be used, in words for the operator.
#[derive(Debug, Error)]
pub enum KeyFileError {
    #[error("il file delle chiavi {} non esiste", path.display())]
    Missing { path: PathBuf },
    /// Somebody but the owner may read or change the file.
    #[error(
        "il file delle chiavi {} è accessibile ad altri utenti (permessi {mode:04o}): \
         correggi con «chmod 600 {}» e riprova",
        path.display(), path.display()
    )]
    TooOpen {
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// A symbolic link, a folder, a device.
    #[error(
        "il file delle chiavi {} non è un file normale: collegamenti simbolici, cartelle e dispositivi non sono ammessi",
        path.display()
    )]
    NotAFile { path: PathBuf },
    /// The content is not that of a key file, or was altered.
    #[error("il file delle chiavi {} è danneggiato alla riga {line}: rimettine al suo posto una copia intatta", path.display())]
    Damaged {
        path: PathBuf,
        /// The first line that is wrong, from 1; one past the end when something is missing.
        line: usize,
    },
    /// The file was written by a later version of the program.
    #[error(
        "il file delle chiavi {} ha un formato che questa versione del programma non conosce: serve una versione più recente",
        path.display()
    )]
    Version { path: PathBuf },
    /// The system refused an operation on the file.
    #[error("il file delle chiavi {} non è accessibile", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("impossibile creare le chiavi del server")]
    Keys(#[from] VaultError),
}

#[derive(Debug)]
pub struct KeyFile {
    /// Seals conversation tokens and the server's own secrets; always there.
    pub operational: Secret32,
    /// This server's copy of the newsroom's private key; absent in sealed mode, and before there is a newsroom.
    pub newsroom: Option<NewsroomCopy>,
}

#[derive(Debug)]
pub struct NewsroomCopy {
    pub key_id: KeyId,
    pub private: PrivateKey,
}

impl NewsroomCopy {
    pub fn new(private: PrivateKey) -> Self {
        Self {
            key_id: private.key_id(),
            private,
        }
    }
}

impl KeyFile {
    /// A new operational key, and no newsroom: its pair is the caller's to make, once it knows that the database has none.
    pub fn generate() -> Result<Self, VaultError> {
        Ok(Self {
            operational: Secret32::random()?,
            newsroom: None,
        })
    }

    /// Reads the key file, or writes a new one ([`KeyFile::generate`]) where there is none. Of two programs that start
    /// together on an empty folder, one writes and both end up with the same keys.
    pub fn load_or_create(path: &Path) -> Result<Self, KeyFileError> {
        Self::create_where_missing(path)?;
        Self::load(path)
    }

    /// Writes a new key file ([`KeyFile::generate`]) where there is none; whether it was this call that made it.
    pub fn create_where_missing(path: &Path) -> Result<bool, KeyFileError> {
        match Self::load(path) {
            Err(KeyFileError::Missing { .. }) => {
                disk::create(path, Self::generate()?.format().as_bytes())
            }
            other => other.map(|_| false),
        }
    }

    pub fn load(path: &Path) -> Result<Self, KeyFileError> {
        let text = disk::read(path, MAX_LEN)?;
        Self::parse(&text).map_err(|problem| match problem {
            Problem::Line(line) => KeyFileError::Damaged {
                path: path.to_owned(),
                line,
            },
            Problem::Version => KeyFileError::Version {
                path: path.to_owned(),
            },
        })
    }

    /// Puts a copy of the newsroom's private key into the file of a server that has none, such as a new machine after a
    /// restore. Not for a sealed archive, whose file must stay without one.
    pub fn restore_copy(path: &Path, copy: NewsroomCopy) -> Result<(), KeyFileError> {
        let mut file = Self::load(path)?;
        file.newsroom = Some(copy);
        file.save(path)
    }

    /// Takes the copy of this pair's private key out of the file, and removes what an interrupted write left beside it
    /// (sealed mode). The copy of another pair stays.
    pub fn remove_copy(path: &Path, key_id: KeyId) -> Result<(), KeyFileError> {
        let mut file = Self::load(path)?;
        match file.newsroom.take() {
            Some(copy) if copy.key_id == key_id => file.save(path),
            Some(_) => Ok(()),
            None => disk::sweep(path),
        }
    }

    /// Writes the key file in place of the one that is there, whole or not at all, with mode 0600.
    pub fn save(&self, path: &Path) -> Result<(), KeyFileError> {
        disk::replace(path, self.format().as_bytes())
    }

    fn format(&self) -> Zeroizing<String> {
        let mut text = Zeroizing::new(String::with_capacity(FORMATTED_LEN));
        text.push_str(HEADER);
        push_line(&mut text, &[MAGIC, VERSION]);
        let id = operational_id(&self.operational).to_string();
        push_line(
            &mut text,
            &["operational", &id, &encoded(&self.operational)],
        );
        if let Some(copy) = &self.newsroom {
            push_line(
                &mut text,
                &[
                    "newsroom",
                    &copy.key_id.to_string(),
                    &encoded(&copy.private.to_secret()),
                ],
            );
        }
        text
    }

    fn parse(text: &str) -> Result<Self, Problem> {
        let mut lines = (1..)
            .zip(text.lines())
            .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        let end = text.lines().count() + 1;
        let (number, first) = lines.next().ok_or(Problem::Line(end))?;
        match first.split_once(' ') {
            Some((MAGIC, VERSION)) => {}
            Some((MAGIC, _)) => return Err(Problem::Version),
            _ => return Err(Problem::Line(number)),
        }
        let (mut operational, mut newsroom) = (None, None);
        for (number, line) in lines {
            let (name, id, key) = fields(line).ok_or(Problem::Line(number))?;
            let twice = match name {
                "operational" if operational_id(&key) == id => operational.replace(key).is_some(),
                "newsroom" => newsroom
                    .replace(copy(id, &key).ok_or(Problem::Line(number))?)
                    .is_some(),
                _ => true,
            };
            if twice {
                return Err(Problem::Line(number));
            }
        }
        Ok(Self {
            operational: operational.ok_or(Problem::Line(end))?,
            newsroom,
        })
    }
}

/// What is wrong with a text, before it is known which file it came from.
#[derive(Debug, PartialEq, Eq)]
enum Problem {
    Line(usize),
    Version,
}

fn push_line(text: &mut String, fields: &[&str]) {
    for (at, field) in fields.iter().enumerate() {
        if at > 0 {
            text.push(' ');
        }
        text.push_str(field);
    }
    text.push('\n');
}

/// Name, id and key of a line; `None` when it is not such a line.
fn fields(line: &str) -> Option<(&str, KeyId, Secret32)> {
    let (name, rest) = line.split_once(' ')?;
    let (id, key) = rest.split_once(' ')?;
    let key = Zeroizing::new(URL_SAFE_NO_PAD.decode(key).ok()?);
    Some((name, id.parse().ok()?, Secret32::from_slice(&key)?))
}

/// The copy of a private key, if it is the key its id says, to the bit: X25519 ignores five bits of a private key, which
/// [`PrivateKey::to_secret`] writes in one way only.
fn copy(id: KeyId, key: &Secret32) -> Option<NewsroomCopy> {
    let copy = NewsroomCopy::new(PrivateKey::from_secret(key).ok()?);
    (copy.key_id == id && copy.private.to_secret().ct_eq(key)).then_some(copy)
}

fn encoded(key: &Secret32) -> Zeroizing<String> {
    Zeroizing::new(URL_SAFE_NO_PAD.encode(key.expose()))
}

fn operational_id(key: &Secret32) -> KeyId {
    KeyId::of(&Zeroizing::new([OPERATIONAL_ID, key.expose()].concat()))
}

#[cfg(test)]
mod tests;
