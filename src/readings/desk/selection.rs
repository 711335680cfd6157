//! The reports that a list, an export or a bulk change asks for: the filters of a query string.

use jiff::civil::Date;
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::actions::settings::department_list::known;
use crate::actions::{self, Error};
use crate::clock::{days_back, months_back, start_of_today};
use crate::domain::asked::ConsentKind;
use crate::domain::calendar::{soon, start_of};
use crate::domain::invalid::Invalid;
use crate::domain::label;
use crate::domain::person::Person;
use crate::domain::report::{Origine, Stato};
use crate::domain::routing::DepartmentKey;
use crate::domain::text::char_count;
use crate::readings::Reading;
use crate::search::{CancelToken, Request, Terms};
use crate::store::{Assigned, ListFilter, Snapshot};

const WEEK_DAYS: u16 = 7;
const SEARCH_CHARS: usize = 200;

/// Which reports.
#[derive(Debug, Default, Deserialize, IntoParams, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a parameter of its own that a caller may set or not"
)]
pub struct ReportQuery {
    /// Only reports with this status.
    #[param(inline)]
    stato: Option<Stato>,
    /// Only reports received in this period.
    #[param(inline)]
    period: Option<Period>,
    /// Only reports received on this local day or later, `YYYY-MM-DD`.
    from: Option<Date>,
    /// Only reports received on this local day or earlier, `YYYY-MM-DD`.
    to: Option<Date>,
    /// Only reports received through this channel.
    #[param(inline)]
    origin: Option<Origine>,
    /// By arrival; the newest first when absent.
    #[param(inline)]
    order: Option<ListOrder>,
    /// Only this department.
    #[param(inline)]
    department: Option<DepartmentKey>,
    /// Only urgent reports; with `false` only the others.
    urgente: Option<bool>,
    /// Only reports that siege mode has set aside as near copies; with `false` only the others.
    sospette: Option<bool>,
    /// Only reports that wait for the newsroom: new ones, answers of reporters, promises due, and snoozed ones that came
    /// back.
    #[serde(default)]
    todo: bool,
    /// Only reports whose sender is set aside; when absent, only the others.
    #[serde(default)]
    aside: bool,
    /// Only reports whose reporter waits for an answer.
    #[serde(default)]
    answer: bool,
    /// Only open reports whose reporter has not answered yet what the newsroom wrote or asked last.
    #[serde(default)]
    waiting: bool,
    /// Only reports whose reporter gave this consent, and did not take it back.
    #[param(inline)]
    consent: Option<ConsentKind>,
    /// Only reports whose reporter has asked for withdrawal and waits for an answer; with `false` only the others.
    withdrawal: Option<bool>,
    /// Only reports that staff have not opened yet.
    #[serde(default)]
    unread: bool,
    /// Only reports with attached files.
    #[serde(default)]
    files: bool,
    /// Only reports with a promise to the reporter that is due.
    #[param(inline)]
    due: Option<DueFilter>,
    /// Only snoozed reports; with `false` only the others. When absent, a list without status, `due`, `todo`, `answer`,
    /// `waiting`, `consent`, `story` and search leaves snoozed reports out, and every other list includes them.
    snoozed: Option<bool>,
    /// Only archived reports; with `false` only the others.
    archived: Option<bool>,
    /// By arrival alone when absent; a list only.
    #[param(inline)]
    sort: Option<ListSort>,
    /// Only reports with this label, by its number.
    label: Option<u8>,
    /// Only reports assigned to this person, by id; to the caller (`me`); to no person (`none`).
    assigned_to: Option<String>,
    /// Only reports of this callout, by id.
    callout: Option<String>,
    /// Only reports of this story, by id.
    story: Option<String>,
    /// Only reports that contain these words, in any order, in name, surname, e-mail, phone or address, or whose id
    /// begins with this text (8 characters or more). Case, accents and apostrophes make no difference.
    #[param(max_length = 200)]
    search: Option<String>,
    /// Whether accounts are searched too.
    in_text: Option<bool>,
}

/// When a promise is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum DueFilter {
    /// Today, or on the three days after.
    Soon,
    /// Before now.
    Late,
}

/// Reports that an order by arrival puts first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ListSort {
    /// Those that are urgent and open.
    Urgent,
}

/// An order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ListOrder {
    /// The oldest first.
    Asc,
    /// The newest first.
    Desc,
}

/// A period that ends now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Period {
    /// Since local midnight.
    Today,
    /// The last seven days.
    Week,
    /// The last month.
    Month,
}

/// The reports that a list, an export or a bulk change is about.
#[derive(Clone)]
pub struct Selection {
    /// By what is stored in the clear.
    pub filter: ListFilter,
    /// By what lies sealed; `None` for nothing.
    pub terms: Option<Terms>,
    /// Only those that are assigned to the caller.
    pub mine: bool,
}

impl Selection {
    /// The selection for this caller. The shared password has no reports of its own.
    pub fn of(mut self, person: Option<&Person>) -> actions::Result<Self> {
        if self.mine {
            let shared = "Chi entra con la password della redazione non ha segnalazioni sue.";
            let person = person.ok_or_else(|| invalid("assignedTo", "nobody", shared))?;
            self.filter.assigned = Some(assigned(&person.id)?);
        }
        Ok(self)
    }

    /// As the list shows it: without those that are put off, unless they, a status, what is to do or due, answers on either
    /// side, a consent, a story or words are asked for.
    pub fn listed(mut self, reading: Reading<'_>) -> Self {
        let Selection { filter, .. } = &self;
        let asked = filter.snoozed.is_some() || filter.stato.is_some() || filter.due.is_some();
        let asked = asked || filter.story.is_some() || filter.todo.is_some() || filter.answered;
        let asked = asked || filter.waiting || filter.consent.is_some();
        if !asked && self.terms.is_none() {
            self.filter.snoozed = Some((false, reading.clock.now_ms()));
        }
        self
    }

    /// Refuses a department that there is not.
    pub fn check(&self, snapshot: &Snapshot<'_>) -> actions::Result<()> {
        let department = self.filter.department;
        department.map_or(Ok(()), |key| known(snapshot, key, "department"))
    }

    /// Whether it takes every core for a while: accounts are searched.
    pub fn takes_long(&self) -> bool {
        self.terms.as_ref().is_some_and(Terms::in_text)
    }

    /// Arrival numbers of all its reports.
    pub fn all(
        &self,
        reading: Reading<'_>,
        snapshot: &Snapshot<'_>,
        cancel: &CancelToken,
    ) -> actions::Result<Vec<i64>> {
        let filter = &self.filter;
        if let Some(terms) = &self.terms {
            let request = Request {
                terms,
                filter,
                cancel,
            };
            return reading.search.all(snapshot, &request);
        }
        Ok(snapshot.seqs(filter, snapshot.ends(filter)?)?)
    }
}

impl ReportQuery {
    pub fn of_story(story: String) -> Self {
        Self {
            story: Some(story),
            ..Self::default()
        }
    }

    /// Id of the story that it is of.
    pub fn story(&self) -> Option<&str> {
        self.story.as_deref()
    }

    pub fn selection(&self, reading: Reading<'_>) -> actions::Result<Selection> {
        let (since, until) = self.dates(reading)?;
        let typed = self.search.as_deref().unwrap_or_default();
        let whose = self.assigned_to.as_deref();
        let mine = whose == Some("me");
        let now = reading.clock.now_ms();
        if char_count(typed) > SEARCH_CHARS {
            let message = format!("Inserisci al massimo {SEARCH_CHARS} caratteri.");
            return Err(invalid("search", "tooLong", message));
        }
        Ok(Selection {
            filter: ListFilter {
                stato: self.stato,
                department: self.department,
                urgente: self.urgente,
                sospette: self.sospette,
                aside: Some(self.aside),
                todo: self.todo.then_some(now),
                answered: self.answer,
                waiting: self.waiting,
                consent: self.consent,
                withdrawal: self.withdrawal,
                origine: self.origin,
                unread: self.unread,
                files: self.files,
                due: self.due.map(|due| due_range(due, now, reading)),
                snoozed: self.snoozed.map(|snoozed| (snoozed, now)),
                archived: self.archived,
                pressing: None,
                pressing_first: self.sort.is_some(),
                labels: self.label.map_or(0, label_bits),
                assigned: whose.filter(|_| !mine).map(assigned).transpose()?,
                callout: id_of(self.callout.as_deref(), "callout", "Inchiesta non valida.")?,
                story: id_of(self.story.as_deref(), "story", "Storia non valida.")?,
                since,
                until,
                oldest_first: self.order == Some(ListOrder::Asc),
            },
            terms: Terms::new(typed, self.in_text.unwrap_or(false)),
            mine,
        })
    }

    /// The first instant that it lets through, and the first behind the last, in ms.
    fn dates(&self, reading: Reading<'_>) -> actions::Result<(Option<i64>, Option<i64>)> {
        let (now, zone) = (reading.clock.now_ms(), &reading.time_zone);
        let since = self.period.map(|period| match period {
            Period::Today => start_of_today(now, zone),
            Period::Week => days_back(now, WEEK_DAYS, zone),
            Period::Month => months_back(now, 1, zone),
        });
        let begins = |field, day: Option<Date>| {
            day.and_then(|day| start_of(day, zone))
                .ok_or_else(|| invalid(field, "range", "Data fuori dal calendario."))
        };
        let from = self.from.map(|day| begins("from", Some(day))).transpose()?;
        let behind = |day: Date| begins("to", day.tomorrow().ok());
        Ok((since.max(from), self.to.map(behind).transpose()?))
    }
}

/// From the first instant (ms) to the one behind the last.
fn due_range(due: DueFilter, now: i64, reading: Reading<'_>) -> (i64, i64) {
    match due {
        DueFilter::Soon => (now, soon(now, &reading.time_zone)),
        DueFilter::Late => (i64::MIN, now),
    }
}

fn assigned(whose: &str) -> actions::Result<Assigned> {
    match whose.parse::<Uuid>() {
        Ok(person) => Ok(Assigned::To(person)),
        Err(_) if whose == "none" => Ok(Assigned::Nobody),
        Err(_) => Err(invalid("assignedTo", "format", "Persona non valida.")),
    }
}

fn id_of(id: Option<&str>, field: &'static str, message: &str) -> actions::Result<Option<Uuid>> {
    let id = id.map(|id| id.parse().map_err(|_| invalid(field, "format", message)));
    id.transpose()
}

/// A label that cannot be is on no report.
fn label_bits(number: u8) -> i64 {
    match label::bit(number) {
        0 => 1 << 62,
        bit => bit,
    }
}

fn invalid(field: &str, code: &'static str, message: impl Into<String>) -> Error {
    Invalid::new(field, code, message).into()
}
