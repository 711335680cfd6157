//! The sections of the settings, as the panel reads and saves them.
//! Must never answer with a secret, nor save an allow-list that shuts its author out without asking.

use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::{IntoParams, ToSchema};

use super::logo;
use crate::actions;
use crate::actions::reset_settings::reset_settings;
use crate::actions::save_integration;
use crate::actions::save_settings::{preview, save};
use crate::actions::secrets::is_set;
use crate::actions::set_logo::follow_address;
use crate::actions::settings::load;
use crate::domain::color::{Color, Theme};
use crate::domain::invalid::Invalid;
use crate::domain::settings::{Email, Security, System};
use crate::http::admin::Admin;
use crate::http::json::Json;
use crate::http::problem::{ApiError, ApiResult, Kind};
use crate::http::query::Strict;
use crate::http::state::Shared;
use crate::store::{SecretName, Snapshot};

/// How to save.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct SaveQuery {
    /// Save even an allow-list that shuts the caller out.
    #[serde(default)]
    confirm: bool,
}

/// The security settings.
#[utoipa::path(get, path = "/settings/security", tag = "impostazioni",
    responses((status = 200, body = Security)))]
pub async fn get_security(
    State(app): State<Shared>,
    _admin: Admin,
) -> ApiResult<axum::Json<Security>> {
    Ok(axum::Json(app.read(|_, snapshot| load(snapshot)).await?))
}

/// Saves the security settings; keys that are absent stay.
#[utoipa::path(put, path = "/settings/security", tag = "impostazioni", params(SaveQuery), request_body = Security,
    responses((status = 200, body = Security)))]
pub async fn put_security(
    State(app): State<Shared>,
    admin: Admin,
    Strict(query): Strict<SaveQuery>,
    Json(body): Json<Map<String, Value>>,
) -> ApiResult<axum::Json<Security>> {
    let (now, address) = (app.clock.now_ms(), admin.visitor.address);
    let saved = app
        .write(move |_, tx| {
            if !query.confirm && !preview::<Security>(tx, body.clone())?.allows(address) {
                let text = format!(
                    "Il tuo indirizzo {address} non è nell'elenco: salvando perderesti l'accesso al pannello."
                );
                return Err(Kind::WouldLockOut.saying(text));
            }
            Ok(save::<Security>(tx, now, &admin.visitor.actor, body)?)
        })
        .await?;
    Ok(axum::Json(saved))
}

/// The system settings, and which secrets of the webhook are set.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SystemSettings {
    /// What is saved.
    #[serde(flatten)]
    pub system: System,
    /// Key sent with each call of the webhook. Always null in an answer; null or absent in a change keeps the stored one,
    /// an empty text clears it.
    #[schema(max_length = 1000)]
    pub webhook_api_key: Option<String>,
    /// Whether there is one. Read-only.
    #[schema(read_only, required = false)]
    pub webhook_api_key_set: bool,
    /// Whether calls are signed. Read-only.
    #[schema(read_only, required = false)]
    pub webhook_secret_set: bool,
}

/// The e-mail settings, and whether the password is set.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EmailSettings {
    /// What is saved.
    #[serde(flatten)]
    pub email: Email,
    /// Password at the mail server. Always null in an answer; null or absent in a change keeps the stored one, an empty
    /// text clears it.
    #[schema(max_length = 1000)]
    pub smtp_password: Option<String>,
    /// Whether there is one. Read-only.
    #[schema(read_only, required = false)]
    pub smtp_password_set: bool,
}

fn shown_system(snapshot: &Snapshot<'_>, system: System) -> actions::Result<SystemSettings> {
    Ok(SystemSettings {
        system,
        webhook_api_key: None,
        webhook_api_key_set: is_set(snapshot, SecretName::WebhookApiKey)?,
        webhook_secret_set: is_set(snapshot, SecretName::WebhookSecret)?,
    })
}

fn shown_email(snapshot: &Snapshot<'_>, email: Email) -> actions::Result<EmailSettings> {
    Ok(EmailSettings {
        email,
        smtp_password: None,
        smtp_password_set: is_set(snapshot, SecretName::SmtpPassword)?,
    })
}

/// The system settings.
#[utoipa::path(get, path = "/settings/system", tag = "impostazioni",
    responses((status = 200, body = SystemSettings)))]
pub async fn get_system(
    State(app): State<Shared>,
    _admin: Admin,
) -> ApiResult<axum::Json<SystemSettings>> {
    let read = app.read(|_, snapshot| shown_system(snapshot, load(snapshot)?));
    Ok(axum::Json(read.await?))
}

/// Saves the system settings; keys that are absent stay. The logo of a new `logoUrl` is fetched once; without one it goes. A new `webhookUrl` drops the stored key and the signing keys.
#[utoipa::path(put, path = "/settings/system", tag = "impostazioni", request_body = SystemSettings,
    responses((status = 200, body = SystemSettings)))]
pub async fn put_system(
    State(app): State<Shared>,
    admin: Admin,
    Json(body): Json<Map<String, Value>>,
) -> ApiResult<axum::Json<SystemSettings>> {
    let now = app.clock.now_ms();
    let fetched = logo::fetched(&app, &body).await?;
    let saved = app
        .write(move |app, tx| {
            let before: System = load(tx)?;
            let system = save_integration::save(tx, &app.vault, now, &admin.visitor.actor, body)?;
            follow_address(tx, now, [&before, &system], fetched.as_ref())?;
            shown_system(tx, system)
        })
        .await?;
    Ok(axum::Json(saved))
}

/// The e-mail settings.
#[utoipa::path(get, path = "/settings/email", tag = "impostazioni",
    responses((status = 200, body = EmailSettings)))]
pub async fn get_email(
    State(app): State<Shared>,
    _admin: Admin,
) -> ApiResult<axum::Json<EmailSettings>> {
    let read = app.read(|_, snapshot| shown_email(snapshot, load(snapshot)?));
    Ok(axum::Json(read.await?))
}

/// Saves the e-mail settings; keys that are absent stay. Another host, port or user drops the stored password.
#[utoipa::path(put, path = "/settings/email", tag = "impostazioni", request_body = EmailSettings,
    responses((status = 200, body = EmailSettings)))]
pub async fn put_email(
    State(app): State<Shared>,
    admin: Admin,
    Json(body): Json<Map<String, Value>>,
) -> ApiResult<axum::Json<EmailSettings>> {
    let now = app.clock.now_ms();
    let saved = app.write(move |app, tx| {
        let email = save_integration::save(tx, &app.vault, now, &admin.visitor.actor, body)?;
        shown_email(tx, email)
    });
    Ok(axum::Json(saved.await?))
}

/// Puts the settings back to their defaults. Secrets of mail server and webhook go; password, access log, login
/// attempts and phrases stay.
#[utoipa::path(delete, operation_id = "reset_settings", path = "/settings", tag = "impostazioni",
    responses((status = 204, description = "Impostazioni ripristinate")))]
pub async fn delete(State(app): State<Shared>, admin: Admin) -> ApiResult<StatusCode> {
    let now = app.clock.now_ms();
    app.write(move |_, tx| reset_settings(tx, now, &admin.visitor.actor))
        .await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Which colour a palette is asked for.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct PaletteQuery {
    /// The main colour, `#rrggbb`.
    #[param(example = "#2563eb")]
    color: String,
}

/// The colours that the pages would have with this main colour: a preview before saving.
#[utoipa::path(get, path = "/settings/palette", tag = "impostazioni", params(PaletteQuery),
    responses((status = 200, body = Theme)))]
pub async fn palette(
    _admin: Admin,
    Strict(query): Strict<PaletteQuery>,
) -> ApiResult<axum::Json<Theme>> {
    let color = Color::parse(&query.color).ok_or_else(|| {
        let message = "Inserisci un colore come #2563eb.";
        ApiError::invalid(vec![Invalid::new("color", "format", message)])
    })?;
    Ok(axum::Json(Theme::derive(color)))
}
