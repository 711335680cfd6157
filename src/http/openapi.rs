//! The contract: OpenAPI 3.1 from the handlers, served to programs and written to the tree for the interface's types.
//! Must never describe a call that is not mounted: the document and the router come from one list.

use std::sync::LazyLock;

use axum::extract::State;
use axum::response::IntoResponse;
use utoipa::OpenApi;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{Content, Ref, RefOr, ResponseBuilder, Schema};
use utoipa_axum::router::OpenApiRouter;

use super::admin::COOKIE;
use super::problem::Problem;
use super::state::Shared;
use super::{API, BASE};

/// Head of the document; the paths come from the router.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "segnalazioni",
        description = "Tip line of a newsroom: chat for the public, panel for its editors."
    ),
    components(schemas(Problem))
)]
pub(super) struct Head;

/// Name of the way to be let in.
const SESSION: &str = "sessione";
/// Calls outside of the tag `pubblico` that need no session: they make one.
const BEFORE_A_SESSION: [&str; 3] = ["log_in", "recovery_code", "setup"];

/// What holds for every call, so that none has to say it: it may answer with a problem, and needs a session unless it is
/// for everybody.
fn complete(openapi: &mut utoipa::openapi::OpenApi) {
    for item in openapi.paths.paths.values_mut() {
        let methods = [
            &mut item.get,
            &mut item.put,
            &mut item.post,
            &mut item.delete,
            &mut item.patch,
        ];
        for operation in methods.into_iter().flatten() {
            let id = operation.operation_id.clone().unwrap_or_default();
            if id != "status" {
                let problem = Content::new(Some(Ref::from_schema_name("Problem")));
                let problem = ResponseBuilder::new().content("application/json", problem);
                let responses = &mut operation.responses.responses;
                responses.insert("default".to_owned(), problem.build().into());
            }
            let public = operation.tags.iter().flatten().any(|tag| tag == "pubblico");
            if !public && !BEFORE_A_SESSION.contains(&id.as_str()) {
                let session = SecurityRequirement::new(SESSION, Vec::<String>::new());
                operation.security = Some(vec![session]);
            }
        }
    }
    let components = openapi.components.get_or_insert_default();
    let cookie = SecurityScheme::ApiKey(ApiKey::Cookie(ApiKeyValue::new(COOKIE)));
    components.add_security_scheme(SESSION, cookie);
    // A problem does not know what a route stores; where a version is superseded (412) it is a report.
    if let Some(RefOr::T(Schema::Object(problem))) = components.schemas.get_mut("Problem") {
        let mut current = Ref::from_schema_name("ReportDetail");
        "What is stored now, when a change came too late (412)."
            .clone_into(&mut current.description);
        problem
            .properties
            .insert("current".to_owned(), current.into());
    }
}

pub fn document() -> serde_json::Result<String> {
    let whole = OpenApiRouter::with_openapi(Head::openapi());
    let (_, mut openapi) = whole
        .nest(&format!("{BASE}{API}"), super::api())
        .split_for_parts();
    complete(&mut openapi);
    openapi.to_pretty_json()
}

static DOCUMENT: LazyLock<String> = LazyLock::new(|| document().unwrap_or_default());

pub async fn serve(State(_): State<Shared>) -> impl IntoResponse {
    (
        [(axum::http::header::CONTENT_TYPE, "application/json")],
        DOCUMENT.as_str(),
    )
}
