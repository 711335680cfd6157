//! Empties the outbox (PRODUCT.md §5): a dispatcher that wakes when a report is saved and else looks by itself, and a lane of
//! its own for each destination, so that one that hangs delays no other. Claim, send outside of any transaction, settle.
//! Must never hold the database while something is sent, send what was settled, or keep the program from stopping.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread::JoinHandle;
use std::time::Duration;

use uuid::Uuid;

use super::Carrier;
use super::failure::Failure;
use super::switchboard::{Lane, Switchboard};
use crate::actions;
use crate::actions::claim_delivery::{Claim, Parcel, claim_delivery};
use crate::actions::settle_delivery::{News, Outcome, settle_delivery};
use crate::clock::Clock;
use crate::metrics::{Attempt, Metrics};
use crate::store::{self, Destination, Store};
use crate::vault::Vault;

/// How often the dispatcher looks without being woken; also the rest after the database failed.
const LOOK_EVERY: Duration = Duration::from_secs(5);
/// Shortest time between two looks for something that is to fall due.
const LOOK_AT_MOST_EVERY: Duration = Duration::from_millis(20);
/// Rest after a look: while mail hangs each report rings, and looking must not take a processor from those who report.
const REST: Duration = Duration::from_millis(5);
/// Lanes at work at once. A newsroom has one webhook and seven addresses; more of them wait for a lane.
const LANES: usize = 16;
/// How long a stop waits for what is being sent. What is not done by then is sent again after the next start.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// What the work is done on.
pub struct House {
    /// The database.
    pub store: Arc<Store>,
    /// Keys and sealing.
    pub vault: Arc<Vault>,
    /// The time.
    pub clock: Clock,
}

/// The running courier; dropping it stops it.
pub struct Courier {
    switchboard: Arc<Switchboard>,
    /// The only lasting hold on the database: a lane that hangs while the program stops must not keep it open.
    house: Mutex<Option<Arc<House>>>,
    dispatcher: Mutex<Option<JoinHandle<()>>>,
}

/// Sends nothing and says so: for a demonstration.
pub struct Silent;

impl Carrier for Silent {
    fn carry(&self, _: &Parcel) -> Result<(), Failure> {
        Err(Failure::permanent(
            "In modalità demo non parte nulla: né e-mail né webhook.",
        ))
    }
}

impl Courier {
    /// Starts the dispatcher.
    pub fn start(
        house: House,
        carrier: Arc<dyn Carrier>,
        metrics: Metrics,
    ) -> std::io::Result<Self> {
        let switchboard = Arc::new(Switchboard::default());
        let house = Arc::new(house);
        let dispatcher = Dispatcher {
            switchboard: Arc::clone(&switchboard),
            house: Arc::downgrade(&house),
            carrier,
            metrics,
        };
        let thread = std::thread::Builder::new()
            .name("courier".to_owned())
            .spawn(move || dispatcher.run())?;
        Ok(Self {
            switchboard,
            house: Mutex::new(Some(house)),
            dispatcher: Mutex::new(Some(thread)),
        })
    }

    /// Looks at the outbox at once.
    pub fn wake(&self) {
        self.switchboard.ring();
    }

    /// Lets nothing more be sent; what is being sent may still arrive.
    pub fn hang_up(&self) {
        self.switchboard.stop();
    }

    /// Stops: what is being sent has two more seconds, then it is left alone, as if the program had been killed.
    pub fn stop(&self) {
        self.switchboard.stop();
        if !self.switchboard.quiet(LAST_WORDS) {
            tracing::info!("stopping with messages still being sent: they are sent again");
        }
        // Lanes that go on find nobody at home, and leave their outcome to the next start.
        let house = self
            .house
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        drop(house);
        let dispatcher = self
            .dispatcher
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if dispatcher.is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the courier ended abnormally");
        }
    }
}

impl Drop for Courier {
    fn drop(&mut self) {
        self.stop();
    }
}

struct Dispatcher {
    switchboard: Arc<Switchboard>,
    house: Weak<House>,
    carrier: Arc<dyn Carrier>,
    metrics: Metrics,
}

impl Dispatcher {
    fn run(&self) {
        let mut until_next = Duration::ZERO;
        while self.switchboard.wait(until_next) {
            let looked = catch_unwind(AssertUnwindSafe(|| self.look()));
            until_next = looked.unwrap_or_else(|_| {
                tracing::error!("a look at the outbox ended abnormally");
                LOOK_EVERY
            });
            self.switchboard.rest(REST);
        }
    }

    /// Opens a lane for each destination that is due; answers when to look again.
    fn look(&self) -> Duration {
        let Some(house) = self.house.upgrade() else {
            return LOOK_EVERY;
        };
        let now = house.clock.now_ms();
        let waiting = match house.store.read(|snapshot| snapshot.waiting()) {
            Ok(waiting) => waiting,
            Err(error) => {
                tracing::warn!(%error, "the outbox cannot be read");
                return LOOK_EVERY;
            }
        };
        let busy = self.switchboard.busy();
        let mut until_next = LOOK_EVERY;
        for waiting in waiting {
            if busy.contains(&waiting.destination) {
                continue;
            }
            let due = waiting.due_at(now);
            if due <= now {
                self.open_lane(&waiting.destination);
            } else {
                let left = Duration::from_millis(u64::try_from(due - now).unwrap_or(0));
                until_next = until_next.min(left.max(LOOK_AT_MOST_EVERY));
            }
        }
        until_next
    }

    /// A lane that cannot be opened now is opened when another one closes, or with the next look.
    fn open_lane(&self, destination: &Destination) {
        let Some(lane) = self.switchboard.enter(destination, LANES) else {
            return;
        };
        let run = Run {
            lane,
            house: Weak::clone(&self.house),
            carrier: Arc::clone(&self.carrier),
            metrics: self.metrics.clone(),
        };
        let opened = std::thread::Builder::new()
            .name("courier lane".to_owned())
            .spawn(move || run.run());
        if let Err(error) = opened {
            tracing::error!(%error, "no thread to send with");
        }
    }
}

/// A lane at work.
struct Run {
    lane: Lane,
    house: Weak<House>,
    carrier: Arc<dyn Carrier>,
    metrics: Metrics,
}

impl Run {
    /// Sends what is due for the destination, one message after the other.
    fn run(&self) {
        while !self.lane.switchboard.is_stopping() {
            let parcel = match self.claim() {
                Ok(Some(Claim::Send(parcel))) => parcel,
                Ok(Some(Claim::Unreadable(deliveries))) => {
                    tracing::error!(deliveries, "deliveries that cannot be opened were given up");
                    continue;
                }
                Ok(Some(Claim::Readdressed)) => continue,
                Ok(Some(Claim::Nothing) | None) => return,
                Err(error) => {
                    tracing::warn!(%error, "nothing can be taken from the outbox");
                    self.lane.switchboard.rest(LOOK_EVERY);
                    return;
                }
            };
            let outcome = self.send(&parcel);
            self.count(&outcome);
            if !self.settle(parcel, outcome) {
                return;
            }
        }
    }

    fn claim(&self) -> Result<Option<Claim>, actions::Error> {
        let Some(house) = self.house.upgrade() else {
            return Ok(None);
        };
        let (now, vault) = (house.clock.now_ms(), Arc::clone(&house.vault));
        let destination = self.lane.destination.clone();
        let digest = Uuid::new_v4().to_string();
        let claim = house
            .store
            .write(move |tx| claim_delivery(tx, &vault, now, &destination, &digest))?;
        Ok(Some(claim))
    }

    /// Nothing of the house is held here: this may take as long as the network likes.
    fn send(&self, parcel: &Parcel) -> Outcome {
        let sent = catch_unwind(AssertUnwindSafe(|| self.carrier.carry(parcel)));
        match sent {
            Ok(Ok(())) => Outcome::Arrived,
            Ok(Err(failure)) if failure.content => Outcome::Unfit {
                reason: failure.message,
                for_good: failure.permanent,
            },
            Ok(Err(failure)) if failure.permanent => Outcome::Refused(failure.message),
            Ok(Err(failure)) if failure.unsure => Outcome::Unsure(failure.message),
            Ok(Err(failure)) => Outcome::Passing(failure.message),
            Err(_) => Outcome::Unsure("Errore interno durante l'invio.".to_owned()),
        }
    }

    fn count(&self, outcome: &Outcome) {
        let attempt = match outcome {
            Outcome::Arrived => Attempt::Delivered,
            Outcome::Refused(_) | Outcome::Unfit { for_good: true, .. } => Attempt::Refused,
            Outcome::Passing(_) | Outcome::Unsure(_) | Outcome::Unfit { .. } => Attempt::Failed,
        };
        let channel = self.lane.destination.kind.as_str();
        self.metrics.attempted(channel, attempt);
    }

    /// Writes the outcome down, as often as it takes: a message that arrived must not be sent again because the disk was
    /// full. `false` when the program stopped in the meantime.
    fn settle(&self, parcel: Box<Parcel>, outcome: Outcome) -> bool {
        let settled = Arc::new((parcel, outcome));
        let mut told = false;
        while let Some(house) = self.house.upgrade() {
            let (now, chance, entry) = (house.clock.now_ms(), chance(), Arc::clone(&settled));
            let written = house
                .store
                .write(move |tx| settle_delivery(tx, now, &entry.0, &entry.1, chance));
            drop(house);
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
            if !self.lane.switchboard.rest(LOOK_EVERY) {
                return false;
            }
        }
        false
    }

    /// Says it once when a destination begins to fail and when it answers again; never which address it is.
    fn tell(&self, news: News, outcome: &Outcome) {
        let kind = self.lane.destination.kind.as_str();
        match (news, outcome) {
            (
                News::Fails,
                Outcome::Passing(reason)
                | Outcome::Unsure(reason)
                | Outcome::Refused(reason)
                | Outcome::Unfit { reason, .. },
            ) => {
                tracing::warn!(kind, reason, "a delivery failed");
            }
            (News::Answers, _) => tracing::info!(kind, "deliveries arrive again"),
            _ => {}
        }
    }
}

/// A random number from 0 to 1.
fn chance() -> f64 {
    let [first, second, ..] = Uuid::new_v4().into_bytes();
    f64::from(u16::from_be_bytes([first, second])) / f64::from(u16::MAX)
}
