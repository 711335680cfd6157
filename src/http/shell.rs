//! The three pages of the interface with their slots filled, and their stylesheets with the newsroom's colours.
//! Everything that goes into a page is escaped for where it goes, in one pass: a value is never looked through for slots.

use std::borrow::Cow;
use std::io;
use std::num::NonZeroUsize;
use std::sync::{Arc, LazyLock};

use askama::filters::{Html, escape as escaped};
use axum::http::header::CONTENT_SECURITY_POLICY;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use lru::LruCache;
use parking_lot::Mutex;
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use utoipa::ToSchema;

use super::BASE;
use super::assets::{ASK_AGAIN, IMMUTABLE, Text, digest, text};
use super::headers::{DATA_POLICY, PAGE_POLICY, styled_policy};
use super::problem::{ApiError, ApiResult};
use crate::actions::settings::in_force::InForce;
use crate::domain::color::Color;
use crate::domain::phrases::fill_between;

/// Stands before and behind the name of a slot.
const SLOT: &str = "__";
/// Where a page says what stands beside a link to it: a slot that is no text between the tags of a head.
const PREVIEW: &str = "<!--preview-->";

/// The pictures of a newsroom by their addresses, and where the whole world finds the page.
pub struct Pictures {
    pub icon: String,
    /// The picture in a format other than SVG.
    pub touch: String,
    /// For whom a link is shown to.
    pub preview: String,
    /// `scheme://host[:port]`, where it is known.
    pub origin: Option<String>,
}

pub struct PageTemplate {
    html: String,
    css: String,
}

pub static PUBLIC: LazyLock<PageTemplate> = LazyLock::new(|| PageTemplate::named("public"));
/// Where reporters come back.
pub static FOLLOW: LazyLock<PageTemplate> = LazyLock::new(|| PageTemplate::named("seguito"));
pub static ADMIN: LazyLock<PageTemplate> = LazyLock::new(|| PageTemplate::named("admin"));

impl PageTemplate {
    fn named(name: &str) -> Self {
        Self {
            html: text(&format!("{name}.html")).replace(PREVIEW, "__PREVIEW__"),
            css: text(&format!("{name}.css")),
        }
    }

    /// The page with its slots filled, and what it may do; `boot` is for its script.
    pub fn filled(
        &self,
        settings: &InForce,
        pictures: &Pictures,
        boot: &Value,
    ) -> io::Result<RenderedPage> {
        let value = |slot: &str| match slot {
            "ICON" => Some(escape(&pictures.icon)),
            "TOUCH_ICON" => Some(escape(&pictures.touch)),
            "PREVIEW" => Some(preview(settings, pictures, boot)),
            slot => self.value(settings, boot, slot),
        };
        let html = fill_between(&self.html, SLOT, SLOT, value);
        let policy = if self.html.contains("__CSS__") {
            let hash = Sha256::digest(self.styles(settings.primary));
            styled_policy(&STANDARD.encode(hash))
        } else {
            PAGE_POLICY
        };
        Ok((Text::new(html, "text/html; charset=utf-8")?, policy))
    }

    fn styles(&self, primary: Color) -> String {
        format!("{}{}", self.css, colours(primary))
    }

    /// The content of a slot, escaped for its place; `None` for an unknown name.
    fn value(&self, settings: &InForce, boot: &Value, slot: &str) -> Option<String> {
        let system = &settings.system;
        let callout = |field: &str| of_callout(boot, field);
        Some(match slot {
            "PRODUCT_NAME" => escape(&system.product_name),
            "TITLE" if callout("title").is_empty() => escape(&system.product_name),
            "TITLE" | "CALLOUT_TITLE" => escape(callout("title")),
            "DESCRIPTION" => escape(&description(settings, boot)),
            "CALLOUT_SLUG" => escape(callout("slug")),
            "CALLOUT_INTRO" => escape(callout("intro")),
            "CALLOUT_CLOSED" => escape(callout("closedText")),
            "ORGANIZATION" => escape(&system.organization_name),
            "EXPLAIN" => escape(&settings.rules.about()[0]),
            "AFTERWARDS" => escape(&settings.rules.about()[1]),
            "PRIVACY_TEXT" => escape(&system.privacy_notice),
            "PRIVACY_URL" => escape(&system.privacy_url),
            "DEMO_NOTICE" => escape(boot["demoNotice"].as_str().unwrap_or_default()),
            "DATABASE" => escape(boot["status"]["database"].as_str().unwrap_or_default()),
            // How many files a report may have, and whether a code is given: in attributes by which the start card is styled.
            "FILES" => boot["attachments"]["perReport"]
                .as_u64()
                .unwrap_or_default()
                .to_string(),
            "RECEIPTS" => boot["receipts"].as_bool().unwrap_or_default().to_string(),
            "QUICK_EXIT" => escape(system.exit_address().unwrap_or_default()),
            "THEME" => system.colour_scheme().to_owned(),
            "PRIMARY" => settings.primary.to_string(),
            "STYLE" => digest(&self.styles(settings.primary)),
            "CSS" => self.styles(settings.primary),
            "BOOT" => boot.to_string().replace('<', "\\u003c"),
            _ => return None,
        })
    }
}

/// A field of the page's callout; empty for none.
fn of_callout<'a>(boot: &'a Value, field: &str) -> &'a str {
    boot["callout"][field].as_str().unwrap_or_default()
}

/// The description of a page: for a callout its own introduction; for one that is over, only that.
fn description(settings: &InForce, boot: &Value) -> String {
    let own = ["closedText", "intro"].map(|field| of_callout(boot, field));
    let own = own.into_iter().find(|text| !text.is_empty());
    let usual = || {
        let organization = &settings.system.organization_name;
        format!("Chatbot investigativo: racconta la tua segnalazione a {organization}.")
    };
    own.map_or_else(usual, str::to_owned)
}

/// The preview of a shared link (ogp.me). Addresses there are whole ones; without a public address the picture has its
/// path alone, which not every program follows.
fn preview(settings: &InForce, pictures: &Pictures, boot: &Value) -> String {
    let system = &settings.system;
    let (title, slug) = (of_callout(boot, "title"), of_callout(boot, "slug"));
    let title = if title.is_empty() {
        &system.product_name
    } else {
        title
    };
    let said = [
        ("og:type", "website".to_owned()),
        ("og:locale", "it_IT".to_owned()),
        ("og:site_name", system.organization_name.clone()),
        ("og:title", title.to_owned()),
        ("og:description", description(settings, boot)),
        ("twitter:card", "summary".to_owned()),
    ];
    let place = if slug.is_empty() {
        format!("{BASE}/")
    } else {
        format!("{BASE}/i/{slug}")
    };
    let origin = pictures.origin.as_deref();
    let picture = format!("{}{}", origin.unwrap_or_default(), pictures.preview);
    let address = origin.map(|origin| ("og:url", format!("{origin}{place}")));
    let tags = said
        .into_iter()
        .chain([("og:image", picture)])
        .chain(address);
    tags.fold(String::new(), |head, (name, text)| {
        let kind = if name.starts_with("og:") {
            "property"
        } else {
            "name"
        };
        let text = escape(&text);
        head + &format!("<meta {kind}=\"{name}\" content=\"{text}\" />")
    })
}

/// State of the archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Database {
    /// Reports are saved.
    Online,
    /// Demonstration data.
    Demo,
    /// Reports cannot be saved now.
    Unavailable,
}

/// The values that a text depends on: its name in the build, the state of the badge, the version of the settings.
type Key = (Cow<'static, str>, Option<Database>, i64);

/// A text, and what it may do as a page.
type RenderedPage = (Text, HeaderValue);

/// Pages and stylesheets that are kept once they are made, the latest that were asked for.
const MOST: NonZeroUsize = NonZeroUsize::new(64).unwrap();

/// Pages and stylesheets that are made already.
pub struct RenderedPages(Mutex<LruCache<Key, Arc<RenderedPage>>>);

impl Default for RenderedPages {
    fn default() -> Self {
        Self(Mutex::new(LruCache::new(MOST)))
    }
}

impl RenderedPages {
    fn get(
        &self,
        key: Key,
        make: impl FnOnce() -> io::Result<RenderedPage>,
    ) -> ApiResult<Arc<RenderedPage>> {
        let mut held = self.0.lock();
        let text = held.try_get_or_insert(key, || make().map(Arc::new));
        text.cloned().map_err(|error| ApiError::internal(&error))
    }

    /// A page, whose badge says this; 304 when the browser has just that.
    pub fn page(
        &self,
        name: Cow<'static, str>,
        badge: Database,
        version: i64,
        asked: &HeaderMap,
        make: impl FnOnce() -> io::Result<RenderedPage>,
    ) -> ApiResult<Response> {
        let held = self.get((name, Some(badge), version), make)?;
        let (page, policy) = &*held;
        let mut response = page.answer(asked, ASK_AGAIN);
        // On a 304 too: its headers replace those which the browser keeps with the page.
        let headers = response.headers_mut();
        headers.insert(CONTENT_SECURITY_POLICY, policy.clone());
        Ok(response)
    }

    /// The built styles of a page, then the newsroom's colours. Under its own hash a browser may keep it for ever; under that of
    /// a page from before a change the present one is sent, not to be kept.
    pub fn stylesheet(
        &self,
        hash: &str,
        name: &str,
        primary: Color,
        version: i64,
        asked: &HeaderMap,
    ) -> ApiResult<Response> {
        let (name, page): (_, &PageTemplate) = match name {
            "public.css" => ("public.css", &PUBLIC),
            "seguito.css" => ("seguito.css", &FOLLOW),
            "admin.css" => ("admin.css", &ADMIN),
            _ => return Ok((StatusCode::NOT_FOUND, "Non trovato\n").into_response()),
        };
        let held = self.get((name.into(), None, version), || {
            let text = Text::new(page.styles(primary), "text/css; charset=utf-8")?;
            Ok((text, DATA_POLICY))
        })?;
        let style = &held.0;
        let caching = if hash == style.hash {
            IMMUTABLE
        } else {
            ASK_AGAIN
        };
        Ok(style.answer(asked, caching))
    }
}

/// The newsroom's colours; outside of any layer, so that they win over the defaults of the built styles.
fn colours(primary: Color) -> String {
    format!(
        ":root{{--primary:{primary};--on-primary:{}}}\n",
        primary.ink()
    )
}

/// Text as it may stand between tags and in a quoted attribute (ASVS 1.2.1).
fn escape(text: &str) -> String {
    let Ok(escaped) = escaped(text, Html);
    escaped.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::to_bytes;
    use axum::http::header::CACHE_CONTROL;
    use serde_json::json;

    use crate::actions::settings::in_force::Settings;
    use crate::domain::settings::System;
    use crate::store::Store;
    use crate::vault::Vault;

    const HOSTILE: &str = "</script><b a=\"1\" b='2'>&amp; __BOOT__ __THEME__ è\u{2028}";

    fn boot(text: &str) -> Value {
        let callout = json!({ "title": text, "intro": text, "closedText": text });
        json!({ "text": text, "callout": callout })
    }

    async fn page(page: &PageTemplate, text: &str) -> String {
        let settings = Settings::since(0).in_force(
            &Store::in_memory().unwrap(),
            Vault::in_memory().unwrap().stamp(),
        );
        let mut settings = Arc::into_inner(settings.unwrap()).unwrap();
        settings.system = System {
            product_name: text.to_owned(),
            organization_name: text.to_owned(),
            privacy_notice: text.to_owned(),
            privacy_url: "https://example.org/?a=1&b=\"".to_owned(),
            ..System::default()
        };
        let address = || "/paibeta/logo/1".to_owned();
        let pictures = Pictures {
            icon: address(),
            touch: address(),
            preview: address(),
            origin: Some("https://esempio.it".to_owned()),
        };
        let filled = page.filled(&settings, &pictures, &boot(text)).unwrap();
        let answer = filled.0.answer(&HeaderMap::new(), ASK_AGAIN);
        let html = to_bytes(answer.into_body(), usize::MAX).await.unwrap();
        String::from_utf8(html.to_vec()).unwrap()
    }

    #[test]
    fn slots_are_filled_once() {
        let value = |slot: &str| match slot {
            "A" => Some("__B__".to_owned()),
            "B" => Some("b".to_owned()),
            _ => None,
        };
        for (template, filled) in [
            ("", ""),
            ("__A__", "__B__"),
            ("x__B__y__B__", "xbyb"),
            ("__B____B__", "bb"),
            ("__C____B__", "__C__b"),
            ("è__B__è", "èbè"),
            ("___B__", "_b"),
            ("a__bC3 __B__ __", "a__bC3 b __"),
        ] {
            assert_eq!(
                fill_between(template, SLOT, SLOT, value),
                filled,
                "{template}"
            );
        }
    }

    #[tokio::test]
    async fn nothing_an_editor_types_becomes_markup_or_ends_the_boot_block() {
        for kind in [&*PUBLIC, &*FOLLOW, &*ADMIN] {
            let (html, plain) = (page(kind, HOSTILE).await, page(kind, "x").await);
            let tags = |html: &str| html.matches('<').count();
            assert_eq!(tags(&html), tags(&plain));
            assert!(!html.contains("<b ") && !html.contains("a=\"1\""), "{html}");
            let escaped =
                "&#60;/script&#62;&#60;b a=&#34;1&#34; b=&#39;2&#39;&#62;&#38;amp; __BOOT__";
            assert!(html.contains(escaped), "{html}");
            let block = html.split("id=\"boot\">").nth(1).unwrap();
            let block = block.split('<').next().unwrap();
            let value: Value = serde_json::from_str(block).unwrap();
            assert_eq!(value, boot(HOSTILE));
        }
        let link = "href=\"https://example.org/?a=1&#38;b=&#34;\"";
        assert!(page(&PUBLIC, "x").await.contains(link));
    }

    #[test]
    fn another_colour_is_another_stylesheet_and_an_old_name_gets_the_present_one() {
        let color = |hex: &str| Color::parse(hex).unwrap();
        let (blue, red) = (color("#2563eb"), color("#ff0000"));
        let old = digest(&PUBLIC.styles(blue));
        assert_ne!(old, digest(&PUBLIC.styles(red)));
        assert_ne!(old, digest(&ADMIN.styles(blue)));
        let pages = RenderedPages::default();
        let caching = |primary: Color, version: i64, name: &str| {
            let answer = pages.stylesheet(&old, name, primary, version, &HeaderMap::new());
            let answer = answer.unwrap();
            (
                answer.status(),
                answer.headers().get(CACHE_CONTROL).cloned(),
            )
        };
        let ok = StatusCode::OK;
        assert_eq!(caching(blue, 1, "public.css"), (ok, Some(IMMUTABLE)));
        assert_eq!(caching(red, 2, "public.css"), (ok, Some(ASK_AGAIN)));
        for name in ["", "../public.css", "theme.css", "public.html"] {
            assert_eq!(caching(blue, 3, name).0, StatusCode::NOT_FOUND, "{name}");
        }
        // However many versions there were, few are kept.
        for version in 1..200 {
            caching(blue, version, "public.css");
        }
        assert_eq!(pages.0.lock().len(), MOST.get());
    }
}
