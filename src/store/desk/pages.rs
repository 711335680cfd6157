//! A page of the list: its rows, where it starts, and how it is cut out of the reports of a filter.

use serde::Serialize;
use utoipa::ToSchema;

use crate::domain::label;
use crate::domain::message::Withdrawal;
use crate::domain::moment;
use crate::domain::report::{Origine, Stato};
use crate::domain::routing::Department;
use crate::store::desk::filter::{ABOVE, ListFilter};

/// The part of a report that lists show, in the words of the list, without the sealed part.
#[derive(Debug, Clone, Default, Serialize, ToSchema)]
#[schema(as = ReportMarks)]
#[expect(clippy::struct_excessive_bools, reason = "each is a mark of its own")]
pub struct ListRow {
    #[serde(skip)]
    pub seq: i64,
    /// Where it stands in the list that it was read for.
    #[serde(skip)]
    pub place: i64,
    /// 36-character id.
    pub id: String,
    /// Status.
    pub stato: Stato,
    /// Key of its department.
    pub department: Department,
    /// Whether it counts as urgent: what an editor decided, else whether its wording suggests that a person may come to harm.
    pub urgente: bool,
    /// The channel through which it was received.
    #[serde(rename = "origin")]
    pub origine: Origine,
    /// When it was received; RFC 3339, UTC.
    #[serde(serialize_with = "moment::serialize")]
    #[schema(value_type = String)]
    pub data_creazione: i64,
    /// Whether staff have not opened it yet.
    pub unread: bool,
    /// Whether siege mode has set it aside as a near copy of others.
    pub sospetta: bool,
    /// Whether there is an unread message from its reporter.
    #[serde(rename = "answerWaiting")]
    pub risposta: bool,
    /// The number of unread messages from its reporter.
    pub messages: i64,
    /// Its files.
    #[serde(rename = "attachments")]
    pub allegati: i64,
    /// By when what was promised next is due, in ms.
    #[serde(skip)]
    pub scade: Option<i64>,
    /// Whether that is to be read, and not to be told what came of it.
    #[serde(skip)]
    pub first_is_due: bool,
    /// Until when it is put off, or was, in ms.
    #[serde(skip)]
    pub rinviata: Option<i64>,
    /// Id of the story that it belongs to.
    #[serde(skip)]
    pub storia: Option<String>,
    /// The open request of its reporter to withdraw it.
    #[serde(rename = "withdrawal")]
    pub ritiro: Option<Withdrawal>,
    /// Its labels, by their numbers.
    #[serde(serialize_with = "label::serialize")]
    #[schema(value_type = Vec<u8>)]
    pub labels: i64,
    /// Id of the person that the report is assigned to.
    #[serde(rename = "assegnataA")]
    pub assegnata: Option<String>,
    /// Its version, for a change of many.
    pub versione: i64,
    #[serde(skip)]
    pub epoch: i64,
    #[serde(skip)]
    pub riga: Vec<u8>,
}

/// Where a page starts, by arrival number, in the order of the list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Place {
    /// At the beginning.
    #[default]
    Top,
    /// Behind this one.
    After(i64),
    /// The page that ends just before this one.
    Before(i64),
}

/// One page, in the order of the list.
#[derive(Debug, Clone)]
pub struct ListPage {
    pub rows: Vec<ListRow>,
    /// Whether others match before the page.
    pub before: bool,
    /// Whether others match behind it.
    pub after: bool,
}

impl ListPage {
    /// Cuts a page out of what `next` gives: the first matching reports between two arrival numbers, both included, upwards or
    /// downwards.
    pub fn cut<E>(
        place: Place,
        limit: usize,
        oldest_first: bool,
        next: impl Fn((i64, i64), bool, usize) -> Result<Vec<ListRow>, E>,
    ) -> Result<Self, E> {
        let (range, back) = match place {
            Place::Top => ((i64::MIN, i64::MAX), false),
            Place::After(seq) => (beyond(seq, oldest_first), false),
            Place::Before(seq) => (beyond(seq, !oldest_first), true),
        };
        let up = oldest_first != back;
        let mut rows = next(range, up, limit + 1)?;
        if back && rows.len() < limit {
            // Fewer than a page before: the whole first page rather than a short one.
            return Self::cut(Place::Top, limit, oldest_first, next);
        }
        let further = rows.len() > limit;
        rows.truncate(limit);
        let beside = if up { range.0 } else { range.1 };
        let edge = rows.first().map_or(beside, |row| row.place);
        let behind = place != Place::Top && !next(beyond(edge, !up), !up, 1)?.is_empty();
        if back {
            rows.reverse();
        }
        Ok(Self {
            rows,
            before: if back { further } else { behind },
            after: if back { behind } else { further },
        })
    }
}

/// Arrival numbers above one, or below it.
pub(super) const fn beyond(seq: i64, up: bool) -> (i64, i64) {
    if up {
        (seq.saturating_add(1), i64::MAX)
    } else {
        (i64::MIN, seq.saturating_sub(1))
    }
}

impl ListFilter {
    /// Cuts a page out of what `next` gives: the first reports of a filter between two arrival numbers, both included, upwards or
    /// downwards.
    pub fn page<E>(
        &self,
        place: Place,
        limit: usize,
        next: impl Fn(&Self, (i64, i64), bool, usize) -> Result<Vec<ListRow>, E>,
    ) -> Result<ListPage, E> {
        let parts = self.parts();
        ListPage::cut(
            place,
            limit,
            self.oldest_first,
            |(first, last), up, count| {
                let mut parts: Vec<_> = parts.iter().collect();
                if up != self.oldest_first {
                    parts.reverse();
                }
                let mut rows = Vec::new();
                for (above, part) in parts {
                    let range = (first.saturating_sub(*above), last.saturating_sub(*above));
                    let range = (range.0.max(0), range.1.min(ABOVE - 1));
                    let found = next(part, range, up, count - rows.len())?;
                    rows.extend(found.into_iter().map(|row| ListRow {
                        place: row.seq + above,
                        ..row
                    }));
                    if rows.len() == count {
                        break;
                    }
                }
                Ok(rows)
            },
        )
    }
}
