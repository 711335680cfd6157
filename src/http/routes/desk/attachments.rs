//! The files of a report, for an editor: each is opened piece by piece while it travels.
//! Must never hand a file out as anything that a browser would run, nor end like a whole one when a piece does not open.

use std::io::ErrorKind;
use std::path::PathBuf;

use axum::body::Body;
use axum::http::{HeaderName, header};
use axum::response::{IntoResponse, Response};
use futures_util::stream::try_unfold;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::actions::desk::edit_reports::present;
use crate::actions::intake::attachments::{key_of, name_of};
use crate::domain::media::attachment;
use crate::domain::media::attachment::Kind as FileKind;
use crate::domain::media::strip::{HEAVY, MAX_BYTES, REFUSED, UNREADABLE, can_strip, stripped};
use crate::files::{Opened, bytes};
use crate::http::admin::Reader;
use crate::http::path::AttachmentPath;
use crate::http::problem::{ApiError, ApiResult, Kind};
use crate::http::query::Strict;
use crate::http::routes::intake::uploads::failed;
use crate::http::routes::rfc3339;
use crate::http::state::{App, blocking};
use crate::store::{Action, AttachmentRow, Snapshot};

/// A file that the reporter attached.
#[derive(Debug, Serialize, ToSchema)]
pub struct Attachment {
    /// Its number in the report.
    pub n: i64,
    /// Its name, as it is handed out.
    pub name: String,
    /// Media type, told from its bytes.
    #[serde(rename = "type")]
    pub media_type: String,
    /// Bytes.
    pub size: u64,
    /// When it came: with the report, or with a message of its reporter; RFC 3339, UTC.
    pub at: String,
}

impl Attachment {
    pub(in crate::http::routes) fn of(row: AttachmentRow, name: &str) -> Self {
        let media_type = row.media_type.unwrap_or_default();
        Self {
            n: row.n,
            name: attachment::name_of(name, &media_type),
            size: bytes(row.size),
            at: rfc3339(row.sent.unwrap_or_default()),
            media_type,
        }
    }
}

/// The files of a report.
pub(in crate::http::routes) fn attachments_of(
    app: &App,
    snapshot: &Snapshot<'_>,
    report: &str,
) -> ApiResult<Vec<Attachment>> {
    let rows = snapshot.attachments_of(report)?.into_iter();
    let described = rows.map(|row| {
        let name = name_of(key_of(snapshot, &app.vault, &row), &row)?;
        Ok(Attachment::of(row, &name))
    });
    described.collect()
}

/// How a file is handed out.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct Handing {
    /// Without place, time and device; JPEG, PNG and WebP alone.
    #[serde(default)]
    clean: bool,
}

/// A file of a report, opened, as a download.
#[utoipa::path(get, operation_id = "attachment", path = "/reports/{id}/attachments/{n}", tag = "segnalazioni",
    params(AttachmentPath, Handing),
    responses((status = 200, description = "Il file", content_type = "application/octet-stream",
        headers(("Content-Disposition" = String, description = "attachment; nome del file")))))]
pub async fn download(
    admin: Reader,
    AttachmentPath(id, n): AttachmentPath,
    Strict(Handing { clean }): Strict<Handing>,
) -> ApiResult<Response> {
    let Some(data) = admin.data.clone() else {
        return Err(gone());
    };
    let report = id.clone();
    let opened = admin.read(move |app, snapshot| open(app, snapshot, (&data, &report, n)));
    let (mut about, file) = opened.await?;
    let body = if clean {
        let kind = about.media_type.clone();
        let copy = blocking(move || clean_copy(&kind, file)).await??;
        about.size = copy.len() as u64;
        Body::from(copy)
    } else {
        stream(file)
    };
    let noted = admin.change(move |act| act.log(Action::ExportAttachment, Some(&id)));
    let noted = noted.await;
    noted.or_else(|error| error.tolerated_while_reading("an attachment was not logged"))?;
    Ok((headers(&about), body).into_response())
}

/// A copy of a picture that does not tell where and with what it was taken.
fn clean_copy(media_type: &str, mut file: Opened) -> ApiResult<Vec<u8>> {
    if !can_strip(media_type) {
        return Err(Kind::UNSUPPORTED_TYPE.saying(REFUSED));
    }
    let mut whole = Vec::new();
    while let Some(piece) = file.piece().map_err(|error| failed(&error))? {
        if whole.len() as u64 > MAX_BYTES {
            return Err(Kind::TOO_LARGE.saying(HEAVY));
        }
        whole.extend(piece);
    }
    stripped(media_type, &whole).ok_or_else(|| Kind::UNSUPPORTED_TYPE.saying(UNREADABLE))
}

pub(in crate::http::routes) fn open(
    app: &App,
    snapshot: &Snapshot<'_>,
    (data, report, n): (&PathBuf, &str, i64),
) -> ApiResult<(Attachment, Opened)> {
    present(snapshot, report)?;
    let row = snapshot.attachment(report, n)?.ok_or_else(gone)?;
    let key = key_of(snapshot, &app.vault, &row)?;
    let name = name_of(key_of(snapshot, &app.vault, &row), &row)?;
    let file = Opened::of(data, &row, key).map_err(|error| match error.kind() {
        ErrorKind::NotFound => gone(),
        _ => failed(&error),
    })?;
    Ok((Attachment::of(row, &name), file))
}

fn gone() -> ApiError {
    Kind::NOT_FOUND.saying("Questo allegato non c'è.")
}

/// What plays or shows inside of a page keeps its type; all else is bytes.
fn headers(about: &Attachment) -> [(HeaderName, String); 4] {
    let shown = match FileKind::of(&about.media_type) {
        FileKind::Photo | FileKind::Video | FileKind::Audio => &about.media_type,
        FileKind::Pdf | FileKind::Document => "application/octet-stream",
    };
    [
        (header::CONTENT_TYPE, shown.to_owned()),
        // Else it would be compressed, which files like these are already.
        (header::CONTENT_ENCODING, "identity".to_owned()),
        (header::CONTENT_LENGTH, about.size.to_string()),
        (header::CONTENT_DISPOSITION, disposition(&about.name)),
    ]
}

/// A name in both forms (RFC 6266, RFC 8187).
pub(in crate::http::routes) fn disposition(name: &str) -> String {
    let plain = |character: char| match character {
        ' '..='~' if !matches!(character, '"' | '\\' | '%') => character,
        _ => '_',
    };
    let plain: String = name.chars().map(plain).collect();
    let escaped: String = form_urlencoded::byte_serialize(name.as_bytes()).collect();
    let escaped = escaped.replace('+', "%20");
    format!("attachment; filename=\"{plain}\"; filename*=UTF-8''{escaped}")
}

/// Opens piece after piece as the client takes them: no thread waits for a client. Breaks off where one does not open.
fn stream(file: Opened) -> Body {
    Body::from_stream(try_unfold(file, async |mut file| {
        let read = blocking(move || file.piece().map(|piece| Some((piece?, file)))).await;
        let read = read.unwrap_or_else(|_| Err(ErrorKind::Other.into()));
        read.inspect_err(|cause| tracing::error!(%cause, "an attachment does not open"))
    }))
}
