//! Whether the archive takes reports: the badge of the chat asks every two seconds.
//! Must never do more than look at flags and at the settings in force: it is outside every limit.

use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use crate::actions::in_force::InForce;
use crate::http::state::{App, Mode, Shared};

/// State of the archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Database {
    /// Reports are saved.
    Online,
    /// Demonstration data.
    Demo,
    /// Reports cannot be saved now.
    Unavailable,
}

/// Answer of the status call.
#[derive(Debug, Serialize, ToSchema)]
pub struct Status {
    /// State of the archive.
    pub database: Database,
    /// Version of the program.
    pub version: &'static str,
    /// Another number once names, colours, theme or logo may have changed: time to ask for the branding again.
    pub appearance: i64,
}

impl Database {
    /// The state as it is now. A failing archive is tried again, so that it is found when the disk is back.
    pub fn of(app: &App) -> Self {
        match app.mode {
            Mode::Demo => Self::Demo,
            Mode::Live if app.store.failing() => {
                app.store.probe();
                Self::Unavailable
            }
            Mode::Live => Self::Online,
        }
    }
}

impl Status {
    /// With the look of these settings; an archive that cannot be read has none.
    pub fn of(app: &App, settings: Option<&InForce>) -> Self {
        Self {
            database: Database::of(app),
            version: crate::VERSION,
            appearance: settings.map_or(0, |settings| settings.appearance),
        }
    }
}

/// State of the archive and version of the program.
#[utoipa::path(get, path = "/status", tag = "pubblico", responses((status = 200, body = Status)))]
pub async fn status(State(app): State<Shared>) -> axum::Json<Status> {
    axum::Json(Status::of(&app, app.settings().ok().as_deref()))
}
