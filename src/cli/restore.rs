//! `segnalazioni restore`: puts the archive of a backup in the place of the present one, which is kept.
//! Must never run beside a server, nor leave the operator in doubt whether the reports can be read.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use serde_json::json;

use super::remarks::{remarks_json, remarks_told};
use super::{Common, load, local, reports, say};
use crate::backup::erased::Known;
use crate::backup::restore::{Access, Restored, restore};
use crate::clock::Clock;
use crate::config::Config;

/// Arguments of `restore`.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    common: Common,
    /// Il backup: un file di «segnalazioni backup» o il JSON scaricato dal pannello
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Fa tutti i controlli e dice che cosa tornerebbe, senza cambiare nulla
    #[arg(long)]
    dry_run: bool,
    /// Dice che cosa è tornato in JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    let config = load(&arguments.common.flags())?;
    let restored = restore(
        &config,
        &arguments.file,
        Clock::System.now_ms(),
        arguments.dry_run,
    )?;
    if arguments.json {
        return say(&described(&restored, arguments.dry_run).to_string());
    }
    for line in told(&restored, &config, arguments.dry_run) {
        say(&line)?;
    }
    Ok(())
}

fn described(restored: &Restored, trial: bool) -> serde_json::Value {
    json!({
        "kind": restored.kind,
        "created": restored.created,
        "schemaVersion": restored.schema_version,
        "reports": restored.found.reports(),
        "tables": restored.found.tables,
        "aside": restored.aside,
        "logAside": restored.log_aside,
        "access": match restored.access {
            Access::AtOnce => "subito",
            Access::AfterLogin => "dopo-accesso",
            Access::Sealed => "sigillato",
            Access::NotSetUp => "da-impostare",
        },
        "ignoredSettings": restored.ignored,
        "remarks": remarks_json(&restored.remarks),
        "stillErased": restored.erased.withheld,
        "ledgerUnreadable": matches!(restored.erased.known, Known::Older(_) | Known::Nothing),
        "ledgerNew": restored.erased.known == Known::New,
        "ledgerOfOthers": restored.erased.of_strangers,
        "ledgerFault": restored.erased.fault,
        "ledgerReadUpTo": match restored.erased.known {
            Known::Older(at) => at,
            Known::Whole | Known::Nothing | Known::New => None,
        },
        "dryRun": trial,
    })
}

fn told_of_erased(restored: &Restored, config: &Config) -> Vec<String> {
    let mut lines = Vec::new();
    match restored.erased.withheld {
        0 => {}
        1 => lines.push("1 segnalazione del backup era stata cancellata: non torna.".to_owned()),
        n => lines.push(format!(
            "{n} segnalazioni del backup erano state cancellate: non tornano."
        )),
    }
    let list = "L'elenco delle segnalazioni cancellate in questa installazione";
    let missing = restored.erased.fault.as_ref().map_or_else(
        || format!("{list} manca"),
        |why| format!("{list} non è affidabile ({why})"),
    );
    let again = "possono essere tornate, e vanno cancellate di nuovo.";
    match restored.erased.known {
        Known::Whole if restored.erased.of_strangers => lines.push(format!(
            "Il backup è di un'altra installazione, con altre chiavi: qui non si sa che cosa vi è stato cancellato \
             dopo. Quelle segnalazioni {again}"
        )),
        Known::Whole => {}
        Known::New => lines.push(
            "Questa installazione non sa che cosa è stato cancellato dopo questo backup."
                .to_owned(),
        ),
        Known::Older(at) => {
            let copy = at.map_or_else(
                || "di una copia più vecchia".to_owned(),
                |at| format!("del backup del {}", local(at, config)),
            );
            lines.push(format!(
                "{missing}: è stato usato quello {copy}. Le segnalazioni cancellate dopo di allora {again}"
            ));
        }
        Known::Nothing => lines.push(format!(
            "{missing}: le segnalazioni cancellate dopo questo backup {again}"
        )),
    }
    lines
}

fn told(restored: &Restored, config: &Config, trial: bool) -> Vec<String> {
    let made = restored
        .created
        .map_or_else(String::new, |at| format!(" del {}", local(at, config)));
    let count = reports(restored.found.reports());
    let mut lines = vec![if trial {
        format!(
            "Prova riuscita: il backup{made} si può ripristinare ({count}). Non è stato cambiato nulla."
        )
    } else {
        let what = if restored.kind == "messo-da-parte" {
            "l'archivio messo da parte"
        } else {
            "il backup"
        };
        format!("Ripristinato {what}{made}: {count}.")
    }];
    if let Some(aside) = &restored.aside {
        lines.push(format!("L'archivio di prima è in {}.", aside.display()));
    }
    if let Some(log) = &restored.log_aside {
        lines.push(format!(
            "Il registro rimasto dell'archivio di prima è in {}: conservarlo.",
            log.display()
        ));
    }
    lines.extend(remarks_told(&restored.remarks));
    lines.extend(told_of_erased(restored, config));
    if !restored.ignored.is_empty() {
        lines.push(format!(
            "Impostazioni del file non riprese: {}.",
            restored.ignored.join(", ")
        ));
    }
    if restored.kind == "json" {
        if restored.found.has_slots {
            lines.push("La password del pannello resta quella di questa installazione.".to_owned());
        }
        lines.push(
            "Le password di posta e webhook non si prendono da un file e vanno inserite di nuovo."
                .to_owned(),
        );
    }
    lines.push(
        match restored.access {
            Access::AtOnce if !restored.found.has_slots => {
                "All'avvio si leggono subito, ma non c'è ancora una password: il server mostra il link per impostarla. Farlo \
                 presto: fino ad allora il file delle chiavi è l'unica chiave di queste segnalazioni."
            }
            Access::AtOnce => "Il file delle chiavi apre queste segnalazioni: all'avvio si leggono subito.",
            Access::AfterLogin => {
                "Il file delle chiavi di questa macchina non apre queste segnalazioni: dopo l'avvio accedere una volta \
                 al pannello con la password di questo archivio (persa la password: segnalazioni reset-password, con il \
                 codice di recupero). Da allora si leggono anche dopo un riavvio."
            }
            Access::Sealed => {
                "L'archivio è in modalità sigillata: le segnalazioni si leggono mentre qualcuno è nel pannello."
            }
            Access::NotSetUp => "Non c'è ancora una password: all'avvio il server mostra il link per impostarla.",
        }
        .to_owned(),
    );
    lines
}
