//! The figures of the analytics screen, computed from the data each time (PRODUCT.md §8).

use axum::response::IntoResponse;
use jiff::civil::Date;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::domain::analytics::DayRange;
use crate::domain::calendar::local_date;
use crate::http::query::Strict;
use crate::http::routes::{Answer, ApiError, ApiResult, Json, Reader, as_file, refusal};
use crate::readings::csv::CSV;
use crate::readings::desk::analytics::{self, Analytics, FIGURES};

/// Which days, and of a file which figure.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct PeriodQuery {
    /// The first local day; 29 days before the last one when absent.
    from: Option<Date>,
    /// The last local day, included; today when absent.
    to: Option<Date>,
    /// The figure that the file contains: `giorni`, `reparti`, `ore`, `stati` or `eta`. All of them when absent.
    figure: Option<String>,
}

/// The figures, in the newsroom's time zone.
#[utoipa::path(get, path = "/analytics", tag = "statistiche", params(PeriodQuery),
    responses((status = 200, body = Analytics)))]
pub async fn analytics(admin: Reader, Strict(query): Strict<PeriodQuery>) -> Answer<Analytics> {
    let now = admin.clock.now_ms();
    let today = local_date(now, &admin.time_zone);
    let period = DayRange::asked(query.from, query.to, today);
    let period = period.map_err(|refusal| ApiError::invalid(vec![refusal]))?;
    let figures =
        admin.read(move |reading, snapshot| analytics::figures(reading, snapshot, now, period));
    figures.await.map(Json)
}

/// The figures as a CSV file, with one number per row.
#[utoipa::path(get, path = "/analytics.csv", tag = "statistiche", params(PeriodQuery),
    responses((status = 200, description = "One row for each figure", body = String, content_type = "text/csv")))]
pub async fn analytics_csv(
    admin: Reader,
    Strict(query): Strict<PeriodQuery>,
) -> ApiResult<impl IntoResponse> {
    let (only, slug) = (query.figure.clone(), admin.settings().await?.system.slug());
    if only.as_deref().is_some_and(|only| !FIGURES.contains(&only)) {
        let message = format!("Scegli una figura: {}.", FIGURES.join(", "));
        return Err(refusal("figure", "unknown", message));
    }
    let (zone, now) = (admin.time_zone.clone(), admin.clock.now_ms());
    let Json(all) = analytics(admin, Strict(query)).await?;
    let file = analytics::as_csv(&all, only.as_deref(), &zone, now);
    let DayRange { from, to } = all.chosen.period;
    Ok((
        as_file(CSV, &format!("numeri_{slug}_{from}_{to}.csv")),
        file,
    ))
}
