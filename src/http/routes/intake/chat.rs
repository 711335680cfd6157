//! The conversation: begin it, answer a turn, store the report that ends it.
//! Must never keep anything of an unfinished conversation, nor answer the last turn before the report is on disk.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::State as Of;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::actions;
use crate::actions::access::log_access::Actor;
use crate::actions::intake::attachments::drop_all_waiting;
use crate::actions::intake::converse;
use crate::actions::intake::converse::{Next, Turn};
use crate::actions::intake::siege::{count_report, set_aside};
use crate::actions::intake::submit_report::{Ready, Routed, Submission, submit};
use crate::domain::calendar::local_date;
use crate::domain::chat::{Line, Rule, State};
use crate::domain::report::Origine;
use crate::domain::routing::Memory;
use crate::domain::text;
use crate::http::client_address::Client;
use crate::http::gate::{Proof, Sender};
use crate::http::json::{Json, TURN_BYTES};
use crate::http::problem::{ApiError, ApiResult, Kind};
use crate::http::routes::Answer;
use crate::http::state::{App, Shared};
use crate::store::{self, Snapshot, Undo};
use crate::vault::Vault;

/// Beginning of a conversation: an empty object.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ChatStart {}

/// One thing the reporter says.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ChatTurn {
    /// The token of the answer before.
    pub conversation: String,
    /// What the reporter typed.
    pub text: String,
    /// The answer to the challenge of a 428, with the same turn again.
    #[serde(default)]
    pub proof: Option<Proof>,
}

/// An answer that is to be corrected.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ChatBack {
    /// The token of the answer before.
    pub conversation: String,
    /// The question to put again, by its name.
    #[schema(value_type = State)]
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
}

/// What the assistant answers.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChatReply {
    /// Token of the conversation, to be sent with the next turn; empty when it is over.
    pub conversation: String,
    /// Where the conversation stands.
    pub state: State,
    /// The bubbles.
    pub messages: Vec<ChatMessage>,
    /// Whether it is over.
    pub finished: bool,
    /// Id of the report that was saved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub report_id: Option<String>,
    /// The code by which the reporter comes back, shown here alone; none where receipts are switched off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receipt: Option<String>,
    /// What decided the turn.
    pub rule: Rule,
    /// The forbidden word that stopped the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocked: Option<String>,
    /// What will be sent, while the last question is open.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub summary: Vec<Line>,
}

impl ChatReply {
    /// The answer to a turn, once what it ended with is on disk.
    pub(in crate::http::routes) fn new(turn: Turn) -> Self {
        let (conversation, report_id, receipt) = match turn.next {
            Next::Continue(token) => (Some(token), None, None),
            Next::Minor(_) => (None, None, None),
            Next::Report(submission) => {
                let code = submission.receipt.map(|code| code.to_string());
                (None, Some(submission.id), code)
            }
        };
        Self {
            finished: conversation.is_none(),
            conversation: conversation.unwrap_or_default(),
            state: turn.state,
            messages: turn
                .replies
                .into_iter()
                .map(|text| ChatMessage { kind: "bot", text })
                .collect(),
            report_id,
            receipt,
            rule: turn.rule,
            blocked: turn.blocked,
            summary: turn.summary,
        }
    }
}

/// Begins a conversation.
#[utoipa::path(post, path = "/chat", tag = "pubblico", request_body = ChatStart,
    responses((status = 200, body = ChatReply)))]
pub async fn start(
    Of(app): Of<Shared>,
    Json(ChatStart {}): Json<ChatStart, TURN_BYTES>,
) -> Answer<ChatReply> {
    let turn = converse::begin(&app.settings().await?.script, &app.vault)?;
    app.stops.began(today(&app));
    app.metrics.conversations.inc();
    Ok(Json(ChatReply::new(turn)))
}

/// Answers one turn; the last one stores the report first. In siege mode that one is refused with 428 and a `challenge` until
/// it comes with the `proof`.
#[utoipa::path(post, path = "/chat/turns", tag = "pubblico", request_body = ChatTurn,
    responses((status = 200, body = ChatReply)))]
pub async fn turn(
    Of(app): Of<Shared>,
    client: Client,
    Json(said): Json<ChatTurn, TURN_BYTES>,
) -> Answer<ChatReply> {
    let token = Vault::token_mark(&said.conversation);
    let now = app.clock.now_ms();
    let sender = Sender {
        address: client.0,
        conversation: token,
        now,
    };
    let proof = said.proof;
    let answered = answered(&app, said.conversation, said.text).await?;
    if let Next::Minor(conversation) = &answered.next {
        drop_files(&app, conversation.clone()).await?;
    }
    if !matches!(answered.next, Next::Report(_)) {
        return Ok(counted(&app, token, answered));
    }
    if app.siege.is_on() {
        prove(&app, sender, proof.as_ref()).await?;
    }
    // It goes on to its end also when the sender hangs up.
    let whole = tokio::spawn(finish(app, client, token, answered));
    whole.await.map_err(|error| ApiError::internal(&error))?
}

/// The engine's answer; an account is routed beside it.
async fn answered(app: &Shared, conversation: String, text: String) -> ApiResult<Turn> {
    // Before the settings, so that these are at least as new.
    let revision = app.store.revision();
    let settings = app.settings().await?;
    // Where it cannot be read, the last turn routes.
    let memory = remembered(app, revision).await.ok();
    let answered = app.weigh(conversation.len() + text.len(), move |app| {
        let turn = (&*conversation, &*text);
        converse::answer(&settings.script, &app.vault, turn, |account| {
            let memory = memory?;
            Some(Routed {
                basis: (settings.routing, memory.mark),
                analysis: settings.router.route(&memory, account),
            })
        })
    });
    answered.await
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

/// Asks for a proof, unless this is one.
async fn prove(app: &Shared, sender: Sender, proof: Option<&Proof>) -> ApiResult<()> {
    if proof.is_some_and(|proof| app.gate.admits(&app.vault, sender, proof)) {
        return Ok(());
    }
    let load = app.siege.load_bits(app.moment().await?);
    let challenge = app.gate.challenge(&app.vault, sender, proof, load);
    Err(ApiError::proof_required(challenge))
}

/// Stores what the turn ends with.
async fn finish(app: Shared, client: Client, token: [u8; 16], turn: Turn) -> Answer<ChatReply> {
    let turn = match turn.next {
        Next::Report(submission) => Turn {
            next: Next::Report(store(&app, client, submission).await?),
            ..turn
        },
        _ => turn,
    };
    Ok(counted(&app, token, turn))
}

/// The answer to a turn, which counts.
fn counted(app: &App, token: [u8; 16], turn: Turn) -> Json<ChatReply> {
    app.stops.turned(today(app), token, turn.asked, turn.rule);
    app.metrics.turns.inc();
    Json(ChatReply::new(turn))
}

/// Puts an earlier question again, to correct its answer. Nothing is stored.
#[utoipa::path(post, path = "/chat/back", tag = "pubblico", request_body = ChatBack,
    responses((status = 200, body = ChatReply)))]
pub async fn back(
    Of(app): Of<Shared>,
    Json(asked): Json<ChatBack, TURN_BYTES>,
) -> Answer<ChatReply> {
    let settings = app.settings().await?;
    let turn = app.weigh(asked.conversation.len(), move |app| {
        let script = &settings.script;
        converse::back(script, &app.vault, &asked.conversation, &asked.state)
    });
    Ok(Json(ChatReply::new(turn.await?)))
}

/// Stores a finished report with what follows from it.
async fn store(
    app: &Shared,
    Client(client): Client,
    submission: Box<Submission>,
) -> ApiResult<Box<Submission>> {
    let bytes = submission.report.segnalazione.len();
    let besieged = app.siege.is_on();
    if let Err(refusal) = make_room(app, client, bytes, besieged) {
        let looked = app.read(move |_, snapshot| {
            let mut submission = submission;
            let there = is_stored(snapshot, &mut submission)?;
            Ok::<_, store::Error>(there.then_some(submission))
        });
        return looked.await?.ok_or(refusal);
    }
    let stored = keep(app, submission, besieged).await;
    if !matches!(stored, Ok((_, true))) {
        app.budget.refund(client, bytes, besieged);
    }
    let (submission, stored) = stored?;
    if stored {
        app.metrics.reports.inc();
    }
    Ok(submission)
}

/// Takes what a report or a message needs out of the client's budget, as long as the disk has room for reports.
pub(in crate::http::routes) fn make_room(
    app: &App,
    client: IpAddr,
    bytes: usize,
    besieged: bool,
) -> ApiResult<()> {
    if app.store.is_full() {
        return Err(Kind::DISK_FULL.into());
    }
    let charged = app
        .budget
        .charge(client, bytes, besieged, app.clock.now_ms());
    charged.map_err(ApiError::too_much)
}

/// Whether this very submission is stored already: sent again, it is answered like the first time, without the code of a receipt
/// that was not stored with it.
fn is_stored(snapshot: &Snapshot<'_>, submission: &mut Submission) -> store::Result<bool> {
    let row = snapshot.report(&submission.id)?;
    let row = row.filter(|row| row.impronta == submission.impronta);
    if row.as_ref().is_some_and(|row| row.chiave.is_none()) {
        submission.receipt = None;
    }
    Ok(row.is_some())
}

/// Stores it with what follows from it, unless it is stored already; answers whether it did.
pub(in crate::http::routes) async fn keep(
    app: &Shared,
    submission: Box<Submission>,
    besieged: bool,
) -> ApiResult<(Box<Submission>, bool)> {
    let (mut submission, ready) = make_ready(app, submission).await?;
    let stored = app.write(Actor::default(), Undo::WithOthers, move |act| {
        let queued = submit(act, &submission, ready)?;
        if queued.is_none() {
            is_stored(act, &mut submission)?;
        } else if besieged {
            count_report(act)?;
        }
        Ok((submission, queued))
    });
    let (mut submission, queued) = stored.await?;
    if let Some(messages) = queued {
        let account = std::mem::take(&mut submission.report.segnalazione);
        // What staff take down is no flood, and no copy.
        if submission.origine == Origine::Chat
            && follow_siege(app, submission.id.clone(), account)
                .await
                .is_err()
        {
            // The report is stored all the same.
            tracing::warn!("siege mode could not be noted for a report");
        }
        if messages > 0 {
            app.dispatcher.wake();
        }
    }
    Ok((submission, queued.is_some()))
}

/// Routes it, unless it was routed when its account was given, and seals it, outside the writer.
async fn make_ready(
    app: &Shared,
    mut submission: Box<Submission>,
) -> ApiResult<(Box<Submission>, Ready)> {
    // Before the settings, so that these are at least as new.
    let revision = app.store.revision();
    let settings = app.settings().await?;
    let memory = remembered(app, revision).await?;
    let known = submission.routed.take();
    let known = known.filter(|known| known.basis == (settings.routing, memory.mark));
    let ready = app.weigh(submission.report.segnalazione.len(), move |app| {
        let account = &submission.report.segnalazione;
        let analyse = || settings.router.route(&memory, account);
        let analysis = known.map_or_else(analyse, |known| known.analysis);
        let (now, settings) = (app.clock.now_ms(), Some((&*settings, revision)));
        let mut ready = Ready::new(&app.vault, now, &submission, analysis, settings)?;
        // In a siege anybody's address may stand in a fake.
        let wanted = ready.confirms && !app.siege.is_on();
        ready.confirms = wanted && mailbox_has_room(app, &submission, now);
        Ok::<_, actions::Error>((submission, ready))
    });
    ready.await
}

/// Counts a confirmation against the mailbox that it would go to.
fn mailbox_has_room(app: &App, submission: &Submission, now: i64) -> bool {
    let mailbox = text::lower(&submission.report.email);
    let mailbox = app.vault.mask_client(mailbox.as_bytes());
    app.confirmations.charge(&mailbox, now)
}

/// A new report is stored: it is set aside with its near copies, and siege mode may begin with it.
async fn follow_siege(app: &Shared, id: String, account: String) -> ApiResult<()> {
    let at = app.moment().await?;
    let noted = app.weigh(account.len(), move |app| {
        Ok::<_, ApiError>(app.siege.note(&id, &account, at.now))
    });
    if app.siege.arrived(at) {
        let settled = app.compute(move |app| app.siege.settle(&app.store, at.now));
        settled.await?;
    }
    if let Some(aside) = noted.await? {
        let storing = aside.clone();
        let stored = app.change(move |act| set_aside(act, &storing)).await;
        stored.inspect_err(|_| app.siege.take_back(&aside))?;
    }
    Ok(())
}

/// What routing remembers, from the database only if that has changed; nothing while the archive is locked.
async fn remembered(app: &Shared, revision: u64) -> ApiResult<Arc<Memory>> {
    if !app.vault.is_unlocked() {
        return Ok(Arc::default());
    }
    match app.memory.held(revision) {
        Some(memory) => Ok(memory),
        None => {
            app.read(move |app, snapshot| app.memory.get(revision, snapshot, &app.vault))
                .await
        }
    }
}

fn today(app: &App) -> Date {
    local_date(app.clock.now_ms(), &app.time_zone)
}
