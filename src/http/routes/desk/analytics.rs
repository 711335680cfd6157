//! The figures of the analytics screen, computed from the data each time (PRODUCT.md §8).

use std::collections::HashMap;

use jiff::civil::Date;
use serde::Serialize;
use utoipa::ToSchema;

use crate::actions::reporter::RETURN_MS;
use crate::clock::{days_back, start_of_today};
use crate::domain::analytics::{
    ChatStops, MEAN_OF, change, chart_days, chat_stops, mean_minutes, mean_working_days, months,
    per_day, percent,
};
use crate::domain::chat::{self, Rule};
use crate::domain::report::Stato;
use crate::domain::routing::Department;
use crate::http::routes::{Answer, ApiError, ApiResult, App, Json, Reader, ReportHead};
use crate::store::{ListFilter, Place, Snapshot};

/// Reports under "recent activity" (PRODUCT.md §8).
const RECENT: usize = 5;
const WEEK_DAYS: u16 = 7;
const MONTH_DAYS: u16 = 30;

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
    /// Reports received on each of the last 90 local days, oldest first, today last.
    pub per_day: Vec<DayCount>,
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

/// The figures, in the newsroom's time zone.
#[utoipa::path(get, path = "/analytics", tag = "statistiche", responses((status = 200, body = Analytics)))]
pub async fn analytics(admin: Reader) -> Answer<Analytics> {
    let figures = admin.read(|app, snapshot| figures(app, snapshot, app.clock.now_ms()));
    figures.await.map(Json)
}

fn figures(app: &App, snapshot: &Snapshot<'_>, now: i64) -> ApiResult<Analytics> {
    let counts: HashMap<_, _> = snapshot.status_counts()?.into_iter().collect();
    let (total, resolved) = (counts.values().sum(), snapshot.resolved_count()?);
    let (per_day, chat_stops) = over_days(app, snapshot, now)?;
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
        per_day,
        chat_stops: Some(chat_stops).filter(|_| snapshot.visible_departments().is_all()),
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

fn over_days(
    app: &App,
    snapshot: &Snapshot<'_>,
    now: i64,
) -> ApiResult<(Vec<DayCount>, ChatStops)> {
    let days = chart_days(now, &app.time_zone);
    let (since, start) = *days
        .first()
        .ok_or_else(|| ApiError::defect("the clock stands outside the calendar"))?;
    let counts = per_day(&days, &snapshot.arrivals(start)?);
    let stops = snapshot.chat_stops(&since.to_string())?;
    let known: Vec<_> = stops
        .iter()
        .filter_map(|(state, rule, n)| {
            Some((chat::ChatState::parse(state)?, Rule::parse(rule)?, *n))
        })
        .collect();
    let chart = days.into_iter().zip(counts);
    let chart = chart.map(|((date, _), count)| DayCount { date, count });
    Ok((chart.collect(), chat_stops(since, &known)))
}
