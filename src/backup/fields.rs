//! The fields of one report or log entry of the panel's JSON, under the names of this program or of a browser-only
//! predecessor, whose ids are numbers, whose dates are as Italians write them and whose fields may be missing.
//! Must never drop a text that somebody wrote, nor put a value in place of another without a remark.

use anyhow::{Context, Result, bail, ensure};
use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::actions::import_report::Imported;
use crate::actions::log_access::Action;
use crate::domain::report::{Report, Stato};
use crate::domain::routing::Analysis;
use crate::store::{AccessEntry, ChangeKind, HistoryRow};

/// Longest id, in characters.
const ID_MAX: usize = 36;
/// Longest text of a report, in bytes: ten times what the chat takes.
const TEXT_MAX: usize = 512 * 1024;
/// A number from here on is a moment in ms (2001), below it is a mere number.
const MOMENT_MIN: i64 = 1_000_000_000_000;
/// Dates without a zone, as browsers write them in Italian.
const LOCAL: [&str; 4] = [
    "%d/%m/%Y, %H:%M:%S",
    "%d/%m/%Y, %H:%M",
    "%d/%m/%Y %H:%M:%S",
    "%d/%m/%Y %H:%M",
];
/// A date as JavaScript writes it by itself, up to the name of its zone.
const SCRIPT: &str = "%a %b %d %Y %H:%M:%S GMT%z";

/// The fields, and what had to be put in place of some of them.
pub(super) struct Fields<'z> {
    values: Map<String, Value>,
    zone: &'z TimeZone,
    remarks: Vec<String>,
}

impl<'z> Fields<'z> {
    /// Of an item of a list; a browser's storage holds texts, so an item may be JSON in a text.
    pub(super) fn of(item: Value, zone: &'z TimeZone) -> Result<Self> {
        let values = match item {
            Value::Object(values) => Some(values),
            Value::String(text) => serde_json::from_str(&text).ok(),
            _ => None,
        };
        Ok(Self {
            values: values.context("non è un gruppo di campi")?,
            zone,
            remarks: Vec::new(),
        })
    }

    /// The report, and remarks on what of it could not be taken as it stands.
    pub(super) fn report(mut self) -> Result<(Imported, Vec<String>)> {
        let content = self.content()?;
        let note = self.text(&["note"])?;
        let empty = content.segnalazione.is_empty()
            && note.is_empty()
            && [&content.nome, &content.cognome, &content.telefono]
                .iter()
                .all(|text| text.is_empty())
            && content.email.is_empty();
        let id = self.id(empty)?;
        let data_creazione = self.moment(&["data_creazione", "timestamp", "data"]);
        // The ids of a predecessor are the moments in which its reports were made.
        let made = id.parse().ok().filter(|at| *at >= MOMENT_MIN);
        let data_creazione = data_creazione.or(made).unwrap_or(0);
        let changed = self.moment(&["data_aggiornamento"]);
        let (aperta, history) = self.history();
        let analysis = self.analysis();
        let urgente = self.urgent_now();
        let versione = self.first(&["versione"]).and_then(|value| value.as_i64());
        let imported = Imported {
            report: content,
            urgente: urgente.unwrap_or(analysis.urgente.is_some()),
            analysis,
            stato: self.stato()?,
            note,
            privacy_version: self.text(&["privacyVersion"])?,
            data_aggiornamento: changed.unwrap_or(data_creazione),
            versione: versione.unwrap_or(1).max(1),
            id,
            data_creazione,
            aperta,
            history,
        };
        Ok((imported, self.remarks))
    }

    /// The entry of the access log, if it is one that this program could have written.
    pub(super) fn log(mut self) -> Option<AccessEntry> {
        let at = self.moment(&["timestamp"])?;
        let action: Action = serde_json::from_value(self.first(&["action"])?).ok()?;
        Some(AccessEntry {
            at,
            action: action.as_str().to_owned(),
            ip: self.text(&["ip"]).ok()?.chars().take(60).collect(),
            user_agent: self.text(&["userAgent"]).ok()?.chars().take(300).collect(),
            report: self.text(&["reportId"]).ok().filter(|id| !id.is_empty()),
        })
    }

    fn remark(&mut self, text: &str) {
        self.remarks.push(text.to_owned());
    }

    fn content(&mut self) -> Result<Report> {
        Ok(Report {
            eta: self.age()?,
            nome: self.text(&["nome", "name"])?,
            cognome: self.text(&["cognome", "surname"])?,
            telefono: self.text(&["telefono", "phone"])?,
            email: self.text(&["email"])?,
            indirizzo: self.text(&["indirizzo", "address"])?,
            segnalazione: self.text(&["segnalazione", "report"])?,
        })
    }

    /// Department and reasons, as the panel shows them; a predecessor has none.
    fn analysis(&mut self) -> Analysis {
        let told = [
            ("department", "department"),
            ("secondary", "secondary"),
            ("reason", "routingReason"),
            ("words", "matchedKeywords"),
            ("scores", "scores"),
            ("urgente", "urgente"),
        ];
        let told = told.into_iter().filter_map(|(field, name)| {
            let value = self.first(&[name])?;
            Some((field.to_owned(), value))
        });
        let told = Value::Object(told.collect());
        serde_json::from_value(told).unwrap_or_else(|_| {
            self.remark("il reparto o la sua analisi non sono validi");
            Analysis::default()
        })
    }

    /// Whether it counted as urgent; a predecessor says nothing of it.
    fn urgent_now(&mut self) -> Option<bool> {
        let value = self.first(&["urgenteOra"])?;
        if value.as_bool().is_none() {
            self.remark("il campo «urgenteOra» non dice né sì né no");
        }
        value.as_bool()
    }

    fn stato(&mut self) -> Result<Stato> {
        let name = self.text(&["stato"])?;
        let known = Stato::ALL
            .into_iter()
            .find(|stato| stato.as_str().eq_ignore_ascii_case(name.trim()));
        if known.is_none() && !name.is_empty() {
            self.remark("stato sconosciuto, vale «Nuova»");
        }
        Ok(known.unwrap_or_default())
    }

    /// The id; a report that says something has a new one where its own cannot be used.
    fn id(&mut self, empty: bool) -> Result<String> {
        let id = self.text(&["id"])?;
        if usable(&id) {
            return Ok(id);
        }
        ensure!(
            !empty,
            "non c'è né un identificativo («id») né un contenuto"
        );
        self.remark("manca l'identificativo («id»), o non è valido: ne ha uno nuovo");
        Ok(Uuid::new_v4().to_string())
    }

    /// The first of these fields that is there, as a text; empty where none is.
    fn text(&mut self, names: &[&str]) -> Result<String> {
        let text = match self.first(names) {
            None => String::new(),
            Some(Value::String(text)) => text,
            Some(Value::Number(number)) => number.to_string(),
            Some(other) => {
                self.remark(&format!("il campo «{}» non è un testo", names[0]));
                other.to_string()
            }
        };
        ensure!(
            text.len() <= TEXT_MAX,
            "il campo «{}» è troppo lungo",
            names[0]
        );
        Ok(text)
    }

    fn first(&mut self, names: &[&str]) -> Option<Value> {
        let mut found = names.iter().filter_map(|name| self.values.remove(*name));
        found.find(|value| !value.is_null())
    }

    /// The age; 0 where it is not told.
    fn age(&mut self) -> Result<u8> {
        let age = self.text(&["eta", "age"])?;
        if age.is_empty() {
            return Ok(0);
        }
        let read = age.trim().parse();
        if read.is_err() {
            self.remark("il campo «eta» non è un'età");
        }
        Ok(read.unwrap_or(0))
    }

    fn moment(&mut self, names: &[&str]) -> Option<i64> {
        let value = self.first(names)?;
        let at = moment(&value, self.zone);
        if at.is_none() {
            self.remark(&format!("il campo «{}» non è una data", names[0]));
        }
        at
    }

    /// First opening, and changes; what a newer program may have noted besides stays out.
    fn history(&mut self) -> (Option<i64>, Vec<HistoryRow>) {
        let (mut opened, mut changes) = (None, Vec::new());
        let entries = match self.first(&["storia"]) {
            None => Vec::new(),
            Some(Value::Array(entries)) => entries,
            Some(_) => {
                self.remark("il campo «storia» non è un elenco");
                Vec::new()
            }
        };
        for entry in entries {
            match Self::of(entry, self.zone).and_then(Self::fact) {
                Ok(Fact::Opened(at)) => opened = Some(at),
                Ok(Fact::Changed(row)) => changes.push(row),
                Ok(Fact::Unknown) => {}
                Err(error) => self.remark(&format!("un fatto della storia: {error}")),
            }
        }
        (opened, changes)
    }

    /// The fields as an entry of the history.
    fn fact(mut self) -> Result<Fact> {
        let at = self.moment(&["data"]).context("è senza data")?;
        let tipo = self.text(&["tipo"])?;
        if tipo == "aperta" {
            return Ok(Fact::Opened(at));
        }
        let Some(kind) = ChangeKind::parse(&tipo) else {
            return Ok(Fact::Unknown);
        };
        let (da, a) = if kind == ChangeKind::Urgente {
            (self.flag("daUrgente"), self.flag("aUrgente"))
        } else {
            (
                self.text(&["da", "daReparto"])?,
                self.text(&["a", "aReparto"])?,
            )
        };
        if kind == ChangeKind::Stato && Stato::parse(&da).and(Stato::parse(&a)).is_none() {
            bail!("ha uno stato sconosciuto");
        }
        let some = |text: String| Some(text).filter(|text| !text.is_empty());
        Ok(Fact::Changed(HistoryRow {
            at,
            kind,
            da: some(da),
            a: some(a),
        }))
    }

    /// Yes or no, as the history keeps it; empty where it says neither.
    fn flag(&mut self, name: &str) -> String {
        let value = self.first(&[name]).and_then(|value| value.as_bool());
        value.map_or_else(String::new, |yes| i64::from(yes).to_string())
    }
}

/// An entry of a report's history.
enum Fact {
    Opened(i64),
    Changed(HistoryRow),
    Unknown,
}

/// Whether an id can go into addresses and names of files as it is.
fn usable(id: &str) -> bool {
    let harmless = |character: char| character.is_ascii_alphanumeric() || character == '-';
    (1..=ID_MAX).contains(&id.len()) && id.chars().all(harmless)
}

/// The id of the `turn`th report that comes under one id, where it fits.
pub(super) fn id_again(id: &str, turn: usize) -> String {
    let again = format!("{id}-{turn}");
    if usable(&again) {
        again
    } else {
        Uuid::new_v4().to_string()
    }
}

/// A moment in ms: a number, RFC 3339, or a local date as browsers write it.
pub(super) fn moment(value: &Value, zone: &TimeZone) -> Option<i64> {
    let number = match value {
        Value::Number(number) => number.as_i64(),
        Value::String(text) => text.trim().parse().ok().filter(|at| *at >= MOMENT_MIN),
        _ => return None,
    };
    if let Some(number) = number {
        let at = Timestamp::from_millisecond(number).ok()?;
        return Some(at.as_millisecond());
    }
    let text = value.as_str()?.trim();
    if let Ok(at) = text.parse::<Timestamp>() {
        return Some(at.as_millisecond());
    }
    let script = text.split(" (").next().unwrap_or(text);
    if let Ok(at) = Timestamp::strptime(SCRIPT, script) {
        return Some(at.as_millisecond());
    }
    let at = local(text)?.to_zoned(zone.clone()).ok()?;
    Some(at.timestamp().as_millisecond())
}

/// A date and time without a zone; a date alone is its midnight.
fn local(text: &str) -> Option<DateTime> {
    let iso = text.parse().ok();
    let italian = || {
        LOCAL
            .iter()
            .find_map(|form| DateTime::strptime(form, text).ok())
    };
    let day = || {
        Some(
            Date::strptime("%d/%m/%Y", text)
                .ok()?
                .to_datetime(jiff::civil::Time::midnight()),
        )
    };
    iso.or_else(italian).or_else(day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::zone;

    #[test]
    fn moments_are_read_as_programs_browsers_and_italians_write_them() {
        let rome = zone("Europe/Rome").unwrap();
        let at = |value: Value| {
            let at = moment(&value, &rome)?;
            Some(Timestamp::from_millisecond(at).unwrap().to_string())
        };
        for value in [
            serde_json::json!(1_737_367_200_000_i64),
            "1737367200000".into(),
            "2025-01-20T10:00:00.000Z".into(),
            "2025-01-20T11:00:00+01:00".into(),
            "2025-01-20T11:00:00".into(),
            "2025-01-20 11:00".into(),
            "20/01/2025, 11:00:00".into(),
            "20/1/2025, 11:00".into(),
            " 20/01/2025 11:00 ".into(),
            "Mon Jan 20 2025 11:00:00 GMT+0100 (Ora standard dell’Europa centrale)".into(),
        ] {
            assert_eq!(
                at(value.clone()).as_deref(),
                Some("2025-01-20T10:00:00Z"),
                "{value}"
            );
        }
        // Summer, and a day without an hour.
        assert_eq!(
            at("20/07/2025".into()).as_deref(),
            Some("2025-07-19T22:00:00Z")
        );
        for value in ["ieri", "", "31/02/2025", "20-01", "7"] {
            assert_eq!(at(value.into()), None, "{value}");
        }
        assert_eq!(at(serde_json::json!({ "giorno": 1 })), None);
        assert_eq!(at(serde_json::json!(1e300)), None);
    }
}
