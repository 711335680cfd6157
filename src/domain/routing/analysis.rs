//! What the analysis said when a report arrived; sealed with the report.
//! It must never be shown but to staff.

use serde::{Deserialize, Serialize};

use super::{Department, Routing, Score};
use crate::domain::care::Concern;

/// The program's own opinion of a report, kept as it was: moving the report does not rewrite it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Analysis {
    /// The department it was sent to.
    pub department: Department,
    /// The other department that it touches.
    pub secondary: Option<Department>,
    /// Why, in Italian.
    pub reason: String,
    /// The words that spoke most for it.
    pub words: Vec<String>,
    /// How likely each department was.
    pub scores: Vec<Score>,
    /// What its wording suggests; nobody but people acts on it.
    pub urgente: Option<Concern>,
}

/// Why a report is where staff moved it, though it arrived in the department of this name, for this reason.
pub fn moved_reason(from: &str, said: &str) -> String {
    let reason = format!("Spostata dalla redazione; all'arrivo era in {from}. {said}");
    reason.trim_end().to_owned()
}

impl Analysis {
    /// As it reads now that the report is in this department: where staff moved it, the reason says so first.
    pub fn moved_to(self, department: Department) -> Self {
        if self.department == department {
            return self;
        }
        Self {
            department,
            reason: moved_reason(self.department.name(), &self.reason),
            secondary: self.secondary.filter(|other| *other != department),
            ..self
        }
    }

    pub fn new(routing: &Routing, urgente: Option<Concern>) -> Self {
        Self {
            urgente,
            department: routing.department,
            secondary: routing.secondary,
            reason: routing.reason.clone(),
            words: routing.matched_keywords.clone(),
            scores: routing.scores.clone(),
        }
    }
}
