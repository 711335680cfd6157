//! The files of attachments in a backup, behind the database: of each its id, its length (8 bytes, big endian) and its bytes, sealed
//! as they lie on the disk; then [`END`].
//! Must never write a file under a name that is no id, nor call a part of the files the whole.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::domain::text::counted;
use crate::files::{FOLDER, bytes, path, sealed_len};
use crate::store::{PacedFile, folder_below, give_to_owner, look, make_private_file};

/// Stands in the place of an id behind the last file.
const END: &[u8; ID] = b"------------------------------------";
const ID: usize = 36;
const UNLIKE: &str = "il backup è danneggiato: gli allegati non sono quelli salvati";

/// A file: its id, and its length on the disk.
pub type Listed = (String, u64);

/// The files of the reports in a folder's database.
pub fn listed(folder: &Path) -> Result<Vec<Listed>> {
    let rows = look(folder, |snapshot| snapshot.attached_files())?;
    Ok(sealed(rows.unwrap_or_default()))
}

/// The files of rows: id and size of the content.
pub fn sealed(rows: Vec<(String, i64)>) -> Vec<Listed> {
    let rows = rows.into_iter();
    rows.map(|(id, size)| (id, sealed_len(bytes(size))))
        .collect()
}

/// Writes those that are there: one may have been erased since.
pub fn write(data: &Path, files: &[Listed], mut out: impl Write) -> Result<()> {
    for (id, whole) in files {
        let file = match File::open(path(data, id)) {
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            opened => opened?,
        };
        // What grew behind the program's back must not stop a backup.
        let length = file.metadata()?.len().min(*whole);
        out.write_all(id.as_bytes())?;
        out.write_all(&length.to_be_bytes())?;
        let copied = io::copy(&mut (&file).take(length), &mut out)?;
        ensure!(
            copied == length,
            "un allegato è cambiato mentre veniva copiato"
        );
    }
    Ok(out.write_all(END)?)
}

/// Reads all of them to their end, at most so many bytes, into a folder or nowhere; answers which there are.
pub fn read(mut files: impl Read, most: u64, into: Option<&Path>) -> Result<Vec<Listed>> {
    let (mut found, mut left) = (Vec::new(), most);
    loop {
        let mut id = [0; ID];
        files.read_exact(&mut id).context(UNLIKE)?;
        if id == *END {
            break;
        }
        let id = id_of(&id)?;
        let mut length = [0; 8];
        files.read_exact(&mut length).context(UNLIKE)?;
        let length = u64::from_be_bytes(length);
        left = left.checked_sub(length).context(UNLIKE)?;
        let mut file = (&mut files).take(length);
        let read = match into {
            None => io::copy(&mut file, &mut io::sink())?,
            Some(folder) => {
                let mut made = PacedFile::new(make_private_file(&folder.join(&id))?);
                let read = io::copy(&mut file, &mut made)?;
                made.into_inner().sync_all()?;
                read
            }
        };
        ensure!(read == length, UNLIKE);
        found.push((id, length));
    }
    Ok(found)
}

/// An id as the program makes them; anything else is no file's name.
fn id_of(bytes: &[u8; ID]) -> Result<String> {
    let id = std::str::from_utf8(bytes).ok().context(UNLIKE)?;
    let plain = |byte: u8| byte.is_ascii_hexdigit() || byte == b'-';
    ensure!(bytes.iter().copied().all(plain), UNLIKE);
    Ok(id.to_owned())
}

/// Brings files that were read into a folder to where the others are.
pub fn install(from: &Path, files: &[Listed], data: &Path) -> Result<()> {
    if files.is_empty() {
        return Ok(());
    }
    let folder = folder_below(data, FOLDER)?;
    for (id, _) in files {
        give_to_owner(data, &from.join(id))?;
        fs::rename(from.join(id), path(data, id))?;
    }
    Ok(File::open(folder)?.sync_all()?)
}

/// Of those that belong to reports: how many are there whole, and how many are not.
pub fn compare(expected: &[Listed], found: &[Listed]) -> (usize, usize) {
    let found: HashSet<&Listed> = found.iter().collect();
    let there = expected.iter().filter(|file| found.contains(file)).count();
    (there, expected.len() - there)
}

/// Of the files of a copied database, how many the data folder lacks or has not whole. What was erased since is none of them.
pub fn missing(data: &Path, files: &[Listed]) -> Result<usize> {
    let is_whole = |id: &str, bytes: u64| {
        let found = path(data, id).metadata();
        found.is_ok_and(|file| file.len() >= bytes)
    };
    let files = files.iter().filter(|(id, bytes)| !is_whole(id, *bytes));
    let flawed: Vec<&Listed> = files.collect();
    if flawed.is_empty() {
        return Ok(0);
    }
    let rows: HashSet<Listed> = listed(data)?.into_iter().collect();
    Ok(flawed
        .into_iter()
        .filter(|file| rows.contains(file))
        .count())
}

pub fn describe_missing(count: usize) -> String {
    let count = counted(
        count,
        "allegato manca o non è intero",
        "allegati mancano o non sono interi",
    );
    format!("{count} nella cartella dei dati: i backup più vecchi restano, uno intero può averli")
}

/// The files in a data folder.
pub fn on_disk(data: &Path) -> Result<Vec<Listed>> {
    let folder = data.join(FOLDER);
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        found.push((name, entry.metadata()?.len()));
    }
    Ok(found)
}
