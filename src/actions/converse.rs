//! One turn of a conversation that the server does not keep: it travels with the reporter, sealed.
//! Must never store anything; the same token with the same text gives the same answer, to the byte.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::submit_report::Submission;
use super::{Error, Result};
use crate::domain::care::concern;
use crate::domain::chat::{self, Conversation, Outcome, Rule, Rules, State};
use crate::domain::phrases::Phrases;
use crate::domain::report::Report;
use crate::domain::settings::{Security, System};
use crate::vault::{Vault, VaultError};

#[derive(Default, Serialize, Deserialize)]
struct Held {
    /// Id of the future report.
    id: String,
    /// State, by name: a newer version of the program may know more of them.
    state: String,
    draft: Report,
    /// Version of the privacy notice shown when the conversation began.
    privacy: String,
    /// Phrases were being tried: nothing of this may become a report.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    rehearsal: bool,
    /// It has been said where help is at hand.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    helped: bool,
}

pub struct Turn {
    /// Where the conversation stands; after its end, where it ended.
    pub state: State,
    /// What the assistant says, one bubble each.
    pub replies: Vec<String>,
    pub next: Next,
    /// The question that was answered.
    pub asked: State,
    pub rule: Rule,
}

pub enum Next {
    /// With this token.
    Continue(String),
    /// It is over, and nothing of it is kept.
    Minor,
    /// It is over, and this is to be stored.
    Report(Box<Submission>),
}

/// What a conversation follows: the rules in force, or phrases that are being tried before they are saved.
pub struct Script {
    rules: Rules,
    privacy: String,
    rehearsal: bool,
}

impl Script {
    pub fn new(phrases: &Phrases, security: &Security, system: &System) -> Self {
        Self {
            rules: Rules::new(phrases, security, system),
            privacy: system.privacy_version(),
            rehearsal: false,
        }
    }

    /// The same with other phrases. What is said in a rehearsal can never become a report.
    pub fn rehearsal(phrases: &Phrases, security: &Security, system: &System) -> Self {
        Self {
            rehearsal: true,
            ..Self::new(phrases, security, system)
        }
    }

    pub fn welcome(&self) -> String {
        chat::start(&self.rules).1
    }
}

pub fn begin(script: &Script, vault: &Vault) -> Result<Turn> {
    let (conversation, welcome) = chat::start(&script.rules);
    let state = conversation.state;
    let held = Held {
        id: Uuid::new_v4().to_string(),
        privacy: script.privacy.clone(),
        rehearsal: script.rehearsal,
        ..Held::default()
    };
    Ok(Turn {
        state,
        replies: vec![welcome],
        next: held.at(conversation, vault)?,
        asked: state,
        rule: Rule::Started,
    })
}

pub fn answer(script: &Script, vault: &Vault, token: &str, text: &str) -> Result<Turn> {
    let mut held = open(vault, token)?;
    if held.rehearsal != script.rehearsal {
        return Err(Error::BadToken);
    }
    let asked = State::parse(&held.state)
        .ok_or_else(|| Error::UnknownState(chat::unknown_state(&held.state)))?;
    let conversation = Conversation {
        state: asked,
        draft: std::mem::take(&mut held.draft),
        helped: held.helped,
    };
    let step = chat::step(&script.rules, conversation, text);
    let (state, next) = match step.outcome {
        Outcome::Continue(conversation) => {
            let state = conversation.state;
            (state, held.at(conversation, vault)?)
        }
        Outcome::Minor => (asked, Next::Minor),
        Outcome::Completed(report) => {
            let submission = submission(vault, held.id, held.privacy, report)?;
            (asked, Next::Report(Box::new(submission)))
        }
    };
    Ok(Turn {
        state,
        replies: step.replies,
        next,
        asked,
        rule: step.rule,
    })
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
        urgente: concern(&report.segnalazione),
        id,
        report,
        privacy_version,
    })
}

impl Held {
    /// The token with which the conversation goes on from here.
    fn at(self, conversation: Conversation, vault: &Vault) -> Result<Next> {
        let held = Self {
            state: conversation.state.as_str().to_owned(),
            draft: conversation.draft,
            helped: conversation.helped,
            ..self
        };
        let bytes = serde_json::to_vec(&held).map_err(|_| VaultError::Damaged)?;
        Ok(Next::Continue(vault.seal_token(&bytes)?))
    }
}

fn open(vault: &Vault, token: &str) -> Result<Held> {
    let bytes = vault.open_token(token).map_err(|_| Error::BadToken)?;
    serde_json::from_slice(&bytes).map_err(|_| Error::BadToken)
}
