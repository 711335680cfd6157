//! Checks of the newsroom's data: its database, the keys to it, the backups, and whether deliveries arrive.

use std::fmt;

use jiff::Timestamp;

use super::{Finding, Installation, broken, counted, error, ok, reports, warning};
use crate::actions;
use crate::actions::access::log_chain::breaks;
use crate::actions::archive::authenticity::{Trust, fits, sample};
use crate::actions::intake::attachments::{FileRoom, lost_lately, room_of_files};
use crate::actions::settings::sections;
use crate::backup::attachments::{compare, on_disk, sealed};
use crate::backup::keep::{BackupStatus, backup_status};
use crate::backup::open::refuse_lost;
use crate::backup::replica::{ReplicaFault, replica_status};
use crate::domain::settings::{BackupFrequency, System};
use crate::files::FOLDER;
use crate::newsroom::{fitting_keys, passkeys_elsewhere, stamp_of, trust_on_disk};
use crate::readings::delivery_summary::summarize;
use crate::store::{
    Error, Inspected, LogKind, Snapshot, database_path, has_database, inspect_database, look,
};
use crate::vault::{KeyFile, PrivateKey, PublicKey, Vault};

/// The database, read to its end as far as there is time for it.
pub(super) fn database(installation: &Installation) -> (Finding, Option<Inspected>) {
    let path = database_path(installation.data());
    if let Err(fault) = refuse_lost(installation.data()) {
        return (broken(&fault), None);
    }
    match has_database(installation.data()) {
        Ok(true) => {}
        Ok(false) => return (error("non c'è: lo crea il primo avvio"), None),
        Err(fault) => return (error(fault.to_string()), None),
    }
    match inspect_database(&path, installation.reading) {
        Ok(found) => {
            let (count, version) = (reports(&found), found.version);
            let message = format!("integro, {count}, versione dello schema {version}");
            (ok(message), Some(found))
        }
        Err(Error::TooLong) => {
            let message = "è grande, e il controllo da cima a fondo richiede tempo: eseguirlo sul server con \
                           «segnalazioni doctor»";
            (warning(message), None)
        }
        Err(fault) if !fault.is_damage() => (error(fault.to_string()), None),
        Err(fault) => {
            let mend = "Fermare il server e tornare all'ultimo backup buono (restore)";
            (error(format!("{fault}. {mend}")), None)
        }
    }
}

/// Whether the key file can be read, and what it opens of this archive.
pub(super) fn keys(installation: &Installation) -> Finding {
    let keys = match KeyFile::load(&installation.config.key_file) {
        Ok(keys) => keys,
        Err(fault) => return error(fault.to_string()),
    };
    match read(installation, |snapshot| opened(snapshot, keys)) {
        Ok(finding) => finding,
        Err((_, reason)) => warning(format!(
            "leggibile e riservato, ma non provato sull'archivio ({reason})"
        )),
    }
}

/// How much of an archive keys open, tried on a few reports.
fn opened(snapshot: &Snapshot<'_>, keys: KeyFile) -> Result<Finding, actions::Error> {
    let keys = fitting_keys(snapshot, keys)?;
    let Some(pair) = snapshot.active_key_pair()? else {
        return Ok(error("l'archivio non ha una chiave"));
    };
    let slots = snapshot.has_slots(&pair.key_id)?;
    let copy = keys.newsroom.as_ref().map(PrivateKey::key_id);
    let copied = copy.as_ref() == Some(&pair.key_id);
    if !copied && !fits(snapshot, &keys.stamp()?)? {
        return Ok(error(
            "non apre questo archivio: è di un altro o di prima di «segnalazioni rekey», oppure l'archivio è stato modificato. \
             Rimettere il file giusto; se non c'è più, toglierlo e dare «segnalazioni reset-password» con il codice di recupero",
        ));
    }
    if copied {
        let vault = Vault::new(&keys, PublicKey::from_bytes(&pair.public_key)?)?;
        let tried = sample(snapshot, &vault)?;
        if tried.opened < tried.tried {
            let (closed, tried) = (tried.tried - tried.opened, tried.tried);
            return Ok(error(format!(
                "{closed} segnalazioni di {tried} prese a campione non si aprono: sono rovinate o di altre chiavi. Tornare a un \
                 backup (restore)"
            )));
        }
    }
    Ok(what_opens(copied, pair.sealed, slots))
}

fn what_opens(copied: bool, sealed: bool, slots: bool) -> Finding {
    match (copied, sealed, slots) {
        (true, true, _) => warning(
            "modalità sigillata, ma il file apre ancora le segnalazioni: accedere una volta al pannello",
        ),
        (true, false, true) => ok("apre le segnalazioni"),
        (true, false, false) => warning(
            "apre le segnalazioni, ed è il solo: impostare una password, che dà anche il codice di recupero",
        ),
        (false, true, _) => ok("modalità sigillata: non apre le segnalazioni"),
        (false, false, true) => {
            warning("non apre le segnalazioni di questo archivio: accedere una volta al pannello")
        }
        (false, false, false) => error(
            "non apre le segnalazioni, e non c'è una password che le riapra: rimettere il file originale",
        ),
    }
}

/// Whether the data that decides who can log in and where reports are sent was written by this program.
pub(super) fn trusted(installation: &Installation) -> Finding {
    match trust_on_disk(&installation.config) {
        Err(fault) => broken(&fault),
        Ok(None) => warning(
            "non controllabile: l'archivio o il file delle chiavi manca, non si legge o è di una versione precedente",
        ),
        Ok(Some(Trust::Integro)) => {
            ok("password, chiavi e impostazioni sono quelle scritte dal programma")
        }
        Ok(Some(Trust::DaConfermare)) => warning(
            "vengono da fuori: email e webhook sono fermi finché una persona, nel pannello, conferma dove vanno",
        ),
        Ok(Some(Trust::Alterato)) => error(
            "password, chiavi o impostazioni sono state modificate fuori dal programma: nessuno può accedere e nulla viene \
             inviato. Tornare a un backup (restore), o eseguire «segnalazioni reset-password» e controllare le impostazioni",
        ),
    }
}

/// Reads from the archive; where that cannot be, what is to be said instead.
pub(super) fn read<T, E: From<Error> + fmt::Display>(
    installation: &Installation,
    work: impl FnOnce(&Snapshot<'_>) -> Result<T, E>,
) -> Result<T, Finding> {
    let data = installation.data();
    refuse_lost(data).map_err(|fault| broken(&fault))?;
    if !has_database(data).map_err(|fault| error(fault.to_string()))? {
        return Err(warning("non controllabile: l'archivio non c'è"));
    }
    let read = look(data, work).map_err(|fault| error(fault.to_string()))?;
    read.ok_or_else(|| {
        warning("non controllabile: l'archivio è di una versione precedente, che il prossimo avvio aggiorna")
    })
}

/// Whether the access log is as the program wrote it.
pub(super) fn log(installation: &Installation) -> Result<Finding, Finding> {
    let stamp = stamp_of(&installation.config).map_err(|fault| broken(&fault))?;
    let Some(stamp) = stamp else {
        return Err(warning("non controllabile: manca il file delle chiavi"));
    };
    let found = read(installation, |snapshot| breaks(snapshot, &stamp))?;
    if found.is_empty() {
        return Ok(ok("le voci sono quelle scritte dal programma, senza vuoti"));
    }
    let told = found.iter().map(|gap| {
        let kind = gap.kind.map_or("tutto", LogKind::as_str);
        let at = gap
            .after
            .and_then(|at| Timestamp::from_millisecond(at).ok());
        let after = at.map_or_else(
            || "fin dall'inizio".to_owned(),
            |at| format!("dopo il {}", installation.local(at)),
        );
        format!("«{kind}» {after}")
    });
    Err(error(format!(
        "voci tolte, aggiunte o modificate fuori dal programma: {}. Il controllo riparte con «Pulisci Tutti i Log», nel pannello",
        told.collect::<Vec<_>>().join(", ")
    )))
}

pub(super) fn backups(installation: &Installation, now: i64) -> Result<Finding, Finding> {
    let system: System = read(installation, sections::load)?;
    let zone = &installation.config.time_zone;
    let status = backup_status(
        installation.data(),
        system.backup_frequency,
        None,
        now,
        zone,
    );
    Ok(describe_newest(
        installation,
        &status.map_err(|fault| broken(&fault))?,
    ))
}

/// The fault of the backups, said after the text about the last one.
fn describe_fault(status: &BackupStatus) -> Option<String> {
    let rehearsal = status.rehearsal.as_ref();
    if let Some(reason) = rehearsal.and_then(|rehearsal| rehearsal.message.as_ref()) {
        return Some(format!("; la prova di ripristino è fallita: {reason}"));
    }
    if status.overdue {
        return Some(": è in ritardo, il server deve restare acceso".to_owned());
    }
    let incomplete = status.incomplete.as_ref();
    incomplete.map(|fault| format!("; {}", fault.message))
}

fn describe_newest(installation: &Installation, status: &BackupStatus) -> Finding {
    let shown = |at: Timestamp| installation.local(at);
    let last = status.last.as_ref().map_or_else(
        || "nessun backup nella cartella dei dati".to_owned(),
        |last| format!("l'ultimo è del {}", shown(last.at)),
    );
    if let Some(fault) = describe_fault(status) {
        return error(format!("{last}{fault}"));
    }
    if status.frequency == BackupFrequency::Disabled {
        return warning(format!(
            "{last}; il backup automatico è disattivato nelle impostazioni"
        ));
    }
    let Some(found) = &status.last else {
        return warning(last);
    };
    let verified = found.good.map_or("", |_| ", verificato");
    let Some(rehearsal) = &status.rehearsal else {
        return ok(format!("{last}{verified}; mai provato a ripristinarlo"));
    };
    let closed = match rehearsal.opened {
        Some(false) => ": struttura verificata, contenuti non aperti (modalità sigillata)",
        _ => "",
    };
    let tried = shown(rehearsal.at);
    ok(format!(
        "{last}{verified}; ripristino provato il {tried}{closed}"
    ))
}

/// Whether passkeys are valid where this installation serves; `None` where there are none.
pub(super) fn passkeys(installation: &Installation) -> Option<(&'static str, Finding)> {
    let found = read(installation, |snapshot| {
        let count: i64 = snapshot
            .passkey_hosts()?
            .iter()
            .map(|(_, count)| count)
            .sum();
        Ok::<_, Error>((count, passkeys_elsewhere(snapshot, &installation.config)?))
    });
    // Where the archive cannot be read, other checks say so.
    let finding = match found.ok()? {
        (0, _) => return None,
        (_, Some(elsewhere)) => warning(elsewhere),
        (count, None) => ok(format!("{count}, valide a questo indirizzo")),
    };
    Some(("passkey", finding))
}

/// How the replica on another machine stands; `None` where none is made.
pub(super) fn replica(installation: &Installation, now: i64) -> Option<(&'static str, Finding)> {
    let status = replica_status(installation.data(), now)?;
    let copied = status.copied.map(|at| installation.local(at));
    let last = copied.map_or("mai copiata".to_owned(), |at| format!("copiata il {at}"));
    let finding = match status.fault {
        None => ok(last),
        Some(ReplicaFault::Sostituita) => error(
            "un'altra macchina ha preso il posto di questa: fermare il server, o le segnalazioni finiscono in due archivi",
        ),
        Some(ReplicaFault::NonVerificata) => warning(format!(
            "{last}; non si è potuto controllare se un'altra macchina ha preso il posto di questa"
        )),
        Some(ReplicaFault::InRitardo) => error(format!(
            "{last}; il motivo è in «journalctl -u 'segnalazioni-replica*'»"
        )),
    };
    Some(("riserva", finding))
}

/// Whether the files of attachments are those that the archive names.
pub(super) fn attachments(installation: &Installation, now: i64) -> Result<Finding, Finding> {
    // Before the rows: a file comes after its row.
    let found = on_disk(installation.data()).map_err(|fault| broken(&fault))?;
    let (attached, passing) = read(installation, |snapshot| {
        Ok::<_, Error>((snapshot.attached_files()?, snapshot.passing_files()?))
    })?;
    let attached = sealed(attached);
    let (there, missing) = compare(&attached, &found);
    if missing > 0 {
        return Err(error(format!(
            "{missing} file di segnalazioni mancano o sono incompleti: tornano con un backup che li ha (restore)"
        )));
    }
    let known = |id: &String| attached.iter().any(|own| own.id == *id) || passing.contains(id);
    let strangers = found.iter().filter(|file| !known(&file.id)).count();
    if strangers > 0 {
        return Err(warning(format!(
            "{there}, tutti presenti. In «{FOLDER}» ce ne sono altri {strangers} che questo archivio non conosce: sono di un \
             archivio messo da parte, o di prima di un ripristino; se quello non serve più si possono eliminare"
        )));
    }
    room_of_attachments(installation, now, there)
}

/// Whether there is room for the files that come: so much that none has to go before its report is sent.
fn room_of_attachments(
    installation: &Installation,
    now: i64,
    there: usize,
) -> Result<Finding, Finding> {
    let mend =
        "si eliminano segnalazioni che non servono più, o si alza il limite nelle impostazioni";
    let (room, taken, lost) = read(installation, |snapshot| {
        let room = room_of_files(&sections::load(snapshot)?);
        let lost = lost_lately(snapshot, now)?;
        Ok::<_, crate::actions::Error>((room, FileRoom::of(snapshot)?, lost))
    })?;
    if lost > 0 {
        let files = counted(lost, "file è stato scartato", "file sono stati scartati");
        return Err(warning(format!(
            "{there}, tutti presenti; nelle ultime 24 ore {files} prima dell'invio della segnalazione: {mend}"
        )));
    }
    if taken.is_nearly_full(room) {
        return Err(warning(format!(
            "{there}, tutti presenti; lo spazio per gli allegati è quasi esaurito: {mend}"
        )));
    }
    Ok(ok(format!("{there}, tutti presenti")))
}

/// Mail and webhook calls that did not arrive, of channels that are switched on.
pub(super) fn deliveries(installation: &Installation, now: i64) -> Result<Finding, Finding> {
    let found = read(installation, |snapshot| summarize(snapshot, now))?;
    if found.undelivered > 0 {
        let failed = counted(found.undelivered, "non è arrivata", "non sono arrivate");
        let mend = "nel pannello, «Consegne», si legge perché e si riprova o si ignora";
        return Err(error(format!("{failed}: {mend}")));
    }
    if found.failing {
        return Err(warning(
            "alcune non arrivano ancora: vengono ritentate, nel pannello si legge perché",
        ));
    }
    let pending = found.counters.pending;
    Ok(ok(format!("nessuna fallita, {pending} in attesa")))
}
