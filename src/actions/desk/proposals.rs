//! Decisions on proposed stories. What one did goes with its answer, sealed, so that it can be taken back as exactly, also after a
//! restart.
//! Must never decide on a report that its caller was not shown, nor take back what a colleague changed since.

use std::collections::HashSet;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::actions::desk::bulk::{
    BulkChanged, BulkTarget, UNDO_MS, begin_messages, message_step, take_messages_back,
};
use crate::actions::desk::stories::{
    NewStory, add_to_story, create_story, move_report, present_story,
};
use crate::actions::{Act, Error, Result};
use crate::domain::callout::CalloutQuestion;
use crate::domain::invalid::Invalid;
use crate::domain::message::ReplyIn;
use crate::store::{Action, ListFilter};
use crate::vault::VaultError;

/// The purpose that the record of a decision is sealed for.
const DECISION: &str = "decision on a proposal";
const CHANGED: Error =
    Error::conflict("Nel frattempo questa proposta è cambiata: guardala di nuovo.");
const UNREACHED: Error = Error::conflict(
    "Nessuna di queste persone può leggere il messaggio, perché nessuna ha un codice: la storia non è stata fatta.",
);
const TOO_LATE: Error =
    Error::conflict("Questa decisione non si può più annullare: sono passati dieci minuti.");
const OVERTAKEN: Error = Error::conflict(
    "Questa decisione non si può più annullare: è già stata annullata, o nel frattempo qualcosa è cambiato.",
);

/// A proposal as its caller sees it now.
pub struct Proposed {
    /// Its key.
    pub key: String,
    /// Its reports, by arrival number and id, oldest first.
    pub reports: Vec<(i64, String)>,
    /// The story that they may belong to; `None` for a new one.
    pub story: Option<String>,
    /// What a new story is called if nothing else is said.
    pub title: String,
}

/// A decision on a proposal.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ProposalDecision {
    /// Whether to accept the proposal. The reports of a rejected proposal are not proposed together again.
    accept: bool,
    /// The title of a new story; when absent it is made from the names that the reports share.
    #[schema(max_length = 120)]
    title: Option<String>,
    /// Ids of reports of an accepted proposal that do not belong to it. They are not proposed with the others again.
    #[serde(default)]
    without: Vec<String>,
    /// Ids of the reports that were shown, `without` among them. Reports that came since are left as they are; if one of these
    /// is no longer proposed, the call answers 409.
    shown: Option<Vec<String>>,
    /// A message to the reporters of an accepted proposal. If it can reach none of them, the call answers 409 and nothing is done.
    #[schema(max_length = 5000)]
    text: Option<String>,
    /// Questions that the message asks.
    #[serde(default)]
    #[schema(max_items = 6)]
    questions: Vec<CalloutQuestion>,
}

/// The outcome of a decision.
pub struct Decided {
    /// The story that was made or grew.
    pub story: Option<String>,
    /// What takes it back.
    pub undo: String,
    /// The batch of the message, and whom it did and did not reach.
    pub message: Option<(String, BulkChanged)>,
}

/// The effects of a decision.
#[derive(Default, Serialize, Deserialize)]
struct Record {
    /// When, in ms.
    at: i64,
    story: Option<String>,
    /// Whether that story was made by it.
    made: bool,
    /// The reports that joined the story, by arrival number.
    joined: Vec<i64>,
    /// These were set apart from those.
    these: Vec<i64>,
    those: Vec<i64>,
    batch: Option<String>,
}

/// Decides on a proposal: makes a story or adds to one, without those that do not belong to it and with a message to the others, or
/// sets all apart.
pub fn decide(
    act: &Act<'_>,
    mut proposal: Proposed,
    decision: ProposalDecision,
) -> Result<Decided> {
    keep_shown(&mut proposal, decision.shown.as_deref())?;
    let (left, kept) = parted(&proposal, &decision)?;
    let of_story = proposal.story.as_deref().map(|story| act.story_seqs(story));
    let of_story = of_story.transpose()?.unwrap_or_default();
    refuse_parted(act, &proposal)?;
    let mut record = Record {
        at: act.now,
        these: seqs(if decision.accept { &left } else { &kept }),
        those: [seqs(&kept), of_story].concat(),
        ..Record::default()
    };
    let mut message = None;
    if decision.accept {
        let ids: Vec<String> = kept.iter().map(|(_, id)| id.clone()).collect();
        record.joined = seqs(&kept);
        record.made = proposal.story.is_none();
        let title = decision.title.unwrap_or(proposal.title);
        record.story = Some(join(act, proposal.story, title, &ids)?);
        let said = decision.text.map(|text| ReplyIn {
            text,
            questions: decision.questions,
            ..ReplyIn::default()
        });
        let sent = said.map(|said| write_to(act, ids, &said));
        message = sent.transpose()?;
        record.batch = message.as_ref().map(|(batch, _)| batch.clone());
    }
    act.tx.set_apart(&record.these, &record.those)?;
    act.log(Action::ReportUpdated, None)?;
    Ok(Decided {
        undo: sealed(act, &proposal.key, &record)?,
        story: record.story,
        message,
    })
}

fn seqs(reports: &[(i64, String)]) -> Vec<i64> {
    reports.iter().map(|(seq, _)| *seq).collect()
}

/// Leaves out what came since a proposal was shown.
fn keep_shown(proposal: &mut Proposed, shown: Option<&[String]>) -> Result<()> {
    let Some(shown) = shown else {
        return Ok(());
    };
    let shown: HashSet<&String> = shown.iter().collect();
    proposal.reports.retain(|(_, id)| shown.contains(id));
    if proposal.reports.len() < shown.len() {
        return Err(CHANGED);
    }
    Ok(())
}

/// Reports by arrival number and id.
type Reports = Vec<(i64, String)>;

/// The reports that a decision leaves out, and the others.
fn parted(proposal: &Proposed, decision: &ProposalDecision) -> Result<(Reports, Reports)> {
    let without: HashSet<&String> = decision.without.iter().collect();
    let (left, kept): (Reports, Reports) = proposal
        .reports
        .iter()
        .cloned()
        .partition(|(_, id)| without.contains(id));
    let refused = |field, code, message: &str| Err(Invalid::new(field, code, message).into());
    if !decision.accept && decision.text.is_some() {
        let message = "Si scrive a chi è in una storia: senza la storia il messaggio non parte.";
        return refused("text", "range", message);
    }
    if decision.text.is_none() && !decision.questions.is_empty() {
        let message = "Le domande partono con un messaggio: scrivi anche il testo.";
        return refused("text", "required", message);
    }
    if !decision.accept && !without.is_empty() {
        let message = "Si toglie una segnalazione solo da una storia che si fa.";
        return refused("without", "range", message);
    }
    if left.len() < without.len() {
        let message = "Una delle segnalazioni tolte non è di questa proposta.";
        return refused("without", "unknown", message);
    }
    if kept.is_empty() {
        let message = "Hai tolto tutte le segnalazioni: se sono cose diverse, rispondi di no.";
        return refused("without", "range", message);
    }
    if kept.len() == 1 && proposal.story.is_none() {
        let message = "Per una storia servono almeno due segnalazioni.";
        return refused("without", "range", message);
    }
    Ok((left, kept))
}

/// Makes the story, or adds to the one that there is; answers its id.
fn join(act: &Act<'_>, story: Option<String>, title: String, ids: &[String]) -> Result<String> {
    let Some(story) = story else {
        let reports = ids.to_vec();
        return create_story(act, NewStory { title, reports });
    };
    present_story(act, &story)?;
    for id in ids {
        if act.report(id)?.is_none_or(|row| row.storia.is_some()) {
            return Err(CHANGED);
        }
    }
    add_to_story(act, &story, ids)?;
    Ok(story)
}

/// Writes to the reporters of a decision, of which there must be one who can read it.
fn write_to(act: &Act<'_>, ids: Vec<String>, said: &ReplyIn) -> Result<(String, BulkChanged)> {
    let batch = begin_messages(act, said)?;
    let targets = ids
        .into_iter()
        .map(|id| BulkTarget::ById { id, version: None });
    let targets: Vec<_> = targets.collect();
    let sent = message_step(act, &batch, &targets, &ListFilter::default(), said)?;
    if sent.changed == 0 {
        return Err(UNREACHED);
    }
    Ok((batch, sent))
}

/// Refuses a proposal if a colleague set some of its reports apart meanwhile, from each other or from those that its story shows.
fn refuse_parted(act: &Act<'_>, proposal: &Proposed) -> Result<()> {
    let new = seqs(&proposal.reports);
    let members = proposal
        .story
        .as_deref()
        .map(|story| act.story_members(story));
    let members = members.transpose()?.unwrap_or_default();
    let of_story = members.iter().map(|one| one.seq);
    let all: HashSet<i64> = new.iter().copied().chain(of_story).collect();
    let parted = act.apart_from(&new)?;
    if parted.iter().any(|(_, other)| all.contains(other)) {
        return Err(CHANGED);
    }
    Ok(())
}

fn sealed(act: &Act<'_>, key: &str, record: &Record) -> Result<String> {
    let bytes = serde_json::to_vec(record).map_err(|_| VaultError::Damaged)?;
    let sealed = act.vault.seal_operational(DECISION, key, &bytes)?;
    Ok(URL_SAFE_NO_PAD.encode(sealed))
}

fn opened(act: &Act<'_>, key: &str, undo: &str) -> Option<Record> {
    let sealed = URL_SAFE_NO_PAD.decode(undo).ok()?;
    let bytes = act.vault.open_operational(DECISION, key, &sealed).ok()?;
    serde_json::from_slice(&bytes).ok()
}

/// Takes a decision back, with its message, as long as its effects are unchanged and the message is unread.
pub fn undo_decision(act: &Act<'_>, key: &str, undo: &str) -> Result<()> {
    let record = opened(act, key, undo).ok_or_else(|| {
        let message = "Questa decisione non si riconosce.";
        Error::from(Invalid::new("undo", "format", message))
    })?;
    if act.now > record.at + UNDO_MS {
        return Err(TOO_LATE);
    }
    if !stands(act, &record)? {
        return Err(OVERTAKEN);
    }
    if let Some(batch) = &record.batch {
        take_messages_back(act, batch)?;
    }
    for seq in &record.joined {
        let row = act.report_at(*seq)?.ok_or(OVERTAKEN)?;
        move_report(act, &row, None)?;
    }
    act.tx.join_apart(&record.these, &record.those)?;
    act.log(Action::ReportUpdated, None)
}

/// Whether all is as the decision left it, as far as its caller sees.
fn stands(act: &Act<'_>, record: &Record) -> Result<bool> {
    if let Some(story) = &record.story {
        let members = act.story_seqs(story)?;
        let grown = record.made && members.len() > record.joined.len();
        let changed = |version| record.made && version > 1;
        let changed = act.story(story)?.is_none_or(|row| changed(row.version));
        if grown || changed || !record.joined.iter().all(|seq| members.contains(seq)) {
            return Ok(false);
        }
    }
    let apart: HashSet<(i64, i64)> = act.apart_from(&record.these)?.into_iter().collect();
    let mut pairs = record.these.iter();
    Ok(pairs.all(|one| {
        let mut those = record.those.iter();
        those.all(|other| one == other || apart.contains(&(*one, *other)))
    }))
}
