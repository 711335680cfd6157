//! The newsroom's logo, served from here so that no other server learns who reads our pages (PRODUCT.md §8).

use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, NoContent, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::actions::settings::in_force::InForce;
use crate::actions::settings::sections::{remove_logo, set_logo};
use crate::deliveries::picture::fetch;
use crate::domain::media;
use crate::domain::media::image::{Image, UNKNOWN, inspect};
use crate::domain::settings::System;
use crate::http::BASE;
use crate::http::assets::{ASK_AGAIN, IMMUTABLE, digest, kept};
use crate::http::json::PICTURE_BYTES;
use crate::http::routes::{Administrator, ApiError, ApiResult, Json, Shared, refusal};
use crate::http::state::{Mode, turn_at};
use crate::store::LogoRow;

/// Name of what is drawn where the newsroom has no logo of its own: no hash has a dot.
const DEFAULT_NAME: &str = "icon.svg";
/// The logo as a PNG, with its side in pixels: for the start page of a telephone and for shared links.
const TOUCH: (&str, u16) = ("icon-180.png", 180);
const PREVIEW: (&str, u16) = ("icon-512.png", 512);
/// Most letters in it.
const INITIALS: usize = 2;

/// A picture handed in.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Picture)]
pub struct LogoUpload {
    /// The file in base64: PNG, JPEG or WebP, 512 KiB at most, sides of 8 to 4096 pixels.
    image: String,
}

pub fn address(hash: &str) -> String {
    format!("{BASE}/logo/{hash}")
}

pub fn icon(settings: &InForce) -> String {
    address(settings.logo.as_deref().unwrap_or(DEFAULT_NAME))
}

/// The icon where no SVG is understood: a logo is none.
pub fn touch_icon(settings: &InForce) -> String {
    address(settings.logo.as_deref().unwrap_or(TOUCH.0))
}

/// The picture beside a shared link.
pub fn preview(settings: &InForce) -> String {
    address(settings.logo.as_deref().unwrap_or(PREVIEW.0))
}

/// Takes a picture as the newsroom's logo, in place of the earlier one.
#[utoipa::path(put, operation_id = "put_logo", path = "/settings/logo", tag = "impostazioni", request_body = LogoUpload,
    responses((status = 204, description = "The logo is saved")))]
pub async fn put(
    admin: Administrator,
    Json(picture): Json<LogoUpload, PICTURE_BYTES>,
) -> ApiResult<NoContent> {
    let image = STANDARD.decode(&picture.image).map_err(|_| UNKNOWN);
    let image = image.and_then(inspect);
    let image = image.map_err(|reason| refusal("image", "format", reason))?;
    let saved = admin.change(move |act| set_logo(act, &image));
    saved.await.map(|()| NoContent)
}

/// Removes the newsroom's logo.
#[utoipa::path(delete, operation_id = "delete_logo", path = "/settings/logo", tag = "impostazioni",
    responses((status = 204, description = "The logo is removed")))]
pub async fn delete(admin: Administrator) -> ApiResult<NoContent> {
    admin.change(remove_logo).await.map(|()| NoContent)
}

pub async fn serve(
    State(app): State<Shared>,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> ApiResult<Response> {
    if name == DEFAULT_NAME {
        let icon = drawn(&*app.settings().await?);
        let tag = format!("\"{}\"", digest(&icon));
        return Ok(kept(&headers, &tag, ASK_AGAIN, "image/svg+xml", icon));
    }
    if let Some((_, side)) = [TOUCH, PREVIEW]
        .into_iter()
        .find(|(known, _)| *known == name)
    {
        let ground = app.settings().await?.primary;
        let tag = format!("\"{}\"", digest(&format!("{ground} {side}")));
        let drawn = move || media::icon::drawn(ground, side);
        let png = app.compute(move |_| drawn().map_err(|error| ApiError::internal(&error)));
        return Ok(kept(&headers, &tag, ASK_AGAIN, "image/png", png.await?));
    }
    let tag = format!("\"{name}\"");
    let found = app.read(move |_, snapshot| snapshot.logo(&name)).await?;
    Ok(match found {
        Some(LogoRow {
            content_type,
            bytes,
        }) => kept(&headers, &tag, IMMUTABLE, &content_type, bytes),
        None => (StatusCode::NOT_FOUND, "Non trovato\n").into_response(),
    })
}

/// The newsroom's initials on its colour. They are letters and digits alone, so nothing in them is markup.
fn drawn(settings: &InForce) -> String {
    let words = settings.system.organization_name.split_whitespace();
    let initials = words.filter_map(|word| word.chars().find(|letter| letter.is_alphanumeric()));
    let initials: String = initials
        .take(INITIALS)
        .flat_map(char::to_uppercase)
        .collect();
    let (ground, ink) = (settings.primary, settings.primary.ink());
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 32 32\"><rect width=\"32\" height=\"32\" rx=\"8\" \
         fill=\"{ground}\"/><text x=\"16\" y=\"21\" text-anchor=\"middle\" font-family=\"system-ui,sans-serif\" \
         font-size=\"14\" font-weight=\"700\" fill=\"{ink}\">{initials}</text></svg>"
    )
}

/// The logo at the address that a change of the settings brings, fetched once; `None` when it brings no other address.
pub async fn fetched(app: &Shared, body: &Map<String, Value>) -> ApiResult<Option<Image>> {
    let Some(url) = body.get("logoUrl").and_then(Value::as_str) else {
        return Ok(None);
    };
    let wanted = System {
        logo_url: url.trim().to_owned(),
        ..System::default()
    };
    let saved = &app.settings().await?.system.logo_url;
    // An invalid address is refused when the settings are saved.
    if wanted.logo_url.is_empty() || wanted.logo_url == *saved || wanted.validate().is_err() {
        return Ok(None);
    }
    let refused = |message: &str| refusal("logoUrl", "format", message);
    if app.mode == Mode::Demo {
        return Err(refused(
            "Nella dimostrazione non si scarica nulla: carica il file.",
        ));
    }
    let _turn = turn_at(&app.turns.outward)?;
    let fetched = app.compute(move |app| {
        let bytes = fetch(&wanted.logo_url, &app.outbound);
        let bytes = bytes.map_err(|failure| refused(&failure.message))?;
        inspect(bytes).map_err(refused)
    });
    fetched.await.map(Some)
}
