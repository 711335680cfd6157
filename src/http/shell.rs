//! The two pages of the interface with their slots filled, and their stylesheets with the newsroom's colours.
//!
//! Everything that goes into a page is escaped for where it goes, in one pass: a value is never looked through for slots.
//! This file never reads settings; it is handed what to show. Nothing in a page may depend on who asks for it.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use axum::body::{Body, Bytes};
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::assets::{IMMUTABLE, matches_tag, text};
use super::headers::PAGE_POLICY;
use super::routes::status::Database;
use crate::actions::in_force::InForce;
use crate::domain::color::Theme;

/// Keep it, and ask each time whether it is still good.
const ASK_AGAIN: HeaderValue = HeaderValue::from_static("no-cache");

/// One of the two pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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

/// What a page depends on: which one it is, what its badge says, the version of the settings.
pub type Key = (Page, Database, i64);

/// Pages that are filled in already.
#[derive(Default)]
pub struct Shells(Mutex<HashMap<Key, Arc<Shell>>>);

impl Shells {
    /// The page, made where it is not there yet. Those of other settings are given up.
    pub fn get(&self, key: Key, make: impl FnOnce() -> Shell) -> Arc<Shell> {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.retain(|(_, _, version), _| *version == key.2);
        Arc::clone(held.entry(key).or_insert_with(|| Arc::new(make())))
    }
}

/// A page with its slots filled.
pub struct Shell {
    html: Bytes,
    tag: String,
}

impl Shell {
    /// Fills a page in; `boot` is for its script.
    pub fn fill(page: Page, settings: &InForce, icon: &str, boot: &Value) -> Self {
        let html = fill(page.html(), |slot| value(page, settings, icon, boot, slot));
        Self {
            // Weak, because it stands for all forms: the router's compression layer makes the others.
            tag: format!("W/\"{}\"", digest(&[&html])),
            html: html.into(),
        }
    }

    /// The page; 304 when the browser has just that.
    pub fn answer(&self, asked: &HeaderMap) -> Response {
        let html = self.html.clone();
        let mut response = tagged(
            &self.tag,
            ASK_AGAIN,
            asked,
            "text/html; charset=utf-8",
            html,
        );
        // On a 304 too: its headers replace those which the browser keeps with the page.
        response
            .headers_mut()
            .insert(CONTENT_SECURITY_POLICY, PAGE_POLICY);
        response
    }
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
    tagged(
        &tag,
        caching,
        headers,
        "text/css; charset=utf-8",
        css.into(),
    )
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
fn value<'a>(
    page: Page,
    settings: &'a InForce,
    icon: &'a str,
    boot: &Value,
    slot: &str,
) -> Option<Cow<'a, str>> {
    let system = &settings.system;
    Some(match slot {
        "PRODUCT_NAME" => escape(&system.product_name),
        "ORGANIZATION" => escape(&system.organization_name),
        "ASSISTANT_NAME" => escape(&system.assistant_name),
        "WELCOME" => Cow::Owned(escape(&settings.script.welcome()).into_owned()),
        "PRIVACY_TEXT" => escape(&system.privacy_notice),
        "PRIVACY_URL" => escape(&system.privacy_url),
        "ICON" => escape(icon),
        "THEME" => Cow::Borrowed(if system.dark_mode { "dark" } else { "light" }),
        "STYLE" => Cow::Owned(style_hash(page, &settings.theme)),
        "BOOT" => Cow::Owned(boot.to_string().replace('<', "\\u003c")),
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
    body: Bytes,
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
    use serde_json::json;

    use crate::actions::in_force::Settings;
    use crate::domain::settings::System;
    use crate::store::Store;

    const HOSTILE: &str = "</script><b a=\"1\" b='2'>&amp; __BOOT__ __THEME__ è\u{2028}";

    fn page(page: Page, text: &str) -> String {
        let settings = Settings::since(0).in_force(&Store::in_memory().unwrap());
        let mut settings = Arc::into_inner(settings.unwrap()).unwrap();
        settings.system = System {
            product_name: text.to_owned(),
            organization_name: text.to_owned(),
            privacy_notice: text.to_owned(),
            privacy_url: "https://example.org/?a=1&b=\"".to_owned(),
            ..System::default()
        };
        let shell = Shell::fill(page, &settings, "/paibeta/logo/1", &json!({ "text": text }));
        String::from_utf8(shell.html.to_vec()).unwrap()
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
            ("__a__ __ __B", "__a__ __ __B"),
            ("è__B__è", "èbè"),
        ] {
            assert_eq!(fill(template, value), filled, "{template}");
        }
    }

    #[test]
    fn nothing_an_editor_types_becomes_markup_or_ends_the_boot_block() {
        for kind in [Page::Public, Page::Admin] {
            let (html, plain) = (page(kind, HOSTILE), page(kind, "x"));
            let tags = |html: &str| html.matches('<').count();
            assert_eq!(tags(&html), tags(&plain), "{kind:?}");
            assert!(!html.contains("<b ") && !html.contains("a=\"1\""), "{html}");
            let escaped =
                "&lt;/script&gt;&lt;b a=&quot;1&quot; b=&#39;2&#39;&gt;&amp;amp; __BOOT__";
            assert!(html.contains(escaped), "{html}");
            let block = html.split("id=\"boot\">").nth(1).unwrap();
            let block = block.split('<').next().unwrap();
            let value: Value = serde_json::from_str(block).unwrap();
            assert_eq!(value, json!({ "text": HOSTILE }));
        }
        let link = "href=\"https://example.org/?a=1&amp;b=&quot;\"";
        assert!(page(Page::Public, "x").contains(link));
    }

    #[test]
    fn another_colour_is_another_stylesheet_and_an_old_name_gets_the_present_one() {
        let (blue, red) = (Theme::of("#2563eb"), Theme::of("#ff0000"));
        let old = style_hash(Page::Public, &blue);
        assert_ne!(old, style_hash(Page::Public, &red));
        assert_ne!(old, style_hash(Page::Admin, &blue));
        let caching = |theme: &Theme, name: &str| {
            let answer = stylesheet(name, &old, theme, &HeaderMap::new());
            (
                answer.status(),
                answer.headers().get(CACHE_CONTROL).cloned(),
            )
        };
        let ok = StatusCode::OK;
        assert_eq!(caching(&blue, "public.css"), (ok, Some(IMMUTABLE)));
        assert_eq!(caching(&red, "public.css"), (ok, Some(ASK_AGAIN)));
        for name in ["", "../public.css", "theme.css", "public.html"] {
            assert_eq!(caching(&blue, name).0, StatusCode::NOT_FOUND, "{name}");
        }
    }
}
