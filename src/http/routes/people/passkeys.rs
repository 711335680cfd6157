//! The caller's own passkeys. Must never ask for a new one before the password was proved, nor reach another person's.

use axum::http::StatusCode;
use axum::response::NoContent;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::actions;
use crate::actions::access::account::ProvenPassword;
use crate::actions::people::passkeys::{self, NewPasskey};
use crate::domain::person::{self, Person};
use crate::http::client_address::limiter_key;
use crate::http::erasing::complete_removal;
use crate::http::passkeys::{AskedAt, AskedNew, Place};
use crate::http::path::PasskeyId;
use crate::http::routes::people::account::{OwnPassword, named, proven};
use crate::http::routes::{Answer, ApiError, ApiResult, Json, Kind, OwnAccount, Reader, refusal};
use crate::http::state::Mode;
use crate::readings::archive::sealed_mode::sealed_mode;
use crate::readings::people::{self, PasskeyOut};
use crate::vault::Secret32;
use crate::vault::passkey::{Holder, Site, computed};

const NO_PASSKEYS: &str = "Le passkey sono di chi accede con un nome utente.";

/// The caller's passkeys.
#[derive(Default, Serialize, ToSchema)]
pub struct OwnPasskeys {
    /// The first made before the others.
    data: Vec<PasskeyOut>,
    /// The address at which passkeys are valid; null where there is none, and for the shared password.
    host: Option<String>,
    /// Whether one may be added at the address of this call.
    offered: bool,
    /// Whether sealed mode is on, so that it matters which of them open the reports.
    sealed: bool,
}

/// A question to the authenticator that is to make a passkey.
#[derive(Serialize, ToSchema)]
pub struct NewPasskeyQuestion {
    /// Name of the question, to be sent back with the answer. It is valid once and for five minutes.
    question: String,
    /// What `PublicKeyCredential.parseCreationOptionsFromJSON()` takes (`PublicKeyCredentialCreationOptionsJSON`).
    #[schema(value_type = Object)]
    options: Value,
}

/// A passkey that an authenticator made.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewPasskeyAnswer {
    /// Name of the question.
    question: String,
    /// The credential as JSON (`RegistrationResponseJSON`).
    #[schema(value_type = Object)]
    answer: Value,
    /// The name to be shown.
    #[schema(max_length = 60)]
    name: String,
    /// The first result of the extension `prf`: 32 bytes in base64url; null where the browser gave none.
    opens: Option<String>,
}

/// Another name.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PasskeyName {
    /// The name to be shown.
    #[schema(max_length = 60)]
    name: String,
}

/// The caller's passkeys, and where they are valid.
#[utoipa::path(get, path = "/account/passkeys", tag = "account", responses((status = 200, body = OwnPasskeys)))]
pub async fn own_passkeys(OwnAccount(admin): OwnAccount, asked: AskedAt) -> Answer<OwnPasskeys> {
    let Some(id) = admin.visitor.actor.author() else {
        return Ok(Json(OwnPasskeys::default()));
    };
    let (host, offered) = match admin.passkeys.place(&asked) {
        Place::Here(site) => (Some(site.origin.clone()), true),
        Place::Elsewhere(site) => (Some(site.origin.clone()), false),
        Place::Nowhere => (None, false),
    };
    let list = admin.read(move |reading, snapshot| {
        let sealed = sealed_mode(reading, snapshot)?.sealed;
        Ok::<_, actions::Error>((people::passkeys(reading, snapshot, &id)?, sealed))
    });
    let (data, sealed) = list.await?;
    Ok(Json(OwnPasskeys {
        data,
        host,
        offered,
        sealed,
    }))
}

/// Asks for a new passkey. Takes the caller's password.
#[utoipa::path(post, path = "/account/passkeys/question", tag = "account", request_body = OwnPassword,
    responses((status = 200, body = NewPasskeyQuestion)))]
pub async fn ask_for_passkey(
    OwnAccount(admin): OwnAccount,
    asked: AskedAt,
    Json(own): Json<OwnPassword>,
) -> Answer<NewPasskeyQuestion> {
    let person = named(&admin, NO_PASSKEYS)?;
    let site = site(&admin, &asked)?;
    let proven = proven(&admin, person.user.clone(), own.password).await?;
    if admin.mode == Mode::Demo {
        let message = "Nella dimostrazione non si aggiungono passkey.";
        return Err(refusal("password", "demo", message));
    }
    ask(&admin, &person, site, proven).await.map(Json)
}

async fn ask(
    admin: &Reader,
    person: &Person,
    site: Site,
    proven: ProvenPassword,
) -> ApiResult<NewPasskeyQuestion> {
    let credential = proven.credential.clone();
    let begun = admin.change(move |act| passkeys::begin(act, &proven));
    let holder = Holder {
        id: &person.id,
        user: &person.user,
        name: &person.name,
        handles: begun.await?.into_iter().map(|row| row.handle).collect(),
    };
    let (question, options) = site.ask_new(&admin.settings().await?.system.product_name, holder)?;
    let new = AskedNew {
        question,
        session: admin.token_hash,
        proved: credential,
        host: site.host,
    };
    let (client, now) = (limiter_key(admin.visitor.address), admin.clock.now_ms());
    let question = admin.passkeys.hold_new(new, client, now)?;
    Ok(NewPasskeyQuestion { question, options })
}

fn site(admin: &Reader, asked: &AskedAt) -> ApiResult<Site> {
    match admin.passkeys.place(asked) {
        Place::Here(site) => Ok(site.clone()),
        Place::Elsewhere(site) => {
            let at = &site.origin;
            Err(Kind::CONFLICT.saying(format!("Le passkey si aggiungono su {at}.")))
        }
        Place::Nowhere => Err(Kind::CONFLICT.saying(
            "Qui le passkey non sono possibili: chi gestisce il server imposta public_url con https.",
        )),
    }
}

/// Adds the passkey that an authenticator made.
#[utoipa::path(post, path = "/account/passkeys", tag = "account", request_body = NewPasskeyAnswer,
    responses((status = 201, body = PasskeyOut)))]
pub async fn add_passkey(
    OwnAccount(admin): OwnAccount,
    Json(new): Json<NewPasskeyAnswer>,
) -> ApiResult<(StatusCode, Json<PasskeyOut>)> {
    let person = named(&admin, NO_PASSKEYS)?;
    let new = accepted(&admin, new)?;
    let added = admin.change(move |act| passkeys::add(act, &person, &new));
    shown(&admin, added.await?)
        .await
        .map(|passkey| (StatusCode::CREATED, passkey))
}

/// What an authenticator made for the question that was put to this session.
fn accepted(admin: &Reader, new: NewPasskeyAnswer) -> ApiResult<NewPasskey> {
    // Before the question is spent: a name can be written again, a passkey that was made is made once.
    person::name(&new.name).map_err(|refused| ApiError::invalid(vec![refused]))?;
    let now = admin.clock.now_ms();
    let asked = admin
        .passkeys
        .take_new(&new.question, &admin.token_hash, now);
    let late = || refusal("question", "expired", "È passato troppo tempo: ricomincia.");
    let asked = asked.ok_or_else(late)?;
    let made = asked.question.accept(new.answer).map_err(|_| {
        let message = "La passkey non è valida: riprova, o usa un altro telefono o computer.";
        refusal("answer", "invalid", message)
    })?;
    Ok(NewPasskey {
        proved: asked.proved,
        host: asked.host,
        name: new.name,
        computed: new.opens.as_deref().and_then(computed),
        salt: *Secret32::random()?.expose(),
        made,
    })
}

async fn shown(admin: &Reader, id: String) -> Answer<PasskeyOut> {
    let read = admin.read(move |reading, snapshot| people::passkey(reading, snapshot, &id));
    read.await.map(Json)
}

/// Gives a passkey another name.
#[utoipa::path(patch, path = "/account/passkeys/{id}", tag = "account", params(PasskeyId), request_body = PasskeyName,
    responses((status = 200, body = PasskeyOut)))]
pub async fn rename_passkey(
    OwnAccount(admin): OwnAccount,
    PasskeyId(id): PasskeyId,
    Json(change): Json<PasskeyName>,
) -> Answer<PasskeyOut> {
    let person = named(&admin, NO_PASSKEYS)?;
    let named = id.clone();
    let renamed = admin.change(move |act| passkeys::rename(act, &person, &named, &change.name));
    renamed.await?;
    shown(&admin, id).await
}

/// Removes a passkey, and ends the sessions that began by it.
#[utoipa::path(delete, path = "/account/passkeys/{id}", tag = "account", params(PasskeyId),
    responses((status = 204, description = "Removed")))]
pub async fn remove_passkey(
    OwnAccount(admin): OwnAccount,
    PasskeyId(id): PasskeyId,
) -> ApiResult<NoContent> {
    let person = named(&admin, NO_PASSKEYS)?;
    let host = admin.passkeys.host().map(str::to_owned);
    let removed = admin.change(move |act| passkeys::remove(act, &person, &id, host.as_deref()));
    removed.await?;
    complete_removal(&admin).await.map(|()| NoContent)
}
