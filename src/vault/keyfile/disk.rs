//! How the key file is read and written: permissions, links, atomic replacement, wiping. It must never know what the
//! content means.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use zeroize::Zeroizing;

use super::super::secret;
use super::KeyFileError;

/// Read and write for the owner, nothing for anybody else.
const OWNER_ONLY: Mode = Mode::from_raw_mode(0o600);
/// Where Linux keeps a file's access control list.
const ACL_ATTRIBUTE: &str = "system.posix_acl_access";
/// Room for an access control list of over a hundred entries, in bytes; a longer one counts as too open.
const ACL_LEN: usize = 1024;
/// What every file this module writes for a moment is called at its end.
const TEMPORARY: &str = ".tmp";

/// The text of the file, if only its owner can read it.
pub(super) fn read(path: &Path, max_len: usize) -> Result<Zeroizing<String>, KeyFileError> {
    // NONBLOCK: opening a pipe would otherwise wait for a writer for ever.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = match rustix::fs::open(path, flags, Mode::empty()) {
        Ok(file) => File::from(file),
        Err(Errno::NOENT) => {
            return Err(KeyFileError::Missing {
                path: path.to_owned(),
            });
        }
        Err(Errno::LOOP) => {
            return Err(KeyFileError::NotAFile {
                path: path.to_owned(),
            });
        }
        Err(error) => return Err(refused(path, error)),
    };
    let metadata = file.metadata().map_err(|error| refused(path, error))?;
    if !metadata.is_file() {
        return Err(KeyFileError::NotAFile {
            path: path.to_owned(),
        });
    }
    if others_may_enter(&file, metadata.mode()).map_err(|error| refused(path, error))? {
        return Err(KeyFileError::TooOpen {
            path: path.to_owned(),
            mode: metadata.mode() & 0o7777,
        });
    }
    // One byte more than allowed tells a longer file; the room is taken at once, so that no secret is left behind by a
    // buffer that grows.
    let mut bytes = Zeroizing::new(Vec::with_capacity(max_len + 1));
    file.take(max_len as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| refused(path, error))?;
    let damaged = || KeyFileError::Damaged {
        path: path.to_owned(),
        line: 1,
    };
    if bytes.len() > max_len {
        return Err(damaged());
    }
    let text = std::str::from_utf8(&bytes).map_err(|_| damaged())?;
    Ok(Zeroizing::new(text.to_owned()))
}

/// Writes a new file; false, and nothing done, when there is one already.
pub(super) fn create(path: &Path, content: &[u8]) -> Result<bool, KeyFileError> {
    let temporary = Temporary::write(path, content).map_err(|error| refused(path, error))?;
    // A link, unlike a rename, never replaces what another program wrote in the meantime.
    match fs::hard_link(&temporary.path, path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(false),
        other => other.map_err(|error| refused(path, error))?,
    }
    drop(temporary);
    sync_folder(path).map_err(|error| refused(path, error))?;
    Ok(true)
}

/// Writes the file in place of the old one, then overwrites the old one and whatever an interrupted write left.
pub(super) fn replace(path: &Path, content: &[u8]) -> Result<(), KeyFileError> {
    let old = open_to_wipe(path);
    let temporary = Temporary::write(path, content).map_err(|error| refused(path, error))?;
    fs::rename(&temporary.path, path).map_err(|error| refused(path, error))?;
    drop(temporary);
    sync_folder(path).map_err(|error| refused(path, error))?;
    old.and_then(|old| old.map_or(Ok(()), |file| wipe(&file)))
        .map_err(|source| not_wiped(path, source))
        .and_then(|()| sweep(path))
}

fn not_wiped(path: &Path, source: io::Error) -> KeyFileError {
    KeyFileError::NotWiped {
        path: path.to_owned(),
        source,
    }
}

/// A file beside the key file, complete and on disk, removed when dropped unless it was renamed.
struct Temporary {
    path: PathBuf,
}

impl Temporary {
    fn write(beside: &Path, content: &[u8]) -> io::Result<Self> {
        let random: [u8; 8] = secret::random().map_err(io::Error::other)?;
        let mut name = temporary_prefix(beside)?;
        name.push(format!("{:016x}{TEMPORARY}", u64::from_be_bytes(random)));
        let path = folder(beside).join(name);
        let flags =
            OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut file = File::from(rustix::fs::open(&path, flags, OWNER_ONLY)?);
        let temporary = Self { path };
        // The umask may have taken bits away.
        rustix::fs::fchmod(&file, OWNER_ONLY)?;
        file.write_all(content)?;
        file.sync_all()?;
        Ok(temporary)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // After a rename there is nothing to remove; after a failure, that failure is the one to report, and the next
        // replacement sweeps up.
        let _ = fs::remove_file(&self.path);
    }
}

/// The name, without its random part, of what is written for a moment beside the key file.
fn temporary_prefix(path: &Path) -> io::Result<OsString> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
    let mut prefix = OsString::from(".");
    prefix.push(name);
    prefix.push(".");
    Ok(prefix)
}

fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(folder(path))?.sync_all()
}

/// The file to overwrite once it has lost its name; none when there is none.
fn open_to_wipe(path: &Path) -> io::Result<Option<File>> {
    let flags = OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    match rustix::fs::open(path, flags, Mode::empty()) {
        Ok(file) => Ok(Some(File::from(file))),
        Err(Errno::NOENT) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Overwrites a file which has no name any more. One that has is somebody's own copy: it is reported, not destroyed.
fn wipe(mut file: &File) -> io::Result<()> {
    let metadata = file.metadata()?;
    if metadata.nlink() > 0 {
        return Err(io::Error::other(
            "il file precedente ha altri nomi (collegamenti fisici)",
        ));
    }
    io::copy(&mut io::repeat(0).take(metadata.len()), &mut file)?;
    file.sync_all()
}

/// Overwrites and removes what a write interrupted by a crash left beside the key file.
pub(super) fn sweep(path: &Path) -> Result<(), KeyFileError> {
    sweep_up(path).map_err(|source| not_wiped(path, source))
}

fn sweep_up(path: &Path) -> io::Result<()> {
    let prefix = temporary_prefix(path)?;
    for entry in fs::read_dir(folder(path))? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.as_encoded_bytes();
        if name.starts_with(prefix.as_encoded_bytes()) && name.ends_with(TEMPORARY.as_bytes()) {
            let left = open_to_wipe(&entry.path())?;
            fs::remove_file(entry.path())?;
            left.map_or(Ok(()), |file| wipe(&file))?;
        }
    }
    Ok(())
}

/// Whether anybody but the owner may read or write the file.
fn others_may_enter(file: &File, mode: u32) -> io::Result<bool> {
    if mode & 0o007 != 0 {
        return Ok(true);
    }
    if mode & 0o070 == 0 {
        return Ok(false);
    }
    // systemd hands out credentials readable by the service's user through an access control list; the group bits are
    // then the mask of the list, not what the group may do.
    let mut acl = [0; ACL_LEN];
    match rustix::fs::fgetxattr(file, ACL_ATTRIBUTE, &mut acl) {
        Ok(len) => Ok(acl_lets_others_enter(
            &acl[..len],
            rustix::process::geteuid().as_raw(),
        )),
        Err(Errno::NODATA | Errno::NOTSUP | Errno::RANGE) => Ok(true),
        Err(error) => Err(error.into()),
    }
}

/// Whether an access control list (Linux `posix_acl_xattr.h`: version 2, then tag, permissions, id of each entry, little
/// endian) lets in anybody but the owner and `us`. What cannot be read counts as letting in.
fn acl_lets_others_enter(acl: &[u8], us: u32) -> bool {
    const OWNER: u16 = 0x01;
    const USER: u16 = 0x02;
    const MASK: u16 = 0x10;
    let Some((version, entries)) = acl.split_first_chunk::<4>() else {
        return true;
    };
    let (entries, rest) = entries.as_chunks::<8>();
    if u32::from_le_bytes(*version) != 2 || !rest.is_empty() {
        return true;
    }
    entries.iter().any(|&[tag0, tag1, perm0, perm1, id @ ..]| {
        match u16::from_le_bytes([tag0, tag1]) {
            OWNER | MASK => false,
            USER if u32::from_le_bytes(id) == us => false,
            _ => u16::from_le_bytes([perm0, perm1]) != 0,
        }
    })
}

fn refused(path: &Path, error: impl Into<io::Error>) -> KeyFileError {
    KeyFileError::Io {
        path: path.to_owned(),
        source: error.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const US: u32 = 977;

    fn acl(entries: &[(u16, u16, u32)]) -> Vec<u8> {
        let mut bytes = 2_u32.to_le_bytes().to_vec();
        for (tag, permissions, id) in entries {
            bytes.extend_from_slice(&tag.to_le_bytes());
            bytes.extend_from_slice(&permissions.to_le_bytes());
            bytes.extend_from_slice(&id.to_le_bytes());
        }
        bytes
    }

    /// Tags: 1 owner, 2 a user, 4 the group, 8 a group, 0x10 the mask, 0x20 others. Permissions: 4 is reading.
    #[test]
    fn a_list_may_let_in_the_owner_and_us_only() {
        const NOBODY: u32 = u32::MAX;
        let systemd = [
            (1, 4, NOBODY),
            (2, 4, US),
            (4, 0, NOBODY),
            (0x10, 4, NOBODY),
            (0x20, 0, NOBODY),
        ];
        assert!(!acl_lets_others_enter(&acl(&systemd), US));
        assert!(acl_lets_others_enter(&acl(&systemd), US + 1));
        for stranger in [
            (2, 4, US + 1),
            (4, 4, NOBODY),
            (8, 4, 5),
            (0x20, 4, NOBODY),
            (4, 2, NOBODY),
            (0x40, 1, 0),
        ] {
            assert!(
                acl_lets_others_enter(&acl(&[systemd.as_slice(), &[stranger]].concat()), US),
                "{stranger:?}"
            );
        }
    }

    #[test]
    fn a_list_that_cannot_be_read_lets_others_in() {
        let good = acl(&[(1, 4, 0)]);
        assert!(!acl_lets_others_enter(&good, US));
        for bad in [&good[..3], &good[..good.len() - 1], &[3, 0, 0, 0], &[]] {
            assert!(acl_lets_others_enter(bad, US), "{bad:?}");
        }
    }

    /// What systemd does to a credential. A file system without access control lists has nothing to show here.
    #[test]
    fn a_credential_of_systemd_is_readable() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("segnalazioni.key");
        fs::write(&path, "x").unwrap();
        let us = rustix::process::geteuid().as_raw();
        let none = u32::MAX;
        let list = |group| {
            acl(&[
                (1, 4, none),
                (2, 4, us),
                (4, group, none),
                (0x10, 4, none),
                (0x20, 0, none),
            ])
        };
        let set = |group| {
            rustix::fs::setxattr(
                &path,
                ACL_ATTRIBUTE,
                &list(group),
                rustix::fs::XattrFlags::empty(),
            )
        };
        match set(0) {
            Err(Errno::NOTSUP) => return,
            other => other.unwrap(),
        }
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o440);
        assert_eq!(*read(&path, 10).unwrap(), "x");
        set(4).unwrap();
        assert!(matches!(read(&path, 10), Err(KeyFileError::TooOpen { .. })));
    }

    #[test]
    fn a_name_without_a_folder_is_beside_us() {
        assert_eq!(folder(Path::new("segnalazioni.key")), Path::new("."));
        assert_eq!(
            folder(Path::new("/dati/segnalazioni.key")),
            Path::new("/dati")
        );
    }
}
