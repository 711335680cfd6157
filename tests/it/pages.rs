//! The pages, the assets and the headers around every answer (ASVS 3.4): what a browser is allowed, what it may keep,
//! and where a wrong address leads.

use std::io::Read as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;
use sha2::{Digest as _, Sha256};

use crate::support::http::Answer;
use crate::support::program::Program;

const PAGE_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src 'self' blob:; \
    font-src 'self'; connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; \
    object-src 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";
const DATA_POLICY: &str =
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox";
const PERMISSIONS: &str = "camera=(), display-capture=(), fullscreen=(), geolocation=(), microphone=(), serial=(), \
    usb=()";

const ALWAYS: [(&str, &str); 6] = [
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("x-frame-options", "DENY"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cross-origin-embedder-policy", "require-corp"),
];

/// What a page may do: styles that stand in it are named by their hash.
fn policy_of(page: &Answer) -> String {
    let mut parts = page.text().split("<style").skip(1);
    let Some(styles) = parts.next() else {
        return PAGE_POLICY.to_owned();
    };
    assert!(parts.next().is_none(), "styles stand in one place");
    let (_, styles) = styles.split_once('>').expect("an element");
    let (styles, _) = styles.split_once("</style>").expect("its end");
    let hash = STANDARD.encode(Sha256::digest(styles));
    PAGE_POLICY.replace(
        "style-src 'self'",
        &format!("style-src 'self' 'sha256-{hash}'"),
    )
}

/// Checks the headers that every answer has, and the two that depend on what it is.
fn guarded(answer: &Answer, policy: &str, caching: &str) {
    for (name, value) in ALWAYS {
        assert_eq!(answer.header(name), Some(value));
    }
    let permissions = answer.header("permissions-policy").expect("permissions");
    assert_eq!(permissions.replace("(self)", "()"), PERMISSIONS);
    assert_eq!(answer.header("content-security-policy"), Some(policy));
    assert_eq!(answer.header("cache-control"), Some(caching));
    assert_eq!(answer.header("x-request-id").map(str::len), Some(32));
    assert_eq!(
        answer.header("strict-transport-security"),
        None,
        "not over plain http"
    );
    for (name, _) in &answer.headers {
        assert!(
            !name.starts_with("access-control-"),
            "no other origin is let in: {name}"
        );
        assert!(name != "server" && name != "x-powered-by", "{name}");
    }
}

#[test]
fn only_the_pages_of_reporters_may_use_a_microphone() {
    let program = Program::start();
    let client = program.client();
    let recording = PERMISSIONS.replace("microphone=()", "microphone=(self)");
    let others = "/login /setup /admin /admin/reports /api/status /altrove";
    for (paths, expected) in [(" / /?embed /seguito", &*recording), (others, PERMISSIONS)] {
        for path in paths.split(' ') {
            let answer = client.page(&format!("/paibeta{path}"));
            let permissions = answer.header("permissions-policy");
            assert_eq!(permissions, Some(expected), "{path}");
        }
    }
}

/// Paths in the page that begin with this.
fn links(html: &str, prefix: &str) -> Vec<String> {
    let parts = html.split('"').filter(|part| part.starts_with(prefix));
    parts.map(str::to_owned).collect()
}

#[test]
fn both_pages_come_with_their_policy_and_no_inline_code() {
    let program = Program::start();
    let client = program.client();
    for path in "|/|/login|/setup|/admin|/admin/|/admin/reports|/admin/settings/email".split('|') {
        let answer = client.page(&format!("/paibeta{path}")).expect(200);
        guarded(&answer, &policy_of(&answer), "no-cache");
        let expected = Some("text/html; charset=utf-8");
        assert_eq!(answer.header("content-type"), expected);
        let unlisted = (path.len() > 1).then_some("noindex, nofollow");
        assert_eq!(answer.header("x-robots-tag"), unlisted, "{path}");
        let html = answer.text();
        // Names of assets may have underscores too.
        let slot =
            |part: &str| !part.is_empty() && part.bytes().all(|one| one.is_ascii_uppercase());
        assert!(
            html.contains("PelazzAI") && !html.split("__").any(slot),
            "a slot is not filled: {path}"
        );
        let chat = path.len() < 2;
        assert_eq!(html.contains("<style"), chat, "styles in {path}");
        assert!(!html.contains(" style="));
        for script in html.split("<script").skip(1) {
            let data = script.starts_with(r#" type="application/json""#);
            let ours = data || script.contains(r#"src="/paibeta/assets/"#);
            assert!(ours, "inline code in {path}");
        }
    }
}

#[test]
fn scripts_styles_and_fonts_are_kept_for_ever_under_their_hash() {
    let program = Program::start();
    let client = program.client();
    for page in ["/paibeta/", "/paibeta/admin/"] {
        let html = client.page(page).text().to_owned();
        let [assets, styles] =
            ["assets", "style"].map(|folder| links(&html, &format!("/paibeta/{folder}/")));
        let all = assets.len() > 1 && styles.len() == 1;
        assert!(all, "{page}: {assets:?} {styles:?}");
        // The style asks for the font once there is text: before the first paint it would compete with the script.
        assert!(!html.contains("as=\"font\""), "{page}");
        for path in assets.iter().chain(&styles) {
            let answer = client.page(path).expect(200);
            guarded(&answer, DATA_POLICY, "public, max-age=31536000, immutable");
            let kind = answer.header("content-type").expect("a type");
            let right = !styles.contains(path) || kind.starts_with("text/css");
            assert!(right, "{path}: {kind}");
        }
    }
}

#[test]
fn texts_come_in_the_form_the_browser_takes() {
    let program = Program::start();
    let client = program.client();
    let html = client.page("/paibeta/").text().to_owned();
    let mut paths = links(&html, "/paibeta/assets/");
    paths.extend(links(&html, "/paibeta/style/"));
    paths.extend(["/paibeta/", "/paibeta/api/openapi.json"].map(str::to_owned));
    for path in &paths {
        let plain = client.page(path).expect(200);
        for (accepted, coding) in [
            ("gzip, deflate, br", Some("br")),
            ("gzip", Some("gzip")),
            ("identity", None),
            ("br;q=0", None),
            ("*", None),
            ("br, identity;q=0", Some("br")),
        ] {
            let what = format!("{path} {accepted}");
            let client = client.with("accept-encoding", accepted);
            let request = || client.request("GET", path);
            let answer = request().send().expect(200);
            assert_eq!(answer.header("content-encoding"), coding, "{what}");
            let vary = answer.header("vary").unwrap_or_default();
            assert!(vary.contains("accept-encoding"), "{path}: {vary}");
            assert!(decoded(&answer.body, coding) == plain.body, "{what}");
            let tag = answer.header("etag").expect("a tag");
            let again = request().header("if-none-match", tag).send().expect(304);
            assert!(again.body.is_empty(), "{what}");
            if path == "/paibeta/" {
                guarded(&again, &policy_of(&plain), "no-cache");
            }
            if coding.is_some() {
                let other = plain.header("etag").expect("a tag");
                request().header("if-none-match", other).send().expect(200);
            }
        }
    }
}

fn decoded(body: &[u8], coding: Option<&str>) -> Vec<u8> {
    let mut plain = Vec::new();
    match coding {
        Some("br") => brotli::BrotliDecompress(&mut &*body, &mut plain),
        Some(_) => flate2::read::GzDecoder::new(body)
            .read_to_end(&mut plain)
            .map(drop),
        None => return body.to_vec(),
    }
    .expect("it can be decoded");
    plain
}

#[test]
fn an_answer_is_never_refused_for_the_codings_a_client_takes() {
    let program = Program::start();
    let client = program.client();
    for accepted in ["br, identity;q=0", "br, *;q=0", "x-gzip", "*;q=0", "gzip"] {
        for path in ["/paibeta/healthz", "/paibeta/", "/paibeta/api/openapi.json"] {
            client
                .with("accept-encoding", accepted)
                .page(path)
                .expect(200);
        }
    }
}

#[test]
fn every_kind_of_answer_carries_the_headers() {
    let program = Program::start();
    let client = program.client();
    for (method, path, status) in [
        ("GET", "/paibeta/api/status", 200),
        ("GET", "/paibeta/api/reports", 401),
        ("GET", "/paibeta/api/niente", 404),
        ("DELETE", "/paibeta/api/status", 405),
        ("POST", "/paibeta/api/chat", 415),
        ("GET", "/paibeta/healthz", 200),
        ("GET", "/paibeta/assets/niente.js", 404),
        ("GET", "/paibeta/style/x/niente.css", 404),
        ("GET", "/paibeta/logo/niente", 404),
        ("GET", "/", 307),
        ("GET", "/altrove", 303),
        ("GET", "/paibeta/altrove", 303),
        ("HEAD", "/paibeta/api/status", 200),
    ] {
        let answer = client.request(method, path).send();
        assert_eq!(answer.status, status, "{method} {path}");
        guarded(&answer, DATA_POLICY, "no-store");
        let api = path.starts_with("/paibeta/api/");
        let robots = api.then_some("noindex, nofollow");
        assert_eq!(answer.header("x-robots-tag"), robots, "{path}");
    }
}

#[test]
fn over_https_browsers_are_told_to_insist_on_it() {
    let public = ("SEGNALAZIONI_PUBLIC_URL", "https://tips.example.org");
    let subdomains = ("SEGNALAZIONI_HSTS_SUBDOMAINS", "true");
    // The program may serve one path of a larger site, whose subdomains are none of its business.
    for (variables, expected) in [
        (&[public][..], "max-age=31536000"),
        (&[public, subdomains], "max-age=31536000; includeSubDomains"),
    ] {
        let program = Program::start_with(variables);
        for path in "/paibeta/ /paibeta/api/status / /paibeta/api/niente".split(' ') {
            let answer = program.client().page(path);
            let found = answer.header("strict-transport-security");
            assert_eq!(found, Some(expected), "{path}");
        }
    }
}

#[test]
fn any_other_address_leads_to_the_chat() {
    let program = Program::start();
    let paths = "/ /altrove /paibeta/altrove /paibeta/assetsx /paibetax /index.html /paibeta/adminx /PAIBETA/ \
                 /paibeta/%2e%2e/ /.env /paibeta/apix";
    for path in paths.split(' ') {
        let answer = program.client().page(path);
        let status = answer.status;
        assert!(matches!(status, 303 | 307), "{path}: {status}");
        assert_eq!(answer.header("location"), Some("/paibeta/"), "{path}");
        assert!(answer.body.is_empty());
    }
}

#[test]
fn no_spelling_of_a_path_leads_to_a_file() {
    let program = Program::start();
    let client = program.client();
    let panel = client.page("/paibeta/admin/").body;
    for start in "/ /paibeta/assets/ /paibeta/style/x/ /paibeta/admin/ /paibeta/api/".split(' ') {
        for way in r".. %2e%2e ..%2f %2e%2e%2f ..\ %5c.. ....// ..; %00 %c0%ae%c0%ae".split(' ') {
            // Of the build, of where it runs, of the machine.
            for (up, file) in [(1, "public.css"), (3, "Cargo.toml"), (12, "etc/passwd")] {
                let path = format!("{start}{}{file}", format!("{way}/").repeat(up));
                let answer = client.page(&path);
                let refused = matches!(answer.status, 303 | 307 | 400 | 404);
                assert!(refused || answer.body == panel, "{path}: {}", answer.status);
            }
        }
    }
}

#[test]
fn only_the_chat_that_asks_for_it_is_shown_in_a_frame_and_only_by_the_sites_that_are_named() {
    let program = Program::start();
    let (client, editor) = (program.client(), program.set_up());
    let section = "/settings/system";
    let plain = client.page("/paibeta/?embed");
    guarded(&plain, &policy_of(&plain), "no-cache");
    let refused = "http://a.it|https://a.it/|https://*.a.it|https://a.it:443|https://A.it|https://u@a.it|a.it|https:|'self'|\
                   https://a.it; script-src *";
    for wrong in refused.split('|') {
        let change = json!({ "embedOrigins": wrong });
        let refused = editor.put(section, &change).refused_fields();
        assert_eq!(refused, ["embedOrigins"], "{wrong}");
    }
    let named = json!({ "embedOrigins": "https://a.it, https://b.it:8443" });
    editor.save(section, &named);
    let framed = "'self' https://a.it https://b.it:8443; require";
    let policy = policy_of(&plain).replace("'none'; require", framed);
    for path in ["/paibeta/?embed", "/paibeta?embed"] {
        let answer = client.page(path).expect(200);
        assert_eq!(answer.header("content-security-policy"), Some(&*policy));
        assert_eq!(answer.header("x-frame-options"), None);
    }
    for path in "/ /?embed=x /admin?embed /login?embed /setup?embed".split(' ') {
        let answer = client.page(&format!("/paibeta{path}")).expect(200);
        guarded(&answer, &policy_of(&answer), "no-cache");
    }
}
