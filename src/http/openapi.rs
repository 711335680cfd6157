//! The contract: OpenAPI 3.1 from the handlers, written to the tree for the interface's types, embedded and served to programs.

use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};

use super::assets::{ASK_AGAIN, file};
use super::problem::ApiError;

/// The document as it stands in the tree, embedded.
pub async fn serve(headers: HeaderMap) -> Response {
    let answer = file("openapi.json", "application/json", ASK_AGAIN, &headers);
    answer.unwrap_or_else(|| ApiError::not_there("Questo indirizzo non esiste.").into_response())
}

/// The document is made in a test, which writes it to the tree when asked: the program has no use for the code that makes it.
#[cfg(test)]
mod tests {
    use utoipa::OpenApi;
    use utoipa::openapi::path::Operation;
    use utoipa::openapi::schema::ArrayItems;
    use utoipa::openapi::security::{ApiKey, ApiKeyValue, SecurityRequirement, SecurityScheme};
    use utoipa::openapi::{Content, Object, Ref, RefOr, ResponseBuilder, Schema};

    use crate::http::admin::SESSION as COOKIE;
    use crate::http::problem::{PROBLEM, Problem};
    use crate::http::{API, BASE};

    /// Head of the document; the paths come from the router.
    #[derive(OpenApi)]
    #[openapi(
        info(
            title = "segnalazioni",
            description = "Tip line of a newsroom: chat for the public, panel for its editors."
        ),
        components(schemas(Problem))
    )]
    struct Head;

    /// Name of the way to be let in.
    const SESSION: &str = "sessione";
    /// Calls outside of the tag `pubblico` that need no session: they make one.
    const BEFORE_A_SESSION: [&str; 7] = [
        "log_in",
        "passkey_question",
        "log_in_by_passkey",
        "recovery_code",
        "setup",
        "open_invitation",
        "answer_invitation",
    ];

    /// Answers that leave out what they do not have, and settings, which may be sent without their secrets.
    const SPARING: [&str; 5] = [
        "ChatLine",
        "ChatQuestion",
        "ChatReply",
        "EmailSettings",
        "SystemSettings",
    ];

    /// Completes every call: it may answer with a problem, and it needs a session unless it is public.
    fn complete(openapi: &mut utoipa::openapi::OpenApi) {
        for item in openapi.paths.paths.values_mut() {
            // Without a body the status alone says it.
            for operation in [&mut item.head, &mut item.options].into_iter().flatten() {
                let problem = ResponseBuilder::new().build().into();
                let responses = &mut operation.responses.responses;
                responses.insert("default".to_owned(), problem);
            }
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
                    let problem = ResponseBuilder::new().content(PROBLEM, problem);
                    let responses = &mut operation.responses.responses;
                    responses.insert("default".to_owned(), problem.build().into());
                }
                if matches!(&*id, "attachment" | "own_attachment") {
                    state_media_types(operation);
                }
                let public = operation.tags.iter().flatten().any(|tag| tag == "pubblico");
                if !public && !BEFORE_A_SESSION.contains(&id.as_str()) {
                    let session = SecurityRequirement::new(SESSION, Vec::<String>::new());
                    operation.security = Some(vec![session]);
                }
            }
        }
        let components = openapi.components.get_or_insert_default();
        let cookie = SecurityScheme::ApiKey(ApiKey::Cookie(ApiKeyValue::new(COOKIE.bound())));
        components.add_security_scheme(SESSION, cookie);
        let schemas = components.schemas.iter_mut();
        for (_, schema) in schemas.filter(|(name, _)| !SPARING.contains(&name.as_str())) {
            require_nullable(schema);
        }
        // A problem does not know what a route stores; where a version is superseded (412) it is a report.
        if let Some(RefOr::T(Schema::Object(problem))) = components.schemas.get_mut("Problem") {
            let mut current = Ref::from_schema_name("ReportDetail");
            "The stored state, when a change was made on an outdated version (412)."
                .clone_into(&mut current.description);
            problem
                .properties
                .insert("current".to_owned(), current.into());
        }
    }

    /// Fields that may be null are required in an answer. Requests refuse unknown fields and may omit fields that may
    /// be null.
    fn require_nullable(schema: &mut RefOr<Schema>) {
        match schema {
            RefOr::T(Schema::AllOf(all)) => all.items.iter_mut().for_each(require_nullable),
            RefOr::T(Schema::Array(array)) => {
                if let ArrayItems::RefOrSchema(items) = &mut array.items {
                    require_nullable(items);
                }
            }
            RefOr::T(Schema::Object(Object {
                additional_properties: None,
                properties,
                required,
                ..
            })) => {
                properties.values_mut().for_each(require_nullable);
                let nullable = properties.iter().filter(|(name, property)| {
                    let property = serde_json::to_string(property).unwrap();
                    property.contains(r#""null""#) && !required.contains(name)
                });
                let nullable: Vec<_> = nullable.map(|(name, _)| name.clone()).collect();
                required.extend(nullable);
            }
            _ => {}
        }
    }

    /// Pictures, films and sound keep their type; every other file is bytes.
    fn state_media_types(operation: &mut Operation) {
        let file = operation.responses.responses.get_mut("200");
        if let Some(RefOr::T(file)) = file {
            for range in ["audio/*", "image/*", "video/*"] {
                file.content
                    .insert(range.to_owned(), Content::default().into());
            }
        }
    }

    /// The document, from the handlers as they are: what stands in the tree and in the executable must be equal to it.
    fn document() -> serde_json::Result<String> {
        let calls = crate::http::Calls::openapi();
        let mut openapi = Head::openapi().nest(format!("{BASE}{API}"), calls);
        complete(&mut openapi);
        openapi.to_pretty_json()
    }

    #[test]
    fn the_openapi_document_in_the_tree_is_what_the_handlers_say() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/ui/openapi.json");
        let present = document().unwrap() + "\n";
        if std::env::var_os("UPDATE_OPENAPI").is_some() {
            std::fs::write(path, &present).unwrap();
        }
        let kept = std::fs::read_to_string(path).unwrap();
        assert!(
            kept == present,
            "ui/openapi.json is out of date: `make openapi` writes it"
        );
    }
}
