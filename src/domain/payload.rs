//! The content of mail and webhook about a report: a copy made when it arrived, which later changes of settings do not
//! rewrite. `Debug` must never show content.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::callout::CalloutAnswers;
use super::care::Concern;
use super::delivery::DeliveryKind;
use super::report::Report;
use super::routing::{Analysis, DepartmentKey, Departments};
use crate::domain::media::attachment::AttachmentSummary;

#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Payload {
    pub id: String,
    #[serde(flatten)]
    pub report: Report,
    #[serde(flatten)]
    pub callout: CalloutAnswers,
    /// In ms.
    pub data_creazione: i64,
    /// The program's reading of the report.
    pub analysis: Analysis,
    pub attachments: Vec<AttachmentSummary>,
    /// An editor's decision, else the program's reading.
    pub urgent: bool,
}

impl Payload {
    /// `None` if an editor took it back.
    pub fn concern(&self) -> Option<Concern> {
        self.analysis.urgente.filter(|_| self.urgent)
    }

    /// Keeps only what a message of this kind needs. A notice holds nothing of the report except the reporter's
    /// address, if it goes there.
    pub fn trimmed(self, kind: DeliveryKind) -> Self {
        if kind.tells_of_arrival() {
            return self;
        }
        let email = if kind.to_reporter() {
            self.report.email
        } else {
            String::new()
        };
        Self {
            report: Report {
                email,
                ..Report::default()
            },
            analysis: Analysis {
                department: self.analysis.department,
                ..Analysis::default()
            },
            attachments: Vec::new(),
            callout: CalloutAnswers::default(),
            ..self
        }
    }

    pub fn moved_to(self, department: DepartmentKey, known: &Departments) -> Self {
        let analysis = self.analysis.moved_to(department, known);
        Self { analysis, ..self }
    }
}

impl fmt::Debug for Payload {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Payload")
            .field("id", &self.id)
            .field("department", &self.analysis.department)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::routing::Matter;

    fn payload() -> Payload {
        Payload {
            id: "0b8f7a56-2f0d-4c6e-9f57-0d9a3c1f2e11".to_owned(),
            report: Report::example(),
            callout: CalloutAnswers::default(),
            data_creazione: 1_700_000_000_000,
            analysis: Analysis {
                department: Matter::Sanita.key(),
                reason: "Parole trovate: ospedale".to_owned(),
                words: vec!["ospedale".to_owned()],
                urgente: Some(Concern::Threat),
                ..Analysis::default()
            },
            attachments: Vec::new(),
            urgent: true,
        }
    }

    #[test]
    fn what_an_editor_took_back_is_not_told() {
        assert_eq!(payload().concern(), Some(Concern::Threat));
        let calm = Payload {
            urgent: false,
            ..payload()
        };
        assert_eq!(calm.concern(), None);
    }

    #[test]
    fn debug_shows_no_content() {
        let printed = format!("{:?}", payload());
        for secret in ["Anna", "Bianchi", "racconto", "ospedale", "@"] {
            assert!(!printed.contains(secret), "{printed}");
        }
    }
}
