//! The HTTP face: routes, limits and headers. The only module (with `app`) that knows axum, cookies and status codes.

mod admin;
pub mod assets;
mod chunks;
pub mod client_address;
pub mod connections;
mod cookies;
pub mod gate;
mod headers;
mod intake;
mod json;
mod key_copy;
pub mod limits;
pub mod metrics;
pub mod openapi;
mod pace;
mod path;
mod problem;
mod query;
pub mod redirect;
mod request_id;
mod routes;
mod selection;
pub mod setup_link;
pub mod shell;
mod sockets;
pub mod state;
mod trace;
pub mod uploads;
mod visit;

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::handler::Handler;
use axum::http::header::HOST;
use axum::http::{StatusCode, Version};
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

use crate::http::routes::access::{logs, session};
use crate::http::routes::archive::{erasures, export, seal};
use crate::http::routes::desk::{
    analytics, attachments, bulk, comments, dossier, entry, labels, related, reports, routing,
    views,
};
use crate::http::routes::intake::{chat, sieges, uploads as files};
use crate::http::routes::outbox;
use crate::http::routes::people::{account, roster};
use crate::http::routes::reporter::{messages, receipts};
use crate::http::routes::settings::{logo, prompts, sections};
pub use admin::{LINK, new_cookie};
pub use headers::HttpsPromise;
use headers::is_unlisted;
use problem::{ApiError, Kind};
use routes::{pages, public, system};
use state::Shared;

/// Where everything is served (PRODUCT.md §1).
pub const BASE: &str = "/paibeta";
const API: &str = "/api";
/// Longest path with its query, in bytes: 200 characters to search for, four escaped bytes each, and every filter.
const ADDRESS_MAX: usize = 3 * 1024;
/// Shortest answer that is worth compressing, in bytes: a shorter one travels in the first few packets anyway.
const PACKED_FROM: u64 = 4096;

/// Names the calls of the API once: mounts each where its own description says, and describes them all.
macro_rules! calls {
    ($($module:ident::$handler:ident,)*) => {
        fn api() -> Router<Shared> {
            let api = Router::new();
            pastey::paste! {
                $(let api = mount::<$module::[<__path_ $handler>], _, _>(api, &$module::$handler);)*
            }
            api
        }

        /// What the calls take and answer.
        #[cfg(test)]
        #[derive(utoipa::OpenApi)]
        #[openapi(paths($($module::$handler),*))]
        struct Calls;
    };
}

calls! {
    // The chat, and what lets an editor in.
    public::status,
    public::branding,
    public::privacy,
    chat::start,
    chat::turn,
    chat::back,
    files::protocol,
    files::create,
    files::offset,
    files::send,
    files::terminate,
    receipts::open_receipt,
    receipts::receipt,
    receipts::leave_receipt,
    receipts::write_to_newsroom,
    session::recovery_code,
    session::setup,
    session::log_in,
    session::who_am_i,
    session::log_out,
    session::change_password,
    account::set_up_totp,
    account::drop_totp,
    account::own_sessions,
    account::end_other_sessions,
    account::end_own_session,
    roster::open_invitation,
    roster::answer_invitation,
    roster::list,
    roster::colleagues,
    roster::add,
    roster::change,
    roster::remove,
    roster::invite,
    seal::sealed_mode,
    seal::post,
    seal::delete,
    // The reports, and what they set in motion.
    reports::list,
    entry::enter_report,
    related::related,
    export::export,
    reports::detail,
    reports::patch,
    erasures::erase,
    erasures::erase_many,
    reports::exported,
    bulk::change_many,
    bulk::batches,
    bulk::undo,
    labels::labels,
    labels::create_label,
    labels::change_label,
    labels::delete_label,
    labels::link,
    labels::unlink,
    attachments::download,
    dossier::dossier,
    messages::messages,
    messages::write_to_reporter,
    comments::list,
    comments::write,
    comments::change,
    comments::delete,
    comments::remind,
    comments::forget,
    comments::reminded,
    views::list,
    views::keep,
    views::forget,
    sieges::sieges,
    sieges::change_aside,
    outbox::list,
    outbox::delivery_summary,
    outbox::retry,
    outbox::retry_deliveries,
    outbox::ignore,
    outbox::ignore_all,
    analytics::analytics,
    export::backup,
    // The settings, and the state of the installation.
    erasures::retention,
    erasures::expiring_reports,
    sections::desk,
    sections::get_security,
    sections::put_security,
    sections::get_system,
    sections::put_system,
    sections::get_email,
    sections::put_email,
    sections::test_email,
    sections::test_webhook,
    sections::renew_webhook_secret,
    sections::delete_webhook_secret,
    routing::preview_routing,
    routing::dry_run,
    routing::routing_memory,
    routing::forget_routing_memory,
    logo::put,
    logo::delete,
    prompts::prompts,
    prompts::put,
    prompts::reset_prompts,
    prompts::rehearse,
    sections::delete,
    logs::get,
    logs::delete,
    system::authenticity,
    system::backups,
    system::confirm_authenticity,
    system::examine,
    system::system_info,
    system::alerts,
    system::see_new_browser,
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

pub fn router(app: Shared, promise: HttpsPromise) -> Router {
    let outside = Outside {
        own_pages_only: own_pages_only(app.public_origin.as_deref()),
        promise,
        app: Shared::clone(&app),
    };
    // Each path stands whole: a part that is nested costs every request below it a copy of its address.
    api()
        .route(&format!("{BASE}{API}/openapi.json"), get(openapi::serve))
        .method_not_allowed_fallback(async || Kind::METHOD_NOT_ALLOWED.into_response())
        .route("/", get(async || Redirect::temporary(&format!("{BASE}/"))))
        .route("/robots.txt", get(public::robots))
        .route(&format!("{BASE}/robots.txt"), get(public::robots))
        .route(&format!("{BASE}/healthz"), get(public::healthz))
        .merge(pages::routes())
        .fallback(elsewhere)
        .layer(from_fn_with_state(Arc::new(outside), around))
        .with_state(app)
}

/// What stands around every route, in one layer: each layer costs a copy of what is inside of it for every request.
struct Outside {
    app: Shared,
    promise: HttpsPromise,
    own_pages_only: CsrfLayer<fn(ProtectionError) -> Response>,
}

/// From the outside in: security headers on every answer, request id, log line and count, panics answered as 500.
async fn around(State(outside): State<Arc<Outside>>, request: Request, next: Next) -> Response {
    let unlisted = is_unlisted(request.uri().path());
    let answer = |request| caught(outside.answer(request, next));
    let mut response = trace::trace(&outside.app, request, answer).await;
    outside.promise.complete(unlisted, response.headers_mut());
    response
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

/// Compresses while it sends: what is made for one who asks cannot be compressed before. With gzip alone: Brotli takes
/// megabytes for each answer before it begins.
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
        return Kind::NOT_FOUND.saying(text).into_response();
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
