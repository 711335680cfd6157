//! One turn of a conversation that the server does not keep: it travels with the reporter, sealed.
//! Must never store anything; the same token with the same text gives the same answer, to the byte.

use serde::{Deserialize, Serialize};

use super::settings::load;
use super::submit_report::Submission;
use super::{Error, Result};
use crate::domain::chat::{self, Conversation, Outcome, Rules, State};
use crate::domain::report::{Draft, Report};
use crate::domain::settings::{Security, System};
use crate::store::Snapshot;
use crate::vault::{Vault, VaultError};

/// What a token holds.
#[derive(Serialize, Deserialize)]
struct Held {
    /// Id of the future report.
    id: String,
    /// State, by name: a newer version of the program may know more of them.
    state: String,
    draft: Draft,
    /// Version of the privacy notice shown when the conversation began.
    privacy: String,
}

/// An answer of the assistant.
pub struct Turn {
    /// Where the conversation stands; after its end, where it ended.
    pub state: State,
    /// What the assistant says, one bubble each.
    pub replies: Vec<String>,
    /// How it goes on.
    pub next: Next,
}

/// How a conversation goes on.
pub enum Next {
    /// With this token.
    Continue(String),
    /// It is over, and nothing of it is kept.
    Minor,
    /// It is over, and this is to be stored.
    Report(Box<Submission>),
}

/// Begins a conversation whose report will have this id.
///
/// # Errors
/// When the database fails.
pub fn begin(snapshot: &Snapshot<'_>, vault: &Vault, id: String) -> Result<Turn> {
    let system: System = load(snapshot)?;
    let (conversation, replies) = chat::start(&rules(snapshot, &system)?);
    let state = conversation.state;
    let token = seal(vault, id, conversation, system.privacy_version())?;
    Ok(Turn {
        state,
        replies,
        next: Next::Continue(token),
    })
}

/// The first bubble of every conversation, which the page shows before its script runs.
///
/// # Errors
/// When the database fails.
pub fn welcome(snapshot: &Snapshot<'_>, system: &System) -> Result<String> {
    let (_, replies) = chat::start(&rules(snapshot, system)?);
    Ok(replies.concat())
}

/// Answers one text.
///
/// # Errors
/// [`Error::BadToken`] for a token this server did not seal, [`Error::UnknownState`] for a state the engine lacks.
pub fn answer(snapshot: &Snapshot<'_>, vault: &Vault, token: &str, text: &str) -> Result<Turn> {
    let held = open(vault, token)?;
    let state = State::parse(&held.state)
        .ok_or_else(|| Error::UnknownState(chat::unknown_state(&held.state)))?;
    let system: System = load(snapshot)?;
    let step = chat::step(
        &rules(snapshot, &system)?,
        Conversation {
            state,
            draft: held.draft,
        },
        text,
    );
    let (state, next) = match step.outcome {
        Outcome::Continue(conversation) => (
            conversation.state,
            Next::Continue(seal(vault, held.id, conversation, held.privacy)?),
        ),
        Outcome::Minor => (state, Next::Minor),
        Outcome::Completed(report) => (
            state,
            Next::Report(Box::new(submission(vault, held.id, held.privacy, report)?)),
        ),
    };
    Ok(Turn {
        state,
        replies: step.replies,
        next,
    })
}

fn rules(snapshot: &Snapshot<'_>, system: &System) -> Result<Rules> {
    Ok(Rules::new(
        &load(snapshot)?,
        &load::<Security>(snapshot)?,
        system,
    ))
}

fn submission(
    vault: &Vault,
    id: String,
    privacy_version: String,
    report: Report,
) -> Result<Submission> {
    let said = serde_json::to_vec(&report).map_err(|_| VaultError::Damaged)?;
    Ok(Submission {
        impronta: vault.fingerprint(&said),
        id,
        report,
        privacy_version,
    })
}

fn seal(vault: &Vault, id: String, conversation: Conversation, privacy: String) -> Result<String> {
    let held = Held {
        id,
        state: conversation.state.as_str().to_owned(),
        draft: conversation.draft,
        privacy,
    };
    let bytes = serde_json::to_vec(&held).map_err(|_| VaultError::Damaged)?;
    Ok(vault.seal_token(&bytes)?)
}

fn open(vault: &Vault, token: &str) -> Result<Held> {
    let bytes = vault.open_token(token).map_err(|_| Error::BadToken)?;
    serde_json::from_slice(&bytes).map_err(|_| Error::BadToken)
}
