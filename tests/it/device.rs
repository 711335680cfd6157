//! What a device takes over from the newsroom: light or dark, the colours around the page, name and icon on a home screen.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::callouts;
use crate::support::http::Answer;
use crate::support::program::Program;

const PAGES: [&str; 2] = ["/paibeta/", "/paibeta/seguito"];

/// As much of a PNG as is looked at.
const LOGO: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x40\0\0\0\x40\x08\x06\0\0\0";

fn manifest(program: &Program) -> (Answer, Value) {
    let answer = program.client().page("/paibeta/manifest.webmanifest");
    let answer = answer.expect(200);
    let value = serde_json::from_str(answer.text()).expect("JSON");
    (answer, value)
}

/// The scheme of both pages, and the colours around them in a light and in a dark device.
fn looks(program: &Program) -> [(String, String); 2] {
    PAGES.map(|path| {
        let page = program.client().page(path).expect(200);
        let html = page.text();
        let after = |mark: &str| {
            let rest = html.split_once(mark).expect("a mark").1;
            rest.split_once('"').expect("its end").0.to_owned()
        };
        let theme = after("<html lang=\"it\" data-theme=\"");
        assert_eq!(theme, after("name=\"color-scheme\" content=\""));
        (theme, after("name=\"theme-color\" content=\""))
    })
}

#[test]
fn light_or_dark_is_the_devices_to_say_unless_the_newsroom_does() {
    let (program, editor) = Program::with_editor();
    for (change, expected) in [
        (json!({}), ("dark light", "#2563eb")),
        (json!({ "darkMode": false }), ("light dark", "#2563eb")),
        (json!({ "deviceTheme": false }), ("light", "#2563eb")),
        (json!({ "darkMode": true }), ("dark", "#2563eb")),
        (json!({ "primaryColor": "#ffd21f" }), ("dark", "#ffd21f")),
        (json!({ "deviceTheme": true }), ("dark light", "#ffd21f")),
    ] {
        editor.save_system(&change);
        for (theme, color) in looks(&program) {
            assert_eq!((&*theme, &*color), expected, "{change}");
        }
    }
}

#[test]
fn a_home_screen_takes_name_colours_and_logo_and_asks_again_each_time() {
    let (program, editor) = Program::with_editor();
    let (answer, first) = manifest(&program);
    answer.has_headers(&[
        ("content-type", "application/manifest+json"),
        ("cache-control", "no-cache"),
    ]);
    let expected = json!({
        "name": "PelazzAI · Le Iene", "short_name": "PelazzAI", "lang": "it",
        "id": "/paibeta/", "start_url": "/paibeta/", "scope": "/paibeta/", "display": "browser",
        "theme_color": "#2563eb", "background_color": "#1b1b1b",
        "icons": [{ "src": "/paibeta/logo/icon.svg", "sizes": "any" }],
    });
    assert_eq!(first, expected);
    let known = |tag: Option<&str>| {
        let client = program.client().with("if-none-match", tag.expect("a tag"));
        client.page("/paibeta/manifest.webmanifest").status
    };
    assert_eq!(known(answer.header("etag")), 304);

    editor.save_system(&json!({ "productName": "Filo \"<diretto>\"", "primaryColor": "#ffd21f", "darkMode": false }));
    let body = json!({ "image": STANDARD.encode(LOGO) });
    editor.put("/settings/logo", &body).expect(204);
    assert_eq!(known(answer.header("etag")), 200);
    let (_, second) = manifest(&program);
    has!(second, "short_name": "Filo \"<diretto>\"", "theme_color": "#ffd21f", "background_color": "#fdfdfd");
    let icon = second["icons"][0]["src"].as_str().expect("an address");
    program.client().page(icon).expect(200);
    for path in PAGES {
        let page = program.client().page(path).expect(200);
        for link in [
            format!(r#"<link rel="apple-touch-icon" href="{icon}""#),
            r#"<link rel="manifest" href="/paibeta/manifest.webmanifest""#.to_owned(),
        ] {
            assert!(page.text().contains(&link), "{path}: {link}");
        }
        let policy = page.header("content-security-policy").expect("a policy");
        assert!(policy.contains("manifest-src 'self'"), "{path}");
    }
}

/// What stands in the page of an address beside a link to it.
fn preview(program: &Program, path: &str) -> Value {
    let page = program.client().page(path);
    let tags = page.text().split("<meta ").skip(1).filter_map(|tag| {
        let (kind, rest) = tag.split_once("=\"")?;
        let (name, rest) = rest.split_once("\" content=\"")?;
        let (text, _) = rest.split_once('"')?;
        let shared = ["og:", "twitter:"].iter().any(|own| name.starts_with(own));
        assert_eq!(kind == "property", name.starts_with("og:"), "{name}");
        (shared || name == "description").then(|| (name.to_owned(), json!(text)))
    });
    Value::Object(tags.collect())
}

/// The names by which pages say it: the Open Graph protocol (ogp.me), and what X reads beside it.
#[test]
fn a_shared_link_says_what_it_leads_to() {
    let program = Program::start_with(&[("SEGNALAZIONI_PUBLIC_URL", "https://segnala.esempio.it")]);
    let editor = program.set_up();
    let sentence = "Chatbot investigativo: racconta la tua segnalazione a Le Iene.";
    let picture = "https://segnala.esempio.it/paibeta/logo/icon-512.png";
    let usual = json!({
        "description": sentence, "og:description": sentence, "og:title": "PelazzAI", "og:site_name": "Le Iene",
        "og:type": "website", "og:locale": "it_IT", "twitter:card": "summary",
        "og:url": "https://segnala.esempio.it/paibeta/", "og:image": picture,
    });
    assert_eq!(preview(&program, "/paibeta/"), usual);
    let address = "/paibeta/i/posti-letto";
    let mut callout = callouts::paid();
    callout["intro"] = json!("Avete pagato \"un\" posto?");
    editor.post_and_read("/callouts", &callout);
    let draft = preview(&program, address).to_string();
    let told = draft.contains("Posti letto") || draft.contains("Avete pagato");
    assert!(!told, "{draft}");
    let listed = editor.read("/callouts");
    let id = listed["data"][0]["id"].as_str().expect("an id").to_owned();
    editor.post(&format!("/callouts/{id}/open")).expect(200);
    let open = preview(&program, address);
    has!(open, "og:title": "Posti letto", "og:url": format!("https://segnala.esempio.it{address}"), "og:image": picture);
    for name in ["description", "og:description"] {
        assert_eq!(open[name], "Avete pagato &#34;un&#34; posto?");
    }
    editor.post(&format!("/callouts/{id}/close")).expect(200);
    has!(preview(&program, address), "og:title": "Posti letto", "og:description": "È finita, grazie.");

    // Of a PNG everybody makes a picture; a logo is one.
    let client = program.client();
    let drawn = client.page("/paibeta/logo/icon-512.png").expect(200);
    drawn.has_headers(&[("content-type", "image/png"), ("cache-control", "no-cache")]);
    assert_eq!(drawn.body[..16], *b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR");
    let body = json!({ "image": STANDARD.encode(LOGO) });
    editor.put("/settings/logo", &body).expect(204);
    let shown = preview(&program, "/paibeta/")["og:image"].clone();
    let shown = shown.as_str().expect("an address");
    let path = shown.strip_prefix("https://segnala.esempio.it");
    let logo = client.page(path.expect("a whole address")).expect(200);
    assert!(logo.body == LOGO);
}

/// A whole address is known from the configuration alone.
#[test]
fn without_a_public_address_a_link_has_words_and_the_path_of_a_picture() {
    let program = Program::start();
    let shown = preview(&program, "/paibeta/");
    has!(shown, "og:title": "PelazzAI", "twitter:card": "summary", "og:image": "/paibeta/logo/icon-512.png");
    assert_eq!(shown.get("og:url"), None);
    let page = program.client().page("/paibeta/");
    let touch = "<link rel=\"apple-touch-icon\" href=\"/paibeta/logo/icon-180.png\"";
    assert!(page.text().contains(touch));
    let icon = program.client().page("/paibeta/logo/icon-180.png");
    let icon = icon.expect(200);
    assert_eq!(icon.body[16..24], [0, 0, 0, 180, 0, 0, 0, 180]);
}
