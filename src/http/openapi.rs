//! The contract: OpenAPI 3.1 from the handlers, served to programs and written to the tree for the interface's types.
//! Must never describe a call that is not mounted: the document and the router come from one list.

use std::sync::LazyLock;

use axum::extract::State;
use axum::response::IntoResponse;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, SecurityScheme};
use utoipa::{Modify, OpenApi};
use utoipa_axum::router::OpenApiRouter;

use super::admin::COOKIE;
use super::problem::Problem;
use super::state::Shared;
use super::{API, BASE};

/// Head of the document; the paths come from the router.
#[derive(OpenApi)]
#[openapi(
    info(title = "segnalazioni", description = "Tip line of a newsroom: chat for the public, panel for its editors."),
    components(schemas(Problem)),
    modifiers(&SessionCookie)
)]
pub(super) struct Head;

struct SessionCookie;

impl Modify for SessionCookie {
    fn modify(&self, openapi: &mut utoipa::openapi::OpenApi) {
        let components = openapi.components.get_or_insert_default();
        let cookie = SecurityScheme::ApiKey(ApiKey::Cookie(ApiKeyValue::new(COOKIE)));
        components.add_security_scheme("sessione", cookie);
    }
}

/// The whole document as JSON.
pub fn document() -> serde_json::Result<String> {
    let whole = OpenApiRouter::with_openapi(Head::openapi());
    let (_, openapi) = whole
        .nest(&format!("{BASE}{API}"), super::api())
        .split_for_parts();
    openapi.to_pretty_json()
}

static DOCUMENT: LazyLock<String> = LazyLock::new(|| document().unwrap_or_default());

/// Serves the document.
pub async fn serve(State(_): State<Shared>) -> impl IntoResponse {
    (
        [(axum::http::header::CONTENT_TYPE, "application/json")],
        DOCUMENT.as_str(),
    )
}
