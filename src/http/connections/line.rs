//! What a connection speaks below HTTP: nothing, or TLS. Must never let a client take its time over the handshake, nor
//! say why one failed to anybody but the client.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use crate::tls::{Shown, is_proof};

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
    let greeting = timeout(within, greet(acceptor, stream));
    tokio::select! {
        // Its sender lives as long as the server: an error means that it is being dropped.
        _ = stopping.wait_for(|stopping| *stopping) => None,
        greeted = greeting => match greeted {
            Ok(Ok(visitor)) => visitor,
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

/// An authority that asks whether this is the server of a name has its answer with the handshake, and is told goodbye
/// (RFC 8737 §3): nothing is served to it.
async fn greet<S: AsyncRead + AsyncWrite + Unpin>(
    acceptor: &TlsAcceptor,
    stream: S,
) -> io::Result<Option<TlsStream<S>>> {
    let mut stream = acceptor.accept(stream).await?;
    if stream.get_ref().1.alpn_protocol().is_some_and(is_proof) {
        poll_fn(|context| Pin::new(&mut stream).poll_shutdown(context)).await?;
        return Ok(None);
    }
    Ok(Some(stream))
}
