//! Where a report goes, and why: the program's reading at its arrival, sealed with the report. Shown to staff only.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{DepartmentKey, Departments};
use crate::domain::care::Concern;

/// How likely a department is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Score {
    /// The department.
    pub department: DepartmentKey,
    /// In percent, rounded.
    pub percent: u8,
}

/// The program's analysis of a report when it arrived. Moving the report does not change it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct Analysis {
    /// Key of the department.
    #[schema(required)]
    pub department: DepartmentKey,
    /// A second department that the report may concern.
    #[schema(required)]
    pub secondary: Option<DepartmentKey>,
    /// Why, in Italian.
    #[schema(required)]
    pub reason: String,
    /// The words that spoke most for it, at most six.
    #[serde(rename = "matchedKeywords")]
    #[schema(required)]
    pub words: Vec<String>,
    /// How likely each department is, the likeliest first; empty unless the text was analysed.
    #[schema(required)]
    pub scores: Vec<Score>,
    /// A concern that the wording suggests; only people act on it.
    #[schema(required)]
    pub urgente: Option<Concern>,
}

impl Analysis {
    pub(super) fn plain(reason: String) -> Self {
        Self {
            reason,
            ..Self::default()
        }
    }

    /// After a move by staff, the reason says so first.
    pub fn moved_to(self, department: DepartmentKey, known: &Departments) -> Self {
        if self.department == department {
            return self;
        }
        let (from, said) = (known.name(&self.department), &self.reason);
        let reason = format!("Spostata dalla redazione; all'arrivo era in {from}. {said}");
        Self {
            department,
            reason: reason.trim_end().to_owned(),
            secondary: self.secondary.filter(|other| *other != department),
            ..self
        }
    }
}
