//! The two pages with the newsroom's names and colours filled in, their stylesheets and the embedded assets.
//! Must never put into a page anything that depends on who asks for it.

use axum::Router;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, Uri};
use axum::response::Response;
use axum::routing::get;
use serde_json::json;

use super::logo;
use super::public::{Branding, Privacy, Status};
use crate::demo;
use crate::http::problem::ApiResult;
use crate::http::shell::{ADMIN, PUBLIC, stylesheet};
use crate::http::state::{Mode, Shared};
use crate::http::{BASE, assets};

/// The pages, below the base path.
pub fn routes() -> Router<Shared> {
    Router::new()
        .route("/", get(public))
        .route("/login", get(admin))
        .route("/setup", get(admin))
        .route("/admin", get(admin))
        .route("/admin/", get(admin))
        .route("/admin/{*screen}", get(admin))
        .route("/style/{hash}/{name}", get(style))
        .route("/logo/{name}", get(logo::serve))
}

/// The assets, by their whole path.
pub fn asset_routes() -> Router<Shared> {
    Router::new().route(&format!("{BASE}/assets/{{*path}}"), get(asset))
}

async fn asset(uri: Uri, headers: HeaderMap) -> Response {
    assets::asset(uri.path(), &headers)
}

/// The chat.
pub async fn public(State(app): State<Shared>, headers: HeaderMap) -> ApiResult<Response> {
    page(&app, false, &headers)
}

async fn admin(State(app): State<Shared>, headers: HeaderMap) -> ApiResult<Response> {
    page(&app, true, &headers)
}

async fn style(
    State(app): State<Shared>,
    Path((hash, name)): Path<(String, String)>,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let settings = app.settings()?;
    Ok(stylesheet(&name, &hash, &settings.theme, &headers))
}

fn page(app: &Shared, admin: bool, headers: &HeaderMap) -> ApiResult<Response> {
    let settings = app.settings()?;
    let status = Status::of(app, Some(&settings));
    let key = (admin, status.database, settings.version);
    let filled = app.pages.get(key, || {
        let boot = json!({
            "branding": Branding::of(&settings), "privacy": Privacy::from(&settings.system),
            "welcome": settings.script.welcome(), "status": status,
            "demoPassword": (admin && app.mode == Mode::Demo).then_some(demo::PASSWORD),
        });
        let page = if admin { &ADMIN } else { &PUBLIC };
        page.filled(&settings, &logo::icon(&settings), &boot)
    });
    Ok(filled.answer(headers))
}
