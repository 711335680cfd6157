//! Which reports a list shows: status, department, urgency and date, which are stored in the clear.
//! Must never ask for anything that is sealed: the search does.

use super::reports::ReportRow;
use crate::domain::report::Stato;
use crate::domain::routing::Department;

#[derive(Debug, Clone, Default)]
pub struct ListFilter {
    pub stato: Option<Stato>,
    pub department: Option<Department>,
    /// Only those that count as urgent, or only the others.
    pub urgente: Option<bool>,
    /// Only those that arrived at this time (ms) or later.
    pub since: Option<i64>,
}

impl ListFilter {
    /// The rows that it lets through, as a condition on `?1` (status or null), `?2` (time or null) and `?3` (department or
    /// null). One text for each kind of filter, so that each has its own plan. The date is turned into a bound on the
    /// arrival number too, so that the list never walks the whole archive.
    pub(super) fn condition(&self) -> String {
        let since = match self.since {
            Some(_) => {
                "data_creazione >= ?2 AND seq >= (SELECT min(seq) \
                 FROM segnalazioni INDEXED BY segnalazioni_data WHERE data_creazione >= ?2)"
            }
            None => "?2 IS NULL",
        };
        format!("{} AND {since}", self.kind_condition())
    }

    /// Its part that is a word of the row: status, department and urgency. The latter is written out, because only so is
    /// the index of the urgent used.
    pub(super) fn kind_condition(&self) -> String {
        let urgente = match self.urgente {
            Some(true) => " AND urgente = 1",
            Some(false) => " AND urgente = 0",
            None => "",
        };
        let kind = match (self.stato, self.department) {
            (Some(_), Some(_)) => "stato = ?1 AND department = ?3",
            (Some(_), None) => "stato = ?1 AND ?3 IS NULL",
            (None, Some(_)) => "department = ?3 AND ?1 IS NULL",
            (None, None) => "?1 IS NULL AND ?3 IS NULL",
        };
        format!("{kind}{urgente}")
    }

    /// Whether it asks for a status, a department or an urgency: something in the clear, whatever the text of a report.
    pub fn has_kind(&self) -> bool {
        self.stato.is_some() || self.department.is_some() || self.urgente.is_some()
    }

    pub fn admits(&self, row: &ReportRow) -> bool {
        self.stato.is_none_or(|stato| stato == row.stato)
            && self.department.is_none_or(|one| one == row.department)
            && self.urgente.is_none_or(|urgente| urgente == row.urgente)
            && self.since.is_none_or(|since| row.data_creazione >= since)
    }
}
