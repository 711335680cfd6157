//! The way back: an archive is made of a backup beside the present one, checked, and put in its place.
//! Must never change anything before the file was checked to its end, nor delete the archive it replaces.

use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use jiff::Timestamp;

use super::erased::{Erased, Occasion, stay_erased};
use super::examine::{Sound, examine, refuse_other_than_file, refuse_present};
use super::import::import;
use super::json::Remarks;
use super::moment;
use super::scratch::Scratch;
use crate::config::Config;
use crate::store::{
    Error, FolderLock, Inspected, PUT_ASIDE, PutAside, database_path, forget_second_names,
    forsake_folder, glance, inspect_database, is_free_name, let_stay_sealed, lock_folder,
    lock_opening, prepare_folder, renew_database, replace_database,
};
use crate::vault::{KeyFile, KeyFileError};

/// Restores within one second whose former archives find a name.
const NAMES_TRIED: u32 = 1_000;

/// What came back.
pub struct Restored {
    /// `archivio`, `messo-da-parte` or `json`.
    pub kind: &'static str,
    /// When the backup was made, where it says so.
    pub created: Option<Timestamp>,
    /// Schema version of the backup, for an archive.
    pub schema_version: Option<i64>,
    /// What the new archive holds.
    pub found: Inspected,
    /// Where the former archive is now; `None` where there was none, or in a trial.
    pub aside: Option<PathBuf>,
    /// Where the log of a former archive is that had no archive left to be written into.
    pub log_aside: Option<PathBuf>,
    /// How the reports can be read.
    pub access: Access,
    /// Settings of a JSON backup that were not taken, by name.
    pub ignored: Vec<String>,
    /// Reports of a JSON backup that were not taken, or not as they stand.
    pub remarks: Remarks,
    /// Reports of the backup that were erased before, and stay so.
    pub erased: Erased,
}

/// How the reports of a restored archive can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// At once: the key file has the key.
    AtOnce,
    /// After a login with the archive's password.
    AfterLogin,
    /// While somebody is logged in: the archive is sealed by choice.
    Sealed,
    /// There are none, and no password yet.
    NotSetUp,
}

/// Puts the archive of a backup in the place of the present one; a trial does all but that.
pub fn restore(config: &Config, file: &Path, now: i64, trial: bool) -> Result<Restored> {
    refuse_other_than_file(file)?;
    refuse_present(config, file)?;
    let founded = !config.data_dir.exists();
    let held = hold(config, trial)?;
    if let Some((folder, _)) = held.as_ref().filter(|_| !trial) {
        forget_second_names(&config.data_dir, folder)?;
    }
    let (present, mut made_key) = (inode(config), false);
    let done = go_back(config, file, (now, trial), held.as_ref(), &mut made_key);
    // The last step may have failed with the new archive in its place: then what belongs to it stays.
    if done.is_err() && inode(config) == present {
        if made_key {
            remove_key_file(config);
        }
        if let Some(held) = held.as_ref().filter(|_| founded) {
            remove_what_was_made(config, held);
        }
    }
    done
}

/// Which file the present archive is, where there is one.
fn inode(config: &Config) -> Option<(u64, u64)> {
    let present = database_path(&config.data_dir).metadata().ok()?;
    Some((present.dev(), present.ino()))
}

/// The key file that was made for an archive which then did not come.
fn remove_key_file(config: &Config) {
    match std::fs::remove_file(&config.key_file) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            tracing::warn!(%error, "the key file that was made stays behind");
        }
        _ => {}
    }
}

/// A folder that was made for an archive which then did not come. Its locks are held: no other program has begun with it.
/// What somebody has put there by hand meanwhile stays.
fn remove_what_was_made(config: &Config, (folder, opening): &(FolderLock, FolderLock)) {
    if let Err(error) = forsake_folder(&config.data_dir, (folder, opening)) {
        tracing::warn!(%error, "the folder that was made stays behind");
    }
}

fn go_back(
    config: &Config,
    file: &Path,
    (now, trial): (i64, bool),
    held: Option<&(FolderLock, FolderLock)>,
    made_key: &mut bool,
) -> Result<Restored> {
    let has_keys = config.key_file.exists();
    let parent = match held {
        Some(_) => config.data_dir.clone(),
        None => std::env::temp_dir(),
    };
    let scratch = Scratch::below(&parent)?;
    let sound = examine(file, &scratch, &config.time_zone)?;
    let (kind, created) = (sound.kind(), sound.created());
    let mut key_files = vec![config.key_file.clone()];
    let (database, schema_version, ignored, remarks) = match sound {
        Sound::Archive {
            database, found, ..
        } => {
            renew_database(&database).context("aggiornamento dell'archivio")?;
            (
                database,
                Some(found.version),
                Vec::new(),
                Remarks::default(),
            )
        }
        Sound::PutAside { database, found } => {
            renew_database(&database).context("aggiornamento dell'archivio")?;
            let version = Some(found.version);
            (database, version, Vec::new(), Remarks::default())
        }
        Sound::Json(survey) => {
            let made = import(config, file, &survey, &scratch, (now, trial), made_key)?;
            // A trial has its key in a file of its own.
            key_files.push(made.key_file);
            (made.database, None, made.ignored, survey.remarks)
        }
    };
    let occasion = Occasion {
        now,
        created,
        has_keys,
    };
    let erased = stay_erased(config, file, kind, &database, occasion)?;
    stay_sealed(config, &database)?;
    let found = inspect_database(&database).context("l'archivio ripristinato non è integro")?;
    let access = access(&found, &key_files)?;
    refuse_to_lose_a_key(config, &found)?;
    let aside = match held.filter(|_| !trial) {
        Some((folder, opening)) => {
            let stamp = moment(now)?.strftime("%Y%m%dT%H%M%SZ").to_string();
            let name = free_name(&config.data_dir, &stamp)?;
            replace_database(&config.data_dir, (folder, opening), &database, &name)?
        }
        None => PutAside::default(),
    };
    Ok(Restored {
        kind,
        created,
        schema_version,
        found,
        aside: aside.database,
        log_aside: aside.log,
        access,
        ignored,
        remarks,
        erased,
    })
}

/// Whether the archive is sealed was decided with the recovery code in hand: going back to a copy from before or after decides
/// nothing anew.
fn stay_sealed(config: &Config, database: &Path) -> Result<()> {
    if !database_path(&config.data_dir).exists() {
        return Ok(());
    }
    match let_stay_sealed(database, &config.data_dir) {
        // A present archive that cannot be read says nothing of its mode: that of the backup holds.
        Ok(()) | Err(Error::Damaged(_) | Error::Foreign(_)) => Ok(()),
        Err(error) => Err(error).context("modalità sigillata dell'archivio presente"),
    }
}

/// Takes the folder for this program alone, and the turn at opening it. A trial makes no folder.
fn hold(config: &Config, trial: bool) -> Result<Option<(FolderLock, FolderLock)>> {
    if trial && !config.data_dir.exists() {
        return Ok(None);
    }
    if !trial {
        prepare_folder(&config.data_dir)?;
    }
    let folder = lock_folder(&config.data_dir).context("fermare prima il server")?;
    Ok(Some((folder, lock_opening(&config.data_dir)?)))
}

/// A name for the former archive that no file has.
fn free_name(folder: &Path, stamp: &str) -> Result<String> {
    let base = format!("{PUT_ASIDE}{stamp}");
    std::iter::once(base.clone())
        .chain((2..NAMES_TRIED).map(|turn| format!("{base}-{turn}")))
        .find(|name| is_free_name(&folder.join(name)))
        .context("nessun nome libero")
}

/// How the reports will be read, with any of these key files; an archive that nobody could ever read is refused.
fn access(found: &Inspected, key_files: &[PathBuf]) -> Result<Access> {
    for key_file in key_files {
        if copy_of(key_file)?.is_some_and(|key| Some(key) == found.key_id) {
            return Ok(Access::AtOnce);
        }
    }
    let place = key_files.first().map(|path| path.display().to_string());
    match (found.has_slots, found.sealed) {
        (true, true) => Ok(Access::Sealed),
        (true, false) => Ok(Access::AfterLogin),
        (false, _) if found.reports() == 0 => Ok(Access::NotSetUp),
        (false, _) => bail!(
            "questo backup è di prima che ci fosse una password: le sue segnalazioni si aprono solo con il file delle \
             chiavi di allora, da rimettere al posto di {}",
            place.unwrap_or_default()
        ),
    }
}

/// Name of the pair whose private key the key file has.
fn copy_of(key_file: &Path) -> Result<Option<String>> {
    match KeyFile::load(key_file) {
        Ok(keys) => Ok(keys.newsroom.map(|copy| copy.key_id.to_string())),
        Err(KeyFileError::Missing { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The first login to a restored archive puts its key into the key file, over the one that is there. That must not be the
/// only key of the archive that is put aside.
fn refuse_to_lose_a_key(config: &Config, restored: &Inspected) -> Result<()> {
    let present = database_path(&config.data_dir);
    if !present.exists() {
        return Ok(());
    }
    // An archive that cannot be opened any more has nothing left to lose by this.
    let Ok(present) = glance(&config.data_dir) else {
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
