//! The two pages with the newsroom's names and colours filled in, their stylesheets and the embedded assets.
//! Must never put into a page anything that depends on who asks for it.

use axum::Router;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, Uri};
use axum::response::Response;
use axum::routing::get;
use serde_json::json;

use super::branding::{Branding, Privacy};
use super::logo;
use super::status::Status;
use crate::actions::converse::Script;
use crate::actions::settings::load;
use crate::actions::{Error, Result};
use crate::demo;
use crate::domain::color::{Color, DEFAULT_PRIMARY, Theme};
use crate::domain::settings::System;
use crate::http::problem::ApiResult;
use crate::http::shell::{Page, ShellData, render_shell, stylesheet};
use crate::http::state::{App, Mode, Shared};
use crate::http::{BASE, assets};
use crate::store::Snapshot;

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
    page(&app, Page::Public, headers).await
}

async fn admin(State(app): State<Shared>, headers: HeaderMap) -> ApiResult<Response> {
    page(&app, Page::Admin, headers).await
}

async fn style(
    State(app): State<Shared>,
    Path((hash, name)): Path<(String, String)>,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let system: System = app.read(|_, snapshot| load::<System>(snapshot)).await?;
    Ok(stylesheet(&name, &hash, &theme(&system), &headers))
}

async fn page(app: &Shared, page: Page, headers: HeaderMap) -> ApiResult<Response> {
    let data = app
        .read(move |app, snapshot| shell_data(app, snapshot, page))
        .await?;
    Ok(render_shell(page, &data, &headers))
}

fn shell_data(app: &App, snapshot: &Snapshot<'_>, page: Page) -> Result<ShellData> {
    // Before the settings: a page that has older ones than its version says would never ask for them.
    let status = Status::of(app);
    let system: System = load(snapshot)?;
    let branding = Branding::of(&system, snapshot.logo_hash()?.as_deref());
    let privacy = Privacy::from(&system);
    let welcome = Script::in_force(snapshot)?.welcome();
    let demo_password = (app.mode == Mode::Demo && page == Page::Admin).then_some(demo::PASSWORD);
    let boot = json!({
        "branding": branding, "privacy": privacy, "welcome": welcome, "status": status,
        "demoPassword": demo_password,
    });
    Ok::<_, Error>(ShellData {
        theme: theme(&system),
        dark: system.dark_mode,
        icon: logo::icon(branding.logo_url.as_deref()),
        product_name: system.product_name,
        organization: system.organization_name,
        assistant_name: system.assistant_name,
        privacy_text: privacy.text,
        privacy_url: privacy.url,
        welcome,
        boot,
    })
}

/// The colours of a setting that was checked when it was saved.
fn theme(system: &System) -> Theme {
    Theme::derive(Color::parse(&system.primary_color).unwrap_or(DEFAULT_PRIMARY))
}
