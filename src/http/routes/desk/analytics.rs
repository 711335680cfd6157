//! The figures of the analytics screen, computed from the data each time (PRODUCT.md §8).

use std::collections::HashMap;
use std::ops::Range;

use axum::response::IntoResponse;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::actions::reporter::RETURN_MS;
use crate::clock::{days_back, start_of_today};
use crate::domain::analytics::{
    ChatStops, MEAN_OF, Period, by_age, change, chat_stops, counted_from, last_hours, mean_minutes,
    mean_working_days, median_minutes, months, percent,
};
use crate::domain::calendar::{local_date, shown};
use crate::domain::chat::{self, Rule};
use crate::domain::declare::names;
use crate::domain::moment::{rfc3339, timestamp};
use crate::domain::report::Stato;
use crate::domain::routing::Department;
use crate::http::query::Strict;
use crate::http::routes::archive::export::{BOM, CSV, put_line};
use crate::http::routes::{Answer, ApiError, ApiResult, App, Json, Reader, ReportHead, as_file};
use crate::store::{ListFilter, Place, Snapshot};

/// Reports under "recent activity" (PRODUCT.md §8).
const RECENT: usize = 5;
const WEEK_DAYS: u16 = 7;
const MONTH_DAYS: u16 = 30;
/// A median covers so many of the latest reports.
const MEDIAN_OF: usize = 1_000;

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
    /// From receipt to first opening, in minutes of the clock, over the reports opened last.
    pub opening_time: Mean,
    /// Reports with a code that are older than 14 days.
    pub codes: i64,
    /// Those whose code was used within these.
    pub codes_used: i64,
    /// Their share in percent, to one decimal; null of none.
    #[schema(required)]
    pub return_rate: Option<f64>,
    /// The latest reports, newest first.
    pub recent: Vec<ReportHead>,
    /// What else is computed for the period.
    #[serde(flatten)]
    pub chosen: PeriodFigures,
}

/// The figures of a period, and how it stands now.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PeriodFigures {
    /// The local days that the figures below are about; both count.
    pub period: Period,
    /// Reports received on each of them, oldest first.
    pub per_day: Vec<DayCount>,
    /// The same by department, every department in sight in its order.
    pub department_days: Vec<DepartmentDays>,
    /// Reports received in each of the last 48 hours, whatever the period, oldest first.
    pub per_hour: Vec<HourCount>,
    /// Open reports, `Nuova` and `In lavorazione`, by age, whatever the period.
    pub open_by_age: Vec<AgeCount>,
    /// From receipt to first opening, over the latest reports of the period that were opened and are not urgent.
    pub first_look: Median,
    /// The same of urgent ones.
    pub first_look_urgent: Median,
    /// Answers of reporters that nobody has read, whatever the period.
    pub answers: Answers,
    /// Where the conversations of those days stopped; up to a minute behind. Null for a caller who does not see all departments:
    /// a conversation that stopped has none.
    #[schema(required)]
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
    #[schema(required)]
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
    #[schema(required)]
    pub percent: Option<f64>,
}

/// Reports of a department.
#[derive(Debug, Serialize, ToSchema)]
pub struct DepartmentShare {
    /// The department.
    pub department: Department,
    /// Its name.
    pub name: &'static str,
    /// How many.
    pub count: i64,
    /// Share of all in percent, to one decimal; null in an empty archive.
    #[schema(required)]
    pub percent: Option<f64>,
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
    /// To one decimal; null of none.
    #[schema(required)]
    pub mean: Option<f64>,
    /// Over how many reports; at most 30.
    pub reports: usize,
}

/// How many reports were resolved, those archived afterwards included.
#[derive(Debug, Serialize, ToSchema)]
pub struct ResolutionRate {
    /// How many.
    pub resolved: i64,
    /// Share of all in percent, to one decimal; null in an empty archive.
    #[schema(required)]
    pub percent: Option<f64>,
}

/// Reports of a local day.
#[derive(Debug, Serialize, ToSchema)]
pub struct DayCount {
    /// The day.
    #[schema(value_type = String, format = Date)]
    pub date: Date,
    /// How many.
    pub count: i64,
}

/// Reports of a department.
#[derive(Debug, Serialize, ToSchema)]
pub struct DepartmentDays {
    /// The department.
    pub department: Department,
    /// Its name.
    pub name: &'static str,
    /// How many on each day of the period.
    pub counts: Vec<i64>,
}

/// Reports of an hour.
#[derive(Debug, Serialize, ToSchema)]
pub struct HourCount {
    /// Its beginning.
    #[serde(serialize_with = "crate::domain::moment::serialize")]
    #[schema(value_type = String, format = DateTime)]
    pub at: i64,
    /// How many.
    pub count: i64,
}

/// Open reports of an age.
#[derive(Debug, Serialize, ToSchema)]
pub struct AgeCount {
    /// Whole days from which on they are counted here, until the next one.
    pub days: i64,
    /// How many.
    pub count: i64,
}

/// What half of the latest reports took, at most 1,000 of them.
#[derive(Debug, Serialize, ToSchema)]
pub struct Median {
    /// Minutes of the clock, to one decimal; null of none.
    #[schema(required)]
    pub median: Option<f64>,
    /// Over how many reports.
    pub reports: usize,
}

/// Answers that wait.
#[derive(Debug, Serialize, ToSchema)]
pub struct Answers {
    /// Of how many reports.
    pub waiting: i64,
    /// Since when the first waits; RFC 3339, UTC; null of none.
    #[schema(required)]
    pub since: Option<String>,
}

/// Which days.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct PeriodQuery {
    /// The first local day; 29 days before the last one when absent.
    #[param(value_type = Option<String>, format = Date)]
    from: Option<Date>,
    /// The last one, itself included; today when absent.
    #[param(value_type = Option<String>, format = Date)]
    to: Option<Date>,
}

/// The figures, in the newsroom's time zone.
#[utoipa::path(get, path = "/analytics", tag = "statistiche", params(PeriodQuery),
    responses((status = 200, body = Analytics)))]
pub async fn analytics(admin: Reader, Strict(query): Strict<PeriodQuery>) -> Answer<Analytics> {
    figures_of(&admin, &query).await.map(Json)
}

names! {
    /// A figure that is made of several numbers.
    pub enum Figure {
        /// Reports a day.
        Giorni = "giorni",
        /// The same by department.
        Reparti = "reparti",
        /// Reports of the last hours.
        Ore = "ore",
        /// Reports by status.
        Stati = "stati",
        /// Open reports by age.
        Eta = "eta",
    }
}

/// Which days, and which figure.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct TableQuery {
    /// As for `/analytics`.
    #[param(value_type = Option<String>, format = Date)]
    from: Option<Date>,
    /// As for `/analytics`.
    #[param(value_type = Option<String>, format = Date)]
    to: Option<Date>,
    /// All of them when absent.
    #[param(inline)]
    figure: Option<Figure>,
}

/// What figures are made of, a row a number.
#[utoipa::path(get, path = "/analytics.csv", tag = "statistiche", params(TableQuery),
    responses((status = 200, description = "Una riga per numero", body = String, content_type = "text/csv")))]
pub async fn analytics_csv(
    admin: Reader,
    Strict(query): Strict<TableQuery>,
) -> ApiResult<impl IntoResponse> {
    let TableQuery { from, to, figure } = query;
    let figures = figures_of(&admin, &PeriodQuery { from, to }).await?;
    let mut file = BOM.as_bytes().to_vec();
    put_line(&mut file, &["Figura", "Voce", "Quando", "Segnalazioni"]);
    let wanted = |one: &Cells| figure.is_none_or(|figure| figure == one.0);
    for (figure, what, when, count) in table(&figures, &admin.time_zone).into_iter().filter(wanted)
    {
        put_line(
            &mut file,
            &[figure.as_str(), &what, &when, &count.to_string()],
        );
    }
    let Period { from, to } = figures.chosen.period;
    let name = figure.map_or("numeri", Figure::as_str);
    let slug = admin.settings().await?.system.slug();
    Ok((
        as_file(CSV, &format!("{name}_{slug}_{from}_{to}.csv")),
        file,
    ))
}

/// The cells of a row: of which figure it is, of what, when, and how many.
type Cells = (Figure, String, String, i64);

fn table(
    Analytics {
        chosen, by_status, ..
    }: &Analytics,
    zone: &TimeZone,
) -> Vec<Cells> {
    let days = chosen.per_day.iter();
    let mut rows: Vec<Cells> = days
        .map(|day| {
            (
                Figure::Giorni,
                String::new(),
                day.date.to_string(),
                day.count,
            )
        })
        .collect();
    for desk in &chosen.department_days {
        let days = chosen.per_day.iter().zip(&desk.counts);
        let name = || desk.name.to_owned();
        rows.extend(
            days.map(|(day, count)| (Figure::Reparti, name(), day.date.to_string(), *count)),
        );
    }
    let hours = chosen.per_hour.iter();
    let hour = |at| shown(timestamp(at), zone);
    rows.extend(hours.map(|one| (Figure::Ore, String::new(), hour(one.at), one.count)));
    let statuses = by_status.iter();
    let name = |stato: Stato| stato.as_str().to_owned();
    rows.extend(statuses.map(|one| (Figure::Stati, name(one.stato), String::new(), one.count)));
    let ages = chosen.open_by_age.iter();
    let age = |days: i64| format!("aperte da almeno {days} giorni");
    rows.extend(ages.map(|one| (Figure::Eta, age(one.days), String::new(), one.count)));
    rows
}

async fn figures_of(admin: &Reader, query: &PeriodQuery) -> ApiResult<Analytics> {
    let now = admin.clock.now_ms();
    let today = local_date(now, &admin.time_zone);
    let period = Period::asked(query.from, query.to, today);
    let period = period.map_err(|refusal| ApiError::invalid(vec![refusal]))?;
    let read = admin.read(move |app, snapshot| figures(app, snapshot, now, period));
    read.await
}

fn figures(app: &App, snapshot: &Snapshot<'_>, now: i64, period: Period) -> ApiResult<Analytics> {
    let counts: HashMap<_, _> = snapshot.status_counts()?.into_iter().collect();
    let (total, resolved) = (counts.values().sum(), snapshot.resolved_count()?);
    let old = now - RETURN_MS;
    let codes = snapshot.received(0..old)? - snapshot.codeless(old)?;
    let codes_used = snapshot.returned(old)?;
    let (resolved_last, opened_last) = (
        snapshot.latest_resolutions(MEAN_OF)?,
        snapshot.latest_openings(MEAN_OF)?,
    );
    Ok(Analytics {
        total,
        month_change: month_change(app, snapshot, now)?,
        by_status: by_status(&counts, total),
        by_department: by_department(snapshot, total)?,
        received: received(app, snapshot, now)?,
        resolution_time: Mean {
            mean: mean_working_days(&resolved_last, &app.time_zone),
            reports: resolved_last.len(),
        },
        resolution_rate: ResolutionRate {
            resolved,
            percent: percent(resolved, total),
        },
        opening_time: Mean {
            mean: mean_minutes(&opened_last),
            reports: opened_last.len(),
        },
        codes,
        codes_used,
        return_rate: percent(codes_used, codes),
        recent: recent(app, snapshot)?,
        chosen: of_period(app, snapshot, now, period)?,
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

fn by_department(snapshot: &Snapshot<'_>, total: i64) -> ApiResult<Vec<DepartmentShare>> {
    let mut shares = Vec::new();
    for (department, count) in snapshot.department_counts()? {
        shares.push(DepartmentShare {
            department,
            name: department.name(),
            count,
            percent: percent(count, total),
        });
    }
    shares.sort_by_key(|share| share.department);
    Ok(shares)
}

fn month_change(app: &App, snapshot: &Snapshot<'_>, now: i64) -> ApiResult<MonthChange> {
    let (this_start, previous) = months(now, &app.time_zone)
        .ok_or_else(|| ApiError::defect("the clock stands outside the calendar"))?;
    let current = snapshot.received(this_start..i64::MAX)?;
    let previous = snapshot.received(previous)?;
    Ok(MonthChange {
        current,
        previous,
        percent: change(current, previous),
    })
}

fn received(app: &App, snapshot: &Snapshot<'_>, now: i64) -> ApiResult<Received> {
    let since = |start| snapshot.received(start..i64::MAX);
    Ok(Received {
        today: since(start_of_today(now, &app.time_zone))?,
        week: since(days_back(now, WEEK_DAYS, &app.time_zone))?,
        month: since(days_back(now, MONTH_DAYS, &app.time_zone))?,
    })
}

fn recent(app: &App, snapshot: &Snapshot<'_>) -> ApiResult<Vec<ReportHead>> {
    let page = snapshot.report_page(&ListFilter::default(), Place::Top, RECENT)?;
    let rows = page.rows.into_iter();
    rows.map(|row| ReportHead::open(app, snapshot, row))
        .collect()
}

fn of_period(
    app: &App,
    snapshot: &Snapshot<'_>,
    now: i64,
    period: Period,
) -> ApiResult<PeriodFigures> {
    let zone = &app.time_zone;
    let span = period.instants(now, zone);
    let (per_day, department_days) = by_days(snapshot, &period.days(zone), span.clone())?;
    Ok(PeriodFigures {
        period,
        per_day,
        department_days,
        per_hour: per_hour(snapshot, now)?,
        open_by_age: open_by_age(snapshot, now)?,
        first_look: first_looks(snapshot, span.clone(), false)?,
        first_look_urgent: first_looks(snapshot, span, true)?,
        answers: Answers {
            waiting: snapshot.answers_waiting()?,
            since: snapshot.first_answer()?.map(rfc3339),
        },
        chat_stops: stops(snapshot, period)?,
    })
}

fn by_days(
    snapshot: &Snapshot<'_>,
    days: &[(Date, i64)],
    span: Range<i64>,
) -> ApiResult<(Vec<DayCount>, Vec<DepartmentDays>)> {
    let starts: Vec<i64> = days.iter().map(|(_, start)| *start).collect();
    let arrivals = snapshot.arrivals_by_department(span)?;
    let all = counted_from(&starts, arrivals.iter().map(|(_, at, n)| (*at, *n)));
    let days = days.iter().zip(all);
    let days = days.map(|((date, _), count)| DayCount { date: *date, count });
    let of = |department: Department| {
        let own = arrivals.iter().filter(|(one, ..)| *one == department);
        DepartmentDays {
            department,
            name: department.name(),
            counts: counted_from(&starts, own.map(|(_, at, n)| (*at, *n))),
        }
    };
    let visible = snapshot.visible_departments();
    Ok((days.collect(), visible.iter().map(of).collect()))
}

fn per_hour(snapshot: &Snapshot<'_>, now: i64) -> ApiResult<Vec<HourCount>> {
    let starts = last_hours(now);
    let arrivals = snapshot.arrivals(starts.first().copied().unwrap_or(now))?;
    let hours = starts.iter().zip(counted_from(&starts, arrivals));
    let hours = hours.map(|(at, count)| HourCount { at: *at, count });
    Ok(hours.collect())
}

fn open_by_age(snapshot: &Snapshot<'_>, now: i64) -> ApiResult<Vec<AgeCount>> {
    let ages = by_age(&snapshot.open_ages(now)?).into_iter();
    Ok(ages.map(|(days, count)| AgeCount { days, count }).collect())
}

fn first_looks(snapshot: &Snapshot<'_>, span: Range<i64>, urgent: bool) -> ApiResult<Median> {
    let looks = snapshot.first_looks(span, urgent, MEDIAN_OF)?;
    Ok(Median {
        median: median_minutes(&looks),
        reports: looks.len(),
    })
}

fn stops(snapshot: &Snapshot<'_>, Period { from, to }: Period) -> ApiResult<Option<ChatStops>> {
    if !snapshot.visible_departments().is_all() {
        return Ok(None);
    }
    let stops = snapshot.chat_stops(&from.to_string(), &to.to_string())?;
    let known = stops.iter().filter_map(|(state, rule, n)| {
        Some((chat::ChatState::parse(state)?, Rule::parse(rule)?, *n))
    });
    Ok(Some(chat_stops(from, &known.collect::<Vec<_>>())))
}
