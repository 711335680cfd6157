//! Which reports a list shows, and the conditions in SQL by which they are found.

use rusqlite::types::Value;
use rusqlite::{Params, params_from_iter};
use uuid::Uuid;

use crate::domain::asked::ConsentKind;
use crate::domain::report::{Origine, Stato};
use crate::domain::routing::DepartmentKey;
use crate::store::desk::seq_range::SeqRange;

/// Whom a report is assigned to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Assigned {
    Nobody,
    Anybody,
    To(Uuid),
}

/// Which reports a list shows, by what is stored in the clear, and in which order.
#[derive(Debug, Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a mark of its own")]
pub struct ListFilter {
    pub stato: Option<Stato>,
    pub department: Option<DepartmentKey>,
    pub urgente: Option<bool>,
    pub origine: Option<Origine>,
    pub sospette: Option<bool>,
    /// Only reports whose sender is set aside; with `false` only the others.
    pub aside: Option<bool>,
    /// Only reports that the newsroom has something to do about at this time (ms).
    pub todo: Option<i64>,
    /// Only reports whose reporter waits for an answer.
    pub answered: bool,
    /// Only open reports whose reporter has not answered what the newsroom wrote last.
    pub waiting: bool,
    /// Only reports whose reporter gave this consent and did not take it back.
    pub consent: Option<ConsentKind>,
    /// Only reports with an open request for withdrawal; with `false` only the others.
    pub withdrawal: Option<bool>,
    /// Only reports that staff have not opened yet.
    pub unread: bool,
    /// Only reports with attached files.
    pub files: bool,
    /// Only reports with a promise due from the first of these times on (ms) and before the second.
    pub due: Option<(i64, i64)>,
    /// Only reports that are snoozed at this time (ms); with `false` only the others.
    pub snoozed: Option<(bool, i64)>,
    /// Only reports that are archived; with `false` only the others.
    pub archived: Option<bool>,
    /// Only reports that are urgent and open; with `false` only the others.
    pub pressing: Option<bool>,
    /// Only reports with any of these labels, one bit per label; 0 sets no condition.
    pub labels: i64,
    pub assigned: Option<Assigned>,
    /// Only reports of this callout.
    pub callout: Option<Uuid>,
    /// Only reports of this story.
    pub story: Option<Uuid>,
    /// Only reports that arrived at this time (ms) or later.
    pub since: Option<i64>,
    /// Only reports that arrived before this time (ms).
    pub until: Option<i64>,
    pub oldest_first: bool,
    /// Whether urgent and open reports come before all others.
    pub pressing_first: bool,
}

impl ListFilter {
    /// All reports but those of senders who are set aside.
    pub fn usual() -> Self {
        Self {
            aside: Some(false),
            ..Self::default()
        }
    }

    /// The usual reports of a callout.
    pub fn of_callout(callout: Option<Uuid>) -> Self {
        Self {
            callout,
            ..Self::usual()
        }
    }

    /// The SQL conditions of the filter.
    pub(super) fn conditions(&self) -> Conditions {
        // A `+` keeps SQLite from using the index of the column, since that of a rare mark holds fewer reports.
        let plus = if self.has_rare_mark() { "+" } else { "" };
        let mut conditions = Conditions::default();
        if let Some(stato) = self.stato {
            conditions.compare(format!("{plus}stato ="), stato.as_str().to_owned());
        }
        if let Some(archived) = self.archived {
            let comparison = if archived { "=" } else { "<>" };
            let archived = Stato::Archiviata.as_str().to_owned();
            conditions.compare(format!("{plus}stato {comparison}"), archived);
        }
        if let Some(department) = self.department {
            let department = department.as_str().to_owned();
            conditions.compare(format!("{plus}department ="), department);
        }
        conditions.texts.extend(self.marks().into_iter().flatten());
        // Times are bound: a statement that has the present one in it would be prepared anew each time.
        if let Some(now) = self.todo {
            conditions.compare("da_fare <=", now);
        }
        if let Some((from, until)) = self.due {
            conditions.compare("scade >=", from);
            conditions.compare("scade <", until);
        }
        if let Some((snoozed, at)) = self.snoozed {
            let comparison = if snoozed {
                "rinviata >"
            } else {
                "ifnull(rinviata, 0) <="
            };
            conditions.compare(comparison, at);
        }
        if let Some(since) = self.since {
            conditions.compare("data_creazione >=", since);
        }
        if let Some(until) = self.until {
            conditions.compare("data_creazione <", until);
        }
        conditions
    }

    /// The other marks are written into the SQL, not bound: SQLite uses a partial index only if the statement itself implies its
    /// condition.
    fn marks(&self) -> [Option<String>; 15] {
        let is_set = |column: &str, set: bool| {
            let not = if set { "NOT " } else { "" };
            format!("{column} IS {not}NULL")
        };
        [
            self.urgente
                .map(|is| format!("urgente = {}", i64::from(is))),
            self.origine.map(|one| match one {
                Origine::Chat => "origine = 'chat'".to_owned(),
                other => format!("origine <> 'chat' AND origine = '{}'", other.as_str()),
            }),
            self.sospette.map(|is| is_set("sospetta", is)),
            self.aside.map(|is| is_set("da_parte", is)),
            self.answered.then(|| is_set("attende", true)),
            self.waiting.then(|| {
                "scritta IS NOT NULL AND risposta IS NULL AND stato <> 'Risolta' AND stato <> 'Archiviata'".to_owned()
            }),
            self.consent
                .map(|kind| format!("consensi <> 0 AND consensi & {} <> 0", kind.bit())),
            self.withdrawal.map(|waits| is_set("ritiro", waits)),
            self.unread.then(|| is_set("aperta", false)),
            self.files.then(|| "allegati > 0".to_owned()),
            (self.labels != 0).then(|| format!("labels <> 0 AND labels & {} <> 0", self.labels)),
            self.assigned.map(|whose| match whose {
                Assigned::Nobody => is_set("assegnata", false),
                Assigned::Anybody => is_set("assegnata", true),
                Assigned::To(person) => format!("assegnata = '{person}'"),
            }),
            self.callout
                .map(|callout| format!("inchiesta = '{callout}'")),
            self.story.map(|story| format!("storia = '{story}'")),
            self.pressing
                .map(|is| if is { "preme = 1" } else { "preme IS NULL" }.to_owned()),
        ]
    }

    /// For a condition that most reports meet: the filter without it, and the filter with its opposite; the difference is the
    /// answer.
    pub(super) fn all_but(&self) -> Option<[Self; 2]> {
        let (mut all, mut others) = (*self, *self);
        let dated = self.since.or(self.until).is_some() && !self.has_rare_mark();
        if self.aside == Some(false) && dated {
            (all.aside, others.aside) = (None, Some(true));
        } else if self.urgente == Some(false) {
            (all.urgente, others.urgente) = (None, Some(true));
        } else if self.sospette == Some(false) {
            (all.sospette, others.sospette) = (None, Some(true));
        } else if self.withdrawal == Some(false) {
            (all.withdrawal, others.withdrawal) = (None, Some(true));
        } else if let Some((false, at)) = self.snoozed {
            (all.snoozed, others.snoozed) = (None, Some((true, at)));
        } else if self.archived == Some(false) && self.stato.is_none() {
            (all.archived, others.archived) = (None, None);
            others.stato = Some(Stato::Archiviata);
        } else if self.assigned == Some(Assigned::Nobody) {
            (all.assigned, others.assigned) = (None, Some(Assigned::Anybody));
        } else {
            return None;
        }
        Some([all, others])
    }

    /// Whether it has any condition besides the dates.
    pub fn has_kind(&self) -> bool {
        let undated = Self {
            since: None,
            until: None,
            aside: None,
            ..*self
        };
        !undated.conditions().texts.is_empty()
    }

    /// Whether it has a condition on a rare mark, whose partial index holds only the reports that have it.
    pub(super) fn has_rare_mark(&self) -> bool {
        let origine = self.origine.is_some_and(|one| one != Origine::Chat);
        let given = self.assigned.is_some_and(|one| one != Assigned::Nobody);
        let marked = self.urgente == Some(true) || self.sospette == Some(true);
        let marked = marked || self.aside == Some(true);
        let marked = marked || self.withdrawal == Some(true) || self.unread || self.files;
        let marked = marked
            || self.todo.is_some()
            || self.due.is_some()
            || matches!(self.snoozed, Some((true, _)));
        let marked = marked || self.waiting || self.consent.is_some();
        let marked = marked || self.callout.or(self.story).is_some();
        let marked = marked || self.pressing == Some(true);
        marked || origine || given || self.answered || self.labels != 0
    }

    /// The groups whose results follow each other in the list.
    pub(super) fn groups(&self) -> Vec<Self> {
        if !self.pressing_first {
            return vec![*self];
        }
        let group = |pressing| Self {
            pressing: Some(pressing),
            ..*self
        };
        vec![group(true), group(false)]
    }
}

/// The index by which SQLite walks along the reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Plan {
    /// By arrival number, or the index of status or department.
    Arrival,
    /// The partial index of a mark, or the index of the dates. Arrival numbers only limit the result.
    Mark,
}

/// Conditions on a report, all of which must hold, with the values that are bound to them.
#[derive(Default)]
pub(super) struct Conditions {
    pub(super) texts: Vec<String>,
    pub(super) values: Vec<Value>,
}

impl Conditions {
    /// Adds a comparison, such as `stato =`, with a value.
    pub(super) fn compare(&mut self, comparison: impl Into<String>, value: impl Into<Value>) {
        self.values.push(value.into());
        let text = format!("{} ?{}", comparison.into(), self.values.len());
        self.texts.push(text);
    }

    /// Adds the range of arrival numbers, whose ends are bound last.
    pub(super) fn range(&mut self, plan: Plan) {
        let plus = if plan == Plan::Mark { "+" } else { "" };
        let bound = self.values.len();
        let (oldest, newest) = (bound + 1, bound + 2);
        self.texts
            .push(format!("{plus}seq BETWEEN ?{oldest} AND ?{newest}"));
    }
}

/// A statement over a range of arrival numbers, with all its bound values except the two ends.
pub(in crate::store) struct BoundStatement {
    pub(in crate::store) sql: String,
    pub(super) values: Vec<Value>,
}

impl BoundStatement {
    /// Its values for this range.
    pub(in crate::store) fn between(&self, range: SeqRange) -> impl Params + use<> {
        let mut values = self.values.clone();
        values.extend([range.oldest.into(), range.newest.into()]);
        params_from_iter(values)
    }

    pub(super) fn followed_by(self, rest: &str) -> Self {
        let sql = self.sql + rest;
        Self { sql, ..self }
    }
}
