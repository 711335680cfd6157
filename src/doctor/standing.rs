//! How an installation stands, for one screen and for a monitor: the checks that cost little, and what is new today.

use std::time::Duration;

use jiff::Timestamp;

use super::{
    Check, Finding, Installation, archive, broken, either, error, machine, ok, outside, warning,
};
use crate::domain::calendar::{local_date, start_of};
use crate::store::{Holder, Served, holder};

pub struct Standing {
    /// Whether a server answers.
    pub running: bool,
    /// For how long it has run; `None` where none runs, or the clock was set back since.
    pub uptime: Option<Duration>,
    /// Reports received today, in the newsroom's time zone; `None` where the archive cannot be read.
    pub today: Option<i64>,
    pub checks: Vec<Check>,
}

pub fn stand(installation: &Installation, now: i64) -> Standing {
    let found = served(installation);
    let running = found.is_ok();
    let uptime = found.as_ref().ok();
    let uptime = uptime.and_then(|served| served.since.elapsed().ok());
    let server = either(found.map(|served| describe(installation, &served, uptime)));
    let (today, reports) = match today(installation, now) {
        Ok(today) => (Some(today), ok(format!("oggi {today}"))),
        Err(finding) => (None, finding),
    };
    let disk = either(machine::disk(installation.data()).map_err(|fault| broken(&fault)));
    let findings = [
        ("server", server),
        ("segnalazioni", reports),
        ("autenticità", archive::trusted(installation)),
        ("consegne", either(archive::deliveries(installation, now))),
        ("backup", either(archive::backups(installation, now))),
        ("certificato TLS", outside::certificate(installation, now)),
        ("spazio su disco", disk),
    ];
    let findings = findings
        .into_iter()
        .chain(archive::replica(installation, now));
    Standing {
        running,
        uptime,
        today,
        checks: findings
            .map(|(name, finding)| Check::new(name, finding))
            .collect(),
    }
}

/// The server, if it answers; else what is to be said.
fn served(installation: &Installation) -> Result<Served, Finding> {
    let holder = holder(installation.data()).map_err(|fault| error(fault.to_string()))?;
    let served = match holder {
        Holder::Server(served) => served,
        Holder::Free => return Err(error("fermo: non riceve segnalazioni")),
        Holder::Other => {
            return Err(error(
                "non riceve segnalazioni: un altro comando, come rekey o restore, lavora nella cartella dei dati, o il server si \
                 sta avviando",
            ));
        }
    };
    match machine::ask_server(&served.address) {
        Ok(()) => Ok(served),
        Err(fault) => Err(error(format!(
            "non risponde su {} ({fault}), ma un processo tiene la cartella dei dati: «systemctl restart segnalazioni»",
            served.address
        ))),
    }
}

fn describe(installation: &Installation, served: &Served, uptime: Option<Duration>) -> Finding {
    let since = Timestamp::try_from(served.since).map_or_else(
        |_| String::new(),
        |at| format!(" dal {}", installation.local(at)),
    );
    let said = format!("acceso{since}, {}", served.origin);
    match uptime {
        Some(_) => ok(said),
        None => warning(format!(
            "{said}; da allora l'orologio della macchina è stato messo indietro"
        )),
    }
}

fn today(installation: &Installation, now: i64) -> Result<i64, Finding> {
    let zone = &installation.config.time_zone;
    let start = start_of(local_date(now, zone), zone).unwrap_or(now);
    archive::read(installation, |snapshot| snapshot.received(start..now))
}
