//! One turn of a conversation that the server does not keep: it travels with the reporter, sealed.
//! Must never store anything. Within a minute the same token and text give the same answer, to the byte, also after a restart, if
//! settings and moves are unchanged.

use std::ops::Range;

use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::actions::intake::ended::EndMark;
use crate::actions::intake::submit_report::{RoutedAccount, Submission};
use crate::actions::{Error, Result};
use crate::domain::calendar::local_date;
use crate::domain::callout::CalloutAnswers;
use crate::domain::care::{Concern, concern};
use crate::domain::chat::{
    self, ChatState, Conversation, OpenQuestion, Rule, Rules, ScriptPlace, Step, StepOutcome,
    SummaryLine,
};
use crate::domain::report::{ADDITION_HEADING, Origine, Report, own_words};
use crate::vault::{ReceiptCode, Vault, VaultError};

/// The first byte of a token's content. It changes with each change of [`TokenContent`] or of its parts, whose fields are
/// distinguished by their order alone. A token of another layout is refused.
const LAYOUT: u8 = 5;
/// How long after its last turn a conversation can continue, in minutes (PRODUCT.md §2).
const LASTS_MIN: u32 = 72 * 60;
/// A buffer of so many bytes suffices for most tokens.
const TOKEN_BYTES: usize = 1024;

#[derive(Default, Serialize, Deserialize)]
struct TokenContent {
    /// The state, by name, since a newer version of the program may know more states.
    state: String,
    conversation: Conversation,
    /// Version of the privacy notice shown when the conversation began.
    privacy: String,
    /// Whether phrases were being tried: nothing said may then become a report.
    rehearsal: bool,
    /// The department of the account, chosen when it is given, so that the last turn has little to do.
    routed: Option<RoutedAccount>,
    /// The code of the future receipt, which nothing else holds. The id of the report derives from it, so that the last turn, sent
    /// twice, makes one report with one code.
    receipt: String,
    /// The callout that it answers.
    callout: Option<CalloutMark>,
    /// When it began, in minutes.
    begun: u32,
    /// When its last turn was, in minutes.
    turned: u32,
    /// The mark that shows whether its report is stored.
    mark: EndMark,
}

/// The version of a callout that a conversation began with.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CalloutMark {
    pub id: String,
    pub version: u32,
    /// Whether it takes files.
    pub attachments: bool,
}

/// A conversation, as its token holds it.
pub struct HeldConversation(TokenContent);

impl HeldConversation {
    /// Opens a token, for a turn at `now` (ms).
    pub fn open(vault: &Vault, token: &str, now: i64) -> Result<Self> {
        let now = minutes(now);
        let bytes = vault.open_token(token).map_err(|_| Error::BadToken)?;
        let content = bytes.strip_prefix(&[LAYOUT]).map(postcard::from_bytes);
        let content = content.and_then(std::result::Result::ok);
        let content: TokenContent = content.ok_or(Error::BadToken)?;
        if now > content.turned.saturating_add(LASTS_MIN) {
            return Err(Error::OldToken);
        }
        Ok(Self(TokenContent {
            turned: now,
            ..content
        }))
    }

    /// When (ms) it had begun, to the minute.
    pub fn begun(&self) -> i64 {
        (i64::from(self.0.begun) + 1) * 60_000
    }

    /// The mark that shows whether its report is stored.
    pub const fn mark(&self) -> EndMark {
        self.0.mark
    }

    /// Id of its future report.
    pub fn report(&self, vault: &Vault) -> Result<String> {
        Ok(vault.report_id(&self.0.code()?)?)
    }

    /// The callout whose rules apply; `None` for the usual ones.
    pub const fn callout(&self) -> Option<&CalloutMark> {
        self.0.callout.as_ref()
    }
}

pub struct ChatAnswer {
    /// The name of the open question; after the end, of the last one.
    pub state: String,
    /// The assistant's replies, one bubble each.
    pub replies: Vec<String>,
    pub next: ChatOutcome,
    /// The question that was answered.
    pub asked: ChatState,
    /// Id of the callout that the conversation is of.
    pub callout: Option<String>,
    pub rule: Rule,
    /// The replies that the page holds until the reporter confirms having read them.
    pub hold: Range<usize>,
    /// Whether the reporter has been told where to find help.
    pub helped: bool,
    pub reason: Option<String>,
    pub unable: Option<String>,
    pub understood: Vec<SummaryLine>,
    /// The open question; `None` when the conversation is over.
    pub question: Option<OpenQuestion>,
    /// The text to prefill in its input box.
    pub prefill: Option<String>,
    /// The answers that will be sent, while the last question is open.
    pub summary: Vec<SummaryLine>,
}

pub enum ChatOutcome {
    /// The conversation continues with this token.
    Continue(String),
    /// The conversation is over, and nothing of it is kept. This would have been the id of the report.
    Closed(String),
    /// The conversation is over, and this report is to be stored.
    Report(Box<Submission>),
}

/// Begins a conversation at `now` (ms), in the newsroom's time zone.
pub fn begin(rules: &Rules, vault: &Vault, now: i64, zone: &TimeZone) -> Result<ChatAnswer> {
    let code = ReceiptCode::generate()?;
    let content = TokenContent {
        privacy: rules.privacy.clone(),
        rehearsal: rules.rehearsal,
        mark: EndMark::of(&vault.report_id(&code)?),
        receipt: code.to_string(),
        begun: minutes(now),
        turned: minutes(now),
        callout: rules.script.callout.as_deref().map(|version| CalloutMark {
            id: version.id.clone(),
            version: version.version,
            attachments: version.callout.attachments,
        }),
        ..TokenContent::default()
    };
    let asked = ChatState::AgeCheck.into();
    let first = chat::start(rules, local_date(now, zone));
    content.answer(asked, first, vault, rules)
}

fn minutes(ms: i64) -> u32 {
    u32::try_from(ms / 60_000).unwrap_or_default()
}

/// Answers one turn; `route` chooses the department of an account.
pub fn answer(
    rules: &Rules,
    vault: &Vault,
    held: HeldConversation,
    text: &str,
    route: impl FnOnce(&str) -> Option<RoutedAccount>,
) -> Result<ChatAnswer> {
    let (mut content, conversation) = resume(rules, held)?;
    let asked = conversation.place();
    let step = chat::step(rules, conversation, text);
    if let StepOutcome::Continue(next) = &step.outcome
        && asked.state == ChatState::InvestigativeQuestions
        && step.rule.leads_on()
        && content.callout.is_none()
    {
        content.routed = route(&next.draft.segnalazione);
    }
    content.answer(asked, step, vault, rules)
}

/// Asks an earlier question again, by its name.
pub fn back(
    rules: &Rules,
    vault: &Vault,
    held: HeldConversation,
    state: &str,
) -> Result<ChatAnswer> {
    let (content, conversation) = resume(rules, held)?;
    let asked = rules.script.parse(state);
    let step = asked.and_then(|place| chat::back(rules, conversation, place));
    match (asked, step) {
        (Some(asked), Some(step)) => content.answer(asked, step, vault, rules),
        _ => Err(Error::UnknownState(chat::unknown_state(state))),
    }
}

/// The receipt of the report that a conversation will become: files are attached to it from the account on, in a callout from
/// the age on.
pub fn receipt_of(vault: &Vault, token: &str, now: i64) -> Result<ReceiptCode> {
    let HeldConversation(content) = HeldConversation::open(vault, token, now)?;
    let stands = content.conversation.resume.map(|place| place.state);
    let stands = stands.or_else(|| ChatState::parse(&content.state));
    if content.rehearsal {
        return Err(Error::BadToken);
    }
    match &content.callout {
        Some(callout) if !callout.attachments => Err(Error::conflict(
            "In questa inchiesta non si possono allegare file.",
        )),
        Some(_) if stands != Some(ChatState::AgeCheck) => content.code(),
        None if stands.is_some_and(|state| state >= ChatState::InvestigativeQuestions) => {
            content.code()
        }
        _ => Err(Error::conflict(
            "I file si possono allegare da quando si racconta che cosa è successo.",
        )),
    }
}

/// The conversation that a token holds, and what else it holds.
fn resume(
    rules: &Rules,
    HeldConversation(mut content): HeldConversation,
) -> Result<(TokenContent, Conversation)> {
    if content.rehearsal != rules.rehearsal {
        return Err(Error::BadToken);
    }
    let place = rules.script.parse(&content.state);
    let place = place.ok_or_else(|| Error::UnknownState(chat::unknown_state(&content.state)))?;
    let conversation = std::mem::take(&mut content.conversation).at(place);
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
        callout: CalloutAnswers::default(),
        shown: None,
    })
}

/// A report that staff entered.
pub fn enter(
    vault: &Vault,
    given: &Report,
    origine: Origine,
    key: Option<&str>,
) -> Result<Submission> {
    let report = chat::entered(given).map_err(Error::Invalid)?;
    // A repeated key gives the same report.
    let id = key.map_or_else(Uuid::new_v4, |key| {
        let bytes = vault.fingerprint(format!("entry {key}").as_bytes());
        uuid::Builder::from_random_bytes(bytes).into_uuid()
    });
    let (id, urgente) = (id.to_string(), concern(&own_words(&report.segnalazione)));
    // A report on the phone comes without a privacy notice.
    let submission = submission(vault, id, String::new(), report, urgente)?;
    Ok(Submission {
        origine,
        ..submission
    })
}

impl TokenContent {
    /// The conversation of the token after `asked` was answered.
    fn answer(
        self,
        asked: ScriptPlace,
        step: Step,
        vault: &Vault,
        rules: &Rules,
    ) -> Result<ChatAnswer> {
        let open = match &step.outcome {
            StepOutcome::Continue(conversation) => Some(conversation),
            _ => None,
        };
        let taken = open.filter(|_| step.rule.leads_on());
        Ok(ChatAnswer {
            state: rules
                .script
                .name_of(open.map_or(asked, Conversation::place)),
            helped: open.map_or(step.helped, |conversation| conversation.helped),
            question: open.map(|conversation| conversation.question(rules)),
            prefill: taken.and_then(Conversation::prefill).map(str::to_owned),
            summary: open.map_or_else(Vec::new, |conversation| conversation.summary(rules)),
            replies: step.replies,
            hold: step.hold,
            asked: asked.state,
            callout: self.callout.as_ref().map(|mark| mark.id.clone()),
            rule: step.rule,
            reason: step.reason,
            unable: step.unable,
            understood: step.understood,
            next: match step.outcome {
                StepOutcome::Continue(conversation) => self.at(conversation, vault, rules)?,
                StepOutcome::Minor | StepOutcome::Ended => {
                    ChatOutcome::Closed(vault.report_id(&self.code()?)?)
                }
                StepOutcome::Completed(report) => {
                    self.complete(vault, rules, report, step.callout, step.concern)?
                }
            },
        })
    }

    fn complete(
        self,
        vault: &Vault,
        rules: &Rules,
        report: Report,
        callout: CalloutAnswers,
        urgente: Option<Concern>,
    ) -> Result<ChatOutcome> {
        // The department was chosen when the account was given.
        let added = report.segnalazione.contains(ADDITION_HEADING);
        let code = self.code()?;
        let id = vault.report_id(&code)?;
        let mut submission = submission(vault, id, self.privacy, report, urgente)?;
        if callout.given().is_some() {
            let said = callout.said_with(&submission.report);
            submission.impronta = vault.fingerprint(&said.map_err(|_| VaultError::Damaged)?);
        }
        submission.callout = callout;
        Ok(ChatOutcome::Report(Box::new(Submission {
            receipt: rules.receipts.then_some(code),
            routed: self.routed.filter(|_| !added),
            ..submission
        })))
    }

    fn code(&self) -> Result<ReceiptCode> {
        ReceiptCode::parse(&self.receipt).ok_or(Error::BadToken)
    }

    /// The token with which the conversation continues.
    fn at(self, conversation: Conversation, vault: &Vault, rules: &Rules) -> Result<ChatOutcome> {
        let content = Self {
            state: rules.script.name_of(conversation.place()),
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

#[cfg(test)]
mod tests {
    use crate::actions::intake::converse::*;
    use crate::domain::routing::{Analysis, Matter};

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
                resume: Some(ChatState::CollectPhone.into()),
                ..Conversation::default()
            },
            privacy: "p".to_owned(),
            rehearsal: true,
            routed: Some(RoutedAccount {
                basis: (1, 300),
                analysis: Analysis {
                    department: Matter::Sanita.key(),
                    reason: "r".to_owned(),
                    urgente: Some(Concern::Danger),
                    ..Analysis::default()
                },
            }),
            receipt: "c".to_owned(),
            callout: Some(CalloutMark {
                id: "i".to_owned(),
                version: 3,
                attachments: true,
            }),
            begun: 1,
            turned: 300,
            mark: EndMark::of("r"),
        };
        let pinned = "050e636f6c6c6563745f7265706f72742204416e6e610000000000000100000103000000000a303030302d30312d30310170010101ac020673616e697461000172000001020163010169030101ac02d7af8efdd5bda3e6b201";
        assert_eq!(hex::encode(content.layout().unwrap()), pinned);
    }
}
