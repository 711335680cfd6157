//! Files that hold others, ZIP archives and compound files, told by the names in their directories: which of them comes first
//! says nothing. Must never unpack more than the few bytes that name a document's kind.

use std::io::{self, Read};

use flate2::read::DeflateDecoder;
use rawzip::{
    CompressionMethod, RECOMMENDED_BUFFER_SIZE, RangeReader, ReaderAt, ZipArchive, ZipLocator,
};

pub const ZIP: &str = "application/zip";
/// A compound file of no known application (MS-CFB).
pub const COMPOUND: &str = "application/x-ole-storage";
/// A document of an office application that is not named: one that a password protects.
pub const OFFICE: &str = "application/vnd.openxmlformats-officedocument";
pub const WORD: &str = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
pub const EXCEL: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
pub const POWERPOINT: &str =
    "application/vnd.openxmlformats-officedocument.presentationml.presentation";
pub const OUTLOOK: &str = "application/vnd.ms-outlook";
/// The types that the part `mimetype` of a document may name (ODF 1.3 part 2, 3.3; EPUB OCF 3.3, 4.2.2).
const DECLARED: [&str; 5] = [
    "application/epub+zip",
    "application/vnd.oasis.opendocument.text",
    "application/vnd.oasis.opendocument.spreadsheet",
    "application/vnd.oasis.opendocument.presentation",
    "application/vnd.oasis.opendocument.graphics",
];
/// Entries of a directory that are looked at.
const MOST_ENTRIES: usize = 10_000;
/// A compound file begins with it.
const COMPOUND_MARK: &[u8] = b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1";
/// Sectors of a directory that are looked at: 64 entries at least.
const MOST_SECTORS: usize = 64;
const END_OF_CHAIN: u32 = 0xFFFF_FFFA;

/// Also an empty archive, and one that was split.
pub fn is_zip(head: &[u8]) -> bool {
    let marks: [&[u8]; 3] = [b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08"];
    marks.iter().any(|mark| head.starts_with(mark))
}

pub fn is_compound(head: &[u8]) -> bool {
    head.starts_with(COMPOUND_MARK)
}

/// The media type of a ZIP archive. One whose directory cannot be read, because it is cut, is an archive.
pub fn zip(file: &impl ReaderAt, size: u64) -> &'static str {
    let mut buffer = vec![0; RECOMMENDED_BUFFER_SIZE];
    let located = ZipLocator::new().locate_in_reader(file, &mut buffer, size);
    let found = located
        .ok()
        .and_then(|archive| document(&archive, &mut buffer));
    found.unwrap_or(ZIP)
}

/// The kind of document that an archive is, by the names of its parts.
fn document(archive: &ZipArchive<impl ReaderAt>, buffer: &mut [u8]) -> Option<&'static str> {
    let (mut has_types, mut office, mut declaring) = (false, None, None);
    let mut entries = archive.entries(buffer);
    for _ in 0..MOST_ENTRIES {
        let Ok(Some(entry)) = entries.next_entry() else {
            break;
        };
        let path = entry.file_path();
        let name = path.as_ref();
        has_types |= name.eq_ignore_ascii_case(b"[Content_Types].xml");
        office = office.or(application(name));
        if name == b"mimetype" {
            declaring = Some((entry.wayfinder(), entry.compression_method()));
        }
    }
    if has_types && office.is_some() {
        return office;
    }
    let (place, method) = declaring?;
    let part = archive.get_entry(place).ok()?;
    let said = read_start(part.reader(), method)?;
    let said = said.trim().trim_end_matches("-template");
    DECLARED.into_iter().find(|one| said == *one)
}

/// By the folder of its parts (ECMA-376 part 2).
fn application(name: &[u8]) -> Option<&'static str> {
    let applications = [("word/", WORD), ("xl/", EXCEL), ("ppt/", POWERPOINT)];
    let found = applications.iter().find(|(folder, _)| {
        let start = name.get(..folder.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(folder.as_bytes()))
    });
    found.map(|(_, application)| *application)
}

/// The few letters of a part that is as it is, or deflated.
fn read_start(part: impl Read, method: CompressionMethod) -> Option<String> {
    let mut said = String::new();
    let read = match method {
        CompressionMethod::STORE => part.take(100).read_to_string(&mut said),
        CompressionMethod::DEFLATE => DeflateDecoder::new(part)
            .take(100)
            .read_to_string(&mut said),
        _ => return None,
    };
    read.ok().map(|_| said)
}

/// The media type of a compound file (MS-CFB), by the names in its directory.
pub fn compound(file: &impl ReaderAt, head: &[u8]) -> io::Result<&'static str> {
    let Some(layout) = Layout::of(head) else {
        return Ok(COMPOUND);
    };
    let mut sector = layout.directory;
    for _ in 0..MOST_SECTORS {
        let Some(entries) = layout.read(file, sector)? else {
            break;
        };
        if let Some(found) = entries.as_chunks().0.iter().find_map(stored) {
            return Ok(found);
        }
        let Some(next) = layout.next(file, sector)? else {
            break;
        };
        sector = next;
    }
    Ok(COMPOUND)
}

/// So many bytes of a file from a place on, or those up to its end.
pub fn read(file: &impl ReaderAt, at: u64, length: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let range = RangeReader::new(file, at..at + length);
    range.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Where the sectors of a compound file lie.
struct Layout<'h> {
    sector: u64,
    /// First sector of the directory.
    directory: u32,
    /// First sectors that say which follows which: those that the header names.
    tables: &'h [[u8; 4]],
    /// First sector that names further ones.
    more: u32,
}

impl<'h> Layout<'h> {
    fn of(head: &'h [u8]) -> Option<Self> {
        let word = |at: usize| {
            head.get(at..)?
                .first_chunk()
                .map(|word| u32::from_le_bytes(*word))
        };
        let shift = u32::from(*head.get(0x1E)?);
        Some(Self {
            sector: (7..=16).contains(&shift).then(|| 1 << shift)?,
            directory: word(0x30)?,
            tables: head.get(0x4C..0x200)?.as_chunks().0,
            more: word(0x44)?,
        })
    }

    /// A sector; `None` where there is none.
    fn read(&self, file: &impl ReaderAt, number: u32) -> io::Result<Option<Vec<u8>>> {
        if number >= END_OF_CHAIN {
            return Ok(None);
        }
        let sector = read(file, (u64::from(number) + 1) * self.sector, self.sector)?;
        Ok(Some(sector).filter(|sector| !sector.is_empty()))
    }

    /// The sector that follows one.
    fn next(&self, file: &impl ReaderAt, number: u32) -> io::Result<Option<u32>> {
        let words = self.sector / 4;
        let (table, at) = (u64::from(number) / words, u64::from(number) % words);
        let Some(table) = self.table(file, table)? else {
            return Ok(None);
        };
        let table = self.read(file, table)?;
        Ok(table.as_deref().and_then(|table| word_of(table, at)))
    }

    /// The sector of a table by its number; those behind the header's are named in sectors of their own, the last word of which
    /// names the next of them.
    fn table(&self, file: &impl ReaderAt, number: u64) -> io::Result<Option<u32>> {
        let named = self.tables.len() as u64;
        if number < named {
            return Ok(word_of(self.tables.as_flattened(), number));
        }
        let each = self.sector / 4 - 1;
        let (mut skipped, at) = ((number - named) / each, (number - named) % each);
        let mut list = self.read(file, self.more)?;
        while skipped > 0 {
            let Some(next) = list.as_deref().and_then(|list| word_of(list, each)) else {
                return Ok(None);
            };
            (list, skipped) = (self.read(file, next)?, skipped - 1);
        }
        Ok(list.as_deref().and_then(|list| word_of(list, at)))
    }
}

fn word_of(bytes: &[u8], at: u64) -> Option<u32> {
    let at = usize::try_from(at).ok()?;
    bytes
        .as_chunks()
        .0
        .get(at)
        .map(|word| u32::from_le_bytes(*word))
}

/// The type of file that an entry of the directory names.
fn stored(entry: &[u8; 128]) -> Option<&'static str> {
    let length = usize::from(u16::from_le_bytes([entry[64], entry[65]])).min(64);
    let units = entry[..length].as_chunks().0.iter();
    let name: String = char::decode_utf16(units.map(|unit| u16::from_le_bytes(*unit)))
        .map(|unit| unit.unwrap_or('\u{FFFD}'))
        .collect();
    match name.trim_end_matches('\0') {
        "WordDocument" => Some("application/msword"),
        "Workbook" | "Book" => Some("application/vnd.ms-excel"),
        "PowerPoint Document" => Some("application/vnd.ms-powerpoint"),
        "__properties_version1.0" | "__nameid_version1.0" => Some(OUTLOOK),
        "EncryptedPackage" => Some(OFFICE),
        _ => None,
    }
}

/// Whether a mark stands anywhere among these bytes.
pub(super) fn contains(bytes: &[u8], mark: &[u8]) -> bool {
    bytes.windows(mark.len()).any(|window| window == mark)
}
