//! First set-up from the one-time link, logging in and out, and changing one's password. Must never try a password before its
//! attempt is counted, nor keep anything of a set-up before the recovery code was typed back.

use axum::extract::State;
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::{AppendHeaders, IntoResponse, NoContent, Response};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::actions::access::account::ProvenPassword;
use crate::actions::access::log_access::Actor;
use crate::actions::access::login_limit::{self, Account, Admission, Attempt, Origin};
use crate::actions::access::set_password::{self, Credential, NewPassword, set_up};
use crate::actions::access::sign_in::{
    self, LoginOutcome, SecondFactor, SessionSelection, begin_session, end_own,
};
use crate::actions::people::second_factor::CodeCheck;
use crate::domain::moment::rfc3339;
use crate::domain::person::{self, Role, SecondFactorState};
use crate::domain::routing::DepartmentKey;
use crate::domain::settings::System;
use crate::http::admin::{
    BROWSER, BROWSER_AGE, LINK, SESSION, Visitor, new_cookie, refuse_address, token_hash,
};
use crate::http::client_address::{limiter_key, network_key};
use crate::http::key_copy::align;
use crate::http::request_id::request_id;
use crate::http::routes::{
    Answer, ApiError, ApiResult, App, Json, Kind, OwnAccount, Reader, Shared, refusal,
};
use crate::http::state::Mode;
use crate::store::{Action, Undo};
use crate::vault::{RecoveryCode, Secret32};

/// Asks for a recovery code.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SetupCodeRequest {
    /// Token of the set-up link.
    pub token: String,
    /// The password to be set.
    pub password: String,
}

/// The recovery code, shown once.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SetupCode {
    /// The code, as groups of letters.
    #[schema(example = "BCDF-GHJK-LMNP-RSTV-BCDF-GHJK-LMNP-RSTV")]
    pub recovery_code: String,
}

/// Sets the first password.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct SetupRequest {
    /// Token of the set-up link.
    pub token: String,
    /// The password to be set.
    pub password: String,
    /// The recovery code, typed back.
    pub recovery_code: String,
}

/// Checks the password and shows a recovery code.
#[utoipa::path(post, path = "/setup/recovery-code", tag = "accesso", request_body = SetupCodeRequest,
    responses((status = 200, body = SetupCode)))]
pub async fn recovery_code(
    State(app): State<Shared>,
    visitor: Visitor,
    Json(asked): Json<SetupCodeRequest>,
) -> Answer<SetupCode> {
    may_set_up(&app, &visitor, &asked.token, &asked.password).await?;
    let code = RecoveryCode::generate()?;
    let recovery_code = code.to_string();
    if !app.setup.offer(&asked.token, app.clock.now_ms(), code) {
        return Err(Kind::BAD_LINK.into());
    }
    Ok(Json(SetupCode { recovery_code }))
}

/// Sets the first password and logs in.
#[utoipa::path(post, path = "/setup", tag = "accesso", request_body = SetupRequest,
    responses((status = 204, description = "The password is set; sets the session cookie")))]
pub async fn setup(
    State(app): State<Shared>,
    visitor: Visitor,
    Json(asked): Json<SetupRequest>,
) -> ApiResult<Response> {
    may_set_up(&app, &visitor, &asked.token, &asked.password).await?;
    let typed = RecoveryCode::parse(&asked.recovery_code).ok();
    let right = typed.filter(|code| app.setup.typed_back(&asked.token, app.clock.now_ms(), code));
    let code = right.ok_or_else(|| {
        let message = "Il codice non corrisponde a quello mostrato: ricontrolla le lettere.";
        refusal("recoveryCode", "mismatch", message)
    })?;
    let password = derive_new(&app, asked.password).await?;
    let origin = origin(&app, &visitor, None);
    let set = app.write(visitor.actor.clone(), Undo::Alone, move |act| {
        set_up(act, &password, &code)?;
        let attempt = login_limit::attempt(act, &origin, Account::Shared)?;
        Ok(password.proven(attempt))
    });
    let proven = set.await?;
    app.setup.spend();
    open_session(&app, visitor, proven, None).await
}

/// Who may set up: the holder of the valid link, from an allowed address, while no password is set, with a good password.
async fn may_set_up(app: &Shared, visitor: &Visitor, token: &str, password: &str) -> ApiResult<()> {
    let settings = app.settings().await?;
    let credential = app.read(|_, snapshot| snapshot.credential()).await?;
    refuse_address(app, visitor).await?;
    if credential.is_some() {
        return Err(Kind::ALREADY_SET_UP.into());
    }
    if !app.setup.admits(token, app.clock.now_ms()) {
        return Err(Kind::BAD_LINK.into());
    }
    check_new("password", password, &settings.system, &[])
}

/// The shared password, or a user name with that person's password.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Login {
    /// The password, as typed.
    pub password: String,
    /// The name to log in by; absent for the shared password.
    pub user: Option<String>,
    /// A code of the second factor, or one of its recovery codes.
    pub code: Option<String>,
    /// Token of a login link, which makes this a known browser.
    pub link: Option<String>,
}

/// A change of password.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PasswordChange {
    /// The present password.
    pub current: String,
    /// The new password.
    pub new: String,
}

/// Who is logged in.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Session {
    /// When the session ends without further activity; RFC 3339, UTC.
    pub expires_at: String,
    /// Minutes of inactivity that end it.
    pub idle_timeout_minutes: u32,
    /// Id of the logged-in person. This and the fields below are null for the shared password.
    pub id: Option<String>,
    /// First name and surname.
    pub name: Option<String>,
    /// The name they log in by.
    pub user: Option<String>,
    /// Their role.
    pub role: Option<Role>,
    /// Departments that they see; empty: all.
    pub departments: Option<Vec<DepartmentKey>>,
    /// The person's second factor. `required` means that it, or a passkey, must be set up before any other call.
    pub second_factor: Option<SecondFactorState>,
    /// Whether the reports are sealed and closed at the moment: this login did not open them.
    pub locked: bool,
}

/// The caller's password.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Unlock {
    /// The password, as typed.
    pub password: String,
}

/// Logs in.
#[utoipa::path(post, path = "/session", tag = "accesso", request_body = Login,
    responses((status = 204, description = "Logged in; sets the session cookie")))]
pub async fn log_in(
    State(app): State<Shared>,
    visitor: Visitor,
    Json(login): Json<Login>,
) -> ApiResult<Response> {
    let answer = enter(&app, visitor, login).await;
    counted(&app, answer)
}

/// The answer to a login, counted by its status.
pub(in crate::http::routes) fn counted(
    app: &App,
    answer: ApiResult<Response>,
) -> ApiResult<Response> {
    let status = answer
        .as_ref()
        .map_or_else(ApiError::status, Response::status);
    app.metrics.login(status.as_u16());
    answer
}

async fn enter(app: &Shared, visitor: Visitor, login: Login) -> ApiResult<Response> {
    let origin = origin(app, &visitor, login.link.as_deref());
    let user = login.user.as_deref().map(person::user);
    let proven = prove(app, &visitor, origin, user, login.password).await?;
    open_session(app, visitor, proven, login.code).await
}

/// The logged-in user.
#[utoipa::path(get, path = "/session", tag = "accesso", responses((status = 200, body = Session)))]
pub async fn who_am_i(OwnAccount(admin): OwnAccount) -> Answer<Session> {
    let (person, settings) = (admin.person(), admin.settings().await?);
    let departments = &settings.email.departments;
    Ok(Json(Session {
        expires_at: rfc3339(admin.end),
        idle_timeout_minutes: settings.security.session_timeout,
        id: person.map(|person| person.id.clone()),
        name: person.map(|person| person.name.clone()),
        user: person.map(|person| person.user.clone()),
        role: person.map(|person| person.role),
        departments: person.map(|person| person.departments.named(departments)),
        second_factor: person.map(|_| admin.second_factor),
        locked: !admin.vault.is_unlocked(),
    }))
}

/// Opens the sealed reports with the caller's password, after a login that did not.
#[utoipa::path(post, path = "/session/unlock", tag = "accesso", request_body = Unlock,
    responses((status = 204, description = "The reports can be read")))]
pub async fn unlock(
    OwnAccount(admin): OwnAccount,
    Json(own): Json<Unlock>,
) -> ApiResult<NoContent> {
    let user = admin.person().map(|person| person.user.clone());
    let origin = origin(&admin, &admin.visitor, None);
    let proven = prove(&admin, &admin.visitor, origin, user, own.password).await?;
    let opened = admin.change(move |act| sign_in::unlock(act, &proven));
    let LoginOutcome::In { key_file_agrees } = opened.await? else {
        return Err(Kind::ALTERED.into());
    };
    if !key_file_agrees {
        keep_up(&admin).await?;
    }
    Ok(NoContent)
}

/// Logs out.
#[utoipa::path(delete, path = "/session", tag = "accesso", responses((status = 204, description = "The session has ended")))]
pub async fn log_out(OwnAccount(admin): OwnAccount) -> ApiResult<Response> {
    let (session, jar) = (admin.token_hash, admin.visitor.jar);
    let ended = admin
        .change(move |act| end_own(act, SessionSelection::One(&session)))
        .await;
    // On a full disk the session can only end by itself, but this browser need not keep its key.
    let answer = ended.map(|_| NoContent);
    // Pages that the back button would show. Storage and cookies stay: a report that waits to be sent may be there.
    let leave = HeaderValue::from_static("\"cache\"");
    let headers = [
        (header::SET_COOKIE, jar.set(&SESSION, "", Some(0))?),
        (HeaderName::from_static("clear-site-data"), leave),
    ];
    Ok((headers, answer).into_response())
}

/// Changes the password. All other sessions end; this one continues under a new cookie.
#[utoipa::path(put, path = "/password", tag = "accesso", request_body = PasswordChange,
    responses((status = 204, description = "The password is changed; sets the new session cookie")))]
pub async fn change_password(
    admin: Reader,
    Json(change): Json<PasswordChange>,
) -> ApiResult<Response> {
    let person = admin.person();
    let own = person.map(|person| [person.name.as_str(), &person.user]);
    let own = own.as_ref().map_or(&[][..], |own| own);
    check_new("new", &change.new, &admin.settings().await?.system, own)?;
    let origin = origin(&admin, &admin.visitor, None);
    let user = person.map(|person| person.user.clone());
    let proven = prove(&admin, &admin.visitor, origin, user, change.current).await?;
    if admin.mode == Mode::Demo {
        let message = "Nella dimostrazione la password resta quella della pagina di accesso.";
        return Err(refusal("new", "demo", message));
    }
    let password = derive_new(&admin, change.new).await?;
    let (value, mark) = new_cookie(&admin.vault, SESSION.name, Secret32::random()?.expose());
    let changed = admin.change(move |act| set_password::change(act, &proven, &password, &mark));
    changed.await?;
    let cookie = admin.visitor.jar.set(&SESSION, &value, None)?;
    Ok(([(header::SET_COOKIE, cookie)], NoContent).into_response())
}

pub(in crate::http::routes) fn check_new(
    field: &str,
    password: &str,
    system: &System,
    own: &[&str],
) -> ApiResult<()> {
    let checked = set_password::check(field, password, system, own);
    checked.map_err(|refused| ApiError::invalid(vec![refused]))
}

pub(in crate::http::routes) async fn derive_new(
    app: &Shared,
    password: String,
) -> ApiResult<NewPassword> {
    let params = app.password_params;
    let derive = move || NewPassword::derive(&password, params);
    Ok(app.turns.derive(true, derive).await??)
}

/// Where a visitor's attempts are counted: by keyed hashes of the address, or by the browser or a login link.
pub(in crate::http::routes) fn origin(app: &App, visitor: &Visitor, link: Option<&str>) -> Origin {
    let mark = |name, token: Option<&str>| token.map(|token| token_hash(&app.vault, name, token));
    let network = network_key(visitor.address);
    Origin {
        client: app.vault.mask_client(&limiter_key(visitor.address)),
        network: network.map(|network| app.vault.mask_client(&network)),
        browser: mark(BROWSER.name, visitor.browser.as_deref()),
        link: mark(LINK, link),
    }
}

/// Allow-list, then limit, then exactly one derivation, whatever name and password (security checklist: constant shape).
pub(in crate::http::routes) async fn prove(
    app: &Shared,
    visitor: &Visitor,
    origin: Origin,
    user: Option<String>,
    password: String,
) -> ApiResult<ProvenPassword> {
    refuse_address(app, visitor).await?;
    let admission = app.change(move |act| login_limit::admit(act, &origin, user.as_deref()));
    let (credential, attempt) = match admission.await? {
        Admission::Try(credential, attempt) => (credential, attempt),
        Admission::Wait { minutes, crowd } => {
            return Err(ApiError::too_many_attempts(minutes, crowd));
        }
        Admission::NotSetUp => return Err(Kind::NOT_SET_UP.into()),
    };
    let stored = Credential::read(&credential)?;
    let derive = move || stored.prove(&password);
    let known = attempt.is_known();
    let derived = app.turns.derive(known, derive).await??;
    let Some(derived) = derived.filter(|_| attempt.account != Account::Nobody) else {
        note_failure(app, &visitor.actor);
        return Err(Kind::WRONG_PASSWORD.into());
    };
    Ok(ProvenPassword {
        credential,
        slot_key: derived.slot_key,
        attempt,
    })
}

pub(in crate::http::routes) fn note_failure(app: &App, actor: &Actor) {
    app.visitors
        .denials
        .note(Action::LoginFailed, actor, app.clock.now_ms());
}

/// Begins a session of the account whose password was proved, and answers with its cookie and that of the browser.
pub(in crate::http::routes) async fn open_session(
    app: &Shared,
    visitor: Visitor,
    proven: ProvenPassword,
    code: Option<String>,
) -> ApiResult<Response> {
    let cookies = NewCookies::of(app, &visitor, &proven.attempt)?;
    let (mark, browser) = cookies.marks();
    let host = app.passkeys.host().map(str::to_owned);
    let begun = app.write(visitor.actor.clone(), Undo::Alone, move |act| {
        let second = SecondFactor {
            code: code.as_deref(),
            host: host.as_deref(),
        };
        begin_session(act, &proven, second, &mark, &browser)
    });
    match begun.await? {
        LoginOutcome::In {
            key_file_agrees: true,
        } => {}
        LoginOutcome::In { .. } => keep_up(app).await?,
        LoginOutcome::Refused => {
            note_failure(app, &visitor.actor);
            return Err(Kind::ALTERED.into());
        }
        LoginOutcome::CodeNeeded(CodeCheck::Wrong) => {
            note_failure(app, &visitor.actor);
            let text = "Codice non valido: usa quello che l'app mostra adesso. Ogni codice vale una volta.";
            return Err(Kind::SECOND_FACTOR.saying(text));
        }
        LoginOutcome::CodeNeeded(CodeCheck::Wait(minutes)) => {
            return Err(ApiError::too_many_attempts(minutes, false));
        }
        LoginOutcome::CodeNeeded(CodeCheck::Passkey) => return Err(Kind::PASSKEY_FIRST.into()),
        LoginOutcome::CodeNeeded(_) => return Err(Kind::SECOND_FACTOR.into()),
    }
    cookies.answer(&visitor)
}

/// The cookies of a login, with their marks: of the session, and of the browser, which goes on being known by the one that it brought.
pub(in crate::http::routes) struct NewCookies {
    session: (String, [u8; 32]),
    browser: (String, [u8; 32]),
}

impl NewCookies {
    pub fn of(app: &App, visitor: &Visitor, attempt: &Attempt) -> ApiResult<Self> {
        let new =
            |name| Ok::<_, ApiError>(new_cookie(&app.vault, name, Secret32::random()?.expose()));
        let browser = match (&visitor.browser, attempt.carried) {
            (Some(value), Some(hash)) => (value.clone(), hash),
            _ => new(BROWSER.name)?,
        };
        Ok(Self {
            session: new(SESSION.name)?,
            browser,
        })
    }

    pub const fn marks(&self) -> ([u8; 32], [u8; 32]) {
        (self.session.1, self.browser.1)
    }

    pub fn answer(&self, visitor: &Visitor) -> ApiResult<Response> {
        let cookies = [
            visitor.jar.set(&SESSION, &self.session.0, None)?,
            visitor
                .jar
                .set(&BROWSER, &self.browser.0, Some(BROWSER_AGE))?,
        ];
        let headers = AppendHeaders(cookies.map(|cookie| (header::SET_COOKIE, cookie)));
        Ok((headers, NoContent).into_response())
    }
}

/// Brings the key file in line with the database. What fails is tried again by the next login.
pub(in crate::http::routes) async fn keep_up(app: &Shared) -> ApiResult<()> {
    if let Err(error) = align(app).await? {
        tracing::error!(request = request_id(), %error, "the key file could not be brought in line with the archive");
    }
    Ok(())
}
