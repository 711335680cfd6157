//! Empties the outbox (PRODUCT.md §5): a dispatcher that wakes when a report is saved and else looks by itself, and a worker
//! for each destination, so that one that hangs delays no other. Claim, send outside of any transaction, settle.
//! Must never hold the database while something is sent, send what was settled, or keep the program from stopping.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread::{Builder, JoinHandle, sleep};
use std::time::{Duration, Instant};

use uuid::Uuid;

use super::Transport;
use crate::actions::claim_delivery::{Claim, Sending, claim_delivery};
use crate::actions::settle_delivery::{News, settle_delivery};
use crate::actions::{self, Act};
use crate::domain::delivery::{DEMO, Failure, Outcome};
use crate::metrics::Metrics;
use crate::newsroom::Core;
use crate::store::{self, Destination};

/// How often the dispatcher looks without being woken; also the pause after the database failed.
const LOOK_EVERY: Duration = Duration::from_secs(5);
/// Shortest time between two looks for something that is to fall due.
const LOOK_AT_MOST_EVERY: Duration = Duration::from_millis(20);
/// Pause after a look: while mail hangs each report wakes the dispatcher, which must not take a processor from those who report.
const PAUSE: Duration = Duration::from_millis(5);
/// Destinations at work at once. A newsroom has one webhook and seven addresses; more of them wait.
const WORKERS: usize = 16;
/// How long a stop waits for what is being sent. What is not done by then is sent again after the next start.
const GRACE: Duration = Duration::from_secs(2);

enum Event {
    /// Something may be due that was not before.
    Wake,
    /// The worker of this destination ended.
    Done(Destination),
    Stop,
}

/// The running dispatcher; dropping it stops it.
pub struct Dispatcher {
    events: Sender<Event>,
    stopping: Arc<AtomicBool>,
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
    /// Starts the dispatcher. It holds the database only while it reads or writes.
    pub fn start(
        core: &Arc<Core>,
        transport: Arc<dyn Transport>,
        metrics: Metrics,
    ) -> std::io::Result<Self> {
        let (events, received) = channel();
        let stopping = Arc::new(AtomicBool::new(false));
        let rounds = Rounds {
            received,
            busy: HashSet::new(),
            work: Work {
                events: events.clone(),
                stopping: Arc::clone(&stopping),
                core: Arc::downgrade(core),
                transport,
                metrics,
            },
        };
        let thread = Builder::new()
            .name("deliveries".to_owned())
            .spawn(move || rounds.run())?;
        Ok(Self {
            events,
            stopping,
            thread: Mutex::new(Some(thread)),
        })
    }

    /// Looks at the outbox at once.
    pub fn wake(&self) {
        // A dispatcher that has stopped has nothing to look for.
        let _ = self.events.send(Event::Wake);
    }

    /// Lets nothing more be sent; what is being sent may still arrive.
    pub fn hang_up(&self) {
        self.stopping.store(true, Ordering::SeqCst);
    }

    /// Stops: what is being sent has two more seconds, then it is left alone, as if the program had been killed.
    pub fn stop(&self) {
        self.hang_up();
        let _ = self.events.send(Event::Stop);
        let thread = self
            .thread
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if thread.is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the dispatcher of deliveries ended abnormally");
        }
    }
}

impl Drop for Dispatcher {
    fn drop(&mut self) {
        self.stop();
    }
}

/// What dispatcher and workers share.
#[derive(Clone)]
struct Work {
    events: Sender<Event>,
    stopping: Arc<AtomicBool>,
    /// Weak: a worker that hangs while the program stops must not keep the database open.
    core: Weak<Core>,
    transport: Arc<dyn Transport>,
    metrics: Metrics,
}

impl Work {
    fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::SeqCst)
    }
}

/// The dispatcher's own thread.
struct Rounds {
    received: Receiver<Event>,
    /// Destinations with a worker.
    busy: HashSet<Destination>,
    work: Work,
}

impl Rounds {
    fn run(mut self) {
        let mut until_next = Duration::ZERO;
        while self.wait(until_next) {
            if self.work.is_stopping() {
                until_next = LOOK_EVERY;
                continue;
            }
            let looked = catch_unwind(AssertUnwindSafe(|| self.look()));
            until_next = looked.unwrap_or_else(|_| {
                tracing::error!("a look at the outbox ended abnormally");
                LOOK_EVERY
            });
            sleep(PAUSE);
        }
        let until = Instant::now() + GRACE;
        while !self.busy.is_empty() {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                tracing::info!("stopping with messages still being sent: they are sent again");
                return;
            }
            self.wait(left);
        }
    }

    /// Waits for an event, at most so long, and takes in all that came; `false` when it is time to stop.
    fn wait(&mut self, at_most: Duration) -> bool {
        let mut going_on = true;
        let first = self.received.recv_timeout(at_most).ok();
        for event in first.into_iter().chain(self.received.try_iter()) {
            match event {
                Event::Wake => {}
                Event::Done(destination) => {
                    self.busy.remove(&destination);
                }
                Event::Stop => going_on = false,
            }
        }
        going_on
    }

    /// Starts a worker for each destination that is due; answers when to look again.
    fn look(&mut self) -> Duration {
        let Some(core) = self.work.core.upgrade() else {
            return LOOK_EVERY;
        };
        let now = core.clock.now_ms();
        let waiting = match core.store.read(move |snapshot| snapshot.waiting(now)) {
            Ok(waiting) => waiting,
            Err(error) => {
                tracing::warn!(%error, "the outbox cannot be read");
                return LOOK_EVERY;
            }
        };
        let mut until_next = LOOK_EVERY;
        for (destination, due) in waiting {
            if self.busy.contains(&destination) {
                continue;
            }
            if due <= now {
                self.start_worker(destination);
            } else {
                let left = Duration::from_millis(u64::try_from(due - now).unwrap_or(0));
                until_next = until_next.min(left.max(LOOK_AT_MOST_EVERY));
            }
        }
        until_next
    }

    /// One that cannot start now starts when another one ends, or with the next look.
    fn start_worker(&mut self, destination: Destination) {
        if self.busy.len() >= WORKERS {
            return;
        }
        self.busy.insert(destination.clone());
        let worker = Worker {
            destination,
            work: self.work.clone(),
        };
        let started = Builder::new()
            .name("delivery".to_owned())
            .spawn(move || worker.run());
        if let Err(error) = started {
            tracing::error!(%error, "no thread to send with");
        }
    }
}

/// Sends what is due for one destination.
struct Worker {
    destination: Destination,
    work: Work,
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.work.events.send(Event::Done(self.destination.clone()));
    }
}

impl Worker {
    /// One message after the other, until nothing is due.
    fn run(&self) {
        while !self.work.is_stopping() {
            match self.claim() {
                Ok(Claim::Send(sending)) => {
                    let outcome = self.send(&sending);
                    self.count(&outcome);
                    if !self.settle(sending, outcome) {
                        return;
                    }
                }
                Ok(Claim::Moved) => {}
                Ok(Claim::Nothing) => return,
                Err(error) => {
                    tracing::warn!(%error, "nothing can be taken from the outbox");
                    self.pause();
                    return;
                }
            }
        }
    }

    fn claim(&self) -> Result<Claim, actions::Error> {
        let Some(core) = self.work.core.upgrade() else {
            return Ok(Claim::Nothing);
        };
        let (now, vault) = (core.clock.now_ms(), Arc::clone(&core.vault));
        let destination = self.destination.clone();
        core.store
            .write(move |tx| claim_delivery(&Act::unattended(tx, &vault, now), &destination))
    }

    /// The database is not held here: this may take as long as the network likes.
    fn send(&self, sending: &Sending) -> Outcome {
        catch_unwind(AssertUnwindSafe(|| self.work.transport.send(sending)))
            .unwrap_or_else(|_| Err(Failure::passing("Errore interno durante l'invio.")))
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

    /// Writes the outcome down, as often as it takes: a message that arrived must not be sent again because the disk was
    /// full. `false` when the program stopped in the meantime.
    fn settle(&self, sending: Box<Sending>, outcome: Outcome) -> bool {
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
                    self.tell(news, &settled.1);
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
    fn tell(&self, news: News, outcome: &Outcome) {
        let kind = self.destination.kind.as_str();
        match (news, outcome) {
            (News::Fails, Err(failure)) => {
                tracing::warn!(kind, reason = failure.message, "a delivery failed");
            }
            (News::Answers, _) => tracing::info!(kind, "deliveries arrive again"),
            _ => {}
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

/// A random number from 0 to 1.
fn chance() -> f64 {
    let [first, second, ..] = Uuid::new_v4().into_bytes();
    f64::from(u16::from_be_bytes([first, second])) / f64::from(u16::MAX)
}
