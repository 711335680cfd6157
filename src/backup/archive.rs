//! The file of a backup: a tar in one zstd frame, so that `tar --zstd` and `sha256sum --check` read it too. It holds one folder,
//! `segnalazioni-backup-1`, with these files in this order:
//!
//! ```text
//! segnalazioni.db   the database, one SQLite file
//! allegati/<id>     the files of attachments, sealed as they lie on the disk, where the backup carries them
//! manifest.json     versions, moment, rows of each table, and where the attachments are
//! SHA256SUMS        a line for each of the above
//! HMAC              name of the operational key, and the MAC of SHA256SUMS; missing where there was no key file
//! ```
//! Must never accept a file unless every part was read and summed up, nor write a file under a name that is not in this list.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tar::{Archive, Builder, Entry, EntryType, Header};

use super::attachments::{SealedFile, open_if_there};
use crate::files::FOLDER as ATTACHMENTS;
use crate::store::{PacedFile, free_bytes, make_private_file};
use crate::vault::{Stamp, is_mark};

const FOLDER: &str = "segnalazioni-backup-";
const VERSION: &str = "1";
const DATABASE: &str = "segnalazioni.db";
const MANIFEST: &str = "manifest.json";
const SUMS: &str = "SHA256SUMS";
const MAC: &str = "HMAC";
/// Limit of the manifest and of the line of the MAC, in bytes.
const TEXT_MAX: u64 = 64 * 1024;
/// A balance of speed and size: some 200 MB a second, a third of the size.
const LEVEL: i32 = 3;
/// Memory that unpacking may take, as a power of two: 8 MiB. [`LEVEL`] needs 2.
const WINDOW_LOG_MAX: u32 = 23;
/// The space that a backup leaves on the disk for new reports, in bytes.
const ROOM: u64 = 16 * MIB;
const MIB: u64 = 1024 * 1024;
const CHUNK: usize = 128 * 1024;
/// A tar consists of blocks of so many bytes.
const BLOCK: usize = 512;
const PLACE: &str = "backup";
const BROKEN: &str = "il backup è danneggiato o incompleto";

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Manifest {
    pub program_version: String,
    pub schema_version: i64,
    pub created: Timestamp,
    pub tables: BTreeMap<String, i64>,
    pub attachments: Attachments,
}

/// Where the attachments of a backup's database are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Attachments {
    Included,
    /// In the data folder: a copy on the same disk protects nothing, and fourteen would fill it.
    InDataFolder,
}

impl Attachments {
    /// The place of attachments for the server's own backups in this folder.
    pub fn of_own_backups(data: &Path, folder: &Path) -> Self {
        let disk = |path: &Path| path.metadata().map(|folder| folder.dev()).ok();
        if disk(folder) == disk(data) {
            Self::InDataFolder
        } else {
            Self::Included
        }
    }
}

/// Reads content and computes its checksum.
struct Summed<R> {
    inner: R,
    hash: Sha256,
    bytes: u64,
}

impl<R> Summed<R> {
    fn new(inner: R) -> Self {
        let hash = Sha256::new();
        let bytes = 0;
        Self { inner, hash, bytes }
    }

    fn line(self, name: &str) -> String {
        format!("{}  {name}\n", hex::encode(self.hash.finalize()))
    }
}

impl<R: Read> Read for Summed<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(into)?;
        self.hash.update(&into[..read]);
        self.bytes += read as u64;
        Ok(read)
    }
}

/// The content of a backup: the copied database, and the folder with the files of its attachments.
pub(super) struct BackupContent {
    pub database: PathBuf,
    pub data: PathBuf,
    pub files: Vec<SealedFile>,
}

/// Writes a backup. Files that were erased since they were listed are left out.
pub(super) fn pack(
    content: &BackupContent,
    manifest: &Manifest,
    stamp: Option<&Stamp>,
    to: impl Write,
) -> Result<()> {
    let mut packer = Packer::new(to, manifest.created)?;
    let database = File::open(&content.database)?;
    packer.add(DATABASE, database.metadata()?.len(), database)?;
    if manifest.attachments == Attachments::Included {
        for file in &content.files {
            let Some(opened) = open_if_there(&content.data, &file.id)? else {
                continue;
            };
            // A file that grew meanwhile must not stop a backup.
            let length = opened.metadata()?.len().min(file.bytes);
            packer.add(&format!("{ATTACHMENTS}/{}", file.id), length, opened)?;
        }
    }
    let text = serde_json::to_string_pretty(manifest)? + "\n";
    packer.add(MANIFEST, text.len() as u64, text.as_bytes())?;
    packer.finish(stamp)
}

struct Packer<W: Write> {
    tar: Builder<zstd::Encoder<'static, BufWriter<W>>>,
    created: u64,
    sums: String,
}

impl<W: Write> Packer<W> {
    fn new(to: W, created: Timestamp) -> Result<Self> {
        let mut encoder = zstd::Encoder::new(BufWriter::with_capacity(CHUNK, to), LEVEL)?;
        encoder.include_checksum(true)?;
        Ok(Self {
            tar: Builder::new(encoder),
            created: u64::try_from(created.as_second()).unwrap_or_default(),
            sums: String::new(),
        })
    }

    fn add(&mut self, name: &str, length: u64, content: impl Read) -> Result<()> {
        let mut header = Header::new_ustar();
        header.set_entry_type(EntryType::Regular);
        header.set_size(length);
        header.set_mode(0o600);
        header.set_mtime(self.created);
        let mut content = Summed::new(content.take(length));
        let path = format!("{FOLDER}{VERSION}/{name}");
        self.tar.append_data(&mut header, path, &mut content)?;
        ensure!(
            content.bytes == length,
            "«{name}» è cambiato mentre veniva copiato"
        );
        self.sums += &content.line(name);
        Ok(())
    }

    fn finish(mut self, stamp: Option<&Stamp>) -> Result<()> {
        let sums = std::mem::take(&mut self.sums);
        self.add(SUMS, sums.len() as u64, sums.as_bytes())?;
        if let Some(stamp) = stamp {
            let mac = hex::encode(stamp.mark(PLACE, [sums.as_bytes()]));
            let line = format!("{} {mac}\n", stamp.key_id());
            self.add(MAC, line.len() as u64, line.as_bytes())?;
        }
        Ok(self.tar.into_inner()?.finish()?.flush()?)
    }
}

/// A backup that was read to its end.
pub struct Unpacked {
    pub manifest: Manifest,
    /// Whether the key file of this machine signed it; otherwise its origin is unknown.
    pub own: bool,
    pub files: Vec<SealedFile>,
}

type Frame = zstd::Decoder<'static, BufReader<File>>;

fn open(path: &Path) -> Result<Archive<Frame>> {
    let file = BufReader::with_capacity(CHUNK, File::open(path)?);
    let mut frame = zstd::Decoder::with_buffer(file)?.single_frame();
    frame.window_log_max(WINDOW_LOG_MAX)?;
    Ok(Archive::new(frame))
}

/// Whether a file begins as a backup of this product does, of whatever version.
pub fn begins_as_backup(path: &Path) -> bool {
    // A pipe or a device is not read.
    path.is_file() && version_of(path).is_some()
}

fn version_of(path: &Path) -> Option<String> {
    let mut archive = open(path).ok()?;
    let first = archive.entries().ok()?.raw(true).next()?.ok()?;
    let name = String::from_utf8(first.path_bytes().into_owned()).ok()?;
    let (folder, _) = name.split_once('/')?;
    folder.strip_prefix(FOLDER).map(str::to_owned)
}

/// Checks a whole backup. The database is unpacked into a new file and the attachments into a folder, if these are given; else they
/// are only read.
pub fn unpack(
    path: &Path,
    stamp: Option<&Stamp>,
    database: Option<&Path>,
    attachments: Option<&Path>,
) -> Result<Unpacked> {
    match version_of(path).as_deref() {
        Some(VERSION) => {}
        Some(_) => bail!(
            "il formato del backup non è conosciuto da questa versione del programma: serve una versione più recente"
        ),
        None => bail!("{BROKEN}, o non è un backup di segnalazioni"),
    }
    let mut unpacking = Unpacking {
        database,
        attachments,
        ..Unpacking::default()
    };
    let mut archive = open(path)?;
    for entry in archive.entries().context(BROKEN)?.raw(true) {
        unpacking.take(entry.context(BROKEN)?)?;
    }
    refuse_more(archive)?;
    unpacking.finish(stamp)
}

/// Refuses bytes after the end of the tar or of its frame.
fn refuse_more(archive: Archive<Frame>) -> Result<()> {
    let mut frame = archive.into_inner();
    let mut rest = Vec::new();
    // One of the two empty blocks at the end has been read.
    let more = 2 * BLOCK as u64;
    (&mut frame)
        .take(more)
        .read_to_end(&mut rest)
        .context(BROKEN)?;
    ensure!(
        rest == [0; BLOCK] && frame.finish().fill_buf()?.is_empty(),
        BROKEN
    );
    Ok(())
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum BackupPart {
    Database,
    Attachment(String),
    Manifest,
    Sums,
    Mac,
}

impl BackupPart {
    fn of(name: &str) -> Option<Self> {
        Some(match name {
            DATABASE => Self::Database,
            MANIFEST => Self::Manifest,
            SUMS => Self::Sums,
            MAC => Self::Mac,
            name => {
                let id = name.strip_prefix(ATTACHMENTS)?.strip_prefix('/')?;
                let plain = |byte: u8| byte.is_ascii_hexdigit() || byte == b'-';
                let is_id = id.len() == 36 && id.bytes().all(plain);
                Self::Attachment(is_id.then(|| id.to_owned())?)
            }
        })
    }

    fn may_follow(&self, last: Option<&Self>) -> bool {
        match self {
            Self::Database => last.is_none(),
            Self::Attachment(_) | Self::Manifest => {
                matches!(last, Some(Self::Database | Self::Attachment(_)))
            }
            Self::Sums => last == Some(&Self::Manifest),
            Self::Mac => last == Some(&Self::Sums),
        }
    }
}

#[derive(Default)]
struct Unpacking<'a> {
    database: Option<&'a Path>,
    attachments: Option<&'a Path>,
    last: Option<BackupPart>,
    sums: String,
    files: Vec<SealedFile>,
    manifest: Option<Manifest>,
    mac: Option<String>,
}

impl Unpacking<'_> {
    fn take(&mut self, entry: Entry<'_, impl Read>) -> Result<()> {
        let path = entry.path_bytes().into_owned();
        let path = String::from_utf8(path).ok().context(BROKEN)?;
        let name = path.strip_prefix(&format!("{FOLDER}{VERSION}/"));
        let name = name.context(BROKEN)?;
        let part = BackupPart::of(name).context(BROKEN)?;
        let regular = entry.header().entry_type() == EntryType::Regular;
        ensure!(regular && part.may_follow(self.last.as_ref()), BROKEN);
        let length = entry.size();
        let mut content = Summed::new(entry);
        self.read(&part, length, &mut content)?;
        ensure!(content.bytes == length, BROKEN);
        if !matches!(part, BackupPart::Sums | BackupPart::Mac) {
            self.sums += &content.line(name);
        }
        self.last = Some(part);
        Ok(())
    }

    fn read(&mut self, part: &BackupPart, length: u64, content: &mut impl Read) -> Result<()> {
        match part {
            BackupPart::Database => unpack_part(content, length, self.database),
            BackupPart::Attachment(id) => {
                let to = self.attachments.map(|folder| folder.join(id));
                self.files.push(SealedFile {
                    id: id.clone(),
                    bytes: length,
                });
                unpack_part(content, length, to.as_deref())
            }
            BackupPart::Manifest => {
                let text = read_text(content, TEXT_MAX)?;
                let manifest = serde_json::from_str(&text).ok();
                self.manifest =
                    Some(manifest.with_context(|| format!("{BROKEN}: {MANIFEST} illeggibile"))?);
                Ok(())
            }
            BackupPart::Sums => {
                let text = read_text(content, self.sums.len() as u64)?;
                ensure!(
                    text == self.sums,
                    "{BROKEN}: le somme di controllo non corrispondono"
                );
                Ok(())
            }
            BackupPart::Mac => {
                self.mac = Some(read_text(content, TEXT_MAX)?);
                Ok(())
            }
        }
    }

    fn finish(self, stamp: Option<&Stamp>) -> Result<Unpacked> {
        let own = self.is_own(stamp)?;
        let manifest = self.manifest.context(BROKEN)?;
        let carries = manifest.attachments == Attachments::Included;
        ensure!(carries || self.files.is_empty(), BROKEN);
        Ok(Unpacked {
            manifest,
            own,
            files: self.files,
        })
    }

    /// Whether this machine signed it. A wrong signature under this machine's key is refused.
    fn is_own(&self, stamp: Option<&Stamp>) -> Result<bool> {
        ensure!(
            matches!(self.last, Some(BackupPart::Sums | BackupPart::Mac)),
            BROKEN
        );
        let line = self.mac.as_deref().and_then(|mac| mac.strip_suffix('\n'));
        let claimed = line.and_then(|line| line.split_once(' '));
        let own = stamp.zip(claimed);
        let Some((stamp, (_, mac))) = own.filter(|(stamp, (id, _))| stamp.key_id() == *id) else {
            return Ok(false);
        };
        let right = stamp.mark(PLACE, [self.sums.as_bytes()]);
        ensure!(
            hex::decode(mac).is_ok_and(|mac| is_mark(&right, &mac)),
            "il backup non è quello che questa macchina ha scritto: qualcuno lo ha modificato"
        );
        Ok(true)
    }
}

fn read_text(content: &mut impl Read, most: u64) -> Result<String> {
    let mut text = String::new();
    content
        .take(most)
        .read_to_string(&mut text)
        .context(BROKEN)?;
    Ok(text)
}

/// Writes a part to a new file, if there is space for its announced length, or only reads it.
fn unpack_part(content: &mut impl Read, length: u64, to: Option<&Path>) -> Result<()> {
    let Some(to) = to else {
        io::copy(content, &mut io::sink()).context(BROKEN)?;
        return Ok(());
    };
    refuse_without_room(to, length)?;
    let mut file = PacedFile::new(make_private_file(to)?);
    io::copy(content, &mut file).context(BROKEN)?;
    Ok(file.into_inner().sync_all()?)
}

/// Refuses a part that would leave no space for new reports, since the length that a file announces may be wrong.
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

/// The beginning of a backup.
#[cfg(test)]
pub(super) fn beginning() -> Vec<u8> {
    let mut backup = Vec::new();
    let mut packer = Packer::new(&mut backup, Timestamp::UNIX_EPOCH).unwrap();
    packer.add(DATABASE, 0, io::empty()).unwrap();
    packer.finish(None).unwrap();
    backup
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::LazyLock;

    use proptest::prelude::*;
    use tempfile::TempDir;

    use super::*;
    use crate::files;
    use crate::store::folder_below;

    /// A small file of the form, what it says of itself and a folder to try altered ones in.
    static WHOLE: LazyLock<(Vec<u8>, Manifest, TempDir)> = LazyLock::new(|| {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().to_owned();
        let database = data.join("database");
        let bytes: Vec<u8> = (0..20_000_u32)
            .map(|at| (at.wrapping_mul(at) >> 9).to_le_bytes()[0])
            .collect();
        fs::write(&database, &bytes).unwrap();
        let manifest = Manifest {
            program_version: crate::VERSION.to_owned(),
            schema_version: 1,
            created: Timestamp::UNIX_EPOCH,
            tables: BTreeMap::new(),
            attachments: Attachments::Included,
        };
        let id = "00000000-0000-4000-8000-000000000000".to_owned();
        let attachment = folder_below(&data, files::FOLDER).unwrap().join(&id);
        fs::write(attachment, &bytes[..2_000]).unwrap();
        let content = BackupContent {
            database,
            data,
            files: vec![SealedFile { id, bytes: 2_000 }],
        };
        let mut packed = Vec::new();
        pack(&content, &manifest, None, &mut packed).unwrap();
        (packed, manifest, folder)
    });

    fn checked(content: &[u8]) -> Result<Unpacked> {
        let name = format!("{:?}", std::thread::current().id());
        let file = WHOLE.2.path().join(name);
        fs::write(&file, content)?;
        unpack(&file, None, None, None)
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
                prop_assert_eq!(&found.manifest, manifest);
                prop_assert_eq!(altered.len(), whole.len());
            }
        }
    }
}
