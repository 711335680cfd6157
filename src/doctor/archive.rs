//! What the newsroom has: its database, the keys to it, the backups, and whether what reports set in motion arrives.
//! Must never open a report.

use jiff::Timestamp;

use super::{Check, Premises, State, counted, local, outdated, reports, unread};
use crate::actions::delivery_standing;
use crate::backup::keep::{Standing, standing};
use crate::domain::settings::{BackupFrequency, System};
use crate::store::{
    Error, Inspected, database_path, glance_at_settings, has_lone_log, inspect_database,
    inspect_database_within, look,
};
use crate::vault::KeyFile;

/// The database, read to its end as far as there is time for it.
pub(super) fn database(premises: &Premises) -> (Check, Option<Inspected>) {
    let (name, path) = ("archivio", database_path(&premises.data));
    if !path.exists() && !has_lone_log(&path) {
        let missing = Check::new(name, State::Errore, "non c'è: lo crea il primo avvio");
        return (missing, None);
    }
    let found = match premises.reading {
        Some(limit) => inspect_database_within(&path, limit),
        None => inspect_database(&path),
    };
    match found {
        Ok(found) => {
            let (count, version) = (reports(&found), found.version);
            let message = format!("integro, {count}, versione dello schema {version}");
            (Check::new(name, State::Ok, message), Some(found))
        }
        Err(Error::TooLong) => {
            let message = "è grande, e il controllo da cima a fondo richiede tempo: eseguirlo sul server con \
                           «segnalazioni doctor»";
            (Check::new(name, State::Attenzione, message), None)
        }
        Err(error) => {
            let message =
                format!("{error}. Fermare il server e tornare all'ultimo backup buono (restore)");
            (Check::new(name, State::Errore, message), None)
        }
    }
}

/// The key file, and whether it opens this archive.
pub(super) fn keys(premises: &Premises, found: Option<&Inspected>) -> Check {
    let name = "file delle chiavi";
    let keys = match KeyFile::load(&premises.key_file) {
        Ok(keys) => keys,
        Err(error) => return Check::new(name, State::Errore, error.to_string()),
    };
    let Some(found) = found else {
        return Check::new(name, State::Ok, "leggibile, riservato");
    };
    let copied = keys
        .newsroom
        .is_some_and(|copy| Some(copy.key_id.to_string()) == found.key_id);
    let (state, message) = match (copied, found.sealed, found.has_slots) {
        (true, true, _) => (
            State::Attenzione,
            "modalità sigillata, ma il file apre ancora le segnalazioni: accedere una volta al pannello",
        ),
        (true, false, true) => (State::Ok, "apre le segnalazioni"),
        (true, false, false) => (
            State::Attenzione,
            "apre le segnalazioni, ed è il solo: impostare una password, che dà anche il codice di recupero",
        ),
        (false, true, _) => (State::Ok, "modalità sigillata: non apre le segnalazioni"),
        (false, false, true) => (
            State::Attenzione,
            "non apre le segnalazioni di questo archivio: accedere una volta al pannello",
        ),
        (false, false, false) => (
            State::Errore,
            "non apre le segnalazioni, e non c'è una password che le riapra: rimettere il file originale",
        ),
    };
    Check::new(name, state, message)
}

/// The backups that the server makes by itself.
pub(super) fn backups(premises: &Premises, now: i64) -> Check {
    let name = "backup";
    if !database_path(&premises.data).exists() {
        return unread(name);
    }
    let standing = glance_at_settings(&premises.data)
        .map_err(anyhow::Error::from)
        .and_then(|body| {
            let system: System = serde_json::from_str(body.as_deref().unwrap_or("{}"))?;
            let frequency = system.backup_frequency;
            standing(&premises.data, frequency, now, &premises.zone)
        });
    match standing {
        Err(error) => Check::new(name, State::Errore, format!("{error:#}")),
        Ok(standing) => {
            let (state, message) = told(&standing, premises);
            if standing.ahead == 0 {
                return Check::new(name, state, message);
            }
            let ahead = counted(
                standing.ahead,
                "backup porta una data futura",
                "backup portano una data futura",
            );
            let rest = if standing.ahead == 1 {
                "è di quando l'orologio era avanti e non conta; se non serve, eliminarlo"
            } else {
                "sono di quando l'orologio era avanti e non contano; se non servono, eliminarli"
            };
            let message = format!("{message}. {ahead}: {rest}");
            Check::new(name, state.max(State::Attenzione), message)
        }
    }
}

fn told(standing: &Standing, premises: &Premises) -> (State, String) {
    let shown = |at: Timestamp| local(premises, at);
    let last = standing.last.as_ref().map_or_else(
        || "nessun backup nella cartella dei dati".to_owned(),
        |last| format!("l'ultimo è del {}", shown(last.at)),
    );
    if let Some(rehearsal) = &standing.rehearsal
        && let Some(reason) = &rehearsal.message
    {
        let message = format!("{last}; la prova di ripristino è fallita: {reason}");
        return (State::Errore, message);
    }
    if let Some(failure) = &standing.last_error {
        let message = format!("{last}; l'ultimo tentativo è fallito: {}", failure.message);
        return (State::Errore, message);
    }
    if standing.overdue {
        return (
            State::Errore,
            format!("{last}: è in ritardo, il server deve restare acceso"),
        );
    }
    if standing.frequency == BackupFrequency::Disabled {
        let message = format!("{last}; il backup automatico è disattivato nelle impostazioni");
        return (State::Attenzione, message);
    }
    let Some(found) = &standing.last else {
        return (State::Attenzione, last);
    };
    let verified = if found.verified { ", riletto" } else { "" };
    let rehearsed = standing.rehearsal.as_ref().map_or_else(
        || "mai provato a ripristinarlo".to_owned(),
        |rehearsal| {
            let at = shown(rehearsal.at);
            if rehearsal.opened == Some(false) {
                format!(
                    "ripristino provato il {at}: struttura verificata, contenuti non aperti (modalità sigillata)"
                )
            } else {
                format!("ripristino provato il {at}")
            }
        },
    );
    (State::Ok, format!("{last}{verified}; {rehearsed}"))
}

/// Mail and webhook calls that did not arrive, of channels that are switched on.
pub(super) fn deliveries(premises: &Premises, now: i64) -> Check {
    let name = "consegne";
    if !database_path(&premises.data).exists() {
        return unread(name);
    }
    let found = look(&premises.data, |snapshot| {
        delivery_standing::standing(snapshot, now)
    });
    let found = match found {
        Err(error) => return Check::new(name, State::Errore, error.to_string()),
        Ok(None) => return outdated(name),
        Ok(Some(found)) => found,
    };
    let (state, message) = match (found.undelivered, found.failing) {
        (1.., _) => {
            let failed = counted(found.undelivered, "non è arrivata", "non sono arrivate");
            let message = format!(
                "{failed}: nel pannello, «Consegne», si legge perché e si riprova o si ignora"
            );
            (State::Errore, message)
        }
        (_, true) => (
            State::Attenzione,
            "alcune non arrivano ancora: vengono ritentate, nel pannello si legge perché"
                .to_owned(),
        ),
        _ => {
            let waiting = counted(found.counters.pending, "in attesa", "in attesa");
            (State::Ok, format!("nessuna fallita, {waiting}"))
        }
    };
    Check::new(name, state, message)
}
