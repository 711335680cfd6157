//! The contract as a whole: the document in the tree is the one the program serves, and every operation in it keeps the
//! rules that hold for all: no session, no answer; another site's page changes nothing; unknown fields are refused;
//! every refusal is a problem (RFC 9457).

use std::path::Path;

use serde_json::{Value, json};

use crate::support::http::{Client, Request};
use crate::support::panel::Editor;
use crate::support::program::Program;

const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

/// One operation of the document.
#[derive(Debug)]
struct Operation {
    method: String,
    /// With its parameters filled in.
    path: String,
    needs_session: bool,
    takes_body: bool,
}

impl Operation {
    fn writes(&self) -> bool {
        self.method != "GET"
    }

    fn request(&self, client: &Client) -> Request {
        let request = client
            .request(&self.method, &self.path)
            .header("if-match", "\"1\"");
        if self.takes_body {
            request.json(&json!({}))
        } else {
            request
        }
    }
}

fn document() -> Value {
    let text = segnalazioni::testing::http::openapi::document().expect("a document");
    serde_json::from_str(&text).expect("JSON")
}

fn operations() -> Vec<Operation> {
    let document = document();
    let paths = document["paths"].as_object().expect("paths");
    let mut found = Vec::new();
    for (path, methods) in paths {
        for (method, operation) in methods.as_object().expect("operations") {
            if METHODS.contains(&method.as_str()) {
                found.push(Operation {
                    method: method.to_uppercase(),
                    path: path.replace("{id}", "00000000-0000-4000-8000-000000000000"),
                    needs_session: operation.get("security").is_some(),
                    takes_body: operation.get("requestBody").is_some(),
                });
            }
        }
    }
    assert!(found.len() >= 20, "the document is nearly empty");
    found
}

#[test]
fn the_openapi_document_in_the_tree_is_the_one_that_is_served() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("ui/openapi.json");
    let present = segnalazioni::testing::http::openapi::document().expect("a document") + "\n";
    if std::env::var_os("UPDATE_OPENAPI").is_some() {
        std::fs::write(&path, &present).expect("it can be written");
    }
    let kept = std::fs::read_to_string(&path).expect("ui/openapi.json");
    assert!(
        kept == present,
        "ui/openapi.json is out of date: `make openapi` writes it"
    );
    let program = Program::start();
    let served = program.client().get("/openapi.json").expect(200).json();
    assert_eq!(served, document());
    assert!(served["openapi"].as_str().unwrap().starts_with("3.1"));
}

#[test]
fn only_these_operations_need_no_session() {
    let mut public: Vec<String> = operations()
        .iter()
        .filter(|operation| !operation.needs_session)
        .map(|operation| format!("{} {}", operation.method, operation.path))
        .collect();
    public.sort();
    let expected = [
        "GET /paibeta/api/branding",
        "GET /paibeta/api/privacy",
        "GET /paibeta/api/status",
        "POST /paibeta/api/chat",
        "POST /paibeta/api/chat/turns",
        "POST /paibeta/api/session",
        "POST /paibeta/api/setup",
        "POST /paibeta/api/setup/recovery-code",
    ];
    assert_eq!(public, expected);
}

#[test]
fn an_operation_of_the_panel_tells_a_stranger_nothing() {
    let program = Program::start();
    let stranger = program.client();
    let forged = stranger.with("cookie", "__Host-segnalazioni=AAAA");
    let before_set_up = [stranger.clone(), forged.clone()];
    let refused_to_all = |clients: &[Client]| {
        for operation in operations()
            .iter()
            .filter(|operation| operation.needs_session)
        {
            for client in clients {
                let problem = operation
                    .request(client)
                    .send()
                    .problem(401, "non-autenticato");
                assert_eq!(problem.as_object().unwrap().len(), 5, "no data: {problem}");
            }
        }
    };
    refused_to_all(&before_set_up);
    let editor = program.set_up();
    let ended = editor.client().clone();
    editor.api("DELETE", "/session").send().expect(204);
    refused_to_all(&[stranger, forged, ended]);
}

#[test]
fn a_write_that_another_site_asks_for_is_refused_whoever_carries_the_cookie() {
    let program = Program::start();
    let editor = program.set_up();
    let port = program.client().address().port();
    let other_port = format!("http://127.0.0.1:{}", port ^ 1);
    let other_host = format!("http://localhost:{port}");
    let own = format!("http://127.0.0.1:{port}");
    let hostile: [&[(&str, &str)]; 7] = [
        &[("sec-fetch-site", "cross-site")],
        &[("sec-fetch-site", "same-site")],
        &[("sec-fetch-site", "cross-site"), ("origin", &own)],
        &[("origin", "https://altrove.example")],
        &[("origin", "null")],
        &[("origin", &other_port)],
        &[("origin", &other_host)],
    ];
    for operation in operations() {
        for headers in hostile {
            let request = headers.iter().fold(
                operation.request(editor.client()),
                |request, (name, value)| request.header(name, value),
            );
            let answer = request.send();
            if operation.writes() {
                answer.problem(403, "origine-non-valida");
            } else {
                assert_ne!(answer.status, 403, "reading is no change: {operation:?}");
            }
        }
    }
    assert_eq!(editor.session(), 200, "nothing of it was done");
    for headers in [
        [("sec-fetch-site", "same-origin")],
        [("sec-fetch-site", "none")],
        [("origin", own.as_str())],
    ] {
        let request = editor.api("PUT", "/settings/system").json(&json!({}));
        let request = headers.iter().fold(request, |request, (name, value)| {
            request.header(name, value)
        });
        request.send().expect(200);
    }
}

#[test]
fn behind_a_proxy_the_public_address_is_our_origin() {
    let program = Program::start_with(&[
        ("SEGNALAZIONI_PUBLIC_URL", "https://tips.example.org"),
        ("SEGNALAZIONI_TRUSTED_PROXIES", "127.0.0.1"),
    ]);
    let start = |origin: &str| {
        let request = program.client().api("POST", "/chat").json(&json!({}));
        request.header("origin", origin).send()
    };
    start("https://tips.example.org").expect(200);
    start("https://tips.example.org.evil.example").problem(403, "origine-non-valida");
    start("https://tips.example.com").problem(403, "origine-non-valida");
}

#[test]
fn every_body_refuses_a_field_it_does_not_know() {
    let program = Program::start();
    let editor = program.set_up();
    let with_bodies: Vec<Operation> = operations()
        .into_iter()
        .filter(|operation| operation.takes_body)
        .collect();
    assert!(with_bodies.len() >= 9);
    for operation in with_bodies {
        let request = editor
            .client()
            .request(&operation.method, &operation.path)
            .header("if-match", "\"1\"")
            .json(&json!({ "nessuno_mi_conosce": 1 }));
        let problem = request.send().problem(422, "dati-non-validi");
        assert!(
            problem["errors"]["nessuno_mi_conosce"].is_string(),
            "{operation:?}: {problem}"
        );
    }
}

#[test]
fn every_body_is_json_of_a_bounded_size() {
    let program = Program::start();
    let editor = program.set_up();
    for operation in operations()
        .into_iter()
        .filter(|operation| operation.takes_body)
    {
        let request = || {
            let request = editor.client().request(&operation.method, &operation.path);
            request.header("if-match", "\"1\"")
        };
        request()
            .body("text/plain", "{}")
            .send()
            .problem(415, "tipo-non-supportato");
        request()
            .body("application/json", "{")
            .send()
            .problem(400, "richiesta-non-valida");
        let limit = match operation.path.as_str() {
            path if path.contains("/chat") => 512,
            path if path.ends_with("/logo") => 704,
            _ => 256,
        };
        let announced = (limit * 1024 + 1).to_string();
        let oversized = request()
            .header("content-type", "application/json")
            .header("content-length", &announced);
        oversized.send().problem(413, "troppo-grande");
    }
}

#[test]
fn a_method_that_is_not_there_is_405_and_a_path_404() {
    let program = Program::start();
    let editor = program.set_up();
    let operations = operations();
    let paths: std::collections::BTreeSet<&str> = operations
        .iter()
        .map(|operation| operation.path.as_str())
        .collect();
    for path in paths {
        let own: Vec<&str> = operations
            .iter()
            .filter(|operation| operation.path == path)
            .map(|operation| operation.method.as_str())
            .collect();
        for method in [
            "GET", "POST", "PUT", "PATCH", "DELETE", "TRACE", "OPTIONS", "PROVA",
        ] {
            if !own.contains(&method) {
                let answer = editor.client().request(method, path).send();
                answer.problem(405, "metodo-non-consentito");
                let allowed = answer.header("allow").expect("what is allowed");
                assert!(
                    own.iter().all(|method| allowed.contains(method)),
                    "{path}: {allowed}"
                );
            }
        }
    }
    for path in [
        "",
        "/",
        "/niente",
        "/reports/",
        "/Status",
        "/status/",
        "/reports/x/y",
        "//status",
        "/prompts/../status",
    ] {
        for method in ["GET", "POST", "DELETE"] {
            editor
                .client()
                .api(method, path)
                .send()
                .problem(404, "non-trovato");
        }
    }
}

#[test]
fn no_refusal_speaks_of_the_inside() {
    let program = Program::start();
    let editor = program.set_up();
    let kept_open = |operation: &Operation| operation.method != "DELETE";
    for operation in operations().into_iter().filter(kept_open) {
        for body in [
            "{\"a\":",
            "[]",
            "{\"password\":1,\"token\":{},\"text\":[]}",
            "\"x\"",
            "{\"a\":1e999}",
        ] {
            let request = editor.client().request(&operation.method, &operation.path);
            let answer = request
                .header("if-match", "\"1\"")
                .body("application/json", body)
                .send();
            assert!(
                answer.status < 500,
                "{operation:?} {body}: {}",
                answer.status
            );
            let text = answer.text().to_lowercase();
            for word in [
                "serde",
                "sqlite",
                "rusqlite",
                "panicked",
                ".rs",
                "line 1 column",
                "expected",
            ] {
                assert!(!text.contains(word), "{operation:?}: {text}");
            }
        }
    }
}

#[test]
fn an_editor_is_needed_for_the_walk_to_mean_anything() {
    // The control of the walks above: with a session the same requests get through the door.
    let program = Program::start();
    let editor: Editor = program.set_up();
    for operation in operations()
        .iter()
        .filter(|operation| operation.needs_session)
    {
        if operation.path.ends_with("/session") && operation.method == "DELETE" {
            continue;
        }
        let status = operation.request(editor.client()).send().status;
        assert!(
            !matches!(status, 401 | 403 | 405),
            "{operation:?}: {status}"
        );
    }
}
