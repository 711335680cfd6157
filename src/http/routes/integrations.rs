//! What the panel does with mail server and webhook beyond saving their settings: trying them, and the webhook's signing
//! key.
//! Must never answer with a stored secret (a new signing key is shown once, when it is made), nor use one for a server
//! that it was not entered for.

use axum::response::NoContent;
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;
use uuid::Uuid;

use super::Answer;
use super::settings::{EmailSettings, SystemSettings};
use crate::actions::queue_deliveries::new_message_id;
use crate::actions::save_integration::{Draft, draft, drop_signing_keys, renew_signing_key};
use crate::actions::secrets::signing_keys;
use crate::actions::settings::load;
use crate::deliveries::letter::{Frame, render_test};
use crate::deliveries::{email, webhook};
use crate::domain::delivery::{DEMO, Failure, Kind, Outcome};
use crate::domain::settings::{Email, System};
use crate::http::admin::Admin;
use crate::http::json::Json;
use crate::http::problem::{ApiError, ApiResult};
use crate::http::state::{App, Mode, Shared};

/// A new signing key.
#[derive(Serialize, ToSchema)]
pub struct WebhookSecret {
    /// As the Standard Webhooks specification writes it. It cannot be read again.
    #[schema(example = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD7YkpYlwK3gE=")]
    pub secret: String,
}

/// Makes a new signing key for the webhook. The one before goes on signing beside it for 24 hours.
#[utoipa::path(post, operation_id = "renew_webhook_secret", path = "/settings/webhook/secret", tag = "impostazioni",
    responses((status = 200, body = WebhookSecret)))]
pub async fn renew_webhook_secret(admin: Admin) -> Answer<WebhookSecret> {
    let made = admin.change(renew_signing_key).await?;
    let secret = made.as_str().to_owned();
    Ok(axum::Json(WebhookSecret { secret }))
}

/// Takes the webhook's signing keys away: its calls are not signed any more.
#[utoipa::path(delete, operation_id = "delete_webhook_secret", path = "/settings/webhook/secret", tag = "impostazioni",
    responses((status = 204, description = "Firma tolta")))]
pub async fn delete_webhook_secret(admin: Admin) -> ApiResult<NoContent> {
    admin.change(drop_signing_keys).await.map(|()| NoContent)
}

/// Where a test mail would come from nobody, or go to nobody.
const INCOMPLETE: &str = "Configurazione SMTP incompleta: inserisci mittente e destinatario.";

/// How a test went.
#[derive(Debug, Serialize, ToSchema)]
pub struct TestResult {
    /// Whether it arrived.
    pub success: bool,
    /// What to show, in Italian.
    pub message: String,
}

impl TestResult {
    fn failed(message: impl Into<String>) -> axum::Json<Self> {
        axum::Json(Self {
            success: false,
            message: message.into(),
        })
    }

    fn of(outcome: Outcome, success: &str) -> axum::Json<Self> {
        match outcome {
            Ok(()) => axum::Json(Self {
                success: true,
                message: success.to_owned(),
            }),
            Err(failure) => Self::failed(failure.message),
        }
    }
}

/// Sends a test mail to `emailRecipient`, or else `emailFallback`, with the settings of the form, unsaved ones included; absent keys are the saved
/// ones. The stored password is used only where host, port and user are the saved ones.
#[utoipa::path(post, operation_id = "test_email", path = "/settings/email/test", tag = "impostazioni", request_body = EmailSettings,
    responses((status = 200, body = TestResult)))]
pub async fn test_email(admin: Admin, Json(body): Json<Map<String, Value>>) -> Answer<TestResult> {
    let now = admin.clock.now_ms();
    let reading = admin.read(move |app, snapshot| {
        let draft: Draft<Email> = draft(snapshot, &app.vault, now, body)?;
        let system: System = load(snapshot)?;
        Ok::<_, crate::actions::Error>((draft, system))
    });
    let (draft, system) = reading.await?;
    let settings = &draft.section;
    if settings.smtp_host.is_empty() || settings.smtp_username.is_empty() || draft.secret.is_none()
    {
        return Ok(TestResult::failed("Configurazione SMTP incompleta"));
    }
    let recipients = [&settings.email_recipient, &settings.email_fallback];
    let to = recipients.into_iter().find(|to| !to.is_empty()).cloned();
    let Some(to) = to.filter(|_| !settings.email_from.is_empty()) else {
        return Ok(TestResult::failed(INCOMPLETE));
    };
    let sending = tested(&admin, move |app| {
        let mail = render_test(&Frame {
            email: &draft.section,
            system: &system,
            panel: "",
            zone: &app.time_zone,
            to: &to,
            message_id: &new_message_id(Kind::Email, &draft.section),
            at_ms: now,
        })?;
        email::send(&app.outbound.server(&draft.section, draft.secret), &mail)
    });
    Ok(TestResult::of(
        sending.await?,
        "Test email inviata con successo! Controlla la tua casella di posta.",
    ))
}

/// Calls the webhook with sample data and the settings of the form, unsaved ones included; absent keys are the saved ones.
/// The stored key is used, and the call signed, only where the address is the saved one.
#[utoipa::path(post, operation_id = "test_webhook", path = "/settings/webhook/test", tag = "impostazioni", request_body = SystemSettings,
    responses((status = 200, body = TestResult)))]
pub async fn test_webhook(
    admin: Admin,
    Json(body): Json<Map<String, Value>>,
) -> Answer<TestResult> {
    let now = admin.clock.now_ms();
    let reading = admin.read(move |app, snapshot| {
        let draft: Draft<System> = draft(snapshot, &app.vault, now, body)?;
        let signing = if draft.same_audience {
            signing_keys(snapshot, &app.vault, now)?
        } else {
            Vec::new()
        };
        Ok::<_, crate::actions::Error>((draft, signing))
    });
    let (draft, signing) = reading.await?;
    let system = draft.section;
    if system.webhook_url.is_empty() {
        return Ok(TestResult::failed("URL webhook non configurato"));
    }
    let calling = tested(&admin, move |app| {
        let hook = app.outbound.hook(&system, draft.secret, signing);
        let body = webhook::test_body(&system.product_name, now);
        let id = format!("prova-{}", Uuid::new_v4());
        webhook::post(&hook, &id, now / 1_000, &body).map(drop)
    });
    Ok(TestResult::of(
        calling.await?,
        "Webhook testato con successo! Risposta ricevuta.",
    ))
}

/// How a test of a server goes, in its turn. In demonstration mode nothing leaves.
async fn tested(
    app: &Shared,
    test: impl FnOnce(&App) -> Outcome + Send + 'static,
) -> ApiResult<Outcome> {
    if app.mode == Mode::Demo {
        return Ok(Err(Failure::permanent(DEMO)));
    }
    let _turn = app.turns.outward()?;
    app.compute(move |app| Ok::<_, ApiError>(test(app))).await
}
