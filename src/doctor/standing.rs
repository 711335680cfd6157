//! How an installation stands, for one screen and for a monitor: the checks that cost little, and what is new today.

use std::time::Duration;

use jiff::Timestamp;

use super::{Check, Finding, Installation, archive, broken, either, error, machine, ok, outside};
use crate::domain::calendar::{local_date, start_of};
use crate::store::served_at;

pub struct Standing {
    /// For how long the server has run; `None` for one that does not.
    pub uptime: Option<Duration>,
    /// Reports received today, in the newsroom's time zone; `None` where the archive cannot be read.
    pub today: Option<i64>,
    pub checks: Vec<Check>,
}

pub fn stand(installation: &Installation, now: i64) -> Standing {
    let (server, uptime) = server(installation);
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
        uptime,
        today,
        checks: findings
            .map(|(name, finding)| Check::new(name, finding))
            .collect(),
    }
}

fn server(installation: &Installation) -> (Finding, Option<Duration>) {
    let Some(served) = served_at(installation.data()) else {
        return (error("fermo: non riceve segnalazioni"), None);
    };
    let since = Timestamp::try_from(served.since).map_or_else(
        |_| String::new(),
        |at| format!(" dal {}", installation.local(at)),
    );
    let origin = served.origin;
    // A clock that was set back since tells of no time at all.
    let uptime = served.since.elapsed().unwrap_or_default();
    (ok(format!("acceso{since}, {origin}")), Some(uptime))
}

fn today(installation: &Installation, now: i64) -> Result<i64, Finding> {
    let zone = &installation.config.time_zone;
    let start = start_of(local_date(now, zone), zone).unwrap_or(now);
    archive::read(installation, |snapshot| snapshot.received(start..now))
}
