//! The caller's own account: the second factor, the sessions and notices by mail. Must never show a secret but in the
//! one answer that makes it, nor reach what belongs to another person.

use axum::response::NoContent;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::actions::access::account::ProvenPassword;
use crate::actions::access::sign_in::{SessionSelection, end_own};
use crate::actions::people::notices::{AddressToConfirm, MailNotices};
use crate::actions::people::{notices, second_factor};
use crate::deliveries::letter::{Frame, render_link};
use crate::deliveries::notices::post;
use crate::domain::delivery::{DEMO, Outcome};
use crate::domain::person::Person;
use crate::domain::text;
use crate::http::path::SessionId;
use crate::http::routes::access::session::{origin, prove};
use crate::http::routes::{
    Answer, ApiError, ApiResult, Json, Kind, List, OwnAccount, Reader, Token, list_of, refusal,
};
use crate::http::state::{Mode, turn_at};
use crate::readings::people::{self, SessionOut};
use crate::vault::{TotpFactor, new_totp_secret, totp_uri};

const NO_FACTOR: &str = "Il secondo fattore è di chi accede con un nome utente.";
const NO_NOTICES: &str = "Gli avvisi sono di chi accede con un nome utente.";

/// Without fields it asks for a secret; with all three it sets that secret up.
#[derive(Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TotpRequest {
    /// The secret from the earlier answer.
    secret: Option<String>,
    /// The code that the app shows.
    code: Option<String>,
    /// The caller's password.
    password: Option<String>,
}

/// A secret for an authenticator app, which takes effect once it is sent back with a code; after that, the recovery
/// codes.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase", untagged)]
pub enum TotpAnswer {
    /// A secret for an authenticator app.
    Offered(TotpOffer),
    /// Recovery codes, once the second factor is set up.
    SetUp(TotpCodes),
}

/// A secret for an app.
#[derive(Serialize, ToSchema)]
pub struct TotpOffer {
    /// In Base32, to be typed.
    secret: String,
    /// As a link (`otpauth:`), for a QR code.
    uri: String,
}

/// Recovery codes, shown once.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TotpCodes {
    /// Ten codes, each valid once instead of a code of the app.
    recovery_codes: Vec<String>,
}

/// The caller's password.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct OwnPassword {
    /// The password, as typed.
    pub(super) password: String,
}

/// Sets up the caller's second factor, in two calls. The first, with an empty body, returns a secret. The second sends
/// that secret, a code made from it and the password.
#[utoipa::path(post, path = "/account/totp", tag = "account", request_body = TotpRequest,
    responses((status = 200, body = TotpAnswer)))]
pub async fn set_up_totp(
    OwnAccount(admin): OwnAccount,
    Json(asked): Json<TotpRequest>,
) -> Answer<TotpAnswer> {
    let user = named(&admin, NO_FACTOR)?.user;
    let (Some(secret), Some(code), Some(password)) = (asked.secret, asked.code, asked.password)
    else {
        let offered = offer(&admin, &user).await;
        return offered.map(|offer| Json(TotpAnswer::Offered(offer)));
    };
    let begun = TotpFactor::begin(&secret, &code, admin.clock.now_ms());
    let begun = begun.map_err(|_| refusal("secret", "format", "Ricomincia da capo."))?;
    let (factor, recovery_codes) = begun.ok_or_else(|| {
        let message = "Il codice non corrisponde: usa quello che l'app mostra adesso.";
        refusal("code", "mismatch", message)
    })?;
    let proven = proven(&admin, user, password).await?;
    let done = admin.change(move |act| second_factor::set_up(act, &proven, &factor));
    done.await?;
    Ok(Json(TotpAnswer::SetUp(TotpCodes { recovery_codes })))
}

/// Removes the caller's second factor.
#[utoipa::path(delete, path = "/account/totp", tag = "account", request_body = OwnPassword,
    responses((status = 204, description = "The second factor is removed")))]
pub async fn drop_totp(
    OwnAccount(admin): OwnAccount,
    Json(own): Json<OwnPassword>,
) -> ApiResult<NoContent> {
    let user = named(&admin, NO_FACTOR)?.user;
    let proven = proven(&admin, user, own.password).await?;
    let host = admin.passkeys.host().map(str::to_owned);
    let done = admin.change(move |act| second_factor::take_away(act, &proven, host.as_deref()));
    done.await.map(|()| NoContent)
}

/// Who is logged in; refused for the shared password.
pub(super) fn named(admin: &Reader, refused: &'static str) -> ApiResult<Person> {
    let person = admin.person().cloned();
    person.ok_or_else(|| Kind::CONFLICT.saying(refused))
}

pub(super) async fn proven(
    admin: &Reader,
    user: String,
    password: String,
) -> ApiResult<ProvenPassword> {
    let origin = origin(admin, &admin.visitor, None);
    prove(admin, &admin.visitor, origin, Some(user), password).await
}

async fn offer(admin: &Reader, user: &str) -> ApiResult<TotpOffer> {
    let secret = new_totp_secret()?;
    let issuer = &admin.settings().await?.system.product_name;
    let uri = totp_uri(&secret, issuer, user)?;
    Ok(TotpOffer {
        secret: secret.to_string(),
        uri,
    })
}

/// The caller's sessions, the most recently used first. With the shared password these are all sessions of that
/// password.
#[utoipa::path(get, path = "/account/sessions", tag = "account",
    responses((status = 200, body = List<SessionOut>)))]
pub async fn own_sessions(OwnAccount(admin): OwnAccount) -> Answer<List<SessionOut>> {
    let (own, person) = (admin.token_hash, admin.visitor.actor.author());
    let list = admin.read(move |_, snapshot| people::sessions(snapshot, person.as_deref(), &own));
    list.await.map(list_of).map(Json)
}

/// Ends all sessions of the caller except this one.
#[utoipa::path(delete, path = "/account/sessions", tag = "account", responses((status = 204, description = "Ended")))]
pub async fn end_other_sessions(OwnAccount(admin): OwnAccount) -> ApiResult<NoContent> {
    let own = admin.token_hash;
    let ended = admin.change(move |act| end_own(act, SessionSelection::AllBut(&own)));
    ended.await.map(|_| NoContent)
}

/// Ends one of the caller's sessions.
#[utoipa::path(delete, path = "/account/sessions/{id}", tag = "account", params(SessionId),
    responses((status = 204, description = "Ended")))]
pub async fn end_own_session(
    OwnAccount(admin): OwnAccount,
    SessionId(id): SessionId,
) -> ApiResult<NoContent> {
    let id = hex::decode(id).unwrap_or_default();
    let ended = admin.change(move |act| end_own(act, SessionSelection::One(&id)));
    match ended.await? {
        0 => Err(ApiError::not_there("Questa sessione è già finita.")),
        _ => Ok(NoContent),
    }
}

/// The caller's own notification address, and when notices go there.
#[utoipa::path(get, operation_id = "account", path = "/account", tag = "account", responses((status = 200, body = MailNotices)))]
pub async fn own_account(admin: Reader) -> Answer<MailNotices> {
    let person = named(&admin, NO_NOTICES)?;
    let read = admin.read(move |_, snapshot| people::account(snapshot, &person));
    read.await.map(Json)
}

/// Saves the caller's notification settings. A new address takes effect once the link that is mailed to it has been
/// followed.
#[utoipa::path(put, path = "/account", tag = "account", request_body = MailNotices,
    responses((status = 204, description = "Saved; a link was mailed to a new address")))]
pub async fn change_account(admin: Reader, Json(new): Json<MailNotices>) -> ApiResult<NoContent> {
    let person = named(&admin, NO_NOTICES)?;
    let id = person.id.clone();
    let saved = admin.change(move |act| notices::change(act, &person, new));
    let Some(AddressToConfirm { email, token }) = saved.await? else {
        return Ok(NoContent);
    };
    send_link(&admin, &id, email, &token).await
}

/// Mails the link by which an address is confirmed, as often as a day allows.
async fn send_link(
    admin: &Reader,
    person: &str,
    address: String,
    token: &str,
) -> ApiResult<NoContent> {
    let unsent = |message: String| refusal("email", "unsent", message);
    if admin.mode == Mode::Demo {
        return Err(unsent(DEMO.to_owned()));
    }
    let mailbox = admin.vault.mask_client(text::lower(&address).as_bytes());
    let links = &admin.quotas.links;
    let charged = links.charge(person, mailbox);
    charged.map_err(|seconds| Kind::TOO_MANY_LINKS.again_in(seconds))?;
    let outcome = post_link(admin, address, token).await;
    if !matches!(outcome, Ok(Ok(()))) {
        links.refund(person, mailbox);
    }
    let sent = outcome?.map_err(|failure| unsent(failure.message));
    sent.map(|()| NoContent)
}

async fn post_link(admin: &Reader, address: String, token: &str) -> ApiResult<Outcome> {
    let link = format!("{}/account?email={token}", admin.panel);
    let _turn = turn_at(&admin.turns.outward)?;
    let sent = admin.compute(move |app| {
        let render = |frame: &Frame<'_>| render_link(frame, &link);
        Ok::<_, ApiError>(post(app, &app.outbound.awaited(), &address, render))
    });
    sent.await
}

/// Confirms the caller's notification address with the token that was mailed to it.
#[utoipa::path(post, path = "/account/email", tag = "account", request_body = Token,
    responses((status = 204, description = "Confirmed")))]
pub async fn confirm_email(admin: Reader, Json(asked): Json<Token>) -> ApiResult<NoContent> {
    let person = named(&admin, NO_NOTICES)?;
    let confirmed = admin.change(move |act| notices::confirm(act, &person, &asked.token));
    confirmed.await.map(|()| NoContent)
}
