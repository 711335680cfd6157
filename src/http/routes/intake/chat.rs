//! The conversation: begin it, answer a turn, store the report that ends it.
//! Must never keep anything of an unfinished conversation, nor answer the last turn before the report is on disk.

use std::borrow::Cow;
use std::sync::Arc;

use axum::extract::State as Of;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::actions::intake::attachments::drop_all_waiting;
use crate::actions::intake::converse::{
    self, CalloutMark, ChatAnswer, ChatOutcome, HeldConversation,
};
use crate::actions::intake::submit_report::RoutedAccount;
use crate::actions::settings::in_force::InForce;
use crate::actions::{SENT, callouts};
use crate::domain::calendar::local_date;
use crate::domain::chat::{CalloutVersion, OpenQuestion, Rule, Rules, SummaryLine};
use crate::http::client_address::Client;
use crate::http::gate::{Proof, Sender};
use crate::http::intake::{prove, routing_memory, store_report};
use crate::http::json::TURN_BYTES;
use crate::http::missing_files::{named, refuse_missing};
use crate::http::routes::{Answer, ApiError, ApiResult, App, Json, Shared};
use crate::vault::{ReceiptCode, Vault};

const NO_CALLOUT: &str =
    "Questa inchiesta non c'è. Controlla l'indirizzo: forse non è ancora aperta.";

/// Beginning of a conversation: an empty object, or the name of a callout.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ChatStart {
    /// Name in the address of a callout; absent for the usual conversation.
    #[serde(default)]
    pub callout: Option<String>,
}

/// One thing the reporter says.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ChatTurn {
    /// The token of the answer before.
    pub conversation: String,
    /// The reporter's text.
    pub text: String,
    /// The answer to the challenge of a 428, sent together with the repeated turn.
    pub proof: Option<Proof>,
    /// Ids of the attached files that the page shows, which are the last part of their upload addresses. The last turn
    /// sends exactly these files, and all of them must exist.
    pub attachments: Option<Vec<String>>,
}

/// An answer that is to be corrected.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ChatBack {
    /// The token of the answer before.
    pub conversation: String,
    /// The question to put again, by its name.
    pub state: String,
}

/// One bubble.
#[derive(Debug, Serialize, ToSchema)]
pub struct ChatMessage {
    /// Always `bot`.
    #[serde(rename = "type")]
    #[schema(example = "bot")]
    pub kind: &'static str,
    /// Its text.
    pub text: String,
    /// Whether the page keeps the message in view because it names sources of help.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub hold: bool,
}

/// The assistant's answer.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChatReply {
    /// Token of the conversation, to be sent with the next turn; empty when it is over.
    pub conversation: String,
    /// Where the conversation stands: a state, or `question:` and the key of a question of a callout.
    #[schema(example = "age_check")]
    pub state: String,
    /// The bubbles.
    pub messages: Vec<ChatMessage>,
    /// Whether it is over.
    pub finished: bool,
    /// Id of the report that was saved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub report_id: Option<String>,
    /// The code by which the reporter can return, which only this answer contains; absent if receipts are switched off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receipt: Option<String>,
    /// The rule that decided the turn.
    pub rule: Rule,
    /// Why the answer was refused, beside the sentence among the bubbles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The newsroom's advice for a reporter who cannot give a required datum, from the second refusal on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unable: Option<String>,
    /// The answers that were taken, where they are not what was typed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub understood: Vec<SummaryLine>,
    /// The question that is open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<OpenQuestion>,
    /// The text to prefill when the question for the account is asked, because the reporter told it earlier.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefill: Option<String>,
    /// The answers that will be sent, while the last question is open.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub summary: Vec<SummaryLine>,
    /// Whether the conversation has named sources of help, whose numbers then stay on the page.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub helped: bool,
}

impl ChatReply {
    /// Whether the numbers of help stand on the page without the words about them.
    pub fn reminds(&self) -> bool {
        self.helped && self.messages.iter().all(|message| !message.hold)
    }

    /// The answer to a turn, once what it ended with is on disk.
    pub(in crate::http::routes) fn new(turn: ChatAnswer) -> Self {
        let (conversation, report_id, receipt) = match turn.next {
            ChatOutcome::Continue(token) => (Some(token), None, None),
            ChatOutcome::Closed(_) => (None, None, None),
            ChatOutcome::Report(submission) => {
                let code = submission.receipt.map(|code| code.to_string());
                (None, Some(submission.id), code)
            }
        };
        let replies = turn.replies.into_iter().enumerate();
        let messages = replies.map(|(at, text)| ChatMessage {
            kind: "bot",
            text,
            hold: turn.hold.contains(&at),
        });
        Self {
            finished: conversation.is_none(),
            conversation: conversation.unwrap_or_default(),
            state: turn.state,
            messages: messages.collect(),
            report_id,
            receipt,
            rule: turn.rule,
            reason: turn.reason,
            unable: turn.unable,
            understood: turn.understood,
            question: turn.question,
            prefill: turn.prefill,
            summary: turn.summary,
            helped: turn.helped,
        }
    }
}

/// Begins a conversation. With the name of a callout it answers 404 if there is no such callout, and 409 with the
/// callout's notice if it is not open.
#[utoipa::path(post, path = "/chat", tag = "pubblico", request_body = ChatStart,
    responses((status = 200, body = ChatReply)))]
pub async fn start(
    Of(app): Of<Shared>,
    Json(ChatStart { callout }): Json<ChatStart, TURN_BYTES>,
) -> Answer<ChatReply> {
    begin(&app, callout).await.map(Json)
}

/// The first question of a conversation, which counts as begun.
pub async fn begin(app: &Shared, callout: Option<String>) -> ApiResult<ChatReply> {
    let turn = first_question(app, callout).await?;
    let callout = turn.callout.as_deref().unwrap_or_default();
    app.visitors.stops.began(today(app), callout);
    app.metrics.conversations.inc();
    Ok(ChatReply::new(turn))
}

pub async fn first_question(app: &Shared, callout: Option<String>) -> ApiResult<ChatAnswer> {
    let settings = app.settings().await?;
    let now = app.clock.now_ms();
    let Some(slug) = callout else {
        return Ok(converse::begin(
            &settings.rules,
            &app.vault,
            now,
            &app.time_zone,
        )?);
    };
    let shown = app.read(move |_, snapshot| callouts::shown(snapshot, &slug, now));
    let none = || ApiError::not_there(NO_CALLOUT);
    let (version, closed) = shown.await?.ok_or_else(none)?;
    if let Some(words) = closed {
        return Err(ApiError::closed(words));
    }
    let rules = settings.rules.of_callout(&Arc::new(version));
    Ok(converse::begin(&rules, &app.vault, now, &app.time_zone)?)
}

/// Answers one turn of the conversation. The last turn stores the report before it is answered. In siege mode the last
/// turn is refused with 428 and a `challenge` until it is sent with the `proof`. If `attachments` names files that no
/// longer exist, it is refused with 409 and their names in `missing`.
#[utoipa::path(post, path = "/chat/turns", tag = "pubblico", request_body = ChatTurn,
    responses((status = 200, body = ChatReply)))]
pub async fn turn(
    Of(app): Of<Shared>,
    client: Client,
    Json(said): Json<ChatTurn, TURN_BYTES>,
) -> Answer<ChatReply> {
    take_turn(app, client, said).await.map(Json)
}

/// The answer to a turn; where it is the last one, once the report is on disk.
pub async fn take_turn(app: Shared, client: Client, said: ChatTurn) -> ApiResult<ChatReply> {
    let token = Vault::token_hash(&said.conversation);
    let now = app.clock.now_ms();
    let proof = said.proof;
    let shown = said.attachments;
    let code = code_of(&app, &said.conversation, shown.as_deref()).await;
    let (mut answered, begun) = answered(&app, said.conversation, said.text).await?;
    if let ChatOutcome::Closed(conversation) = &answered.next {
        drop_files(&app, conversation.clone()).await?;
    }
    let ChatOutcome::Report(submission) = &mut answered.next else {
        return Ok(counted(&app, token, answered));
    };
    submission.shown.clone_from(&shown);
    let shown = code.zip(shown);
    if let Some((code, ids)) = &shown {
        refuse_unsent(&app, submission.id.clone(), code, ids).await?;
    }
    let client = client.in_conversation(&app.vault, &submission.id);
    if app.siege.is_on() {
        let sender = Sender {
            client,
            conversation: token,
            first: client.is_onion() && app.siege.began_after(begun),
            now,
        };
        prove(&app, sender, proof.as_ref()).await?;
    }
    // It goes on to its end also when the sender hangs up.
    let whole = tokio::spawn(finish(Shared::clone(&app), client, token, answered));
    let done = whole.await.map_err(|error| ApiError::internal(&error))?;
    match &shown {
        Some((code, ids)) => named(&app, code, ids, done).await,
        None => done,
    }
}

/// The code of a conversation's receipt, where its page shows files.
async fn code_of(app: &Shared, token: &str, shown: Option<&[String]>) -> Option<ReceiptCode> {
    shown.filter(|ids| !ids.is_empty())?;
    let token = token.to_owned();
    let code = app.weigh(token.len(), move |app| {
        converse::receipt_of(&app.vault, &token, app.clock.now_ms())
    });
    // Whatever is wrong with the token, the turn says so.
    code.await.ok()
}

/// Refuses a last turn whose files are not all there, unless it was sent already.
async fn refuse_unsent(
    app: &Shared,
    report: String,
    code: &ReceiptCode,
    shown: &[String],
) -> ApiResult<()> {
    let sent = app.read(move |_, snapshot| snapshot.sent(&report));
    match sent.await? {
        Some(_) => Ok(()),
        None => refuse_missing(app, code, shown).await,
    }
}

/// The engine's answer, and when (ms) the conversation began; an account is routed beside it.
async fn answered(
    app: &Shared,
    conversation: String,
    text: String,
) -> ApiResult<(ChatAnswer, i64)> {
    // Before the settings, so that these are at least as new.
    let revision = app.store.revision();
    let settings = app.settings().await?;
    let weight = conversation.len() + text.len();
    let (held, callout) = resume(app, conversation).await?;
    let (ended, begun) = (app.ended.has(held.mark()), held.begun());
    // Where it cannot be read, the last turn routes.
    let memory = routing_memory(app, revision).await.ok();
    let answered = app.weigh(weight, move |app| {
        let rules = rules_of(&settings, callout);
        converse::answer(&rules, &app.vault, held, &text, |account| {
            let memory = memory?;
            Some(RoutedAccount {
                basis: (settings.routing, memory.mark),
                analysis: settings.router.route(&memory, account),
            })
        })
    });
    let answered = answered.await?;
    // The last turn alone is answered once more.
    if ended && !matches!(answered.next, ChatOutcome::Report(_)) {
        return Err(SENT.into());
    }
    Ok((answered, begun))
}

/// The conversation of a token, and the version of the callout that it is of.
async fn resume(
    app: &Shared,
    token: String,
) -> ApiResult<(HeldConversation, Option<Arc<CalloutVersion>>)> {
    let held = app.weigh(token.len(), move |app| {
        HeldConversation::open(&app.vault, &token, app.clock.now_ms())
    });
    let held = held.await?;
    if app.waiting.any() {
        app.waiting.spoke(&held.report(&app.vault)?);
    }
    let Some(CalloutMark { id, version, .. }) = held.callout().cloned() else {
        return Ok((held, None));
    };
    let version = app.read(move |_, snapshot| callouts::version_of(snapshot, &id, version));
    Ok((held, Some(version.await?)))
}

/// The rules of a conversation.
fn rules_of(settings: &InForce, callout: Option<Arc<CalloutVersion>>) -> Cow<'_, Rules> {
    let usual = Cow::Borrowed(&settings.rules);
    callout.map_or(usual, |version| {
        Cow::Owned(settings.rules.of_callout(&version))
    })
}

/// Nothing stays of a minor's conversation: a correction may have come after the files.
async fn drop_files(app: &Shared, conversation: String) -> ApiResult<()> {
    let id = conversation.clone();
    let begun = app.read(move |_, snapshot| snapshot.attachments_begun(&id));
    if begun.await? == 0 {
        return Ok(());
    }
    let dropped = app.change(move |act| drop_all_waiting(act, &conversation));
    dropped.await
}

async fn finish(
    app: Shared,
    client: Client,
    token: [u8; 16],
    turn: ChatAnswer,
) -> ApiResult<ChatReply> {
    let turn = match turn.next {
        ChatOutcome::Report(submission) => ChatAnswer {
            next: ChatOutcome::Report(store_report(&app, client, submission).await?),
            ..turn
        },
        _ => turn,
    };
    Ok(counted(&app, token, turn))
}

/// The answer to a turn, which counts.
fn counted(app: &App, token: [u8; 16], turn: ChatAnswer) -> ChatReply {
    let callout = turn.callout.as_deref().unwrap_or_default();
    app.visitors
        .stops
        .turned(today(app), token, callout, turn.asked, turn.rule);
    app.metrics.turns.inc();
    ChatReply::new(turn)
}

/// Repeats an earlier question so that its answer can be corrected. Nothing is stored.
#[utoipa::path(post, path = "/chat/back", tag = "pubblico", request_body = ChatBack,
    responses((status = 200, body = ChatReply)))]
pub async fn back(
    Of(app): Of<Shared>,
    Json(asked): Json<ChatBack, TURN_BYTES>,
) -> Answer<ChatReply> {
    put_again(&app, asked).await.map(Json)
}

/// An earlier question again, or the open one.
pub async fn put_again(app: &Shared, asked: ChatBack) -> ApiResult<ChatReply> {
    let settings = app.settings().await?;
    let weight = asked.conversation.len();
    let (held, callout) = resume(app, asked.conversation).await?;
    if app.ended.has(held.mark()) {
        return Err(SENT.into());
    }
    let turn = app.weigh(weight, move |app| {
        converse::back(
            &rules_of(&settings, callout),
            &app.vault,
            held,
            &asked.state,
        )
    });
    turn.await.map(ChatReply::new)
}

pub(in crate::http::routes) fn today(app: &App) -> Date {
    local_date(app.clock.now_ms(), &app.time_zone)
}
