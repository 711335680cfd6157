//! Messages of newsroom and reporter about a report, and the progress that a reporter is told: no more of the status than that.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::asked::Consent;
use super::callout::{CalloutQuestion, ReportAnswer};
use super::declare::names;
use super::invalid::Invalid;
use super::moment;
use super::report::Stato;
use super::retention::DAY_MS;
use super::text;

/// In characters.
pub const MESSAGE_CHARS: usize = 5_000;
/// Messages of one side about one report: bounds what an answer opens.
pub const MESSAGES: i64 = 200;
/// How long a request to withdraw a report may wait.
const WITHDRAWAL_MS: i64 = 7 * DAY_MS;

names! {
    /// Who wrote a message.
    #[schema(as = MessageAuthor)]
    pub enum Author {
        /// The newsroom.
        Redazione = "redazione",
        /// The reporter.
        Segnalante = "segnalante",
    }
}

names! {
    /// The progress of a report, as its reporter sees it.
    #[schema(as = Progress)]
    pub enum ReportProgress {
        /// It arrived.
        Ricevuta = "Ricevuta",
        /// The newsroom works on it.
        InLavorazione = "In lavorazione",
        /// The newsroom is done with it.
        Conclusa = "Conclusa",
    }
}

impl ReportProgress {
    pub fn of(stato: Stato) -> Self {
        match stato {
            Stato::Nuova => Self::Ricevuta,
            Stato::InLavorazione => Self::InLavorazione,
            Stato::Risolta | Stato::Archiviata => Self::Conclusa,
        }
    }
}

/// A message to write.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MessageIn {
    /// Its text.
    #[schema(max_length = 5000)]
    pub text: String,
    /// A key chosen by the sender. A repeated call with the same key sends nothing new.
    #[schema(max_length = 36)]
    pub key: Option<String>,
}

/// A message of a reporter.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReporterMessageIn {
    /// Its text.
    #[schema(max_length = 5000)]
    pub text: String,
    /// A key chosen by the sender. A repeated call with the same key sends nothing new.
    #[schema(max_length = 36)]
    pub key: Option<String>,
    /// Ids of the attached files that the page shows, which are the last part of their upload addresses. The message
    /// sends exactly these files, and all of them must exist.
    pub attachments: Option<Vec<String>>,
}

/// A message to a reporter.
#[derive(Clone, Deserialize, ToSchema, Default)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReplyIn {
    /// Its text.
    #[schema(max_length = 5000)]
    pub text: String,
    /// A key chosen by the sender. A repeated call with the same key sends nothing new.
    #[schema(max_length = 36)]
    pub key: Option<String>,
    /// Whether the message answers the request to withdraw the report and so closes that request.
    #[serde(default)]
    pub closes_withdrawal: bool,
    /// Questions for the reporter to answer or skip. One without a key gets one; none leads elsewhere.
    #[serde(default)]
    #[schema(max_items = 6)]
    pub questions: Vec<CalloutQuestion>,
}

/// A message that was written.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    /// Its number, by which its questions are answered.
    pub id: i64,
    /// Who wrote it.
    #[serde(rename = "from")]
    pub author: Author,
    /// Its text.
    pub text: String,
    /// When; RFC 3339, UTC.
    #[serde(serialize_with = "moment::serialize")]
    #[schema(value_type = String)]
    pub at: i64,
    /// What it asks; empty for a plain message.
    pub questions: Vec<CalloutQuestion>,
    /// What was answered; null while nothing was.
    pub answers: Option<MessageAnswers>,
    /// The consent that it asks for; null for a plain message.
    pub consent: Option<Consent>,
}

impl Message {
    /// What was answered to its questions.
    pub fn given(&self) -> &[ReportAnswer] {
        let answers = self.answers.as_ref();
        answers.map_or(&[], |answers| &answers.data)
    }

    /// What it asks and what came of it, a line each: each question with its answer, and the consent. `at` writes a moment (ms).
    pub fn asked_lines(&self, at: impl Fn(i64) -> String) -> Vec<String> {
        let mut lines = Vec::new();
        for question in &self.questions {
            let answer = self
                .answer_to(question)
                .map_or("senza risposta", |one| &one.text);
            lines.push(format!("Domanda: {}\nRisposta: {answer}", question.text));
        }
        if let Some(answers) = &self.answers {
            lines.push(format!("Risposte del {}", at(answers.at)));
        }
        if let Some(consent) = &self.consent {
            lines.push(consent.line(at));
        }
        lines
    }

    /// What was answered to one of its questions; `None` where that was skipped.
    pub fn answer_to(&self, question: &CalloutQuestion) -> Option<&ReportAnswer> {
        self.given().iter().find(|one| one.key == question.key)
    }

    /// Whether the newsroom has read the answers, which then stay as they are.
    pub fn is_closed(&self) -> bool {
        self.answers.as_ref().is_some_and(|answers| answers.read)
    }
}

/// The answers to the questions of a message.
#[derive(Serialize, ToSchema)]
pub struct MessageAnswers {
    /// In the order of the questions; one that was skipped is absent.
    pub data: Vec<ReportAnswer>,
    /// When they were last changed; RFC 3339, UTC.
    #[serde(serialize_with = "moment::serialize")]
    #[schema(value_type = String)]
    pub at: i64,
    /// Whether the newsroom has read them: they stay as they are.
    pub read: bool,
}

/// A request to withdraw a report.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct WithdrawalIn {
    /// Why.
    #[schema(max_length = 1000)]
    pub reason: Option<String>,
}

/// A request to withdraw a report, which waits.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
pub struct Withdrawal {
    /// When the request was made; RFC 3339, UTC. A message of the same moment gives the reason.
    #[serde(serialize_with = "moment::serialize")]
    #[schema(value_type = String)]
    pub at: i64,
    /// By when the newsroom erases the report or answers why not; RFC 3339, UTC.
    #[serde(serialize_with = "moment::serialize")]
    #[schema(value_type = String)]
    pub due: i64,
}

impl Withdrawal {
    pub const fn asked(at: i64) -> Self {
        let due = at.saturating_add(WITHDRAWAL_MS);
        Self { at, due }
    }
}

/// At most `most` characters.
pub fn parse_text(typed: &str, most: usize) -> Result<String, Invalid> {
    let said = text::clean(typed).trim().to_owned();
    let refused = |code, message: String| Err(Invalid::new("text", code, message));
    if text::is_blank(&said) {
        return refused("empty", "Scrivi il testo.".to_owned());
    }
    if text::char_count(&said) > most {
        let most = format!("Il testo può avere al massimo {most} caratteri.");
        return refused("tooLong", most);
    }
    Ok(said)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_says_something_and_ends() {
        assert_eq!(parse_text(" ciao\r\na te ", 9).unwrap(), "ciao\na te");
        for (typed, code) in [(" \u{200b}\n", "empty"), (&*"è".repeat(5_001), "tooLong")] {
            assert_eq!(parse_text(typed, 5_000).unwrap_err().code, code);
        }
        assert!(parse_text(&"è".repeat(5_000), 5_000).is_ok());
    }

    #[test]
    fn an_archived_report_is_concluded_for_its_reporter() {
        let told = Stato::ALL.map(|stato| ReportProgress::of(stato).as_str());
        assert_eq!(told, ["Ricevuta", "In lavorazione", "Conclusa", "Conclusa"]);
    }
}
