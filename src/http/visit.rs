//! The visit of a reporter who comes back: the code of a receipt and an end, sealed in a cookie and in the token of files.
//! Must never keep a code: the cookie alone holds it.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use super::cookies::{Cookie, Jar};
use super::problem::{ApiError, ApiResult, Kind};
use super::state::{App, Shared};
use crate::vault::ReceiptCode;

const NAME: &str = "segnalazioni-seguito";
/// The cookie of a page with a script goes to its calls alone, that of one without to itself.
pub const CALLS: Cookie = Cookie {
    name: NAME,
    path: "/paibeta/api/receipts",
};
pub const PAGES: Cookie = Cookie {
    name: NAME,
    path: "/paibeta/seguito",
};
/// How long one visit lasts after the code, the last message, or a file that was on its way, in ms.
const VISIT_MS: i64 = 30 * 60_000;
/// What the code of a visit is sealed for: its cookie, and the token that files are sent with.
const VISIT: &str = "cookie";
const TOKEN: &str = "attachments";

pub type SetCookie = [(HeaderName, HeaderValue); 1];

/// The code, until when (ms) the visit lasts, and how its cookie is kept.
pub struct Visit {
    pub code: ReceiptCode,
    until: i64,
    pub jar: Jar,
    /// Whether the browser has a cookie that says so.
    kept: bool,
}

/// Whether a visit lasts; one that would last for longer than any was made before the clock was set back.
fn lasts(app: &App, until: i64) -> bool {
    (1..=VISIT_MS).contains(&until.saturating_sub(app.clock.now_ms()))
}

/// The code and the end (ms) of a visit, sealed for a purpose; `None` for what is none.
fn opened(app: &App, purpose: &str, value: &str) -> Option<(ReceiptCode, i64)> {
    let sealed = URL_SAFE_NO_PAD.decode(value).ok()?;
    let opened = app
        .vault
        .open_operational("receipts", purpose, &sealed)
        .ok()?;
    let (until, code) = opened.split_first_chunk()?;
    Some((ReceiptCode::from_bytes(code)?, i64::from_be_bytes(*until)))
}

/// The code that a token of a visit says, and whether the visit lasts.
pub fn visited(app: &App, token: &str) -> Option<(ReceiptCode, bool)> {
    let (code, until) = opened(app, TOKEN, token)?;
    Some((code, lasts(app, until)))
}

impl FromRequestParts<Shared> for Visit {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &Shared) -> ApiResult<Self> {
        let Ok(jar) = Jar::from_request_parts(parts, app).await;
        Self::of(app, jar, &parts.headers).await
    }
}

impl Visit {
    pub async fn of(app: &Shared, jar: Jar, headers: &HeaderMap) -> ApiResult<Self> {
        return_allowed(app).await?;
        let mut values = jar.values(headers, &CALLS);
        let visit = values.find_map(|(jar, value)| {
            let (code, until) = opened(app, VISIT, value)?;
            lasts(app, until).then_some(Self {
                code,
                until,
                jar,
                kept: true,
            })
        });
        visit.ok_or(Kind::VISIT_OVER.into())
    }

    /// One that begins, or goes on, now.
    pub fn from_now(app: &App, code: ReceiptCode, jar: Jar) -> Self {
        Self {
            code,
            until: app.clock.now_ms() + VISIT_MS,
            jar,
            kept: false,
        }
    }

    fn sealed(&self, app: &App, purpose: &str) -> ApiResult<String> {
        let says = [&self.until.to_be_bytes()[..], self.code.as_bytes()];
        let plain = zeroize::Zeroizing::new(says.concat());
        let sealed = app.vault.seal_operational("receipts", purpose, &plain)?;
        Ok(URL_SAFE_NO_PAD.encode(sealed))
    }

    pub fn seconds_left(&self, app: &App) -> i64 {
        (self.until - app.clock.now_ms()) / 1_000
    }

    /// The token that files are sent with.
    pub fn token(&self, app: &App) -> ApiResult<String> {
        self.sealed(app, TOKEN)
    }

    /// `Set-Cookie` until its end, where the browser has none; without an age, so that no browser writes it to a disk.
    pub fn cookie(&self, app: &App, cookie: &Cookie) -> ApiResult<Option<SetCookie>> {
        if self.kept {
            return Ok(None);
        }
        let cookie = self.jar.set(cookie, &self.sealed(app, VISIT)?, None)?;
        Ok(Some([(header::SET_COOKIE, cookie)]))
    }

    /// Takes its cookie from the browser.
    pub fn end(jar: Jar, cookie: &Cookie) -> ApiResult<SetCookie> {
        let gone = jar.set(cookie, "", Some(0))?;
        Ok([(header::SET_COOKIE, gone)])
    }
}

/// Refuses where the settings let no reporter come back.
pub async fn return_allowed(app: &Shared) -> ApiResult<()> {
    let allowed = app.settings().await?.system.receipts_enabled;
    allowed.then_some(()).ok_or(Kind::RECEIPTS_OFF.into())
}
