//! The panel's JSON backup, read part by part, however large: of this program, which must be right in every part, or of a
//! browser-only predecessor, of which everything is taken that can be, and the rest told.
//! Must never leave a part out without a remark, nor hold more than one report at a time.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::fs::File;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use anyhow::{Context, Error, Result, anyhow, bail, ensure};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::fields::{Fields, id_again, moment};
use crate::actions::import_report::Imported;
use crate::store::AccessEntry;

/// What the file says it is; a predecessor's says nothing.
const FORMAT: &str = "segnalazioni-backup";
/// The newest layout known.
const FORMAT_VERSION: u64 = 1;
/// Bytes of an id's digest by which a repeated one is known: no two ids will ever share them by chance.
const DIGEST: usize = 16;
/// Remarks that are kept; of more only the number is known.
const REMARKS_MAX: usize = 1_000;

/// Why a report of a file could not be taken, or not as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// Which of the file it is, from 1.
    pub report: usize,
    /// What is wrong with it, in Italian; never a word out of it.
    pub text: String,
    /// Whether it was taken all the same.
    pub taken: bool,
}

/// All remarks on a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Remarks {
    /// The first of them, in the file's order.
    pub list: Vec<Remark>,
    /// How many more there are.
    pub more: usize,
    /// Reports that were left out.
    pub reports_left_out: usize,
    /// Entries of the access log that were left out.
    pub logs_left_out: usize,
    /// Reports that are not in the file, by what it says: nobody could read them when it was made.
    pub closed: usize,
}

/// What a first reading found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Survey {
    /// When the file was made, if it says so.
    pub created: Option<Timestamp>,
    /// How many reports can be taken from it.
    pub reports: i64,
    /// Whether the newest stands first.
    pub newest_first: bool,
    /// What cannot be taken as it stands; nothing, for a file of this program.
    pub remarks: Remarks,
}

/// A part of the file.
pub(super) enum Part {
    /// When it was made.
    Created(Timestamp),
    /// The settings.
    Settings(Map<String, Value>),
    /// A report; a time that the file does not tell is 0.
    Report(Box<Imported>),
    /// An entry of the access log; `None` for one that the panel could not show.
    Log(Option<AccessEntry>),
    /// A report that is not in the file.
    Closed,
    /// What is wrong with a report.
    Remark(Remark),
}

/// Reads a file to its end, and checks every part of it. Local dates are those of `zone`.
pub(super) fn survey(file: &Path, zone: &TimeZone) -> Result<Survey> {
    let mut survey = Survey {
        created: None,
        reports: 0,
        newest_first: true,
        remarks: Remarks::default(),
    };
    let (mut first, mut last) = (0, 0);
    let ours = each(file, zone, &mut |part| {
        match part {
            Part::Created(at) => survey.created = Some(at),
            Part::Report(report) => {
                last = report.data_creazione;
                if survey.reports == 0 {
                    first = last;
                }
                survey.reports += 1;
            }
            Part::Log(entry) => survey.remarks.logs_left_out += usize::from(entry.is_none()),
            Part::Remark(remark) => survey.remarks.note(remark),
            Part::Closed => survey.remarks.closed += 1,
            Part::Settings(_) => {}
        }
        Ok(())
    })?;
    survey.newest_first = first >= last;
    let useless = ours || survey.reports == 0;
    match survey.remarks.list.first().filter(|_| useless) {
        Some(Remark { report, text, .. }) => bail!("segnalazione {report} del file: {text}"),
        None => Ok(survey),
    }
}

impl Remarks {
    fn note(&mut self, remark: Remark) {
        self.reports_left_out += usize::from(!remark.taken);
        if self.list.len() < REMARKS_MAX {
            self.list.push(remark);
        } else {
            self.more += 1;
        }
    }
}

/// Shows every part of a file to `visit`, in the file's order. Answers whether this program made it.
pub(super) fn each(
    file: &Path,
    zone: &TimeZone,
    visit: &mut dyn FnMut(Part) -> Result<()>,
) -> Result<bool> {
    let mut file = File::open(file)?;
    let mut start = [0; 3];
    let marked = file.read_exact(&mut start).is_ok() && start == *"\u{feff}".as_bytes();
    file.seek(SeekFrom::Start(if marked { 3 } else { 0 }))?;
    let mut reading = Reading {
        visit,
        zone,
        failure: None,
        ours: false,
        reports: None,
        ids: HashMap::new(),
        seen: HashSet::new(),
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
        .map(|_| reading.ours)
        .context("non è un backup di segnalazioni: manca l'elenco «reports»")
}

/// A reading in progress.
struct Reading<'v> {
    visit: &'v mut dyn FnMut(Part) -> Result<()>,
    zone: &'v TimeZone,
    /// What ended it, where that was not the JSON itself.
    failure: Option<Error>,
    /// Whether the file says that this program made it.
    ours: bool,
    /// Reports so far; `None` before their list.
    reports: Option<usize>,
    /// Of a predecessor, whose storage is small: the contents that came under an id.
    ids: HashMap<String, Vec<u64>>,
    /// Of this program: a short digest of each id so far, because there may be a million.
    seen: HashSet<[u8; DIGEST]>,
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
            "format" => {
                ensure!(value == FORMAT, "è un file di un altro prodotto");
                self.ours = true;
            }
            "formatVersion" => ensure!(
                value
                    .as_u64()
                    .is_some_and(|version| version <= FORMAT_VERSION),
                "il formato del file non è conosciuto da questa versione del programma: serve una versione più recente"
            ),
            "timestamp" => {
                let at = moment(&value, self.zone);
                let at = at.context("la data del file («timestamp») non è valida")?;
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

    fn item(&mut self, list: List, value: Value) -> Result<()> {
        if list == List::Logs {
            // What a predecessor wrote may be anything: only entries that the panel could show are kept.
            let entry = Fields::of(value, self.zone).ok().and_then(Fields::log);
            return (self.visit)(Part::Log(entry));
        }
        if list == List::Closed {
            return (self.visit)(Part::Closed);
        }
        let number = self.reports.map_or(1, |so_far| so_far + 1);
        self.reports = Some(number);
        let remark = |text, taken| {
            Part::Remark(Remark {
                report: number,
                text,
                taken,
            })
        };
        let content = value.to_string();
        match Fields::of(value, self.zone).and_then(Fields::report) {
            Ok((report, _)) if self.ours && !self.is_new(&report.id) => {
                let text = "il suo identificativo («id») è ripetuto nel file";
                (self.visit)(remark(text.to_owned(), false))
            }
            Ok((mut report, mut remarks)) => {
                if !self.ours && !self.make_unique(&mut report, &content, &mut remarks) {
                    return (self.visit)(remark("è identica a una precedente".to_owned(), false));
                }
                (self.visit)(Part::Report(Box::new(report)))?;
                for text in remarks {
                    (self.visit)(remark(text, true))?;
                }
                Ok(())
            }
            Err(error) => (self.visit)(remark(format!("{error:#}"), false)),
        }
    }

    /// Whether an id comes for the first time.
    fn is_new(&mut self, id: &str) -> bool {
        let mut digest = [0; DIGEST];
        digest.copy_from_slice(&Sha256::digest(id)[..DIGEST]);
        self.seen.insert(digest)
    }

    /// Two reports may bear the moment of the same millisecond as their id: then the second gets one of its own. `false` for
    /// one that is the same from end to end.
    fn make_unique(
        &mut self,
        report: &mut Imported,
        content: &str,
        remarks: &mut Vec<String>,
    ) -> bool {
        let mut hasher = DefaultHasher::new();
        content.hash(&mut hasher);
        let (content, before) = (
            hasher.finish(),
            self.ids.entry(report.id.clone()).or_default(),
        );
        if before.contains(&content) {
            return false;
        }
        before.push(content);
        let mut turn = before.len();
        if turn > 1 {
            let mut again = id_again(&report.id, turn);
            while self.ids.contains_key(&again) {
                turn += 1;
                again = id_again(&report.id, turn);
            }
            self.ids.insert(again.clone(), vec![content]);
            report.id = again;
            remarks.push("il suo identificativo era già preso: ne ha uno nuovo".to_owned());
        }
        true
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum List {
    Reports,
    Logs,
    Closed,
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
                "closed" => map.next_value_seed(Items(reading, List::Closed))?,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

/// One of its lists: as such, as a group whose names do not matter, or as JSON in a text.
struct Items<'r, 'v>(&'r mut Reading<'v>, List);

impl<'de> DeserializeSeed<'de> for Items<'_, '_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Items<'_, '_> {
    type Value = ();

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("a list")
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<(), E> {
        serde_json::Deserializer::from_str(text)
            .deserialize_any(self)
            .map_err(E::custom)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let Self(reading, list) = self;
        while let Some(item) = items.next_element::<Value>()? {
            let outcome = reading.item(list, item);
            reading.settle(outcome)?;
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let Self(reading, list) = self;
        while let Some((_, item)) = items.next_entry::<IgnoredAny, Value>()? {
            let outcome = reading.item(list, item);
            reading.settle(outcome)?;
        }
        Ok(())
    }
}
