//! The panel's JSON backup, read part by part, however large: of this program, or of a browser-only predecessor with the
//! same field names, whose ids are numbers and whose fields may be missing.
//! Must never take a part for good that it does not understand, nor hold more than one report at a time.

use std::fmt;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use anyhow::{Context, Error, Result, anyhow, bail, ensure};
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use crate::actions::import_report::Imported;
use crate::actions::log_access::Action;
use crate::domain::report::{Report, Stato};
use crate::domain::routing::Analysis;
use crate::store::{AccessEntry, ChangeKind, HistoryRow};

/// What the file says it is; a predecessor's says nothing.
const FORMAT: &str = "segnalazioni-backup";
/// The newest layout known.
const FORMAT_VERSION: u64 = 1;
/// Longest id, in characters.
const ID_MAX: usize = 36;
/// Longest text of a report, in bytes: ten times what the chat takes.
const TEXT_MAX: usize = 512 * 1024;
/// A number from here on is a moment in ms (2001), below it is a mere number.
const MOMENT_MIN: i64 = 1_000_000_000_000;

/// What a first reading found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Survey {
    /// When the file was made, if it says so.
    pub created: Option<Timestamp>,
    /// How many reports it holds.
    pub reports: i64,
    /// Whether the newest stands first.
    pub newest_first: bool,
}

/// A part of the file.
pub(super) enum Part {
    /// When it was made.
    Created(Timestamp),
    /// The settings.
    Settings(Map<String, Value>),
    /// A report; a time that the file does not tell is 0.
    Report(Box<Imported>),
    /// An entry of the access log.
    Log(AccessEntry),
}

/// Reads a file to its end, and checks every part of it.
///
/// # Errors
/// What is wrong with it, and where.
pub(super) fn survey(file: &Path) -> Result<Survey> {
    let mut survey = Survey {
        created: None,
        reports: 0,
        newest_first: true,
    };
    let (mut first, mut last) = (0, 0);
    each(file, &mut |part| {
        match part {
            Part::Created(at) => survey.created = Some(at),
            Part::Report(report) => {
                last = report.data_creazione;
                if survey.reports == 0 {
                    first = last;
                }
                survey.reports += 1;
            }
            Part::Settings(_) | Part::Log(_) => {}
        }
        Ok(())
    })?;
    survey.newest_first = first >= last;
    Ok(survey)
}

/// Shows every part of a file to `visit`, in the file's order.
///
/// # Errors
/// What is wrong with the file, and where; what `visit` failed with.
pub(super) fn each(file: &Path, visit: &mut dyn FnMut(Part) -> Result<()>) -> Result<()> {
    let mut file = File::open(file)?;
    let mut start = [0; 3];
    let marked = file.read_exact(&mut start).is_ok() && start == *"\u{feff}".as_bytes();
    file.seek(SeekFrom::Start(if marked { 3 } else { 0 }))?;
    let mut reading = Reading {
        visit,
        failure: None,
        reports: None,
        logs: 0,
    };
    let mut json = serde_json::Deserializer::from_reader(BufReader::new(file));
    let read = Whole(&mut reading)
        .deserialize(&mut json)
        .and_then(|()| json.end());
    if let Some(failure) = reading.failure {
        return Err(failure);
    }
    read.map_err(|error| {
        let (line, column) = (error.line(), error.column());
        anyhow!("il file JSON è danneggiato o incompleto (riga {line}, colonna {column})")
    })?;
    reading
        .reports
        .map(|_| ())
        .context("non è un backup di segnalazioni: manca l'elenco «reports»")
}

/// A reading in progress.
struct Reading<'v> {
    visit: &'v mut dyn FnMut(Part) -> Result<()>,
    /// What ended it, where that was not the JSON itself.
    failure: Option<Error>,
    /// Reports so far; `None` before their list.
    reports: Option<usize>,
    logs: usize,
}

impl Reading<'_> {
    /// Keeps the reason, and gives the parser one of its own to end with.
    fn settle<E: serde::de::Error>(&mut self, outcome: Result<()>) -> Result<(), E> {
        outcome.map_err(|failure| {
            self.failure = Some(failure);
            E::custom("refused")
        })
    }

    fn member(&mut self, key: &str, value: Value) -> Result<()> {
        match key {
            "format" => ensure!(value == FORMAT, "è un file di un altro prodotto"),
            "formatVersion" => ensure!(
                value
                    .as_u64()
                    .is_some_and(|version| version <= FORMAT_VERSION),
                "il formato del file non è conosciuto da questa versione del programma: serve una versione più recente"
            ),
            "timestamp" => {
                let at = moment(&value).context("la data del file («timestamp») non è valida")?;
                (self.visit)(Part::Created(super::moment(at)?))?;
            }
            _ => match value {
                Value::Object(settings) => (self.visit)(Part::Settings(settings))?,
                Value::Null => {}
                _ => bail!("le impostazioni («settings») non sono un gruppo di campi"),
            },
        }
        Ok(())
    }

    fn item(&mut self, list: List, value: Map<String, Value>) -> Result<()> {
        match list {
            List::Reports => {
                let number = self.reports.map_or(1, |so_far| so_far + 1);
                self.reports = Some(number);
                let read = Fields(value).report();
                let report = read.with_context(|| format!("segnalazione {number} del file"))?;
                (self.visit)(Part::Report(Box::new(report)))
            }
            List::Logs => {
                self.logs += 1;
                // What a predecessor wrote may be anything: only entries that the panel could show are kept.
                Fields(value)
                    .log()
                    .map_or(Ok(()), |entry| (self.visit)(Part::Log(entry)))
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum List {
    Reports,
    Logs,
}

/// The file as a whole.
struct Whole<'r, 'v>(&'r mut Reading<'v>);

impl<'de> DeserializeSeed<'de> for Whole<'_, '_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Whole<'_, '_> {
    type Value = ();

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("a backup")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let reading = self.0;
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "format" | "formatVersion" | "timestamp" | "settings" => {
                    let value = map.next_value()?;
                    let outcome = reading.member(&key, value);
                    reading.settle(outcome)?;
                }
                "reports" => {
                    let again = reading.reports.is_some();
                    let outcome = if again {
                        Err(anyhow!("l'elenco «reports» c'è due volte"))
                    } else {
                        Ok(())
                    };
                    reading.settle(outcome)?;
                    reading.reports = Some(0);
                    map.next_value_seed(Items(reading, List::Reports))?;
                }
                "logs" => map.next_value_seed(Items(reading, List::Logs))?,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

/// One of its lists.
struct Items<'r, 'v>(&'r mut Reading<'v>, List);

impl<'de> DeserializeSeed<'de> for Items<'_, '_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Items<'_, '_> {
    type Value = ();

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let Self(reading, list) = self;
        while let Some(item) = items.next_element::<Map<String, Value>>()? {
            let outcome = reading.item(list, item);
            reading.settle(outcome)?;
        }
        Ok(())
    }
}

/// The fields of one item.
struct Fields(Map<String, Value>);

impl Fields {
    fn report(mut self) -> Result<Imported> {
        let id = self.id()?;
        let stato = self.text(&["stato"])?;
        let stato = match stato.as_str() {
            "" => Stato::default(),
            name => Stato::parse(name).context("stato sconosciuto")?,
        };
        let data_creazione = self.moment(&["data_creazione", "timestamp", "data"])?;
        // The ids of a predecessor are the moments in which its reports were made.
        let made = id.parse().ok().filter(|at| *at >= MOMENT_MIN);
        let data_creazione = data_creazione.or(made).unwrap_or(0);
        let changed = self.moment(&["data_aggiornamento"])?;
        let (aperta, history) = self.history()?;
        let versione = self.0.remove("versione").and_then(|value| value.as_i64());
        Ok(Imported {
            report: self.content()?,
            analysis: self.analysis()?,
            note: self.text(&["note"])?,
            privacy_version: self.text(&["privacyVersion"])?,
            data_aggiornamento: changed.unwrap_or(data_creazione),
            versione: versione.unwrap_or(1).max(1),
            id,
            stato,
            data_creazione,
            aperta,
            history,
        })
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
    fn analysis(&mut self) -> Result<Analysis> {
        let told = [
            ("department", "department"),
            ("secondary", "secondary"),
            ("reason", "routingReason"),
            ("words", "matchedKeywords"),
            ("scores", "scores"),
        ];
        let told = told.into_iter().filter_map(|(field, name)| {
            let value = self.first(&[name])?;
            Some((field.to_owned(), value))
        });
        let told = Value::Object(told.collect());
        serde_json::from_value(told)
            .map_err(|_| anyhow!("il reparto o la sua analisi non sono validi"))
    }

    fn id(&mut self) -> Result<String> {
        let id = self.text(&["id"])?;
        let harmless = |character: char| character.is_ascii_alphanumeric() || character == '-';
        ensure!(
            (1..=ID_MAX).contains(&id.len()) && id.chars().all(harmless),
            "manca l'identificativo («id»), o non è valido"
        );
        Ok(id)
    }

    /// The first of these fields that is there, as a text; empty where none is.
    fn text(&mut self, names: &[&str]) -> Result<String> {
        let text = match self.first(names) {
            None => String::new(),
            Some(Value::String(text)) => text,
            Some(Value::Number(number)) => number.to_string(),
            Some(_) => bail!("il campo «{}» non è un testo", names[0]),
        };
        ensure!(
            text.len() <= TEXT_MAX,
            "il campo «{}» è troppo lungo",
            names[0]
        );
        Ok(text)
    }

    fn first(&mut self, names: &[&str]) -> Option<Value> {
        let mut found = names.iter().filter_map(|name| self.0.remove(*name));
        found.find(|value| !value.is_null())
    }

    fn age(&mut self) -> Result<u8> {
        let age = self.text(&["eta", "age"])?;
        if age.is_empty() {
            return Ok(0);
        }
        age.parse().ok().context("il campo «eta» non è un'età")
    }

    fn moment(&mut self, names: &[&str]) -> Result<Option<i64>> {
        let Some(value) = self.first(names) else {
            return Ok(None);
        };
        let at = moment(&value);
        Ok(Some(at.with_context(|| {
            format!("il campo «{}» non è una data", names[0])
        })?))
    }

    /// First opening and changes; what a newer program may have noted besides stays out.
    fn history(&mut self) -> Result<(Option<i64>, Vec<HistoryRow>)> {
        let (mut opened, mut changes) = (None, Vec::new());
        let entries = match self.first(&["storia"]) {
            None => Vec::new(),
            Some(Value::Array(entries)) => entries,
            Some(_) => bail!("il campo «storia» non è un elenco"),
        };
        for entry in entries {
            let Value::Object(entry) = entry else {
                bail!("il campo «storia» non è un elenco di fatti")
            };
            let mut entry = Self(entry);
            let at = entry
                .moment(&["data"])?
                .context("un fatto della storia è senza data")?;
            let tipo = entry.text(&["tipo"])?;
            if tipo == "aperta" {
                opened = Some(at);
                continue;
            }
            let Some(kind) = ChangeKind::parse(&tipo) else {
                continue;
            };
            let (da, a) = (entry.text(&["da"])?, entry.text(&["a"])?);
            if kind == ChangeKind::Stato {
                let known = Stato::parse(&da).and(Stato::parse(&a));
                known.context("un cambio di stato della storia ha uno stato sconosciuto")?;
            }
            let some = |text: String| Some(text).filter(|text| !text.is_empty());
            changes.push(HistoryRow {
                at,
                kind,
                da: some(da),
                a: some(a),
            });
        }
        Ok((opened, changes))
    }

    /// An entry of the access log, if it is one that this program could have written.
    fn log(mut self) -> Option<AccessEntry> {
        let at = self.moment(&["timestamp"]).ok()??;
        let action: Action = serde_json::from_value(self.first(&["action"])?).ok()?;
        Some(AccessEntry {
            at,
            action: action.as_str().to_owned(),
            ip: self.text(&["ip"]).ok()?.chars().take(60).collect(),
            user_agent: self.text(&["userAgent"]).ok()?.chars().take(300).collect(),
            report: self.text(&["reportId"]).ok().filter(|id| !id.is_empty()),
        })
    }
}

/// A moment in ms: a number, RFC 3339, or a local date without a zone, which is taken for UTC.
fn moment(value: &Value) -> Option<i64> {
    if let Some(number) = value.as_i64() {
        return Timestamp::from_millisecond(number)
            .ok()
            .map(|at| at.as_millisecond());
    }
    let text = value.as_str()?;
    let zoned = text.parse::<Timestamp>().ok();
    let local = || {
        let at: DateTime = text.parse().ok()?;
        Some(at.to_zoned(TimeZone::UTC).ok()?.timestamp())
    };
    Some(zoned.or_else(local)?.as_millisecond())
}
