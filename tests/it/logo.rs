//! The newsroom's logo: who may change it, what is taken, how it is served, and that nothing of it comes from elsewhere.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::support::http::Answer;
use crate::support::panel::Editor;
use crate::support::program::Program;
use crate::support::receiver::Receiver;

/// The beginning of a PNG of 64 by 64 pixels; `mark` makes it another one.
fn png(mark: u8) -> Vec<u8> {
    let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x40\0\0\0\x40\x08\x06\0\0\0".to_vec();
    bytes.push(mark);
    bytes
}

fn hand_in(editor: &Editor, bytes: &[u8]) -> Answer {
    let body = json!({ "image": STANDARD.encode(bytes) });
    editor.put("/settings/logo", &body)
}

fn logo_url(program: &Program) -> Value {
    program.client().read("/branding")["logoUrl"].clone()
}

fn fetch(program: &Program, path: &Value) -> Answer {
    let path = path.as_str().expect("an address");
    program.client().page(path)
}

#[test]
fn a_logo_is_served_from_here_under_the_name_of_its_content() {
    let (program, editor) = Program::with_editor();
    assert_eq!(logo_url(&program), Value::Null);
    hand_in(&editor, &png(1)).expect(204);
    let first = logo_url(&program);
    let answer = fetch(&program, &first).expect(200);
    assert_eq!(answer.body, png(1));
    answer.has_headers(&[
        ("content-type", "image/png"),
        ("cache-control", "public, max-age=31536000, immutable"),
        ("x-content-type-options", "nosniff"),
        (
            "content-security-policy",
            "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox",
        ),
    ]);
    let tag = answer.header("etag").expect("a tag");
    let again = program.client().with("if-none-match", tag);
    again.page(first.as_str().unwrap()).expect(304);

    hand_in(&editor, &png(2)).expect(204);
    let second = logo_url(&program);
    assert_ne!(second, first);
    fetch(&program, &first).expect(404);
    assert_eq!(fetch(&program, &second).expect(200).body, png(2));
}

#[test]
fn it_is_the_icon_of_both_pages_and_without_it_ours_is() {
    let (program, editor) = Program::with_editor();
    let icons = || {
        ["/paibeta/", "/paibeta/login"].map(|path| {
            let page = program.client().page(path).expect(200);
            let links = page.text().split("<link ");
            let mut icons = links.filter(|link| link.contains("rel=\"icon\""));
            let icon = icons.next().expect("an icon");
            let href = icon
                .split("href=\"")
                .nth(1)
                .and_then(|rest| rest.split('"').next());
            assert_eq!(icons.next(), None, "{path}");
            json!(href.expect("an address"))
        })
    };
    for icon in icons() {
        let own = fetch(&program, &icon).expect(200);
        assert_eq!(own.header("content-type"), Some("image/svg+xml"));
    }
    hand_in(&editor, &png(1)).expect(204);
    assert_eq!(icons(), [logo_url(&program), logo_url(&program)]);
}

#[test]
fn it_goes_when_it_is_taken_away_and_with_all_settings() {
    let (program, editor) = Program::with_editor();
    for path in ["/settings/logo", "/settings"] {
        let before = program.client().read("/status")["appearance"].clone();
        hand_in(&editor, &png(1)).expect(204);
        let address = logo_url(&program);
        editor.delete(path).expect(204);
        assert_eq!(logo_url(&program), Value::Null);
        fetch(&program, &address).expect(404);
        let after = program.client().read("/status")["appearance"].clone();
        assert_ne!(before, after, "pages are told");
    }
    editor.delete("/settings/logo").expect(204);
    let log = editor.read("/logs")["data"].clone();
    assert_eq!(log[0]["action"], "SETTINGS_CHANGED");
}

#[test]
fn what_is_no_picture_is_named_at_its_field_and_changes_nothing() {
    let (program, editor) = Program::with_editor();
    hand_in(&editor, &png(1)).expect(204);
    let before = logo_url(&program);
    let heavy = [png(1), vec![0; 512 * 1024]].concat();
    for (bytes, words) in [
        (
            &b"<svg xmlns='http://www.w3.org/2000/svg'><script/></svg>"[..],
            "SVG non sono ammessi",
        ),
        (
            b"<!doctype html><script>alert(1)</script>",
            "PNG, JPEG o WebP",
        ),
        (b"", "PNG, JPEG o WebP"),
        (&heavy, "al massimo 512 KB"),
    ] {
        let problem = hand_in(&editor, bytes).invalid();
        let message = problem["errors"]["image"].as_str().expect("a message");
        assert!(message.contains(words), "{message}");
    }
    let garbled = editor.put("/settings/logo", &json!({ "image": "non è base64" }));
    garbled.invalid();
    assert_eq!(logo_url(&program), before);
    let largest = [png(3), vec![0; 512 * 1024 - 30]].concat();
    assert_eq!(largest.len(), 512 * 1024);
    hand_in(&editor, &largest).expect(204);
}

/// A server that answers every call with this picture.
fn newsroom_site(picture: &[u8]) -> Receiver {
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n",
        picture.len()
    );
    Receiver::start([head.as_bytes(), picture].concat())
}

#[test]
fn the_logo_at_an_address_is_fetched_once_and_goes_with_it() {
    let program = Program::start_with(&[("SEGNALAZIONI_OUTBOUND_ALLOW", "127.0.0.0/8")]);
    let editor = program.set_up();
    let site = newsroom_site(&png(9));
    let url = site.url();
    let save = |change: &Value| editor.put("/settings/system", change).expect(200).json();
    let system = save(&json!({ "logoUrl": format!(" {url}\n") }));
    assert_eq!(
        system["logoUrl"], url,
        "without the blanks that came with it"
    );
    let address = logo_url(&program);
    assert_eq!(fetch(&program, &address).expect(200).body, png(9));
    // Neither reading it nor saving what was read asks that server again.
    save(&system);
    save(&json!({ "organizationName": "La Voce" }));
    assert_eq!(site.connections(), 1);
    assert_eq!(logo_url(&program), address);
    save(&json!({ "logoUrl": "" }));
    assert_eq!(logo_url(&program), Value::Null);

    save(&json!({ "logoUrl": site.url() }));
    hand_in(&editor, &png(3)).expect(204);
    assert_eq!(editor.read("/settings/system")["logoUrl"], "");
    save(&json!({ "logoUrl": "" }));
    assert_ne!(
        logo_url(&program),
        Value::Null,
        "a logo that was handed in stays"
    );
}

#[test]
fn an_address_without_a_logo_is_refused_at_its_field_and_nothing_is_saved() {
    let allowed = Program::start_with(&[("SEGNALAZIONI_OUTBOUND_ALLOW", "127.0.0.0/8")]);
    let guarded = Program::start();
    let page = newsroom_site(b"<!doctype html>");
    let picture = newsroom_site(&png(1));
    let (free, bound) = (allowed.set_up(), guarded.set_up());
    for (program, editor, url, words) in [
        (&allowed, &free, page.url().as_str(), "PNG, JPEG o WebP"),
        (&guarded, &bound, &picture.url(), "rete privata"),
        (
            &guarded,
            &bound,
            "ftp://esempio.example/logo.png",
            "indirizzo web completo",
        ),
    ] {
        let change = json!({ "logoUrl": url, "organizationName": "La Voce" });
        let problem = editor.put("/settings/system", &change).invalid();
        let message = problem["errors"]["logoUrl"].as_str().expect("a message");
        assert!(message.contains(words), "{message}");
        let system = editor.read("/settings/system");
        assert_eq!(system["organizationName"], "Le Iene");
        assert_eq!(logo_url(program), Value::Null);
    }
    assert_eq!(picture.connections(), 0, "a private address is not called");
}

#[test]
fn without_a_logo_the_icon_has_the_newsrooms_initials_and_colour() {
    let (program, editor) = Program::with_editor();
    let icon = || fetch(&program, &json!("/paibeta/logo/icon.svg")).expect(200);
    assert!(icon().text().contains(">LI</text>"));
    let before = icon().header("etag").map(str::to_owned);
    let names = json!({ "organizationName": "«il <b>faro» di Èze", "primaryColor": "#facc15" });
    editor.save_system(&names);
    let now = icon();
    assert!(now.text().contains("#facc15") && now.text().contains(">IB</text>"));
    assert_ne!(now.header("etag").map(str::to_owned), before);
    assert_eq!(now.header("content-type"), Some("image/svg+xml"));
    assert_eq!(now.header("cache-control"), Some("no-cache"));
}
