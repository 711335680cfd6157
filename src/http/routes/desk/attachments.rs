//! The files of a report, for an editor: each is opened piece by piece while it travels.
//! Must never hand a file out as anything that a browser would run, nor end like a whole one when a piece does not open.

use std::collections::VecDeque;
use std::io::{self, ErrorKind};

use axum::body::Body;
use axum::http::{HeaderName, header};
use axum::response::{IntoResponse, Response};
use futures_util::stream::try_unfold;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::domain::media::attachment::AttachmentKind;
use crate::domain::media::kind::OPAQUE;
use crate::domain::media::strip::{CopyPart, REFUSED, StripError, UNREADABLE, can_strip, plan};
use crate::files::{Opened, OpenedReader};
use crate::http::path::AttachmentPath;
use crate::http::query::Strict;
use crate::http::routes::desk::zip::Pieces;
use crate::http::routes::intake::arriving::failed;
use crate::http::routes::{ApiError, ApiResult, Kind, Reader};
use crate::http::state::blocking;
use crate::readings::desk::attachments::{self, AttachedFile, Attachment};
use crate::store::Action;

/// How a file is handed out.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct Handing {
    /// Removes place, time and device from the copy; for JPEG, PNG and WebP only.
    #[serde(default)]
    clean: bool,
    /// For the strip of pictures of a report that this session has opened: a picture of at most 15 MiB. The history
    /// notes all pictures of a report once.
    #[serde(default)]
    preview: bool,
}

/// Largest picture that is shown in a strip, in bytes.
const PREVIEW_BYTES: u64 = 15 << 20;

/// A file of a report, decrypted, as a download.
#[utoipa::path(get, operation_id = "attachment", path = "/reports/{id}/attachments/{n}", tag = "segnalazioni",
    params(AttachmentPath, Handing),
    responses((status = 200, description = "The file", content_type = "application/octet-stream",
        headers(("Content-Disposition" = String, description = "`attachment`, with the file name")))))]
pub async fn download(
    admin: Reader,
    AttachmentPath(id, n): AttachmentPath,
    Strict(Handing { clean, preview }): Strict<Handing>,
) -> ApiResult<Response> {
    let now = admin.clock.now_ms();
    if preview && !admin.visitors.openings.has(admin.token_hash, &id, now) {
        return Err(Kind::CONFLICT.saying(NOT_OPENED));
    }
    let (mut about, file, first) = found(&admin, &id, n, clean).await?;
    if preview && !is_shown_in_strip(&about) {
        return Err(Kind::UNSUPPORTED_TYPE.saying(NO_PREVIEW));
    }
    let body = match first {
        Some(first) => {
            let kind = about.media_type.clone();
            let parts = blocking(move || clean_parts(&kind, first)).await??;
            about.size = parts.iter().map(CopyPart::len).sum();
            stream(CleanCopy::new(file, parts), CleanCopy::next)
        }
        None => stream(file, Opened::piece),
    };
    note_handed_out(&admin, id, preview, now).await?;
    Ok((headers(&about), body).into_response())
}

/// A file, opened; twice where a clean copy is wanted: that is read for what it consists of, and again while it travels.
async fn found(
    admin: &Reader,
    report: &str,
    n: i64,
    clean: bool,
) -> ApiResult<(Attachment, Opened, Option<Opened>)> {
    let data = admin.data.clone().ok_or(Kind::ATTACHMENT_GONE)?;
    let report = report.to_owned();
    let found = admin.read(move |reading, snapshot| {
        let find = || attachments::find(reading, snapshot, &data, &report, n);
        let (about, file) = opened(find()?)?;
        let first = clean.then(|| opened(find()?)).transpose()?;
        Ok::<_, ApiError>((about, file, first.map(|(_, first)| first)))
    });
    found.await
}

/// Logs it; of pictures in a strip the first of a report alone.
async fn note_handed_out(admin: &Reader, report: String, preview: bool, now: i64) -> ApiResult<()> {
    if preview && admin.visitors.previews.has(admin.token_hash, &report, now) {
        return Ok(());
    }
    let logged = report.clone();
    let noted = admin.change(move |act| act.log(Action::ExportAttachment, Some(&logged)));
    let noted = noted.await;
    noted.or_else(|error| error.tolerated_while_reading("an attachment was not logged"))?;
    if preview {
        admin.visitors.previews.add(admin.token_hash, &report, now);
    }
    Ok(())
}

const NOT_OPENED: &str = "Apri prima la segnalazione.";
const NO_PREVIEW: &str = "Di questo file non c'è un'anteprima: scaricalo.";

fn is_shown_in_strip(about: &Attachment) -> bool {
    let picture = matches!(AttachmentKind::of(&about.media_type), AttachmentKind::Photo);
    picture && about.size <= PREVIEW_BYTES
}

fn clean_parts(media_type: &str, file: Opened) -> ApiResult<Vec<CopyPart>> {
    if !can_strip(media_type) {
        return Err(Kind::UNSUPPORTED_TYPE.saying(REFUSED));
    }
    plan(media_type, &mut OpenedReader::new(file)).map_err(|error| match error {
        StripError::NotAPicture => Kind::UNSUPPORTED_TYPE.saying(UNREADABLE),
        StripError::Unread(error) => unreadable(&error),
    })
}

/// A picture without place, time and device, from two openings of it: read for what it consists of, and copied.
pub(in crate::http::routes) fn clean_pieces(
    kind: &str,
    first: Opened,
    file: Opened,
) -> ApiResult<Pieces> {
    let mut copy = CleanCopy::new(file, clean_parts(kind, first)?);
    Ok(Box::new(move || copy.next()))
}

/// A file that was found in a snapshot, where it opens.
pub(in crate::http::routes) fn opened(found: AttachedFile) -> ApiResult<(Attachment, Opened)> {
    let file = found.file.map_err(|error| unreadable(&error))?;
    Ok((found.about, file))
}

/// A whole file as a download.
pub(in crate::http::routes) fn handed_out(about: &Attachment, file: Opened) -> Response {
    (headers(about), stream(file, Opened::piece)).into_response()
}

fn unreadable(error: &io::Error) -> ApiError {
    match error.kind() {
        ErrorKind::NotFound => Kind::ATTACHMENT_GONE.into(),
        ErrorKind::InvalidData => Kind::ATTACHMENT_DAMAGED.into(),
        _ => failed(error),
    }
}

/// Types that a page can play or show are kept; all others become bytes.
fn headers(about: &Attachment) -> [(HeaderName, String); 4] {
    let shown = match AttachmentKind::of(&about.media_type) {
        AttachmentKind::Photo | AttachmentKind::Video | AttachmentKind::Audio => &about.media_type,
        _ => OPAQUE,
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

/// The clean copy of a picture while it travels; it holds one piece of the file.
struct CleanCopy {
    file: Opened,
    /// The piece of the file that was read last, and where it begins.
    piece: Vec<u8>,
    start: u64,
    parts: VecDeque<CopyPart>,
}

impl CleanCopy {
    fn new(file: Opened, parts: Vec<CopyPart>) -> Self {
        Self {
            file,
            piece: Vec::new(),
            start: 0,
            parts: parts.into(),
        }
    }

    /// The next bytes of the copy; `None` behind the last.
    fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
        let Some(part) = self.parts.pop_front() else {
            return Ok(None);
        };
        let range = match part {
            CopyPart::Written(bytes) => return Ok(Some(bytes)),
            CopyPart::Copied(range) => range,
        };
        while self.start + self.piece.len() as u64 <= range.start {
            self.start += self.piece.len() as u64;
            self.piece = self.file.piece()?.ok_or(ErrorKind::UnexpectedEof)?;
        }
        let end = range.end.min(self.start + self.piece.len() as u64);
        if end < range.end {
            self.parts.push_front(CopyPart::Copied(end..range.end));
        }
        let within = |at: u64| usize::try_from(at - self.start).unwrap_or(usize::MAX);
        let bytes = self.piece.get(within(range.start)..within(end));
        Ok(Some(bytes.ok_or(ErrorKind::UnexpectedEof)?.to_vec()))
    }
}

/// Sends what a source yields as the client takes it; no thread waits for a client. A piece that does not open breaks it off.
fn stream<S: Send + 'static>(source: S, next: fn(&mut S) -> io::Result<Option<Vec<u8>>>) -> Body {
    Body::from_stream(try_unfold(source, move |mut source| async move {
        let read = blocking(move || next(&mut source).map(|bytes| Some((bytes?, source)))).await;
        let read = read.unwrap_or_else(|_| Err(ErrorKind::Other.into()));
        read.inspect_err(|cause| tracing::error!(%cause, "an attachment does not open"))
    }))
}
