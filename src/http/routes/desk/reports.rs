//! The list of reports, and one report: read it, change its status, department, urgency, labels and note.

use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, NoContent, Response};

use crate::actions::desk::edit_reports::{
    ReportPatch, note_export, open_report, present, update_report,
};
use crate::http::admin::UnprovenSession;
use crate::http::hang_up::CancelOnDrop;
use crate::http::path::ReportId;
use crate::http::query::{PageQuery, StrictPair};
use crate::http::routes::versions::{expected_version, tagged};
use crate::http::routes::{ApiError, ApiResult, Editor, Json, Kind, Reader};
use crate::http::state::wait_for;
use crate::readings::desk::report_detail::{ReportDetail, detail_out};
use crate::readings::desk::reports::{self, PageRequest, ReportList};
use crate::readings::desk::selection::{ReportQuery, Selection};
use crate::store::Action;

/// The list.
#[utoipa::path(get, path = "/reports", tag = "segnalazioni", params(ReportQuery, PageQuery),
    responses((status = 200, body = ReportList)))]
pub async fn list(
    claim: UnprovenSession,
    asked: ApiResult<StrictPair<ReportQuery, PageQuery>>,
) -> ApiResult<Response> {
    let asked = asked.and_then(|StrictPair(rows, page)| {
        let rows = rows.selection(claim.app.reading())?;
        Ok((rows.listed(claim.app.reading()), page.limit()?, page))
    });
    // Strangers neither learn what is wrong with a question, nor wait among those who search.
    let long = asked.as_ref().is_ok_and(|(rows, ..)| rows.takes_long());
    let admin = match &asked {
        Ok((rows, ..)) if !long && !rows.mine => None,
        _ => Some(claim.admitted(false).await?),
    };
    let (rows, limit, page) = asked?;
    let rows = rows.of(admin.as_ref().and_then(Reader::person))?;
    let _turn = match &admin {
        Some(admin) if long => Some(wait_for(&admin.turns.account_searches).await?),
        _ => None,
    };
    page_of(&claim, rows, page.cursor, limit).await
}

async fn page_of(
    claim: &UnprovenSession,
    rows: Selection,
    cursor: Option<String>,
    limit: usize,
) -> ApiResult<Response> {
    let waiting = CancelOnDrop::default();
    let cancel = waiting.token();
    let at = claim.app.clock.now_ms();
    let list = claim.read(move |reading, snapshot, person| {
        let page = PageRequest {
            who: person.map_or("", |person| &person.id),
            cursor: cursor.as_deref(),
            limit,
            cancel,
        };
        let list = reports::list(reading, snapshot, &rows, &page, at)?;
        // Here, so that what reads and writes it frees it too, and not the event loop.
        serde_json::to_vec(&list).map_err(|error| ApiError::internal(&error))
    });
    let kind = HeaderValue::from_static("application/json");
    Ok(([(header::CONTENT_TYPE, kind)], list.await?).into_response())
}

/// One report. Opening a report is logged, unless a page refreshes a report that the same session opened within the
/// last 12 hours.
#[utoipa::path(get, path = "/reports/{id}", tag = "segnalazioni", params(ReportId),
    responses((status = 200, body = ReportDetail, headers(("ETag" = String, description = "Version, in quotes")))))]
pub async fn detail(admin: Reader, ReportId(id): ReportId) -> ApiResult<Response> {
    let now = admin.clock.now_ms();
    if !admin.background || !admin.visitors.openings.has(admin.token_hash, &id, now) {
        let opened = id.clone();
        let logged = admin.change(move |act| open_report(act, &opened)).await;
        let logged = logged.map(|()| admin.visitors.openings.add(admin.token_hash, &id, now));
        logged.or_else(|error| error.tolerated_while_reading("an opening was not logged"))?;
    }
    answer(&admin, id).await
}

/// Changes status, department, urgency, labels or note, on the version named by `If-Match`.
#[utoipa::path(patch, path = "/reports/{id}", tag = "segnalazioni",
    params(ReportId, ("If-Match" = String, Header, description = "Version the change was made on, in quotes; several, separated by commas, or `*` for any")),
    request_body = ReportPatch,
    responses((status = 200, body = ReportDetail, headers(("ETag" = String, description = "Version, in quotes"))),
        (status = 204, description = "Saved; the report is now in a department that the caller does not see")))]
pub async fn patch(
    admin: Editor,
    ReportId(id): ReportId,
    headers: HeaderMap,
    Json(change): Json<ReportPatch>,
) -> ApiResult<Response> {
    let expected = expected_version(&headers).ok_or(Kind::VERSION_REQUIRED)?;
    let target = id.clone();
    let saved = admin.change(move |act| update_report(act, &target, &expected, &change));
    or_current(&admin, id.clone(), saved.await).await?;
    match answer(&admin, id).await {
        Err(error) if error.status() == StatusCode::NOT_FOUND => Ok(NoContent.into_response()),
        answer => answer,
    }
}

/// Records that the page exported a copy of a report.
#[utoipa::path(post, path = "/reports/{id}/exports", tag = "segnalazioni", params(ReportId),
    responses((status = 204, description = "Noted in the history and in the access log")))]
pub async fn exported(admin: Editor, ReportId(id): ReportId) -> ApiResult<NoContent> {
    let noted = admin.change(move |act| note_export(act, &id, Action::ExportPdf));
    noted.await.map(|()| NoContent)
}

async fn answer(reader: &Reader, id: String) -> ApiResult<Response> {
    let detail = read_detail(reader, id).await?;
    Ok(tagged(detail.versione, detail))
}

/// A refusal because another person saved first carries the report as it is stored now.
pub(in crate::http::routes) async fn or_current<T>(
    reader: &Reader,
    id: String,
    outcome: ApiResult<T>,
) -> ApiResult<T> {
    match outcome {
        Err(error) if error.is(Kind::STALE) => {
            Err(error.with_current(&read_detail(reader, id).await?))
        }
        outcome => outcome,
    }
}

async fn read_detail(reader: &Reader, id: String) -> ApiResult<ReportDetail> {
    let who = reader.visitor.actor.author().unwrap_or_default();
    let read = reader.read(move |reading, snapshot| {
        let row = present(snapshot, &id)?;
        detail_out(reading, snapshot, row, &who)
    });
    read.await
}
