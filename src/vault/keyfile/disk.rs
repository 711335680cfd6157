//! How the key file is read and written: permissions, links, atomic replacement.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, Mode, OFlags, flock};
use rustix::io::Errno;
use tempfile::NamedTempFile;
use zeroize::Zeroizing;

use super::KeyFileProblem;

const OWNER_ONLY: u32 = 0o600;
/// The folder in which systemd puts the credentials of the service.
const CREDENTIALS: &str = "CREDENTIALS_DIRECTORY";
const TEMPORARY: &str = ".tmp";

pub(super) fn read(path: &Path, max_len: usize) -> Result<Zeroizing<String>, KeyFileProblem> {
    // NONBLOCK: opening a pipe would wait for a writer.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = match rustix::fs::open(path, flags, Mode::empty()) {
        Ok(file) => File::from(file),
        Err(Errno::NOENT) => return Err(KeyFileProblem::Missing),
        Err(Errno::LOOP) => return Err(KeyFileProblem::NotAFile),
        Err(error) => return Err(io::Error::from(error).into()),
    };
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(KeyFileProblem::NotAFile);
    }
    let mode = metadata.mode() & 0o7777;
    let others = mode & 0o007 != 0;
    if others || (mode & 0o070 != 0 && !is_credential(path)) {
        let path = path.to_owned();
        return Err(KeyFileProblem::TooOpen { path, mode });
    }
    // One byte more than allowed reveals a longer file. A growing buffer would leave a copy of the keys behind.
    let mut text = Zeroizing::new(String::with_capacity(max_len + 1));
    match file.take(max_len as u64 + 1).read_to_string(&mut text) {
        Ok(len) if len <= max_len => Ok(text),
        Err(error) if error.kind() != io::ErrorKind::InvalidData => Err(error.into()),
        _ => Err(KeyFileProblem::Damaged(1)),
    }
}

/// Whether systemd handed the file over. It admits the user of the service by an access control list, whose mask stands where
/// the group's permissions are, and no other user can enter the folder.
fn is_credential(path: &Path) -> bool {
    std::env::var_os(CREDENTIALS)
        .is_some_and(|folder| !folder.is_empty() && path.parent() == Some(Path::new(&folder)))
}

/// Replaces the file, and removes what an interrupted write left.
pub(super) fn replace(path: &Path, data: &Path, content: &[u8]) -> Result<(), KeyFileProblem> {
    let written = write_beside(path, data, content)?.persist(path);
    written.map_err(|failed| failed.error)?;
    File::open(folder(path))?.sync_all()?;
    sweep(path)
}

/// A complete file beside the key file, removed when dropped. What root makes is given to the owner of the data folder, whose
/// server must read it.
fn write_beside(path: &Path, data: &Path, content: &[u8]) -> io::Result<NamedTempFile> {
    let mut temporary = tempfile::Builder::new()
        .prefix(&temporary_prefix(path)?)
        .suffix(TEMPORARY)
        .tempfile_in(folder(path))?;
    let file = temporary.as_file_mut();
    hold(file)?;
    // The umask may have taken bits away.
    file.set_permissions(fs::Permissions::from_mode(OWNER_ONLY))?;
    let owner = fs::metadata(data)?;
    if rustix::process::geteuid().is_root() && owner.uid() != file.metadata()?.uid() {
        fchown(&*file, Some(owner.uid()), Some(owner.gid()))?;
    }
    file.write_all(content)?;
    file.sync_all()?;
    Ok(temporary)
}

fn temporary_prefix(path: &Path) -> io::Result<String> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
    Ok(format!(".{}.", name.to_string_lossy()))
}

fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Removes what writes that were cut off left beside the key file.
pub(super) fn sweep(path: &Path) -> Result<(), KeyFileProblem> {
    for left in left_behind(path)? {
        fs::remove_file(left)?;
    }
    Ok(())
}

/// The files that killed programs left, or that cannot be read; not one that is being written.
pub(super) fn left_behind(path: &Path) -> io::Result<Vec<PathBuf>> {
    let prefix = temporary_prefix(path)?;
    let mut found = Vec::new();
    for entry in fs::read_dir(folder(path))? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let ours = name.starts_with(&prefix) && name.ends_with(TEMPORARY);
        if ours && entry.file_type()?.is_file() && !is_at_work(&entry.path()) {
            found.push(entry.path());
        }
    }
    Ok(found)
}

/// Whether a temporary file is held by the program that writes it, or gone since.
fn is_at_work(path: &Path) -> bool {
    let held = File::open(path).and_then(|file| hold(&file));
    let gone = [io::ErrorKind::WouldBlock, io::ErrorKind::NotFound];
    held.is_err_and(|error| gone.contains(&error.kind()))
}

fn hold(file: &File) -> io::Result<()> {
    Ok(flock(file, FlockOperation::NonBlockingLockExclusive)?)
}
