//! Callouts ('inchieste'): the newsroom's own questions to its public, and what was answered.

use axum::http::HeaderMap;
use axum::response::{NoContent, Response};
use serde_json::{Map, Value};

use crate::actions::desk::edit_reports::ExpectedVersion;
use crate::actions::{self, Act, callouts};
use crate::domain::callout::Callout;
use crate::domain::invalid::Invalid;
use crate::domain::person::Role;
use crate::domain::routing::DepartmentKey;
use crate::http::json::meant;
use crate::http::path::CalloutId;
use crate::http::query::{PageQuery, Strict};
use crate::http::routes::versions::{expected_version, tagged};
use crate::http::routes::{
    Answer, ApiError, ApiResult, Editor, Json, Kind, List, Reader, Shared, list_of, refusal,
};
use crate::http::state::wait_for;
use crate::readings::desk;
use crate::readings::desk::callouts::{CalloutDetail, CalloutReports};
use crate::store::CalloutRow;

/// The callouts, the newest first.
#[utoipa::path(get, operation_id = "callouts", path = "/callouts", tag = "inchieste",
    responses((status = 200, body = List<CalloutDetail>)))]
pub async fn list(reader: Reader) -> Answer<List<CalloutDetail>> {
    let app = Shared::clone(&reader);
    let list = reader
        .read(move |reading, snapshot| desk::callouts::all(reading, snapshot, &app.visitors.stops));
    list.await.map(list_of).map(Json)
}

/// Creates a callout as a draft, which may be unfinished. `problems` says what keeps it from being opened.
#[utoipa::path(post, operation_id = "create_callout", path = "/callouts", tag = "inchieste", request_body = Callout,
    responses((status = 200, body = CalloutDetail, headers(("ETag" = String, description = "Version, in quotes")))))]
pub async fn create(editor: Editor, Json(body): Json<Map<String, Value>>) -> ApiResult<Response> {
    let callout = sent(body)?;
    let made = editor.change(move |act| {
        allow(act, callout.department)?;
        callouts::create(act, &callout)
    });
    let id = made.await?;
    answer(&editor, id).await
}

/// One callout.
#[utoipa::path(get, operation_id = "callout", path = "/callouts/{id}", tag = "inchieste", params(CalloutId),
    responses((status = 200, body = CalloutDetail, headers(("ETag" = String, description = "Version, in quotes")))))]
pub async fn detail(reader: Reader, CalloutId(id): CalloutId) -> ApiResult<Response> {
    answer(&reader, id).await
}

/// Saves a callout on the version named by `If-Match`. Conversations that begin afterwards ask the new questions.
#[utoipa::path(put, operation_id = "save_callout", path = "/callouts/{id}", tag = "inchieste", request_body = Callout,
    params(CalloutId, ("If-Match" = String, Header, description = "Version the change was made on, in quotes")),
    responses((status = 200, body = CalloutDetail, headers(("ETag" = String, description = "Version, in quotes")))))]
pub async fn save(
    editor: Editor,
    CalloutId(id): CalloutId,
    headers: HeaderMap,
    Json(body): Json<Map<String, Value>>,
) -> ApiResult<Response> {
    let callout = sent(body)?;
    let expected = expected_version(&headers).ok_or(Kind::VERSION_REQUIRED)?;
    change(&editor, id, expected, move |act, row| {
        allow(act, callout.department)?;
        callouts::edit(act, row, &callout)
    })
    .await
}

/// Opens a callout to the public. A callout that cannot be opened answers 409 with the reasons by field.
#[utoipa::path(post, operation_id = "open_callout", path = "/callouts/{id}/open", tag = "inchieste", params(CalloutId),
    responses((status = 200, body = CalloutDetail, headers(("ETag" = String, description = "Version, in quotes")))))]
pub async fn open(editor: Editor, CalloutId(id): CalloutId) -> ApiResult<Response> {
    let opened = change(&editor, id, ExpectedVersion::Any, callouts::open).await;
    opened.map_err(|error| error.into_conflict("L’inchiesta non si può ancora aprire."))
}

/// Closes a callout. Its page says that it is over; conversations that have begun may be completed.
#[utoipa::path(post, operation_id = "close_callout", path = "/callouts/{id}/close", tag = "inchieste", params(CalloutId),
    responses((status = 200, body = CalloutDetail, headers(("ETag" = String, description = "Version, in quotes")))))]
pub async fn close(editor: Editor, CalloutId(id): CalloutId) -> ApiResult<Response> {
    change(&editor, id, ExpectedVersion::Any, callouts::close).await
}

/// Deletes a callout that has no reports, on the version named by `If-Match`.
#[utoipa::path(delete, operation_id = "delete_callout", path = "/callouts/{id}", tag = "inchieste",
    params(CalloutId, ("If-Match" = String, Header, description = "Version it was seen in, in quotes")),
    responses((status = 204, description = "Deleted")))]
pub async fn delete(
    editor: Editor,
    CalloutId(id): CalloutId,
    headers: HeaderMap,
) -> ApiResult<NoContent> {
    let expected = expected_version(&headers).ok_or(Kind::VERSION_REQUIRED)?;
    let deleted = editor.change(move |act| {
        let row = editable(act, &id, &expected)?;
        callouts::delete(act, &row)
    });
    deleted.await.map(|()| NoContent)
}

/// The answers to a callout, with one report per row.
#[utoipa::path(get, operation_id = "callout_answers", path = "/callouts/{id}/answers", tag = "inchieste",
    params(CalloutId, PageQuery), responses((status = 200, body = CalloutReports)))]
pub async fn answers(
    reader: Reader,
    CalloutId(id): CalloutId,
    Strict(page): Strict<PageQuery>,
) -> Answer<CalloutReports> {
    let limit = page.limit()?;
    // One at a time: the first page opens all of them, and holds one of the few readers.
    let _turn = wait_for(&reader.turns.answers).await?;
    let app = Shared::clone(&reader);
    let read = reader.read(move |reading, snapshot| {
        let (counted, cursor) = (&app.answer_counts, page.cursor.as_deref());
        desk::callouts::answers(reading, snapshot, counted, &id, cursor, limit)
    });
    read.await.map(Json)
}

/// The callout that was sent. It may be an earlier answer as a whole; fields beside the callout are ignored.
fn sent(body: Map<String, Value>) -> ApiResult<Callout> {
    let read = serde_json::to_value(CalloutDetail::default());
    let read = read.map_err(|error| ApiError::internal(&error))?;
    match body.keys().find(|field| read.get(field).is_none()) {
        Some(unknown) => Err(refusal(unknown, "unknown", "Campo sconosciuto.")),
        None => meant(body.into()),
    }
}

/// Administrators edit all callouts, editors those of a department that they see.
fn may_edit(act: &Act<'_>, department: Option<DepartmentKey>) -> bool {
    let own = department.is_some_and(|one| act.visible_departments().has(one));
    own || act.actor.may(Role::Amministratore)
}

fn allow(act: &Act<'_>, department: Option<DepartmentKey>) -> actions::Result<()> {
    if may_edit(act, department) {
        return Ok(());
    }
    let message = "Scegli un reparto che vedi: le altre inchieste sono degli amministratori.";
    Err(Invalid::new("department", "range", message).into())
}

/// A callout that the caller may edit, in a version that they know.
fn editable(act: &Act<'_>, id: &str, expected: &ExpectedVersion) -> actions::Result<CalloutRow> {
    let row = act.callout(id)?.ok_or(actions::Error::CalloutNotFound)?;
    if !may_edit(act, row.department) {
        let message = "Questa inchiesta è di un altro reparto.";
        return Err(actions::Error::Forbidden(message));
    }
    expected.check(row.revision).map(|()| row)
}

async fn change(
    editor: &Editor,
    id: String,
    expected: ExpectedVersion,
    work: impl FnOnce(&Act<'_>, CalloutRow) -> actions::Result<()> + Send + 'static,
) -> ApiResult<Response> {
    let asked = id.clone();
    let changed = editor.change(move |act| {
        let row = editable(act, &asked, &expected)?;
        work(act, row)
    });
    changed.await?;
    answer(editor, id).await
}

async fn answer(reader: &Reader, id: String) -> ApiResult<Response> {
    let app = Shared::clone(reader);
    let read = reader.read(move |reading, snapshot| {
        desk::callouts::detail(reading, snapshot, &app.visitors.stops, &id)
    });
    let detail = read.await?;
    Ok(tagged(detail.revision, detail))
}
