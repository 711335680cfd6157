//! One turn of a conversation that the server does not keep: it travels with the reporter, sealed.
//! Must never store anything; the same token with the same text gives the same answer, to the byte, also after a restart, as long
//! as settings and moves are the same.

use std::ops::Range;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::actions::intake::submit_report::{RoutedAccount, Submission};
use crate::actions::{Error, Result};
use crate::domain::care::{Concern, concern};
use crate::domain::chat::{
    self, ChatState, Conversation, OpenQuestion, Rule, Rules, Step, StepOutcome, SummaryLine,
};
use crate::domain::report::{ADDITION_HEADING, Origine, Report};
use crate::vault::{ReceiptCode, Vault, VaultError};

/// First byte of what a token holds: another number for each change of [`TokenContent`] or of its parts, whose fields are told
/// apart by their order alone. A token of another layout is a dead one.
const LAYOUT: u8 = 1;
/// Room in bytes that is enough for most of what tokens hold.
const TOKEN_BYTES: usize = 1024;

#[derive(Default, Serialize, Deserialize)]
struct TokenContent {
    /// The state, by name: a newer version of the program may know more of them.
    state: String,
    conversation: Conversation,
    /// Version of the privacy notice shown when the conversation began.
    privacy: String,
    /// Phrases were being tried: nothing of this may become a report.
    rehearsal: bool,
    /// Where the account goes: read when it is given, so that the last turn has little to do.
    routed: Option<RoutedAccount>,
    /// The code of the future receipt, which nothing else holds, and from which the id of the report comes: the last turn, sent
    /// twice, makes one report and hands out the same.
    receipt: String,
}

pub struct ChatAnswer {
    /// Where the conversation stands; after its end, where it ended.
    pub state: ChatState,
    /// What the assistant says, one bubble each.
    pub replies: Vec<String>,
    pub next: ChatOutcome,
    /// The question that was answered.
    pub asked: ChatState,
    pub rule: Rule,
    /// Which of the replies must be read.
    pub hold: Range<usize>,
    pub reason: Option<String>,
    pub unable: Option<String>,
    pub understood: Vec<SummaryLine>,
    /// The question that is open; none when the conversation is over.
    pub question: Option<OpenQuestion>,
    /// What stands in its box.
    pub prefill: Option<String>,
    /// What will be sent, by question, while the last one is open.
    pub summary: Vec<SummaryLine>,
}

pub enum ChatOutcome {
    /// With this token.
    Continue(String),
    /// It is over, and nothing of it is kept; this would have been the id of the report.
    Minor(String),
    /// It is over, and this is to be stored.
    Report(Box<Submission>),
}

/// Begins a conversation on a day in the newsroom's time zone.
pub fn begin(rules: &Rules, vault: &Vault, today: Date) -> Result<ChatAnswer> {
    let year = u16::try_from(today.year()).unwrap_or_default();
    let content = TokenContent {
        privacy: rules.privacy.clone(),
        rehearsal: rules.rehearsal,
        receipt: ReceiptCode::generate()?.to_string(),
        ..TokenContent::default()
    };
    content.answer(ChatState::AgeCheck, chat::start(rules, year), vault, rules)
}

/// Answers one turn; `route` says where an account goes.
pub fn answer(
    rules: &Rules,
    vault: &Vault,
    (token, text): (&str, &str),
    route: impl FnOnce(&str) -> Option<RoutedAccount>,
) -> Result<ChatAnswer> {
    let (mut content, conversation) = resume(rules, vault, token)?;
    let asked = conversation.state;
    let step = chat::step(rules, conversation, text);
    if let StepOutcome::Continue(next) = &step.outcome
        && asked == ChatState::InvestigativeQuestions
        && step.rule.leads_on()
    {
        content.routed = route(&next.draft.segnalazione);
    }
    content.answer(asked, step, vault, rules)
}

/// Puts the question of an earlier state again, by its name.
pub fn back(rules: &Rules, vault: &Vault, token: &str, state: &str) -> Result<ChatAnswer> {
    let (content, conversation) = resume(rules, vault, token)?;
    let asked = ChatState::parse(state);
    let step = asked.and_then(|state| chat::back(rules, conversation, state));
    match (asked, step) {
        (Some(asked), Some(step)) => content.answer(asked, step, vault, rules),
        _ => Err(Error::UnknownState(chat::unknown_state(state))),
    }
}

/// The receipt of the report that a conversation will become, from the account on: files are attached to it.
pub fn receipt_of(vault: &Vault, token: &str) -> Result<ReceiptCode> {
    let content = open(vault, token)?;
    let stands = content.conversation.resume;
    let stands = stands.or_else(|| ChatState::parse(&content.state));
    if content.rehearsal {
        return Err(Error::BadToken);
    }
    if stands.is_none_or(|state| state < ChatState::InvestigativeQuestions) {
        return Err(Error::Conflict(
            "I file si possono allegare da quando si racconta che cosa è successo.",
        ));
    }
    content.code()
}

/// The conversation that a token holds, and what else it holds.
fn resume(rules: &Rules, vault: &Vault, token: &str) -> Result<(TokenContent, Conversation)> {
    let mut content = open(vault, token)?;
    if content.rehearsal != rules.rehearsal {
        return Err(Error::BadToken);
    }
    let state = ChatState::parse(&content.state)
        .ok_or_else(|| Error::UnknownState(chat::unknown_state(&content.state)))?;
    let conversation = Conversation {
        state,
        ..std::mem::take(&mut content.conversation)
    };
    content.conversation.helped = conversation.helped;
    Ok((content, conversation))
}

fn submission(
    vault: &Vault,
    id: String,
    privacy_version: String,
    report: Report,
    urgente: Option<Concern>,
) -> Result<Submission> {
    let said = serde_json::to_vec(&report).map_err(|_| VaultError::Damaged)?;
    Ok(Submission {
        impronta: vault.fingerprint(&said),
        urgente,
        id,
        report,
        privacy_version,
        receipt: None,
        origine: Origine::Chat,
        routed: None,
    })
}

/// A report that staff took down.
pub fn enter(
    vault: &Vault,
    given: &Report,
    origine: Origine,
    key: Option<&str>,
) -> Result<Submission> {
    let report = chat::entered(given).map_err(Error::Invalid)?;
    // The same key is the same report.
    let id = key.map_or_else(Uuid::new_v4, |key| {
        let bytes = vault.fingerprint(format!("entry {key}").as_bytes());
        uuid::Builder::from_random_bytes(bytes).into_uuid()
    });
    let (id, urgente) = (id.to_string(), concern(&report.segnalazione));
    // A report on the phone comes without a privacy notice.
    let submission = submission(vault, id, String::new(), report, urgente)?;
    Ok(Submission {
        origine,
        ..submission
    })
}

impl TokenContent {
    /// What became of the conversation that the token held, when `asked` was answered.
    fn answer(
        self,
        asked: ChatState,
        step: Step,
        vault: &Vault,
        rules: &Rules,
    ) -> Result<ChatAnswer> {
        let (mut state, mut summary) = (asked, Vec::new());
        let (mut question, mut prefill) = (None, None);
        let next = match step.outcome {
            StepOutcome::Continue(conversation) => {
                (state, summary) = (conversation.state, conversation.summary());
                question = Some(conversation.question(rules));
                let early = conversation.prefill().filter(|_| step.rule.leads_on());
                prefill = early.map(str::to_owned);
                self.at(conversation, vault)?
            }
            StepOutcome::Minor => ChatOutcome::Minor(vault.report_of(&self.code()?)?),
            StepOutcome::Completed(report) => {
                ChatOutcome::Report(Box::new(self.complete(report, vault, rules)?))
            }
        };
        Ok(ChatAnswer {
            state,
            replies: step.replies,
            hold: step.hold,
            next,
            asked,
            rule: step.rule,
            reason: step.reason,
            unable: step.unable,
            understood: step.understood,
            question,
            prefill,
            summary,
        })
    }

    fn complete(self, report: Report, vault: &Vault, rules: &Rules) -> Result<Submission> {
        // Each account was read when it was given: where nothing was grave and nothing is added, nothing is.
        let added = report.segnalazione.contains(ADDITION_HEADING);
        let urgente = (self.conversation.helped || added)
            .then(|| concern(&report.segnalazione))
            .flatten();
        let code = self.code()?;
        let id = vault.report_of(&code)?;
        Ok(Submission {
            receipt: rules.receipts.then_some(code),
            routed: self.routed.filter(|_| !added),
            ..submission(vault, id, self.privacy, report, urgente)?
        })
    }

    fn code(&self) -> Result<ReceiptCode> {
        ReceiptCode::parse(&self.receipt).ok_or(Error::BadToken)
    }

    /// The token with which the conversation goes on from here.
    fn at(self, conversation: Conversation, vault: &Vault) -> Result<ChatOutcome> {
        let content = Self {
            state: conversation.state.as_str().to_owned(),
            conversation,
            ..self
        };
        Ok(ChatOutcome::Continue(vault.seal_token(&content.layout()?)?))
    }

    fn layout(&self) -> Result<Vec<u8>> {
        let mut bytes = Vec::with_capacity(TOKEN_BYTES);
        bytes.push(LAYOUT);
        Ok(postcard::to_extend(self, bytes).map_err(|_| VaultError::Damaged)?)
    }
}

fn open(vault: &Vault, token: &str) -> Result<TokenContent> {
    let bytes = vault.open_token(token).map_err(|_| Error::BadToken)?;
    let content = bytes.strip_prefix(&[LAYOUT]).map(postcard::from_bytes);
    content
        .and_then(std::result::Result::ok)
        .ok_or(Error::BadToken)
}

#[cfg(test)]
mod tests {
    use crate::actions::intake::converse::*;
    use crate::domain::routing::{Analysis, Department};

    /// Tokens outlive a restart, and an upgrade that leaves this as it is: other bytes want another [`LAYOUT`].
    #[test]
    fn the_layout_of_a_token_is_the_pinned_one() {
        let content = TokenContent {
            state: "collect_report".to_owned(),
            conversation: Conversation {
                draft: Report {
                    eta: 34,
                    nome: "Anna".to_owned(),
                    ..Report::default()
                },
                helped: true,
                resume: Some(ChatState::CollectPhone),
                ..Conversation::default()
            },
            privacy: "p".to_owned(),
            rehearsal: true,
            routed: Some(RoutedAccount {
                basis: (1, 300),
                analysis: Analysis {
                    department: Department::Sanita,
                    reason: "r".to_owned(),
                    urgente: Some(Concern::Danger),
                    ..Analysis::default()
                },
            }),
            receipt: "c".to_owned(),
        };
        let pinned = "010e636f6c6c6563745f7265706f72742204416e6e610000000000010103000000000170010101ac0201000172000001020163";
        assert_eq!(hex::encode(content.layout().unwrap()), pinned);
    }
}
