//! The sections of the settings, as the panel reads and saves them; trying mail server and webhook; the webhook's signing key.
//! Must never answer with a stored secret (a new signing key is shown once), nor use one for a server that it was not entered
//! for, nor save an allow-list that shuts its author out without asking.

use axum::extract::State;
use axum::response::NoContent;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::actions;
use crate::actions::archive::authenticity::Trust;
use crate::actions::outbox::channel::{Connections, MAIL, WEBHOOK};
use crate::actions::settings::secrets::{
    Draft, draft, drop_signing_keys, renew_signing_key, save, signing_keys,
};
use crate::actions::settings::sections::{follow_address, load, reset_all, save_security};
use crate::deliveries::letter::{Frame, render_test};
use crate::deliveries::{email, webhook};
use crate::domain::delivery::{DEMO, DeliveryKind, Failure, Outcome};
use crate::domain::settings::{Email, EmailSettings, Security, System, SystemSettings, entries};
use crate::http::query::Strict;
use crate::http::routes::outbox::retry_mended;
use crate::http::routes::settings::logo;
use crate::http::routes::{Administrator, Answer, ApiError, ApiResult, App, Json, Reader, Shared};
use crate::http::state::{Mode, turn_at};
use crate::readings::settings::{shown_email, shown_system};

/// Said where a test mail has no server, or no password for its user.
const NO_SERVER: &str = "Configurazione SMTP incompleta";
/// Said where a test mail has no sender or no recipient.
const INCOMPLETE: &str = "Configurazione SMTP incompleta: inserisci mittente e destinatario.";

/// Said while settings that came from elsewhere are not confirmed.
const HELD: &str = "La password salvata si potrà usare dopo la conferma degli indirizzi: per provare ora, inseriscila di nuovo.";

/// How to save.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct SaveQuery {
    /// Saves the allow-list even if it excludes the caller's own address.
    #[serde(default)]
    confirm: bool,
}

/// The settings that apply to everyone who works on reports.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeskSettings {
    /// Whether the panel tells of new reports.
    enable_notifications: bool,
    /// Whether the file of a printed report is named without its reporter.
    pdf_without_name: bool,
    /// Reply templates, separated by an empty line.
    reply_templates: String,
}

/// The settings that apply to everyone who works on reports.
#[utoipa::path(get, operation_id = "desk_settings", path = "/settings/desk", tag = "impostazioni",
    responses((status = 200, body = DeskSettings)))]
pub async fn desk(admin: Reader) -> Answer<DeskSettings> {
    let settings = admin.settings().await?;
    Ok(Json(DeskSettings {
        enable_notifications: settings.security.enable_notifications,
        pdf_without_name: settings.security.pdf_without_name,
        reply_templates: settings.system.reply_templates.clone(),
    }))
}

/// The security settings.
#[utoipa::path(get, path = "/settings/security", tag = "impostazioni",
    responses((status = 200, body = Security)))]
pub async fn get_security(admin: Administrator) -> Answer<Security> {
    let read = admin.read(|_, snapshot| load(snapshot));
    read.await.map(Json)
}

/// Saves the security settings; keys that are absent stay.
#[utoipa::path(put, path = "/settings/security", tag = "impostazioni", params(SaveQuery), request_body = Security,
    responses((status = 200, body = Security)))]
pub async fn put_security(
    admin: Administrator,
    State(app): State<Shared>,
    Strict(query): Strict<SaveQuery>,
    Json(body): Json<Map<String, Value>>,
) -> Answer<Security> {
    let address = admin.visitor.address;
    let saved = admin.change(move |act| save_security(act, body, address, query.confirm));
    let saved = saved.await?;
    app.siege.review(app.moment().await?);
    Ok(Json(saved))
}

/// The system settings.
#[utoipa::path(get, path = "/settings/system", tag = "impostazioni",
    responses((status = 200, body = SystemSettings)))]
pub async fn get_system(admin: Administrator) -> Answer<SystemSettings> {
    let read = admin.read(|_, snapshot| shown_system(snapshot, load(snapshot)?));
    read.await.map(Json)
}

/// Saves the system settings; keys that are absent stay. A new `logoUrl` is fetched once; an empty one removes the
/// logo. A new `webhookUrl` drops the stored key and the signing keys.
#[utoipa::path(put, path = "/settings/system", tag = "impostazioni", request_body = SystemSettings,
    responses((status = 200, body = SystemSettings)))]
pub async fn put_system(
    admin: Administrator,
    Json(body): Json<Map<String, Value>>,
) -> Answer<SystemSettings> {
    let fetched = logo::fetched(&admin, &body).await?;
    let saved = admin.change(move |act| {
        let before: System = load(act)?;
        let (system, mended) = save(act, body)?;
        follow_address(act, [&before, &system], fetched.as_ref())?;
        Ok((shown_system(act, system)?, mended))
    });
    let (saved, mended) = saved.await?;
    retry_mended(admin, mended);
    Ok(Json(saved))
}

/// The e-mail settings.
#[utoipa::path(get, path = "/settings/email", tag = "impostazioni",
    responses((status = 200, body = EmailSettings)))]
pub async fn get_email(admin: Administrator) -> Answer<EmailSettings> {
    let read = admin.read(|_, snapshot| shown_email(snapshot, load(snapshot)?));
    read.await.map(Json)
}

/// Saves the e-mail settings; keys that are absent stay. Another host, port or user drops the stored password.
#[utoipa::path(put, path = "/settings/email", tag = "impostazioni", request_body = EmailSettings,
    responses((status = 200, body = EmailSettings)))]
pub async fn put_email(
    admin: Administrator,
    Json(body): Json<Map<String, Value>>,
) -> Answer<EmailSettings> {
    let saved = admin.change(move |act| {
        let (email, mended) = save(act, body)?;
        Ok((shown_email(act, email)?, mended))
    });
    let (saved, mended) = saved.await?;
    retry_mended(admin, mended);
    Ok(Json(saved))
}

/// Puts the settings back to their defaults. The secrets of mail server and webhook are deleted. The password, the
/// access log, login attempts and phrases are kept.
#[utoipa::path(delete, operation_id = "reset_settings", path = "/settings", tag = "impostazioni",
    responses((status = 204, description = "The settings have their defaults")))]
pub async fn delete(admin: Administrator) -> ApiResult<NoContent> {
    admin.change(reset_all).await.map(|()| NoContent)
}

/// A new signing key.
#[derive(Serialize, ToSchema)]
pub struct WebhookSecret {
    /// As the Standard Webhooks specification writes it. It cannot be read again.
    #[schema(example = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD7YkpYlwK3gE=")]
    pub secret: String,
}

/// Makes a new signing key for the webhook. The previous key also signs for another 24 hours.
#[utoipa::path(post, operation_id = "renew_webhook_secret", path = "/settings/webhook/secret", tag = "impostazioni",
    responses((status = 200, body = WebhookSecret)))]
pub async fn renew_webhook_secret(admin: Administrator) -> Answer<WebhookSecret> {
    let made = admin.change(renew_signing_key).await?;
    let secret = made.as_str().to_owned();
    Ok(Json(WebhookSecret { secret }))
}

/// Deletes the webhook's signing keys, so that its calls are no longer signed.
#[utoipa::path(delete, operation_id = "delete_webhook_secret", path = "/settings/webhook/secret", tag = "impostazioni",
    responses((status = 204, description = "Calls are no longer signed")))]
pub async fn delete_webhook_secret(admin: Administrator) -> ApiResult<NoContent> {
    admin.change(drop_signing_keys).await.map(|()| NoContent)
}

/// The result of a test.
#[derive(Debug, Serialize, ToSchema)]
pub struct TestResult {
    /// Whether the test succeeded.
    pub success: bool,
    /// The text to show, in Italian.
    pub message: String,
}

impl TestResult {
    fn of(outcome: Outcome, success: &str) -> Json<Self> {
        let success = outcome.map(|()| success.to_owned());
        Json(Self {
            success: success.is_ok(),
            message: success.unwrap_or_else(|failure| failure.message),
        })
    }

    fn lacking(what: &str) -> Json<Self> {
        Self::of(Err(Failure::permanent(what)), "")
    }
}

/// Sends a test mail to `emailRecipient`, or else `emailFallback`, with the settings of the form, unsaved ones included; absent keys are the saved
/// ones. The stored password is used only where host, port and user are the saved ones.
#[utoipa::path(post, operation_id = "test_email", path = "/settings/email/test", tag = "impostazioni", request_body = EmailSettings,
    responses((status = 200, body = TestResult)))]
pub async fn test_email(
    admin: Administrator,
    Json(body): Json<Map<String, Value>>,
) -> Answer<TestResult> {
    let now = admin.clock.now_ms();
    let reading = admin.read(move |reading, snapshot| {
        let draft: Draft<Email> = draft(snapshot, &reading.vault, now, &MAIL, body)?;
        actions::Result::Ok((draft, load::<System>(snapshot)?))
    });
    let (draft, system) = reading.await?;
    let to = match test_recipient(&draft, admin.settings().await?.trust) {
        Ok(to) => to.to_owned(),
        Err(lacking) => return Ok(TestResult::lacking(lacking)),
    };
    let good = "Test email inviata con successo! Controlla la tua casella di posta.";
    tested(admin, draft.mended, good, move |app| {
        send_test(app, draft, &system, &to, now)
    })
    .await
}

/// Whom a test mail goes to; what is lacking, where it cannot go.
fn test_recipient(draft: &Draft<Email>, trust: Trust) -> Result<&str, &'static str> {
    let settings = &draft.section;
    let named = !settings.smtp_host.is_empty();
    if !named || (!settings.smtp_username.is_empty() && draft.secret.is_none()) {
        let held = named && trust == Trust::DaConfermare;
        return Err(if held { HELD } else { NO_SERVER });
    }
    let recipients = [&settings.email_recipient, &settings.email_fallback];
    let to = recipients.into_iter().find(|to| !to.is_empty());
    let to = to.filter(|_| !settings.email_from.is_empty());
    to.map(String::as_str).ok_or(INCOMPLETE)
}

fn send_test(app: &App, draft: Draft<Email>, system: &System, to: &str, now: i64) -> Outcome {
    let email = &draft.section;
    let mail = render_test(&Frame {
        email,
        system,
        panel: "",
        zone: &app.time_zone,
        to: &entries(to).collect::<Vec<_>>(),
        message_id: &(MAIL.new_message_id)(Connections { email, system }),
        at_ms: now,
    })?;
    email::send(&app.outbound.anew().server(email, draft.secret), &mail)
}

/// Calls the webhook with sample data and the settings of the form, unsaved ones included; absent keys are the saved ones.
/// The stored key is used, and the call signed, only where the address is the saved one.
#[utoipa::path(post, operation_id = "test_webhook", path = "/settings/webhook/test", tag = "impostazioni", request_body = SystemSettings,
    responses((status = 200, body = TestResult)))]
pub async fn test_webhook(
    admin: Administrator,
    Json(body): Json<Map<String, Value>>,
) -> Answer<TestResult> {
    let now = admin.clock.now_ms();
    let reading = admin.read(move |reading, snapshot| {
        let draft: Draft<System> = draft(snapshot, &reading.vault, now, &WEBHOOK, body)?;
        let keys = || signing_keys(snapshot, &reading.vault, now);
        let signing = draft.same_audience.then(keys).transpose()?;
        actions::Result::Ok((draft, signing.unwrap_or_default()))
    });
    let (draft, signing) = reading.await?;
    let (mended, system) = (draft.mended, draft.section);
    if system.webhook_url.is_empty() {
        return Ok(TestResult::lacking("URL webhook non configurato"));
    }
    let good = "Webhook testato con successo! Risposta ricevuta.";
    tested(admin, mended, good, move |app| {
        let hook = app.outbound.hook(&system, draft.secret, signing);
        let body = webhook::test_body(&system.product_name, now);
        let id = format!("prova-{}", Uuid::new_v4());
        webhook::post(&hook, &id, now / 1_000, &body).map(drop)
    })
    .await
}

/// Runs a test of a server in its turn, but in a demonstration. After a success with saved settings, `mended` is tried again.
async fn tested(
    admin: Administrator,
    mended: &'static [DeliveryKind],
    good: &str,
    test: impl FnOnce(&App) -> Outcome + Send + 'static,
) -> Answer<TestResult> {
    if admin.mode == Mode::Demo {
        return Ok(TestResult::lacking(DEMO));
    }
    let turn = turn_at(&admin.turns.outward)?;
    let tested = admin.compute(move |app| Ok::<_, ApiError>(test(app)));
    let outcome = tested.await?;
    drop(turn);
    if outcome.is_ok() {
        retry_mended(admin, mended.to_vec());
    }
    Ok(TestResult::of(outcome, good))
}
