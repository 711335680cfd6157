//! Common parts of pages without a script: forms as they arrive, streamed files, one answer with a whole page, and the
//! way from a form to it. Must never hold a whole file in memory, nor let a page load or run anything.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use askama::Template;
use axum::body::{Body, Bytes, HttpBody as _};
use axum::extract::Request;
use axum::http::StatusCode;
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::middleware::Next;
use axum::response::{Html, IntoResponse, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures_util::stream::{Stream, StreamExt as _, TryStreamExt as _, unfold};
use http_body_util::BodyExt as _;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use multer::{Multipart, parse_boundary};
use sha2::{Digest as _, Sha256};
use tokio::task::yield_now;
use tokio::time::timeout;

use super::form_pages::PageName;
use super::json::{TURN_BYTES, let_by, whole};
use super::problem::{ApiError, ApiResult, Kind};
use super::state::Shared;
use crate::actions::settings::in_force::InForce;
use crate::domain::calendar::{promised, shown};
use crate::domain::color::Color;
use crate::domain::moment::timestamp;

/// By when the next part of a form must have begun, and what was refused of a file gone by.
const PATIENCE: Duration = Duration::from_mins(2);

/// The text fields of a form, by name.
#[derive(Default)]
pub struct Fields(Vec<(String, String)>);

impl Fields {
    pub fn of(encoded: &[u8]) -> Self {
        Self(form_urlencoded::parse(encoded).into_owned().collect())
    }

    pub fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        let named = self.0.iter().filter(move |(own, _)| own == name);
        named.map(|(_, value)| value.as_str())
    }

    pub fn given(&self, name: &str) -> Option<&str> {
        self.all(name).next()
    }

    /// Fields whose names begin so, with their values.
    pub fn named<'a>(&'a self, prefix: &str) -> impl Iterator<Item = (&'a str, &'a str)> {
        let begun = move |(name, _): &&'a (String, String)| name.starts_with(prefix);
        let fields = self.0.iter().filter(begun);
        fields.map(|(name, value)| (name.as_str(), value.as_str()))
    }

    pub fn set(&mut self, name: &str, value: String) {
        self.0.retain(|(own, _)| own != name);
        self.0.push((name.to_owned(), value));
    }

    /// Empty for one that did not come.
    pub fn get(&self, name: &str) -> &str {
        self.given(name).unwrap_or_default()
    }

    /// Whether nothing of the form could be read.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All others.
    pub fn without(&self, name: &str) -> Self {
        let others = self.0.iter().filter(|(own, _)| own != name);
        Self(others.cloned().collect())
    }

    pub fn saying<'a>(fields: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let fields = fields.into_iter();
        Self(
            fields
                .map(|(name, text)| (name.to_owned(), text.to_owned()))
                .collect(),
        )
    }

    /// The encoding that [`Fields::of`] reads.
    pub fn encoded(&self) -> String {
        let mut encoded = form_urlencoded::Serializer::new(String::new());
        encoded.extend_pairs(&self.0).finish()
    }

    /// The page that the form stood on, where that has an address.
    pub fn page(&self) -> Option<PageName> {
        PageName::parse(self.get(PAGE))
    }
}

/// Names the page: a field of its form, and in its address.
pub const PAGE: &str = "p";

/// The files of a form that arrives, in their order.
pub struct FormFiles {
    parts: Multipart<'static>,
    /// Bytes of the whole body, where it says them.
    bound: u64,
    /// Bytes that may still come beside those of files: the parser holds them, or texts are made of them.
    room: Arc<AtomicUsize>,
}

/// Texts, boundaries and headers of a form, and what the parser has not given out yet.
const ROOM: usize = 3 * TURN_BYTES;

/// A file of a form. What is left of it when it is dropped takes of the room.
pub struct FormFile {
    pub name: String,
    /// More than it has.
    pub bound: u64,
    pub content: Body,
}

impl FormFiles {
    /// The texts of a form that is nothing else, or the files of one that may have some.
    pub async fn of(request: Request, said: &mut Fields) -> ApiResult<Option<Self>> {
        let kind = request.headers().get(CONTENT_TYPE);
        let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        if kind.starts_with("application/x-www-form-urlencoded") {
            *said = Fields::of(&whole(request.into_body(), TURN_BYTES).await?);
            return Ok(None);
        }
        let boundary = parse_boundary(kind).map_err(|_| Kind::UNSUPPORTED_TYPE)?;
        let (body, room) = (request.into_body(), Arc::new(AtomicUsize::new(ROOM)));
        Ok(Some(Self {
            bound: body.size_hint().upper().unwrap_or(u64::MAX),
            parts: Multipart::new(one_a_look(body, Arc::clone(&room)), boundary),
            room,
        }))
    }

    /// The next file, with the texts before it; after the last, all texts are there.
    pub async fn next(&mut self, said: &mut Fields) -> ApiResult<Option<FormFile>> {
        while let Some(part) = soon(&self.room, self.parts.next_field()).await? {
            match part.file_name().map(str::to_owned) {
                None => {
                    let name = part.name().unwrap_or_default().to_owned();
                    let text = soon(&self.room, part.bytes()).await?;
                    said.0
                        .push((name, String::from_utf8_lossy(&text).into_owned()));
                }
                // None was chosen.
                Some(name) if name.is_empty() => {}
                Some(name) => {
                    let room = Arc::clone(&self.room);
                    let given_out = move |piece: &Bytes| {
                        room.fetch_add(piece.len(), Relaxed);
                    };
                    return Ok(Some(FormFile {
                        name,
                        bound: self.bound,
                        content: Body::from_stream(part.inspect_ok(given_out)),
                    }));
                }
            }
        }
        Ok(None)
    }
}

impl FormFile {
    /// Lets what is left go by: a browser reads no answer before.
    pub async fn skip(&mut self) -> ApiResult<()> {
        let rest = async { while let Some(Ok(_)) = self.content.frame().await {} };
        timeout(PATIENCE, rest)
            .await
            .map_err(|_| Kind::TOO_SLOW.into())
    }
}

async fn soon<T>(
    room: &AtomicUsize,
    next: impl Future<Output = multer::Result<T>>,
) -> ApiResult<T> {
    let next = timeout(PATIENCE, next).await.map_err(|_| Kind::TOO_SLOW)?;
    next.map_err(|_| match room.load(Relaxed) {
        0 => Kind::TOO_LARGE.into(),
        _ => Kind::BAD_REQUEST.saying("L'invio si è interrotto."),
    })
}

/// The parser takes all that is there: of a fast line that would be all of a file, and it overlooks what comes together with the
/// end. So a pause precedes each piece.
fn one_a_look(
    body: Body,
    room: Arc<AtomicUsize>,
) -> impl Stream<Item = Result<Bytes, axum::Error>> {
    let pieces = (body.into_data_stream(), room);
    unfold(pieces, async |(mut body, room)| {
        yield_now().await;
        let mut piece = body.next().await?;
        let came = piece.as_ref().map_or(0, Bytes::len);
        let left = room.fetch_update(Relaxed, Relaxed, |room| room.checked_sub(came));
        if left.is_err() {
            let_by(&mut body).await;
            room.store(0, Relaxed);
            piece = Err(axum::Error::new("no more room"));
        }
        Some((piece, (body, room)))
    })
}

/// A form is taken to its end also when its sender hangs up.
pub async fn to_the_end(request: Request, next: Next) -> ApiResult<Response> {
    let answered = tokio::spawn(next.run(request)).await;
    answered.map_err(|error| ApiError::internal(&error))
}

/// Values that every page needs: the settings in force, its styles and the newsroom's clock.
pub struct Sheet {
    pub settings: Arc<InForce>,
    pub style: String,
    now: i64,
    zone: TimeZone,
}

#[derive(Template)]
#[template(path = "plain/style.css", escape = "none")]
struct Style {
    primary: Color,
    scheme: &'static str,
}

impl Sheet {
    pub async fn of(app: &Shared) -> ApiResult<Self> {
        let settings = app.settings().await?;
        let style = Style {
            primary: settings.primary,
            scheme: settings.system.colour_scheme(),
        };
        Ok(Self {
            style: style.render().map_err(|error| ApiError::internal(&error))?,
            settings,
            now: app.clock.now_ms(),
            zone: app.time_zone.clone(),
        })
    }

    pub fn moment(&self, ms: i64) -> String {
        shown(timestamp(ms), &self.zone)
    }

    /// The time of day so many seconds from now.
    pub fn in_seconds(&self, seconds: u32) -> String {
        let at = timestamp(self.now + i64::from(seconds) * 1_000);
        at.to_zoned_datetime(self.zone.clone())
            .strftime("%H:%M:%S")
            .to_string()
    }

    pub fn date(&self, ms: i64) -> String {
        self.moment(ms).chars().take(10).collect()
    }

    pub fn day(&self, rfc3339: &str) -> String {
        let at: Timestamp = rfc3339.parse().unwrap_or_default();
        self.date(at.as_millisecond())
    }

    /// By which days a report that arrives now is promised to be read, and to have come to something.
    pub fn promised(&self) -> [Option<String>; 2] {
        let system = &self.settings.system;
        [system.promise_first_days, system.promise_outcome_days].map(|days| {
            let until = promised(self.now, days, &self.zone)?;
            Some(self.date(until))
        })
    }
}

/// A page as it is answered. It may send its form here, and nothing else.
pub struct Rendered {
    status: StatusCode,
    html: String,
}

impl Rendered {
    /// A page with its styles in it.
    pub fn of(status: StatusCode, page: &impl Template) -> ApiResult<Self> {
        let html = page.render().map_err(|error| ApiError::internal(&error))?;
        Ok(Self { status, html })
    }

    pub fn to_bytes(&self) -> Vec<u8> {
        let status = self.status.as_u16().to_be_bytes();
        [&status, self.html.as_bytes()].concat()
    }

    /// Reads the bytes that [`Rendered::to_bytes`] made.
    pub fn from_bytes(bytes: &[u8]) -> ApiResult<Self> {
        let damaged = || ApiError::defect("a page that was held is damaged");
        let (status, html) = bytes.split_first_chunk().ok_or_else(damaged)?;
        let status = StatusCode::from_u16(u16::from_be_bytes(*status));
        Ok(Self {
            status: status.map_err(|_| damaged())?,
            html: String::from_utf8(html.to_vec()).map_err(|_| damaged())?,
        })
    }

    /// The styles between the tags.
    fn style(&self) -> &str {
        let style = self.html.split_once("<style>");
        let style = style.and_then(|(_, rest)| rest.split_once("</style>"));
        style.map_or("", |(style, _)| style)
    }
}

impl IntoResponse for Rendered {
    fn into_response(self) -> Response {
        let hash = STANDARD.encode(Sha256::digest(self.style()));
        let policy = format!(
            "default-src 'none'; style-src 'sha256-{hash}'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
        );
        let policy = [(CONTENT_SECURITY_POLICY, policy)];
        (self.status, policy, Html(self.html)).into_response()
    }
}
