//! Restoring: an archive is made from a backup beside the present one, checked, and put in its place. Must never change anything
//! before the file was checked to its end, nor delete the archive that it replaces.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use serde::Serialize;

use super::attachments;
use super::examine::{BackupKind, ExaminedBackup, examine};
use super::folder::stamp;
use super::scratch::Scratch;
use crate::actions::archive::authenticity::{Trust, adopt, sign, trust};
use crate::config::Config;
use crate::files::FOLDER;
use crate::newsroom::{passkeys_elsewhere, stamp_of, trust_on_disk};
use crate::store::{
    Error, Held, Inspected, PUT_ASIDE, Present, Store, Tx, forsake_folder, inspect_database,
    lock_folder, lock_opening, look, prepare_folder, read_present, renew_database,
    replace_database, settle_database,
};
use crate::vault::{KeyFile, PrivateKey, Stamp};

pub struct Restored {
    pub sound: ExaminedBackup,
    /// Where the former archive is; `None` without one, or in a trial.
    pub aside: Option<PathBuf>,
    pub access: ReportAccess,
    /// The number of reports in the backup that were erased since; they stay erased.
    pub still_erased: usize,
    pub ledger: LedgerState,
    /// Whether the origin of the settings is unknown: nothing is sent until an editor confirms where it goes.
    pub held: bool,
    /// Ids of its reports that lack files of attachments.
    pub lacking: Vec<String>,
    /// The number of passkeys in the backup that the present archive has no more; they stay removed.
    pub passkeys_removed: usize,
    /// Passkeys that are not valid here, in words.
    pub passkeys_elsewhere: Option<String>,
    /// Sealed for a pair that the present archive has replaced: whoever took the former keys reads what comes in.
    pub former_keys: bool,
}

#[derive(Debug, Clone, Copy)]
pub struct RestoreOptions {
    pub trial: bool,
    /// Whether to restore in spite of warnings.
    pub force: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReportAccess {
    /// At once: the key file has the key.
    Subito,
    /// After a login with the archive's password.
    DopoAccesso,
    /// While a person is logged in: the archive is sealed by choice.
    Sigillato,
    /// There are none, and no password yet.
    DaImpostare,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LedgerState {
    Letto,
    Assente,
    /// Whether the present archive is damaged, so that reports erased after the backup may have come back.
    Illeggibile,
}

/// Puts the archive of a backup in the place of the present one. A trial does everything but that.
pub fn restore(
    config: &Config,
    file: &Path,
    now: i64,
    options: RestoreOptions,
) -> Result<Restored> {
    let founded = !config.data_dir.exists();
    // A trial changes nothing: it makes no folder, and a server may run beside it.
    let held = (!options.trial).then(|| hold(config)).transpose()?;
    let attempt = RestoreAttempt {
        config,
        options,
        now,
        held: held.as_ref(),
    };
    let done = attempt.run(file);
    if founded
        && done.is_err()
        && let Some(held) = &held
        && let Err(error) = forsake_folder(&config.data_dir, held)
    {
        tracing::warn!(%error, "the folder that was made stays behind");
    }
    done
}

struct RestoreAttempt<'a> {
    config: &'a Config,
    options: RestoreOptions,
    now: i64,
    /// The locked installation; a trial holds none.
    held: Option<&'a Held>,
}

impl RestoreAttempt<'_> {
    fn run(&self, file: &Path) -> Result<Restored> {
        let config = self.config;
        let there = config.data_dir.exists().then(|| config.data_dir.clone());
        let scratch = Scratch::below(&there.unwrap_or_else(std::env::temp_dir))?;
        let stamp = stamp_of(config)?;
        let files = self.folder_for_attachments(&scratch)?;
        let (stamp, files) = (stamp.as_ref(), files.as_deref());
        let mut sound = examine(config, file, stamp, &scratch, files, self.now)?;
        let (present, ledger) = present(config)?;
        let present = present.as_ref();
        let still_erased =
            renew_database(&sound.database, present).context("aggiornamento dell'archivio")?;
        let (origin, passkeys_removed) = self.countersign(&sound, stamp, present)?;
        sound.found = inspect_database(&sound.database, None)
            .context("l'archivio ripristinato non è integro")?;
        let access = access(&sound, &config.key_file)?;
        refuse_to_lose_a_key(config, present, &sound.found)?;
        if !self.options.force {
            refuse_fewer(&sound, present)?;
            let unsigned = sound.kind == BackupKind::Archivio && !sound.own;
            if stamp.is_some() && (origin == Trust::Alterato || unsigned) {
                refuse_stranger(present, ledger)?;
            }
        }
        let lacking = lacking(config, &sound)?;
        let former_keys = has_former_keys(&sound, present);
        let elsewhere = elsewhere(config, &sound)?;
        Ok(Restored {
            aside: self.install(&sound, files)?,
            sound,
            access,
            still_erased,
            ledger,
            held: origin != Trust::Integro,
            lacking,
            passkeys_removed,
            passkeys_elsewhere: elsewhere,
            former_keys,
        })
    }

    /// Where files of attachments are unpacked; a trial only reads them.
    fn folder_for_attachments(&self, scratch: &Scratch) -> Result<Option<PathBuf>> {
        let folder = (!self.options.trial).then(|| scratch.file(FOLDER));
        folder.iter().try_for_each(std::fs::create_dir)?;
        Ok(folder)
    }

    /// Puts the examined archive in its place; returns where the former archive is.
    fn install(&self, sound: &ExaminedBackup, files: Option<&Path>) -> Result<Option<PathBuf>> {
        let config = self.config;
        let Some(held) = self.held else {
            return Ok(None);
        };
        if let Some(from) = files {
            // The files come before the rows that name them.
            attachments::install(from, &sound.files, &config.data_dir)?;
        }
        // The key that an archive was made with comes first: without it the archive does not open.
        if let Some(keys) = &sound.keys
            && key_of(keys) != copy_of(&config.key_file)?
        {
            keys.save(&config.key_file, &config.data_dir)?;
        }
        put_in_place(config, held, &sound.database, self.now)
    }

    /// Records whose the archive is. An archive of this machine or of the panel's file keeps its origin. Any other is signed as
    /// one whose addresses are to be confirmed; without a key file, the key file that is made later signs it. People who were
    /// removed from the present archive stay removed, and passkeys too: the number of those is answered.
    fn countersign(
        &self,
        sound: &ExaminedBackup,
        stamp: Option<&Stamp>,
        present: Option<&Present>,
    ) -> Result<(Trust, usize)> {
        let stamp = match &sound.keys {
            Some(keys) => Some(keys.stamp()?),
            None => stamp.cloned(),
        };
        let altered = present.is_some() && trust_on_disk(self.config)? == Some(Trust::Alterato);
        let present = present.filter(|_| !altered);
        let mode = mode(self.config, sound, present)?;
        let gone = present.map_or_else(Vec::new, |present| present.gone.clone());
        let passkeys = passkeys_to_keep(sound, present);
        let now = self.now;
        let store = Store::open(sound.folder(), Box::new(|| ()))?;
        let outcome = store.write(move |tx| {
            let origin = stamp.as_ref().map(|stamp| trust(tx, stamp)).transpose()?;
            if let Some((key_id, sealed)) = mode {
                tx.set_sealed(&key_id, sealed)?;
            }
            for id in &gone {
                tx.let_go(id, now)?;
            }
            let removed = match &passkeys {
                Some(passkeys) => keep_passkeys(tx, passkeys)?,
                None => 0,
            };
            match (stamp, origin) {
                (Some(stamp), Some(Trust::Alterato)) => adopt(tx, &stamp, true)?,
                // A restore does not mend a broken chain of the access log.
                (Some(stamp), origin) => sign(tx, &stamp, origin != Some(Trust::Integro))?,
                (None, _) => {}
            }
            Ok::<_, Error>((origin.unwrap_or(Trust::Alterato), removed))
        })?;
        drop(store);
        settle_database(sound.folder())?;
        Ok(outcome)
    }
}

/// Passkeys of the backup that are not valid here, in words.
fn elsewhere(config: &Config, sound: &ExaminedBackup) -> Result<Option<String>> {
    let found = look(sound.folder(), |snapshot| {
        passkeys_elsewhere(snapshot, config)
    });
    Ok(found?.flatten())
}

/// The passkeys that the present archive still has, where the backup is of that; else all are kept.
fn passkeys_to_keep(sound: &ExaminedBackup, present: Option<&Present>) -> Option<Vec<String>> {
    let (pair, present) = sound.found.key_id.as_ref().zip(present)?;
    let same = present.key_id.as_ref() == Some(pair) || present.former_pairs.contains(pair);
    same.then(|| present.passkeys.clone())
}

/// Removes every other passkey; answers how many.
fn keep_passkeys(tx: &Tx<'_>, kept: &[String]) -> Result<usize, Error> {
    let mut removed = tx.passkey_ids()?;
    removed.retain(|id| !kept.contains(id));
    for id in &removed {
        tx.delete_passkey(id)?;
    }
    Ok(removed.len())
}

/// The reports with an attachment that is complete neither in the file nor in the data folder.
fn lacking(config: &Config, sound: &ExaminedBackup) -> Result<Vec<String>> {
    let here = attachments::on_disk(&config.data_dir)?.into_iter();
    let here: HashSet<_> = here.chain(sound.files.iter().cloned()).collect();
    let mut files = attachments::listed(sound.folder())?;
    files.retain(|file| !here.contains(file));
    let mut reports = look(sound.folder(), |snapshot| {
        let owners = files
            .iter()
            .map(|file| snapshot.report_of_attachment(&file.id));
        owners.collect::<Result<Vec<_>, Error>>()
    })?
    .unwrap_or_default();
    reports.sort();
    reports.dedup();
    Ok(reports.concat())
}

/// Whether the backup was made before the present keys took the place of those that it opens with.
fn has_former_keys(sound: &ExaminedBackup, present: Option<&Present>) -> bool {
    let pair = sound.found.key_id.as_ref().zip(present);
    pair.is_some_and(|(pair, present)| present.former_pairs.contains(pair))
}

/// The panel's file is in the clear and unsigned: an old or shortened one must not take reports away by mistake.
fn refuse_fewer(sound: &ExaminedBackup, present: Option<&Present>) -> Result<()> {
    let there = sound.found.reports();
    let here = present.map_or(0, |present| present.reports);
    ensure!(
        sound.kind != BackupKind::Json || there >= here,
        "il file ha {there} segnalazioni e l'archivio presente ne ha {here}: se è proprio quello giusto, ripetere con --force"
    );
    Ok(())
}

/// Refuses a file without this machine's signature where an archive is in use: it may have been planted.
fn refuse_stranger(present: Option<&Present>, ledger: LedgerState) -> Result<()> {
    let in_use = |present: &Present| present.has_slots || present.reports > 0;
    ensure!(
        ledger != LedgerState::Illeggibile && !present.is_some_and(in_use),
        "questo backup non porta la firma del file delle chiavi di questa macchina, dove c'è già un archivio in uso: potrebbe \
         essere di altri, o mancare di segnalazioni. Se è davvero quello giusto, --force lo ripristina"
    );
    Ok(())
}

/// The mode that a key pair has here: that of the present archive, if it can be trusted. Otherwise a restore never unseals an
/// archive while the key file holds no copy of its key.
fn mode(
    config: &Config,
    sound: &ExaminedBackup,
    present: Option<&Present>,
) -> Result<Option<(String, bool)>> {
    if let Some(present) = present {
        return Ok(present.key_id.clone().map(|pair| (pair, present.sealed)));
    }
    let keys_here = sound.keys.is_none() && config.key_file.exists();
    let closed = keys_here && sound.found.has_slots && copy_of(&config.key_file)?.is_none();
    let pair = sound.found.key_id.clone().filter(|_| closed);
    Ok(pair.map(|pair| (pair, true)))
}

/// The data that the present archive passes on to its replacement. An unreadable archive is put aside as it is.
fn present(config: &Config) -> Result<(Option<Present>, LedgerState)> {
    match read_present(&config.data_dir) {
        Ok(Some(present)) => Ok((Some(present), LedgerState::Letto)),
        Ok(None) => Ok((None, LedgerState::Assente)),
        Err(Error::Damaged(_) | Error::Foreign(_) | Error::Sqlite(_)) => {
            Ok((None, LedgerState::Illeggibile))
        }
        Err(error) => Err(error.into()),
    }
}

/// Locks the data folder and its opening.
pub(super) fn hold(config: &Config) -> Result<Held> {
    prepare_folder(&config.data_dir)?;
    let folder = lock_folder(&config.data_dir)?;
    Ok((folder, lock_opening(&config.data_dir)?))
}

/// Replaces the present database, which is kept under a name of this moment.
pub(super) fn put_in_place(
    config: &Config,
    held: &Held,
    database: &Path,
    now: i64,
) -> Result<Option<PathBuf>> {
    let name = format!("{PUT_ASIDE}{}", stamp(now)?);
    Ok(replace_database(&config.data_dir, held, database, &name)?)
}

/// How the reports can be read. An archive that no key can open is refused.
fn access(
    ExaminedBackup { found, keys, .. }: &ExaminedBackup,
    key_file: &Path,
) -> Result<ReportAccess> {
    let key = match keys {
        Some(keys) => key_of(keys),
        None => copy_of(key_file)?,
    };
    if key.is_some() && key == found.key_id {
        return Ok(ReportAccess::Subito);
    }
    match (found.has_slots, found.sealed) {
        (true, true) => Ok(ReportAccess::Sigillato),
        (true, false) => Ok(ReportAccess::DopoAccesso),
        (false, _) if found.reports() == 0 => Ok(ReportAccess::DaImpostare),
        (false, _) => bail!(
            "questo backup è di prima che ci fosse una password: le sue segnalazioni si aprono solo con il file delle \
             chiavi di allora, da rimettere al posto di {}",
            key_file.display()
        ),
    }
}

fn key_of(keys: &KeyFile) -> Option<String> {
    keys.newsroom.as_ref().map(PrivateKey::key_id)
}

pub(super) fn copy_of(key_file: &Path) -> Result<Option<String>> {
    Ok(KeyFile::find(key_file)?.as_ref().and_then(key_of))
}

/// The first login to a restored archive overwrites the copy in the key file. That must not be the only key of the archive
/// that is put aside.
fn refuse_to_lose_a_key(
    config: &Config,
    present: Option<&Present>,
    restored: &Inspected,
) -> Result<()> {
    // An unreadable archive has nothing left to lose.
    let Some(present) = present else {
        return Ok(());
    };
    let safe = present.has_slots || present.reports == 0 || present.key_id == restored.key_id;
    ensure!(
        safe || copy_of(&config.key_file)? != present.key_id,
        "l'archivio presente ha segnalazioni e non ha ancora una password: la loro chiave è solo nel file delle chiavi. \
         Impostare prima una password (segnalazioni reset-password)"
    );
    Ok(())
}
