//! The HTTP face: routes, limits and headers. The only module (with `app`) that knows axum, cookies and status codes.
//! Must never change anything except through the actions, nor answer an administrator's call without one.

mod admin;
pub mod assets;
pub mod checkup;
mod chunks;
mod client_address;
pub mod connections;
mod headers;
mod json;
mod key_copy;
pub mod metrics;
pub mod openapi;
mod path;
mod problem;
mod query;
pub mod redirect;
mod routes;
pub mod setup_link;
pub mod shell;
pub mod state;
mod trace;

use axum::Router;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::csrf::{CsrfLayer, ProtectionError};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use headers::{HeaderPolicy, security_headers};
use problem::{ApiError, Kind};
use routes::{
    analytics, chat, deliveries, erasures, export, logo, logs, pages, prompts, public, reports,
    routing, seal, session, settings, system,
};
use state::Shared;

/// Where everything is served (PRODUCT.md §1).
pub const BASE: &str = "/paibeta";
/// Where the API is served, below [`BASE`].
const API: &str = "/api";

/// Every call of the API, with its description.
fn api() -> OpenApiRouter<Shared> {
    public_api().merge(reports_api()).merge(settings_api())
}

/// The chat, and what lets an editor in.
fn public_api() -> OpenApiRouter<Shared> {
    OpenApiRouter::new()
        .routes(routes!(public::status))
        .routes(routes!(public::branding))
        .routes(routes!(public::privacy))
        .routes(routes!(chat::start))
        .routes(routes!(chat::turn))
        .routes(routes!(session::recovery_code))
        .routes(routes!(session::setup))
        .routes(routes!(
            session::log_in,
            session::who_am_i,
            session::log_out
        ))
        .routes(routes!(session::change_password))
        .routes(routes!(seal::sealed_mode, seal::post, seal::delete))
}

/// The reports, and what they set in motion.
fn reports_api() -> OpenApiRouter<Shared> {
    OpenApiRouter::new()
        .routes(routes!(reports::list))
        .routes(routes!(export::export))
        .routes(routes!(reports::detail, reports::patch, erasures::erase))
        .routes(routes!(erasures::erase_many))
        .routes(routes!(erasures::same_person))
        .routes(routes!(reports::exported))
        .routes(routes!(deliveries::list))
        .routes(routes!(deliveries::delivery_summary))
        .routes(routes!(deliveries::retry))
        .routes(routes!(deliveries::retry_deliveries))
        .routes(routes!(deliveries::ignore))
        .routes(routes!(deliveries::ignore_all))
        .routes(routes!(analytics::analytics))
        .routes(routes!(export::backup))
}

/// The settings, and the state of the installation.
fn settings_api() -> OpenApiRouter<Shared> {
    OpenApiRouter::new()
        .routes(routes!(erasures::retention))
        .routes(routes!(erasures::expiring_reports))
        .routes(routes!(settings::get_security, settings::put_security))
        .routes(routes!(settings::get_system, settings::put_system))
        .routes(routes!(settings::get_email, settings::put_email))
        .routes(routes!(settings::palette))
        .routes(routes!(settings::test_email))
        .routes(routes!(settings::test_webhook))
        .routes(routes!(
            settings::renew_webhook_secret,
            settings::delete_webhook_secret
        ))
        .routes(routes!(routing::preview_routing))
        .routes(routes!(routing::dry_run))
        .routes(routes!(
            routing::routing_memory,
            routing::forget_routing_memory
        ))
        .routes(routes!(logo::put, logo::delete))
        .routes(routes!(
            prompts::prompts,
            prompts::put,
            prompts::reset_prompts
        ))
        .routes(routes!(prompts::rehearse))
        .routes(routes!(settings::delete))
        .routes(routes!(logs::get, logs::delete))
        .routes(routes!(system::backups))
        .routes(routes!(system::examination, system::examine))
        .routes(routes!(system::system_info))
}

/// The whole program as a router. From the outside in: security headers on every answer, request id and log line,
/// panics answered as 500, compression; then, for the API, the origin check.
pub fn router(app: Shared, https: bool) -> Router {
    let (api, _) = api().split_for_parts();
    let api = api
        .route("/openapi.json", get(openapi::serve))
        .fallback(unknown_call)
        .method_not_allowed_fallback(wrong_method)
        .layer(own_pages_only(app.public_origin.as_deref()));
    let site = Router::new()
        .nest(API, api)
        .route("/healthz", get(public::healthz))
        .merge(pages::routes());
    Router::new()
        .route("/", get(to_public_page))
        .nest(BASE, site)
        .route(&format!("{BASE}/"), get(pages::public))
        .merge(pages::asset_routes())
        .fallback(elsewhere)
        .layer(CompressionLayer::new())
        .layer(CatchPanicLayer::custom(panicked))
        .layer(from_fn_with_state(app.clone(), trace::trace))
        .layer(from_fn_with_state(HeaderPolicy { https }, security_headers))
        .with_state(app)
}

/// Refuses changes that another site's page asks the browser for (ASVS 3.5.1): by `Sec-Fetch-Site`, else by `Origin`.
fn own_pages_only(public_origin: Option<&str>) -> CsrfLayer<fn(ProtectionError) -> Response> {
    let layer = public_origin.map(|origin| CsrfLayer::new().add_trusted_origin(origin));
    let layer = layer.transpose().unwrap_or_else(|error| {
        tracing::warn!(%error, "the public address names no origin");
        None
    });
    layer
        .unwrap_or_default()
        .with_rejection_response(|_| Kind::CROSS_SITE.into_response())
}

async fn to_public_page() -> Redirect {
    Redirect::temporary(&format!("{BASE}/"))
}

/// Unknown paths lead to the chat; unknown calls of a program are told so.
async fn elsewhere(request: Request) -> Response {
    let path = request.uri().path();
    if path == format!("{BASE}{API}") || path.starts_with(&format!("{BASE}{API}/")) {
        return unknown_call().await;
    }
    // Whoever watches the wrong address must not be told for ever that all is well.
    let watched = path == "/healthz";
    let files = [format!("{BASE}/assets/"), format!("{BASE}/style/")];
    if watched || files.iter().any(|files| path.starts_with(files)) {
        return StatusCode::NOT_FOUND.into_response();
    }
    Redirect::to(&format!("{BASE}/")).into_response()
}

async fn unknown_call() -> Response {
    let text = "Questo indirizzo dell'API non esiste.";
    Kind::NOT_FOUND.saying(text).into_response()
}

async fn wrong_method() -> Response {
    Kind::METHOD_NOT_ALLOWED.into_response()
}

/// The panic itself was logged by the process's hook, without its text.
fn panicked(_: Box<dyn std::any::Any + Send>) -> Response {
    ApiError::defect("panic in a handler").into_response()
}
