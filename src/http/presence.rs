//! Who has a report open, in memory and for seconds only.

use parking_lot::Mutex;
use serde::Serialize;
use utoipa::ToSchema;

/// How long a person who says nothing more counts as there, in ms.
const STAYS_MS: i64 = 15_000;

/// A person who has a report open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct PersonPresent {
    /// Their name; null for the shared password, under which it may be the caller, elsewhere.
    pub name: Option<String>,
    /// Whether they are writing.
    pub writing: bool,
}

struct Seen {
    report: String,
    who: String,
    at: i64,
    person: PersonPresent,
}

/// Who has which report open.
#[derive(Default)]
pub struct Presence(Mutex<Vec<Seen>>);

impl Presence {
    /// Notes that `who` has a report open at `now` (ms).
    pub fn note(&self, report: &str, who: String, person: PersonPresent, now: i64) {
        let mut seen = self.0.lock();
        seen.retain(|one| is_there(one, now) && (one.report != report || one.who != who));
        let (report, at) = (report.to_owned(), now);
        seen.push(Seen {
            report,
            who,
            at,
            person,
        });
    }

    /// The others who have a report open at `now` (ms).
    pub fn others(&self, report: &str, who: &str, now: i64) -> Vec<PersonPresent> {
        let seen = self.0.lock();
        let others = seen
            .iter()
            .filter(|one| one.report == report && one.who != who && is_there(one, now));
        others.map(|one| one.person.clone()).collect()
    }
}

/// A clock that was set back keeps no one.
const fn is_there(seen: &Seen, now: i64) -> bool {
    seen.at <= now && now - seen.at < STAYS_MS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_others_are_there_for_fifteen_seconds() {
        let presence = Presence::default();
        let anna = |writing| PersonPresent {
            name: Some("Anna".to_owned()),
            writing,
        };
        presence.note("a", "1".to_owned(), anna(false), 0);
        presence.note("a", "1".to_owned(), anna(true), 1_000);
        let others = |report, who, now| presence.others(report, who, now);
        assert_eq!(others("a", "2", 15_999), [anna(true)]);
        for (report, who, now) in [
            ("a", "1", 1_000),
            ("b", "2", 1_000),
            ("a", "2", 16_000),
            ("a", "2", 0),
        ] {
            assert_eq!(others(report, who, now), [], "{report} {who} {now}");
        }
        presence.note("b", "2".to_owned(), anna(false), 16_000);
        assert_eq!(presence.0.lock().len(), 1);
    }
}
