//! What a device takes over from the newsroom: light or dark, the colours around the page, name and icon on a home screen.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::support::http::Answer;
use crate::support::program::Program;

const PAGES: [&str; 2] = ["/paibeta/", "/paibeta/seguito"];

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
        assert_eq!(
            after("<html lang=\"it\" data-theme=\""),
            after("name=\"color-scheme\" content=\"")
        );
        (
            after("data-theme=\""),
            after("name=\"theme-color\" content=\""),
        )
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
        let request = program
            .client()
            .request("GET", "/paibeta/manifest.webmanifest");
        let request = request.header("if-none-match", tag.expect("a tag"));
        request.send().status
    };
    assert_eq!(known(answer.header("etag")), 304);

    editor.save_system(&json!({ "productName": "Filo \"<diretto>\"", "primaryColor": "#ffd21f", "darkMode": false }));
    let picture = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x40\0\0\0\x40\x08\x06\0\0\0";
    let body = json!({ "image": STANDARD.encode(picture) });
    editor.put("/settings/logo", &body).expect(204);
    assert_eq!(known(answer.header("etag")), 200);
    let (_, second) = manifest(&program);
    assert_eq!(second["short_name"], "Filo \"<diretto>\"");
    assert_eq!(second["theme_color"], "#ffd21f");
    assert_eq!(second["background_color"], "#fdfdfd");
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
