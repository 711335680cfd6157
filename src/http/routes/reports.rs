//! The list of reports, and one report: read it, change its status, department, urgency and note.
//! Must never answer without an administrator, nor let one change overwrite another unseen.

use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::report_detail::{ReportDetail, detail_out};
use super::report_query::{ReportQuery, Selection, Waiting};
use super::rfc3339;
use crate::actions::erase_reports::present;
use crate::actions::log_access::Actor;
use crate::actions::note_export::note_export;
use crate::actions::open_report::open_report;
use crate::actions::sealing;
use crate::actions::update_report::{Change, Outcome, update_report};
use crate::domain::invalid::Invalid;
use crate::domain::report::Stato;
use crate::domain::routing::Department;
use crate::http::admin::Admin;
use crate::http::json::Json;
use crate::http::path::ReportId;
use crate::http::problem::{ApiError, ApiResult, Kind};
use crate::http::query::{Page, Paged};
use crate::http::state::{App, Shared};
use crate::search::Request;
use crate::store::{Counters, ListPage, Place, ReportRow, Snapshot};

/// A page of the list.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReportList {
    /// The reports, newest first.
    pub data: Vec<ReportRowOut>,
    /// Cursor of the page with older reports.
    #[schema(required)]
    pub next_cursor: Option<String>,
    /// Cursor of the page with newer reports.
    #[schema(required)]
    pub prev_cursor: Option<String>,
    /// Reports by status, over the whole archive.
    pub counters: Counters,
    /// How far the search index has come.
    pub search: SearchProgress,
}

/// How far the search index has come. Until it is ready, a search finds only what is indexed (accounts are always
/// searched in full).
#[derive(Debug, Serialize, ToSchema)]
pub struct SearchProgress {
    /// Every report is indexed.
    pub ready: bool,
    /// Reports that a search reaches.
    pub indexed: i64,
    /// Reports in the archive.
    pub total: i64,
}

/// A report in the list.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ReportRow)]
pub struct ReportRowOut {
    /// 36-character id.
    pub id: String,
    /// First name.
    pub nome: String,
    /// Surname.
    pub cognome: String,
    /// E-mail address.
    pub email: String,
    /// Mobile number, 10 digits.
    pub telefono: String,
    /// When it was received; RFC 3339, UTC.
    pub data_creazione: String,
    /// Status.
    pub stato: Stato,
    /// Key of its department.
    pub department: Department,
    /// Whether staff have opened it.
    pub aperta: bool,
    /// Whether it counts as urgent: what an editor decided, else whether its wording suggests that somebody may come to harm.
    pub urgente: bool,
}

/// A change to a report; what is absent stays.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportPatch {
    /// New status.
    stato: Option<Stato>,
    /// New department.
    department: Option<Department>,
    /// Whether it counts as urgent from now on.
    urgente: Option<bool>,
    /// New internal note; empty removes it.
    note: Option<String>,
}

/// A copy of a report that left the panel.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportExport {
    /// What was made.
    #[serde(rename = "kind")]
    _kind: ExportKind,
}

/// A kind of copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ExportKind {
    /// The record that the page makes.
    Pdf,
}

/// The list, newest first.
#[utoipa::path(get, path = "/reports", tag = "segnalazioni", params(ReportQuery, Page),
    responses((status = 200, body = ReportList)))]
pub async fn list(
    State(app): State<Shared>,
    _admin: Admin,
    Paged(rows, page): Paged<ReportQuery>,
) -> ApiResult<axum::Json<ReportList>> {
    let limit = page.limit()?;
    let cursor = page.cursor.as_deref().map(parse_cursor).transpose()?;
    let place = cursor.unwrap_or_default();
    let Selection { filter, terms } = rows.selection(&app)?;
    let _turn = match &terms {
        Some(terms) if terms.in_text() => Some(app.account_search().await?),
        _ => None,
    };
    let waiting = Waiting::default();
    let cancel = waiting.token();
    let list = app
        .read(move |app, snapshot| {
            let found = if let Some(terms) = &terms {
                let (filter, cancel) = (&filter, &cancel);
                let request = Request {
                    terms,
                    filter,
                    cancel,
                };
                app.search.page(snapshot, &request, place, limit)?
            } else {
                snapshot.report_page(&filter, place, limit)?
            };
            list_out(app, snapshot, found)
        })
        .await?;
    Ok(axum::Json(list))
}

/// One report. Opening it is noted, unless a page only refreshes itself.
#[utoipa::path(get, path = "/reports/{id}", tag = "segnalazioni", params(("id" = String, Path, description = "36-character id")),
    responses((status = 200, body = ReportDetail, headers(("ETag" = String, description = "Version, in quotes")))))]
pub async fn detail(
    State(app): State<Shared>,
    admin: Admin,
    ReportId(id): ReportId,
) -> ApiResult<Response> {
    if !admin.background {
        note_opening(&app, &admin.visitor.actor, &id).await?;
    }
    answer(read_detail(&app, id).await?)
}

/// Changes status, department, urgency or note, on the version named by `If-Match`.
#[utoipa::path(patch, path = "/reports/{id}", tag = "segnalazioni",
    params(("id" = String, Path, description = "36-character id"), ("If-Match" = String, Header, description = "Version the change was made on, in quotes")),
    request_body = ReportPatch,
    responses((status = 200, body = ReportDetail, headers(("ETag" = String, description = "Version, in quotes")))))]
pub async fn patch(
    State(app): State<Shared>,
    admin: Admin,
    ReportId(id): ReportId,
    headers: HeaderMap,
    Json(patch): Json<ReportPatch>,
) -> ApiResult<Response> {
    let version = version(&headers)?;
    let (now, target) = (app.clock.now_ms(), id.clone());
    let change = Change {
        stato: patch.stato,
        department: patch.department,
        urgente: patch.urgente,
        note: patch.note,
    };
    let outcome = app
        .write(move |app, tx| {
            let actor = &admin.visitor.actor;
            update_report(tx, &app.vault, now, actor, &target, version, &change)
        })
        .await?;
    let current = read_detail(&app, id).await?;
    match outcome {
        Outcome::Saved => answer(current),
        Outcome::Stale => Err(ApiError::stale(&current)),
    }
}

/// Notes that the page made a copy of a report.
#[utoipa::path(post, path = "/reports/{id}/exports", tag = "segnalazioni", params(("id" = String, Path, description = "36-character id")),
    request_body = ReportExport,
    responses((status = 204, description = "Annotata nella cronologia e nel registro")))]
pub async fn exported(
    State(app): State<Shared>,
    admin: Admin,
    ReportId(id): ReportId,
    Json(_): Json<ReportExport>,
) -> ApiResult<StatusCode> {
    let now = app.clock.now_ms();
    app.write(move |_, tx| note_export(tx, now, &admin.visitor.actor, &id))
        .await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn note_opening(app: &Shared, actor: &Actor, id: &str) -> ApiResult<()> {
    let (now, id, actor) = (app.clock.now_ms(), id.to_owned(), actor.clone());
    let noted = app
        .write(move |_, tx| open_report(tx, now, &actor, &id))
        .await;
    noted.or_else(|error| error.tolerated_while_reading("an opening was not logged"))
}

fn answer(detail: ReportDetail) -> ApiResult<Response> {
    let tag = HeaderValue::from_str(&format!("\"{}\"", detail.versione))
        .map_err(|error| ApiError::internal(&error))?;
    Ok(([(header::ETAG, tag)], axum::Json(detail)).into_response())
}

/// The version in `If-Match`; a tag that is none of ours matches nothing.
pub(super) fn version(headers: &HeaderMap) -> ApiResult<i64> {
    let tag = headers.get(header::IF_MATCH).ok_or(Kind::VersionRequired)?;
    let tag = tag.to_str().unwrap_or_default().trim();
    Ok(tag.trim_matches('"').parse().unwrap_or(-1))
}

/// A cursor names the arrival number at the edge of a page: `p12` for what is older, `s12` for what is newer.
fn parse_cursor(cursor: &str) -> ApiResult<Place> {
    let number = |digits: &str| digits.parse().ok().filter(|seq: &i64| *seq >= 0);
    let place = match cursor.split_at_checked(1) {
        Some(("p", digits)) => number(digits).map(Place::Before),
        Some(("s", digits)) => number(digits).map(Place::After),
        _ => None,
    };
    place.ok_or_else(|| {
        ApiError::invalid(vec![Invalid::new("cursor", "format", "Pagina non valida.")])
    })
}

fn list_out(app: &App, snapshot: &Snapshot<'_>, found: ListPage) -> ApiResult<ReportList> {
    let ListPage { rows, newer, older } = found;
    let counters = snapshot.counters()?;
    let edge = |mark: char, row: Option<&ReportRow>| row.map(|row| format!("{mark}{}", row.seq));
    Ok(ReportList {
        next_cursor: if older { edge('p', rows.last()) } else { None },
        prev_cursor: if newer {
            edge('s', rows.first()).or_else(|| Some("s0".to_owned()))
        } else {
            None
        },
        search: progress(app, &counters),
        counters,
        data: rows
            .iter()
            .map(|row| row_out(app, snapshot, row))
            .collect::<ApiResult<_>>()?,
    })
}

/// A ready index takes in what arrived lately when it is asked: it reaches every report.
fn progress(app: &App, counters: &Counters) -> SearchProgress {
    let (progress, total) = (app.search.progress(), counters.total);
    let indexed = i64::try_from(progress.indexed).unwrap_or(total);
    SearchProgress {
        ready: progress.ready,
        indexed: if progress.ready { total } else { indexed },
        total,
    }
}

fn row_out(app: &App, snapshot: &Snapshot<'_>, row: &ReportRow) -> ApiResult<ReportRowOut> {
    let report = sealing::open_or_stand_in(snapshot, &app.vault, row)?;
    Ok(ReportRowOut {
        id: row.id.clone(),
        nome: report.nome,
        cognome: report.cognome,
        email: report.email,
        telefono: report.telefono,
        data_creazione: rfc3339(row.data_creazione)?,
        stato: row.stato,
        department: row.department,
        aperta: row.aperta.is_some(),
        urgente: row.urgente,
    })
}

pub(super) async fn read_detail(app: &Shared, id: String) -> ApiResult<ReportDetail> {
    app.read(move |app, snapshot| {
        let row = present(snapshot, &id)?;
        detail_out(app, snapshot, row)
    })
    .await
}
