//! What the service manager that started the program is told: it listens, it is alive, it stops (`sd_notify(3)`). Without
//! one, which is to say without `NOTIFY_SOCKET`, nothing happens.
//! Must never tell a secret: `systemctl status` shows the line to every user of the machine.

use std::time::Duration;

use sd_notify::NotifyState;

/// Of the time after which the manager takes a silent program for dead, the part that passes between two signs of life
/// (`sd_watchdog_enabled(3)` recommends half).
const BEATS_PER_TIMEOUT: u32 = 2;

/// The program listens; `status` is for people, one line.
pub fn ready(status: &str) {
    tell(&[NotifyState::Ready, NotifyState::Status(status)]);
}

/// The program was told to stop, or has to; `status` is for people, one line.
pub fn stopping(status: &str) {
    tell(&[NotifyState::Stopping, NotifyState::Status(status)]);
}

pub fn alive() {
    tell(&[NotifyState::Watchdog]);
}

/// How often a sign of life is due; `None` when nobody waits for one (the unit has no `WatchdogSec=`).
pub fn beat() -> Option<Duration> {
    sd_notify::watchdog_enabled()
        .map(|timeout| timeout / BEATS_PER_TIMEOUT)
        .filter(|beat| !beat.is_zero())
}

fn tell(states: &[NotifyState]) {
    if let Err(error) = sd_notify::notify(states) {
        tracing::warn!(%error, "the service manager cannot be told");
    }
}
