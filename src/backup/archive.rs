//! The file of a backup. In this order:
//!
//! ```text
//! segnalazioni-backup 1\n
//! {"programVersion":…,"schemaVersion":…,"created":…,"bytes":…,"tables":{…},"attachments":…,"attachmentBytes":…}\n
//! one zstd frame, which says its length: the database, a SQLite file of `bytes` bytes
//! the files of attachments, where it carries them (see `packed`)
//! sha256 <64 hexadecimal digits: of all before>\n
//! hmac <name of the operational key> <64 hexadecimal digits: of the line before>\n, or hmac -\n without a key file
//! ```
//! Must never leave one under its name that was not read back from the disk, accept one that would unpack to anything but what
//! was packed, nor unpack more than it announces.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail, ensure};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use zstd::zstd_safe::get_frame_content_size;

use super::folder;
use super::packed::{self, Listed};
use super::scratch::Scratch;
use crate::VERSION as PROGRAM;
use crate::store::{
    PacedFile, beside, copy_database, database_path, free_bytes, give_to_owner, inspect_database,
    make_private_file,
};
use crate::vault::{Stamp, is_mark};

/// What the file begins with, before its version.
pub const MAGIC: &str = "segnalazioni-backup ";
const VERSION: &str = "1";
const HEADER_MAX: u64 = 64 * 1024;
/// More than the two last lines have.
const END_MAX: u64 = 1024;
/// Speed and size in balance: some 200 MB a second, a third of the size.
const LEVEL: i32 = 3;
/// Memory that unpacking may take, as a power of two: 8 MiB. [`LEVEL`] needs 2.
const WINDOW_LOG_MAX: u32 = 23;
/// Room on the disk beyond the database itself, in bytes.
const ROOM: u64 = 16 * MIB;
const MIB: u64 = 1024 * 1024;
const CHUNK: usize = 128 * 1024;
const UNLIKE: &str = "il backup è danneggiato: il contenuto non è quello annunciato";
const MARK: &str = "hmac ";
const PLACE: &str = "backup";
const UNREADABLE: &str = "il backup è danneggiato o incompleto: intestazione illeggibile";
const WRONG: &str = "il backup è danneggiato o incompleto: la somma di controllo non corrisponde";

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Manifest {
    pub program_version: String,
    pub schema_version: i64,
    pub created: Timestamp,
    pub bytes: u64,
    pub tables: BTreeMap<String, i64>,
    pub attachments: Attachments,
    /// Bytes of the files of attachments that it carries, at most.
    pub attachment_bytes: u64,
}

/// Where the files of attachments are that the database of a backup names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Attachments {
    Included,
    /// They stay in the data folder: on one disk a copy saves nothing, and fourteen fill it.
    InDataFolder,
}

impl Attachments {
    /// What the server's own backups in this folder have.
    pub fn of_own_backups(data: &Path, folder: &Path) -> Self {
        let disk = |path: &Path| path.metadata().map(|folder| folder.dev()).ok();
        if disk(folder) == disk(data) {
            Self::InDataFolder
        } else {
            Self::Included
        }
    }
}

/// What is written or read, with the sum of it.
struct Summed<I> {
    inner: I,
    hash: Sha256,
}

impl<I> Summed<I> {
    fn new(inner: I) -> Self {
        let hash = Sha256::new();
        Self { inner, hash }
    }

    /// The line that says the sum, and what follows it.
    fn end(self) -> (String, I) {
        let sum = hex::encode(self.hash.finalize());
        (format!("sha256 {sum}\n"), self.inner)
    }
}

impl<W: Write> Write for Summed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.hash.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<R: Read> Read for Summed<BufReader<R>> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(into)?;
        self.consume(read);
        Ok(read)
    }
}

impl<R: Read> BufRead for Summed<BufReader<R>> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.inner.fill_buf()
    }

    fn consume(&mut self, bytes: usize) {
        self.hash.update(&self.inner.buffer()[..bytes]);
        self.inner.consume(bytes);
    }
}

/// What goes into a backup: the copied database, and the folder in which the files of attachments are.
struct Content {
    database: PathBuf,
    data: PathBuf,
    files: Vec<Listed>,
}

fn pack(
    content: &Content,
    manifest: &Manifest,
    stamp: Option<&Stamp>,
    to: impl Write,
) -> Result<()> {
    let mut out = Summed::new(BufWriter::with_capacity(CHUNK, to));
    let header = serde_json::to_string(manifest)?;
    write!(out, "{MAGIC}{VERSION}\n{header}\n")?;
    let mut encoder = zstd::Encoder::new(&mut out, LEVEL)?;
    encoder.set_pledged_src_size(Some(manifest.bytes))?;
    io::copy(&mut File::open(&content.database)?, &mut encoder)?;
    encoder.finish()?;
    if manifest.attachments == Attachments::Included {
        packed::write(&content.data, &content.files, &mut out)?;
    }
    let (sum, mut out) = out.end();
    let mark = stamp.map_or_else(
        || "-".to_owned(),
        |stamp| {
            let mark = stamp.mark(PLACE, [sum.as_bytes()]);
            format!("{} {}", stamp.key_id(), hex::encode(mark))
        },
    );
    writeln!(out, "{sum}{MARK}{mark}")?;
    Ok(out.flush()?)
}

/// A backup that was read to its end.
pub struct Unpacked {
    pub manifest: Manifest,
    /// Whether somebody with the key file of this machine wrote it; else that cannot be told.
    pub own: bool,
    pub files: Vec<Listed>,
}

/// Checks a whole backup, and unpacks the database into a new file, and the files of attachments into a folder where one is named.
pub fn unpack(
    path: &Path,
    stamp: Option<&Stamp>,
    to: &Path,
    files: Option<&Path>,
) -> Result<Unpacked> {
    let open = |manifest: &Manifest| {
        let beside = files.map_or(0, |_| manifest.attachment_bytes);
        refuse_without_room(to, manifest.bytes.saturating_add(beside))?;
        Ok(PacedFile::new(make_private_file(to)?))
    };
    read_through(path, stamp, open, files)
}

fn check(path: &Path, stamp: Option<&Stamp>) -> Result<Manifest> {
    Ok(read_through(path, stamp, |_| Ok(io::sink()), None)?.manifest)
}

/// Checks a whole backup, while the database in it goes to what `to` opens for it.
fn read_through<W: Write>(
    path: &Path,
    stamp: Option<&Stamp>,
    to: impl FnOnce(&Manifest) -> Result<W>,
    into: Option<&Path>,
) -> Result<Unpacked> {
    let mut reader = Summed::new(BufReader::with_capacity(CHUNK, File::open(path)?));
    let manifest = header(&mut reader)?;
    read_database(&mut reader, &manifest, to(&manifest)?)?;
    let files = match manifest.attachments {
        Attachments::InDataFolder => Vec::new(),
        Attachments::Included => packed::read(&mut reader, manifest.attachment_bytes, into)?,
    };
    let own = end(reader, stamp)?;
    Ok(Unpacked {
        manifest,
        own,
        files,
    })
}

/// Unpacks the database as it was announced.
fn read_database<R: Read>(
    reader: &mut Summed<BufReader<R>>,
    manifest: &Manifest,
    mut out: impl Write,
) -> Result<()> {
    // Before anything is unpacked. The buffer holds more than a header.
    let announced = get_frame_content_size(reader.fill_buf()?);
    ensure!(
        matches!(announced, Ok(Some(bytes)) if bytes == manifest.bytes),
        UNLIKE
    );
    let mut decoder = zstd::Decoder::with_buffer(reader)?.single_frame();
    decoder.window_log_max(WINDOW_LOG_MAX)?;
    // One byte more than is announced shows that there is more.
    let mut content = decoder.take(manifest.bytes.saturating_add(1));
    let bytes = io::copy(&mut content, &mut out).context("il backup è danneggiato")?;
    ensure!(bytes == manifest.bytes, UNLIKE);
    Ok(())
}

fn header(reader: &mut impl BufRead) -> Result<Manifest> {
    let mut reader = reader.take(HEADER_MAX);
    let mut line = || -> Result<String> {
        let mut line = String::new();
        reader.read_line(&mut line).context(UNREADABLE)?;
        Ok(line)
    };
    let first = line()?;
    let Some(version) = first.strip_prefix(MAGIC) else {
        bail!("non è un backup di segnalazioni");
    };
    ensure!(
        version == format!("{VERSION}\n"),
        "il formato del backup non è conosciuto da questa versione del programma: serve una versione più recente"
    );
    serde_json::from_str(&line()?).map_err(|_| anyhow!(UNREADABLE))
}

/// Compares the sum of all that was read, and says whether this machine wrote it; what claims this machine's key and is not right is refused.
fn end<R: Read>(reader: Summed<BufReader<R>>, stamp: Option<&Stamp>) -> Result<bool> {
    let (sum, rest) = reader.end();
    let mut end = String::new();
    let read = rest.take(END_MAX).read_to_string(&mut end).context(WRONG)?;
    ensure!((read as u64) < END_MAX, WRONG);
    let mark = end
        .strip_prefix(&sum)
        .and_then(|end| end.strip_prefix(MARK)?.strip_suffix('\n'))
        .filter(|mark| !mark.contains('\n'))
        .context(WRONG)?;
    let claimed = mark.split_once(' ');
    let own = stamp.zip(claimed);
    let Some((stamp, (_, mark))) = own.filter(|(stamp, (id, _))| stamp.key_id() == *id) else {
        return Ok(false);
    };
    ensure!(
        hex::decode(mark).is_ok_and(|mark| is_mark(&stamp.mark(PLACE, [sum.as_bytes()]), &mark)),
        "il backup non è quello che questa macchina ha scritto: qualcuno lo ha modificato"
    );
    Ok(true)
}

/// What is announced may be more than there is room for, by mistake or on purpose.
pub(super) fn refuse_without_room(to: &Path, bytes: u64) -> Result<()> {
    let folder = to.parent().unwrap_or(Path::new("."));
    let free = free_bytes(folder)?;
    let needed = bytes.saturating_add(ROOM);
    if needed <= free {
        return Ok(());
    }
    let message = format!(
        "per il backup e per nuove segnalazioni servono {} MiB, e nella cartella {} ce ne sono liberi {}",
        needed.div_ceil(MIB),
        folder.display(),
        free / MIB,
    );
    Err(io::Error::new(io::ErrorKind::StorageFull, message).into())
}

#[derive(Debug, Clone)]
pub struct Made {
    pub path: PathBuf,
    pub bytes: u64,
    pub manifest: Manifest,
    /// Attachments whose file the data folder lacks or has not whole.
    pub missing: usize,
}

/// A backup that is to be made.
pub struct NewBackup<'a> {
    pub data: &'a Path,
    pub attachments: Attachments,
    /// The moment that it bears, in ms.
    pub now: i64,
    pub stamp: Option<&'a Stamp>,
}

/// Bytes that the database of a folder has as one file, at most.
fn database_bytes(data: &Path) -> u64 {
    let database = database_path(data);
    let length = |path: &Path| path.metadata().map_or(0, |file| file.len());
    length(&database).saturating_add(length(&beside(&database, "-wal")))
}

/// Bytes that making a backup takes on its disk: the copy of the database, the packed one, and the files that it carries.
pub fn bytes_needed(data: &Path, attachments: Attachments) -> Result<u64> {
    let carried = match attachments {
        Attachments::InDataFolder => 0,
        Attachments::Included => packed::listed(data)?.iter().map(|(_, bytes)| bytes).sum(),
    };
    Ok(database_bytes(data)
        .saturating_mul(2)
        .saturating_add(carried))
}

impl NewBackup<'_> {
    pub fn save_in(&self, parent: &Path) -> Result<Made> {
        self.save_as(&parent.join(folder::name_at(self.now)?))
    }

    /// Makes a backup under a given name. A file that is there already is replaced if it is a backup, and refused otherwise.
    pub fn save_as(&self, path: &Path) -> Result<Made> {
        ensure!(
            !path.exists() || folder::begins_as_backup(path),
            "{} esiste e non è un backup: non viene sovrascritto",
            path.display()
        );
        let parent = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let scratch = Scratch::below(parent)?;
        let packed = scratch.file("backup");
        refuse_without_room(&packed, bytes_needed(self.data, self.attachments)?)?;
        let (content, manifest) = self.copy(&scratch)?;
        let mut file = PacedFile::new(make_private_file(&packed)?);
        pack(&content, &manifest, self.stamp, &mut file)?;
        let file = file.into_inner();
        file.sync_all()?;
        // Read back: what the disk holds is what counts.
        ensure!(
            check(&packed, self.stamp)? == manifest,
            "il backup scritto non è quello che doveva essere"
        );
        if parent.starts_with(self.data) {
            give_to_owner(self.data, &packed)?;
        }
        fs::rename(&packed, path)
            .with_context(|| format!("impossibile scrivere {}", path.display()))?;
        File::open(parent)?.sync_all()?;
        Ok(Made {
            path: path.to_owned(),
            bytes: file.metadata()?.len(),
            manifest,
            missing: packed::missing(self.data, &content.files)?,
        })
    }

    /// Sends a backup; what it is made of lies below `parent` meanwhile.
    pub fn stream(&self, parent: &Path, to: impl Write) -> Result<()> {
        let scratch = Scratch::below(parent)?;
        refuse_without_room(&scratch.file("segnalazioni.db"), database_bytes(self.data))?;
        let (content, manifest) = self.copy(&scratch)?;
        pack(&content, &manifest, self.stamp, to)
    }

    fn copy(&self, scratch: &Scratch) -> Result<(Content, Manifest)> {
        let database = scratch.file("segnalazioni.db");
        copy_database(self.data, &database)?;
        let found =
            inspect_database(&database, None).context("l'archivio da salvare non è integro")?;
        let files = packed::listed(scratch.path())?;
        let manifest = Manifest {
            attachments: self.attachments,
            attachment_bytes: match self.attachments {
                Attachments::Included => files.iter().map(|(_, bytes)| bytes).sum(),
                Attachments::InDataFolder => 0,
            },
            program_version: PROGRAM.to_owned(),
            schema_version: found.version,
            created: Timestamp::from_millisecond(self.now)?,
            bytes: database.metadata()?.len(),
            tables: found.tables,
        };
        let data = self.data.to_owned();
        let content = Content {
            database,
            data,
            files,
        };
        Ok((content, manifest))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use proptest::prelude::*;
    use tempfile::TempDir;

    use super::*;
    use crate::files;

    /// A small file of the form, what it says of itself and a folder to try altered ones in.
    static WHOLE: LazyLock<(Vec<u8>, Manifest, TempDir)> = LazyLock::new(|| {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("database");
        let content: Vec<u8> = (0..20_000_u32)
            .map(|at| (at.wrapping_mul(at) >> 9).to_le_bytes()[0])
            .collect();
        fs::write(&database, &content).unwrap();
        let manifest = Manifest {
            program_version: PROGRAM.to_owned(),
            schema_version: 1,
            created: Timestamp::UNIX_EPOCH,
            bytes: content.len() as u64,
            tables: BTreeMap::new(),
            attachments: Attachments::Included,
            attachment_bytes: 3_000,
        };
        let id = "00000000-0000-4000-8000-000000000000";
        let lies = crate::store::folder_below(folder.path(), files::FOLDER)
            .unwrap()
            .join(id);
        fs::write(lies, &content[..2_000]).unwrap();
        let data = folder.path().to_owned();
        let files = vec![(id.to_owned(), 2_000)];
        let content = Content {
            database,
            data,
            files,
        };
        let mut packed = Vec::new();
        pack(&content, &manifest, None, &mut packed).unwrap();
        (packed, manifest, folder)
    });

    fn checked(content: &[u8]) -> Result<Manifest> {
        let name = format!("{:?}", std::thread::current().id());
        let file = WHOLE.2.path().join(name);
        fs::write(&file, content)?;
        check(&file, None)
    }

    #[test]
    fn nothing_stands_behind_the_end() {
        let (whole, _, _) = &*WHOLE;
        let mut longer = whole.clone();
        // The last line, made as long as is read of it, with more behind.
        longer.pop();
        longer.extend(" ".repeat(2_000).bytes());
        for at in whole.len()..longer.len() {
            longer[at] = b'\n';
            assert!(checked(&longer).is_err(), "{at}");
            longer[at] = b' ';
        }
        assert!(checked(whole).is_ok());
    }

    proptest! {
        #[test]
        fn an_altered_file_is_refused_or_unpacks_to_the_same(
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
            cut in prop::option::of(any::<prop::sample::Index>()),
            tail in prop::collection::vec(any::<u8>(), 0..20),
        ) {
            let (whole, manifest, _) = &*WHOLE;
            let mut altered = whole.clone();
            for (at, byte) in changes {
                altered[at.index(whole.len())] = byte;
            }
            altered.truncate(cut.map_or(whole.len(), |at| at.index(whole.len() + 1)));
            altered.extend(&tail);
            let found = checked(&altered);
            prop_assert!(found.is_ok() || altered != *whole);
            if let Ok(found) = found {
                prop_assert_eq!(&found, manifest);
                prop_assert_eq!(altered.len(), whole.len());
            }
        }

        #[test]
        fn any_header_is_read_or_refused(
            said in r#"\{("(bytes|created|tables|schemaVersion|programVersion)":("[0-9a-f]{0,64}"|-?[0-9]{1,20}|\{\}|null),?){0,7}\}|\PC*"#,
            frame in prop::collection::vec(any::<u8>(), 0..40),
        ) {
            let header = format!("{MAGIC}{VERSION}\n{said}\n");
            let content = [header.as_bytes(), &frame].concat();
            let sum = format!("sha256 {}\n{MARK}-\n", hex::encode(Sha256::digest(&content)));
            prop_assert!(checked(&[&content, sum.as_bytes()].concat()).is_err());
        }
    }
}
