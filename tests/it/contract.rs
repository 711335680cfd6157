//! The contract as a whole: the program serves the document in the tree, and every operation in it keeps the
//! rules that hold for all: no session, no answer; another site's page changes nothing; unknown fields are refused;
//! every refusal is a problem (RFC 9457).

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::support::contains;
use crate::support::http::{Answer, Client, Request};
use crate::support::program::Program;

const METHODS: [&str; 7] = ["get", "post", "put", "patch", "delete", "options", "head"];

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
        !matches!(self.method.as_str(), "GET" | "HEAD" | "OPTIONS")
    }

    fn request(&self, client: &Client) -> Request {
        let request = client.request(&self.method, &self.path);
        let request = request.header("if-match", "\"1\"");
        if self.takes_body {
            request.json(&json!({}))
        } else {
            request
        }
    }
}

fn document() -> Value {
    let text = include_str!("../../ui/openapi.json");
    serde_json::from_str(text).expect("JSON")
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
                    path: path
                        .replace("/labels/{id}", "/labels/1")
                        .replace("/receipts/consents/{id}", "/receipts/consents/1")
                        .replace("/departments/{key}", "/departments/lavoro")
                        .replace("{id}", "00000000-0000-4000-8000-000000000000")
                        .replace("{n}", "1")
                        .replace("{batch}", "1")
                        .replace("{other}", "00000000-0000-4000-8000-000000000001"),
                    needs_session: operation.get("security").is_some(),
                    takes_body: operation.get("requestBody").is_some(),
                });
            }
        }
    }
    assert!(found.len() >= 20, "the document is nearly empty");
    found
}

fn of_the_panel() -> Vec<Operation> {
    let mut all = operations();
    all.retain(|operation| operation.needs_session);
    all
}

#[test]
fn programs_are_served_the_contract_of_the_tree() {
    let program = Program::start();
    let served = program.client().read("/openapi.json");
    assert_eq!(served, document());
    assert!(served["openapi"].as_str().unwrap().starts_with("3.1"));
}

#[test]
fn no_schema_forbids_what_one_beside_it_adds() {
    let document = document();
    let schemas = document["components"]["schemas"].as_object();
    let mut composed = 0;
    for (name, schema) in schemas.expect("schemas") {
        for part in schema["allOf"].as_array().into_iter().flatten() {
            let path = part["$ref"].as_str().map(|path| &path[1..]);
            let part = path.map_or(Some(part), |path| document.pointer(path));
            let closed = &part.expect("a schema")["additionalProperties"];
            assert_ne!(*closed, false, "a part of {name}");
            composed += 1;
        }
    }
    assert!(composed > 5, "{composed}");
}

#[test]
fn file_of_a_report_is_described_by_the_types_it_may_have() {
    let document = document();
    let call = &document["paths"]["/paibeta/api/reports/{id}/attachments/{n}"];
    let content = call["get"]["responses"]["200"]["content"].as_object();
    let types: Vec<&String> = content.expect("a content").keys().collect();
    let expected = ["application/octet-stream", "audio/*", "image/*", "video/*"];
    assert_eq!(types, expected);
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
        "DELETE /paibeta/api/chat/attachments/00000000-0000-4000-8000-000000000000",
        "DELETE /paibeta/api/receipts",
        "DELETE /paibeta/api/receipts/attachments/1",
        "GET /paibeta/api/branding",
        "GET /paibeta/api/privacy",
        "GET /paibeta/api/receipts",
        "GET /paibeta/api/receipts/attachments/1",
        "GET /paibeta/api/receipts/data",
        "GET /paibeta/api/status",
        "HEAD /paibeta/api/chat/attachments/00000000-0000-4000-8000-000000000000",
        "OPTIONS /paibeta/api/chat/attachments",
        "PATCH /paibeta/api/chat/attachments/00000000-0000-4000-8000-000000000000",
        "POST /paibeta/api/chat",
        "POST /paibeta/api/chat/attachments",
        "POST /paibeta/api/chat/back",
        "POST /paibeta/api/chat/turns",
        "POST /paibeta/api/invitations",
        "POST /paibeta/api/invitations/open",
        "POST /paibeta/api/receipts",
        "POST /paibeta/api/receipts/answers",
        "POST /paibeta/api/receipts/consents/1",
        "POST /paibeta/api/receipts/messages",
        "POST /paibeta/api/receipts/withdrawal",
        "POST /paibeta/api/session",
        "POST /paibeta/api/session/passkey",
        "POST /paibeta/api/session/passkey/question",
        "POST /paibeta/api/setup",
        "POST /paibeta/api/setup/recovery-code",
    ];
    assert_eq!(public, expected);
}

#[test]
fn an_operation_of_the_panel_tells_a_stranger_nothing() {
    let program = Program::start();
    let stranger = program.client();
    let forged = stranger.with("cookie", "segnalazioni=AAAA");
    let walk = |client: &Client, check: &dyn Fn(&Operation, Answer)| {
        for operation in &of_the_panel() {
            check(operation, operation.request(client).send());
        }
    };
    let refused = |_: &Operation, answer: Answer| {
        let problem = answer.no_session();
        assert_eq!(problem.as_object().unwrap().len(), 5, "no data: {problem}");
    };
    walk(&stranger, &refused);
    let ended = program.set_up();
    ended.delete("/session").expect(204);
    for client in [&stranger, &forged, &*ended] {
        walk(client, &refused);
    }
    // The control: with a session the same requests get through the door. It goes last: one of them is the logout.
    for operation in of_the_panel() {
        let status = operation.request(&program.log_in()).send().status;
        let through = !matches!(status, 401 | 403 | 405);
        assert!(through, "{operation:?}: {status}");
    }
}

#[test]
fn a_write_that_another_site_asks_for_is_refused_whoever_carries_the_cookie() {
    let (program, editor) = Program::with_editor();
    let port = program.client().address().port();
    let own = format!("http://127.0.0.1:{port}");
    let other_port = format!("http://127.0.0.1:{}", port ^ 1);
    let other_host = format!("http://localhost:{port}");
    let cross = editor.with("sec-fetch-site", "cross-site");
    for foreign in [
        editor.with("sec-fetch-site", "same-site"),
        editor.with("origin", "https://altrove.example"),
        editor.with("origin", "null"),
        editor.with("origin", &other_port),
        editor.with("origin", &other_host),
        cross.with("origin", &own),
        cross,
    ] {
        for operation in operations() {
            let answer = operation.request(&foreign).send();
            assert_eq!(answer.status == 403, operation.writes(), "{operation:?}");
            if operation.writes() {
                answer.problem(403, "origine-non-valida");
            }
        }
    }
    assert_eq!(editor.session(), 200, "nothing of it was done");
    for (name, value) in [
        ("sec-fetch-site", "same-origin"),
        ("sec-fetch-site", "none"),
        ("origin", &own),
    ] {
        editor.with(name, value).save_system(&json!({}));
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
fn every_body_is_json_of_a_bounded_size_without_unknown_fields() {
    let (_program, editor) = Program::with_editor();
    let all = operations().into_iter();
    for operation in all.filter(|operation| operation.takes_body) {
        let request = || {
            let request = editor.request(&operation.method, &operation.path);
            request.header("if-match", "\"1\"")
        };
        let unknown = request().json(&json!({ "nessuno_mi_conosce": 1 })).send();
        let fields = unknown.refused_fields();
        contains(fields.join(" "), &["nessuno_mi_conosce"]);
        let text = request().body("text/plain", "{}").send();
        text.problem(415, "tipo-non-supportato");
        let broken = request().body("application/json", "{").send();
        broken.problem(400, "richiesta-non-valida");
        // No refusal speaks of the inside.
        for word in "serde|sqlite|panicked|.rs|line 1 column|expected".split('|') {
            for refusal in [&broken, &unknown] {
                let told = refusal.text().to_lowercase();
                assert!(!told.contains(word), "{operation:?}: {told}");
            }
        }
        let limit = match operation.path.as_str() {
            path if path.contains("/chat") => 512,
            path if path.ends_with("/logo") => 704,
            _ => 256,
        };
        let oversized = vec![b' '; limit * 1024 + 1];
        request()
            .body("application/json", oversized)
            .send()
            .problem(413, "troppo-grande");
    }
}

#[test]
fn a_method_that_is_not_there_is_405_and_a_path_404() {
    let (_program, editor) = Program::with_editor();
    let mut own: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for operation in operations() {
        own.entry(operation.path)
            .or_default()
            .push(operation.method);
    }
    for (path, own) in own {
        for method in [
            "GET", "POST", "PUT", "PATCH", "DELETE", "TRACE", "OPTIONS", "PROVA",
        ] {
            if !own.iter().any(|known| known == method) {
                let answer = editor.request(method, &path).send();
                answer.problem(405, "metodo-non-consentito");
                let allowed = answer.header("allow").expect("what is allowed");
                assert!(
                    own.iter().all(|method| allowed.contains(method)),
                    "{path}: {allowed}"
                );
            }
        }
    }
    for path in
        "|/|/niente|/reports/|/Status|/status/|/reports/x/y|//status|/prompts/../status".split('|')
    {
        for method in ["GET", "POST", "DELETE"] {
            editor.api(method, path).send().not_found();
        }
    }
}
