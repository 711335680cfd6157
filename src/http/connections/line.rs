//! What a connection speaks below HTTP: nothing, or TLS. Must never let a client take its time over the handshake, nor
//! say why one failed to anybody but the client.

use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use crate::tls::Shown;

/// How what travels over the connections of a listener is protected.
#[derive(Clone)]
pub enum Line {
    /// Not at all.
    Plain,
    /// By TLS.
    Tls(TlsAcceptor),
}

impl Line {
    /// TLS with this certificate, as it changes.
    ///
    /// # Errors
    /// When the library refuses its own defaults.
    pub fn secured(shown: &Arc<Shown>) -> anyhow::Result<Self> {
        Ok(Self::Tls(TlsAcceptor::from(shown.server_config()?)))
    }
}

/// Shakes hands, within this time and unless the program stops meanwhile: nothing is lost with a visitor who has not yet
/// said what for. `None` when nothing came of it.
pub(super) async fn shake_hands<S: AsyncRead + AsyncWrite + Unpin>(
    acceptor: &TlsAcceptor,
    stream: S,
    within: Duration,
    mut stopping: watch::Receiver<bool>,
) -> Option<TlsStream<S>> {
    let handshake = timeout(within, acceptor.accept(stream));
    tokio::select! {
        // Its sender lives as long as the server: an error means that it is being dropped.
        _ = stopping.wait_for(|stopping| *stopping) => None,
        shaken = handshake => match shaken {
            Ok(Ok(stream)) => Some(stream),
            Ok(Err(error)) => {
                tracing::debug!(%error, "no handshake");
                None
            }
            Err(_) => {
                tracing::debug!("no handshake in time");
                None
            }
        }
    }
}
