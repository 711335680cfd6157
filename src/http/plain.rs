//! What pages without a script have in common: forms as they come, files streamed, and one answer that holds all of a page.
//! Must never hold a whole file in memory, nor let a page load or run anything.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use askama::Template;
use axum::body::{Body, BodyDataStream, Bytes};
use axum::extract::Request;
use axum::http::StatusCode;
use axum::http::header::{CONTENT_LENGTH, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::response::{Html, IntoResponse as _, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures_util::stream::{Stream, StreamExt as _, once, unfold};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use multer::{Multipart, parse_boundary};
use sha2::{Digest as _, Sha256};
use tokio::task::yield_now;
use tokio::time::timeout;

use super::json::{TURN_BYTES, whole};
use super::problem::{ApiError, ApiResult, Kind};
use super::state::Shared;
use crate::actions::settings::in_force::InForce;
use crate::domain::calendar::{promised, shown};
use crate::domain::color::Color;
use crate::domain::moment::{rfc3339, timestamp};

/// By when the next part of a form must have begun: what was refused of a large file goes by first.
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

    /// Empty for one that did not come.
    pub fn get(&self, name: &str) -> &str {
        self.given(name).unwrap_or_default()
    }
}

/// A form that arrives: its files in their order, and the texts that came before each.
pub struct Form {
    pub fields: Fields,
    parts: Option<Multipart<'static>>,
    /// Bytes of the whole body, where it says them.
    length: u64,
    /// Bytes of texts that may still come, each part with a few of its own.
    room: usize,
    /// Bytes that came since the parser last gave anything out: it holds them all.
    held: Arc<AtomicUsize>,
}

/// Bytes that the parser may hold: a boundary and the headers of a part have far fewer.
const HELD: usize = 1024 * 1024;
/// Bytes that a part counts beside its text.
const PART: usize = 64;

/// A file of a form.
pub struct FormFile {
    pub name: String,
    /// More than it has.
    pub bound: u64,
    pub content: Body,
}

impl Form {
    pub async fn of(request: Request) -> ApiResult<Self> {
        let headers = request.headers();
        let said = |name| headers.get(name).and_then(|value| value.to_str().ok());
        let kind = said(CONTENT_TYPE).unwrap_or_default().to_owned();
        let length = said(CONTENT_LENGTH).and_then(|length| length.parse().ok());
        let mut form = Self {
            fields: Fields::default(),
            parts: None,
            length: length.unwrap_or(u64::MAX),
            room: TURN_BYTES,
            held: Arc::default(),
        };
        if let Ok(boundary) = parse_boundary(&kind) {
            let body = request.into_body().into_data_stream();
            let pieces = one_a_look(body, Arc::clone(&form.held));
            form.parts = Some(Multipart::new(pieces, boundary));
        } else if kind.starts_with("application/x-www-form-urlencoded") {
            let body = whole(request.into_body(), TURN_BYTES).await?;
            form.fields = Fields::of(&body);
        } else {
            return Err(Kind::UNSUPPORTED_TYPE.into());
        }
        Ok(form)
    }

    /// The next file that holds something; after the last, all texts are there.
    pub async fn next_file(&mut self) -> ApiResult<Option<FormFile>> {
        while let Some(parts) = &mut self.parts {
            let Some(mut part) = soon(parts.next_field()).await? else {
                break;
            };
            self.held.store(0, Relaxed);
            self.room = self.room.checked_sub(PART).ok_or(Kind::TOO_LARGE)?;
            if let Some(name) = part.file_name().map(str::to_owned) {
                let first = soon(part.chunk()).await?;
                if let Some(first) = first.filter(|first| !first.is_empty()) {
                    let held = Arc::clone(&self.held);
                    let rest = part.inspect(move |_| held.store(0, Relaxed));
                    let content = Body::from_stream(once(async { Ok(first) }).chain(rest));
                    let bound = self.length;
                    return Ok(Some(FormFile {
                        name,
                        bound,
                        content,
                    }));
                }
                continue;
            }
            let (name, mut text) = (part.name().unwrap_or_default().to_owned(), Vec::new());
            while let Some(piece) = soon(part.chunk()).await? {
                self.room = self.room.checked_sub(piece.len()).ok_or(Kind::TOO_LARGE)?;
                self.held.store(0, Relaxed);
                text.extend_from_slice(&piece);
            }
            let text = String::from_utf8_lossy(&text).into_owned();
            self.fields.0.push((name, text));
        }
        Ok(None)
    }
}

async fn soon<T>(next: impl Future<Output = multer::Result<T>>) -> ApiResult<T> {
    let next = timeout(PATIENCE, next).await.map_err(|_| Kind::TOO_SLOW)?;
    next.map_err(|_| Kind::BAD_REQUEST.saying("L'invio si è interrotto."))
}

/// The parser takes all that is there: of a fast line that would be all of a file, and it overlooks what comes together with the
/// end. So a pause follows each piece.
fn one_a_look(
    body: BodyDataStream,
    held: Arc<AtomicUsize>,
) -> impl Stream<Item = Result<Bytes, axum::Error>> {
    unfold((body, held, false), async |(mut body, held, paused)| {
        if paused {
            yield_now().await;
        }
        let mut piece = body.next().await?;
        if let Ok(came) = &piece
            && held.fetch_add(came.len(), Relaxed) > HELD
        {
            piece = Err(axum::Error::new("a part without an end"));
        }
        Some((piece, (body, held, true)))
    })
}

/// What every page needs: the settings in force, its styles, and the clock of the newsroom.
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

    pub fn day(&self, rfc3339: &str) -> String {
        let at: Timestamp = rfc3339.parse().unwrap_or_default();
        self.moment(at.as_millisecond()).chars().take(10).collect()
    }

    /// By which days a report that arrives now is promised to be read, and to have come to something.
    pub fn promised(&self) -> [Option<String>; 2] {
        let system = &self.settings.system;
        [system.promise_first_days, system.promise_outcome_days].map(|days| {
            let until = promised(self.now, days, &self.zone)?;
            Some(self.day(&rfc3339(until)))
        })
    }

    /// A page with these styles. It may send its form here, and nothing else.
    pub fn answer(&self, status: StatusCode, page: &impl Template) -> ApiResult<Response> {
        let html = page.render().map_err(|error| ApiError::internal(&error))?;
        let hash = STANDARD.encode(Sha256::digest(&self.style));
        let policy = format!(
            "default-src 'none'; style-src 'sha256-{hash}'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
        );
        Ok((status, [(CONTENT_SECURITY_POLICY, policy)], Html(html)).into_response())
    }
}
