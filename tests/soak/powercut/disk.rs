//! A disk that forgets. Follows the program's calls, and knows at any moment which bytes and names a power cut could not
//! take away: those that a sync, begun after they were written, had confirmed.
//!
//! What the model takes for granted, as ext4, XFS and btrfs do it: syncing a new file makes its first name durable;
//! later changes of names need a sync of the folder, and reach the disk in their order. Bytes may reach it in any order,
//! and a write may tear between two sectors. Must never guess: a call on the data folder that it does not know is an
//! error.

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail, ensure};

use super::super::Dice;
use super::trace::{Call, Moment};

/// What a disk writes at once, whatever happens.
const SECTOR: usize = 512;
/// One unsynced write in so many is torn.
const TORN: u64 = 5;

/// Which syncs count.
#[derive(Debug, Clone, Copy)]
pub enum Syncs {
    /// All.
    Honoured,
    /// None of files whose names end so.
    IgnoredFor(&'static str),
}

/// What a power cut takes.
#[derive(Debug, Clone, Copy)]
pub enum Lost {
    /// All that was not synced.
    EverythingUnsynced,
    /// Some of it, at random: the rest had reached the disk on its own, some of it in part.
    SomeOfIt,
}

type File = usize;

#[derive(Debug, Clone)]
enum Change {
    Write { at: usize, bytes: Vec<u8> },
    Length(usize),
}

#[derive(Debug, Clone)]
enum Naming {
    Name(PathBuf, File),
    Rename(PathBuf, PathBuf),
    Remove(PathBuf),
}

/// What an open descriptor stands for.
#[derive(Debug, Clone, Copy)]
enum Handle {
    Folder,
    File { file: File, position: usize },
}

/// Changes that no sync has confirmed yet.
#[derive(Debug)]
struct Pending<T> {
    /// How many were confirmed before.
    confirmed: usize,
    waiting: Vec<T>,
}

impl<T> Default for Pending<T> {
    fn default() -> Self {
        Self {
            confirmed: 0,
            waiting: Vec::new(),
        }
    }
}

impl<T> Pending<T> {
    /// How many there have ever been.
    fn count(&self) -> usize {
        self.confirmed + self.waiting.len()
    }

    /// Those among the first `count` that were not confirmed yet.
    fn confirm(&mut self, count: usize) -> Vec<T> {
        let newly = count.saturating_sub(self.confirmed);
        self.confirmed += newly;
        self.waiting.drain(..newly).collect()
    }
}

/// The content of one file.
#[derive(Debug, Default)]
struct Content {
    durable: Vec<u8>,
    pending: Pending<Change>,
}

/// A sync that has begun: how many of the changes there were then it confirms.
#[derive(Debug, Clone, Copy)]
struct Sync {
    changes: usize,
    namings: usize,
}

/// The data folder, on a disk that forgets.
pub struct Disk<'s> {
    folder: PathBuf,
    syncs: &'s Syncs,
    files: Vec<Content>,
    names: BTreeMap<PathBuf, File>,
    durable_names: BTreeMap<PathBuf, File>,
    namings: Pending<Naming>,
    handles: HashMap<i64, Handle>,
    syncing: HashMap<u32, Sync>,
}

impl<'s> Disk<'s> {
    /// An empty data folder at this path.
    pub fn new(folder: &Path, syncs: &'s Syncs) -> Self {
        Self {
            folder: folder.to_owned(),
            syncs,
            files: Vec::new(),
            names: BTreeMap::new(),
            durable_names: BTreeMap::new(),
            namings: Pending::default(),
            handles: HashMap::new(),
            syncing: HashMap::new(),
        }
    }

    /// Whether the call's descriptor is of the data folder.
    pub fn knows(&self, call: &Call) -> bool {
        self.handle(call).is_some()
    }

    /// Takes in what happened.
    pub fn follow(&mut self, moment: &Moment) -> Result<()> {
        match moment {
            Moment::Called { call, thread } if call.is_sync() => {
                self.begin_sync(call, *thread);
                Ok(())
            }
            Moment::Returned {
                call,
                thread,
                result,
            } if *result >= 0 => self.apply(call, *thread, *result),
            _ => Ok(()),
        }
    }

    fn apply(&mut self, call: &Call, thread: u32, result: i64) -> Result<()> {
        match call.name.as_str() {
            "open" | "openat" => self.open(call, result),
            "close" => {
                self.handles.remove(&call.number(0)?);
                Ok(())
            }
            "fcntl" => self.control(call, result),
            "lseek" => self.seek(call, result),
            "write" => self.append(call, result),
            "pwrite64" => self.write(call, result),
            "ftruncate" => self.truncate(call),
            "fsync" | "fdatasync" => self.end_sync(call, thread),
            "rename" | "renameat" | "renameat2" | "link" | "linkat" | "unlink" | "unlinkat" => {
                self.rename(call)
            }
            "writev" | "sendto" | "sendmsg" if !self.knows(call) => Ok(()),
            _ => self.refuse_unless_foreign(call),
        }
    }

    /// Calls that the program does not make on its data; if it ever does, the model must learn them first.
    fn refuse_unless_foreign(&self, call: &Call) -> Result<()> {
        let descriptors = [0, 1, 2].into_iter().filter_map(|at| call.number(at).ok());
        let mut known = descriptors.filter(|number| self.handles.contains_key(number));
        ensure!(
            known.next().is_none() && !self.names_a_file_inside(call)?,
            "the model does not know this call: {}",
            call.name
        );
        Ok(())
    }

    fn names_a_file_inside(&self, call: &Call) -> Result<bool> {
        // The texts of these calls are names; those of all others that come here are bytes.
        let by_name = matches!(call.name.as_str(), "creat" | "truncate");
        Ok(by_name && call.paths()?.iter().any(|path| self.inside(path).is_some()))
    }

    fn handle(&self, call: &Call) -> Option<Handle> {
        self.handles.get(&call.number(0).ok()?).copied()
    }

    /// The path below the data folder; `None` for one outside.
    fn inside(&self, path: &Path) -> Option<PathBuf> {
        path.strip_prefix(&self.folder).ok().map(Path::to_owned)
    }

    fn open(&mut self, call: &Call, descriptor: i64) -> Result<()> {
        let path = call.paths()?.pop().context("openat without a path")?;
        let Some(name) = self.inside(&path) else {
            self.handles.remove(&descriptor);
            return Ok(());
        };
        if name.as_os_str().is_empty() {
            self.handles.insert(descriptor, Handle::Folder);
            return Ok(());
        }
        ensure!(!call.has_flag("O_APPEND"), "the model does not append");
        let file = match self.names.get(&name) {
            Some(file) => *file,
            None => self.create(name),
        };
        if call.has_flag("O_TRUNC") {
            self.files[file].pending.waiting.push(Change::Length(0));
        }
        let handle = Handle::File { file, position: 0 };
        self.handles.insert(descriptor, handle);
        Ok(())
    }

    fn create(&mut self, name: PathBuf) -> File {
        let file = self.files.len();
        self.files.push(Content::default());
        self.names.insert(name.clone(), file);
        self.namings.waiting.push(Naming::Name(name, file));
        file
    }

    fn control(&mut self, call: &Call, result: i64) -> Result<()> {
        let copies = call.has_flag("F_DUPFD") || call.has_flag("F_DUPFD_CLOEXEC");
        match self.handle(call) {
            Some(handle @ Handle::Folder) if copies => {
                self.handles.insert(result, handle);
                Ok(())
            }
            Some(_) if copies => bail!("the model does not share positions"),
            None if copies => {
                self.handles.remove(&result);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn seek(&mut self, call: &Call, result: i64) -> Result<()> {
        let moved = usize::try_from(result)?;
        if let Some(Handle::File { position, .. }) = self.handles.get_mut(&call.number(0)?) {
            *position = moved;
        }
        Ok(())
    }

    fn append(&mut self, call: &Call, written: i64) -> Result<()> {
        let Some(Handle::File { file, position }) = self.handles.get_mut(&call.number(0)?) else {
            return Ok(());
        };
        let at = *position;
        *position += usize::try_from(written)?;
        let bytes = content(call, written)?;
        self.files[*file]
            .pending
            .waiting
            .push(Change::Write { at, bytes });
        Ok(())
    }

    fn write(&mut self, call: &Call, written: i64) -> Result<()> {
        let Some(Handle::File { file, .. }) = self.handle(call) else {
            return Ok(());
        };
        let at = usize::try_from(call.number(3)?)?;
        let bytes = content(call, written)?;
        self.files[file]
            .pending
            .waiting
            .push(Change::Write { at, bytes });
        Ok(())
    }

    fn truncate(&mut self, call: &Call) -> Result<()> {
        if let Some(Handle::File { file, .. }) = self.handle(call) {
            let length = usize::try_from(call.number(1)?)?;
            self.files[file]
                .pending
                .waiting
                .push(Change::Length(length));
        }
        Ok(())
    }

    fn rename(&mut self, call: &Call) -> Result<()> {
        let paths = call.paths()?;
        let mut inside = paths.iter().filter_map(|path| self.inside(path));
        let Some(first) = inside.next() else {
            return Ok(());
        };
        let second = inside.next();
        drop(inside);
        let naming = match (call.name.as_str(), second) {
            ("unlink" | "unlinkat", None) => Naming::Remove(first),
            ("link" | "linkat", Some(new)) => {
                let file = self.names.get(&first).context("a link to nothing")?;
                Naming::Name(new, *file)
            }
            ("rename" | "renameat" | "renameat2", Some(new)) => Naming::Rename(first, new),
            _ => bail!(
                "the model does not know this change of names: {}",
                call.name
            ),
        };
        carry_out(&mut self.names, &naming);
        self.namings.waiting.push(naming);
        Ok(())
    }

    fn begin_sync(&mut self, call: &Call, thread: u32) {
        let changes = match self.handle(call) {
            Some(Handle::File { file, .. }) => self.files[file].pending.count(),
            _ => 0,
        };
        let namings = self.namings.count();
        self.syncing.insert(thread, Sync { changes, namings });
    }

    fn end_sync(&mut self, call: &Call, thread: u32) -> Result<()> {
        let sync = self.syncing.remove(&thread);
        let sync = sync.context("a sync that ended without a start")?;
        match self.handle(call) {
            Some(Handle::Folder) => {
                for naming in self.namings.confirm(sync.namings) {
                    carry_out(&mut self.durable_names, &naming);
                }
            }
            Some(Handle::File { file, .. }) if self.counts(file) => {
                let content = &mut self.files[file];
                for change in content.pending.confirm(sync.changes) {
                    carry_in(&mut content.durable, &change, None);
                }
                self.confirm_first_name(file);
            }
            None | Some(Handle::File { .. }) => {}
        }
        Ok(())
    }

    fn counts(&self, file: File) -> bool {
        let Syncs::IgnoredFor(ending) = self.syncs else {
            return true;
        };
        let named = |(name, other): (&PathBuf, &File)| {
            *other == file && name.to_string_lossy().ends_with(ending)
        };
        !self.names.iter().any(named)
    }

    fn confirm_first_name(&mut self, file: File) {
        let naming = self
            .namings
            .waiting
            .iter()
            .find(|naming| matches!(naming, Naming::Name(_, named) if *named == file));
        if let Some(naming) = naming
            && !self.durable_names.values().any(|named| *named == file)
        {
            carry_out(&mut self.durable_names, naming);
        }
    }

    /// Writes what is left after a cut at this moment.
    pub fn write_remains(&self, to: &Path, lost: Lost, dice: &mut Dice) -> Result<()> {
        fs::DirBuilder::new().mode(0o700).create(to)?;
        let mut names = self.durable_names.clone();
        if matches!(lost, Lost::SomeOfIt) {
            let reached = dice.below(self.namings.waiting.len() as u64 + 1);
            for naming in self.namings.waiting.iter().take(usize::try_from(reached)?) {
                carry_out(&mut names, naming);
            }
        }
        for (name, file) in &names {
            // The index of the log is shared memory, which no file system promises to keep.
            if name.to_string_lossy().ends_with("-shm") {
                continue;
            }
            let mut options = OpenOptions::new();
            let mut remains = options
                .write(true)
                .create_new(true)
                .mode(0o600)
                .open(to.join(name))?;
            remains.write_all(&self.remains(*file, lost, dice))?;
        }
        Ok(())
    }

    fn remains(&self, file: File, lost: Lost, dice: &mut Dice) -> Vec<u8> {
        let content = &self.files[file];
        let mut bytes = content.durable.clone();
        if matches!(lost, Lost::SomeOfIt) {
            for change in &content.pending.waiting {
                if dice.once_in(2) {
                    let torn = dice.once_in(TORN);
                    carry_in(&mut bytes, change, torn.then_some(&mut *dice));
                }
            }
        }
        bytes
    }
}

/// What a call wrote.
fn content(call: &Call, written: i64) -> Result<Vec<u8>> {
    let mut bytes = call.texts()?.concat();
    let written = usize::try_from(written)?;
    ensure!(bytes.len() >= written, "the record cuts a write short");
    bytes.truncate(written);
    Ok(bytes)
}

/// Makes a change to a file's bytes; of a torn one only some whole sectors.
fn carry_in(bytes: &mut Vec<u8>, change: &Change, torn: Option<&mut Dice>) {
    match change {
        Change::Length(length) => bytes.resize(*length, 0),
        Change::Write { at, bytes: new } => {
            let sectors = (new.len() / SECTOR) as u64;
            let kept = match torn {
                Some(dice) => usize::try_from(dice.below(sectors + 1)).unwrap_or(0) * SECTOR,
                None => new.len(),
            };
            let end = at + kept;
            if bytes.len() < end {
                bytes.resize(end, 0);
            }
            bytes[*at..end].copy_from_slice(&new[..kept]);
        }
    }
}

/// Makes a change to the folder.
fn carry_out(names: &mut BTreeMap<PathBuf, File>, naming: &Naming) {
    match naming {
        Naming::Name(name, file) => {
            names.insert(name.clone(), *file);
        }
        Naming::Rename(old, new) => {
            if let Some(file) = names.remove(old) {
                names.insert(new.clone(), file);
            }
        }
        Naming::Remove(name) => {
            names.remove(name);
        }
    }
}
