//! `segnalazioni restore`: puts the archive of a backup in the place of the present one, which is kept.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use serde_json::json;

use super::{CommonFlags, load, made_on, reports, say};
use crate::backup::examine::BackupKind;
use crate::backup::restore::{LedgerState, ReportAccess, RestoreOptions, Restored, restore};
use crate::clock::Clock;
use crate::store::beside;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    common: CommonFlags,
    /// Il backup: un file di «segnalazioni backup», il JSON scaricato dal pannello o un archivio messo da parte
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Fa tutti i controlli e dice che cosa tornerebbe, senza cambiare nulla
    #[arg(long)]
    dry_run: bool,
    /// Ripristina anche un JSON con meno segnalazioni di quelle presenti, o un backup che questa macchina non ha scritto
    #[arg(long)]
    force: bool,
    /// Dice che cosa è tornato in JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    let config = load(&arguments.common)?;
    let (now, trial) = (Clock::System.now_ms(), arguments.dry_run);
    let force = arguments.force;
    let restored = restore(
        &config,
        &arguments.file,
        now,
        RestoreOptions { trial, force },
    )?;
    if arguments.json {
        return say(&described(&restored, trial).to_string());
    }
    let made = made_on(restored.sound.created, &config);
    say(&outcome(&restored, &made, trial))?;
    print_set_aside(&restored)?;
    match restored.still_erased {
        0 => {}
        1 => say("1 segnalazione del backup era stata cancellata: non torna.")?,
        n => say(&format!(
            "{n} segnalazioni del backup erano state cancellate: non tornano."
        ))?,
    }
    if !restored.lacking.is_empty() {
        say(&lacking(&restored.lacking))?;
    }
    print_passkeys_removed(restored.passkeys_removed)?;
    let notes = [
        restored.passkeys_elsewhere.as_deref(),
        ledger(&restored),
        secrets(&restored),
        (restored.sound.kind == BackupKind::Json).then_some(LEFT_OUT),
        restored.held.then_some(HELD),
        restored.former_keys.then_some(FORMER_KEYS),
        Some(access(&restored)),
    ];
    notes.into_iter().flatten().try_for_each(say)
}

fn print_passkeys_removed(removed: usize) -> Result<()> {
    match removed {
        0 => Ok(()),
        1 => say("1 passkey del backup era stata tolta: non torna."),
        n => say(&format!(
            "{n} passkey del backup erano state tolte: non tornano."
        )),
    }
}

fn print_set_aside(restored: &Restored) -> Result<()> {
    if let Some(aside) = &restored.aside {
        let log = beside(aside, "-wal");
        for (kept, what) in [
            (aside, "L'archivio"),
            (&log, "Il registro rimasto dell'archivio"),
        ] {
            if kept.exists() {
                say(&format!("{what} di prima è in {}.", kept.display()))?;
            }
        }
    }
    Ok(())
}

const HELD: &str = "Chi ha scritto questo file non si può controllare: non porta la firma del file delle chiavi di questa \
                    macchina. Email e webhook restano fermi finché una persona, nel pannello, conferma dove vanno.";

const FORMER_KEYS: &str = "Questo backup è di prima che le chiavi fossero sostituite: si apre con le password e il codice di recupero di \
                           allora, e chi ha preso le chiavi di allora legge anche quello che arriva da qui in poi. Dopo il primo \
                           accesso fermare il server ed eseguire di nuovo «segnalazioni rekey».";

const LEFT_OUT: &str = "Un file JSON non ha allegati, messaggi e ricevute: da qui non tornano.";

fn outcome(restored: &Restored, made: &str, trial: bool) -> String {
    let count = reports(restored.sound.found.reports());
    let what = match restored.sound.kind {
        BackupKind::MessoDaParte => "l'archivio messo da parte",
        BackupKind::Archivio | BackupKind::Json => "il backup",
    };
    if trial {
        format!(
            "Prova riuscita: {what}{made} si può ripristinare ({count}). Non è stato cambiato nulla."
        )
    } else {
        format!("Ripristinato {what}{made}: {count}.")
    }
}

fn described(restored: &Restored, trial: bool) -> serde_json::Value {
    json!({
        "kind": restored.sound.kind,
        "created": restored.sound.created,
        "schemaVersion": restored.sound.found.version,
        "reports": restored.sound.found.reports(),
        "tables": restored.sound.found.tables,
        "aside": restored.aside,
        "access": restored.access,
        "stillErased": restored.still_erased,
        "ledger": restored.ledger,
        "own": restored.sound.own,
        "held": restored.held,
        "attachmentsMissing": restored.lacking,
        "passkeysRemoved": restored.passkeys_removed,
        "passkeysElsewhere": restored.passkeys_elsewhere,
        "dryRun": trial,
    })
}

/// Reports that are named in one line, at most.
const NAMED: usize = 20;

fn lacking(reports: &[String]) -> String {
    let named = reports[..reports.len().min(NAMED)].join(", ");
    let more = match reports.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" e altre {more}"),
    };
    format!(
        "Mancano gli allegati di queste segnalazioni: {named}{more}. Se c'è una copia della cartella «allegati», rimetterla nella \
         cartella dei dati."
    )
}

fn ledger(restored: &Restored) -> Option<&'static str> {
    match restored.ledger {
        LedgerState::Letto => None,
        LedgerState::Assente => Some(
            "Qui non c'era un archivio: le segnalazioni cancellate altrove dopo questo backup possono essere tornate, e vanno \
             cancellate di nuovo.",
        ),
        LedgerState::Illeggibile => Some(
            "L'archivio di prima non si può leggere: le segnalazioni cancellate dopo questo backup possono essere tornate, e \
             vanno cancellate di nuovo.",
        ),
    }
}

fn secrets(restored: &Restored) -> Option<&'static str> {
    match (restored.sound.kind, restored.sound.found.has_slots) {
        (BackupKind::Json, true) => Some(
            "La password del pannello resta quella di questa installazione; quelle di posta e webhook vanno inserite di nuovo.",
        ),
        (BackupKind::Json, false) => Some(
            "Le password di posta e webhook non si prendono da un file e vanno inserite di nuovo.",
        ),
        _ => None,
    }
}

fn access(restored: &Restored) -> &'static str {
    match restored.access {
        ReportAccess::Subito if !restored.sound.found.has_slots => {
            "All'avvio si leggono subito, ma non c'è ancora una password: il server mostra il link per impostarla. Farlo \
             presto: fino ad allora il file delle chiavi è l'unica chiave di queste segnalazioni."
        }
        ReportAccess::Subito => {
            "Il file delle chiavi apre queste segnalazioni: all'avvio si leggono subito."
        }
        ReportAccess::DopoAccesso => {
            "Il file delle chiavi di questa macchina non apre queste segnalazioni: dopo l'avvio accedere una volta al \
             pannello con la password di questo archivio (persa la password: segnalazioni reset-password, con il codice di \
             recupero). Da allora si leggono anche dopo un riavvio."
        }
        ReportAccess::Sigillato => {
            "L'archivio è in modalità sigillata: le segnalazioni si leggono mentre qualcuno è nel pannello."
        }
        ReportAccess::DaImpostare => {
            "Non c'è ancora una password: all'avvio il server mostra il link per impostarla."
        }
    }
}
