//! The pages with the newsroom's names and colours filled in, their stylesheets and the embedded assets.

use std::borrow::Cow;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, State};
use axum::http::header::CONTENT_SECURITY_POLICY;
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::middleware::from_fn;
use axum::response::Response;
use axum::routing::get;
use serde_json::{Value, json};

use super::public::{Branding, Privacy, ServerStatus};
use crate::actions::callouts;
use crate::actions::settings::in_force::InForce;
use crate::demo;
use crate::domain::callout::Callout;
use crate::domain::chat::CalloutVersion;
use crate::http::client_address::Client;
use crate::http::cookies::Jar;
use crate::http::headers::{PERMISSIONS_POLICY, WITH_MICROPHONE, framed_policy};
use crate::http::plain::to_the_end;
use crate::http::problem::ApiResult;
use crate::http::routes::intake::form;
use crate::http::routes::reporter::{plain_follow, receipts};
use crate::http::routes::settings::logo;
use crate::http::shell::{ADMIN, FOLLOW, PUBLIC, PageTemplate, Pictures};
use crate::http::state::{App, Mode, Shared};
use crate::http::{BASE, assets};

/// Text browsers show it wherever it stands: it stands in the page of a demonstration alone.
const DEMO_NOTICE: &str = "Modalità demo: collega il database per attivare la chat. Le segnalazioni inviate adesso non vengono conservate.";
/// The panel's page while no password is chosen.
const UNSET: &str = "admin.html, no password";

/// The pages of reporters, and what pages are made of.
pub fn public() -> Router<Shared> {
    [
        ("", get(chat)),
        ("/", get(chat)),
        ("/i/{slug}", get(callout)),
        (
            "/modulo",
            get(form::show)
                .post(form::answer)
                .layer(from_fn(to_the_end)),
        ),
        ("/modulo/esci", get(form::leave)),
        (
            "/seguito",
            get(follow)
                .post(plain_follow::act)
                .layer(from_fn(to_the_end)),
        ),
        ("/seguito/esci", get(plain_follow::leave)),
        ("/seguito/dati", get(receipts::own_data)),
        ("/seguito/file/{n}", get(receipts::own_attachment)),
        ("/manifest.webmanifest", get(manifest)),
        ("/style/{hash}/{name}", get(style)),
        ("/logo/{name}", get(logo::serve)),
        ("/assets/{*path}", get(asset)),
    ]
    .into_iter()
    .fold(Router::new(), |router, (path, page)| {
        router.route(&format!("{BASE}{path}"), page)
    })
}

pub fn panel() -> Router<Shared> {
    [
        "login",
        "setup",
        "invito",
        "admin",
        "admin/",
        "admin/{*screen}",
    ]
    .into_iter()
    .fold(Router::new(), |router, path| {
        router.route(&format!("{BASE}/{path}"), get(admin))
    })
}

async fn asset(uri: Uri, headers: HeaderMap) -> Response {
    assets::asset(uri.path(), &headers)
}

/// The chat; with `?embed` for the sites that may show it in a frame.
async fn chat(State(app): State<Shared>, uri: Uri, headers: HeaderMap) -> ApiResult<Response> {
    let answer = page(&app, "public.html", &PUBLIC, &headers, None).await?;
    framed(&app, answer, &uri).await
}

/// The page of a callout, or its notice that it is over. A draft has no page.
async fn callout(
    State(app): State<Shared>,
    Path(slug): Path<String>,
    uri: Uri,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let now = app.clock.now_ms();
    let shown = app.read(move |_, snapshot| callouts::shown(snapshot, &slug, now));
    let (shown, there) = match shown.await? {
        Some(shown) => (shown, true),
        None => (no_callout(), false),
    };
    let mut answer = page(&app, "public.html", &PUBLIC, &headers, Some(shown)).await?;
    if !there && answer.status() == StatusCode::OK {
        *answer.status_mut() = StatusCode::NOT_FOUND;
    }
    framed(&app, answer, &uri).await
}

/// The content of the page when there is no callout.
fn no_callout() -> (CalloutVersion, Option<String>) {
    let words = "Controlla l’indirizzo: forse non è ancora aperta.";
    let mut none = CalloutVersion::default();
    "Questa inchiesta non c’è".clone_into(&mut none.callout.title);
    (none, Some(words.to_owned()))
}

async fn framed(app: &Shared, mut answer: Response, uri: &Uri) -> ApiResult<Response> {
    if uri.query() == Some("embed")
        && let Some(sites) = app.settings().await?.system.framed_by()
        && let Some(policy) = answer.headers().get(CONTENT_SECURITY_POLICY)
        && let Some(policy) = framed_policy(policy, &sites)
    {
        answer.headers_mut().insert(CONTENT_SECURITY_POLICY, policy);
    }
    Ok(answer)
}

/// Where reporters come back; without a script, in a visit, that.
async fn follow(
    State(app): State<Shared>,
    client: Client,
    jar: Jar,
    uri: Uri,
    headers: HeaderMap,
) -> ApiResult<Response> {
    if let Some(visit) = plain_follow::visit(&app, client, jar, &headers, &uri).await? {
        return Ok(visit);
    }
    page(&app, "seguito.html", &FOLLOW, &headers, None).await
}

async fn admin(State(app): State<Shared>, headers: HeaderMap) -> ApiResult<Response> {
    page(&app, "admin.html", &ADMIN, &headers, None).await
}

/// Grounds of a page that is about to be drawn.
const LIGHT: &str = "#fdfdfd";
const DARK: &str = "#1b1b1b";

/// Name, colours and icon under which a device keeps the public page. It stays a page of the browser: one that could be
/// installed would be offered to a person who writes, and would stay on the device.
async fn manifest(State(app): State<Shared>, headers: HeaderMap) -> ApiResult<Response> {
    let settings = app.settings().await?;
    let (system, start) = (&settings.system, format!("{BASE}/"));
    let manifest = json!({
        "name": format!("{} · {}", system.product_name, system.organization_name),
        "short_name": system.product_name,
        "lang": "it",
        "id": start,
        "start_url": start,
        "scope": start,
        "display": "browser",
        "theme_color": settings.primary.to_string(),
        "background_color": if system.dark_mode { DARK } else { LIGHT },
        "icons": [{ "src": logo::icon(&settings), "sizes": "any" }],
    })
    .to_string();
    let tag = format!("\"{}\"", assets::digest(&manifest));
    let kind = "application/manifest+json";
    Ok(assets::kept(
        &headers,
        &tag,
        assets::ASK_AGAIN,
        kind,
        manifest,
    ))
}

async fn style(
    State(app): State<Shared>,
    Path((hash, name)): Path<(String, String)>,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let settings = app.settings().await?;
    let (primary, version) = (settings.primary, settings.version);
    app.pages
        .stylesheet(&hash, &name, primary, version, &headers)
}

/// The values that a page's script starts with, except those that depend on more than the settings.
fn boot(app: &App, settings: &InForce, callout: Option<ShownCallout>) -> Value {
    let system = &settings.system;
    let mut takes_files = app.data.is_some() && system.attachments_enabled;
    let (mut welcome, mut shown) = (settings.rules.welcome(), Value::Null);
    if let Some((version, closed)) = callout {
        let Callout {
            slug, title, intro, ..
        } = &version.callout;
        shown = json!({ "slug": slug, "title": title, "intro": intro, "closedText": closed });
        takes_files &= version.callout.attachments;
        welcome = settings.rules.of_callout(&Arc::new(version)).welcome();
    }
    let attachments = takes_files.then(
        || json!({ "maxMb": system.attachment_max_mb, "perReport": system.attachments_per_report }),
    );
    json!({
        "branding": Branding::of(settings), "privacy": Privacy::from(system),
        "welcome": welcome, "callout": shown,
        "demoNotice": if app.mode == Mode::Demo { DEMO_NOTICE } else { "" },
        "quickExitUrl": system.exit_address(),
        "minimum": { "chars": settings.security.min_report_length, "words": settings.security.min_word_count },
        "attachments": attachments,
        "receipts": system.receipts_enabled,
        "promises": { "firstDays": system.promise_first_days, "outcomeDays": system.promise_outcome_days },
        "timeZone": app.time_zone.iana_name(),
    })
}

/// A callout, with the words that it is over.
type ShownCallout = (CalloutVersion, Option<String>);

async fn page(
    app: &Shared,
    name: &'static str,
    page: &PageTemplate,
    headers: &HeaderMap,
    callout: Option<ShownCallout>,
) -> ApiResult<Response> {
    let admin = name == "admin.html";
    let credential = app.read(|_, snapshot| snapshot.credential());
    let unset = admin && credential.await?.is_none();
    let settings = app.settings().await?;
    let name = match &callout {
        Some((version, closed)) => {
            let CalloutVersion { id, version, .. } = version;
            format!("{name} {id} {version} {closed:?}").into()
        }
        None => Cow::Borrowed(if unset { UNSET } else { name }),
    };
    let status = ServerStatus::of(app, Some(&settings));
    let (badge, version) = (status.database, settings.version);
    let mut answer = app.pages.page(name, badge, version, headers, || {
        let mut boot = boot(app, &settings, callout);
        boot["status"] = json!(status);
        boot["unset"] = json!(unset);
        boot["demoPassword"] = json!((admin && app.mode == Mode::Demo).then_some(demo::PASSWORD));
        let pictures = Pictures {
            icon: logo::icon(&settings),
            touch: logo::touch_icon(&settings),
            preview: logo::preview(&settings),
            origin: app.public_origin.clone(),
        };
        page.filled(&settings, &pictures, &boot)
    })?;
    if !admin {
        answer
            .headers_mut()
            .insert(PERMISSIONS_POLICY, WITH_MICROPHONE);
    }
    Ok(answer)
}
