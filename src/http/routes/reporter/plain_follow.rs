//! The reporter's return without a script: code, progress, messages and files, by forms (PRODUCT.md §5).
//! Must never keep a code: the cookie of these pages alone holds it.

use askama::Template;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Redirect, Response};
use uuid::Uuid;

use super::receipts::{self, Receipt, Shown};
use crate::domain::media::attachment::size;
use crate::domain::message::{Author, MessageIn, ReportProgress};
use crate::domain::text::is_blank;
use crate::files::bytes;
use crate::http::client_address::Client;
use crate::http::cookies::Jar;
use crate::http::plain::{Fields, Form, Sheet};
use crate::http::routes::intake::uploads::{FilesField, settle_files, take_files};
use crate::http::routes::{ApiError, ApiResult, Kind, Shared};
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
    match receipts::show(app, visit).await {
        Ok(shown) => page(app, client, shown, &Fields::default(), ("", ""))
            .await
            .map(Some),
        // It is over: the code is asked for.
        Err(_) => Ok(None),
    }
}

/// Takes what these pages send: the code, a message, files, or another of their buttons.
pub async fn act(
    State(app): State<Shared>,
    client: Client,
    jar: Jar,
    request: Request,
) -> ApiResult<Response> {
    // It goes on to its end also when the sender hangs up.
    let whole = tokio::spawn(async move {
        let headers = request.headers().clone();
        let mut form = Form::of(request).await?;
        let taken = take(&app, client, (jar, &headers), &mut form).await;
        let Err(refused) = taken else { return taken };
        let page = FollowPage {
            sheet: Sheet::of(&app).await?,
            receipt: None,
            said: &form.fields,
            key: String::new(),
            wrong: refused.told(),
            files: None,
        };
        page.sheet.answer(refused.status(), &page)
    });
    whole.await.map_err(|error| ApiError::internal(&error))?
}

async fn take(
    app: &Shared,
    client: Client,
    (jar, headers): (Jar, &HeaderMap),
    form: &mut Form,
) -> ApiResult<Response> {
    let refused = take_files(app, client, form).await?;
    let said = &form.fields;
    if said.given("leave").is_some() {
        return Ok((Visit::end(jar, &PAGES)?, Redirect::to(HERE)).into_response());
    }
    if let Some(code) = said.given("code") {
        let shown = receipts::open_by_code(app, client, jar, code).await?;
        return page(app, client, shown, said, ("", "")).await;
    }
    let visit = Visit::of(app, jar, headers).await?;
    if let Some(wrong_file) = settle_files(app, said, refused.as_ref()).await? {
        let shown = receipts::show(app, Visit::from_now(app, visit.code, visit.jar)).await?;
        return page(app, client, shown, said, ("", wrong_file)).await;
    }
    match send(app, client, visit, said).await {
        Ok(visit) => {
            let shown = receipts::show(app, visit).await?;
            page(app, client, shown, &Fields::default(), ("", "")).await
        }
        Err(refused) if refused.is(Kind::UNKNOWN_CODE) => Err(refused),
        Err(refused) => {
            let shown = receipts::show(app, Visit::of(app, jar, headers).await?).await?;
            page(app, client, shown, said, (refused.told(), "")).await
        }
    }
}

async fn send(app: &Shared, client: Client, visit: Visit, said: &Fields) -> ApiResult<Visit> {
    let waiting = FilesField::of(app, client, said.given("conversation"), "").await?;
    let waiting = waiting.map_or_else(Vec::new, |field| field.files);
    let names: Vec<String> = waiting.into_iter().map(|(_, name, _)| name).collect();
    // A file needs no words: then the message names it.
    let text = match said.get("text") {
        text if is_blank(text) && !names.is_empty() => format!("Allego: {}", names.join(", ")),
        text => text.to_owned(),
    };
    let key = said.given("key").map(str::to_owned);
    receipts::send_message(app, client, visit, MessageIn { text, key }).await
}

async fn page(
    app: &Shared,
    client: Client,
    Shown { visit, receipt, .. }: Shown,
    said: &Fields,
    (wrong, wrong_file): (&str, &str),
) -> ApiResult<Response> {
    let token = receipt.conversation.as_deref();
    let key = said.given("key").map(str::to_owned);
    let page = FollowPage {
        sheet: Sheet::of(app).await?,
        receipt: Some(&receipt),
        said,
        key: key.unwrap_or_else(|| Uuid::new_v4().to_string()),
        wrong,
        files: FilesField::of(app, client, token, wrong_file).await?,
    };
    let answer = page.sheet.answer(StatusCode::OK, &page)?;
    Ok((visit.cookie(app, &PAGES)?, answer).into_response())
}

/// 'Esci in fretta' of a visit: the cookie goes first.
pub async fn leave(State(app): State<Shared>, jar: Jar) -> ApiResult<Response> {
    let settings = app.settings().await?;
    let away = Redirect::to(settings.system.exit_address().unwrap_or(HERE));
    Ok((Visit::end(jar, &PAGES)?, away).into_response())
}
