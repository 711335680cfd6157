//! Empties the outbox (PRODUCT.md §9): a dispatcher that wakes when a report is saved and else looks by itself, and a worker
//! for each destination, so that one that hangs delays no other. Read, mark, send outside of any transaction, settle.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, OnceLock, Weak};
use std::thread::{Builder, JoinHandle, sleep};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use uuid::Uuid;

use super::{INTERNAL, Transport};
use crate::actions::archive::authenticity::Trust;
use crate::actions::outbox::send_delivery::{
    News, NextStep, Sending, begin, next_step, settle_delivery,
};
use crate::actions::{self, Act};
use crate::domain::delivery::{DEMO, DeliveryKind, Failure, Outcome};
use crate::metrics::Metrics;
use crate::newsroom::Core;
use crate::store::{self, Destination};

/// How often the dispatcher looks without being woken; also the pause after the database failed.
const LOOK_EVERY: Duration = Duration::from_secs(5);
/// Shortest time between two looks for something that is to fall due.
const LOOK_AT_MOST_EVERY: Duration = Duration::from_millis(20);
/// Pause after a look: while mail hangs each report wakes the dispatcher, which must not take a processor from those who report.
const PAUSE: Duration = Duration::from_millis(5);
/// Destinations at work at once, of mail and of webhooks: behind a mail server that hangs no call waits. A newsroom has one webhook
/// and some addresses; more of them wait. All reporters are one.
const WORKERS: usize = 16;
/// How long from a stop on what is being sent may still take, as requests in flight may. What is not done by then is sent again
/// after the next start.
const GRACE: Duration = Duration::from_secs(8);

/// The running dispatcher; dropping it stops it.
pub struct Dispatcher {
    work: Arc<Work>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// Sends nothing and says so: for a demonstration.
pub struct Silent;

impl Transport for Silent {
    fn send(&self, _: &Sending) -> Outcome {
        Err(Failure::permanent(DEMO))
    }
}

impl Dispatcher {
    /// Starts the dispatcher, which looks when it is first woken. It holds the database only while it reads or writes.
    pub fn start(
        core: &Arc<Core>,
        transport: Arc<dyn Transport>,
        metrics: Metrics,
    ) -> std::io::Result<Self> {
        let (wake, woken) = channel();
        let work = Arc::new(Work {
            wake,
            stopping: OnceLock::new(),
            busy: Mutex::default(),
            unreached: AtomicBool::new(false),
            core: Arc::downgrade(core),
            transport,
            metrics,
        });
        let shared = Arc::clone(&work);
        let thread = Builder::new()
            .name("deliveries".to_owned())
            .spawn(move || dispatch(&shared, &woken))?;
        let thread = Mutex::new(Some(thread));
        Ok(Self { work, thread })
    }

    pub fn wake(&self) {
        self.work.wake();
    }

    /// Lets nothing more be sent; what is being sent may still arrive.
    pub fn hang_up(&self) {
        self.work.stopped();
    }

    /// Stops: what is being sent is waited for, then it is left alone, as if the program had been killed.
    pub fn stop(&self) {
        let until = self.work.stopped() + GRACE;
        let Some(thread) = self.thread.lock().take() else {
            return;
        };
        self.wake();
        if thread.join().is_err() {
            tracing::error!("the dispatcher of deliveries ended abnormally");
        }
        while !self.work.busy.lock().is_empty() {
            if Instant::now() >= until {
                tracing::info!("stopping with messages still being sent: they are sent again");
                return;
            }
            sleep(PAUSE);
        }
    }
}

impl Drop for Dispatcher {
    fn drop(&mut self) {
        self.stop();
    }
}

struct Work {
    wake: Sender<()>,
    /// When the stop began.
    stopping: OnceLock<Instant>,
    busy: Mutex<HashSet<Destination>>,
    /// Whether mails to reporters fail, as was said once: each is a destination of its own.
    unreached: AtomicBool,
    /// Weak: a worker that hangs while the program stops must not keep the database open.
    core: Weak<Core>,
    transport: Arc<dyn Transport>,
    metrics: Metrics,
}

impl Work {
    fn is_stopping(&self) -> bool {
        self.stopping.get().is_some()
    }

    /// Begins the stop, where it has not begun; answers when it did.
    fn stopped(&self) -> Instant {
        *self.stopping.get_or_init(Instant::now)
    }

    fn wake(&self) {
        // A dispatcher that has stopped has nothing to look for.
        let _ = self.wake.send(());
    }
}

fn dispatch(work: &Arc<Work>, woken: &Receiver<()>) {
    let mut until_next = LOOK_EVERY;
    loop {
        // One look answers every call that came before it.
        let _ = woken.recv_timeout(until_next);
        while woken.try_recv().is_ok() {}
        if work.is_stopping() {
            return;
        }
        let looked = catch_unwind(AssertUnwindSafe(|| start_due_workers(work)));
        until_next = looked.unwrap_or_else(|_| {
            tracing::error!("a look at the outbox ended abnormally");
            LOOK_EVERY
        });
        sleep(PAUSE);
    }
}

/// Starts a worker for each destination that is due, where the addresses can be trusted; answers when to look again.
fn start_due_workers(work: &Arc<Work>) -> Duration {
    let Some(core) = work.core.upgrade() else {
        return LOOK_EVERY;
    };
    let now = core.clock.now_ms();
    let waiting = waiting(&core, now).unwrap_or_else(|error| {
        tracing::warn!(%error, "the settings or the outbox cannot be read");
        Vec::new()
    });
    let mut until_next = LOOK_EVERY;
    for (destination, due) in waiting {
        if work.busy.lock().contains(&destination) {
            continue;
        }
        if due <= now {
            start_worker(work, &destination);
        } else {
            let left = Duration::from_millis(u64::try_from(due - now).unwrap_or(0));
            until_next = until_next.min(left.max(LOOK_AT_MOST_EVERY));
        }
    }
    until_next
}

fn waiting(core: &Core, now: i64) -> actions::Result<Vec<(Destination, i64)>> {
    if core.settings()?.trust != Trust::Integro {
        return Ok(Vec::new());
    }
    Ok(core.store.read(move |snapshot| snapshot.waiting(now))?)
}

/// One that cannot start now starts when another one ends, or with a later look.
fn start_worker(work: &Arc<Work>, destination: &Destination) {
    let mut busy = work.busy.lock();
    let reporters = |one: &Destination| one.kind.to_reporter();
    let calls = |one: &Destination| one.kind == DeliveryKind::Webhook;
    let alike = busy.iter().filter(|one| calls(one) == calls(destination));
    if alike.count() >= WORKERS || (reporters(destination) && busy.iter().any(reporters)) {
        return;
    }
    busy.insert(destination.clone());
    drop(busy);
    let worker = Worker {
        destination: destination.clone(),
        work: Arc::clone(work),
    };
    let started = Builder::new().name("delivery".to_owned()).spawn(move || {
        // A panic has been reported by its hook, and ends this worker alone.
        let _ = catch_unwind(AssertUnwindSafe(|| worker.run()));
        worker.work.busy.lock().remove(&worker.destination);
        worker.work.wake();
    });
    if let Err(error) = started {
        work.busy.lock().remove(destination);
        tracing::error!(%error, "no thread to send with");
    }
}

/// The work that a worker took out of the outbox.
enum NextSending {
    Nothing,
    /// No message this time: what there was has ended or changed. There may be more.
    Again,
    Message(Box<Sending>),
}

struct Worker {
    destination: Destination,
    work: Arc<Work>,
}

impl Worker {
    /// One message after the other, until nothing is due.
    fn run(&self) {
        while !self.work.is_stopping() {
            match self.claim() {
                Ok(NextSending::Message(sending)) => {
                    // The database is not held here: this may take as long as the network likes.
                    let sent = || self.work.transport.send(&sending);
                    let outcome = catch_unwind(AssertUnwindSafe(sent))
                        .unwrap_or_else(|_| Err(Failure::passing(INTERNAL)));
                    self.count(&outcome);
                    if !self.record_outcome(sending, outcome) {
                        return;
                    }
                }
                Ok(NextSending::Again) => {}
                Ok(NextSending::Nothing) => return,
                Err(error) => {
                    tracing::warn!(%error, "nothing can be taken from the outbox");
                    self.pause();
                    return;
                }
            }
        }
    }

    fn claim(&self) -> Result<NextSending, actions::Error> {
        let Some(core) = self.work.core.upgrade() else {
            return Ok(NextSending::Nothing);
        };
        let (now, vault) = (core.clock.now_ms(), Arc::clone(&core.vault));
        let destination = &self.destination;
        let (opening, to) = (Arc::clone(&vault), destination.clone());
        let found = core
            .store
            .read(move |snapshot| next_step(snapshot, &opening, &to, now));
        let (step, to) = (found?, destination.clone());
        if matches!(step, NextStep::Nothing) {
            return Ok(NextSending::Nothing);
        }
        let begun = core
            .store
            .write(move |tx| begin(&Act::unattended(tx, &vault, now), &to, step))?;
        Ok(begun.map_or(NextSending::Again, NextSending::Message))
    }

    fn count(&self, outcome: &Outcome) {
        let attempt = match outcome {
            Ok(()) => "delivered",
            Err(failure) if failure.permanent => "refused",
            Err(_) => "failed",
        };
        let channel = self.destination.kind.as_str();
        self.work.metrics.attempted(channel, attempt);
    }

    /// Records the outcome, as often as it takes: a full disk must not repeat a mail. `false` when the program stopped.
    fn record_outcome(&self, sending: Box<Sending>, outcome: Outcome) -> bool {
        let settled = Arc::new((sending, outcome));
        let mut told = false;
        while let Some(core) = self.work.core.upgrade() {
            let (now, chance, entry) = (core.clock.now_ms(), chance(), Arc::clone(&settled));
            let written = core
                .store
                .write(move |tx| settle_delivery(tx, now, &entry.0, &entry.1, chance));
            drop(core);
            match written {
                Ok(news) => {
                    self.log_news(news, &settled.1);
                    return true;
                }
                Err(actions::Error::Store(store::Error::Closed)) => return false,
                Err(error) if !told => {
                    tracing::warn!(%error, "the outcome of a message cannot be saved yet");
                    told = true;
                }
                Err(_) => {}
            }
            if !self.pause() {
                return false;
            }
        }
        false
    }

    /// Says it once when a destination begins to fail and when it answers again; never which address it is.
    fn log_news(&self, news: News, outcome: &Outcome) {
        let kind = self.destination.kind.as_str();
        let news = match outcome {
            Ok(()) if self.destination.kind.to_reporter() => self.of_all_reporters(false),
            // A permanent refusal concerns only that mailbox.
            Err(failure) if self.destination.kind.to_reporter() && !failure.permanent => {
                self.of_all_reporters(true)
            }
            _ => news,
        };
        match (news, outcome) {
            (News::Fails, Err(failure)) => {
                tracing::warn!(kind, reason = failure.message, "a delivery failed");
            }
            (News::Answers, _) => tracing::info!(kind, "deliveries arrive again"),
            _ => {}
        }
    }

    /// The news about all reporters together.
    fn of_all_reporters(&self, fails: bool) -> News {
        match (self.work.unreached.swap(fails, Ordering::SeqCst), fails) {
            (false, true) => News::Fails,
            (true, false) => News::Answers,
            _ => News::None,
        }
    }

    /// Waits before the database is asked again; `false` when it is time to stop.
    fn pause(&self) -> bool {
        let until = Instant::now() + LOOK_EVERY;
        while Instant::now() < until && !self.work.is_stopping() {
            sleep(Duration::from_millis(50));
        }
        !self.work.is_stopping()
    }
}

fn chance() -> f64 {
    let [first, second, ..] = Uuid::new_v4().into_bytes();
    f64::from(u16::from_be_bytes([first, second])) / f64::from(u16::MAX)
}
