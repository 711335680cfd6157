//! Tables `access_log` (what staff did, when and from where, and who was not let in) and `access_ends` (the ends of its chains).
//! Must never hold the content of a report, a secret, or anything about a reporter's connection.

use rusqlite::Row;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::domain::declare::names;
use crate::domain::moment;
use crate::store::session::{Snapshot, Tx, columns, rows, statements};

names! {
    /// An action that the log records.
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
        /// A message was written to a reporter.
        MessageSent = "MESSAGE_SENT",
        /// A PDF record of a report was made.
        ExportPdf = "EXPORT_PDF",
        /// A ZIP archive of a report was made.
        ExportZip = "EXPORT_ZIP",
        /// A clean copy of a report was made.
        ExportRedacted = "EXPORT_REDACTED",
        /// An attachment was opened.
        ExportAttachment = "EXPORT_ATTACHMENT",
        /// The rows of a filter were exported.
        ExportCsv = "EXPORT_CSV",
        /// Settings or the password were changed.
        SettingsChanged = "SETTINGS_CHANGED",
        /// Phrases were changed.
        PromptsChanged = "PROMPTS_CHANGED",
        /// A person was invited, changed or removed, or chose a password.
        PeopleChanged = "PEOPLE_CHANGED",
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

names! {
    /// A kind of record in the access log. Records of one kind never displace those of another.
    #[schema(as = AccessKind)]
    pub enum LogKind {
        /// Who came in or went out.
        Accessi = "accessi",
        /// Who was not let in.
        Rifiuti = "rifiuti",
        /// Actions on reports: opened, changed, written.
        Segnalazioni = "segnalazioni",
        /// Exports, erasures, backups.
        Copie = "copie",
        /// Settings, phrases, people, and this log.
        Impostazioni = "impostazioni",
    }
}

impl Action {
    pub const fn kind(self) -> LogKind {
        match self {
            Self::LoginSuccess | Self::Logout => LogKind::Accessi,
            Self::LoginFailed | Self::AccessDenied => LogKind::Rifiuti,
            Self::ReportViewed
            | Self::ReportUpdated
            | Self::MessageSent
            | Self::DeliveryRetried
            | Self::DeliveryIgnored => LogKind::Segnalazioni,
            Self::ReportErased
            | Self::ExportPdf
            | Self::ExportZip
            | Self::ExportRedacted
            | Self::ExportAttachment
            | Self::ExportCsv
            | Self::Backup => LogKind::Copie,
            Self::SettingsChanged
            | Self::PromptsChanged
            | Self::PeopleChanged
            | Self::LogsCleared => LogKind::Impostazioni,
        }
    }
}

/// An action that was logged, or a login that was refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = AccessLogEntry)]
pub struct AccessEntry {
    /// When, the last time; RFC 3339, UTC.
    #[serde(with = "moment")]
    #[schema(value_type = String)]
    pub timestamp: i64,
    /// What, such as `LOGIN_SUCCESS`.
    pub action: Action,
    /// The client's address; for a refused IPv6 login its `/64` network. Empty for a command on the server, and for
    /// refused clients beyond the first 20 within a quarter of an hour.
    pub ip: String,
    /// Browser; empty for a command on the server.
    pub user_agent: String,
    /// Id of the report that it was about, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false)]
    pub report_id: Option<String>,
    /// The number of refused logins within a quarter of an hour that this entry stands for; 1 when absent.
    #[serde(default = "once", skip_serializing_if = "is_once")]
    #[schema(required = false)]
    pub count: i64,
    /// Id of the person who did it; absent for the shared password and for a command on the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false)]
    pub person: Option<String>,
    /// That person's name at the time; `password della redazione` for the shared password.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false)]
    pub who: Option<String>,
    /// The person or setting that the action was about, and what was changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false)]
    pub about: Option<String>,
}

/// The number of log entries by period.
#[derive(Debug, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LogCounts {
    /// In the last 24 hours.
    pub last_day: i64,
    /// In the last 7 days.
    pub last_week: i64,
    /// In the whole log.
    pub total: i64,
}

/// An entry with its place in its chain.
pub struct ChainedEntry {
    pub id: i64,
    pub kind: LogKind,
    pub n: i64,
    pub mac: [u8; 32],
    pub entry: AccessEntry,
}

fn once() -> i64 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_once(count: &i64) -> bool {
    *count == 1
}

columns! {
    AccessEntry { timestamp, action, ip, user_agent, report_id, count, person, who, about }
    LogCounts { last_day, last_week, total }
}

impl TryFrom<&Row<'_>> for ChainedEntry {
    type Error = rusqlite::Error;

    fn try_from(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            entry: AccessEntry::try_from(row)?,
            id: row.get("id")?,
            kind: row.get("kind")?,
            n: row.get("n")?,
            mac: row.get("mac")?,
        })
    }
}

impl Snapshot<'_> {
    statements! {
        /// The newest entries, of one action or kind or of all: so many of what was done, and so many of who was not let in.
        list access_log(done: usize as rows, refused: usize as rows, action: Option<Action>, kind: Option<LogKind>) -> Vec<AccessEntry> =
            "SELECT at, action, ip, user_agent, report, times, person, who, about FROM access_log WHERE id IN (SELECT id \
            FROM access_log WHERE kind <> 'rifiuti' AND (?3 IS NULL OR action = ?3) AND (?4 IS NULL OR kind = ?4) \
            ORDER BY at DESC, id DESC LIMIT ?1) OR id IN (SELECT id FROM access_log WHERE kind = 'rifiuti' \
            AND (?3 IS NULL OR action = ?3) AND (?4 IS NULL OR kind = ?4) ORDER BY at DESC, id DESC LIMIT ?2) \
            ORDER BY at DESC, id DESC";
        /// How often an action, or any, was done since `lately`, since `before` (both in ms) and in the whole log.
        find access_counts(lately: i64, before: i64, action: Option<Action>) -> Option<LogCounts> =
            "SELECT coalesce(sum(times) FILTER (WHERE at >= ?1), 0), coalesce(sum(times) FILTER (WHERE at >= ?2), 0), \
            coalesce(sum(times), 0) FROM access_log WHERE ?3 IS NULL OR action = ?3";
        find_value last_access(action: Action) -> Option<i64> =
            "SELECT at FROM access_log WHERE action = ?1 ORDER BY id DESC LIMIT 1";
        /// Every entry, the oldest first.
        list chained_entries() -> Vec<ChainedEntry> =
            "SELECT at, action, ip, user_agent, report, times, person, who, about, id, kind, n, mac FROM access_log ORDER BY id";
        find_value access_mac(kind: LogKind, n: i64) -> Option<[u8; 32]> =
            "SELECT mac FROM access_log WHERE kind = ?1 AND n = ?2";
        /// The first entries of a kind.
        list oldest_access(kind: LogKind, most: usize as rows) -> Vec<ChainedEntry> =
            "SELECT at, action, ip, user_agent, report, times, person, who, about, id, kind, n, mac FROM access_log \
            WHERE kind = ?1 ORDER BY n LIMIT ?2";
        /// The record of the ends of the chains, and the MAC over it.
        find access_ends() -> Option<(String, [u8; 32])> = "SELECT body, mac FROM access_ends";
    }
}

impl Tx<'_> {
    statements! {
        execute insert_access(kind: LogKind, n: i64, entry: &AccessEntry, mac: &[u8; 32]) =
            "INSERT INTO access_log (kind, n, at, action, ip, user_agent, report, times, person, who, about, mac) \
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
            [kind, n, entry.timestamp, entry.action, entry.ip, entry.user_agent, entry.report_id, entry.count, entry.person,
                entry.who, entry.about, mac];
        execute put_access_place(id: i64, n: i64, mac: &[u8; 32]) =
            "UPDATE access_log SET n = ?2, mac = ?3 WHERE id = ?1";
        execute put_access_ends(body: &str, mac: &[u8; 32]) =
            "INSERT INTO access_ends (id, body, mac) VALUES (1, ?1, ?2) ON CONFLICT DO UPDATE SET body = ?1, mac = ?2";
        /// Drops the entries of a kind up to this number; answers how many.
        changed prune_access(kind: LogKind, to: i64) -> usize = "DELETE FROM access_log WHERE kind = ?1 AND n <= ?2";
        execute clear_access_log() = "DELETE FROM access_log";
    }
}
