//! The figures of the analytics screen, computed from the data each time (PRODUCT.md §8).

use std::collections::HashMap;
use std::ops::Range;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::Serialize;
use utoipa::ToSchema;

use crate::actions::reporter::RETURN_MS;
use crate::actions::{self, Error};
use crate::clock::{days_back, start_of_today};
use crate::domain::analytics::{
    ChatStops, DayRange, MEAN_OF, OPEN_FROM, change, chat_stops, counted_from, last_hours,
    mean_minutes, mean_working_days, months, percent,
};
use crate::domain::calendar::shown;
use crate::domain::chat::{self, Rule};
use crate::domain::moment::{rfc3339, timestamp};
use crate::domain::report::Stato;
use crate::domain::routing::DepartmentKey;
use crate::readings::csv::{BOM, put_line};
use crate::readings::{Reading, ReportHead};
use crate::store::{ListFilter, Place, Snapshot};

/// Figures that a file may have, by their names.
pub const FIGURES: [&str; 5] = ["giorni", "reparti", "ore", "stati", "eta"];

/// Reports under "recent activity" (PRODUCT.md §8).
const RECENT: usize = 5;
const WEEK_DAYS: u16 = 7;
const MONTH_DAYS: u16 = 30;
/// Figures of single reports of a period are over so many, the latest.
const MANY: usize = 1_000;

/// Every figure of the screen.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Analytics {
    /// Reports in the archive.
    pub total: i64,
    /// Reports received this month, against the same part of the previous one.
    pub month_change: MonthChange,
    /// Reports by status, every status.
    pub by_status: Vec<StatusShare>,
    /// Reports by department, every department in sight in its order.
    pub by_department: Vec<DepartmentShare>,
    /// Reports received lately.
    pub received: Received,
    /// From receipt to resolution, in working days, over the reports resolved last: Monday to Friday without Italian public
    /// holidays, each counted from midnight to midnight, parts as their share. A report that was archived after it was resolved
    /// counts; one that was taken up again does not until it is resolved again.
    pub resolution_time: Mean,
    /// How many reports were resolved.
    pub resolution_rate: ResolutionRate,
    /// Reports with a code that are older than 14 days.
    pub codes: i64,
    /// The number of those whose code was used within their first 14 days.
    pub codes_used: i64,
    /// The share of these in percent, to one decimal; null if there are none.
    pub return_rate: Option<f64>,
    /// The latest reports, newest first.
    pub recent: Vec<ReportHead>,
    /// The figures of a chosen period.
    #[serde(flatten)]
    pub chosen: PeriodFigures,
}

/// The figures of a period, and how it stands now.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PeriodFigures {
    /// The local days that the figures below are about.
    pub period: DayRange,
    /// Reports received on each of them, oldest first.
    pub per_day: Vec<DayCount>,
    /// From receipt to first opening, in minutes of the clock, over the latest reports of the period that were opened and are not
    /// urgent.
    pub first_look: Mean,
    /// That mean for urgent reports.
    pub first_look_urgent: Mean,
    /// Promises to the reporters of the period that they are read, by whether they were kept.
    pub promises_first: Promises,
    /// The promises that reporters learn the outcome, by whether they were kept.
    pub promises_outcome: Promises,
    /// Reports received in each of the last 48 hours, oldest first.
    pub per_hour: Vec<i64>,
    /// When the first of these began; RFC 3339, UTC.
    pub hours_from: String,
    /// Open reports that are at least 0, 1, 3, 7, 30 and 90 days old and no older than the next.
    pub open_by_age: Vec<i64>,
    /// Reports with an answer that was not read yet.
    pub answers_waiting: i64,
    /// When the first of those messages arrived; RFC 3339, UTC; null if there are none.
    pub answers_since: Option<String>,
    /// Messages of those days with questions, or that ask for a consent.
    pub asked_back: AskedBack,
    /// Where the conversations of those days stopped; up to a minute behind. Null for a caller who does not see all departments:
    /// a conversation that stopped has none.
    pub chat_stops: Option<ChatStops>,
}

/// Reports received from the first of the calendar month until now, against those received in the previous month until
/// the same day and time. Where the previous month does not have that day, against all of it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MonthChange {
    /// This month.
    pub current: i64,
    /// The previous month.
    pub previous: i64,
    /// Change in percent, to one decimal; null when nothing was received then.
    pub percent: Option<f64>,
}

/// Reports of a status.
#[derive(Debug, Serialize, ToSchema)]
pub struct StatusShare {
    /// The status.
    pub stato: Stato,
    /// How many.
    pub count: i64,
    /// Share of all in percent, to one decimal; null in an empty archive.
    pub percent: Option<f64>,
}

/// Reports of a department.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DepartmentShare {
    /// The department.
    pub department: DepartmentKey,
    /// Its name.
    pub name: String,
    /// How many.
    pub count: i64,
    /// Share of all in percent, to one decimal; null in an empty archive.
    pub percent: Option<f64>,
    /// How many were received on each day of the period.
    pub per_day: Vec<i64>,
}

/// Promises whose day has come, or that were kept before it.
#[derive(Debug, Default, Serialize, ToSchema)]
pub struct Promises {
    /// How many were kept.
    pub kept: i64,
    /// How many were not.
    pub missed: i64,
}

/// What became of messages that ask something.
#[derive(Debug, Serialize, ToSchema)]
pub struct AskedBack {
    /// How many were sent.
    pub asked: i64,
    /// How many of them their reporters have read.
    pub read: i64,
    /// How many of them were answered.
    pub answered: i64,
}

/// Reports received lately.
#[derive(Debug, Serialize, ToSchema)]
pub struct Received {
    /// Since local midnight.
    pub today: i64,
    /// In the last 7 days.
    pub week: i64,
    /// In the last 30 days.
    pub month: i64,
}

/// A mean over the latest reports.
#[derive(Debug, Serialize, ToSchema)]
pub struct Mean {
    /// The mean, to one decimal; null if there are none.
    pub mean: Option<f64>,
    /// The number of reports that it covers; at most 30.
    pub reports: usize,
}

/// How many reports were resolved, those archived afterwards included.
#[derive(Debug, Serialize, ToSchema)]
pub struct ResolutionRate {
    /// How many.
    pub resolved: i64,
    /// Share of all in percent, to one decimal; null in an empty archive.
    pub percent: Option<f64>,
}

/// Reports of a local day.
#[derive(Debug, Serialize, ToSchema)]
pub struct DayCount {
    /// The day.
    pub date: Date,
    /// How many.
    pub count: i64,
}

/// The figures of a moment (ms) and a period, in the newsroom's time zone.
pub fn figures(
    reading: Reading<'_>,
    snapshot: &Snapshot<'_>,
    now: i64,
    period: DayRange,
) -> actions::Result<Analytics> {
    let zone = &reading.time_zone;
    let days = per_day(reading, snapshot, now, period)?;
    let counts: HashMap<_, _> = snapshot.status_counts()?.into_iter().collect();
    let (total, resolved) = (counts.values().sum(), snapshot.resolved_count()?);
    let old = now - RETURN_MS;
    let codes = snapshot.received(0..old)? - snapshot.codeless(old)?;
    let codes_used = snapshot.returned(old)?;
    let resolved_last = snapshot.latest_resolutions(MEAN_OF)?;
    let recent = snapshot.report_page(&ListFilter::usual(), Place::Top, RECENT)?;
    let recent = recent.rows.into_iter();
    let recent = recent.map(|row| ReportHead::open(reading, snapshot, row));
    Ok(Analytics {
        total,
        month_change: month_change(reading, snapshot, now)?,
        by_status: by_status(&counts, total),
        by_department: by_department(snapshot, total, &days)?,
        received: received(reading, snapshot, now)?,
        resolution_time: Mean {
            mean: mean_working_days(&resolved_last, zone),
            reports: resolved_last.len(),
        },
        resolution_rate: ResolutionRate {
            resolved,
            percent: percent(resolved, total),
        },
        codes,
        codes_used,
        return_rate: percent(codes_used, codes),
        recent: recent.collect::<actions::Result<_>>()?,
        chosen: of_period(reading, snapshot, now, period, days(None))?,
    })
}

/// How many arrived lately.
fn received(reading: Reading<'_>, snapshot: &Snapshot<'_>, now: i64) -> actions::Result<Received> {
    let zone = &reading.time_zone;
    let since = |start| snapshot.received(start..i64::MAX);
    Ok(Received {
        today: since(start_of_today(now, zone))?,
        week: since(days_back(now, WEEK_DAYS, zone))?,
        month: since(days_back(now, MONTH_DAYS, zone))?,
    })
}

fn by_status(counts: &HashMap<Stato, i64>, total: i64) -> Vec<StatusShare> {
    let share = |stato| {
        let count = counts.get(&stato).copied().unwrap_or_default();
        StatusShare {
            stato,
            count,
            percent: percent(count, total),
        }
    };
    Stato::ALL.map(share).into()
}

/// How many reports were received on each day of a period, in a department or in all.
fn per_day(
    reading: Reading<'_>,
    snapshot: &Snapshot<'_>,
    now: i64,
    period: DayRange,
) -> actions::Result<impl Fn(Option<DepartmentKey>) -> Vec<i64>> {
    let days = period.days(&reading.time_zone);
    let starts: Vec<i64> = days.into_iter().map(|(_, start)| start).collect();
    let arrivals = snapshot.arrivals_by_department(period.instants(now, &reading.time_zone))?;
    Ok(move |of: Option<DepartmentKey>| {
        let own = arrivals
            .iter()
            .filter(|(one, ..)| of.is_none_or(|of| of == *one));
        counted_from(&starts, own.map(|(_, at, n)| (*at, *n)))
    })
}

fn by_department(
    snapshot: &Snapshot<'_>,
    total: i64,
    per_day: &impl Fn(Option<DepartmentKey>) -> Vec<i64>,
) -> actions::Result<Vec<DepartmentShare>> {
    let mut shares = Vec::new();
    let counts: HashMap<_, _> = snapshot.department_counts()?.into_iter().collect();
    for one in snapshot.departments()?.seen(snapshot.visible_departments()) {
        let count = counts.get(&one.key).copied().unwrap_or_default();
        shares.push(DepartmentShare {
            department: one.key,
            name: one.name.clone(),
            count,
            percent: percent(count, total),
            per_day: per_day(Some(one.key)),
        });
    }
    Ok(shares)
}

fn month_change(
    reading: Reading<'_>,
    snapshot: &Snapshot<'_>,
    now: i64,
) -> actions::Result<MonthChange> {
    let (this_start, previous) = months(now, &reading.time_zone)
        .ok_or(Error::Defect("the clock stands outside the calendar"))?;
    let current = snapshot.received(this_start..i64::MAX)?;
    let previous = snapshot.received(previous)?;
    Ok(MonthChange {
        current,
        previous,
        percent: change(current, previous),
    })
}

fn of_period(
    reading: Reading<'_>,
    snapshot: &Snapshot<'_>,
    now: i64,
    period: DayRange,
    counts: Vec<i64>,
) -> actions::Result<PeriodFigures> {
    let hours = last_hours(now);
    let hours_from = hours.first().copied().unwrap_or(now);
    let span = period.instants(now, &reading.time_zone);
    let days = period.days(&reading.time_zone).into_iter().zip(counts);
    let [promises_first, promises_outcome] = promises(snapshot, span.clone(), now)?;
    Ok(PeriodFigures {
        period,
        per_day: days
            .map(|((date, _), count)| DayCount { date, count })
            .collect(),
        first_look: first_look(snapshot, span.clone(), false)?,
        first_look_urgent: first_look(snapshot, span.clone(), true)?,
        promises_first,
        promises_outcome,
        per_hour: counted_from(&hours, snapshot.arrivals(hours_from)?),
        hours_from: rfc3339(hours_from),
        open_by_age: counted_from(&OPEN_FROM, snapshot.open_ages(now)?),
        answers_waiting: snapshot.answers_waiting()?,
        answers_since: snapshot.first_answer()?.map(rfc3339),
        asked_back: asked_back(snapshot, span)?,
        chat_stops: stops(snapshot, period)?,
    })
}

fn asked_back(snapshot: &Snapshot<'_>, span: Range<i64>) -> actions::Result<AskedBack> {
    let outcomes = snapshot.asked_back(span)?;
    let count = |holds: fn(&(bool, bool)) -> bool| {
        let n = outcomes.iter().filter(|one| holds(one)).count();
        i64::try_from(n).unwrap_or(i64::MAX)
    };
    Ok(AskedBack {
        asked: count(|_| true),
        read: count(|(read, _)| *read),
        answered: count(|(_, answered)| *answered),
    })
}

fn first_look(snapshot: &Snapshot<'_>, span: Range<i64>, urgent: bool) -> actions::Result<Mean> {
    let looks = snapshot.first_looks(span, urgent, MANY)?;
    Ok(Mean {
        mean: mean_minutes(&looks),
        reports: looks.len(),
    })
}

/// To be read, and to be told what came of it.
fn promises(snapshot: &Snapshot<'_>, span: Range<i64>, now: i64) -> actions::Result<[Promises; 2]> {
    let mut promises = [Promises::default(), Promises::default()];
    for made in snapshot.promises(span, MANY)? {
        let each = [(made.read_by, made.read), (made.told_by, made.told)];
        for (promises, (by, done)) in promises.iter_mut().zip(each) {
            let Some(by) = by else { continue };
            promises.kept += i64::from(done.is_some_and(|done| done <= by));
            promises.missed += i64::from(done.unwrap_or(now) > by);
        }
    }
    Ok(promises)
}

fn stops(
    snapshot: &Snapshot<'_>,
    DayRange { from, to }: DayRange,
) -> actions::Result<Option<ChatStops>> {
    if !snapshot.visible_departments().is_all() {
        return Ok(None);
    }
    let stops = snapshot.chat_stops(&from.to_string(), &to.to_string())?;
    let known = stops.iter().filter_map(|(state, rule, n)| {
        Some((chat::ChatState::parse(state)?, Rule::parse(rule)?, *n))
    });
    Ok(Some(chat_stops(from, &known.collect::<Vec<_>>())))
}

/// The numbers that figures of a moment (ms) are made of, as a file: a row a number, of one figure where one is asked for.
pub fn as_csv(all: &Analytics, only: Option<&str>, zone: &TimeZone, now: i64) -> Vec<u8> {
    let mut file = BOM.as_bytes().to_vec();
    put_line(&mut file, &["Figura", "Voce", "Quando", "Segnalazioni"]);
    let mut put = |figure: &str, what: &str, when: &str, count: i64| {
        if only.is_none_or(|only| only == figure) {
            put_line(&mut file, &[figure, what, when, &count.to_string()]);
        }
    };
    for (place, day) in all.chosen.per_day.iter().enumerate() {
        put("giorni", "", &day.date.to_string(), day.count);
        for desk in &all.by_department {
            let count = desk.per_day.get(place).copied().unwrap_or_default();
            put("reparti", &desk.name, &day.date.to_string(), count);
        }
    }
    for (at, count) in last_hours(now).into_iter().zip(&all.chosen.per_hour) {
        put("ore", "", &shown(timestamp(at), zone), *count);
    }
    for share in &all.by_status {
        put("stati", share.stato.as_str(), "", share.count);
    }
    for (days, count) in OPEN_FROM.into_iter().zip(&all.chosen.open_by_age) {
        let aged = format!("aperte da almeno {days} giorni");
        put("eta", &aged, "", *count);
    }
    file
}
