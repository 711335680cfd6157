//! Checks of the machine: the data folder and its permissions, disk space, the time, whether a server answers.

use std::fs::Metadata;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::{Finding, Installation, PATIENCE, error, ok, warning};
use crate::backup::archive::Attachments;
use crate::backup::make::bytes_needed;
use crate::backup::{folder, left_behind};
use crate::files;
use crate::store::{FILES, Inspected, LOW_ROOM, free_bytes};
use crate::vault::KeyFile;

/// How far the clock may stand before the newest record, in ms: a minute.
const BEHIND_MS: i64 = 60 * 1_000;
/// How far the clock may stand before the build of the program, in ms: a day, for the clocks of those who build.
const BUILT_MS: i64 = 24 * 60 * 60 * 1_000;

pub(super) fn data_folder(installation: &Installation) -> Finding {
    let data = installation.data();
    let shown = data.display();
    let metadata = match data.metadata() {
        Ok(metadata) => metadata,
        Err(fault) if fault.kind() == io::ErrorKind::NotFound => {
            return error(format!("{shown} non esiste: la crea il primo avvio"));
        }
        Err(fault) => return error(format!("{shown}: {fault}")),
    };
    if !metadata.is_dir() {
        return error(format!("{shown} non è una cartella"));
    }
    if lets_others_in(&metadata) {
        return error(format!("altri utenti vi entrano: chmod 700 {shown}"));
    }
    let (owner, me) = (metadata.uid(), rustix::process::geteuid());
    if !me.is_root() && me.as_raw() != owner {
        let mend = "eseguire il comando con il suo";
        return error(format!("{shown} è di un altro utente: {mend}"));
    }
    wrong_kind(data)
        .or_else(|| first_flaw(data, owner))
        .or_else(|| left_over(installation))
        .unwrap_or_else(|| ok(format!("{shown}, riservata al suo proprietario")))
}

/// The first of the program's own files and folders that is something else.
fn wrong_kind(data: &Path) -> Option<Finding> {
    let is_there = |path: &PathBuf| path.symlink_metadata().is_ok();
    let mut files = FILES.iter().map(|name| data.join(name)).filter(is_there);
    let mut folders = [files::FOLDER, folder::FOLDER]
        .iter()
        .map(|name| data.join(name))
        .filter(is_there);
    let file = files.find(|path| !path.symlink_metadata().is_ok_and(|found| found.is_file()));
    let (path, kind) = match file {
        Some(path) => (path, "un file normale"),
        None => (folders.find(|path| !path.is_dir())?, "una cartella"),
    };
    Some(error(format!(
        "{} non è {kind}: spostarlo altrove",
        path.display()
    )))
}

fn left_over(installation: &Installation) -> Option<Finding> {
    let archive = left_behind(installation.data()).into_iter();
    let keys = KeyFile::left_behind(&installation.config.key_file);
    let archive = archive.map(|left| (left, "un archivio intero"));
    let mut left = archive.chain(keys.into_iter().map(|left| (left, "le chiavi")));
    let (path, content) = left.next()?;
    Some(warning(format!(
        "{} è di un comando interrotto e può contenere {content}: lo elimina il prossimo avvio del server",
        path.display()
    )))
}

/// The first file or folder that others may read, or that is of another owner than the data folder.
fn first_flaw(folder: &Path, owner: u32) -> Option<Finding> {
    let mut entries = folder.read_dir().into_iter().flatten().flatten();
    entries.find_map(|entry| {
        let path = entry.path();
        // A file that has just disappeared shows that a program is at work here.
        let metadata = path.symlink_metadata().ok()?;
        let below = || metadata.is_dir().then(|| first_flaw(&path, owner))?;
        flaw(&path, &metadata, owner).or_else(below)
    })
}

fn lets_others_in(metadata: &Metadata) -> bool {
    metadata.mode() & 0o077 != 0
}

fn flaw(path: &Path, metadata: &Metadata, owner: u32) -> Option<Finding> {
    let shown = path.display();
    if metadata.uid() != owner {
        let mend = "correggere con chown";
        return Some(error(format!(
            "{shown} è di un altro utente della cartella: {mend}"
        )));
    }
    // A link has no permissions of its own.
    if metadata.is_symlink() || !lets_others_in(metadata) {
        return None;
    }
    let right = if metadata.is_dir() { 700 } else { 600 };
    Some(warning(format!(
        "{shown} ha permessi per altri utenti: chmod {right} {shown}"
    )))
}

/// Room for what arrives, and for the next backup.
pub(super) fn disk(data: &Path) -> anyhow::Result<Finding> {
    let backups = data.join(folder::FOLDER);
    let place = if backups.is_dir() { &backups } else { data };
    let held = folder::list(&backups)?
        .iter()
        .map(|backup| backup.bytes)
        .sum();
    let needed = bytes_needed(data, Attachments::of_own_backups(data, place))?;
    let free = free_bytes(data)?;
    let [free_mib, held_mib, needed_mib] =
        [free, held, needed].map(|bytes: u64| bytes.div_ceil(1024 * 1024));
    let said = format!(
        "liberi {free_mib} MiB; i backup ne occupano {held_mib}, il prossimo ne chiede {needed_mib}"
    );
    Ok(if free < LOW_ROOM {
        error(format!("{said}: troppo pochi, liberare spazio"))
    } else if free_bytes(place)? < LOW_ROOM.saturating_add(needed) {
        warning(format!("{said}: non bastano per un backup"))
    } else {
        ok(said)
    })
}

/// The clock against what cannot lie ahead of it: the newest record, and the program itself.
pub(super) fn clock(installation: &Installation, now: i64, found: Option<&Inspected>) -> Finding {
    let at = match Timestamp::from_millisecond(now) {
        Ok(at) => installation.local(at),
        Err(fault) => return error(fault.to_string()),
    };
    let behind = |what: &str| {
        error(format!(
            "segna {at}, indietro rispetto {what}: rimetterlo all'ora giusta"
        ))
    };
    let newest = found.and_then(|found| found.newest_record);
    if newest.is_some_and(|newest| newest > now + BEHIND_MS) {
        return behind("a quanto è già registrato nell'archivio");
    }
    let built = env!("BUILD_DATE").parse::<Timestamp>();
    if built.is_ok_and(|built| now < built.as_millisecond() - BUILT_MS) {
        return behind("a quando è stato fatto questo programma");
    }
    ok(at)
}

/// Whether the server answers on each onion socket.
pub(super) fn onion(sockets: &[PathBuf]) -> impl Iterator<Item = (&'static str, Finding)> {
    sockets.iter().map(|path| {
        let shown = path.display();
        let found = match UnixStream::connect(path).and_then(ask_onion) {
            Ok(()) => ok(format!("{shown} risponde")),
            Err(fault) => error(format!(
                "{shown} non risponde ({fault}): riavviare il server"
            )),
        };
        ("servizio onion", found)
    })
}

fn ask_onion(line: UnixStream) -> io::Result<()> {
    line.set_read_timeout(Some(PATIENCE))?;
    ask(line)
}

/// Whether a server answers where it listens.
pub(super) fn ask_server(address: &SocketAddr) -> io::Result<()> {
    let line = TcpStream::connect_timeout(address, PATIENCE)?;
    line.set_read_timeout(Some(PATIENCE))?;
    ask(line)
}

/// Any answer will do: where TLS is spoken it says that this is none.
fn ask(mut line: impl Read + Write) -> io::Result<()> {
    line.write_all(b"GET /paibeta/healthz HTTP/1.0\r\n\r\n")?;
    line.read_exact(&mut [0])
}

#[cfg(test)]
mod tests {
    use super::super::CheckState;
    use super::*;

    #[test]
    fn files_of_another_owner_and_files_that_others_read_are_flaws() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("backup");
        std::fs::write(&path, "").unwrap();
        let at_mode = |mode| {
            let permissions = std::os::unix::fs::PermissionsExt::from_mode(mode);
            std::fs::set_permissions(&path, permissions).unwrap();
            path.symlink_metadata().unwrap()
        };
        let own = at_mode(0o600);
        assert_eq!(flaw(&path, &own, own.uid()), None);
        let foreign = flaw(&path, &own, own.uid() + 1).unwrap();
        assert!(
            foreign.0 == CheckState::Errore && foreign.1.contains("chown"),
            "{}",
            foreign.1
        );
        let open = flaw(&path, &at_mode(0o640), own.uid()).unwrap();
        assert!(
            open.0 == CheckState::Attenzione && open.1.contains("chmod 600"),
            "{}",
            open.1
        );
    }
}
