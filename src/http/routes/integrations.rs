//! What the panel does with mail server and webhook beyond saving their settings: the webhook's signing key.
//! Must never answer with a stored secret: a new signing key is shown once, when it is made.

use axum::extract::State;
use axum::http::StatusCode;
use serde::Serialize;
use utoipa::ToSchema;

use crate::actions::save_integration::{drop_signing_key, renew_signing_key};
use crate::http::admin::Admin;
use crate::http::problem::{ApiResult, Problem};
use crate::http::state::Shared;

/// A new signing key.
#[derive(Serialize, ToSchema)]
pub struct WebhookSecret {
    /// As the Standard Webhooks specification writes it. It cannot be read again.
    #[schema(example = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD7YkpYlwK3gE=")]
    pub secret: String,
}

/// Makes a new signing key for the webhook. The one before goes on signing beside it for 24 hours.
#[utoipa::path(post, operation_id = "renew_webhook_secret", path = "/settings/webhook/secret", tag = "impostazioni",
    responses((status = 200, body = WebhookSecret), (status = "default", body = Problem)), security(("sessione" = [])))]
pub async fn renew_webhook_secret(
    State(app): State<Shared>,
    admin: Admin,
) -> ApiResult<axum::Json<WebhookSecret>> {
    let now = app.clock.now_ms();
    let made =
        app.write(move |app, tx| renew_signing_key(tx, &app.vault, now, &admin.visitor.actor));
    Ok(axum::Json(WebhookSecret {
        secret: made.await?.as_str().to_owned(),
    }))
}

/// Takes the webhook's signing keys away: its calls are not signed any more.
#[utoipa::path(delete, operation_id = "delete_webhook_secret", path = "/settings/webhook/secret", tag = "impostazioni",
    responses((status = 204, description = "Firma tolta"), (status = "default", body = Problem)), security(("sessione" = [])))]
pub async fn delete_webhook_secret(
    State(app): State<Shared>,
    admin: Admin,
) -> ApiResult<StatusCode> {
    let now = app.clock.now_ms();
    app.write(move |_, tx| drop_signing_key(tx, now, &admin.visitor.actor))
        .await?;
    Ok(StatusCode::NO_CONTENT)
}
