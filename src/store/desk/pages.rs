//! A page of the list: its rows, where it starts, and how it is cut out of the reports of a filter.

use serde::Serialize;
use utoipa::ToSchema;

use crate::domain::label;
use crate::domain::message::Withdrawal;
use crate::domain::moment;
use crate::domain::report::{Origine, Stato};
use crate::domain::routing::DepartmentKey;
use crate::store::desk::filter::ListFilter;
use crate::store::desk::seq_range::SeqRange;

/// The part of a report that lists show, in the words of the list, without the sealed part.
#[derive(Debug, Clone, Default, Serialize, ToSchema)]
#[schema(as = ReportMarks)]
#[expect(clippy::struct_excessive_bools, reason = "each is a mark of its own")]
pub struct ListRow {
    #[serde(skip)]
    pub seq: i64,
    /// Whether it is urgent and open.
    #[serde(skip)]
    pub pressing: bool,
    /// 36-character id.
    pub id: String,
    /// Status.
    pub stato: Stato,
    /// Key of its department.
    pub department: DepartmentKey,
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
    /// Whether its sender is set aside.
    pub aside: bool,
    /// Whether its reporter has a code, by which a message can be read.
    pub code: bool,
    /// Whether its reporter waits for an answer.
    #[serde(rename = "answerWaiting")]
    pub attende: bool,
    /// The number of messages from its reporter that wait for an answer.
    pub messages: i64,
    /// When it comes back or came back from a snooze, unless it was dealt with since, in ms.
    #[serde(skip)]
    pub rientra: Option<i64>,
    /// When the next promise is due that was not due yet when staff dealt with it, in ms.
    #[serde(skip)]
    pub impegno: Option<i64>,
    /// From when on there is something to do about it, in ms.
    #[serde(skip)]
    pub da_fare: Option<i64>,
    /// Its files.
    #[serde(rename = "attachments")]
    pub allegati: i64,
    /// When the next promise is due, in ms.
    #[serde(skip)]
    pub scade: Option<i64>,
    /// Whether that promise is the first reading; otherwise it is the outcome.
    #[serde(skip)]
    pub first_is_due: bool,
    /// When its snooze ends or ended, in ms.
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
    /// Its version, for a bulk change.
    pub versione: i64,
    #[serde(skip)]
    pub epoch: i64,
    #[serde(skip)]
    pub riga: Vec<u8>,
}

impl ListRow {
    pub const fn position(&self) -> Position {
        Position {
            pressing: self.pressing,
            seq: self.seq,
        }
    }
}

/// The position of a report in a list: by arrival or, if the filter says so, urgent and open reports before all others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// Whether it is urgent and open; ignored in a list by arrival alone.
    pub pressing: bool,
    pub seq: i64,
}

/// Where a page starts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Place {
    /// At the beginning of the list.
    #[default]
    Top,
    /// After this position.
    After(Position),
    /// The page that ends before this position.
    Before(Position),
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
    /// The place of the next page; the beginning if there is none.
    pub fn next(&self) -> Place {
        match self.rows.last() {
            Some(last) if self.after => Place::After(last.position()),
            _ => Place::Top,
        }
    }

    /// The place of the page before; the beginning if there is none. If this page has become empty, all reports come before it.
    pub fn previous(&self, filter: &ListFilter) -> Place {
        let first = self.rows.first().map(ListRow::position);
        if self.before {
            Place::Before(first.unwrap_or(filter.end()))
        } else {
            Place::Top
        }
    }
}

/// A part of a list in order of arrival: the reports of a filter in a range.
pub struct Stretch {
    pub filter: ListFilter,
    pub range: SeqRange,
    /// Whether it is walked from the oldest report to the newest.
    pub upwards: bool,
}

impl ListFilter {
    /// The position behind all reports.
    pub const fn end(&self) -> Position {
        Position {
            pressing: false,
            seq: if self.oldest_first { i64::MAX } else { 0 },
        }
    }

    /// The stretches of the list behind a position, or of the whole list, in its order; with `back` those before the position, in
    /// the opposite order.
    pub(in crate::store) fn stretches(&self, from: Option<Position>, back: bool) -> Vec<Stretch> {
        let upwards = self.oldest_first != back;
        let mut groups = self.groups();
        if back {
            groups.reverse();
        }
        let is_passed = |group: &Self| match (group.pressing, from) {
            (Some(pressing), Some(from)) => pressing != from.pressing,
            _ => false,
        };
        let left = groups.into_iter().skip_while(is_passed);
        let range = |first: bool| match from {
            Some(from) if first => SeqRange::beyond(from.seq, upwards),
            _ => SeqRange::ALL,
        };
        let stretches = left.enumerate().map(|(at, filter)| Stretch {
            filter,
            range: range(at == 0),
            upwards,
        });
        stretches.collect()
    }

    /// Cuts a page out of the stretches; `next` returns at most so many reports from the start of one.
    pub fn page<E>(
        &self,
        place: Place,
        limit: usize,
        next: impl Fn(&Stretch, usize) -> Result<Vec<ListRow>, E>,
    ) -> Result<ListPage, E> {
        let walk = |from: Option<Position>, back: bool, count: usize| {
            let mut rows = Vec::new();
            for stretch in self.stretches(from, back) {
                rows.extend(next(&stretch, count - rows.len())?);
                if rows.len() == count {
                    break;
                }
            }
            Ok(rows)
        };
        let (from, back) = match place {
            Place::Top => (None, false),
            Place::After(position) => (Some(position), false),
            Place::Before(position) => (Some(position), true),
        };
        let mut rows = walk(from, back, limit + 1)?;
        if back && rows.len() < limit {
            // Fewer than a page before: the whole first page rather than a short one.
            return self.page(Place::Top, limit, next);
        }
        let further = rows.len() > limit;
        rows.truncate(limit);
        // Behind an empty page there is nothing: all that the list has stands before it.
        let edge = rows.first().map(ListRow::position);
        let others = from.is_some() && !walk(edge, !back, 1)?.is_empty();
        if back {
            rows.reverse();
        }
        Ok(ListPage {
            rows,
            before: if back { further } else { others },
            after: if back { others } else { further },
        })
    }
}
