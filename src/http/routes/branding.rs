//! What the public page shows of the newsroom: names, colour, and the privacy notice.
//! Must never show a setting that is not meant for strangers.

use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use super::{Answer, logo};
use crate::actions::in_force::InForce;
use crate::domain::settings::System;
use crate::http::state::Shared;

/// Names and appearance.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Branding {
    /// Name of the product.
    pub product_name: String,
    /// Name of the assistant.
    pub assistant_name: String,
    /// Name of the organisation.
    pub organization_name: String,
    /// Address on this server of the logo; null when there is none.
    #[schema(required)]
    pub logo_url: Option<String>,
    /// Main colour, `#rrggbb`.
    pub primary_color: String,
    /// Whether the interface is dark.
    pub dark_mode: bool,
}

impl Branding {
    /// What the settings say.
    pub fn of(settings: &InForce) -> Self {
        let system = &settings.system;
        Self {
            product_name: system.product_name.clone(),
            assistant_name: system.assistant_name.clone(),
            organization_name: system.organization_name.clone(),
            logo_url: settings.logo.as_deref().map(logo::address),
            primary_color: system.primary_color.clone(),
            dark_mode: system.dark_mode,
        }
    }
}

/// The notice shown before the first question.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Privacy {
    /// Its text.
    pub text: String,
    /// Link to the whole notice.
    #[schema(required)]
    pub url: Option<String>,
    /// Changes with text or link; stored with each report.
    pub version: String,
}

impl From<&System> for Privacy {
    fn from(system: &System) -> Self {
        Self {
            text: system.privacy_notice.clone(),
            url: Some(system.privacy_url.clone()).filter(|url| !url.is_empty()),
            version: system.privacy_version(),
        }
    }
}

/// Names and appearance of the newsroom.
#[utoipa::path(get, path = "/branding", tag = "pubblico", responses((status = 200, body = Branding)))]
pub async fn branding(State(app): State<Shared>) -> Answer<Branding> {
    Ok(axum::Json(Branding::of(&*app.settings()?)))
}

/// The privacy notice.
#[utoipa::path(get, path = "/privacy", tag = "pubblico", responses((status = 200, body = Privacy)))]
pub async fn privacy(State(app): State<Shared>) -> Answer<Privacy> {
    Ok(axum::Json(Privacy::from(&app.settings()?.system)))
}
