//! The sections of the settings, as the panel reads and saves them.
//! Must never answer with a secret, nor save an allow-list that shuts its author out without asking.

use axum::response::NoContent;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::{IntoParams, ToSchema};

use super::{Answer, logo, refusal};
use crate::actions;
use crate::actions::save_integration;
use crate::actions::secrets::is_set;
use crate::actions::set_logo::follow_address;
use crate::actions::settings::{load, reset_all, save_security};
use crate::domain::color::{Color, Theme};
use crate::domain::settings::{Email, Security, System};
use crate::http::admin::Admin;
use crate::http::json::Json;
use crate::http::problem::ApiResult;
use crate::http::query::Strict;
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
pub async fn get_security(admin: Admin) -> Answer<Security> {
    let read = admin.read(|_, snapshot| load(snapshot));
    read.await.map(axum::Json)
}

/// Saves the security settings; keys that are absent stay.
#[utoipa::path(put, path = "/settings/security", tag = "impostazioni", params(SaveQuery), request_body = Security,
    responses((status = 200, body = Security)))]
pub async fn put_security(
    admin: Admin,
    Strict(query): Strict<SaveQuery>,
    Json(body): Json<Map<String, Value>>,
) -> Answer<Security> {
    let address = admin.visitor.address;
    let saved = admin.change(move |act| save_security(act, body, address, query.confirm));
    saved.await.map(axum::Json)
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
pub async fn get_system(admin: Admin) -> Answer<SystemSettings> {
    let read = admin.read(|_, snapshot| shown_system(snapshot, load(snapshot)?));
    read.await.map(axum::Json)
}

/// Saves the system settings; keys that are absent stay. The logo of a new `logoUrl` is fetched once; without one it goes. A new `webhookUrl` drops the stored key and the signing keys.
#[utoipa::path(put, path = "/settings/system", tag = "impostazioni", request_body = SystemSettings,
    responses((status = 200, body = SystemSettings)))]
pub async fn put_system(
    admin: Admin,
    Json(body): Json<Map<String, Value>>,
) -> Answer<SystemSettings> {
    let fetched = logo::fetched(&admin, &body).await?;
    let saved = admin.change(move |act| {
        let before: System = load(act)?;
        let system = save_integration::save(act, body)?;
        follow_address(act, [&before, &system], fetched.as_ref())?;
        shown_system(act, system)
    });
    saved.await.map(axum::Json)
}

/// The e-mail settings.
#[utoipa::path(get, path = "/settings/email", tag = "impostazioni",
    responses((status = 200, body = EmailSettings)))]
pub async fn get_email(admin: Admin) -> Answer<EmailSettings> {
    let read = admin.read(|_, snapshot| shown_email(snapshot, load(snapshot)?));
    read.await.map(axum::Json)
}

/// Saves the e-mail settings; keys that are absent stay. Another host, port or user drops the stored password.
#[utoipa::path(put, path = "/settings/email", tag = "impostazioni", request_body = EmailSettings,
    responses((status = 200, body = EmailSettings)))]
pub async fn put_email(
    admin: Admin,
    Json(body): Json<Map<String, Value>>,
) -> Answer<EmailSettings> {
    let saved = admin.change(move |act| shown_email(act, save_integration::save(act, body)?));
    saved.await.map(axum::Json)
}

/// Puts the settings back to their defaults. Secrets of mail server and webhook go; password, access log, login
/// attempts and phrases stay.
#[utoipa::path(delete, operation_id = "reset_settings", path = "/settings", tag = "impostazioni",
    responses((status = 204, description = "Impostazioni ripristinate")))]
pub async fn delete(admin: Admin) -> ApiResult<NoContent> {
    admin.change(reset_all).await.map(|()| NoContent)
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
pub async fn palette(_admin: Admin, Strict(query): Strict<PaletteQuery>) -> Answer<Theme> {
    let color = Color::parse(&query.color);
    let color =
        color.ok_or_else(|| refusal("color", "format", "Inserisci un colore come #2563eb."))?;
    Ok(axum::Json(Theme::derive(color)))
}
