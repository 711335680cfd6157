//! Looks after the certificate while the program runs. Must never hold up a handshake or a stop.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use tokio::sync::Notify;

use crate::clock::Clock;
use crate::config::{Config, Encryption};
use crate::tls::Shown;
use crate::tls::files::Files;

/// How often the files are looked at.
const FILES_EVERY: Duration = Duration::from_secs(5);

/// The certificate, where it comes from, and who looks after it.
pub(super) struct Certificates {
    source: Source,
    clock: Clock,
    /// Somebody wants a look at once.
    wanted: Notify,
}

enum Source {
    Files(Files),
}

impl Certificates {
    /// The certificate that the configuration names, if it names one.
    pub(super) fn open(config: &Config, clock: &Clock) -> Result<Option<Arc<Self>>> {
        let source = match &config.encryption {
            Encryption::None => return Ok(None),
            Encryption::Files { certificate, key } => {
                Source::Files(Files::open(certificate, key, clock.now_ms())?)
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
        }
    }

    /// Has it looked after at once.
    pub(super) fn look_now(&self) {
        self.wanted.notify_one();
    }

    /// Looks after it for ever.
    pub(super) async fn look_after(self: Arc<Self>) {
        loop {
            tokio::select! {
                () = tokio::time::sleep(FILES_EVERY) => {}
                () = self.wanted.notified() => {}
            }
            let round = Arc::clone(&self);
            let looked = tokio::task::spawn_blocking(move || round.look()).await;
            if let Err(error) = looked {
                tracing::error!(%error, "a look at the certificate ended abnormally");
            }
        }
    }

    /// One look, off the event loop: the files may lie on a slow disk.
    fn look(&self) {
        match &self.source {
            Source::Files(files) => files.look(self.clock.now_ms()),
        }
    }
}
