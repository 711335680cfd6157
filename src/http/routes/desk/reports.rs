//! The list of reports, and one report: read it, change its status, department, urgency, labels and note.

use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, NoContent, Response};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::actions::Error;
use crate::actions::archive::sealing::{self, EXCERPT, open_listed};
use crate::actions::desk::edit_reports::{
    ReportPatch, note_export, open_report, present, update_report,
};
use crate::domain::calendar::soon;
use crate::domain::callout::CalloutRef;
use crate::domain::moment::rfc3339;
use crate::domain::report::Stato;
use crate::http::admin::UnprovenSession;
use crate::http::path::ReportId;
use crate::http::query::{PageQuery, StrictPair};
use crate::http::routes::versions::{expected_version, tagged};
use crate::http::routes::{ApiError, ApiResult, App, Editor, Json, Kind, Reader};
use crate::http::selection::{CancelOnDrop, ReportQuery, Selection};
use crate::http::state::wait_for;
use crate::readings::cursors::{cursor, place};
use crate::readings::desk::report_detail::{DuePromise, ReportDetail, detail_out};
use crate::readings::desk::stories::{Belongs, belongings};
use crate::search::{CancelToken, Request, Terms};
use crate::store::{Action, ListFilter, ListPage, ListRow, Place, Snapshot};
use crate::vault::VaultError;

/// A page of the list.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReportList {
    /// The reports, in the order that was asked for.
    pub data: Vec<ReportRowOut>,
    /// Cursor of the next page.
    pub next_cursor: Option<String>,
    /// Cursor of the page before.
    pub prev_cursor: Option<String>,
    /// Reports that match; null where a search has found more than this page: they are not counted.
    pub matching: Option<i64>,
    /// Of these, how many stand before this page; null where they are not counted: in a search, or very far down.
    pub ahead: Option<i64>,
    /// Reports by status, over the whole archive.
    pub counters: Counters,
    /// Of when it is, for a change of all reports of a filter.
    pub shown: ListMoment,
    /// Reports whose reporter has written and was not read yet, over the whole archive.
    pub answers_waiting: i64,
    /// Reports whose reporter waits that all of it be withdrawn, over the whole archive.
    pub withdrawals_waiting: i64,
    /// Reports by other marks, over the whole archive.
    pub counts: MarkCounts,
    /// How far the search index has come.
    pub search: SearchProgress,
}

/// Reports by mark, as the list shows them: 1,000 stands for that many and more.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MarkCounts {
    /// That staff has not opened yet.
    pub unread: i64,
    /// With files.
    pub files: i64,
    /// Urgent.
    pub urgent: i64,
    /// Of which a promise is due today or on the three days after.
    pub due_soon: i64,
    /// Of which a promise is past.
    pub due_late: i64,
    /// That are put off.
    pub snoozed: i64,
}

impl MarkCounts {
    fn of(app: &App, snapshot: &Snapshot<'_>, now: i64) -> ApiResult<Self> {
        let count = |mark: &dyn Fn(&mut ListFilter)| {
            let mut filter = ListFilter::default();
            mark(&mut filter);
            snapshot.count_marked(&filter)
        };
        Ok(Self {
            unread: count(&|of| (of.unread, of.snoozed) = (true, Some((false, now))))?,
            files: count(&|of| (of.files, of.snoozed) = (true, Some((false, now))))?,
            urgent: count(&|of| (of.urgente, of.snoozed) = (Some(true), Some((false, now))))?,
            due_soon: count(&|of| of.due = Some((now, soon(now, &app.time_zone))))?,
            due_late: count(&|of| of.due = Some((i64::MIN, now)))?,
            snoozed: count(&|of| of.snoozed = Some((true, now)))?,
        })
    }
}

/// Reports by status, over the whole archive.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Counters {
    /// All.
    pub total: i64,
    /// Nuova.
    pub new: i64,
    /// In lavorazione.
    pub in_progress: i64,
    /// Risolta.
    pub resolved: i64,
}

impl Counters {
    fn of(counts: &[(Stato, i64)]) -> Self {
        let of = |stato| {
            let found = counts.iter().find(|(one, _)| *one == stato);
            found.map_or(0, |(_, n)| *n)
        };
        Self {
            total: counts.iter().map(|(_, n)| n).sum(),
            new: of(Stato::Nuova),
            in_progress: of(Stato::InLavorazione),
            resolved: of(Stato::Risolta),
        }
    }
}

/// Of when a list is: what arrived or was changed after it was not in it.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Shown)]
pub struct ListMoment {
    /// Arrival number of the newest report there was; null for who does not see all departments, where the moment decides.
    #[schema(required)]
    pub newest: Option<i64>,
    /// Moment, in ms.
    pub at: i64,
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
    #[serde(flatten)]
    row: ListRow,
    /// First name.
    nome: String,
    /// Surname.
    cognome: String,
    /// The callout that it answers; null for the usual conversation.
    inchiesta: Option<CalloutRef>,
    /// E-mail address.
    email: String,
    /// Mobile number, 10 digits.
    telefono: String,
    /// The beginning of the account, or, where only its text has what was searched for, that place: 120 characters at most.
    excerpt: String,
    /// Whether another one may be of the same person, or was found to tell of the same matter: a mark, which may be wrong.
    related: bool,
    /// What was promised to its reporter next; null where nothing is open.
    due: Option<DuePromise>,
    /// Until when it is put off; null where it is not. RFC 3339, UTC.
    #[serde(rename = "snoozedUntil")]
    snoozed_until: Option<String>,
    #[serde(flatten)]
    belongs: Belongs,
}

/// The list.
#[utoipa::path(get, path = "/reports", tag = "segnalazioni", params(ReportQuery, PageQuery),
    responses((status = 200, body = ReportList)))]
pub async fn list(
    claim: UnprovenSession,
    asked: ApiResult<StrictPair<ReportQuery, PageQuery>>,
) -> ApiResult<Response> {
    let asked = asked.and_then(|StrictPair(rows, page)| {
        let selection = rows.selection(&claim.app)?.listed(&claim.app);
        Ok((page.limit()?, page, selection))
    });
    let takes_long =
        |(.., selection): &(_, _, Selection)| selection.terms.as_ref().is_some_and(Terms::in_text);
    // Strangers neither learn what is wrong with a question, nor wait among those who search.
    let long = asked.as_ref().is_ok_and(takes_long);
    let admin = match &asked {
        Ok((.., selection)) if !long && !selection.mine => None,
        _ => Some(claim.admitted(false).await?),
    };
    let (limit, page, selection) = asked?;
    let selection = selection.of(admin.as_ref().and_then(Reader::person))?;
    let _turn = match &admin {
        Some(admin) if long => Some(wait_for(&admin.turns.account_searches).await?),
        _ => None,
    };
    let waiting = CancelOnDrop::default();
    let cancel = waiting.token();
    let at = claim.app.clock.now_ms();
    let list = claim.read(move |app, snapshot| {
        let page = PageRequest {
            place: place(app.reading(), snapshot, page.cursor.as_deref())?,
            limit,
            cancel,
        };
        let list = report_list(app, snapshot, &selection, &page, at)?;
        // Here, so that what reads and writes it frees it too, and not the event loop.
        serde_json::to_vec(&list).map_err(|error| ApiError::internal(&error))
    });
    let kind = HeaderValue::from_static("application/json");
    Ok(([(header::CONTENT_TYPE, kind)], list.await?).into_response())
}

/// One report. Opening it is logged, unless a page refreshes what the same session has opened within 12 hours.
#[utoipa::path(get, path = "/reports/{id}", tag = "segnalazioni", params(ReportId),
    responses((status = 200, body = ReportDetail, headers(("ETag" = String, description = "Version, in quotes")))))]
pub async fn detail(admin: Reader, ReportId(id): ReportId) -> ApiResult<Response> {
    let now = admin.clock.now_ms();
    if !admin.background || !admin.openings.has(admin.token_hash, &id, now) {
        let opened = id.clone();
        let logged = admin.change(move |act| open_report(act, &opened)).await;
        let logged = logged.map(|()| admin.openings.add(admin.token_hash, &id, now));
        logged.or_else(|error| error.tolerated_while_reading("an opening was not logged"))?;
    }
    answer(&admin, id).await
}

/// Changes status, department, urgency, labels or note, on the version named by `If-Match`.
#[utoipa::path(patch, path = "/reports/{id}", tag = "segnalazioni",
    params(ReportId, ("If-Match" = String, Header, description = "Version the change was made on, in quotes; several, separated by commas, or `*` for any")),
    request_body = ReportPatch,
    responses((status = 200, body = ReportDetail, headers(("ETag" = String, description = "Version, in quotes"))),
        (status = 204, description = "Salvata, e ora in un reparto che chi l'ha modificata non vede")))]
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

/// Notes that the page made a copy of a report.
#[utoipa::path(post, path = "/reports/{id}/exports", tag = "segnalazioni", params(ReportId),
    responses((status = 204, description = "Annotata nella cronologia e nel registro")))]
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

/// The page that is asked for.
struct PageRequest {
    place: Place,
    limit: usize,
    cancel: CancelToken,
}

/// A page of the list, how many reports the whole list has, and how many are before the page, as far as that is known.
struct FoundPage {
    page: ListPage,
    matching: Option<i64>,
    ahead: Option<i64>,
}

fn found_page(
    app: &App,
    snapshot: &Snapshot<'_>,
    selection: &Selection,
    page: &PageRequest,
) -> ApiResult<FoundPage> {
    let Selection { filter, terms, .. } = selection;
    let (place, limit) = (page.place, page.limit);
    let found = if let Some(terms) = terms {
        let request = Request {
            terms,
            filter,
            cancel: &page.cancel,
        };
        app.search.page(snapshot, &request, place, limit)?
    } else {
        snapshot.report_page(filter, place, limit)?
    };
    let matching = match (terms, found.before || found.after) {
        (None, _) => Some(snapshot.matching(filter)?),
        (Some(_), false) => i64::try_from(found.rows.len()).ok(),
        (Some(_), true) => None,
    };
    let ahead = match (found.before, found.rows.first()) {
        (false, _) => Some(0),
        (true, Some(first)) if terms.is_none() => snapshot.count_before(filter, first.place)?,
        (true, _) => None,
    };
    Ok(FoundPage {
        page: found,
        matching,
        ahead,
    })
}

fn report_list(
    app: &App,
    snapshot: &Snapshot<'_>,
    selection: &Selection,
    page: &PageRequest,
    at: i64,
) -> ApiResult<ReportList> {
    let found = found_page(app, snapshot, selection, page)?;
    let (next_cursor, prev_cursor) = cursors(app, snapshot, &found.page, &selection.filter)?;
    let counters = Counters::of(&snapshot.status_counts()?);
    let seen_by_number = snapshot.visible_departments().is_all();
    let newest = seen_by_number.then(|| snapshot.newest_seq());
    Ok(ReportList {
        next_cursor,
        prev_cursor,
        matching: found.matching,
        ahead: found.ahead,
        search: progress(app, &counters),
        answers_waiting: snapshot.answers_waiting()?,
        withdrawals_waiting: snapshot.withdrawals_waiting()?,
        shown: ListMoment {
            newest: newest.transpose()?,
            at,
        },
        counts: MarkCounts::of(app, snapshot, at)?,
        counters,
        data: rows_out(
            app,
            snapshot,
            (found.page.rows, at),
            selection.terms.as_ref(),
        )?,
    })
}

fn cursors(
    app: &App,
    snapshot: &Snapshot<'_>,
    page: &ListPage,
    filter: &ListFilter,
) -> ApiResult<(Option<String>, Option<String>)> {
    // Where a page is empty by now, those before it are all that there are.
    let end = if filter.oldest_first { i64::MAX } else { 0 };
    let cursor = |there: bool, mark, row: Option<&ListRow>| {
        let place = row.map_or(end, |row| row.place);
        there
            .then(|| cursor(app.reading(), snapshot, mark, place))
            .transpose()
    };
    Ok((
        cursor(page.after, 'p', page.rows.last())?,
        cursor(page.before, 's', page.rows.first())?,
    ))
}

fn rows_out(
    app: &App,
    snapshot: &Snapshot<'_>,
    (rows, now): (Vec<ListRow>, i64),
    terms: Option<&Terms>,
) -> ApiResult<Vec<ReportRowOut>> {
    let seqs: Vec<i64> = rows.iter().map(|row| row.seq).collect();
    let same_person = app.search.has_same_person(snapshot, &seqs)?;
    let places = rows.iter().map(|row| (row.seq, row.storia.clone()));
    let belongs = belongings(app.reading(), snapshot, &places.collect::<Vec<_>>())?;
    let rows = rows.into_iter().zip(same_person).zip(belongs);
    rows.map(|((row, same_person), belongs)| {
        let listed = open_listed(snapshot, &app.vault, &row)?;
        let passage = match terms {
            Some(terms) if terms.in_text() => passage(app, snapshot, row.seq, terms)?,
            _ => None,
        };
        Ok(ReportRowOut {
            nome: listed.nome,
            cognome: listed.cognome,
            inchiesta: listed.inchiesta,
            email: listed.email,
            telefono: listed.telefono,
            excerpt: passage.unwrap_or(listed.estratto),
            related: same_person || belongs.maybe.is_some(),
            due: DuePromise::of(&row),
            snoozed_until: row.rinviata.filter(|until| *until > now).map(rfc3339),
            belongs,
            row,
        })
    })
    .collect()
}

/// A ready index takes in what arrived lately when it is asked: it reaches every report.
fn progress(app: &App, counters: &Counters) -> SearchProgress {
    let (progress, total) = (app.search.progress(), counters.total);
    let indexed = i64::try_from(progress.indexed).unwrap_or(total);
    SearchProgress {
        ready: progress.ready,
        indexed: if progress.ready {
            total
        } else {
            indexed.min(total)
        },
        total,
    }
}

/// Where an account says what was searched for; `None` where its beginning does, or it does nowhere.
fn passage(
    app: &App,
    snapshot: &Snapshot<'_>,
    seq: i64,
    terms: &Terms,
) -> ApiResult<Option<String>> {
    let Some(row) = snapshot.report_at(seq)? else {
        return Ok(None);
    };
    match sealing::open_report(snapshot, &app.vault, &row) {
        Ok(report) => Ok(terms.passage(&report.segnalazione, EXCERPT)),
        // The row says so already.
        Err(Error::Vault(error)) if error != VaultError::Locked => Ok(None),
        Err(error) => Err(error.into()),
    }
}

async fn read_detail(reader: &Reader, id: String) -> ApiResult<ReportDetail> {
    let read = reader.read(move |app, snapshot| {
        let row = present(snapshot, &id)?;
        detail_out(app.reading(), snapshot, row)
    });
    read.await
}
