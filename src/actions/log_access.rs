//! The administrators' access log: one entry in it, when logging is on; and emptying it.
//! Must never be called for anything a reporter does.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::settings::security;
use super::{Act, Result};
use crate::domain::declare::names;
use crate::store::{self, AccessEntry};

/// Entries kept (source of the figure: PRODUCT.md §6).
const KEEP: i64 = 1_000;
/// Longest browser name kept, in characters.
const USER_AGENT_CHARS: usize = 300;

/// Who does something: an administrator's browser, or a command on the server (both texts empty).
#[derive(Debug, Clone, Default)]
pub struct Actor {
    pub ip: String,
    pub user_agent: String,
}

names! {
    /// What was done.
    #[schema(as = AccessAction)]
    pub enum Action {
        /// Right password.
        LoginSuccess = "LOGIN_SUCCESS",
        /// Wrong password.
        LoginFailed = "LOGIN_FAILED",
        /// Logged out.
        Logout = "LOGOUT",
        /// A report was opened.
        ReportViewed = "REPORT_VIEWED",
        /// A report was changed.
        ReportUpdated = "REPORT_UPDATED",
        /// A report was erased.
        ReportErased = "REPORT_ERASED",
        /// A PDF record of a report was made.
        ExportPdf = "EXPORT_PDF",
        /// The rows of a filter were exported.
        ExportCsv = "EXPORT_CSV",
        /// Settings or the password were changed.
        SettingsChanged = "SETTINGS_CHANGED",
        /// Phrases were changed.
        PromptsChanged = "PROMPTS_CHANGED",
        /// A backup was downloaded.
        Backup = "BACKUP",
        /// Deliveries were asked to be tried again.
        DeliveryRetried = "DELIVERY_RETRIED",
        /// Deliveries were put away.
        DeliveryIgnored = "DELIVERY_IGNORED",
        /// This log was emptied.
        LogsCleared = "LOGS_CLEARED",
    }
}

/// Something an administrator did.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = AccessLogEntry)]
pub struct LogEntry {
    /// When; RFC 3339, UTC.
    #[schema(value_type = String)]
    timestamp: Timestamp,
    /// What, such as `LOGIN_SUCCESS`.
    action: Action,
    /// Address; empty for a command on the server.
    ip: String,
    /// Browser; empty for a command on the server.
    user_agent: String,
    /// The report concerned, where one is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false)]
    report_id: Option<String>,
}

impl LogEntry {
    pub fn of(entry: AccessEntry) -> Result<Self> {
        let damaged = || store::Error::Damaged("access_log".to_owned());
        Ok(Self {
            timestamp: Timestamp::from_millisecond(entry.at).map_err(|_| damaged())?,
            action: serde_json::from_value(entry.action.into()).map_err(|_| damaged())?,
            ip: entry.ip,
            user_agent: entry.user_agent,
            report_id: entry.report,
        })
    }

    pub fn row(self) -> AccessEntry {
        AccessEntry {
            at: self.timestamp.as_millisecond(),
            action: self.action.as_str().to_owned(),
            ip: self.ip,
            user_agent: self.user_agent,
            report: self.report_id,
        }
    }
}

impl Act<'_> {
    /// Adds the entry unless logging is switched off.
    pub fn log(&self, action: Action, report: Option<&str>) -> Result<()> {
        if !security(self)?.enable_logging {
            return Ok(());
        }
        let agent = self.actor.user_agent.chars();
        let entry = AccessEntry {
            at: self.now,
            action: action.as_str().to_owned(),
            ip: self.actor.ip.clone(),
            user_agent: agent.take(USER_AGENT_CHARS).collect(),
            report: report.map(str::to_owned),
        };
        Ok(self.insert_access(&entry, KEEP)?)
    }
}

/// Empties the log, and says in the empty one who did. The login attempts stay: nobody gets new guesses by it.
pub fn clear_logs(act: &Act<'_>) -> Result<()> {
    act.clear_access_log()?;
    act.log(Action::LogsCleared, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_product_and_parse_back() {
        // Source: PRODUCT.md §6.
        for name in [
            "LOGIN_SUCCESS",
            "LOGIN_FAILED",
            "LOGOUT",
            "REPORT_VIEWED",
            "REPORT_UPDATED",
            "REPORT_ERASED",
            "EXPORT_CSV",
            "EXPORT_PDF",
            "BACKUP",
            "DELIVERY_RETRIED",
            "DELIVERY_IGNORED",
            "SETTINGS_CHANGED",
            "PROMPTS_CHANGED",
            "LOGS_CLEARED",
        ] {
            let action: Action = serde_json::from_value(name.into()).unwrap();
            assert_eq!(action.as_str(), name);
        }
        assert!(serde_json::from_value::<Action>("LOGIN".into()).is_err());
    }
}
