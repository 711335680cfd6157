//! The HTTP face: routes, limits and headers. The only module (with `app`) that knows axum, cookies and status codes.

mod admin;
pub mod assets;
mod chunks;
pub mod client_address;
pub mod connections;
mod cookies;
mod erasing;
pub mod form_pages;
pub mod gate;
mod hang_up;
mod headers;
mod intake;
mod json;
mod key_copy;
pub mod left;
pub mod limits;
pub mod listener;
pub mod metrics;
mod missing_files;
pub mod openapi;
mod pace;
pub mod passkeys;
mod path;
mod plain;
pub mod presence;
mod problem;
mod query;
pub mod redirect;
mod request_id;
mod routes;
pub mod setup_link;
pub mod shell;
mod sockets;
pub mod state;
mod trace;
pub mod uploads;
pub mod visit;
pub mod waiting_files;

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::handler::Handler;
use axum::http::header::HOST;
use axum::http::{HeaderName, HeaderValue, StatusCode, Version};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{MethodFilter, get, on};
use futures_util::FutureExt as _;
use tower::{Layer as _, Service as _};
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{DefaultPredicate, Predicate, SizeAbove};
use tower_http::csrf::{CsrfLayer, ProtectionError};
use utoipa::openapi::HttpMethod;

use crate::http::routes::access::{logs, passkey_session, session};
use crate::http::routes::archive::{erasures, export, seal};
use crate::http::routes::desk::{
    agenda, analytics, attachments, bulk, callouts, clean_copy, comments, dossier, entry, labels,
    related, reports, routing, stories, views,
};
use crate::http::routes::intake::{chat, sieges, tus as files};
use crate::http::routes::outbox;
use crate::http::routes::people::{account, passkeys as own_passkeys, roster};
use crate::http::routes::reporter::{messages, receipts};
use crate::http::routes::settings::{departments, logo, prompts, sections};
pub use admin::{INVITATION, LINK, new_cookie};
pub use headers::{HSTS, HSTS_SUBDOMAINS};
use problem::{ApiError, Kind};
use routes::{pages, public, system};
use state::Shared;

/// Where everything is served (PRODUCT.md §1).
pub const BASE: &str = "/paibeta";
const API: &str = "/api";
/// Where Tor Browser finds the same page by an onion service.
const ONION_LOCATION: HeaderName = HeaderName::from_static("onion-location");
/// Longest path with its query, in bytes: 200 characters to search for, four escaped bytes each, and every filter.
const ADDRESS_MAX: usize = 3 * 1024;
/// Shortest answer that is worth compressing, in bytes: a shorter one travels in the first few packets anyway.
const PACKED_FROM: u64 = 4096;

/// Names the calls of the API once, by side and file: mounts each where its own description says, and describes them all.
macro_rules! calls {
    ($($whose:ident { $($module:ident: $($handler:ident),+;)+ })+) => {
        $(fn $whose() -> Router<Shared> {
            let api = Router::new();
            pastey::paste! {
                $($(let api = mount::<$module::[<__path_ $handler>], _, _>(api, &$module::$handler);)+)+
            }
            api.method_not_allowed_fallback(async || Kind::METHOD_NOT_ALLOWED.into_response())
        })+

        /// The schemas of requests and answers.
        #[cfg(test)]
        #[derive(utoipa::OpenApi)]
        #[openapi(paths($($($($module::$handler),+),+),+))]
        struct Calls;
    };
}

calls! {
    public_calls {
        public: status, branding, privacy;
        chat: start, turn, back;
        files: protocol, create, offset, send, terminate;
        receipts:
            open_receipt, receipt, leave_receipt, write_to_newsroom, answer_newsroom, decide_consent, request_withdrawal, own_attachment,
            withdraw_attachment, own_data;
    }
    panel_calls {
        // Calls by which an editor logs in.
        session: recovery_code, setup, log_in, who_am_i, log_out, change_password, unlock;
        passkey_session: passkey_question, log_in_by_passkey;
        account:
            set_up_totp, drop_totp, own_sessions, end_other_sessions, end_own_session, own_account,
            change_account, confirm_email;
        own_passkeys: own_passkeys, ask_for_passkey, add_passkey, rename_passkey, remove_passkey;
        roster: open_invitation, answer_invitation, list, colleagues, add, change, remove, invite;
        seal: sealed_mode, post, delete;
        // The reports, and what they set in motion.
        reports: list, detail, patch, exported;
        entry: enter_report;
        related: related;
        export: export, backup;
        erasures: erase, erase_many, retention, expiring_reports;
        bulk: change_many, batches, undo, write_to_many, take_back, messages, answers;
        labels: labels, create_label, change_label, delete_label;
        attachments: download;
        dossier: dossier, story_dossier;
        clean_copy: mask, save, in_words, redacted;
        messages: messages, write_to_reporter, take_one_back, ask_for_consent;
        agenda: mine, today, done, undone, sender_aside, sender_back, snooze, unsnooze, presence, note_presence;
        comments: list, write, change, delete;
        views: list, keep, forget;
        stories: list, create, detail, change, delete, join, leave, proposed, decide, undo, apart;
        callouts: list, create, detail, save, open, close, delete, answers;
        sieges: sieges, change_aside;
        outbox: list, delivery_summary, retry, retry_deliveries, ignore, ignore_all;
        analytics: analytics, analytics_csv;
        // The settings, and the state of the installation.
        sections:
            desk, get_security, put_security, get_system, put_system, get_email, put_email, test_email,
            test_webhook, renew_webhook_secret, delete_webhook_secret, delete;
        routing: preview_routing, dry_run, routing_memory, forget_routing_memory;
        departments: list, create, edit, put_order, delete;
        logo: put, delete;
        prompts: prompts, put, reset_prompts, rehearse;
        logs: get, delete;
        system:
            authenticity, backups, confirm_authenticity, examine, system_info, alerts, see_new_browser;
    }
}

fn mount<P: utoipa::Path, H: Handler<T, Shared>, T: 'static>(
    api: Router<Shared>,
    handler: &H,
) -> Router<Shared> {
    let methods = P::methods().into_iter().map(|method| match method {
        HttpMethod::Get => MethodFilter::GET,
        HttpMethod::Put => MethodFilter::PUT,
        HttpMethod::Post => MethodFilter::POST,
        HttpMethod::Delete => MethodFilter::DELETE,
        HttpMethod::Options => MethodFilter::OPTIONS,
        HttpMethod::Head => MethodFilter::HEAD,
        HttpMethod::Patch => MethodFilter::PATCH,
        HttpMethod::Trace => MethodFilter::TRACE,
    });
    methods.fold(api, |api, method| {
        let path = format!("{BASE}{API}{}", P::path());
        api.route(&path, on(method, handler.clone()))
    })
}

/// All that is served; its pages name the onion service where there is one.
pub fn router(app: Shared, onion_url: Option<Arc<str>>) -> Router {
    let public = match onion_url {
        None => public_routes(),
        Some(onion) => public_routes().layer(from_fn_with_state(onion, name_onion)),
    };
    let panel = panel_calls().merge(pages::panel());
    let panel = panel.route(&format!("{BASE}{API}/openapi.json"), get(openapi::serve));
    enclosed(public.merge(panel).fallback(elsewhere), app)
}

/// Routes of the onion socket, without the panel.
pub fn onion_router(app: Shared) -> Router {
    let elsewhere = async || ApiError::not_there("Questo indirizzo non esiste.");
    enclosed(public_routes().fallback(elsewhere), app)
}

/// Routes for reporters.
fn public_routes() -> Router<Shared> {
    // Each path stands whole: a part that is nested costs every request below it a copy of its address.
    public_calls()
        .route("/", get(async || Redirect::temporary(&format!("{BASE}/"))))
        .route("/robots.txt", get(public::robots))
        .route(&format!("{BASE}/robots.txt"), get(public::robots))
        .route(&format!("{BASE}/healthz"), get(public::healthz))
        .merge(pages::public())
}

/// Names the address of a page on the onion service, for readers with Tor Browser.
async fn name_onion(State(onion): State<Arc<str>>, request: Request, next: Next) -> Response {
    let address = HeaderValue::try_from(format!("{onion}{}", request.uri().path()));
    let mut answer = next.run(request).await;
    if let (true, Ok(address)) = (headers::is_page(answer.headers()), address) {
        answer.headers_mut().insert(ONION_LOCATION, address);
    }
    answer
}

fn enclosed(routes: Router<Shared>, app: Shared) -> Router {
    let outside = Outside {
        own_pages_only: own_pages_only(app.public_origin.as_deref()),
        app: Shared::clone(&app),
    };
    let outside = from_fn_with_state(Arc::new(outside), around);
    routes.layer(outside).with_state(app)
}

/// The work around every route in one layer, since each layer costs a copy of what is inside it for every request.
struct Outside {
    app: Shared,
    own_pages_only: CsrfLayer<fn(ProtectionError) -> Response>,
}

/// From the outside in: request id, log line and count, panics answered as 500.
async fn around(State(outside): State<Arc<Outside>>, request: Request, next: Next) -> Response {
    let answer = |request| caught(outside.answer(request, next));
    trace::trace(&outside.app, request, answer).await
}

impl Outside {
    /// The route's answer, compressed where it is long, unless another site asks for a change or the request is none.
    async fn answer(&self, request: Request, next: Next) -> Response {
        if let Some(refusal) = malformed(&request) {
            return refusal.into_response();
        }
        // By the rule of the assets: what is packed already must not be packed again, nor refused.
        let packs = assets::accepts(request.headers(), "gzip");
        let mut guarded = self.own_pages_only.layer(next);
        if packs {
            let Ok(packed) = compression().layer(guarded).call(request).await;
            return packed.map(Body::new);
        }
        let Ok(answer) = guarded.call(request).await;
        answer
    }
}

/// Refuses what two programs may read as meant for two hosts (RFC 9112 §3.2), and an address that no page of ours makes.
fn malformed(request: &Request) -> Option<ApiError> {
    let hosts = request.headers().get_all(HOST).iter().count();
    if hosts > 1 || (hosts == 0 && request.version() > Version::HTTP_10) {
        return Some(Kind::BAD_REQUEST.saying("L'intestazione Host manca o è ripetuta."));
    }
    let address = request.uri().path_and_query()?.as_str();
    (address.len() > ADDRESS_MAX).then(|| Kind::ADDRESS_TOO_LONG.into())
}

/// Compresses while it sends, with gzip alone: Brotli takes megabytes for each answer before it begins.
fn compression() -> CompressionLayer<impl Predicate> {
    let worth = SizeAbove::new(PACKED_FROM).and(DefaultPredicate::new());
    CompressionLayer::new()
        .quality(CompressionLevel::Fastest)
        .compress_when(worth)
}

/// Refuses changes that another site's page asks the browser for (ASVS 3.5.1): by `Sec-Fetch-Site`, else by `Origin`.
fn own_pages_only(public_origin: Option<&str>) -> CsrfLayer<fn(ProtectionError) -> Response> {
    let layer = public_origin.map(|origin| CsrfLayer::new().add_trusted_origin(origin));
    let layer = layer.transpose().unwrap_or_else(|error| {
        tracing::warn!(%error, "the public address names no origin");
        None
    });
    layer
        .unwrap_or_default()
        .with_rejection_response(|_| Kind::CROSS_SITE.into_response())
}

/// Unknown paths lead to the chat; unknown calls of a program are told so.
async fn elsewhere(request: Request) -> Response {
    let path = request.uri().path();
    if path == format!("{BASE}{API}") || path.starts_with(&format!("{BASE}{API}/")) {
        let text = "Questo indirizzo dell'API non esiste.";
        return ApiError::not_there(text).into_response();
    }
    // A monitor of the wrong address must not be told that all is well.
    let watched = path == "/healthz";
    let files = [format!("{BASE}/assets/"), format!("{BASE}/style/")];
    if watched || files.iter().any(|files| path.starts_with(files)) {
        return StatusCode::NOT_FOUND.into_response();
    }
    Redirect::to(&format!("{BASE}/")).into_response()
}

/// Answers a panic as 500. The process's hook has logged it, without its text.
async fn caught(answer: impl Future<Output = Response>) -> Response {
    let answer = AssertUnwindSafe(answer).catch_unwind().await;
    answer.unwrap_or_else(|_| ApiError::defect("panic in a handler").into_response())
}
