//! Looks after the certificate while the program runs. Must never hold up a handshake or a stop.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, bail};
use tokio::sync::Notify;
use tokio::time::{sleep, timeout};

use crate::clock::Clock;
use crate::config::{Config, Encryption};
use crate::http::state::Mode;
use crate::tls::Shown;
use crate::tls::acme::Automatic;
use crate::tls::files::Files;

/// How often the files are looked at.
const FILES_EVERY: Duration = Duration::from_secs(5);

/// How often it is looked whether a certificate is due to be renewed.
const RENEWALS_EVERY: Duration = Duration::from_mins(1);
/// The first pause after an authority gave none; it doubles up to [`LONGEST_PAUSE`]. Let's Encrypt forgives five failures an
/// hour.
const FIRST_PAUSE: Duration = Duration::from_mins(1);
/// The longest of those pauses.
const LONGEST_PAUSE: Duration = Duration::from_hours(1);
/// Longest time for one request, with all that the authority looks at.
const REQUEST: Duration = Duration::from_mins(15);

/// The certificate, where it comes from, and who looks after it.
pub(super) struct Certificates {
    source: Source,
    clock: Clock,
    /// Somebody wants a look at once.
    wanted: Notify,
}

enum Source {
    Files(Files),
    Automatic(Automatic),
}

impl Certificates {
    /// The certificate that the configuration names, if it names one.
    pub(super) fn open(config: &Config, mode: Mode, clock: &Clock) -> Result<Option<Arc<Self>>> {
        let source = match &config.encryption {
            Encryption::None => return Ok(None),
            Encryption::Files { certificate, key } => {
                Source::Files(Files::open(certificate, key, clock.now_ms())?)
            }
            Encryption::Automatic(_) if mode == Mode::Demo => bail!(
                "--demo non scrive nulla, e un certificato ottenuto va conservato: usare tls_cert e tls_key"
            ),
            Encryption::Automatic(wanted) => {
                Source::Automatic(Automatic::open(wanted.clone(), &config.data_dir)?)
            }
        };
        Ok(Some(Arc::new(Self {
            source,
            clock: clock.clone(),
            wanted: Notify::new(),
        })))
    }

    /// What visitors are shown.
    pub(super) fn shown(&self) -> &Arc<Shown> {
        match &self.source {
            Source::Files(files) => files.shown(),
            Source::Automatic(automatic) => automatic.shown(),
        }
    }

    /// Has it looked after at once.
    pub(super) fn look_now(&self) {
        self.wanted.notify_one();
    }

    /// Looks after it for ever.
    pub(super) async fn look_after(self: Arc<Self>) {
        let mut failures = 0;
        loop {
            match &self.source {
                Source::Files(_) => self.look().await,
                Source::Automatic(automatic) => {
                    failures = self.renew(automatic, failures).await;
                }
            }
            let pause = match &self.source {
                Source::Files(_) => FILES_EVERY,
                Source::Automatic(_) => pause_after(failures),
            };
            tokio::select! {
                () = sleep(pause) => {}
                () = self.wanted.notified() => {}
            }
        }
    }

    /// One look, off the event loop: the files may lie on a slow disk.
    async fn look(self: &Arc<Self>) {
        let round = Arc::clone(self);
        let look = move || {
            if let Source::Files(files) = &round.source {
                files.look(round.clock.now_ms());
            }
        };
        if let Err(error) = tokio::task::spawn_blocking(look).await {
            tracing::error!(%error, "a look at the certificate ended abnormally");
        }
    }

    /// Asks for a certificate if one is due; answers how often in a row there was none.
    async fn renew(&self, automatic: &Automatic, failures: u32) -> u32 {
        automatic.watch_end(self.clock.now_ms());
        if !automatic.is_due(self.clock.now_ms()) {
            return 0;
        }
        let obtained = timeout(REQUEST, automatic.obtain()).await;
        let obtained = obtained.unwrap_or_else(|_| Err("l'autorità non finisce".to_owned()));
        match obtained {
            Ok(()) => 0,
            Err(reason) => {
                automatic.fail(&reason);
                failures.saturating_add(1)
            }
        }
    }
}

/// How long to wait after so many failures in a row.
fn pause_after(failures: u32) -> Duration {
    match failures.checked_sub(1) {
        None => RENEWALS_EVERY,
        Some(doublings) => FIRST_PAUSE
            .saturating_mul(2_u32.saturating_pow(doublings))
            .min(LONGEST_PAUSE),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_an_hour() {
        let minutes: Vec<u64> = (0..9)
            .map(|failures| pause_after(failures).as_secs() / 60)
            .collect();
        assert_eq!(minutes, [1, 1, 2, 4, 8, 16, 32, 60, 60]);
        assert_eq!(pause_after(u32::MAX), LONGEST_PAUSE);
    }
}
