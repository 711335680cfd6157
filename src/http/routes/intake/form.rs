//! The conversation without a script: one question a page, and the chat's own turns (PRODUCT.md §2). The token is a hidden field,
//! files come with the form, and each form leads on to a page with an address.
//! Must never keep anything that the chat does not keep, but a page for its own browser.

use std::cmp::Reverse;

use askama::Template;
use axum::extract::{Request, State as Of};
use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse as _, Redirect, Response};

use super::chat::{self, ChatBack, ChatReply, ChatTurn};
use super::form_files::{FilesField, shown_in, take_form, told_missing};
use crate::domain::chat::{ChatState, QuestionKind, Rule};
use crate::domain::media::attachment::size;
use crate::files::bytes;
use crate::http::client_address::Client;
use crate::http::form_pages::PageName;
use crate::http::gate::Proof;
use crate::http::plain::{Fields, PAGE, Rendered, Sheet};
use crate::http::routes::{ApiError, ApiResult, Kind, Shared};

const HERE: &str = "/paibeta/modulo";
/// The answer that there is nothing to add.
const NOTHING: &str = "no";

/// A question, or the end; else why there is none: a callout that is over, a siege that asks to wait, a broken conversation.
#[derive(Template)]
#[template(path = "plain/form.html")]
struct FormPage<'a> {
    sheet: Sheet,
    asked: &'a ApiResult<Asked>,
    /// The form that was sent, where it is needed again.
    said: &'a Fields,
    /// The addition that was being written while an earlier answer is corrected.
    aside: &'a str,
    files: Option<FilesField>,
    /// Its own address, where it has one; of a page that is gone, the last of the conversation.
    page: Option<String>,
}

/// A question, what stands in its box, and what is wrong with that and with the files: empty for nothing.
struct Asked {
    reply: ChatReply,
    typed: String,
    wrong: String,
    wrong_file: String,
}

impl Asked {
    fn of(reply: ChatReply, typed: &str) -> Self {
        Self {
            typed: reply.prefill.as_deref().unwrap_or(typed).to_owned(),
            wrong: String::new(),
            wrong_file: String::new(),
            reply,
        }
    }

    fn is_long(&self) -> bool {
        let question = self.reply.question.as_ref();
        let long = [QuestionKind::Account, QuestionKind::Addition];
        question.is_some_and(|question| long.contains(&question.kind))
    }

    /// Which options the answer is made of, where it is several.
    fn ticks(&self) -> Vec<&str> {
        let options = self
            .reply
            .question
            .iter()
            .flat_map(|question| &question.options);
        let mut options: Vec<&str> = options.map(|option| &*option.text).collect();
        // 'Sì' stands in 'Sì, ma dopo' too.
        options.sort_by_key(|option| Reverse(option.len()));
        let mut rest = format!(", {}, ", self.typed);
        options.retain(|option| {
            let listed = format!(", {option}, ");
            let found = rest.contains(&listed);
            rest = rest.replacen(&listed, ", ", 1);
            found
        });
        options
    }
}

impl FormPage<'_> {
    /// Whether the end for minors was taken back before: that is done once.
    fn undone(&self) -> bool {
        self.said
            .given("undo")
            .or(self.said.given("undone"))
            .is_some()
    }
}

/// The page at an address; without one the first question. Nothing counts as begun before that is answered.
pub async fn show(Of(app): Of<Shared>, client: Client, uri: Uri) -> ApiResult<Response> {
    let said = Fields::of(uri.query().unwrap_or_default().as_bytes());
    if said.given(PAGE).is_some() {
        return held(&app, client, &said).await;
    }
    let asked = chat::first_question(&app, callout(&said))
        .await
        .map(|turn| {
            let mut reply = ChatReply::new(turn);
            reply.conversation.clear();
            Asked::of(reply, "")
        });
    let first = page(&app, client, &said, &asked, None).await?;
    Ok(first.into_response())
}

async fn held(app: &Shared, client: Client, said: &Fields) -> ApiResult<Response> {
    let now = app.clock.now_ms();
    let (mut last, name) = (None, said.page());
    if let Some(name) = name {
        if let Some(held) = app.form_pages.open(&name, now)? {
            return Rendered::from_bytes(&held).map(Rendered::into_response);
        }
        last = app.form_pages.last(name, now)?;
    }
    let gone = Err(Kind::PAGE_GONE.into());
    let gone = page(app, client, said, &gone, last.as_ref()).await?;
    Ok(gone.into_response())
}

/// 'Esci in fretta': the pages go first.
pub async fn leave(Of(app): Of<Shared>, uri: Uri) -> ApiResult<Redirect> {
    let said = Fields::of(uri.query().unwrap_or_default().as_bytes());
    if let Some(name) = said.page() {
        app.form_pages.forget(&name)?;
    }
    let settings = app.settings().await?;
    let away = settings.system.exit_address();
    Ok(Redirect::to(away.unwrap_or(HERE)))
}

/// The callout of a form; none for the usual conversation.
fn callout(said: &Fields) -> Option<String> {
    let named = said.given("callout").filter(|slug| !slug.is_empty());
    named.map(str::to_owned)
}

/// Takes what a page sends: an answer, files, or another of its buttons. The browser is led to what comes of it.
pub async fn answer(Of(app): Of<Shared>, client: Client, request: Request) -> ApiResult<Response> {
    let mut said = Fields::default();
    let mut asked = take(&app, client, request, &mut said).await;
    if let Ok(asked) = &mut asked {
        tell_missing(&app, &said, asked).await?;
    }
    let from = said.page();
    let ended = asked.as_ref().is_ok_and(|asked| asked.reply.finished);
    if let Some(from) = &from {
        if ended {
            // Who goes back finds nothing of it.
            app.form_pages.forget(from)?;
        } else {
            keep_typed(&app, client, &said, from).await?;
        }
    }
    let name = from.map_or_else(PageName::first, |from| Ok(from.next()))?;
    let made = page(&app, client, &said, &asked, Some(&name)).await?;
    let now = app.clock.now_ms();
    // A form that could not be read belongs to no conversation.
    if said.is_empty() || !app.form_pages.keep(&name, now, &made.to_bytes())? {
        return Ok(made.into_response());
    }
    Ok(Redirect::to(&format!("{HERE}?{PAGE}={name}")).into_response())
}

/// Says at the files of a page which of those that were shown before are gone.
async fn tell_missing(app: &Shared, said: &Fields, asked: &mut Asked) -> ApiResult<()> {
    if !asked.reply.finished && asked.is_long() && asked.wrong_file.is_empty() {
        asked.wrong_file = told_missing(app, said).await?.unwrap_or_default();
    }
    Ok(())
}

/// Who goes back to the page finds in its box what was sent from there.
async fn keep_typed(app: &Shared, client: Client, said: &Fields, from: &PageName) -> ApiResult<()> {
    if said.get("text").is_empty() {
        return Ok(());
    }
    // If there is no conversation, the answer itself says so.
    if let Ok(stands) = put_again(app, said, said.get("state")).await {
        let asked = Ok(Asked::of(stands, said.get("text")));
        let stood = said.without("back");
        let made = page(app, client, &stood, &asked, Some(from)).await?;
        let now = app.clock.now_ms();
        app.form_pages.keep(from, now, &made.to_bytes())?;
    }
    Ok(())
}

async fn take(
    app: &Shared,
    client: Client,
    request: Request,
    said: &mut Fields,
) -> ApiResult<Asked> {
    if let Some(wrong_file) = take_form(app, client, request, said).await? {
        let stands = put_again(app, said, said.get("state")).await?;
        return Ok(Asked {
            wrong_file,
            ..Asked::of(stands, said.get("text"))
        });
    }
    if said.given("undo").is_some() {
        return ask_age(app, said).await;
    }
    let Some(state) = said.given("back") else {
        return turn(app, client, said).await;
    };
    // The answer that stands, as the last question sums it up.
    let stands = put_again(app, said, said.get("state")).await?;
    let line = stands.summary.iter().find(|line| line.state == state);
    let reply = put_again(app, said, state).await?;
    Ok(Asked::of(reply, line.map_or("", |line| &line.text)))
}

/// 'Ho sbagliato: sono maggiorenne': the first answer had begun the conversation.
async fn ask_age(app: &Shared, said: &Fields) -> ApiResult<Asked> {
    let reply = match said.get("conversation") {
        "" => chat::begin(app, callout(said)).await?,
        _ => put_again(app, said, ChatState::AgeCheck.as_str()).await?,
    };
    Ok(Asked::of(reply, ""))
}

async fn put_again(app: &Shared, said: &Fields, state: &str) -> ApiResult<ChatReply> {
    let asked = ChatBack {
        conversation: said.get("conversation").to_owned(),
        state: state.to_owned(),
    };
    chat::put_again(app, asked).await
}

/// The button that was pressed, else the text. The last question may stay empty.
fn answer_of(said: &Fields) -> String {
    let chosen: Vec<&str> = said.all("choice").collect();
    let last = said.get("state") == ChatState::CollectReport.as_str();
    match (said.given("skip"), said.get("text")) {
        (Some(skip), _) => skip.to_owned(),
        _ if !chosen.is_empty() => chosen.join("\n"),
        (_, nothing) if last && nothing.trim().is_empty() => NOTHING.to_owned(),
        (_, text) => text.to_owned(),
    }
}

async fn turn(app: &Shared, client: Client, said: &Fields) -> ApiResult<Asked> {
    let conversation = match said.get("conversation") {
        "" => chat::begin(app, callout(said)).await?.conversation,
        conversation => conversation.to_owned(),
    };
    let turn = ChatTurn {
        conversation,
        text: answer_of(said),
        // Where the browser waited, the salt alone.
        proof: said.given("salt").and_then(Proof::parse),
        attachments: shown_in(said),
    };
    match chat::take_turn(Shared::clone(app), client, turn).await {
        Ok(reply) => answered(app, said, reply).await,
        // The page names missing files beside the others.
        Err(refused) if refused.is(Kind::FILES_MISSING) => {
            let stands = put_again(app, said, said.get("state")).await?;
            Ok(Asked::of(stands, said.get("text")))
        }
        Err(refused) if refused.status().is_server_error() || refused.is(Kind::TOO_MUCH) => {
            let stands = put_again(app, said, said.get("state")).await?;
            let wrong = refused.told().to_owned();
            Ok(Asked {
                wrong,
                ..Asked::of(stands, said.get("text"))
            })
        }
        Err(refused) => Err(refused),
    }
}

/// The page after a turn that was answered: what was typed stays where it was refused.
async fn answered(app: &Shared, said: &Fields, mut reply: ChatReply) -> ApiResult<Asked> {
    let question = reply.question.as_ref();
    let own = question.is_some_and(|question| question.key.is_some());
    let wrong = reason(&reply).to_owned();
    if own && reply.rule.is_refusal() {
        // The refusal alone does not say what was asked.
        let asked = put_again(app, said, &reply.state).await?.messages;
        reply.messages.splice(..0, asked);
    }
    let typed = if wrong.is_empty() {
        ""
    } else {
        said.get("text")
    };
    Ok(Asked {
        wrong,
        ..Asked::of(reply, typed)
    })
}

/// Why an answer was refused, else the sentence that says so; empty where it was taken.
fn reason(reply: &ChatReply) -> &str {
    let mut spoken = reply.messages.iter().filter(|message| !message.hold);
    let sentence = spoken.next_back().filter(|_| reply.rule.is_refusal());
    let sentence = sentence.map(|message| &*message.text);
    reply.reason.as_deref().or(sentence).unwrap_or_default()
}

async fn page(
    app: &Shared,
    client: Client,
    said: &Fields,
    asked: &ApiResult<Asked>,
    name: Option<&PageName>,
) -> ApiResult<Rendered> {
    let left = said.given("back").and(said.given("text"));
    let long = asked.as_ref().ok().filter(|asked| asked.is_long());
    let token = long.map(|asked| &*asked.reply.conversation);
    let shows = shown_in(said).is_some_and(|ids| !ids.is_empty());
    let files = FilesField::of(app, client, token, shows).await?;
    let page = FormPage {
        files,
        sheet: Sheet::of(app).await?,
        asked,
        said,
        aside: said.given("aside").or(left).unwrap_or_default(),
        page: name.map(ToString::to_string),
    };
    let status = asked
        .as_ref()
        .map_or_else(ApiError::status, |_| StatusCode::OK);
    Rendered::of(status, &page)
}
