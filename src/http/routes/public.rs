//! Public calls: whether the archive takes reports (the badge of the chat asks every two seconds), what the public page
//! shows of the newsroom, and for supervisors and proxies whether reports and deliveries arrive. Must never show a
//! setting that is not meant for strangers, nor how much arrives beyond the one word of siege mode; status and health
//! are outside every limit.

use std::collections::BTreeMap;

use axum::extract::{RawQuery, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;

use crate::actions::intake::attachments::{FileRoom, room_of_files};
use crate::actions::settings::in_force::InForce;
use crate::domain::settings::System;
use crate::http::routes::settings::logo;
use crate::http::routes::{Answer, ApiResult, App, Json, Shared};
use crate::http::shell::Database;
use crate::http::state::Mode;
use crate::readings::delivery_summary::summarize;
use crate::store::{LOW_ROOM, free_bytes};

/// Answer of the status call.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Status)]
pub struct ServerStatus {
    /// State of the archive.
    pub database: Database,
    /// Version of the program.
    pub version: &'static str,
    /// Siege mode: very many reports arrive, and the last turn asks for a proof of work.
    pub siege: bool,
    /// A number that changes when names, colours, theme or logo may have changed, so that a page loads the branding
    /// again.
    pub appearance: i64,
}

impl Database {
    /// The state as it is now. A failing archive is tried again, so that it is found when the disk is back.
    pub fn of(app: &App) -> Self {
        match app.mode {
            Mode::Demo => Self::Demo,
            Mode::Live if app.store.failing() || app.store.is_full() => {
                app.store.probe();
                Self::Unavailable
            }
            Mode::Live => Self::Online,
        }
    }
}

impl ServerStatus {
    /// With the look of these settings; an archive that cannot be read has none.
    pub fn of(app: &App, settings: Option<&InForce>) -> Self {
        Self {
            database: Database::of(app),
            version: crate::VERSION,
            siege: app.siege.is_on(),
            appearance: settings.map_or(0, |settings| settings.appearance),
        }
    }
}

/// State of the archive and version of the program.
#[utoipa::path(get, path = "/status", tag = "pubblico", responses((status = 200, body = ServerStatus)))]
pub async fn status(State(app): State<Shared>) -> Json<ServerStatus> {
    Json(ServerStatus::of(&app, app.settings().await.ok().as_deref()))
}

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
    pub logo_url: Option<String>,
    /// Main colour, `#rrggbb`.
    pub primary_color: String,
    /// Whether the interface is dark.
    pub dark_mode: bool,
    /// Whether the device decides, and `darkMode` only where it asks for neither.
    pub device_theme: bool,
}

impl Branding {
    pub fn of(settings: &InForce) -> Self {
        let system = &settings.system;
        Self {
            product_name: system.product_name.clone(),
            assistant_name: system.assistant_name.clone(),
            organization_name: system.organization_name.clone(),
            logo_url: settings.logo.as_deref().map(logo::address),
            primary_color: system.primary_color.clone(),
            dark_mode: system.dark_mode,
            device_theme: system.device_theme,
        }
    }
}

/// The notice shown before the first question.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Privacy {
    /// Its text.
    pub text: String,
    /// Link to the whole notice.
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
    Ok(Json(Branding::of(&*app.settings().await?)))
}

/// The privacy notice.
#[utoipa::path(get, path = "/privacy", tag = "pubblico", responses((status = 200, body = Privacy)))]
pub async fn privacy(State(app): State<Shared>) -> Answer<Privacy> {
    Ok(Json(Privacy::from(&app.settings().await?.system)))
}

/// Room on the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Room {
    /// Enough.
    Ok,
    /// Reports may soon be refused.
    Low,
    /// No reports are taken: what is left is for editors.
    Full,
}

impl Room {
    /// The room as it is now, and free bytes; a demonstration has no disk.
    pub fn of(app: &App) -> ApiResult<(Self, Option<u64>)> {
        let Some(data) = &app.data else {
            return Ok((Self::Ok, None));
        };
        let free = free_bytes(data)?;
        let room = match Database::of(app) {
            Database::Unavailable if app.store.is_full() => Self::Full,
            _ if free < LOW_ROOM => Self::Low,
            _ => Self::Ok,
        };
        Ok((room, Some(free)))
    }
}

/// Rules for crawlers: they may read the pages, which say themselves whether they are listed, but not the API.
pub async fn robots() -> &'static str {
    concat!("User-agent: *\n", "Disallow: /paibeta/api/\n")
}

const DELIVERIES: &str = "deliveries";
const DISK: &str = "disk";
const LIVE: &str = "live";

/// `ok` when reports can be saved and are not all refused, else 503 and `ko`; with `?live` as long as it answers at
/// all, for a balancer, which would otherwise cut the only server off from the people who can repair it. With
/// `?deliveries` or `?disk` a JSON object, and 503 also when deliveries fail or wait too long, or when there is little
/// room on the disk or for attachments.
pub async fn healthz(State(app): State<Shared>, RawQuery(query): RawQuery) -> ApiResult<Response> {
    let query = query.unwrap_or_default();
    let asks = |wanted| {
        let mut names = query.split('&').map(|pair| pair.split('=').next());
        names.any(|name| name == Some(wanted))
    };
    let refuses = Database::of(&app) == Database::Unavailable || app.quotas.reports.is_exhausted();
    if refuses && !asks(LIVE) {
        return Ok((StatusCode::SERVICE_UNAVAILABLE, "ko\n").into_response());
    }
    let mut well = BTreeMap::new();
    if asks(DELIVERIES) {
        let standing = app.read(|app, snapshot| summarize(snapshot, app.clock.now_ms()));
        well.insert(DELIVERIES, !standing.await?.failing);
    }
    if asks(DISK) {
        let room = room_of_files(&app.settings().await?.system);
        let files = app.read(|_, snapshot| FileRoom::of(snapshot)).await?;
        let well_off = Room::of(&app)?.0 == Room::Ok && !files.is_nearly_full(room);
        well.insert(DISK, well_off);
    }
    if well.is_empty() {
        return Ok((StatusCode::OK, "ok\n").into_response());
    }
    let status = if well.values().all(|well| *well) {
        StatusCode::OK
    } else {
        StatusCode::SERVICE_UNAVAILABLE
    };
    let words = well
        .into_iter()
        .map(|(name, well)| (name, if well { "ok" } else { "ko" }));
    Ok((status, Json(words.collect::<BTreeMap<_, _>>())).into_response())
}
