//! A clean copy of a report: what its mask covers, and what leaves.

use axum::http::HeaderMap;
use axum::response::Response;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::actions::desk::clean_copy::{Mask, MaskIn, mask_of, save_mask};
use crate::actions::desk::edit_reports::{ExpectedVersion, note_export, present};
use crate::domain::invalid::Invalid;
use crate::http::path::ReportId;
use crate::http::query::Strict;
use crate::http::routes::desk::attachments::{clean_pieces, opened};
use crate::http::routes::desk::zip::{ZipEntry, answer};
use crate::http::routes::versions::{expected_version, tagged};
use crate::http::routes::{ApiError, ApiResult, Editor, Json, Kind};
use crate::http::state::turn_at;
use crate::readings::desk::clean_copy::{
    CleanCopy, CopiedFile, RedactedText, clean_copy, file_field, redacted_text,
};
use crate::store::Action;

/// What goes with a clean copy.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct CopyQuery {
    /// Numbers of the files that go with it, separated by commas; none when absent.
    #[serde(default)]
    #[param(required = false)]
    attachments: String,
}

impl CopyQuery {
    fn numbers(&self) -> ApiResult<Vec<i64>> {
        let listed = self.attachments.split(',').filter(|n| !n.is_empty());
        let numbers: Result<Vec<i64>, _> = listed.map(str::parse).collect();
        let mut numbers = numbers.map_err(|_| {
            let message = "Indica i numeri degli allegati, separati da virgole.";
            ApiError::invalid(vec![Invalid::new("attachments", "format", message)])
        })?;
        numbers.sort_unstable();
        numbers.dedup();
        Ok(numbers)
    }
}

/// What a clean copy of a report covers, and what else seems to name somebody. Before a mask is saved it is the one to begin with.
#[utoipa::path(get, operation_id = "mask", path = "/reports/{id}/mask", tag = "segnalazioni", params(ReportId),
    responses((status = 200, body = Mask, headers(("ETag" = String, description = "Version of the mask, in quotes")))))]
pub async fn mask(editor: Editor, ReportId(id): ReportId) -> ApiResult<Response> {
    let read = editor.read(move |reading, snapshot| {
        let row = present(snapshot, &id)?;
        mask_of(snapshot, &reading.vault, &row)
    });
    let (mask, _) = read.await?;
    Ok(tagged(mask.version, mask))
}

/// Saves what a clean copy covers, on the version named by `If-Match`.
#[utoipa::path(put, operation_id = "save_mask", path = "/reports/{id}/mask", tag = "segnalazioni", request_body = MaskIn,
    params(ReportId, ("If-Match" = String, Header, description = "Version the change was made on, in quotes")),
    responses((status = 200, body = Mask, headers(("ETag" = String, description = "Version of the mask, in quotes")))))]
pub async fn save(
    editor: Editor,
    ReportId(id): ReportId,
    headers: HeaderMap,
    Json(asked): Json<MaskIn>,
) -> ApiResult<Response> {
    let expected = expected_version(&headers).ok_or(Kind::VERSION_REQUIRED)?;
    let target = id.clone();
    let saved = editor.change(move |act| save_mask(act, &target, &expected, &asked));
    saved.await?;
    mask(editor, ReportId(id)).await
}

/// The clean copy of a report in words, as its saved mask covers it: for the PDF and the text that the page makes of it. The
/// history and the access log note it as an export.
#[utoipa::path(post, operation_id = "redacted_text", path = "/reports/{id}/redacted", tag = "segnalazioni",
    params(ReportId, ("If-Match" = Option<String>, Header, description = "Version of the mask that was seen, in quotes")),
    responses((status = 200, body = RedactedText)))]
pub async fn in_words(
    editor: Editor,
    ReportId(id): ReportId,
    headers: HeaderMap,
) -> ApiResult<Json<RedactedText>> {
    let (report, seen) = (id.clone(), mask_seen(&headers));
    let copy =
        editor.read(move |reading, snapshot| redacted_text(reading, snapshot, &report, &seen));
    let copy = copy.await?;
    let noted = editor.change(move |act| note_export(act, &id, Action::ExportRedacted));
    noted.await.map(|()| Json(copy))
}

/// The clean copy of a report, as its saved mask covers it, with the files that are asked for: pictures without place, time and
/// device, others as they came. Files are named by their numbers.
#[utoipa::path(get, operation_id = "redacted", path = "/reports/{id}/redacted.zip", tag = "segnalazioni",
    params(ReportId, CopyQuery, ("If-Match" = Option<String>, Header, description = "Version of the mask that was seen, in quotes")),
    responses((status = 200, description = "The copy (`copia-oscurata.txt`) and the files", content_type = "application/zip",
        headers(("Content-Disposition" = String, description = "The file name")))))]
pub async fn redacted(
    editor: Editor,
    ReportId(id): ReportId,
    Strict(query): Strict<CopyQuery>,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let (wanted, seen) = (query.numbers()?, mask_seen(&headers));
    let turn = turn_at(&editor.turns.dossiers)?;
    let (report, data) = (id.clone(), editor.data.clone());
    let made = editor.read(move |reading, snapshot| {
        let copy = clean_copy(reading, snapshot, data.as_deref(), &report, &seen, &wanted)?;
        entries(copy)
    });
    let made = made.await?;
    let noted = editor.change(move |act| note_export(act, &id, Action::ExportRedacted));
    answer(
        "copia-oscurata.zip",
        noted.await,
        std::iter::once(Ok(made)),
        turn,
    )
}

/// Another person may have covered less since: what leaves is what the page shows, where it says what that is.
fn mask_seen(headers: &HeaderMap) -> ExpectedVersion {
    expected_version(headers).unwrap_or(ExpectedVersion::Any)
}

fn entries(copy: CleanCopy) -> ApiResult<Vec<ZipEntry>> {
    let text = ZipEntry::text("copia-oscurata.txt".to_owned(), copy.text);
    let files = copy.files.into_iter().map(entry);
    std::iter::once(Ok(text)).chain(files).collect()
}

fn entry(copied: CopiedFile) -> ApiResult<ZipEntry> {
    let n = copied.n;
    pieces_of(copied).map_err(|error| {
        // Beside its tick: whoever asked can leave the one file out.
        let message = format!("File {n}: {}", error.told());
        ApiError::invalid(vec![Invalid::new(file_field(n), "unreadable", message)])
    })
}

/// A picture goes as a clean copy or not at all.
fn pieces_of(copied: CopiedFile) -> ApiResult<ZipEntry> {
    let (about, file) = opened(copied.file)?;
    let Some(picture) = copied.picture else {
        return Ok(ZipEntry::file(copied.name, file));
    };
    let (_, first) = opened(picture)?;
    let pieces = clean_pieces(&about.media_type, first, file)?;
    Ok(ZipEntry::pieces(copied.name, pieces))
}
