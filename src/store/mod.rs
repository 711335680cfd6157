//! The database: SQLite, and nothing but. The only module that names rusqlite.
//! Must never let a type of rusqlite out, ask for the time, or see a report in the clear: what it stores is sealed already.

mod access;
mod archive;
mod asked;
mod checkpoints;
mod connection;
mod copies;
mod departments;
mod desk;
mod disk;
mod error;
mod fatal;
mod generation;
mod intake;
mod notices;
mod outbox;
mod people;
mod readers;
mod replace;
mod reporter;
mod reserve;
mod session;
mod settings;
mod words;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::sync_channel;

use parking_lot::Mutex;
use rusqlite::Connection;

pub use crate::store::access::access_log::{AccessEntry, Action, ChainedEntry, LogCounts, LogKind};
pub use crate::store::access::passkeys::PasskeyRow;
pub use crate::store::access::sessions::{LoginAttempt, SessionRow};
pub use crate::store::archive::erasure::{Cause, Erasures, LedgerRow, Outlook};
pub use crate::store::archive::keys::{EpochRow, SecretRow};
pub use crate::store::archive::signatures::{BITS, BLOCK};
pub use crate::store::asked::{AnswersRow, ConsentRow};
pub use crate::store::desk::agenda::{AgendaReason, SnoozeRow};
pub use crate::store::desk::asides::SenderRow;
pub use crate::store::desk::batches::{BatchRow, BeforeRow};
pub use crate::store::desk::callouts::CalloutRow;
pub use crate::store::desk::comments::CommentRow;
pub use crate::store::desk::filter::{Assigned, ListFilter};
pub use crate::store::desk::labels::LabelRow;
pub use crate::store::desk::masks::MaskRow;
pub use crate::store::desk::pages::{ListPage, ListRow, Place, Position};
pub use crate::store::desk::reports::{ChangeKind, HistoryRow, ReportRow, SealedRow};
pub use crate::store::desk::seq_range::SeqRange;
pub use crate::store::desk::stories::StoryRow;
pub use crate::store::desk::views::ViewRow;
pub use crate::store::intake::attachments::{AttachedBytes, AttachmentRow, WaitingFileRow};
pub use crate::store::intake::sieges::{GroupRow, SiegeRow};
pub use crate::store::outbox::{
    Answering, DeliveryFilter, DeliveryRow, Destination, Due, NewDelivery,
};
pub use crate::store::reporter::{MessageRow, SentRow};
pub use connection::{
    FILES, FolderLock, Held, Holder, PUT_ASIDE, Served, database_len, database_path, folder_below,
    forsake_folder, give_to_owner, has_database, holder, lock_folder, lock_opening,
    make_private_file, prepare_folder, refuse_lone_log, upgrade_of,
};
pub use copies::{
    Inspected, PacedFile, Present, attached_files, copy_database, inspect_database, look,
    read_present,
};
pub use disk::beside;
pub use error::{Error, Result};
pub use generation::{take_over, turn_of};
pub use people::PersonRow;
pub use replace::{
    KEYS, SETTINGS, carry_tables, copy_put_aside, renew_database, replace_database, settle_database,
};
pub use reserve::{LOW_ROOM, free_bytes};
pub use session::{Snapshot, Tx};
pub use settings::{LogoRow, Section};
pub use writer::{Load, Undo};

use checkpoints::{LogKeeper, Traces};
use connection::length;
use fatal::Fatal;
use readers::{Readers, read_from};
use reserve::Reserve;
use writer::{StoreWriter, job};

/// Where a closure leaves what it made, so that the code which runs it has no type of its own and stands once for all.
type Slot<T> = Arc<Mutex<Option<T>>>;

pub struct Store {
    writer: StoreWriter,
    /// `None` for a database in memory, which only its one connection can see: it reads through the writer.
    readers: Option<Readers>,
    folder: Option<PathBuf>,
    reserve: Option<Arc<Reserve>>,
    probing: Arc<AtomicBool>,
    traces: Traces,
}

impl Store {
    /// Opens the database of a data folder, creating and migrating it. `fatal` is called when a sync to disk failed.
    pub fn open(folder: &Path, fatal: Box<dyn FnOnce() + Send>) -> Result<Self> {
        Self::over(connection::open_writer(folder)?, Some(folder), fatal)
    }

    pub fn in_memory() -> Result<Self> {
        Self::over(connection::open_memory()?, None, Box::new(|| ()))
    }

    fn over(
        connection: Connection,
        folder: Option<&Path>,
        fatal: Box<dyn FnOnce() + Send>,
    ) -> Result<Self> {
        let fatal = Fatal::new(fatal);
        let log = folder.map(|folder| LogKeeper::start(folder, fatal.clone()));
        let reserve = folder.map(|folder| Arc::new(Reserve::of(folder)));
        Ok(Self {
            readers: folder.map(Readers::of),
            traces: Traces::new(fatal.clone()),
            writer: StoreWriter::start(connection, log.transpose()?, reserve.clone(), fatal)?,
            reserve,
            folder: folder.map(Path::to_path_buf),
            probing: Arc::default(),
        })
    }

    /// Queues a change and returns; `done` is called from the writer thread after the commit is on disk, or after it failed.
    pub fn enqueue<T: Send + 'static, E: From<Error> + Send + 'static>(
        &self,
        undo: Undo,
        work: impl FnOnce(&Tx<'_>) -> Result<T, E> + Send + 'static,
        done: impl FnOnce(Result<T, E>) + Send + 'static,
    ) {
        self.writer.enqueue(job(undo, work, done));
    }

    pub fn write<T: Send + 'static, E: From<Error> + Send + 'static>(
        &self,
        work: impl FnOnce(&Tx<'_>) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E> {
        let slot = Slot::default();
        let filled = Slot::clone(&slot);
        let (done, told) = sync_channel(1);
        self.enqueue(Undo::Alone, work, move |result| {
            *slot.lock() = Some(result);
            // The caller waits below; only its own panic can close the channel, and then no caller is left.
            let _ = done.send(());
        });
        let outcome = told.recv().ok().and_then(|()| filled.lock().take());
        outcome.unwrap_or_else(|| Err(Error::Closed.into()))
    }

    pub fn read<T: Send + 'static, E: From<Error> + Send + 'static>(
        &self,
        work: impl FnOnce(&Snapshot<'_>) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E> {
        let slot = Slot::default();
        let filled = Slot::clone(&slot);
        self.read_erased(Box::new(move |snapshot| {
            *slot.lock() = Some(work(snapshot));
        }))?;
        let outcome = filled.lock().take();
        outcome.unwrap_or_else(|| Err(Error::Closed.into()))
    }

    fn read_erased(&self, work: Box<dyn FnOnce(&Snapshot<'_>) + Send>) -> Result<()> {
        match &self.readers {
            Some(readers) => readers.read(work),
            None => self.write(move |tx| {
                work(tx);
                Ok(())
            }),
        }
    }

    /// Reads from one snapshot on a connection of its own, so that a long reading holds no reader that others wait for, and
    /// waits for none itself. A database in memory has one connection only: there the reading holds all others up, and must
    /// not wait.
    pub fn read_apart<T: Send + 'static, E: From<Error> + Send + 'static>(
        &self,
        work: impl FnOnce(&Snapshot<'_>) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E> {
        let Some(folder) = &self.folder else {
            return self.read(work);
        };
        read_from(&connection::open_reader(folder)?, work)
    }

    /// Bytes on disk of the database and of its write-ahead log, at its longest since it was last begun anew. `None`
    /// for one in memory.
    pub fn size(&self) -> Result<Option<(u64, u64)>> {
        let Some(folder) = &self.folder else {
            return Ok(None);
        };
        let database = database_path(folder);
        let log = length(&beside(&database, "-wal"))?;
        Ok(Some((length(&database)?, log)))
    }

    /// Grows with every change of what is also kept in memory: settings, logo, what routing remembers. What was read after a
    /// revision was asked for is true until there is another one. What another process has committed is noticed with the
    /// next transaction of this one.
    pub fn revision(&self) -> u64 {
        self.writer.health.revision.load(Ordering::Acquire)
    }

    pub fn load(&self) -> Load {
        self.writer.health.load()
    }

    pub fn failing(&self) -> bool {
        self.writer.health.failing.load(Ordering::Acquire)
    }

    /// Keeps room for editors from now on: for the server alone.
    pub fn keep_reserve(&self) -> Result<()> {
        if let Some(reserve) = &self.reserve {
            reserve.keep();
        }
        self.settle_reserve()
    }

    /// Whether what room there is belongs to editors: no report is taken.
    pub fn is_full(&self) -> bool {
        self.reserve
            .as_ref()
            .is_some_and(|reserve| reserve.is_spent())
    }

    /// Looks whether the reserve can be made again, or has to be given up.
    pub fn settle_reserve(&self) -> Result<()> {
        let Some(reserve) = &self.reserve else {
            return Ok(());
        };
        reserve.settle(self.read(|snapshot| snapshot.free_inside())?)
    }

    /// Looks at the disk, and tries a durable write where the last one failed, so that a failing store notices by itself that
    /// the disk is back. One at a time, however many ask.
    pub fn probe(&self) {
        let probing = Arc::clone(&self.probing);
        if !probing.swap(true, Ordering::AcqRel) {
            let (reserve, health) = (self.reserve.clone(), Arc::clone(&self.writer.health));
            self.enqueue(
                Undo::Alone,
                move |tx| {
                    if let Some(reserve) = reserve {
                        reserve.settle(tx.free_inside()?)?;
                    }
                    if health.failing.load(Ordering::Acquire) {
                        tx.probe()?;
                    }
                    Ok(())
                },
                move |_: Result<()>| probing.store(false, Ordering::Release),
            );
        }
    }
}

#[cfg(test)]
mod tests;
