//! The panel's JSON backup: settings, phrases, access log, ledger of erased reports, and every report in the clear. Written
//! and read one report at a time, however many there are.
//! Must never hold a password, a key or a secret, nor be taken where a part of it is missing, unknown or wrong.

use std::fmt;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use anyhow::{Context, Error, Result, anyhow, ensure};
use jiff::Timestamp;
use serde::de::{DeserializeOwned, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::VERSION;
use crate::actions;
use crate::actions::import_report::Record;
use crate::actions::log_access::Action;
use crate::actions::settings::{Sectioned, load};
use crate::domain::phrases::Phrases;
use crate::domain::settings::{Email, Security, System, overlay};
use crate::store::{AccessEntry, Cause, LedgerRow, Snapshot};

const FORMAT: &str = "segnalazioni-backup";
const FORMAT_VERSION: u32 = 1;
/// What follows the last report.
pub const END: &[u8] = b"]}";

/// The file.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PanelBackup {
    /// Always `segnalazioni-backup`.
    #[schema(example = "segnalazioni-backup")]
    pub format: String,
    /// Layout of the file.
    pub format_version: u32,
    /// Version of the program that wrote it.
    pub program_version: String,
    /// When it was begun; RFC 3339, UTC.
    #[schema(value_type = String)]
    pub timestamp: Timestamp,
    /// Settings and phrases, without any secret.
    pub settings: BackupSettings,
    /// The access log, newest first.
    pub logs: Vec<LogEntry>,
    /// Reports that were erased: a restore of an older file lets none of them come back.
    pub erased: Vec<ErasedEntry>,
    /// Every report that had arrived by then, newest first.
    pub reports: Vec<Record>,
}

/// Settings and phrases in a backup.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BackupSettings {
    /// The security settings.
    pub security: Security,
    /// The system settings.
    pub system: System,
    /// The e-mail settings.
    pub email: Email,
    /// The phrases of the chat.
    pub prompts: Phrases,
}

/// Something an administrator did.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = BackupLogEntry)]
pub struct LogEntry {
    /// When; RFC 3339, UTC.
    #[schema(value_type = String)]
    pub timestamp: Timestamp,
    /// What.
    pub action: Action,
    /// Address; empty for a command on the server.
    pub ip: String,
    /// Browser; empty for a command on the server.
    pub user_agent: String,
    /// The report concerned, where one is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report_id: Option<String>,
}

/// A report that was erased.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ErasedEntry {
    /// SHA-256 of its id (with a prefix), in hex.
    #[serde(with = "hex")]
    #[schema(value_type = String)]
    pub trace: [u8; 32],
    /// When; RFC 3339, UTC.
    #[schema(value_type = String)]
    pub at: Timestamp,
    /// `richiesta` (an editor asked for it) or `scadenza` (by its age).
    #[schema(value_type = String)]
    pub cause: Cause,
}

impl PanelBackup {
    /// The file as it begins, without its reports.
    pub fn begin(snapshot: &Snapshot<'_>, now: i64) -> Result<Self> {
        let logs = snapshot.access_log(usize::MAX, None)?.into_iter();
        let erased = snapshot.ledger()?.into_iter();
        Ok(Self {
            format: FORMAT.to_owned(),
            format_version: FORMAT_VERSION,
            program_version: VERSION.to_owned(),
            timestamp: Timestamp::from_millisecond(now)?,
            settings: BackupSettings {
                security: load(snapshot)?,
                system: load(snapshot)?,
                email: load(snapshot)?,
                prompts: load(snapshot)?,
            },
            logs: logs.map(LogEntry::of).collect::<Result<_>>()?,
            erased: erased.map(ErasedEntry::of).collect::<Result<_>>()?,
            reports: Vec::new(),
        })
    }

    /// The text of the file up to the place of its first report: `reports` is its last member, and empty.
    pub fn head(&self) -> Result<Vec<u8>> {
        let mut text = serde_json::to_vec(self)?;
        text.truncate(text.len() - END.len());
        Ok(text)
    }

    /// Refuses what no program of this version has written.
    fn check(&self) -> Result<()> {
        ensure!(
            self.format == FORMAT,
            "il file JSON è di un altro prodotto («format»)"
        );
        ensure!(
            self.format_version == FORMAT_VERSION,
            "il formato del file non è conosciuto da questa versione del programma: serve una versione più recente"
        );
        Ok(())
    }
}

/// Refuses a section with a member that is unknown, or that breaks a rule.
fn check_section<T: Sectioned>(settings: &Value, name: &str) -> Result<()> {
    let section = settings[name].as_object().cloned().unwrap_or_default();
    let rules = overlay(&T::default(), section).and_then(|section| section.check());
    match rules.err().and_then(|broken| broken.into_iter().next()) {
        None => Ok(()),
        Some(rule) => Err(invalid(&format!("settings.{name}.{}", rule.field))),
    }
}

impl LogEntry {
    fn of(entry: AccessEntry) -> Result<Self> {
        Ok(Self {
            timestamp: Timestamp::from_millisecond(entry.at)?,
            action: serde_json::from_value(Value::String(entry.action))?,
            ip: entry.ip,
            user_agent: entry.user_agent,
            report_id: entry.report,
        })
    }

    pub(super) fn row(self) -> AccessEntry {
        AccessEntry {
            at: self.timestamp.as_millisecond(),
            action: self.action.as_str().to_owned(),
            ip: self.ip,
            user_agent: self.user_agent,
            report: self.report_id,
        }
    }
}

impl ErasedEntry {
    fn of(row: LedgerRow) -> Result<Self> {
        Ok(Self {
            trace: row.trace,
            at: Timestamp::from_millisecond(row.at)?,
            cause: row.cause,
        })
    }

    pub(super) fn row(&self) -> LedgerRow {
        LedgerRow {
            trace: self.trace,
            at: self.at.as_millisecond(),
            cause: self.cause,
        }
    }
}

/// Reads a file to its end: each report goes to `take`, what stands beside the reports is answered. An error names the place,
/// and never repeats a word out of the file.
pub(super) fn read(
    file: &Path,
    take: &mut dyn FnMut(Record) -> actions::Result<()>,
) -> Result<PanelBackup> {
    let mut json = serde_json::Deserializer::from_reader(BufReader::new(File::open(file)?));
    let mut reading = Reading {
        take,
        reports: None,
        refused: None,
    };
    let read = reading
        .deserialize(&mut json)
        .and_then(|rest| json.end().map(|()| rest));
    if let Some(refused) = reading.refused {
        return Err(refused);
    }
    let mut rest = read.map_err(|error| {
        let (line, column) = (error.line(), error.column());
        anyhow!("il file JSON è danneggiato o incompleto (riga {line}, colonna {column})")
    })?;
    reading
        .reports
        .context("non è un backup di segnalazioni: manca l'elenco «reports»")?;
    rest.insert("reports".to_owned(), Value::Array(Vec::new()));
    let settings = rest.get("settings").cloned().unwrap_or_default();
    let rest: PanelBackup = strict(Value::Object(rest), "")?;
    rest.check()?;
    check_section::<Security>(&settings, "security")?;
    check_section::<System>(&settings, "system")?;
    check_section::<Email>(&settings, "email")?;
    check_section::<Phrases>(&settings, "prompts")?;
    Ok(rest)
}

/// A value as the type it must be.
fn strict<T: DeserializeOwned>(value: Value, place: &str) -> Result<T> {
    serde_path_to_error::deserialize(value)
        .map_err(|error| invalid(&format!("{place}{}", error.path())))
}

fn invalid(place: &str) -> Error {
    anyhow!("il file JSON non è valido: {place}")
}

struct Reading<'t> {
    take: &'t mut dyn FnMut(Record) -> actions::Result<()>,
    /// Reports so far; `None` before their list.
    reports: Option<usize>,
    /// What ended it, where that was not the JSON itself.
    refused: Option<Error>,
}

impl Reading<'_> {
    fn report(&mut self, value: Value) -> Result<()> {
        let number = self.reports.get_or_insert(0);
        let place = format!("reports[{number}]");
        *number += 1;
        let record: Record = strict(value, &format!("{place}."))?;
        (self.take)(record).with_context(|| invalid(&place))
    }
}

impl<'de> DeserializeSeed<'de> for &mut Reading<'_> {
    type Value = Map<String, Value>;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Self::Value, D::Error> {
        json.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for &mut Reading<'_> {
    type Value = Map<String, Value>;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("a backup")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let mut rest = Map::new();
        while let Some(key) = members.next_key::<String>()? {
            if key == "reports" && self.reports.is_none() {
                self.reports = Some(0);
                members.next_value_seed(Reports(self))?;
            } else if key == "reports" || rest.contains_key(&key) {
                return Err(serde::de::Error::custom("a repeated member"));
            } else {
                rest.insert(key, members.next_value()?);
            }
        }
        Ok(rest)
    }
}

/// The list of reports.
struct Reports<'r, 't>(&'r mut Reading<'t>);

impl<'de> DeserializeSeed<'de> for Reports<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Reports<'_, '_> {
    type Value = ();

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("a list of reports")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while let Some(item) = items.next_element()? {
            if let Err(refused) = self.0.report(item) {
                self.0.refused = Some(refused);
                return Err(serde::de::Error::custom("refused"));
            }
        }
        Ok(())
    }
}
