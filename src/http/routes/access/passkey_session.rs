//! Logging in by a passkey. Must never look at an answer before its attempt is counted, tell why one is not taken, nor refuse a page
//! that only asks whether there are any.

use axum::extract::State;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::actions::access::login_limit::Counted;
use crate::actions::access::passkey_login::{PasskeyOutcome, ProvenPasskey, admit, begin_session};
use crate::actions::people::passkeys::note_copy;
use crate::http::admin::{Visitor, refuse_address};
use crate::http::client_address::limiter_key;
use crate::http::passkeys::{AskedAt, Place};
use crate::http::request_id::request_id;
use crate::http::routes::access::session::{NewCookies, counted, keep_up, note_failure, origin};
use crate::http::routes::{Answer, ApiError, ApiResult, Json, Kind, Shared};
use crate::store::{PasskeyRow, Undo};
use crate::vault::passkey::{LoginAnswer, LoginQuestion, Refused, Site, computed};

/// Has no fields.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PasskeyAsked {}

/// A question to the authenticators of whoever wants to log in.
#[derive(Default, Serialize, ToSchema)]
pub struct PasskeyQuestion {
    /// Name of the question, to be sent back with the answer. It is valid once and for five minutes. Null, as are the options, where
    /// no passkey is valid at this address.
    question: Option<String>,
    /// What `PublicKeyCredential.parseRequestOptionsFromJSON()` takes (`PublicKeyCredentialRequestOptionsJSON`).
    #[schema(value_type = Option<Object>)]
    options: Option<Value>,
    /// The address at which passkeys are valid, where there are any and this is another.
    host: Option<String>,
}

/// An authenticator's answer.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PasskeyLogin {
    /// Name of the question.
    question: String,
    /// The credential as JSON (`AuthenticationResponseJSON`).
    #[schema(value_type = Object)]
    answer: Value,
    /// The first result of the extension `prf`: 32 bytes in base64url; null where the browser gave none.
    opens: Option<String>,
    /// Token of a login link, which makes this a known browser.
    link: Option<String>,
}

/// Asks whether passkeys are valid at this address, and for the question that one answers.
#[utoipa::path(post, path = "/session/passkey/question", tag = "accesso", request_body = PasskeyAsked,
    responses((status = 200, body = PasskeyQuestion)))]
pub async fn passkey_question(
    State(app): State<Shared>,
    visitor: Visitor,
    asked: AskedAt,
    Json(PasskeyAsked {}): Json<PasskeyAsked>,
) -> Answer<PasskeyQuestion> {
    Ok(Json(match app.passkeys.place(&asked) {
        Place::Here(site) if there_are_any(&app, &visitor, site).await? => {
            ask(&app, &visitor, site).await?
        }
        Place::Elsewhere(site) if there_are_any(&app, &visitor, site).await? => PasskeyQuestion {
            host: Some(site.origin.clone()),
            ..PasskeyQuestion::default()
        },
        _ => PasskeyQuestion::default(),
    }))
}

/// Whether anybody has one at this site; a client that the allow-list shuts out is told of none.
async fn there_are_any(app: &Shared, visitor: &Visitor, site: &Site) -> ApiResult<bool> {
    let host = site.host.clone();
    let any = app.read(move |_, snapshot| snapshot.has_passkeys_at(&host));
    let allows = app.settings().await?.security.allows(visitor.address);
    Ok(any.await? && allows)
}

async fn ask(app: &Shared, visitor: &Visitor, site: &Site) -> ApiResult<PasskeyQuestion> {
    let (question, options) = site.ask_login(&app.settings().await?.system.product_name)?;
    let (client, now) = (limiter_key(visitor.address), app.clock.now_ms());
    let question = app.passkeys.hold_login(question, client, now)?;
    Ok(PasskeyQuestion {
        question: Some(question),
        options: Some(options),
        host: None,
    })
}

/// Logs in by a passkey. No password and no code is asked for.
#[utoipa::path(post, path = "/session/passkey", tag = "accesso", request_body = PasskeyLogin,
    responses((status = 204, description = "Logged in; sets the session cookie")))]
pub async fn log_in_by_passkey(
    State(app): State<Shared>,
    visitor: Visitor,
    Json(login): Json<PasskeyLogin>,
) -> ApiResult<Response> {
    let answer = enter(&app, visitor, login).await;
    counted(&app, answer)
}

async fn enter(app: &Shared, visitor: Visitor, login: PasskeyLogin) -> ApiResult<Response> {
    refuse_address(app, &visitor).await?;
    let question = app.passkeys.take_login(&login.question, app.clock.now_ms());
    let answer = LoginAnswer::read(login.answer);
    let origin = origin(app, &visitor, login.link.as_deref());
    let host = question.as_ref().map(|question| question.host().to_owned());
    let admitted = app.change(move |act| {
        let host = host.as_deref().unwrap_or_default();
        let (row, counted) = admit(act, &origin, host, answer.as_ref())?;
        Ok((row, counted, answer))
    });
    let (row, counted, answer) = admitted.await?;
    let attempt = match counted {
        Counted::Try(attempt) => attempt,
        Counted::Wait { minutes, crowd } => {
            return Err(ApiError::too_many_attempts(minutes, crowd));
        }
    };
    let known = row.clone();
    let checked = app.compute(move |_| Ok::<_, ApiError>(check(question, answer, row)));
    let (row, credential) = match checked.await? {
        Ok(right) => right,
        Err(refused) => {
            note_failure(app, &visitor.actor);
            if let (Refused::CounterBack, Some(row)) = (refused, known) {
                note_counter_back(app, &visitor, row).await?;
            }
            return Err(Kind::PASSKEY.into());
        }
    };
    let proven = ProvenPasskey {
        row,
        credential,
        computed: login.opens.as_deref().and_then(computed),
        attempt,
    };
    open_session(app, visitor, proven).await
}

/// The passkey by which an answer is right, and how it is stored from now on where that is another.
fn check(
    question: Option<LoginQuestion>,
    answer: Option<LoginAnswer>,
    row: Option<PasskeyRow>,
) -> Result<(PasskeyRow, Option<String>), Refused> {
    let (Some(question), Some(answer), Some(row)) = (question, answer, row) else {
        return Err(Refused::Wrong);
    };
    let credential = question.accept(&answer, &row.credential)?;
    Ok((row, credential))
}

/// Says that there may be a copy of a passkey: nobody was let in by it.
async fn note_counter_back(app: &Shared, visitor: &Visitor, row: PasskeyRow) -> ApiResult<()> {
    tracing::warn!(
        request = request_id(),
        passkey = row.id,
        person = row.person,
        "the counter of a passkey went back: there may be a copy of it, and nobody was let in"
    );
    let noted = app.write(visitor.actor.clone(), Undo::Alone, move |act| {
        note_copy(act, &row)
    });
    noted.await
}

const PASSWORD_FIRST: &str = "L'archivio è stato ripristinato da un'altra macchina, e questa passkey non lo apre: accedi con la password e aggiungila di nuovo.";

async fn open_session(
    app: &Shared,
    visitor: Visitor,
    proven: ProvenPasskey,
) -> ApiResult<Response> {
    let cookies = NewCookies::of(app, &visitor, &proven.attempt)?;
    let (mark, browser) = cookies.marks();
    let begun = app.write(visitor.actor.clone(), Undo::Alone, move |act| {
        begin_session(act, &proven, &mark, &browser)
    });
    match begun.await {
        Ok(PasskeyOutcome::In { key_file_agrees }) => {
            if !key_file_agrees {
                keep_up(app).await?;
            }
            cookies.answer(&visitor)
        }
        Ok(PasskeyOutcome::PasswordFirst) => Err(Kind::PASSKEY.saying(PASSWORD_FIRST)),
        Err(error) if error.is(Kind::WRONG_PASSWORD) => {
            note_failure(app, &visitor.actor);
            Err(Kind::PASSKEY.into())
        }
        Err(error) => Err(error),
    }
}
