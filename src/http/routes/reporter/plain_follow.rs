//! The reporter's return without a script: code, progress, messages and files, by forms (PRODUCT.md §5).
//! Must never keep a code: the cookie of these pages alone holds it.

use askama::Template;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse as _, Redirect, Response};
use serde_json::Value;
use uuid::Uuid;

use super::receipts::{self, Receipt, Shown};
use crate::domain::asked::{AnswerIn, Consent, ConsentKind};
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
use crate::http::routes::{ApiError, ApiResult, Kind, Shared};
use crate::http::visit::{PAGES, Visit};

const HERE: &str = "/paibeta/seguito";
/// How the names of what was wrong with answers begin.
const ANSWERS: &str = "answers.";

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
        if self.is_left(message) {
            let name = field_of(message, question);
            return self.left.all(&name).map(str::to_owned).collect();
        }
        match message.answer_to(question) {
            None => Vec::new(),
            Some(one) if question.kind.has_choices() => {
                one.chosen().into_iter().map(str::to_owned).collect()
            }
            Some(one) => vec![one.text.clone()],
        }
    }

    /// Whether answers to a message were entered and not taken.
    fn is_left(&self, message: &Message) -> bool {
        self.left.get("answers") == message.id.to_string()
    }

    /// Why the answers to a message were not taken; empty for no reason, and for one that stands at a question.
    fn refusal(&self, message: &Message) -> &str {
        let at_questions = self.left.named(ANSWERS).next().is_some();
        if self.is_left(message) && !at_questions {
            self.left.get("wrong")
        } else {
            ""
        }
    }

    /// Why the answer to a question was not taken; empty for no reason.
    fn fault(&self, message: &Message, question: &CalloutQuestion) -> &str {
        let name = format!("{ANSWERS}{}", question.key);
        if self.is_left(message) {
            self.left.get(&name)
        } else {
            ""
        }
    }

    /// The questions whose answers were not taken.
    fn wrong_questions<'a>(&self, message: &'a Message) -> Vec<&'a CalloutQuestion> {
        let wrong = |one: &&CalloutQuestion| !self.fault(message, one).is_empty();
        message.questions.iter().filter(wrong).collect()
    }

    /// What stands in the box of the message: what was typed there, and what came too late as an answer.
    fn to_tell(&self) -> String {
        let messages = self.receipt.iter().flat_map(|one| &one.told.messages);
        let late = messages.filter(|one| one.is_closed() && self.is_left(one));
        let late = late.flat_map(|message| {
            let said = |question| self.told_late(message, question);
            message.questions.iter().filter_map(said)
        });
        let typed = Some(self.left.get("text").to_owned()).filter(|text| !text.is_empty());
        typed
            .into_iter()
            .chain(late)
            .collect::<Vec<_>>()
            .join("\n\n")
    }

    /// A question and what was entered for it, in words.
    fn told_late(&self, message: &Message, question: &CalloutQuestion) -> Option<String> {
        let entered = self.entered(message, question);
        let options = question.choices();
        let words = entered.iter().map(|entered| {
            let chosen = options.iter().find(|option| option.key == *entered);
            chosen.map_or(entered.as_str(), |option| &option.text)
        });
        let words = words.collect::<Vec<_>>().join(", ");
        (!is_blank(&words)).then(|| format!("{}\n{words}", question.text))
    }

    /// Why the message was not taken; empty for no reason.
    fn wrong(&self) -> &str {
        let answered = self.left.given("answers").is_some();
        if answered { "" } else { self.left.get("wrong") }
    }

    /// Of each kind the consent that was decided last, else the one that was asked for last.
    fn consents(&self) -> Vec<&Consent> {
        let messages = self.receipt.iter().flat_map(|one| &one.told.messages);
        let all: Vec<&Consent> = messages.filter_map(|one| one.consent.as_ref()).collect();
        let of_kind = |kind| {
            let of_kind = all.iter().copied().filter(move |one| one.kind == kind);
            of_kind.max_by_key(|one| one.answered)
        };
        ConsentKind::ALL.into_iter().filter_map(of_kind).collect()
    }

    /// What was said to a consent last, and when.
    fn decided(&self, consent: &Consent) -> String {
        let Some((given, at)) = consent.given.zip(consent.answered) else {
            return "Non hai ancora risposto.".to_owned();
        };
        let at = self.sheet.moment(at);
        match consent.given_at {
            _ if given => format!("Hai detto sì il {at}."),
            Some(_) => format!("Hai ritirato il consenso il {at}."),
            None => format!("Hai detto no il {at}."),
        }
    }

    /// What was typed and not sent: it comes back once the code is given.
    fn unsent(&self) -> Vec<(&str, &str)> {
        typed(self.left).collect()
    }
}

/// What a consent is to, and what it means.
const fn told_of(consent: &Consent) -> (&'static str, &'static str) {
    match consent.kind {
        ConsentKind::Ricontatto => (
            "Farti ricontattare",
            "La redazione può chiamarti o scriverti ai recapiti che le hai dato.",
        ),
        ConsentKind::Nome => (
            "Dire il tuo nome",
            "Il tuo nome può comparire in quello che pubblichiamo.",
        ),
        ConsentKind::Voce => (
            "Far sentire la tua voce",
            "La tua voce si può sentire in quello che pubblichiamo.",
        ),
        ConsentKind::Volto => (
            "Mostrare il tuo volto",
            "Il tuo volto si può vedere in quello che pubblichiamo.",
        ),
        ConsentKind::Documenti => (
            "Pubblicare i tuoi documenti",
            "I documenti che ci hai mandato si possono vedere in quello che pubblichiamo.",
        ),
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
        Err(refused) => (None, left(&said, Faults::of(&refused), refused.status())),
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
        // Answers stand anywhere among the messages.
        let place = said.given("answers").map_or("", |_| "#wrong");
        let there = Redirect::to(&format!("{HERE}?{PAGE}={name}{place}"));
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
    /// Of the form and of its questions.
    refused: Option<&'a ApiError>,
}

impl<'a> Faults<'a> {
    fn of(refused: &'a ApiError) -> Self {
        Self {
            text: refused.told(),
            refused: Some(refused),
            ..Self::default()
        }
    }

    fn of_files(files: &'a str) -> Self {
        Self {
            files,
            ..Self::default()
        }
    }
}

/// What was typed, to be shown again.
fn typed(said: &Fields) -> impl Iterator<Item = (&str, &str)> {
    let text = said.given("text").filter(|text| !text.is_empty());
    let text = text.map(|text| ("text", text));
    let pressed = said.given("answers").map(|message| ("answers", message));
    text.into_iter().chain(said.named("a.")).chain(pressed)
}

/// What was typed, and the faults.
fn left(said: &Fields, faults: Faults<'_>, status: StatusCode) -> Fields {
    let kept = ["key", "code"].map(|name| (name, said.get(name)));
    let told = [
        ("wrong", faults.text),
        ("wrong_file", faults.files),
        ("status", status.as_str()),
    ];
    let of_fields = faults.refused.into_iter().flat_map(ApiError::fields);
    let of_answers = of_fields
        .map(|(name, told)| (name.as_str(), told.as_str()))
        .filter(|(name, _)| name.starts_with(ANSWERS));
    Fields::saying(typed(said).chain(kept).chain(told).chain(of_answers))
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
        // A visit which ended did not take it.
        return Ok((shown.visit, Fields::saying(typed(said))));
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
            let faults = if refused.is(Kind::FILES_MISSING) {
                Faults::of_files(refused.told())
            } else {
                Faults::of(&refused)
            };
            Ok((Visit::of(app, jar, headers).await?, left(faults)))
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

/// What was entered for the questions of a message: a field or several for each, `a.MESSAGE.KEY`. An empty one skips its question
/// only where the page showed an answer (`had.MESSAGE`): another page may have answered it since.
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
    let had: Vec<&str> = said.all(&format!("had.{message}")).collect();
    answers.retain(|one| had.contains(&&*one.key) || one.value != Value::from(vec![""]));
    for key in had {
        if !answers.iter().any(|one| one.key == key) {
            answers.push(AnswerIn {
                key: key.to_owned(),
                value: Value::Null,
            });
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
