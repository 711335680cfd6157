//! Reporters in numbers: threads that tell one story after the other until the server goes away, and remember what it
//! acknowledged.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::json;

use super::chat::{Person, Reply};
use super::http::Client;

/// What the reporters of one round know.
#[derive(Debug, Default)]
pub struct Ledger {
    acknowledged: Mutex<Vec<(String, Instant)>>,
    /// Last turns that were sent and never answered: token and text.
    unanswered: Mutex<Vec<(String, String)>>,
    told: AtomicUsize,
}

/// What became of a set of acknowledged reports.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Audit {
    /// Acknowledged, and not stored.
    pub lost: Vec<String>,
    /// Stored more than once.
    pub doubled: Vec<String>,
}

impl Ledger {
    pub fn acknowledged(&self) -> Vec<String> {
        self.acknowledged_by(Instant::now())
    }

    /// What had been acknowledged at a moment.
    pub fn acknowledged_by(&self, moment: Instant) -> Vec<String> {
        let all = locked(&self.acknowledged);
        let early = all.iter().filter(|(_, at)| *at <= moment);
        early.map(|(id, _)| id.clone()).collect()
    }

    /// How long before a moment a report was acknowledged.
    pub fn age_at(&self, id: &str, moment: Instant) -> Duration {
        let all = locked(&self.acknowledged);
        let of_it = all.iter().find(|(known, _)| known == id);
        of_it.map_or(Duration::ZERO, |(_, at)| {
            moment.saturating_duration_since(*at)
        })
    }

    /// Notes a report that was made by other means.
    pub fn note(&self, id: String) {
        locked(&self.acknowledged).push((id, Instant::now()));
    }

    /// Forgets what is to be gone.
    pub fn strike(&self, id: &str) {
        locked(&self.acknowledged).retain(|(known, _)| known != id);
    }

    pub fn unanswered(&self) -> Vec<(String, String)> {
        locked(&self.unanswered).clone()
    }

    pub fn count(&self) -> usize {
        locked(&self.acknowledged).len()
    }

    /// Tells stories until the server answers no more.
    pub fn tell_stories(&self, client: &Client) {
        self.tell(client, Person::numbered);
    }

    /// The same with stories of one's own, by number.
    pub fn tell(&self, client: &Client, person: fn(usize) -> Person) {
        while self.tell_a_story(client, person).is_some() {}
    }

    /// One whole conversation; `None` when the server went away in the middle of it.
    fn tell_a_story(&self, client: &Client, person: fn(usize) -> Person) -> Option<()> {
        let person = person(self.told.fetch_add(1, Ordering::Relaxed));
        let started = client
            .api("POST", "/chat")
            .json(&json!({}))
            .try_send()
            .ok()?;
        let mut reply = Reply::of(&started);
        for (state, answer) in person.answers() {
            let said = json!({ "conversation": reply.conversation, "text": answer });
            let sent = client.api("POST", "/chat/turns").json(&said).try_send();
            if let Ok(answered) = sent {
                reply = Reply::of(&answered);
                continue;
            }
            if state == "collect_report" {
                let turn = (reply.conversation, answer.to_owned());
                locked(&self.unanswered).push(turn);
            }
            return None;
        }
        let id = reply.report_id.expect("a finished report has an id");
        self.note(id);
        Some(())
    }
}

fn locked<T>(what: &Mutex<T>) -> MutexGuard<'_, T> {
    what.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Compares what was acknowledged with what is stored.
pub fn audit(acknowledged: &[String], stored: &[String]) -> Audit {
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    for id in stored {
        *times.entry(id).or_default() += 1;
    }
    let lost = acknowledged
        .iter()
        .filter(|id| !times.contains_key(id.as_str()));
    let doubled = times.iter().filter(|(_, times)| **times > 1);
    Audit {
        lost: lost.cloned().collect(),
        doubled: doubled.map(|(id, _)| (*id).to_owned()).collect(),
    }
}
