//! A disk that forgets. Follows the program's calls, and knows at any moment which bytes and names a power cut could not
//! take away: those that a sync, begun after they were written, had confirmed.
//!
//! What the model takes for granted, as ext4, XFS and btrfs do it: syncing a new file makes its first name durable;
//! later changes of names need a sync of the folder, and reach the disk in their order. Bytes may reach it in any order,
//! and a write may tear between two sectors. Must never guess: a call on the data folder that it does not know is an
//! error.

use std::collections::{BTreeMap, HashMap};
use std::fs::{DirBuilder, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use super::trace::{Call, Moment};
use crate::support::Dice;

/// What a disk writes at once, whatever happens.
const SECTOR: usize = 512;
/// One unsynced write in so many is torn.
const TORN: usize = 5;

type File = usize;
type Names = BTreeMap<PathBuf, File>;

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

#[derive(Debug, Default)]
struct Content {
    durable: Vec<u8>,
    pending: Pending<Change>,
}

/// The data folder, on a disk that forgets.
#[derive(Default)]
pub struct Disk {
    folder: PathBuf,
    /// Syncs of files whose names end so do not count.
    ignored: Option<&'static str>,
    files: Vec<Content>,
    names: Names,
    durable_names: Names,
    namings: Pending<Naming>,
    handles: HashMap<i64, Handle>,
    /// The syncs that have begun, by thread: how many changes and namings there were then.
    syncing: HashMap<u32, (usize, usize)>,
}

impl Disk {
    pub fn new(folder: &Path, ignored: Option<&'static str>) -> Self {
        Self {
            folder: folder.to_owned(),
            ignored,
            ..Self::default()
        }
    }

    pub fn knows(&self, call: &Call) -> bool {
        self.handle(call).is_some()
    }

    pub fn follow(&mut self, moment: Moment) {
        match moment {
            Moment::Began(call) if call.is_sync() => {
                let changes = match self.handle(&call) {
                    Some(Handle::File { file, .. }) => self.files[file].pending.count(),
                    _ => 0,
                };
                let begun = (changes, self.namings.count());
                self.syncing.insert(call.thread, begun);
            }
            Moment::Ended(call, result) if result >= 0 => self.apply(&call, result),
            _ => {}
        }
    }

    fn apply(&mut self, call: &Call, result: i64) {
        match call.name.as_str() {
            "open" | "openat" => self.open(call, result),
            "close" => {
                self.handles.remove(&call.number(0).expect("a descriptor"));
            }
            "fcntl" => self.duplicate(call, result),
            "fsync" | "fdatasync" => self.end_sync(call),
            "lseek" => self.move_to(call, usize::try_from(result).expect("a place")),
            "write" => {
                if let Some(Handle::File { file, position }) = self.handle(call) {
                    let end = self.write(call, file, position, result);
                    self.move_to(call, end);
                }
            }
            "pwrite64" => {
                if let Some(Handle::File { file, .. }) = self.handle(call) {
                    self.write(call, file, call.size(3), result);
                }
            }
            "ftruncate" => {
                if let Some(Handle::File { file, .. }) = self.handle(call) {
                    self.change(file, Change::Length(call.size(1)));
                }
            }
            "rename" | "renameat" | "renameat2" | "link" | "linkat" | "unlink" | "unlinkat" => {
                self.rename(call);
            }
            // Room without content: whether it is there after a cut decides nothing, for the program makes it again.
            "fallocate" if self.is_reserve(call) => {}
            "writev" | "sendto" | "sendmsg" if !self.knows(call) => {}
            _ => self.refuse_unless_foreign(call),
        }
    }

    /// Calls that the program does not make on its data; if it ever does, the model must learn them first.
    fn refuse_unless_foreign(&self, call: &Call) {
        let descriptors = [0, 1, 2].into_iter().filter_map(|at| call.number(at));
        let known = descriptors.filter(|number| self.handles.contains_key(number));
        // The texts of these calls are names; those of all others that come here are bytes.
        let by_name = matches!(call.name.as_str(), "creat" | "truncate");
        let inside = by_name && call.paths().iter().any(|path| self.inside(path).is_some());
        assert!(known.count() == 0 && !inside, "not in the model: {call:?}");
    }

    fn is_reserve(&self, call: &Call) -> bool {
        let reserve = self.names.get(Path::new("segnalazioni.riserva"));
        matches!(self.handle(call), Some(Handle::File { file, .. }) if Some(&file) == reserve)
    }

    fn handle(&self, call: &Call) -> Option<Handle> {
        self.handles.get(&call.number(0)?).copied()
    }

    fn inside(&self, path: &Path) -> Option<PathBuf> {
        path.strip_prefix(&self.folder).ok().map(Path::to_owned)
    }

    fn open(&mut self, call: &Call, descriptor: i64) {
        let path = call.paths().pop().expect("a path");
        let Some(name) = self.inside(&path) else {
            self.handles.remove(&descriptor);
            return;
        };
        if name.as_os_str().is_empty() {
            self.handles.insert(descriptor, Handle::Folder);
            return;
        }
        assert!(!call.has_flag("O_APPEND"), "the model does not append");
        let known = self.names.get(&name).copied();
        let file = known.unwrap_or_else(|| {
            self.files.push(Content::default());
            let file = self.files.len() - 1;
            self.change_names(Naming::Name(name, file));
            file
        });
        if call.has_flag("O_TRUNC") {
            self.change(file, Change::Length(0));
        }
        let handle = Handle::File { file, position: 0 };
        self.handles.insert(descriptor, handle);
    }

    fn duplicate(&mut self, call: &Call, descriptor: i64) {
        if !call.has_flag("F_DUPFD") && !call.has_flag("F_DUPFD_CLOEXEC") {
            return;
        }
        self.handles.remove(&descriptor);
        if let Some(handle) = self.handle(call) {
            assert!(matches!(handle, Handle::Folder), "positions are not shared");
            self.handles.insert(descriptor, handle);
        }
    }

    fn move_to(&mut self, call: &Call, place: usize) {
        let handle = self.handles.get_mut(&call.number(0).expect("a descriptor"));
        if let Some(Handle::File { position, .. }) = handle {
            *position = place;
        }
    }

    /// Takes in a write; answers where it ends.
    fn write(&mut self, call: &Call, file: File, at: usize, written: i64) -> usize {
        let (mut bytes, written) = (call.bytes(), usize::try_from(written).expect("a length"));
        assert!(bytes.len() >= written, "the record cuts a write short");
        bytes.truncate(written);
        self.change(file, Change::Write { at, bytes });
        at + written
    }

    fn change(&mut self, file: File, change: Change) {
        self.files[file].pending.waiting.push(change);
    }

    fn change_names(&mut self, naming: Naming) {
        carry_out(&mut self.names, &naming);
        self.namings.waiting.push(naming);
    }

    fn rename(&mut self, call: &Call) {
        let mut inside: Vec<PathBuf> = call
            .paths()
            .iter()
            .filter_map(|path| self.inside(path))
            .collect();
        let (second, first) = (inside.pop(), inside.pop());
        let naming = match (call.name.as_str(), first, second) {
            (_, None, None) => return,
            ("unlink" | "unlinkat", None, Some(name)) => Naming::Remove(name),
            ("link" | "linkat", Some(old), Some(new)) => Naming::Name(new, self.names[&old]),
            ("rename" | "renameat" | "renameat2", Some(old), Some(new)) => Naming::Rename(old, new),
            _ => panic!("not in the model: {call:?}"),
        };
        self.change_names(naming);
    }

    fn end_sync(&mut self, call: &Call) {
        let (changes, namings) = self.syncing.remove(&call.thread).expect("a start");
        match self.handle(call) {
            Some(Handle::Folder) => {
                for naming in self.namings.confirm(namings) {
                    carry_out(&mut self.durable_names, &naming);
                }
            }
            Some(Handle::File { file, .. }) if self.counts(file) => {
                let content = &mut self.files[file];
                for change in content.pending.confirm(changes) {
                    carry_in(&mut content.durable, &change, None);
                }
                self.confirm_first_name(file);
            }
            _ => {}
        }
    }

    fn counts(&self, file: File) -> bool {
        let ignored = |name: &PathBuf| {
            let name = name.to_string_lossy();
            self.ignored.is_some_and(|ending| name.ends_with(ending))
        };
        let mut names = self.names.iter();
        !names.any(|(name, named)| *named == file && ignored(name))
    }

    fn confirm_first_name(&mut self, file: File) {
        let mut waiting = self.namings.waiting.iter();
        let naming =
            waiting.find(|naming| matches!(naming, Naming::Name(_, named) if *named == file));
        if let Some(naming) = naming
            && !self.durable_names.values().any(|named| *named == file)
        {
            carry_out(&mut self.durable_names, naming);
        }
    }

    /// Writes what is left after a cut at this moment: what was synced, and, where there are dice, some of the rest, which
    /// had reached the disk on its own.
    pub fn write_remains(&self, to: &Path, mut dice: Option<&mut Dice>) {
        DirBuilder::new().mode(0o700).create(to).expect("a folder");
        let mut names = self.durable_names.clone();
        if let Some(dice) = &mut dice {
            let reached = dice.within(0..self.namings.waiting.len() + 1);
            for naming in &self.namings.waiting[..reached] {
                carry_out(&mut names, naming);
            }
        }
        // The index of the log is shared memory, which no file system promises to keep.
        names.retain(|name, _| !name.to_string_lossy().ends_with("-shm"));
        for (name, file) in names {
            let mut options = OpenOptions::new();
            let file_options = options.write(true).create_new(true).mode(0o600);
            let mut remains = file_options.open(to.join(name)).expect("a file");
            let bytes = self.remains(file, dice.as_deref_mut());
            remains.write_all(&bytes).expect("written");
        }
    }

    fn remains(&self, file: File, dice: Option<&mut Dice>) -> Vec<u8> {
        let content = &self.files[file];
        let mut bytes = content.durable.clone();
        if let Some(dice) = dice {
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

/// Makes a change to a file's bytes; of a torn one only some whole sectors.
fn carry_in(bytes: &mut Vec<u8>, change: &Change, torn: Option<&mut Dice>) {
    match change {
        Change::Length(length) => bytes.resize(*length, 0),
        Change::Write { at, bytes: new } => {
            let sectors = new.len() / SECTOR;
            let kept = torn.map_or(new.len(), |dice| dice.within(0..sectors + 1) * SECTOR);
            let end = at + kept;
            bytes.resize(bytes.len().max(end), 0);
            bytes[*at..end].copy_from_slice(&new[..kept]);
        }
    }
}

fn carry_out(names: &mut Names, naming: &Naming) {
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
