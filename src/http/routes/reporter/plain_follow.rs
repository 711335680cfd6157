//! The reporter's return without a script: code, progress, messages and files, by forms (PRODUCT.md §5).
//! Must never keep a code: the cookie of these pages alone holds it.

use askama::Template;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse as _, Redirect, Response};
use serde_json::Value;
use uuid::Uuid;

use super::receipts::{self, Receipt, Shown};
use crate::domain::asked::AnswerIn;
use crate::domain::callout::{AnswerKind, CalloutQuestion};
use crate::domain::media::attachment::size;
use crate::domain::message::{Author, Message, ReportProgress, ReporterMessageIn, WithdrawalIn};
use crate::domain::text::is_blank;
use crate::files::bytes;
use crate::http::client_address::Client;
use crate::http::cookies::Jar;
use crate::http::form_pages::PageName;
use crate::http::plain::{Fields, PAGE, Rendered, Sheet};
use crate::http::routes::intake::form_files::{FilesField, shown_in, take_form, told_missing};
use crate::http::routes::{ApiResult, Kind, Shared};
use crate::http::visit::{PAGES, Visit};

const HERE: &str = "/paibeta/seguito";

/// The report of a visit; without one, the code is asked for.
#[derive(Template)]
#[template(path = "plain/follow.html")]
struct FollowPage<'a> {
    sheet: Sheet,
    receipt: Option<&'a Receipt>,
    left: &'a Fields,
    /// The key of the next message: sent twice, it is stored once.
    key: String,
    files: Option<FilesField>,
    /// Its own address, where it has one.
    page: Option<String>,
}

impl FollowPage<'_> {
    /// What stands in the field of a question: what was entered and not taken, else what was answered.
    fn entered(&self, message: &Message, question: &CalloutQuestion) -> Vec<String> {
        let name = field_of(message, question);
        if self.left.get("answers") == message.id.to_string() {
            return self.left.all(&name).map(str::to_owned).collect();
        }
        let answers = message.answers.as_ref();
        let answer = answers.and_then(|all| all.data.iter().find(|one| one.key == question.key));
        match answer {
            None => Vec::new(),
            Some(one) if question.kind.has_choices() => {
                one.chosen().into_iter().map(str::to_owned).collect()
            }
            Some(one) => vec![one.text.clone()],
        }
    }

    /// Why the answers to a message were not taken; empty for no reason.
    fn refusal(&self, message: &Message) -> &str {
        let own = self.left.get("answers") == message.id.to_string();
        if own { self.left.get("wrong") } else { "" }
    }
}

/// The name of the field of a question.
fn field_of(message: &Message, question: &CalloutQuestion) -> String {
    format!("a.{}.{}", message.id, question.key)
}

/// The page of a visit that lasts, and of a form that was not done; else there is none.
pub async fn visit(
    app: &Shared,
    client: Client,
    jar: Jar,
    headers: &HeaderMap,
    uri: &Uri,
) -> ApiResult<Option<Response>> {
    let asked = Fields::of(uri.query().unwrap_or_default().as_bytes());
    let name = asked.page();
    let held = name.as_ref().map(|name| {
        let now = app.clock.now_ms();
        app.form_pages.open(name, now)
    });
    let held = held.transpose()?.flatten();
    let shown = match Visit::of(app, jar, headers).await {
        // Where its report is gone, the code is asked for.
        Ok(visit) => receipts::show(app, visit).await.ok(),
        Err(_) => None,
    };
    if shown.is_none() && held.is_none() {
        return Ok(None);
    }
    let left = Fields::of(&held.unwrap_or_default());
    let page = page(app, client, &left, shown, name.as_ref());
    page.await.map(Some)
}

/// Takes what these pages send: the code, a message, files, or another of their buttons. The browser is led to what comes of it.
pub async fn act(
    State(app): State<Shared>,
    client: Client,
    jar: Jar,
    headers: HeaderMap,
    request: Request,
) -> ApiResult<Response> {
    let mut said = Fields::default();
    let filed = take_form(&app, client, request, &mut said).await;
    if said.given("leave").is_some() {
        forget(&app, &said)?;
        return Ok((Visit::end(&app, jar, &headers, &PAGES)?, Redirect::to(HERE)).into_response());
    }
    let done = match filed {
        Ok(wrong_file) => take(&app, client, jar, &headers, &said, wrong_file).await,
        Err(refused) => Err(refused),
    };
    let (visit, left) = match done {
        Ok((visit, left)) => (Some(visit), left),
        Err(refused) => (
            None,
            left(&said, Faults::of_text(refused.told()), refused.status()),
        ),
    };
    lead(&app, client, &said, visit, left).await
}

/// Leads to the visit, and to what of the form is left.
async fn lead(
    app: &Shared,
    client: Client,
    said: &Fields,
    visit: Option<Visit>,
    left: Fields,
) -> ApiResult<Response> {
    let cookie = visit.as_ref().map(|visit| visit.cookie(app, &PAGES));
    let cookie = cookie.transpose()?.flatten();
    if left.is_empty() {
        forget(app, said)?;
        return Ok((cookie, Redirect::to(HERE)).into_response());
    }
    let name = said
        .page()
        .map_or_else(PageName::first, |from| Ok(from.next()))?;
    let (now, held) = (app.clock.now_ms(), left.encoded());
    // A form that could not be read belongs to no visit.
    if !said.is_empty() && app.form_pages.keep(&name, now, held.as_bytes())? {
        let there = Redirect::to(&format!("{HERE}?{PAGE}={name}"));
        return Ok((cookie, there).into_response());
    }
    let shown = match visit {
        Some(visit) => Some(receipts::show(app, visit).await?),
        None => None,
    };
    page(app, client, &left, shown, Some(&name)).await
}

fn forget(app: &Shared, said: &Fields) -> ApiResult<()> {
    let name = said.page().map(|name| app.form_pages.forget(&name));
    Ok(name.transpose().map(Option::unwrap_or_default)?)
}

/// The faults of a form, each told at its field; empty for none.
#[derive(Clone, Copy, Default)]
struct Faults<'a> {
    text: &'a str,
    files: &'a str,
}

impl<'a> Faults<'a> {
    fn of_text(text: &'a str) -> Self {
        Self { text, files: "" }
    }

    fn of_files(files: &'a str) -> Self {
        Self { text: "", files }
    }
}

/// The text to show again, and the faults.
fn left(said: &Fields, faults: Faults<'_>, status: StatusCode) -> Fields {
    let typed = ["text", "key", "code"].map(|name| (name, said.get(name)));
    let told = [
        ("wrong", faults.text),
        ("wrong_file", faults.files),
        ("status", status.as_str()),
    ];
    let answers = said.named("a.");
    let pressed = said.given("answers").map(|message| ("answers", message));
    Fields::saying(typed.into_iter().chain(told).chain(answers).chain(pressed))
}

/// The visit as it goes on, and what is left of the form.
async fn take(
    app: &Shared,
    client: Client,
    jar: Jar,
    headers: &HeaderMap,
    said: &Fields,
    wrong_file: Option<String>,
) -> ApiResult<(Visit, Fields)> {
    let left = |faults: Faults<'_>| left(said, faults, StatusCode::OK);
    if let Some(code) = said.given("code") {
        let shown = receipts::open_by_code(app, client, jar, code).await?;
        // A message that a visit which ended did not take.
        let text = said.given("text").map(|text| [("text", text)]);
        return Ok((
            shown.visit,
            text.map_or_else(Fields::default, Fields::saying),
        ));
    }
    let visit = Visit::of(app, jar, headers).await?;
    if let Some(mut wrong_file) = wrong_file {
        if wrong_file.is_empty() {
            wrong_file = told_missing(app, said).await?.unwrap_or_default();
        }
        return Ok((visit.renewed(app), left(Faults::of_files(&wrong_file))));
    }
    match press(app, client, visit, said).await {
        // The text in the box is not sent with it.
        Ok(visit) if said.given("withdraw").is_some() => Ok((visit, left(Faults::default()))),
        Ok(visit) => Ok((visit, Fields::default())),
        Err(refused) if refused.is(Kind::UNKNOWN_CODE) => Err(refused),
        Err(refused) => {
            let of_files = refused.is(Kind::FILES_MISSING);
            let at = if of_files {
                Faults::of_files
            } else {
                Faults::of_text
            };
            Ok((
                Visit::of(app, jar, headers).await?,
                left(at(refused.told())),
            ))
        }
    }
}

/// Sends the message, which may be the reason why all is to be withdrawn; or takes a file back.
async fn press(app: &Shared, client: Client, visit: Visit, said: &Fields) -> ApiResult<Visit> {
    let text = said.get("text").to_owned();
    if let Some(n) = said.given("withdraw") {
        return receipts::take_back(app, visit, n.parse().unwrap_or_default()).await;
    }
    if let Some(message) = said.given("answers") {
        let message = message.parse().unwrap_or_default();
        return receipts::send_answers(app, client, visit, message, answers(said, message)).await;
    }
    if let Some((id, given)) = said
        .given("consent")
        .and_then(|pressed| pressed.split_once(':'))
    {
        return receipts::decide(app, visit, id.parse().unwrap_or_default(), given == "1").await;
    }
    if said.given("withdrawal").is_some() {
        let reason = WithdrawalIn { reason: Some(text) };
        return receipts::withdraw(app, visit, reason).await;
    }
    let waiting = FilesField::of(app, client, said.given("conversation"), false).await?;
    let waiting = waiting.map_or_else(Vec::new, |field| field.files);
    let names: Vec<String> = waiting.into_iter().map(|(_, name, _)| name).collect();
    // A file needs no words: then the message names it.
    let text = if is_blank(&text) && !names.is_empty() {
        format!("Allego: {}", names.join(", "))
    } else {
        text
    };
    let key = said.given("key").map(str::to_owned);
    let message = ReporterMessageIn {
        text,
        key,
        attachments: shown_in(said),
    };
    receipts::send_message(app, client, visit, message).await
}

/// What was entered for the questions of a message: a field or several for each, `a.MESSAGE.KEY`.
fn answers(said: &Fields, message: i64) -> Vec<AnswerIn> {
    let mut answers: Vec<AnswerIn> = Vec::new();
    let prefix = format!("a.{message}.");
    for (name, value) in said.named(&prefix) {
        let key = &name[prefix.len()..];
        match answers.iter_mut().find(|one| one.key == key) {
            // Boxes that are ticked come one by one.
            Some(AnswerIn {
                value: Value::Array(all),
                ..
            }) => all.push(value.into()),
            _ => answers.push(AnswerIn {
                key: key.to_owned(),
                value: vec![value].into(),
            }),
        }
    }
    answers
}

async fn page(
    app: &Shared,
    client: Client,
    left: &Fields,
    shown: Option<Shown>,
    name: Option<&PageName>,
) -> ApiResult<Response> {
    let receipt = shown.as_ref().map(|shown| &shown.receipt);
    let token = receipt.and_then(|receipt| receipt.conversation.as_deref());
    let key = left.given("key").filter(|key| !key.is_empty());
    let page = FollowPage {
        sheet: Sheet::of(app).await?,
        receipt,
        left,
        key: key.map_or_else(|| Uuid::new_v4().to_string(), str::to_owned),
        files: FilesField::of(app, client, token, false).await?,
        page: name.map(ToString::to_string),
    };
    let refused = left
        .get("status")
        .parse()
        .ok()
        .filter(|_| receipt.is_none());
    let status = refused.and_then(|status| StatusCode::from_u16(status).ok());
    let answer = Rendered::of(status.unwrap_or_default(), &page)?;
    let cookie = shown.map_or(Ok(None), |shown| shown.visit.cookie(app, &PAGES))?;
    Ok((cookie, answer).into_response())
}

/// 'Esci in fretta' of a visit: the cookie goes first, and what was typed.
pub async fn leave(
    State(app): State<Shared>,
    jar: Jar,
    headers: HeaderMap,
    uri: Uri,
) -> ApiResult<Response> {
    forget(
        &app,
        &Fields::of(uri.query().unwrap_or_default().as_bytes()),
    )?;
    let settings = app.settings().await?;
    let away = Redirect::to(settings.system.exit_address().unwrap_or(HERE));
    Ok((Visit::end(&app, jar, &headers, &PAGES)?, away).into_response())
}
