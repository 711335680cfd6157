//! The state that every handler can reach: the shared core, a few facts of the process, and the ways to read, write and
//! compute.

use std::ops::Deref;
use std::path::PathBuf;
use std::sync::Arc;

use axum::extract::FromRef;
use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, SemaphorePermit};

use super::client_address::TrustedProxies;
use super::form_pages::FormPages;
use super::gate::Gate;
use super::left::Left;
use super::limits::Quotas;
use super::passkeys::Passkeys;
use super::presence::Presence;
use super::problem::{ApiError, ApiResult};
use super::setup_link::SetupLink;
use super::shell::RenderedPages;
use super::uploads::Uploads;
use super::waiting_files::WaitingFiles;
use crate::actions::access::log_access::{Actor, Denials};
use crate::actions::desk::openings::Openings;
use crate::actions::desk::routing_memory::OpenedMemory;
use crate::actions::intake::count_stops::Tally;
use crate::actions::intake::ended::Ended;
use crate::actions::intake::siege::{Moment, Siege};
use crate::actions::settings::in_force::InForce;
use crate::actions::{self, Act};
use crate::backup::keep::BackupFailure;
use crate::deliveries::{Dispatcher, OutboundPolicy};
use crate::doctor::Installation;
use crate::metrics::Metrics;
use crate::newsroom::Core;
use crate::readings::Reading;
use crate::readings::desk::callouts::AnswerCounts;
use crate::search::Search;
use crate::store::{self, Snapshot, Undo};
use crate::tls::ShownCertificate;
use crate::vault::PasswordParams;

/// Searches through accounts at once: each uses every core, and holds one of the few readers.
const ACCOUNT_SEARCHES: usize = 1;
/// Exports at once: each keeps the database's log of changes from being cut back.
const EXPORTS: usize = 2;
/// Reports that are taken out whole at once: each holds a thread for as long as its client reads.
const DOSSIERS: usize = 8;
/// Receipts that are looked for at once: guessing codes takes one reader and one core at most.
const RECEIPTS: usize = 1;
/// Bytes of a text that the event loop can read between two of its turns, in a tenth of a millisecond.
const SHORT: usize = 2 * 1024;
/// Callouts whose answers are opened at once: the first page of one opens thousands.
const ANSWERS: usize = 1;
/// Calls outward that a request waits for: each may meet a silent server.
const OUTWARD: usize = 4;

pub type Shared = Arc<App>;

impl FromRef<Shared> for TrustedProxies {
    fn from_ref(app: &Shared) -> Self {
        app.trusted_proxies.clone()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    Live,
    Demo,
}

pub struct App {
    pub core: Arc<Core>,
    pub search: Arc<Search>,
    pub memory: OpenedMemory,
    pub mode: Mode,
    pub setup: SetupLink,
    pub password_params: PasswordParams,
    pub trusted_proxies: TrustedProxies,
    /// `scheme://host[:port]` of the public address, when configured.
    pub public_origin: Option<String>,
    /// Where links in mails to people lead.
    pub panel: String,
    pub tls: ShownCertificate,
    /// The folder of the data; `None` in demonstration mode.
    pub data: Option<PathBuf>,
    /// The server's key file; `None` in demonstration mode.
    pub key_file: Option<PathBuf>,
    pub visitors: Visitors,
    pub outbound: OutboundPolicy,
    pub turns: Turns,
    pub quotas: Quotas,
    pub uploads: Uploads,
    pub waiting: WaitingFiles,
    pub siege: Siege,
    pub answer_counts: AnswerCounts,
    /// Conversations that ended with a report.
    pub ended: Ended,
    pub gate: Gate,
    pub dispatcher: Dispatcher,
    /// The installation that an examination looks at; `None` in demonstration mode.
    pub installation: Option<Installation>,
    pub jobs: Jobs,
    pub metrics: Metrics,
    pub pages: RenderedPages,
    pub passkeys: Passkeys,
    pub form_pages: FormPages,
}

/// Records in memory about visitors.
#[derive(Default)]
pub struct Visitors {
    /// Where reporters stop.
    pub stops: Tally,
    /// Who was not let in.
    pub denials: Denials,
    pub openings: Openings,
    /// The sessions and reports whose pictures are shown.
    pub previews: Openings,
    pub presence: Presence,
    /// Visits that reporters have left.
    pub left: Left,
}

/// Long jobs, each of which runs once at a time.
#[derive(Default)]
pub struct Jobs {
    pub examination: Mutex<()>,
    pub backup: Mutex<()>,
    /// Why the last backup failed.
    pub backup_failure: Mutex<Option<BackupFailure>>,
}

/// How many may do at once what takes much.
pub struct Turns {
    pub account_searches: Semaphore,
    pub receipts: Semaphore,
    pub answers: Semaphore,
    pub outward: Arc<Semaphore>,
    pub exports: Arc<Semaphore>,
    pub dossiers: Arc<Semaphore>,
    /// Deriving a password takes 64 MiB (ASVS 11.4.2, 15.2.2). Strangers and known browsers do not wait for each other.
    strangers: Arc<Semaphore>,
    known: Arc<Semaphore>,
}

impl Default for Turns {
    fn default() -> Self {
        let turns = |many| Arc::new(Semaphore::new(many));
        Self {
            account_searches: Semaphore::new(ACCOUNT_SEARCHES),
            receipts: Semaphore::new(RECEIPTS),
            answers: Semaphore::new(ANSWERS),
            outward: turns(OUTWARD),
            exports: turns(EXPORTS),
            dossiers: turns(DOSSIERS),
            strangers: turns(1),
            known: turns(1),
        }
    }
}

/// Waits for a turn.
pub async fn wait_for(turns: &Semaphore) -> ApiResult<SemaphorePermit<'_>> {
    let turn = turns.acquire().await;
    turn.map_err(|error| ApiError::internal(&error))
}

/// A turn, if there is one now.
pub fn turn_at(turns: &Arc<Semaphore>) -> ApiResult<OwnedSemaphorePermit> {
    let turn = Arc::clone(turns).try_acquire_owned();
    turn.map_err(|_| ApiError::busy())
}

impl Turns {
    /// Derives a password when the turn comes. The turn lasts as long as the derivation, even if the client hangs up.
    pub async fn derive<T: Send + 'static>(
        &self,
        known: bool,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> ApiResult<T> {
        let turns = if known { &self.known } else { &self.strangers };
        let turn = Arc::clone(turns).acquire_owned().await;
        let turn = turn.map_err(|error| ApiError::internal(&error))?;
        blocking(move || {
            let _turn = turn;
            work()
        })
        .await
    }
}

/// Runs what takes a while, off the event loop.
pub async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> ApiResult<T> {
    let slot = Arc::new(Mutex::new(None));
    let filled = Arc::clone(&slot);
    // Boxed: one copy of the runtime's code serves all.
    let work: Box<dyn FnOnce() + Send> = Box::new(move || *slot.lock() = Some(work()));
    let ended = tokio::task::spawn_blocking(work).await;
    ended.map_err(|error| ApiError::internal(&error))?;
    let made = filled.lock().take();
    made.ok_or_else(|| ApiError::defect("work that made nothing"))
}

impl Deref for App {
    type Target = Core;

    fn deref(&self) -> &Core {
        &self.core
    }
}

impl App {
    /// Whether browsers reach us over TLS, our own or that of a proxy which the configuration names.
    pub fn is_https(&self) -> bool {
        let declared = self.public_origin.as_deref();
        let https = declared.is_some_and(|origin| origin.starts_with("https:"));
        https || self.tls.is_some() || !self.trusted_proxies.0.is_empty()
    }

    /// The means of readings.
    pub fn reading(&self) -> Reading<'_> {
        Reading {
            core: &self.core,
            search: &self.search,
        }
    }

    /// Opens or wipes what is kept in memory of the archive, after it may have been opened or locked.
    pub fn follow_vault(&self) {
        self.search.follow_vault();
        self.memory.follow_vault(&self.vault);
    }

    /// The settings as they are now. The database is asked off the event loop, and only where something changed.
    pub async fn settings(self: &Arc<Self>) -> ApiResult<Arc<InForce>> {
        match self.core.settings.ready(self.store.revision()) {
            Some(settings) => Ok(settings),
            None => self.compute(|app| app.core.settings()).await,
        }
    }

    pub async fn moment(self: &Arc<Self>) -> ApiResult<Moment> {
        let most = self.settings().await?.security.max_reports_per_day;
        Ok(Moment::new(self.clock.now_ms(), &self.time_zone, most))
    }

    /// Lets go of what is kept in memory of erased reports, by their arrival numbers.
    pub fn forget_erased(&self, seqs: &[i64]) {
        self.store.note_erasure();
        self.search.forget(seqs);
        self.memory.forget(self.store.revision());
    }

    /// Logs and counts waiting files that were dropped to make room.
    pub fn note_dropped(&self, files: usize) {
        if files > 0 {
            tracing::warn!(
                files,
                "attached files that waited for their reports were dropped: there is no room for all"
            );
            self.waiting.note_dropped(self.clock.now_ms());
            self.metrics.dropped("room", files);
        }
    }

    pub async fn compute<T, E>(
        self: &Arc<Self>,
        work: impl FnOnce(&Arc<Self>) -> Result<T, E> + Send + 'static,
    ) -> ApiResult<T>
    where
        T: Send + 'static,
        E: Into<ApiError> + Send + 'static,
    {
        let app = Arc::clone(self);
        blocking(move || work(&app)).await?.map_err(Into::into)
    }

    /// Runs what takes as long as a text is: a short one at once, because handing it over would take longer.
    pub async fn weigh<T, E>(
        self: &Arc<Self>,
        bytes: usize,
        work: impl FnOnce(&Arc<Self>) -> Result<T, E> + Send + 'static,
    ) -> ApiResult<T>
    where
        T: Send + 'static,
        E: Into<ApiError> + Send + 'static,
    {
        if bytes <= SHORT {
            return work(self).map_err(Into::into);
        }
        self.compute(work).await
    }

    /// Makes a change and waits, without holding a thread, until it is on disk. Where it opened or locked the archive, what is kept
    /// in memory follows before the answer.
    pub async fn write<T: Send + 'static>(
        self: &Arc<Self>,
        by: Actor,
        undo: Undo,
        work: impl FnOnce(&Act<'_>) -> actions::Result<T> + Send + 'static,
    ) -> ApiResult<T> {
        let (answer, outcome) = tokio::sync::oneshot::channel();
        let app = Arc::clone(self);
        self.core
            .enqueue(by, undo, work, move |result, vault_changed| {
                if vault_changed {
                    app.follow_vault();
                }
                // Before the answer: the last to hold the program must not be the writer, which cannot wait for its own end.
                drop(app);
                // The caller may have hung up; the change is made all the same.
                let _ = answer.send(result);
            });
        outcome
            .await
            .map_err(|error| ApiError::internal(&error))?
            .map_err(Into::into)
    }

    /// Makes a change of the program's own, or a reporter's.
    pub async fn change<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Act<'_>) -> actions::Result<T> + Send + 'static,
    ) -> ApiResult<T> {
        self.write(Actor::default(), Undo::Alone, work).await
    }

    pub async fn read<T, E>(
        self: &Arc<Self>,
        work: impl FnOnce(&Self, &Snapshot<'_>) -> Result<T, E> + Send + 'static,
    ) -> ApiResult<T>
    where
        T: Send + 'static,
        E: From<store::Error> + Into<ApiError> + Send + 'static,
    {
        self.compute(move |app| {
            let inner = Arc::clone(app);
            app.store.read(move |snapshot| work(&inner, snapshot))
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
    use std::sync::mpsc;

    use super::*;

    #[tokio::test]
    async fn who_hangs_up_does_not_let_the_next_derivation_run_beside_its_own() {
        let turns = Turns::default();
        let begun = Arc::new(AtomicUsize::new(0));
        let (go_on, held) = mpsc::channel::<()>();
        let held = Arc::new(Mutex::new(held));
        let derive = || {
            let (begun, held) = (Arc::clone(&begun), Arc::clone(&held));
            turns.derive(false, move || {
                begun.fetch_add(1, SeqCst);
                held.lock().recv().is_err()
            })
        };
        for _ in 0..40 {
            // One look at it, and it is dropped.
            tokio::select! {
                biased;
                _ = derive() => panic!("it is held"),
                () = std::future::ready(()) => {}
            }
        }
        drop(go_on);
        assert!(matches!(derive().await, Ok(true)));
        assert_eq!(
            begun.load(SeqCst),
            2,
            "the first of the forty, and the last"
        );
    }
}
