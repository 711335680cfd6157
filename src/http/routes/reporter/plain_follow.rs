//! The reporter's return without a script: code, progress, messages and files, by forms (PRODUCT.md §5).
//! Must never keep a code: the cookie of these pages alone holds it.

use askama::Template;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Redirect, Response};
use uuid::Uuid;

use super::receipts::{self, Receipt, Shown};
use crate::domain::media::attachment::size;
use crate::domain::message::{Author, MessageIn, ReportProgress, WithdrawalIn};
use crate::domain::text::is_blank;
use crate::files::bytes;
use crate::http::client_address::Client;
use crate::http::cookies::Jar;
use crate::http::plain::{Fields, Sheet};
use crate::http::routes::intake::uploads::{FilesField, take_form};
use crate::http::routes::{ApiResult, Kind, Shared};
use crate::http::visit::{PAGES, Visit};

const HERE: &str = "/paibeta/seguito";

/// The report of a visit; without one, the code is asked for.
#[derive(Template)]
#[template(path = "plain/follow.html")]
struct FollowPage<'a> {
    sheet: Sheet,
    receipt: Option<&'a Receipt>,
    /// The form that was sent: what was typed is not lost with a visit that ends.
    said: &'a Fields,
    /// What the next message is called: sent twice, it is one.
    key: String,
    wrong: &'a str,
    wrong_file: &'a str,
    files: Option<FilesField>,
}

/// The page of a visit that lasts.
pub async fn visit(
    app: &Shared,
    client: Client,
    jar: Jar,
    headers: &HeaderMap,
) -> ApiResult<Option<Response>> {
    let Ok(visit) = Visit::of(app, jar, headers).await else {
        return Ok(None);
    };
    // Where its report is gone, the code is asked for.
    let Ok(shown) = receipts::show(app, visit).await else {
        return Ok(None);
    };
    let said = Fields::default();
    let page = page(app, client, &said, Ok(shown), ("", ""));
    page.await.map(Some)
}

/// Takes what these pages send: the code, a message, files, or another of their buttons.
pub async fn act(
    State(app): State<Shared>,
    client: Client,
    jar: Jar,
    headers: HeaderMap,
    request: Request,
) -> ApiResult<Response> {
    let mut said = Fields::default();
    match take(&app, client, (jar, &headers), (request, &mut said)).await {
        Err(refused) => page(&app, client, &said, Err(refused), ("", "")).await,
        taken => taken,
    }
}

async fn take(
    app: &Shared,
    client: Client,
    (jar, headers): (Jar, &HeaderMap),
    (request, said): (Request, &mut Fields),
) -> ApiResult<Response> {
    let wrong_file = take_form(app, client, request, said).await?;
    if said.given("leave").is_some() {
        return Ok((Visit::end(jar, &PAGES)?, Redirect::to(HERE)).into_response());
    }
    if let Some(code) = said.given("code") {
        let shown = receipts::open_by_code(app, client, jar, code).await?;
        return page(app, client, said, Ok(shown), ("", "")).await;
    }
    let visit = Visit::of(app, jar, headers).await?;
    let done = match wrong_file {
        Some(_) => Ok(Visit::from_now(app, visit.code, visit.jar)),
        None => press(app, client, visit, said).await,
    };
    let (visit, wrong) = match done {
        Ok(visit) => (visit, String::new()),
        Err(refused) if refused.is(Kind::UNKNOWN_CODE) => return Err(refused),
        Err(refused) => {
            let visit = Visit::of(app, jar, headers).await?;
            (visit, refused.told().to_owned())
        }
    };
    let shown = receipts::show(app, visit).await?;
    if wrong_file.is_none() && wrong.is_empty() && said.given("withdraw").is_none() {
        // It stands among the messages now.
        *said = Fields::default();
    }
    let wrongs = (&*wrong, &*wrong_file.unwrap_or_default());
    page(app, client, said, Ok(shown), wrongs).await
}

/// Sends the message, which may be the reason why all is to be withdrawn; or takes a file back.
async fn press(app: &Shared, client: Client, visit: Visit, said: &Fields) -> ApiResult<Visit> {
    let text = said.get("text").to_owned();
    if let Some(n) = said.given("withdraw") {
        return receipts::take_back(app, visit, n.parse().unwrap_or_default()).await;
    }
    if said.given("withdrawal").is_some() {
        let reason = WithdrawalIn { reason: Some(text) };
        return receipts::withdraw(app, visit, reason).await;
    }
    let waiting = FilesField::of(app, client, said.given("conversation")).await?;
    let waiting = waiting.map_or_else(Vec::new, |field| field.files);
    let names: Vec<String> = waiting.into_iter().map(|(_, name, _)| name).collect();
    // A file needs no words: then the message names it.
    let text = if is_blank(&text) && !names.is_empty() {
        format!("Allego: {}", names.join(", "))
    } else {
        text
    };
    let key = said.given("key").map(str::to_owned);
    receipts::send_message(app, client, visit, MessageIn { text, key }).await
}

async fn page(
    app: &Shared,
    client: Client,
    said: &Fields,
    shown: ApiResult<Shown>,
    (wrong, wrong_file): (&str, &str),
) -> ApiResult<Response> {
    let receipt = shown.as_ref().ok().map(|shown| &shown.receipt);
    let token = receipt.and_then(|receipt| receipt.conversation.as_deref());
    let (wrong, status) = match &shown {
        Ok(_) => (wrong, StatusCode::OK),
        Err(refused) => (refused.told(), refused.status()),
    };
    let key = said.given("key").map(str::to_owned);
    let page = FollowPage {
        sheet: Sheet::of(app).await?,
        receipt,
        said,
        key: key.unwrap_or_else(|| Uuid::new_v4().to_string()),
        wrong,
        wrong_file,
        files: FilesField::of(app, client, token).await?,
    };
    let answer = page.sheet.answer(status, &page)?;
    let cookie = shown.map_or(Ok(None), |shown| shown.visit.cookie(app, &PAGES))?;
    Ok((cookie, answer).into_response())
}

/// 'Esci in fretta' of a visit: the cookie goes first.
pub async fn leave(State(app): State<Shared>, jar: Jar) -> ApiResult<Response> {
    let settings = app.settings().await?;
    let away = Redirect::to(settings.system.exit_address().unwrap_or(HERE));
    Ok((Visit::end(jar, &PAGES)?, away).into_response())
}
