//! The files of attachments: those that a database names, those that a data folder has, and moving them there.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::Path;

use anyhow::Result;

use crate::domain::text::counted;
use crate::files::{FOLDER, bytes, path, sealed_len};
use crate::store::{attached_files, folder_below, give_to_owner, has_database};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SealedFile {
    pub id: String,
    pub bytes: u64,
}

/// The files of the reports in a folder's database; none without a database.
pub fn listed(folder: &Path) -> Result<Vec<SealedFile>> {
    if !has_database(folder)? {
        return Ok(Vec::new());
    }
    Ok(sealed(attached_files(folder)?))
}

pub fn sealed(rows: Vec<(String, i64)>) -> Vec<SealedFile> {
    let rows = rows.into_iter();
    rows.map(|(id, size)| SealedFile {
        bytes: sealed_len(bytes(size)),
        id,
    })
    .collect()
}

/// Opens a file; `None` if it is gone, since it may have been erased after it was listed.
pub(super) fn open_if_there(data: &Path, id: &str) -> Result<Option<File>> {
    match File::open(path(data, id)) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        opened => Ok(Some(opened?)),
    }
}

/// Moves unpacked files into the data folder.
pub(super) fn install(from: &Path, files: &[SealedFile], data: &Path) -> Result<()> {
    if files.is_empty() {
        return Ok(());
    }
    let folder = folder_below(data, FOLDER)?;
    for file in files {
        give_to_owner(data, &from.join(&file.id))?;
        fs::rename(from.join(&file.id), path(data, &file.id))?;
    }
    Ok(File::open(folder)?.sync_all()?)
}

/// How many of the expected files are complete, and how many are missing or truncated.
pub fn compare(expected: &[SealedFile], found: &[SealedFile]) -> (usize, usize) {
    let found: HashSet<&SealedFile> = found.iter().collect();
    let there = expected.iter().filter(|file| found.contains(file)).count();
    (there, expected.len() - there)
}

/// How many files of a copied database are missing from the data folder or truncated. Files erased since do not count.
pub(super) fn count_missing(data: &Path, files: &[SealedFile]) -> Result<usize> {
    let is_whole = |file: &SealedFile| {
        let found = path(data, &file.id).metadata();
        found.is_ok_and(|found| found.len() >= file.bytes)
    };
    let flawed: Vec<_> = files.iter().filter(|file| !is_whole(file)).collect();
    if flawed.is_empty() {
        return Ok(0);
    }
    let rows: HashSet<SealedFile> = listed(data)?.into_iter().collect();
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

pub fn on_disk(data: &Path) -> Result<Vec<SealedFile>> {
    let folder = data.join(FOLDER);
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        found.push(SealedFile {
            id: entry.file_name().to_string_lossy().into_owned(),
            bytes: entry.metadata()?.len(),
        });
    }
    Ok(found)
}
