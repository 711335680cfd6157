//! What the analysis said when a report arrived, and where staff saw its urgency differently; sealed with the report.
//! It must never be shown but to staff.

use serde::{Deserialize, Serialize};

use super::{Department, Routing, Score};
use crate::domain::care::{self, Concern};

/// Turns of a report's urgency that are kept, an even number: of more than that the oldest are forgotten, two by two.
const TURNS_MAX: usize = 100;

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
    /// When editors turned its urgency round, in ms, the oldest first. Times alone, so that the sealed text is as long
    /// whichever way it went.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<i64>,
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
}

impl Analysis {
    /// Of where a report goes, and of what its wording suggests.
    pub fn new(routing: &Routing, urgente: Option<Concern>) -> Self {
        Self {
            urgente,
            turns: Vec::new(),
            department: routing.department,
            secondary: routing.secondary,
            reason: routing.reason.clone(),
            words: routing.matched_keywords.clone(),
            scores: routing.scores.clone(),
        }
    }
}

impl Analysis {
    /// Whether the report counts as urgent now: what an editor decided, else what the program read.
    pub fn is_urgent(&self) -> bool {
        care::is_urgent(self.urgente, self.turns.len())
    }

    /// An editor sees its urgency differently, at this moment (ms).
    pub fn turn(&mut self, at: i64) {
        self.turns.push(at);
        if self.turns.len() > TURNS_MAX {
            self.turns.drain(..2);
        }
    }

    /// When editors turned its urgency round (ms), and whether it was urgent from then on; the oldest first.
    pub fn decisions(&self) -> impl Iterator<Item = (i64, bool)> {
        let turns = self.turns.iter().enumerate();
        turns.map(|(before, at)| (*at, care::is_urgent(self.urgente, before + 1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_turn_is_the_opposite_of_what_was() {
        for read in [None, Some(Concern::Threat)] {
            let mut analysis = Analysis {
                urgente: read,
                ..Analysis::default()
            };
            let mut expected = Vec::new();
            for at in 1..=5 {
                let was = analysis.is_urgent();
                analysis.turn(at);
                assert_eq!(analysis.is_urgent(), !was);
                expected.push((at, !was));
            }
            assert_eq!(analysis.decisions().collect::<Vec<_>>(), expected);
            assert_eq!(analysis.urgente, read, "what the program read stays");
        }
    }

    #[test]
    fn the_oldest_turns_are_forgotten_and_the_latest_holds() {
        let mut analysis = Analysis::default();
        for at in 1..=250 {
            analysis.turn(at);
            assert_eq!(analysis.is_urgent(), at % 2 == 1);
            assert!(analysis.turns.len() <= TURNS_MAX);
        }
        let last = analysis.decisions().last();
        assert_eq!(last, Some((250, false)));
        assert!(
            analysis
                .decisions()
                .all(|(at, urgent)| urgent == (at % 2 == 1))
        );
    }

    #[test]
    fn the_sealed_text_is_as_long_whichever_way_it_went() {
        let length = |urgente, at| {
            let mut analysis = Analysis {
                urgente,
                ..Analysis::default()
            };
            let before = serde_json::to_string(&analysis).unwrap().len();
            analysis.turn(at);
            serde_json::to_string(&analysis).unwrap().len() - before
        };
        let at = 1_700_000_000_000;
        assert_eq!(length(None, at), length(Some(Concern::Danger), at + 7));
    }
}
