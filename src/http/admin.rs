//! Authentication as a value: a handler takes a [`Reader`], an [`Editor`] or an [`Administrator`], so its signature says who may call it.
//! Must never let a request through on a session that is past its end, or from an address that the allow-list shuts out.

use std::net::IpAddr;
use std::ops::Deref;
use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::header;
use axum::http::request::Parts;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use super::client_address::Client;
use super::cookies::{Cookie, Jar};
use super::problem::{ApiError, ApiResult, Kind};
use super::state::{App, Shared};
use crate::actions::access::log_access::Actor;
use crate::actions::access::sign_in::{
    SessionRights, keeps_rights, note_activity, session_end, session_rights,
};
use crate::actions::settings::sections::load;
use crate::actions::{self, Act};
use crate::domain::person::{Person, Role, SecondFactorState};
use crate::domain::routing::Sight;
use crate::domain::settings::Security;
use crate::readings::Reading;
use crate::store::{self, Action, Snapshot, Undo};
use crate::vault::Vault;

/// Ends with the browser.
pub const SESSION: Cookie = Cookie {
    name: "segnalazioni",
    path: "/",
};
/// Identifies a browser that logged in before. It grants no access; password attempts from such a browser do not wait for
/// those of strangers.
pub const BROWSER: Cookie = Cookie {
    name: "segnalazioni-browser",
    path: "/",
};
/// How long a browser keeps it, in seconds: a year.
pub const BROWSER_AGE: u32 = 365 * 24 * 60 * 60;
pub const LINK: &str = "login link";
pub const INVITATION: &str = "invitation";
/// Sent by a page's own refreshing, which must not keep a session alive.
const BACKGROUND: &str = "x-background";
/// Activity is noted at most this often, in ms: the rest would be writes for nothing.
const TOUCH_EVERY_MS: i64 = 15_000;

#[derive(Clone)]
pub struct Visitor {
    /// Address, as far as trusted proxies tell it.
    pub address: IpAddr,
    pub actor: Actor,
    pub browser: Option<String>,
    pub jar: Jar,
}

/// A person who is logged in; the state is reached through it.
#[derive(Clone)]
pub struct Reader {
    app: Shared,
    pub visitor: Visitor,
    pub token_hash: [u8; 32],
    /// When the session ends, in ms.
    pub end: i64,
    /// The page refreshes itself: no person did anything.
    pub background: bool,
    pub second_factor: SecondFactorState,
}

/// Like [`Reader`], and admits a person who has yet to set up a second factor. Only for calls on one's own account.
pub struct OwnAccount(pub Reader);

impl Deref for Reader {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.app
    }
}

impl Reader {
    /// Who is logged in; `None` for the shared password.
    pub fn person(&self) -> Option<&Person> {
        self.visitor.actor.person.as_deref()
    }

    /// Reads what they may see.
    pub async fn read<T, E>(
        &self,
        work: impl FnOnce(Reading<'_>, &Snapshot<'_>) -> Result<T, E> + Send + 'static,
    ) -> ApiResult<T>
    where
        T: Send + 'static,
        E: From<store::Error> + Into<ApiError> + Send + 'static,
    {
        let visible = self.visitor.actor.visible_departments();
        let read = self
            .app
            .read(move |app, snapshot| work(app.reading(), &snapshot.seeing(&visible)));
        read.await
    }

    /// A read that may take long, on a connection of its own; not on the event loop.
    pub fn read_apart<T: Send + 'static, E: From<store::Error> + Send + 'static>(
        &self,
        work: impl FnOnce(&Snapshot<'_>) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E> {
        let visible = self.visitor.actor.visible_departments();
        let store = &self.app.store;
        store.read_apart(move |snapshot| work(&snapshot.seeing(&visible)))
    }

    /// Makes a change, unless their rights are others by the time of it.
    pub async fn change<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Act<'_>) -> actions::Result<T> + Send + 'static,
    ) -> ApiResult<T> {
        let still = |act: &Act<'_>| keeps_rights(act).and_then(|()| work(act));
        let by = self.visitor.actor.clone();
        self.app.write(by, Undo::Alone, still).await
    }
}

impl FromRequestParts<Shared> for Visitor {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &Shared) -> ApiResult<Self> {
        let client = Client::from_request_parts(parts, app).await?;
        let address = client
            .address()
            .ok_or_else(|| ApiError::not_there("Questo indirizzo non esiste."))?;
        let Ok(jar) = Jar::from_request_parts(parts, app).await;
        let agent = parts
            .headers
            .get(header::USER_AGENT)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default();
        Ok(Self {
            jar,
            address,
            actor: Actor {
                ip: address.to_string(),
                user_agent: agent.to_owned(),
                person: None,
            },
            browser: jar
                .values(&parts.headers, &BROWSER)
                .next()
                .map(|(_, value)| value.to_owned()),
        })
    }
}

/// A request with the cookie of a session that was not checked yet. It reads by [`UnprovenSession::read`] alone.
pub struct UnprovenSession {
    pub(super) app: Shared,
    visitor: Visitor,
    cookies: Vec<[u8; 32]>,
    background: bool,
}

impl FromRequestParts<Shared> for UnprovenSession {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &Shared) -> ApiResult<Self> {
        let visitor = Visitor::from_request_parts(parts, app).await?;
        let tokens = visitor.jar.values(&parts.headers, &SESSION);
        let cookies: Vec<_> = tokens
            .map(|(_, token)| token_hash(&app.vault, SESSION.name, token))
            .collect();
        if cookies.is_empty() {
            return Err(Kind::UNAUTHENTICATED.into());
        }
        Ok(Self {
            cookies,
            visitor,
            background: parts.headers.contains_key(BACKGROUND),
            app: Shared::clone(app),
        })
    }
}

impl UnprovenSession {
    /// Reads in the one snapshot in which the session was proved, with its person; `None` for the shared password.
    pub async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(Reading<'_>, &Snapshot<'_>, Option<&Person>) -> ApiResult<T> + Send + 'static,
    ) -> ApiResult<T> {
        self.proven(false, work).await?.1
    }

    /// `own`: what is asked for is one's own alone.
    pub async fn admitted(&self, own: bool) -> ApiResult<Reader> {
        let ((rights, end), _) = self.proven(own, |_, _, _| Ok(())).await?;
        let mut visitor = self.visitor.clone();
        visitor.actor.person = rights.person;
        Ok(Reader {
            app: Shared::clone(&self.app),
            visitor,
            token_hash: rights.session.token_hash,
            background: self.background,
            second_factor: rights.second_factor,
            end,
        })
    }

    /// The session and when it ends, and what was read beside it.
    async fn proven<T: Send + 'static>(
        &self,
        own: bool,
        work: impl FnOnce(Reading<'_>, &Snapshot<'_>, Option<&Person>) -> ApiResult<T> + Send + 'static,
    ) -> ApiResult<((SessionRights, i64), ApiResult<T>)> {
        let (now, settings) = (self.app.clock.now_ms(), self.app.settings().await?);
        let (cookies, address) = (self.cookies.clone(), self.visitor.address);
        let in_force = Arc::clone(&settings);
        let host = self.app.passkeys.host().map(str::to_owned);
        let read = self.app.read(move |app, snapshot| {
            let security = &in_force.security;
            let rights =
                |hash| session_rights(snapshot, &app.vault, hash, (security, host.as_deref()), now);
            let found = cookies.iter().find_map(|hash| rights(hash).transpose());
            let rights = found.transpose()?.ok_or(Kind::UNAUTHENTICATED)?;
            admit_address(security, snapshot, address)?;
            if rights.second_factor == SecondFactorState::Required && !own {
                return Err(Kind::SECOND_FACTOR_FIRST.into());
            }
            let person = rights.person.as_deref();
            let visible = person.map_or(Sight::ALL, |person| person.departments.clone());
            let made = work(app.reading(), &snapshot.seeing(&visible), person);
            Ok::<_, ApiError>((rights, made))
        });
        let read = read.await;
        let (rights, made) =
            read.inspect_err(|error| note_denial(&self.app, &self.visitor, error))?;
        let session = &rights.session;
        let seen = if self.background {
            session.last_seen
        } else {
            now
        };
        if seen - session.last_seen >= TOUCH_EVERY_MS {
            touch(&self.app, session.token_hash).await?;
        }
        let end = session_end(session, seen, now, &settings.security);
        Ok(((rights, end), made))
    }
}

impl FromRequestParts<Shared> for Reader {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &Shared) -> ApiResult<Self> {
        let session = UnprovenSession::from_request_parts(parts, app).await?;
        session.admitted(false).await
    }
}

impl FromRequestParts<Shared> for OwnAccount {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &Shared) -> ApiResult<Self> {
        let session = UnprovenSession::from_request_parts(parts, app).await?;
        session.admitted(true).await.map(Self)
    }
}

macro_rules! roles {
    ($($(#[$about:meta])* $name:ident = $role:ident;)+) => {$(
        $(#[$about])*
        #[derive(Clone)]
        pub struct $name(Reader);

        impl Deref for $name {
            type Target = Reader;

            fn deref(&self) -> &Reader {
                &self.0
            }
        }

        impl FromRequestParts<Shared> for $name {
            type Rejection = ApiError;

            async fn from_request_parts(parts: &mut Parts, app: &Shared) -> ApiResult<Self> {
                let reader = Reader::from_request_parts(parts, app).await?;
                if !reader.visitor.actor.may(Role::$role) {
                    return Err(Kind::ROLE.into());
                }
                Ok(Self(reader))
            }
        }
    )+};
}

roles! {
    /// A person who also changes reports.
    Editor = Redattore;
    /// A person who may do everything.
    Administrator = Amministratore;
}

/// Notes activity. A full disk must not keep an editor from reading: the session then just ends sooner.
async fn touch(app: &Shared, token_hash: [u8; 32]) -> ApiResult<()> {
    let touched = app.change(move |act| note_activity(act, &token_hash));
    touched
        .await
        .or_else(|error| error.tolerated_while_reading("activity was not noted"))
}

/// Refuses an address that the allow-list shuts out; an empty list admits every address.
pub async fn refuse_address(app: &Shared, visitor: &Visitor) -> ApiResult<()> {
    let (settings, address) = (app.settings().await?, visitor.address);
    if settings.security.allows(address) {
        return Ok(());
    }
    let admitted =
        app.read(move |_, snapshot| admit_address(&settings.security, snapshot, address));
    admitted
        .await
        .inspect_err(|error| note_denial(app, visitor, error))
}

fn note_denial(app: &App, visitor: &Visitor, error: &ApiError) {
    if error.is(Kind::ADDRESS_REFUSED) {
        let now = app.clock.now_ms();
        app.visitors
            .denials
            .note(Action::AccessDenied, &visitor.actor, now);
    }
}

fn admit_address(in_force: &Security, snapshot: &Snapshot<'_>, address: IpAddr) -> ApiResult<()> {
    // `reset-password` may have lifted it beside this server.
    if in_force.allows(address) || load::<Security>(snapshot)?.allows(address) {
        return Ok(());
    }
    Err(Kind::ADDRESS_REFUSED.into())
}

/// The value of a new cookie or link, and its mark, from 256 random bits.
pub fn new_cookie(vault: &Vault, name: &str, random: &[u8; 32]) -> (String, [u8; 32]) {
    let value = URL_SAFE_NO_PAD.encode(random);
    let hash = token_hash(vault, name, &value);
    (value, hash)
}

/// The keyed hash that is stored in place of a token: write access to the database does not suffice to make one.
pub fn token_hash(vault: &Vault, name: &str, token: &str) -> [u8; 32] {
    vault.stamp().mark(name, [token.as_bytes()])
}
