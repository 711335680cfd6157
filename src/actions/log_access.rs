//! The administrators' access log: one entry in it, when logging is on; and emptying it.
//! Must never be called for anything a reporter does.

use std::collections::HashMap;
use std::net::IpAddr;

use ipnet::Ipv6Net;
use jiff::Timestamp;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::settings::security;
use super::{Act, Result};
use crate::domain::declare::names;
use crate::store::{self, AccessEntry, Store, Tx};

/// Entries kept of what was done (source of the figure: PRODUCT.md §6).
const KEEP: usize = 1_000;
/// Clients named in a quarter of an hour, of those who were not let in.
const CLIENTS: usize = 20;
/// Rows kept of those who were not let in: more than a day of refusals of both kinds, all day long.
const KEEP_REFUSALS: usize = 5_000;
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
        /// An address that the allow-list shuts out.
        AccessDenied = "ACCESS_DENIED",
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

impl Action {
    /// Whether somebody was not let in.
    fn is_refusal(self) -> bool {
        matches!(self, Self::LoginFailed | Self::AccessDenied)
    }
}

/// Something an administrator did, or somebody who was not let in.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = AccessLogEntry)]
pub struct LogEntry {
    /// When, the last time; RFC 3339, UTC.
    #[schema(value_type = String)]
    timestamp: Timestamp,
    /// What, such as `LOGIN_SUCCESS`.
    action: Action,
    /// Address; of one who was not let in, an IPv6 network `/64`. Empty for a command on the server, and for the clients beyond
    /// the first 20 of a quarter of an hour.
    ip: String,
    /// Browser; empty for a command on the server.
    user_agent: String,
    /// The report concerned, where one is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false)]
    report_id: Option<String>,
    /// How often within a quarter of an hour; 1 when absent.
    #[serde(default = "once", skip_serializing_if = "is_once")]
    #[schema(required = false)]
    count: i64,
}

fn once() -> i64 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_once(count: &i64) -> bool {
    *count == 1
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
            count: entry.times,
        })
    }

    /// Stores an entry that was read out of another archive.
    pub fn store(self, tx: &Tx<'_>) -> Result<()> {
        let entry = AccessEntry {
            at: self.timestamp.as_millisecond(),
            action: self.action.as_str().to_owned(),
            ip: self.ip,
            user_agent: self.user_agent,
            report: self.report_id,
            times: self.count.max(1),
        };
        enter(tx, self.action, &entry)
    }
}

fn enter(tx: &Tx<'_>, action: Action, entry: &AccessEntry) -> Result<()> {
    Ok(if action.is_refusal() {
        tx.count_refusal(entry, CLIENTS, KEEP_REFUSALS)
    } else {
        tx.insert_access(entry, KEEP)
    }?)
}

/// An entry of now, by whoever it was.
fn entry(action: Action, actor: &Actor, at: i64) -> AccessEntry {
    let agent = actor.user_agent.chars();
    let network = match actor.ip.parse() {
        Ok(IpAddr::V6(v6)) if action.is_refusal() => Ipv6Net::new(v6, 64).ok(),
        _ => None,
    };
    AccessEntry {
        at,
        action: action.as_str().to_owned(),
        ip: network.map_or_else(|| actor.ip.clone(), |network| network.trunc().to_string()),
        user_agent: agent.take(USER_AGENT_CHARS).collect(),
        report: None,
        times: 1,
    }
}

impl Act<'_> {
    /// Adds the entry unless logging is switched off.
    pub fn log(&self, action: Action, report: Option<&str>) -> Result<()> {
        if !security(self)?.enable_logging {
            return Ok(());
        }
        let entry = AccessEntry {
            report: report.map(str::to_owned),
            ..entry(action, self.actor, self.now)
        };
        enter(self, action, &entry)
    }
}

/// Whom the allow-list refused since the last batch: in memory, because a refused call must not cost a write.
#[derive(Default)]
pub struct Denials(Mutex<HashMap<String, AccessEntry>>);

impl Denials {
    pub fn note(&self, actor: &Actor, now: i64) {
        self.add(entry(Action::AccessDenied, actor, now));
    }

    fn add(&self, mut entry: AccessEntry) {
        let denials = &mut *self.0.lock();
        if denials.len() >= CLIENTS && !denials.contains_key(&entry.ip) {
            entry.ip.clear();
            entry.user_agent.clear();
        }
        let before = denials.remove(&entry.ip);
        entry.times += before.map_or(0, |before| before.times);
        denials.insert(entry.ip.clone(), entry);
    }

    /// Moves them into the log, unless logging is switched off. Those that could not be stored are kept for the next time.
    pub fn flush(&self, store: &Store) -> Result<()> {
        let denials = std::mem::take(&mut *self.0.lock());
        if denials.is_empty() {
            return Ok(());
        }
        let batch: Vec<_> = denials.values().cloned().collect();
        let stored = store.write(move |tx| {
            if !security(tx)?.enable_logging {
                return Ok(());
            }
            let mut batch = batch.iter();
            batch.try_for_each(|entry| enter(tx, Action::AccessDenied, entry))
        });
        if stored.is_err() {
            for entry in denials.into_values() {
                self.add(entry);
            }
        }
        stored
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
            "ACCESS_DENIED",
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
