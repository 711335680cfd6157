//! The ledger of what was erased once more, in a file of its own beside the database: it must be there when the database is
//! lost or damaged and an older backup comes back (PRODUCT.md §9). A line of text each, and a sum over all of them:
//!
//! ```text
//! segnalazioni-cancellate 1
//! <digest of the id> <moment in ms> <cause>
//! sha256 <of everything before this line>
//! ```
//! Must never hold more than the table `erased`, nor lose a line that only the file still has, nor pass for whole when it is
//! not.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use rustix::fs::{FlockOperation, flock};
use sha2::{Digest, Sha256};

use super::Store;
use super::connection::{give_to_owner, make_private_file};
use super::erased::{Cause, LedgerRow};
use super::error::{Error, Result};

/// Its name in the data folder.
const NAME: &str = "segnalazioni.cancellate";
/// What it is called while it is being written.
const TEMPORARY: &str = ".segnalazioni.cancellate.tmp";
/// What a damaged one is called from when it was made anew.
const DAMAGED: &str = "segnalazioni.cancellate.rovinato";
/// What it begins with.
const HEAD: &str = "segnalazioni-cancellate 1\n";
/// What its last line begins with.
const SUM: &str = "sha256 ";

/// What the file turned out to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LedgerFile {
    /// There is none.
    Missing,
    /// It is not what was written; these lines of it can still be read.
    Damaged(Vec<LedgerRow>),
    /// It is as it was written.
    Whole(Vec<LedgerRow>),
}

impl LedgerFile {
    /// What can be read of it.
    pub fn into_lines(self) -> Vec<LedgerRow> {
        match self {
            Self::Missing => Vec::new(),
            Self::Damaged(lines) | Self::Whole(lines) => lines,
        }
    }
}

/// The ledger beside a folder's database.
pub fn read_ledger_file(folder: &Path) -> Result<LedgerFile> {
    let path = folder.join(NAME);
    match fs::read(&path) {
        Ok(bytes) => Ok(understood(&bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(LedgerFile::Missing),
        Err(error) => Err(disk(&path, &error)),
    }
}

/// What can be read of lists that were found damaged and made anew, while the operator has not put them away.
pub fn read_damaged_ledger(folder: &Path) -> Result<Vec<LedgerRow>> {
    Ok(understood(&content(&folder.join(DAMAGED))?).into_lines())
}

/// What a file holds; nothing where there is none.
fn content(path: &Path) -> Result<Vec<u8>> {
    match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        read => read.map_err(|error| disk(path, &error)),
    }
}

/// Path of a ledger that was found damaged and made anew, while the operator has not put it away.
pub fn damaged_ledger(folder: &Path) -> Option<std::path::PathBuf> {
    let path = folder.join(DAMAGED);
    path.exists().then_some(path)
}

impl Store {
    /// Brings the ledger beside the database up to date: what stands in either of them stands in the file afterwards, and
    /// is on disk. A database in memory has none.
    pub fn keep_ledger(&self) -> Result<()> {
        let Some(folder) = &self.folder else {
            return Ok(());
        };
        // `reset-password` does the same beside a server: what the one has written the other must have read.
        let alone = File::open(folder).map_err(|error| disk(folder, &error))?;
        flock(&alone, FlockOperation::LockExclusive)
            .map_err(|error| disk(folder, &error.into()))?;
        let mut lines: BTreeMap<[u8; 32], LedgerRow> = BTreeMap::new();
        let stored: Result<Vec<LedgerRow>> = self.read(|snapshot| snapshot.ledger());
        lines.extend(stored?.into_iter().map(|line| (line.trace, line)));
        let present = read_ledger_file(folder)?;
        if matches!(present, LedgerFile::Damaged(_)) {
            put_aside(folder)?;
        }
        let whole = match &present {
            LedgerFile::Whole(kept) => Some(kept.len()),
            _ => None,
        };
        let aside = read_damaged_ledger(folder)?;
        for line in present.into_lines().into_iter().chain(aside) {
            lines.entry(line.trace).or_insert(line);
        }
        if whole == Some(lines.len()) {
            return Ok(());
        }
        write(folder, NAME, text(lines.values()).as_bytes())
    }
}

impl Store {
    /// Lines that stand beside the database and not in it, as far as they can be read: after an older database took its place.
    pub fn lines_beside(&self) -> Result<Vec<LedgerRow>> {
        let Some(folder) = &self.folder else {
            return Ok(Vec::new());
        };
        let read = [
            read_ledger_file(folder).map(LedgerFile::into_lines),
            read_damaged_ledger(folder),
        ];
        let mut lines = Vec::new();
        for read in read {
            match read {
                Ok(read) => lines.extend(read),
                Err(error) => tracing::error!(
                    %error,
                    "the list of erased reports cannot be read: what came back with an older archive stays"
                ),
            }
        }
        self.read(move |snapshot| snapshot.lacking(lines))
    }
}

/// Copies a damaged list beside itself, after those of before. It stays where it is until the new one takes its place: whoever
/// is killed in between has lost no line.
fn put_aside(folder: &Path) -> Result<()> {
    let damaged = content(&folder.join(NAME))?;
    let mut aside = content(&folder.join(DAMAGED))?;
    // One that could not be made anew the last time is there already.
    if damaged.is_empty() || !aside.ends_with(&damaged) {
        if !aside.is_empty() {
            aside.push(b'\n');
        }
        aside.extend(damaged);
        write(folder, DAMAGED, &aside)?;
    }
    tracing::error!(
        file = %folder.join(DAMAGED).display(),
        "the list of erased reports was damaged: it is made anew of the archive"
    );
    Ok(())
}

/// The file's content.
fn text<'a>(lines: impl Iterator<Item = &'a LedgerRow>) -> String {
    let lines = lines.map(|line| {
        let (trace, cause) = (hex::encode(line.trace), line.cause.as_str());
        format!("{trace} {} {cause}\n", line.at)
    });
    let text: String = std::iter::once(HEAD.to_owned()).chain(lines).collect();
    let sum = hex::encode(Sha256::digest(&text));
    text + SUM + &sum + "\n"
}

fn understood(bytes: &[u8]) -> LedgerFile {
    let text = String::from_utf8_lossy(bytes);
    let rows = text.lines().filter_map(line).collect::<Vec<_>>();
    // Written again it must be the same to the last byte.
    if self::text(rows.iter()).as_bytes() == bytes {
        LedgerFile::Whole(rows)
    } else {
        LedgerFile::Damaged(rows)
    }
}

fn line(text: &str) -> Option<LedgerRow> {
    let mut parts = text.split(' ');
    let (trace, at, cause) = (parts.next()?, parts.next()?, parts.next()?);
    let mut digest = [0; 32];
    hex::decode_to_slice(trace, &mut digest).ok()?;
    Some(LedgerRow {
        trace: digest,
        at: at.parse().ok()?,
        cause: Cause::parse(cause)?,
    })
}

/// Writes a file of the folder, whole or not at all.
fn write(folder: &Path, name: &str, content: &[u8]) -> Result<()> {
    let temporary = folder.join(TEMPORARY);
    let failed = |error: io::Error| disk(&temporary, &error);
    match fs::remove_file(&temporary) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
        _ => {}
    }
    let written = make_private_file(&temporary).and_then(|mut file| {
        file.write_all(content).map_err(failed)?;
        file.sync_all().map_err(failed)?;
        give_to_owner(folder, &temporary)
    });
    if let Err(error) = written {
        // Half of it is worth nothing; the next one would remove it too.
        let _ = fs::remove_file(&temporary);
        return Err(error);
    }
    fs::rename(&temporary, folder.join(name)).map_err(failed)?;
    File::open(folder)
        .and_then(|folder| folder.sync_all())
        .map_err(failed)
}

fn disk(path: &Path, error: &io::Error) -> Error {
    if error.kind() == io::ErrorKind::StorageFull {
        return Error::DiskFull;
    }
    let why = match error.kind() {
        io::ErrorKind::PermissionDenied => "permesso negato".to_owned(),
        io::ErrorKind::IsADirectory => "è una cartella".to_owned(),
        _ => error.to_string(),
    };
    Error::Disk(format!("{}: {why}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Vec<LedgerRow> {
        let row = |byte, cause| LedgerRow {
            trace: [byte; 32],
            at: 1_789_000_000_123,
            cause,
        };
        vec![row(1, Cause::Request), row(2, Cause::Age)]
    }

    #[test]
    fn what_is_written_is_read_and_every_other_byte_is_noticed() {
        let good = text(rows().iter()).into_bytes();
        assert_eq!(understood(&good), LedgerFile::Whole(rows()));
        assert_eq!(
            understood(text([].iter()).as_bytes()),
            LedgerFile::Whole(Vec::new())
        );
        for at in 0..good.len() {
            let mut bad = good.clone();
            bad[at] ^= 1;
            assert!(matches!(understood(&bad), LedgerFile::Damaged(_)), "{at}");
            assert!(
                matches!(understood(&good[..at]), LedgerFile::Damaged(_)),
                "{at}"
            );
        }
        let line = good.iter().position(|byte| *byte == b'\n').expect("a line");
        let mut bad = good;
        bad[line + 1] = b'x';
        assert_eq!(understood(&bad), LedgerFile::Damaged(rows()[1..].to_vec()));
    }
}
