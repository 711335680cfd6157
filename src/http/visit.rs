//! The visit of a reporter who comes back: the code of a receipt and an end, sealed in a cookie and in the token of files.
//! Must never keep a code: the cookie alone holds it.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use uuid::Uuid;

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
/// The purposes that the code of a visit is sealed for: its cookie, and the token for sending files.
const VISIT: &str = "cookie";
const TOKEN: &str = "attachments";

pub type SetCookie = [(HeaderName, HeaderValue); 1];

/// Its name, the code, until when (ms) the visit lasts, and how its cookie is kept.
pub struct Visit {
    id: Uuid,
    pub code: ReceiptCode,
    until: i64,
    pub jar: Jar,
    /// Whether the browser has a cookie that says so.
    kept: bool,
}

/// The sealed part of a visit.
struct Sealed {
    id: Uuid,
    code: ReceiptCode,
    until: i64,
}

impl Sealed {
    /// Whether the visit lasts; one that would last for longer than any was made before the clock was set back.
    fn lasts(&self, app: &App) -> bool {
        let left = self.until.saturating_sub(app.clock.now_ms());
        (1..=VISIT_MS).contains(&left) && !app.visitors.left.has(self.id)
    }
}

/// A visit, sealed for a purpose; `None` for what is none.
fn opened(app: &App, purpose: &str, value: &str) -> Option<Sealed> {
    let sealed = URL_SAFE_NO_PAD.decode(value).ok()?;
    let opened = app
        .vault
        .open_operational("receipts", purpose, &sealed)
        .ok()?;
    let (until, rest) = opened.split_first_chunk()?;
    let (id, code) = rest.split_first_chunk()?;
    Some(Sealed {
        id: Uuid::from_bytes(*id),
        code: ReceiptCode::from_bytes(code)?,
        until: i64::from_be_bytes(*until),
    })
}

/// The code that a token of a visit says, and whether the visit lasts.
pub fn visited(app: &App, token: &str) -> Option<(ReceiptCode, bool)> {
    let visit = opened(app, TOKEN, token)?;
    let lasts = visit.lasts(app);
    Some((visit.code, lasts))
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
            let visit = opened(app, VISIT, value)?;
            visit.lasts(app).then_some(Self {
                id: visit.id,
                code: visit.code,
                until: visit.until,
                jar,
                kept: true,
            })
        });
        visit.ok_or(Kind::VISIT_OVER.into())
    }

    /// One that begins now.
    pub fn begun(app: &App, code: ReceiptCode, jar: Jar) -> Self {
        Self {
            id: Uuid::new_v4(),
            code,
            until: app.clock.now_ms() + VISIT_MS,
            jar,
            kept: false,
        }
    }

    /// It goes on from now.
    #[must_use]
    pub fn renewed(self, app: &App) -> Self {
        Self {
            until: app.clock.now_ms() + VISIT_MS,
            kept: false,
            ..self
        }
    }

    fn sealed(&self, app: &App, purpose: &str) -> ApiResult<String> {
        let says = [
            &self.until.to_be_bytes()[..],
            self.id.as_bytes(),
            self.code.as_bytes(),
        ];
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

    /// Ends those that the browser holds: their cookies are worth nothing any more, wherever they are.
    pub fn end(app: &App, jar: Jar, headers: &HeaderMap, cookie: &Cookie) -> ApiResult<SetCookie> {
        let held = jar.values(headers, cookie);
        for visit in held.filter_map(|(_, value)| opened(app, VISIT, value)) {
            let now = app.clock.now_ms();
            // Whatever was sealed for it before ends by then, too.
            app.visitors.left.note(visit.id, now, now + VISIT_MS);
        }
        let gone = jar.set(cookie, "", Some(0))?;
        Ok([(header::SET_COOKIE, gone)])
    }
}

/// Refuses where the settings let no reporter come back.
pub async fn return_allowed(app: &Shared) -> ApiResult<()> {
    let allowed = app.settings().await?.system.receipts_enabled;
    allowed.then_some(()).ok_or(Kind::RECEIPTS_OFF.into())
}
