//! Makes a database of the panel's JSON backup: reports sealed with this newsroom's key, settings laid over the defaults.
//! Must never write a report in the clear, nor take a password or a secret from the file.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result};
use jiff::tz::TimeZone;
use serde_json::{Map, Value};

use super::json::{Part, Survey, each};
use super::scratch::Scratch;
use crate::actions::import_report::{Imported, import_report};
use crate::actions::save_settings::lay_over_defaults;
use crate::actions::settings::Sectioned;
use crate::config::{Config, KEY_FILE_NAME};
use crate::domain::phrases::Phrases;
use crate::domain::settings::{Email, Security, System};
use crate::newsroom::{self, Newsroom};
use crate::store::{
    AccessEntry, Store, Tx, carry_keys, database_path, prepare_folder, settle_database,
};
use crate::vault::{KeyFile, Vault};

/// Entries of the access log that are kept (PRODUCT.md §6).
const LOG_KEEP: i64 = 1_000;
/// The same as a length.
const LOG_KEEP_LEN: usize = 1_000;
/// What the predecessor calls its phrases, in part.
const PHRASES_KEY: &str = "prompt_config";

/// A database made of a file.
pub(super) struct Made {
    /// Where it lies.
    pub(super) database: PathBuf,
    /// The key file that has its key, unless that is behind a password.
    pub(super) key_file: PathBuf,
    /// Settings of the file that were not taken, by name.
    pub(super) ignored: Vec<String>,
}

/// Makes the database. It has the keys and the password of the present one; a rehearsal uses keys of its own, so that
/// nothing outside the scratch folder is written. `made_key` says whether the key file was made for this, also where the rest
/// then fails.
pub(super) fn import(
    config: &Config,
    file: &Path,
    survey: &Survey,
    scratch: &Scratch,
    (now, rehearsal): (i64, bool),
    made_key: &mut bool,
) -> Result<Made> {
    let mut inner = Config {
        data_dir: scratch.file("importato"),
        ..config.clone()
    };
    if rehearsal {
        inner.key_file = inner.data_dir.join(KEY_FILE_NAME);
    }
    prepare_folder(&inner.data_dir)?;
    drop(Store::open(&inner.data_dir, Box::new(|| ()))?);
    let present = database_path(&config.data_dir).metadata();
    // One of no length has nothing to carry, as one that is lost.
    if present.is_ok_and(|file| file.len() > 0) {
        carry_keys(&config.data_dir, &inner.data_dir)
            .context("le chiavi e la password dell'archivio presente non si possono leggere")?;
    }
    if !rehearsal {
        *made_key = KeyFile::create_where_missing(&inner.key_file)?;
    }
    let Newsroom { store, vault } = newsroom::open(&inner, now, Box::new(|| ()))?;
    let (file, survey, zone) = (file.to_owned(), survey.clone(), config.time_zone.clone());
    let ignored = store.write(move |tx| fill(tx, &vault, now, (&file, &zone), &survey))?;
    drop(store);
    Ok(Made {
        database: settle_database(&inner.data_dir)?,
        key_file: inner.key_file,
        ignored,
    })
}

fn fill(
    tx: &Tx<'_>,
    vault: &Arc<Vault>,
    now: i64,
    (file, zone): (&Path, &TimeZone),
    survey: &Survey,
) -> Result<Vec<String>> {
    let (mut ignored, mut logs) = (Vec::new(), Vec::new());
    let (mut seq, step) = if survey.newest_first {
        (survey.reports, -1)
    } else {
        (1, 1)
    };
    let created = survey.created.map_or(now, |at| at.as_millisecond());
    each(file, zone, &mut |part| {
        match part {
            // What is wrong with the file was told when it was surveyed.
            Part::Created(_) | Part::Remark(_) | Part::Closed | Part::Log(None) => {}
            Part::Settings(settings) => ignored = import_settings(tx, now, settings)?,
            Part::Log(Some(entry)) => note(&mut logs, entry),
            Part::Report(report) => {
                let id = report.id.clone();
                import_report(tx, vault, now, seq, dated(*report, created))
                    .with_context(|| format!("la segnalazione {id} non si può riprendere"))?;
                seq += step;
            }
        }
        Ok(())
    })?;
    logs.sort_by_key(|entry| entry.at);
    for entry in &logs {
        tx.insert_access(entry, LOG_KEEP)?;
    }
    Ok(ignored)
}

/// Keeps the newest entries of the log, however many a file has.
fn note(logs: &mut Vec<AccessEntry>, entry: AccessEntry) {
    logs.push(entry);
    if logs.len() >= 2 * LOG_KEEP_LEN {
        logs.sort_by_key(|entry| entry.at);
        logs.drain(..LOG_KEEP_LEN);
    }
}

/// A report without a time of its own has that of its file.
fn dated(report: Imported, created: i64) -> Imported {
    let or_created = |at| if at == 0 { created } else { at };
    Imported {
        data_creazione: or_created(report.data_creazione),
        data_aggiornamento: or_created(report.data_aggiornamento),
        ..report
    }
}

/// Takes what the sections know; answers the names of the rest.
fn import_settings(tx: &Tx<'_>, now: i64, given: Map<String, Value>) -> Result<Vec<String>> {
    let mut sections = [
        Given::of::<Security>("security"),
        Given::of::<System>("system"),
        Given::of::<Email>("email"),
    ];
    let (mut prompts, mut ignored) = (Map::new(), Vec::new());
    for (key, value) in given {
        let section = sections.iter_mut().find(|section| section.name == key);
        match (section, value) {
            (Some(section), Value::Object(values)) => section.values.extend(values),
            (None, Value::Object(values)) if key == "prompts" => prompts.extend(values),
            (None, value) if key.contains(PHRASES_KEY) => prompts.extend(unwrapped(value)),
            (_, value) => {
                // A predecessor keeps all of them side by side, with its own name before each.
                let bare = key.split_once('_').map_or(key.as_str(), |(_, bare)| bare);
                let taken = sections
                    .iter_mut()
                    .any(|section| section.take(&key, &value) || section.take(bare, &value));
                if !taken {
                    ignored.push(key.chars().take(60).collect());
                }
            }
        }
    }
    let [security, system, email] = sections.map(|section| section.values);
    ignored.extend(lay_over_defaults::<Security>(tx, now, security)?);
    ignored.extend(lay_over_defaults::<System>(tx, now, system)?);
    ignored.extend(lay_over_defaults::<Email>(tx, now, email)?);
    ignored.extend(lay_over_defaults::<Phrases>(tx, now, prompts)?);
    Ok(ignored)
}

/// What a file gives for a section.
struct Given {
    name: &'static str,
    defaults: Map<String, Value>,
    values: Map<String, Value>,
}

impl Given {
    fn of<T: Sectioned>(name: &'static str) -> Self {
        let defaults = match serde_json::to_value(T::default()) {
            Ok(Value::Object(defaults)) => defaults,
            _ => Map::new(),
        };
        Self {
            name,
            defaults,
            values: Map::new(),
        }
    }

    /// Takes a value that stands beside those of other sections, if its key is one of this section's.
    fn take(&mut self, key: &str, value: &Value) -> bool {
        let Some(default) = self.defaults.get(key) else {
            return false;
        };
        self.values.insert(key.to_owned(), fitted(value, default));
        true
    }
}

/// A browser's storage holds texts only: an object in it is JSON in a text.
fn unwrapped(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        Value::String(text) => serde_json::from_str(&text).unwrap_or_default(),
        _ => Map::new(),
    }
}

/// A text as the number or the switch that stands in its place.
fn fitted(value: &Value, like: &Value) -> Value {
    let read = match (value, like) {
        (Value::String(text), Value::Number(_)) => text.trim().parse::<u32>().ok().map(Value::from),
        (Value::String(text), Value::Bool(_)) => text.trim().parse::<bool>().ok().map(Value::from),
        _ => None,
    };
    read.unwrap_or_else(|| value.clone())
}
