//! The two pages of the interface with their slots filled, and their stylesheets with the newsroom's colours.
//!
//! Everything that goes into a page is escaped for where it goes, in one pass: a value is never looked through for slots.
//! This file never reads settings; it is handed what to show. Nothing in a page may depend on who asks for it.

use std::borrow::Cow;
use std::sync::LazyLock;

use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use sha2::{Digest as _, Sha256};

use super::assets::{IMMUTABLE, matches_tag, text};
use super::headers::PAGE_POLICY;
use crate::domain::color::Theme;

/// Keep it, and ask each time whether it is still good.
const ASK_AGAIN: HeaderValue = HeaderValue::from_static("no-cache");

/// One of the two pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Page {
    /// The chat.
    Public,
    /// The panel, its login and its set-up.
    Admin,
}

/// The two pages as built, and their stylesheets.
static PUBLIC: LazyLock<[String; 2]> = LazyLock::new(|| ["public.html", "public.css"].map(text));
static ADMIN: LazyLock<[String; 2]> = LazyLock::new(|| ["admin.html", "admin.css"].map(text));

impl Page {
    fn html(self) -> &'static str {
        match self {
            Self::Public => &PUBLIC[0],
            Self::Admin => &ADMIN[0],
        }
    }

    fn css(self) -> &'static str {
        match self {
            Self::Public => &PUBLIC[1],
            Self::Admin => &ADMIN[1],
        }
    }

    /// The page whose stylesheet has this name.
    fn of_stylesheet(name: &str) -> Option<Self> {
        match name {
            "public.css" => Some(Self::Public),
            "admin.css" => Some(Self::Admin),
            _ => None,
        }
    }
}

/// What a page shows before its script runs. Plain text, unescaped.
#[derive(Debug, Clone)]
pub struct ShellData {
    /// Name of the product.
    pub product_name: String,
    /// Name of the organisation.
    pub organization: String,
    /// Name of the assistant.
    pub assistant_name: String,
    /// First message of the chat.
    pub welcome: String,
    /// Privacy notice.
    pub privacy_text: String,
    /// Address of the full notice, if there is one.
    pub privacy_url: Option<String>,
    /// Address of the page's icon.
    pub icon: String,
    /// Whether the newsroom chose the dark theme.
    pub dark: bool,
    /// The newsroom's colours.
    pub theme: Theme,
    /// JSON for the script: branding, privacy, welcome, status.
    pub boot: serde_json::Value,
}

/// The page with its slots filled; 304 when the browser has just that.
///
/// Not compressed: the router's compression layer does that. The tag is weak, because it stands for all forms.
pub fn render_shell(page: Page, data: &ShellData, headers: &HeaderMap) -> Response {
    let html = fill(page.html(), |slot| value(page, data, slot));
    let tag = format!("W/\"{}\"", digest(&[&html]));
    let mut response = tagged(&tag, ASK_AGAIN, headers, "text/html; charset=utf-8", html);
    // On a 304 too: its headers replace those which the browser keeps with the page.
    response
        .headers_mut()
        .insert(CONTENT_SECURITY_POLICY, PAGE_POLICY);
    response
}

/// Answer to `GET /paibeta/style/{hash}/{name}`: the built styles of a page, then the newsroom's colours. Under its own
/// hash it may be kept for ever; under another one (a page from before a change) the present one is sent, not to be kept.
/// A name that is no stylesheet is 404.
pub fn stylesheet(name: &str, hash: &str, theme: &Theme, headers: &HeaderMap) -> Response {
    let Some(page) = Page::of_stylesheet(name) else {
        return (StatusCode::NOT_FOUND, "Non trovato\n").into_response();
    };
    let present = style_hash(page, theme);
    let caching = if hash == present {
        IMMUTABLE
    } else {
        ASK_AGAIN
    };
    let css = format!("{}{}", page.css(), colours(theme));
    let tag = format!("W/\"{present}\"");
    tagged(&tag, caching, headers, "text/css; charset=utf-8", css)
}

/// Names the stylesheet of a page in these colours.
fn style_hash(page: Page, theme: &Theme) -> String {
    digest(&[page.css(), &colours(theme)])
}

/// Outside of any layer, so that they win over the defaults of the built styles.
fn colours(theme: &Theme) -> String {
    let Theme {
        primary,
        on_primary,
        light,
        dark,
        ..
    } = theme;
    format!(
        ":root{{--primary:{primary};--on-primary:{on_primary};--primary-text:{};--focus:{}}}\
         :root[data-theme=\"dark\"]{{--primary-text:{};--focus:{}}}\n",
        light.primary_text, light.focus, dark.primary_text, dark.focus,
    )
}

/// What stands in a slot, escaped for its place; `None` for a name that is no slot.
fn value<'a>(page: Page, data: &'a ShellData, slot: &str) -> Option<Cow<'a, str>> {
    let optional = |text: &'a Option<String>| escape(text.as_deref().unwrap_or_default());
    Some(match slot {
        "PRODUCT_NAME" => escape(&data.product_name),
        "ORGANIZATION" => escape(&data.organization),
        "ASSISTANT_NAME" => escape(&data.assistant_name),
        "WELCOME" => escape(&data.welcome),
        "PRIVACY_TEXT" => escape(&data.privacy_text),
        "PRIVACY_URL" => optional(&data.privacy_url),
        "ICON" => escape(&data.icon),
        "THEME" => Cow::Borrowed(if data.dark { "dark" } else { "light" }),
        "STYLE" => Cow::Owned(style_hash(page, &data.theme)),
        "BOOT" => Cow::Owned(data.boot.to_string().replace('<', "\\u003c")),
        _ => return None,
    })
}

/// Puts values in place of `__NAME__`. What is no slot stays as it is.
fn fill<'a>(template: &str, value: impl Fn(&str) -> Option<Cow<'a, str>>) -> String {
    const MARK: &str = "__";
    let mut filled = String::with_capacity(template.len() * 2);
    let mut rest = template;
    while let Some(start) = rest.find(MARK) {
        let (before, from_mark) = rest.split_at(start);
        filled.push_str(before);
        let inside = &from_mark[MARK.len()..];
        let slot = inside
            .find(MARK)
            .and_then(|end| value(&inside[..end]).map(|value| (value, end)));
        if let Some((value, end)) = slot {
            filled.push_str(&value);
            rest = &inside[end + MARK.len()..];
        } else {
            // One underscore further: the second one may begin a slot.
            filled.push('_');
            rest = &from_mark[1..];
        }
    }
    filled.push_str(rest);
    filled
}

/// Text as it may stand between tags and in a quoted attribute (ASVS 1.2.1).
fn escape(text: &str) -> Cow<'_, str> {
    if !text.contains(['&', '<', '>', '"', '\'']) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    Cow::Owned(escaped)
}

/// Hexadecimal name of a content, 128 bits of SHA-256.
fn digest(parts: &[&str]) -> String {
    let digest = parts
        .iter()
        .fold(Sha256::new(), Sha256::chain_update)
        .finalize();
    let half = digest
        .iter()
        .take(16)
        .fold(0, |number: u128, byte| (number << 8) | u128::from(*byte));
    format!("{half:032x}")
}

fn tagged(
    tag: &str,
    caching: HeaderValue,
    asked: &HeaderMap,
    content_type: &'static str,
    body: String,
) -> Response {
    let mut response = Response::new(Body::empty());
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, caching);
    // The tag is hexadecimal digits in quotes: always a valid header.
    if let Ok(tag) = HeaderValue::from_str(tag) {
        headers.insert(ETAG, tag);
    }
    if matches_tag(asked, tag) {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        return response;
    }
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    *response.body_mut() = Body::from(body);
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::color::Color;
    use axum::body::to_bytes;
    use axum::http::header::IF_NONE_MATCH;
    use serde_json::json;

    const HOSTILE: &str = "</script><b a=\"1\" b='2'>&amp; __BOOT__ __THEME__ è\u{2028}";

    fn theme(hex: &str) -> Theme {
        Theme::derive(Color::parse(hex).expect("a colour"))
    }

    fn data(text: &str) -> ShellData {
        ShellData {
            product_name: text.to_owned(),
            organization: text.to_owned(),
            assistant_name: text.to_owned(),
            welcome: text.to_owned(),
            privacy_text: text.to_owned(),
            privacy_url: None,
            icon: text.to_owned(),
            dark: true,
            theme: theme("#2563eb"),
            boot: json!({"welcome": text}),
        }
    }

    async fn body(response: Response) -> String {
        let bytes = to_bytes(response.into_body(), 1 << 20)
            .await
            .expect("a body");
        String::from_utf8(bytes.to_vec()).expect("text")
    }

    async fn page(page: Page, data: &ShellData) -> String {
        body(render_shell(page, data, &HeaderMap::new())).await
    }

    fn having(tag: &HeaderValue) -> HeaderMap {
        HeaderMap::from_iter([(IF_NONE_MATCH, tag.clone())])
    }

    #[test]
    fn slots_are_filled_once() {
        let value = |slot: &str| match slot {
            "A" => Some(Cow::Borrowed("__B__")),
            "B" => Some(Cow::Borrowed("b")),
            _ => None,
        };
        for (template, filled) in [
            ("", ""),
            ("__A__", "__B__"),
            ("x__B__y__B__", "xbyb"),
            ("__B____B__", "bb"),
            ("___B__", "_b"),
            ("__C____B__", "__C__b"),
            ("__C__B__", "__Cb"),
            ("__a__ __ __B", "__a__ __ __B"),
            ("è__B__è", "èbè"),
            ("____", "____"),
        ] {
            assert_eq!(fill(template, value), filled, "{template}");
        }
    }

    #[tokio::test]
    async fn every_slot_of_the_built_pages_is_filled() {
        for kind in [Page::Public, Page::Admin] {
            let html = page(kind, &data("PelazzAI")).await;
            let left = html
                .split("__")
                .skip(1)
                .find(|part| part.starts_with(|first: char| first.is_ascii_uppercase()));
            assert_eq!(left, None, "{kind:?}");
            assert!(
                html.contains("data-theme=\"dark\"") && html.contains("<title>PelazzAI"),
                "{html}"
            );
        }
    }

    #[tokio::test]
    async fn nothing_an_editor_types_becomes_markup() {
        for kind in [Page::Public, Page::Admin] {
            let html = page(kind, &data(HOSTILE)).await;
            let plain = page(kind, &data("x")).await;
            assert_eq!(
                html.matches('<').count(),
                plain.matches('<').count(),
                "{kind:?}: tags"
            );
            assert!(!html.contains("<b ") && !html.contains("a=\"1\""), "{html}");
            let escaped = "&lt;/script&gt;&lt;b a=&quot;1&quot; b=&#39;2&#39;&gt;&amp;amp; __BOOT__ __THEME__ è";
            assert!(html.contains(escaped), "{html}");
        }
    }

    #[tokio::test]
    async fn the_boot_block_is_json_and_cannot_be_closed_from_inside() {
        let html = page(Page::Public, &data(HOSTILE)).await;
        let start = "<script type=\"application/json\" id=\"boot\">";
        let block = html.split(start).nth(1).expect("a boot block");
        let block = block.split('<').next().expect("its end");
        let value: serde_json::Value = serde_json::from_str(block).expect("JSON");
        assert_eq!(value, json!({"welcome": HOSTILE}));
    }

    #[tokio::test]
    async fn addresses_stand_where_they_belong() {
        let mut data = data("x");
        data.privacy_url = Some("https://example.org/?a=1&b=\"".to_owned());
        data.icon = "/paibeta/logo/1".to_owned();
        data.dark = false;
        let html = page(Page::Public, &data).await;
        assert!(
            html.contains("href=\"https://example.org/?a=1&amp;b=&quot;\""),
            "{html}"
        );
        assert!(
            html.contains("href=\"/paibeta/logo/1\"") && html.contains("data-theme=\"light\""),
            "{html}"
        );
    }

    #[tokio::test]
    async fn a_page_is_asked_for_again_and_sent_when_it_changed() {
        let one = data("PelazzAI");
        let first = render_shell(Page::Public, &one, &HeaderMap::new());
        assert_eq!(first.headers()[CACHE_CONTROL], "no-cache");
        assert_eq!(first.headers()[CONTENT_TYPE], "text/html; charset=utf-8");
        assert_eq!(first.headers()[CONTENT_SECURITY_POLICY], PAGE_POLICY);
        let tag = first.headers()[ETAG].clone();
        assert!(tag.as_bytes().starts_with(b"W/\""));
        let again = render_shell(Page::Public, &one, &having(&tag));
        assert_eq!(again.status(), StatusCode::NOT_MODIFIED);
        assert_eq!(again.headers()[ETAG], tag);
        assert_eq!(again.headers()[CACHE_CONTROL], "no-cache");
        assert_eq!(again.headers()[CONTENT_SECURITY_POLICY], PAGE_POLICY);
        assert_eq!(body(again).await, "");
        let recoloured = ShellData {
            theme: theme("#ff0000"),
            ..one.clone()
        };
        let renamed = ShellData {
            product_name: "Altro".to_owned(),
            ..one
        };
        for changed in [recoloured, renamed] {
            assert_eq!(
                render_shell(Page::Public, &changed, &having(&tag)).status(),
                StatusCode::OK
            );
        }
    }

    #[tokio::test]
    async fn the_page_names_a_stylesheet_that_may_be_kept() {
        for (kind, name) in [(Page::Public, "public.css"), (Page::Admin, "admin.css")] {
            let data = data("x");
            let html = page(kind, &data).await;
            let link = html
                .split("/paibeta/style/")
                .nth(1)
                .expect("a link")
                .split('"')
                .next()
                .expect("its end");
            let (hash, file) = link.split_once('/').expect("a hash and a name");
            assert_eq!(file, name);
            let response = stylesheet(file, hash, &data.theme, &HeaderMap::new());
            assert_eq!(response.headers()[CACHE_CONTROL], IMMUTABLE);
            assert_eq!(response.headers()[CONTENT_TYPE], "text/css; charset=utf-8");
            let tag = response.headers()[ETAG].clone();
            let css = body(response).await;
            assert!(css.starts_with(kind.css()) && css.ends_with("}\n"), "{css}");
            assert!(
                css.contains(":root{--primary:#2563eb;--on-primary:#ffffff;"),
                "{css}"
            );
            let unchanged = stylesheet(file, hash, &data.theme, &having(&tag));
            assert_eq!(unchanged.status(), StatusCode::NOT_MODIFIED);
        }
    }

    #[tokio::test]
    async fn another_colour_is_another_stylesheet_and_an_old_name_gets_the_present_one() {
        let (blue, red) = (theme("#2563eb"), theme("#ff0000"));
        let old = style_hash(Page::Public, &blue);
        assert_ne!(old, style_hash(Page::Public, &red));
        assert_ne!(old, style_hash(Page::Admin, &blue));
        let response = stylesheet("public.css", &old, &red, &HeaderMap::new());
        assert_eq!(response.status(), StatusCode::OK);
        assert_eq!(response.headers()[CACHE_CONTROL], "no-cache");
        assert!(body(response).await.contains("--primary:#ff0000"));
    }

    #[test]
    fn other_names_are_not_found() {
        for name in [
            "",
            "public.css/",
            "../public.css",
            "PUBLIC.css",
            "theme.css",
            "public.html",
        ] {
            let response = stylesheet(name, "x", &theme("#2563eb"), &HeaderMap::new());
            assert_eq!(response.status(), StatusCode::NOT_FOUND, "{name}");
        }
    }
}
