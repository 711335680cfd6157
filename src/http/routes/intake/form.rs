//! The conversation without a script: one question a page, and the chat's own turns (PRODUCT.md §2). The token is a hidden field,
//! files come with the form.
//! Must never keep anything that the chat does not keep.

use askama::Template;
use axum::extract::{Request, State as Of};
use axum::http::{StatusCode, Uri};
use axum::response::Response;

use super::chat::{self, ChatBack, ChatReply, ChatTurn};
use super::uploads::{FilesField, settle_files, take_files};
use crate::domain::chat::{ChatState, QuestionKind};
use crate::domain::media::attachment::size;
use crate::files::bytes;
use crate::http::client_address::Client;
use crate::http::gate::Proof;
use crate::http::plain::{Fields, Form, Sheet};
use crate::http::problem::Challenge;
use crate::http::routes::{ApiError, ApiResult, Kind, Shared};

/// Of the ordered conversation.
const QUESTIONS: usize = 8;
/// What says that there is nothing to add.
const NOTHING: &str = "no";

/// A question; the end; in a siege, the wait before it; or that there is no such conversation.
#[derive(Template)]
#[template(path = "plain/form.html")]
struct FormPage<'a> {
    sheet: Sheet,
    reply: Option<&'a ChatReply>,
    /// The form that was sent, where it is needed again.
    said: &'a Fields,
    typed: &'a str,
    /// What was wrong with it, or with anything else.
    wrong: &'a str,
    files: Option<FilesField>,
    challenge: Option<&'a Challenge>,
}

impl<'a> FormPage<'a> {
    async fn of(app: &Shared, said: &'a Fields) -> ApiResult<Self> {
        Ok(Self {
            sheet: Sheet::of(app).await?,
            reply: None,
            said,
            typed: "",
            wrong: "",
            files: None,
            challenge: None,
        })
    }

    fn answer(&self, status: StatusCode) -> ApiResult<Response> {
        self.sheet.answer(status, self)
    }

    /// The number of an ordered question; none of a callout's.
    fn place(&self, state: &str) -> Option<usize> {
        let place = ChatState::ALL
            .iter()
            .position(|one| one.as_str() == state)?
            + 1;
        (place <= QUESTIONS && self.said.get("callout").is_empty()).then_some(place)
    }
}

fn is_long(reply: &ChatReply) -> bool {
    let long = [QuestionKind::Account, QuestionKind::Addition];
    let question = reply.question.as_ref();
    question.is_some_and(|question| long.contains(&question.kind))
}

/// The first question. Nothing counts as begun before it is answered.
pub async fn first(Of(app): Of<Shared>, uri: Uri) -> ApiResult<Response> {
    let said = Fields::of(uri.query().unwrap_or_default().as_bytes());
    let reply = match chat::first_question(&app, callout(&said)).await {
        Ok(turn) => ChatReply::new(turn),
        Err(refused) => return lost(&app, &said, &refused).await,
    };
    let page = FormPage {
        reply: Some(&ChatReply {
            conversation: String::new(),
            ..reply
        }),
        ..FormPage::of(&app, &said).await?
    };
    page.answer(StatusCode::OK)
}

/// The callout of a form; none for the usual conversation.
fn callout(said: &Fields) -> Option<String> {
    let named = said.given("callout").filter(|slug| !slug.is_empty());
    named.map(str::to_owned)
}

async fn lost(app: &Shared, said: &Fields, refused: &ApiError) -> ApiResult<Response> {
    let page = FormPage {
        wrong: refused.told(),
        ..FormPage::of(app, said).await?
    };
    page.answer(refused.status())
}

/// Takes what a page sends: an answer, files, or another of its buttons.
pub async fn answer(Of(app): Of<Shared>, client: Client, request: Request) -> ApiResult<Response> {
    // It goes on to its end also when the sender hangs up.
    let whole = tokio::spawn(async move {
        let mut form = match Form::of(request).await {
            Ok(form) => form,
            Err(refused) => return lost(&app, &Fields::default(), &refused).await,
        };
        match take(&app, client, &mut form).await {
            Err(refused) => lost(&app, &form.fields, &refused).await,
            taken => taken,
        }
    });
    whole.await.map_err(|error| ApiError::internal(&error))?
}

async fn take(app: &Shared, client: Client, form: &mut Form) -> ApiResult<Response> {
    let refused = match take_files(app, client, form).await {
        // What was said so far is there all the same.
        Err(broken) if form.fields.given("conversation").is_some() => Some(broken),
        taken => taken?,
    };
    let said = &form.fields;
    if let Some(wrong_file) = settle_files(app, said, refused.as_ref()).await? {
        let reply = put_again(app, said, said.get("state")).await?;
        return shown(app, client, said, &reply, (true, "", wrong_file)).await;
    }
    if let Some(state) = said.given("back") {
        let reply = put_again(app, said, state).await?;
        return shown(app, client, said, &reply, (false, "", "")).await;
    }
    turn(app, client, said).await
}

async fn put_again(app: &Shared, said: &Fields, state: &str) -> ApiResult<ChatReply> {
    let asked = ChatBack {
        conversation: said.get("conversation").to_owned(),
        state: state.to_owned(),
    };
    chat::put_again(app, asked).await
}

async fn turn(app: &Shared, client: Client, said: &Fields) -> ApiResult<Response> {
    let chosen = said.all("choice").collect::<Vec<_>>().join("\n");
    let text = match (said.given("skip"), &*chosen) {
        (Some(skip), _) => skip,
        (None, "") => said.get("text"),
        (None, chosen) => chosen,
    };
    let last = said.get("state") == ChatState::CollectReport.as_str();
    let nothing = last && text.trim().is_empty();
    let conversation = match said.get("conversation") {
        "" => chat::begin(app, callout(said)).await?.conversation,
        conversation => conversation.to_owned(),
    };
    let turn = ChatTurn {
        conversation,
        text: if nothing { NOTHING } else { text }.to_owned(),
        // Where the browser waited, the salt alone.
        proof: said.given("salt").and_then(Proof::parse),
    };
    match chat::take_turn(Shared::clone(app), client, turn).await {
        Ok(reply) => {
            let texts = (reply.rule.is_refusal(), reason(&reply), "");
            shown(app, client, said, &reply, texts).await
        }
        Err(refused) if refused.challenge().is_some() => {
            let page = FormPage {
                challenge: refused.challenge(),
                ..FormPage::of(app, said).await?
            };
            page.answer(refused.status())
        }
        Err(refused) if refused.status().is_server_error() || refused.is(Kind::TOO_MUCH) => {
            let reply = put_again(app, said, said.get("state")).await?;
            shown(app, client, said, &reply, (true, refused.told(), "")).await
        }
        Err(refused) => Err(refused),
    }
}

/// Why an answer was refused, else the sentence that says so; empty where it was taken.
fn reason(reply: &ChatReply) -> &str {
    let mut spoken = reply.messages.iter().filter(|message| !message.hold);
    let sentence = spoken.next_back().filter(|_| reply.rule.is_refusal());
    let sentence = sentence.map(|message| &*message.text);
    reply.reason.as_deref().or(sentence).unwrap_or_default()
}

/// What came of a turn, or the question as it stands; `keeps` what was typed in its box.
async fn shown(
    app: &Shared,
    client: Client,
    said: &Fields,
    reply: &ChatReply,
    (keeps, wrong, wrong_file): (bool, &str, &str),
) -> ApiResult<Response> {
    let typed = if keeps { said.get("text") } else { "" };
    let token = is_long(reply).then_some(&*reply.conversation);
    let page = FormPage {
        reply: Some(reply),
        typed: reply.prefill.as_deref().unwrap_or(typed),
        wrong,
        files: FilesField::of(app, client, token, wrong_file).await?,
        ..FormPage::of(app, said).await?
    };
    page.answer(StatusCode::OK)
}
