//! A post office for tests: takes what the program wants to send, answers as the test says, and remembers every attempt.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use segnalazioni::testing::Manual;
use segnalazioni::testing::actions::Sending;
use segnalazioni::testing::deliveries::Transport;
use segnalazioni::testing::domain::{Failure, Outcome};

use super::wait_for;

/// How a destination answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Manner {
    #[default]
    Takes,
    Fails,
    Refuses,
    /// It refuses, for their content, messages that tell of a report it dislikes.
    Dislikes,
    /// The same, for now.
    Postpones,
    /// It takes a message and gives no answer, until it is given another manner.
    Hangs,
    Panics,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    pub address: String,
    pub message_id: String,
    pub reports: Vec<String>,
    /// Whether it says of each that it is urgent.
    pub urgent: Vec<bool>,
    /// When it was made, in ms of the test's clock.
    pub at: i64,
    pub taken: bool,
}

pub struct Post {
    clock: Manual,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    attempts: Vec<Attempt>,
    manners: BTreeMap<String, Manner>,
    hanging: usize,
    disliked: Vec<String>,
    /// Whether mails to reporters hang.
    reporters_hang: bool,
}

impl Post {
    pub fn new(clock: &Manual) -> Arc<Self> {
        Arc::new(Self {
            clock: clock.clone(),
            state: Mutex::default(),
            changed: Condvar::new(),
        })
    }

    pub fn set(&self, address: &str, manner: Manner) {
        self.state().manners.insert(address.to_owned(), manner);
        self.changed.notify_all();
    }

    /// Messages that tell of this report are refused where it [`Manner::Dislikes`].
    pub fn dislike(&self, report: &str) {
        self.state().disliked.push(report.to_owned());
    }

    /// Whether mails to reporters hang from now on.
    pub fn hang_for_reporters(&self, hang: bool) {
        self.state().reporters_hang = hang;
        self.changed.notify_all();
    }

    pub fn attempts(&self) -> Vec<Attempt> {
        self.state().attempts.clone()
    }

    pub fn attempts_at(&self, address: &str) -> Vec<Attempt> {
        let attempts = self.attempts().into_iter();
        attempts
            .filter(|attempt| attempt.address == address)
            .collect()
    }

    /// Waits until so many attempts were made at an address; answers them.
    pub fn wait(&self, address: &str, attempts: usize) -> Vec<Attempt> {
        let what = format!("attempt {attempts} at {address}");
        wait_for(&what, || {
            let made = self.attempts_at(address);
            (made.len() >= attempts).then_some(made)
        })
    }

    /// Waits until so many messages are held by addresses that hang.
    pub fn wait_hanging(&self, messages: usize) {
        wait_for("a message that hangs", || {
            (self.state().hanging == messages).then_some(())
        });
    }

    /// Ids of the reports that arrived, as often as they did.
    pub fn arrived(&self) -> Vec<String> {
        let attempts = self.attempts().into_iter().filter(|attempt| attempt.taken);
        attempts.flat_map(|attempt| attempt.reports).collect()
    }

    fn manner(state: &State, address: &str) -> Manner {
        state.manners.get(address).copied().unwrap_or_default()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Transport for Post {
    fn send(&self, sending: &Sending) -> Outcome {
        let address = &sending.destination.address;
        let mut state = self.state();
        let reporter = sending.destination.kind.to_reporter();
        let manner_in = |state: &State| {
            if reporter && state.reporters_hang {
                Manner::Hangs
            } else {
                Self::manner(state, address)
            }
        };
        let manner = manner_in(&state);
        let disliked = sending
            .payloads
            .iter()
            .any(|payload| state.disliked.contains(&payload.id));
        state.attempts.push(Attempt {
            address: address.clone(),
            message_id: sending.message_id.clone(),
            reports: sending
                .payloads
                .iter()
                .map(|payload| payload.id.clone())
                .collect(),
            urgent: sending.payloads.iter().map(|one| one.urgent).collect(),
            at: self.clock.now_ms(),
            taken: matches!(manner, Manner::Takes | Manner::Hangs)
                || (matches!(manner, Manner::Dislikes | Manner::Postpones) && !disliked),
        });
        match manner {
            Manner::Dislikes if disliked => {
                Err(Failure::permanent("Il server rifiuta il contenuto.").of_content())
            }
            Manner::Postpones if disliked => {
                Err(Failure::passing("Il server per ora non accetta il contenuto.").of_content())
            }
            Manner::Takes | Manner::Dislikes | Manner::Postpones => Ok(()),
            Manner::Fails => Err(Failure::passing("Il server non risponde.")),
            Manner::Refuses => Err(Failure::permanent("Il server ha rifiutato il messaggio.")),
            Manner::Panics => {
                drop(state);
                panic!("a transport that panics")
            }
            Manner::Hangs => {
                state.hanging += 1;
                self.changed.notify_all();
                let hangs = |state: &mut State| manner_in(state) == Manner::Hangs;
                let mut state = self
                    .changed
                    .wait_while(state, hangs)
                    .unwrap_or_else(PoisonError::into_inner);
                state.hanging -= 1;
                Ok(())
            }
        }
    }
}
