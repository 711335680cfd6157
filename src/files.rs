//! The files of attachments in the data folder: written piece by piece as they arrive, sealed, and read back.
//! Must never write a byte in the clear, read over a piece that does not open, nor delete a file whose row did not go before it.

use std::fs::{self, File};
use std::io::{self, BufRead, ErrorKind, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use rawzip::ReaderAt;

use crate::store::{AttachmentRow, Store, folder_below, make_private_file};
use crate::vault::{FileKey, PIECE_LEN, SEALED_LEN, VaultError};

/// Folder of the files, below the data.
pub const FOLDER: &str = "allegati";
/// Pieces after which what was written is synced: what lies before the last of such places survives a power cut.
const SYNC_EVERY: u64 = 64;

const PIECE: u64 = PIECE_LEN as u64;
const SEALED: u64 = SEALED_LEN as u64;

/// Where a file lies; also what is no id, in a database from elsewhere, names nothing outside of the folder.
pub fn path(data: &Path, id: &str) -> PathBuf {
    let name = Path::new(id).file_name().unwrap_or_default();
    data.join(FOLDER).join(name)
}

/// Bytes of the file of so many bytes of content.
pub fn sealed_len(size: u64) -> u64 {
    size + size.div_ceil(PIECE) * (SEALED - PIECE)
}

/// Whole numbers of the database are never negative here.
pub fn bytes(number: i64) -> u64 {
    u64::try_from(number).unwrap_or_default()
}

/// A file that arrives.
pub struct Incoming {
    file: File,
    key: FileKey,
    size: u64,
    /// Whole pieces that are written.
    pieces: u64,
    /// The beginning of the next one.
    tail: Vec<u8>,
}

impl Incoming {
    /// Opens a file to continue it: after the recorded bytes, at the beginning of an incomplete piece, or after the pieces that
    /// were synced since.
    pub fn open(data: &Path, row: &AttachmentRow, key: FileKey) -> io::Result<Self> {
        let (folder, path) = (folder_below(data, FOLDER)?, path(data, &row.id));
        let file = match File::options().read(true).write(true).open(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let made = make_private_file(&path).map_err(io::Error::other)?;
                File::open(folder)?.sync_all()?;
                made
            }
            opened => opened?,
        };
        let written = file.metadata()?.len() / SEALED;
        let synced = written.saturating_sub(1) / SYNC_EVERY * SYNC_EVERY;
        let arrived = bytes(row.arrived);
        let pieces = synced.max((arrived / PIECE).min(written));
        let mut incoming = Self {
            file,
            key,
            size: bytes(row.size),
            pieces,
            tail: Vec::new(),
        };
        if pieces == arrived / PIECE {
            incoming.tail = incoming.read_tail(arrived % PIECE);
        }
        Ok(incoming)
    }

    /// The beginning of an incomplete piece; empty if it differs from what was recorded.
    fn read_tail(&self, length: u64) -> Vec<u8> {
        let mut sealed = vec![0; usize::try_from(length + SEALED - PIECE).unwrap_or_default()];
        let read = self.file.read_exact_at(&mut sealed, self.pieces * SEALED);
        let opened = read
            .ok()
            .and_then(|()| self.key.open_piece(self.pieces, false, &sealed).ok());
        opened.unwrap_or_default()
    }

    /// Bytes of the content that are here.
    pub fn offset(&self) -> u64 {
        self.pieces * PIECE + self.tail.len() as u64
    }

    /// Whether so many more bytes belong to it.
    pub fn expects(&self, more: usize) -> bool {
        more as u64 <= self.size.saturating_sub(self.offset())
    }

    pub fn is_whole(&self) -> bool {
        self.offset() == self.size
    }

    /// Writes what comes next, but what begins a piece that is not whole yet.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut tail = std::mem::take(&mut self.tail);
        tail.extend_from_slice(bytes);
        for piece in tail.chunks_exact(PIECE_LEN) {
            self.put(piece)?;
            self.pieces += 1;
            if self.pieces.is_multiple_of(SYNC_EVERY) {
                self.file.sync_data()?;
            }
        }
        tail.drain(..tail.len() / PIECE_LEN * PIECE_LEN);
        self.tail = tail;
        Ok(())
    }

    fn put(&mut self, piece: &[u8]) -> io::Result<()> {
        let last = self.pieces * PIECE + piece.len() as u64 == self.size;
        let sealed = self
            .key
            .seal_piece(self.pieces, last, piece)
            .map_err(unsealed)?;
        self.file.seek(SeekFrom::Start(self.pieces * SEALED))?;
        self.file.write_all(&sealed)
    }

    /// Brings all of it to the disk; answers how much that is.
    pub fn flush(&mut self) -> io::Result<u64> {
        let tail = std::mem::take(&mut self.tail);
        if !tail.is_empty() {
            self.put(&tail)?;
        }
        self.tail = tail;
        self.file.set_len(sealed_len(self.offset()))?;
        self.file.sync_all()?;
        Ok(self.offset())
    }

    /// The file ends with what has come, however long it was said to be.
    pub fn end(&mut self) -> io::Result<()> {
        self.size = self.offset();
        if self.pieces > 0 && self.tail.is_empty() {
            // The last piece was sealed as one that another follows.
            self.pieces -= 1;
            self.tail = self.read_tail(PIECE);
        }
        if self.offset() < self.size {
            return Err(unsealed(VaultError::Damaged));
        }
        Ok(())
    }

    /// Gives up what came since `arrived`: after a failed sync it is unknown what of it is on disk.
    pub fn undo(&self, arrived: i64) -> io::Result<()> {
        self.file.set_len(sealed_len(bytes(arrived)))
    }
}

/// Reads flushed bytes at any place.
impl ReaderAt for Incoming {
    fn read_at(&self, buffer: &mut [u8], at: u64) -> io::Result<usize> {
        let number = at / PIECE;
        let length = self.offset().saturating_sub(number * PIECE).min(PIECE);
        let mut sealed = vec![0; usize::try_from(length + SEALED - PIECE).unwrap_or_default()];
        if length <= at % PIECE {
            return Ok(0);
        }
        self.file.read_exact_at(&mut sealed, number * SEALED)?;
        let last = number * PIECE + length == self.size;
        let piece = self
            .key
            .open_piece(number, last, &sealed)
            .map_err(unsealed)?;
        let from = usize::try_from(at % PIECE).unwrap_or_default();
        piece.get(from..).unwrap_or_default().read(buffer)
    }
}

/// A piece that does not open: the file was altered, cut or mixed up.
fn unsealed(error: VaultError) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, error)
}

/// The content of a whole file, piece by piece.
pub struct Opened {
    file: File,
    key: FileKey,
    left: u64,
    number: u64,
}

impl Opened {
    pub fn of(data: &Path, row: &AttachmentRow, key: FileKey) -> io::Result<Self> {
        let (file, left) = (File::open(path(data, &row.id))?, bytes(row.size));
        if file.metadata()?.len() != sealed_len(left) {
            return Err(unsealed(VaultError::Damaged));
        }
        Ok(Self {
            file,
            key,
            left,
            number: 0,
        })
    }

    /// The next piece; `None` behind the last.
    pub fn piece(&mut self) -> io::Result<Option<Vec<u8>>> {
        let length = self.left.min(PIECE);
        if length == 0 {
            return Ok(None);
        }
        let mut sealed = Vec::with_capacity(SEALED_LEN);
        let expected = length + SEALED - PIECE;
        (&self.file).take(expected).read_to_end(&mut sealed)?;
        let last = self.left == length;
        let piece = self.key.open_piece(self.number, last, &sealed);
        self.left -= length;
        self.number += 1;
        piece.map(Some).map_err(unsealed)
    }
}

/// Reads the content of a whole file.
pub struct OpenedReader {
    file: Opened,
    piece: io::Cursor<Vec<u8>>,
}

impl OpenedReader {
    pub fn new(file: Opened) -> Self {
        Self {
            file,
            piece: io::Cursor::default(),
        }
    }
}

impl BufRead for OpenedReader {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.piece.fill_buf()?.is_empty()
            && let Some(piece) = self.file.piece()?
        {
            self.piece = io::Cursor::new(piece);
        }
        self.piece.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.piece.consume(amount);
    }
}

impl Read for OpenedReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(buffer)?;
        self.consume(read);
        Ok(read)
    }
}

/// Deletes the files whose rows went.
pub fn sweep(data: &Path, store: &Store) -> anyhow::Result<()> {
    let gone = store.read(|snapshot| snapshot.gone_files())?;
    if gone.is_empty() {
        return Ok(());
    }
    for id in &gone {
        // A name from elsewhere may be that of the folder.
        match fs::remove_file(path(data, id)).map_err(|error| (error.kind(), error)) {
            Ok(()) | Err((ErrorKind::NotFound | ErrorKind::IsADirectory, _)) => {}
            Err((_, error)) => return Err(error.into()),
        }
    }
    if data.join(FOLDER).is_dir() {
        File::open(data.join(FOLDER))?.sync_all()?;
    }
    Ok(store.write(move |tx| gone.iter().try_for_each(|id| tx.forget_gone_file(id)))?)
}
