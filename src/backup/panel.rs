//! The panel's JSON backup: settings, phrases, access log, ledger of erased reports, and every report in the clear. It is
//! written one report at a time; a restore reads it as a whole and makes a database from it. Must never hold a password, a key or
//! a secret, nor be accepted if a part of it is missing, unknown or wrong.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use anyhow::{Context, Error, Result, anyhow, ensure};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::scratch::Scratch;
use crate::VERSION;
use crate::actions::Act;
use crate::actions::access::log_chain::append;
use crate::actions::archive::authenticity::Trust;
use crate::actions::archive::import_report::{BackupReport, remember_erased};
use crate::actions::callouts::{BackupCallout, backups};
use crate::actions::desk::labels::{Label, labels, store_label};
use crate::actions::desk::stories::{self, BackupStory};
use crate::actions::people::roster::remember_gone;
use crate::actions::settings::departments::replace;
use crate::actions::settings::sections::{Sectioned, load, store_section};
use crate::config::Config;
use crate::domain::phrases::Phrases;
use crate::domain::routing::{Department, DepartmentKey, Departments, Matter};
use crate::domain::settings::{Email, Security, System};
use crate::newsroom::{self, Newsroom, trust_on_disk};
use crate::store::{
    AccessEntry, KEYS, LedgerRow, Snapshot, carry_tables, prepare_folder, read_present,
    settle_database,
};
use crate::vault::{KeyFile, Vault};

const FORMAT: &str = "segnalazioni-backup";
const FORMAT_VERSION: u32 = 1;
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
    pub timestamp: Timestamp,
    /// Settings and phrases, without any secret.
    pub settings: BackupSettings,
    /// The access log, newest first.
    pub logs: Vec<AccessEntry>,
    /// Reports that were erased, so that restoring an older file brings none of them back.
    pub erased: Vec<LedgerRow>,
    /// The departments in order, then those that were removed; a file without any means those of a new installation.
    #[serde(default)]
    pub departments: Vec<BackupDepartment>,
    /// The labels.
    #[serde(default)]
    pub labels: Vec<Label>,
    /// The stories.
    #[serde(default)]
    pub stories: Vec<BackupStory>,
    /// Callouts, the newest first.
    #[serde(default)]
    pub callouts: Vec<BackupCallout>,
    /// People by id and name, including those who were removed.
    #[serde(default)]
    pub people: Vec<BackupPerson>,
    /// Every report that had arrived by then, newest first.
    pub reports: Vec<BackupReport>,
}

/// A department in a backup.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BackupDepartment {
    /// Its key.
    pub key: DepartmentKey,
    /// Its name.
    pub name: String,
    /// Who gets its mail, separated by commas.
    #[serde(default)]
    pub email: String,
    /// Words and phrases that speak for it, separated by commas.
    #[serde(default)]
    pub keywords: String,
    /// The matter that it works on, of those that the analysis knows.
    #[serde(default)]
    pub matter: Option<Matter>,
    /// Whether it was removed.
    #[serde(default)]
    pub gone: bool,
}

/// A person in a backup, so that records keep the name when the id is not known to the archive.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BackupPerson {
    /// 36-character id.
    pub id: String,
    /// First name and surname.
    pub name: String,
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

impl PanelBackup {
    /// The file without its reports.
    pub fn begin(snapshot: &Snapshot<'_>, vault: &Vault, now: i64) -> Result<Self> {
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
            logs: snapshot.access_log(usize::MAX, usize::MAX, None, None)?,
            erased: snapshot.ledger()?,
            departments: departments(&snapshot.departments()?),
            labels: labels(snapshot, vault)?,
            stories: stories::backups(snapshot, vault)?,
            callouts: backups(snapshot)?,
            people: {
                let named = snapshot.named_people()?.into_iter();
                named.map(|(id, name)| BackupPerson { id, name }).collect()
            },
            reports: Vec::new(),
        })
    }

    /// The text of the file up to its first report: `reports` is the last member, and empty.
    pub fn head(&self) -> Result<Vec<u8>> {
        let mut text = serde_json::to_vec(self)?;
        text.truncate(text.len() - END.len());
        Ok(text)
    }
}

/// Refuses a section that has an unknown member or breaks a rule.
fn check_section<T: Sectioned>(settings: &Value, name: &str) -> Result<()> {
    let section = settings[name].as_object().cloned().unwrap_or_default();
    let rules = T::default().changed_by(section);
    let rules = rules.and_then(|section| T::RULES(&section));
    match rules.err().and_then(|broken| broken.into_iter().next()) {
        None => Ok(()),
        Some(rule) => Err(invalid(&format!("settings.{name}.{}", rule.field))),
    }
}

fn departments(all: &Departments) -> Vec<BackupDepartment> {
    let present = all.iter().map(|one| BackupDepartment {
        key: one.key,
        name: one.name.clone(),
        email: one.email.clone(),
        keywords: one.keywords.clone(),
        matter: one.matter,
        gone: false,
    });
    let gone = all.gone().iter().map(|(key, name)| BackupDepartment {
        key: *key,
        name: name.clone(),
        email: String::new(),
        keywords: String::new(),
        matter: None,
        gone: true,
    });
    present.chain(gone).collect()
}

/// The departments of a file; without any, the first ones with what its settings say of them.
fn departments_of(listed: Vec<BackupDepartment>, email: &Value) -> Result<Departments> {
    if listed.is_empty() {
        let fields = email.as_object().cloned().unwrap_or_default();
        let email = Email::default().changed_by(fields);
        return Ok(email.map(|email| email.departments).unwrap_or_default());
    }
    let (gone, present): (Vec<_>, _) = listed.into_iter().partition(|one| one.gone);
    let present = present.into_iter().map(|one| Department {
        key: one.key,
        name: one.name,
        email: one.email,
        keywords: one.keywords,
        matter: one.matter,
    });
    let gone = gone.into_iter().map(|one| (one.key, one.name)).collect();
    Departments::of(present, gone).ok_or_else(|| invalid("departments"))
}

#[derive(Deserialize)]
struct Sections {
    settings: Value,
}

/// Reads a file to its end. An error names the place, and never quotes the file.
fn read(file: &Path) -> Result<PanelBackup> {
    let mut json = serde_json::Deserializer::from_reader(BufReader::new(File::open(file)?));
    let mut read: PanelBackup = serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let (place, error) = (error.path().to_string(), error.into_inner());
        match place.as_str() {
            _ if !error.is_data() => broken(&error),
            "." => anyhow!("il file JSON non è un backup intero di segnalazioni"),
            place => invalid(place),
        }
    })?;
    json.end().map_err(|error| broken(&error))?;
    ensure!(
        read.format == FORMAT,
        "il file JSON è di un altro prodotto («format»)"
    );
    ensure!(
        read.format_version == FORMAT_VERSION,
        "il formato del file non è conosciuto da questa versione del programma: serve una versione più recente"
    );
    let Sections { settings } = serde_json::from_reader(BufReader::new(File::open(file)?))?;
    check_section::<Security>(&settings, "security")?;
    check_section::<System>(&settings, "system")?;
    check_section::<Email>(&settings, "email")?;
    check_section::<Phrases>(&settings, "prompts")?;
    let listed = std::mem::take(&mut read.departments);
    read.settings.email.departments = departments_of(listed, &settings["email"])?;
    Ok(read)
}

fn broken(error: &serde_json::Error) -> Error {
    let (line, column) = (error.line(), error.column());
    anyhow!("il file JSON è danneggiato o incompleto (riga {line}, colonna {column})")
}

fn invalid(place: &str) -> Error {
    anyhow!("il file JSON non è valido: {place}")
}

/// Makes a database with the keys and the password of the present archive, if that can be read. The settings are of unknown
/// origin: nothing is sent before an editor confirms where it goes. The keys are those of the key file, or new ones without
/// one.
pub(super) fn import(
    config: &Config,
    file: &Path,
    scratch: &Scratch,
    now: i64,
) -> Result<(Timestamp, PathBuf, KeyFile)> {
    let backup = read(file)?;
    ensure!(
        trust_on_disk(config)? != Some(Trust::Alterato),
        "l'archivio presente, di cui resta la password, è stato modificato fuori dal programma: eseguire prima \
         «segnalazioni reset-password»"
    );
    let carried: &[&str] = match read_present(&config.data_dir) {
        Ok(Some(_)) => &KEYS,
        _ => &[],
    };
    let data_dir = found(config, scratch, carried)?;
    let mut keys = KeyFile::find(&config.key_file)?.map_or_else(KeyFile::generate, Ok)?;
    let Newsroom { store, vault } = newsroom::open_with(&data_dir, &mut keys, now, true)?;
    let created = backup.timestamp;
    store.write(move |tx| fill(&Act::unattended(tx, &vault, now), backup))?;
    drop(store);
    Ok((created, settle_database(&data_dir)?, keys))
}

/// Makes a folder for a new archive, with some tables of the present one.
pub(super) fn found(config: &Config, scratch: &Scratch, carried: &[&str]) -> Result<PathBuf> {
    let data_dir = scratch.file("nuovo");
    prepare_folder(&data_dir)?;
    if !carried.is_empty() {
        carry_tables(&config.data_dir, &data_dir, carried)
            .context("l'archivio presente non si può leggere")?;
    }
    Ok(data_dir)
}

fn fill(act: &Act<'_>, backup: PanelBackup) -> Result<()> {
    let known = &backup.settings.email.departments;
    replace(act, known).with_context(|| invalid("departments"))?;
    let people = backup.people.iter();
    let people = people.map(|person| (&*person.id, &*person.name));
    remember_gone(act, people).with_context(|| invalid("people"))?;
    let mut labels = backup.labels.iter();
    labels.try_for_each(|label| store_label(act, label))?;
    let mut callouts = backup.callouts.iter().rev();
    let stored = callouts.try_for_each(|callout| callout.store(act));
    stored.with_context(|| invalid("callouts"))?;
    let mut stories = backup.stories.iter();
    let stored = stories.try_for_each(|story| story.store(act));
    stored.with_context(|| invalid("stories"))?;
    // The newest stands first.
    let numbers = (0..=i64::try_from(backup.reports.len())?).rev();
    for (place, (record, seq)) in backup.reports.into_iter().zip(numbers).enumerate() {
        let stored = record.store(act, seq);
        stored.with_context(|| invalid(&format!("reports[{place}]")))?;
    }
    stories::drop_stray(act)?;
    let settings = backup.settings;
    let mut security = settings.security;
    security.shared_password |= act.administrators()? == 0;
    store_section(act, &security)?;
    store_section(act, &settings.system)?;
    store_section(act, &settings.email)?;
    store_section(act, &settings.prompts)?;
    for entry in backup.logs.into_iter().rev() {
        let count = entry.count.max(1);
        append(act, &AccessEntry { count, ..entry })?;
    }
    let mut erased = backup.erased.iter();
    Ok(erased.try_for_each(|row| remember_erased(act, row))?)
}
