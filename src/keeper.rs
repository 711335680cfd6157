//! The timed work, once a minute: sessions and keys past their end are forgotten, a sealed archive is locked when nobody is logged
//! in any more, counts of conversations are stored, and what is due by its age is archived, dropped or erased.
//! Must never do in one step what would block writers for long.

use std::sync::Arc;

use crate::actions::count_stops::Tally;
use crate::actions::expire_reports::expire_reports;
use crate::actions::retention::{STEP, archive_resolved, drop_old_deliveries, drop_old_logs};
use crate::actions::sign_in::end_expired_sessions;
use crate::actions::sign_out::lock_when_alone;
use crate::actions::{Error, Result};
use crate::store::{Store, Tx};
use crate::vault::Vault;

/// Steps of one kind in one round: 10,000 rows. What is left is done a minute later.
const STEPS: usize = 100;

/// What the timed work is done on.
pub struct Keeping<'a> {
    /// The database.
    pub store: &'a Store,
    /// Keys and sealing.
    pub vault: &'a Arc<Vault>,
    /// Counts of conversations since the last round.
    pub stops: &'a Tally,
    /// Told the arrival numbers of reports that were erased.
    pub forget: &'a dyn Fn(&[i64]),
}

/// A step of the work that goes by age: how many rows it changed.
type Step = fn(&Tx<'_>, i64) -> Result<usize>;

impl Keeping<'_> {
    /// One round; answers what failed of it. No part waits for another to succeed.
    pub fn tidy(&self, now: i64) -> Vec<Error> {
        let parts = [
            self.end_what_is_past(now),
            self.stops.flush(self.store),
            self.in_steps(archive_resolved, now),
            self.in_steps(drop_old_logs, now),
            self.in_steps(drop_old_deliveries, now),
            self.expire(now),
            // Also what a program that was killed has left to be done.
            self.store.settle_erasures(),
        ];
        parts.into_iter().filter_map(Result::err).collect()
    }

    /// Forgets sessions and keys past their end, and locks a sealed archive that nobody is logged in to.
    fn end_what_is_past(&self, now: i64) -> Result<()> {
        let vault = Arc::clone(self.vault);
        self.store.write(move |tx| {
            end_expired_sessions(tx, now)?;
            tx.drop_expired_secrets(now)?;
            lock_when_alone(tx, &vault)
        })
    }

    /// Erases what is due by its age.
    fn expire(&self, now: i64) -> Result<()> {
        for _ in 0..STEPS {
            let erased = self.store.write(move |tx| expire_reports(tx, now, STEP))?;
            if !erased.is_empty() {
                self.store.note_erasure();
                (self.forget)(&erased);
            }
            if erased.len() < STEP {
                break;
            }
        }
        Ok(())
    }

    /// Repeats a step, each in a transaction of its own that others wait for no longer than for any change.
    fn in_steps(&self, step: Step, now: i64) -> Result<()> {
        for _ in 0..STEPS {
            if self.store.write(move |tx| step(tx, now))? < STEP {
                break;
            }
        }
        Ok(())
    }
}
