//! The listeners: the address that is served, the one in plain HTTP that redirects there, and the one for monitoring.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::ops::Range;
use std::sync::Arc;

use anyhow::{Context, Result, anyhow};
use axum::http::HeaderValue;
use ipnet::IpNet;
use prometheus_client::metrics::gauge::Gauge;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;

use crate::config::Config;
use crate::http::connections::{Endpoint, Limits, serve};
use crate::http::state::Shared;
use crate::http::{metrics, redirect, router};

/// Sockets of the plain listener: each is there for one short answer.
const PLAIN_SOCKETS: usize = 256;
/// Sockets for monitoring: a monitor needs one.
const METRICS_SOCKETS: usize = 16;
/// Ports that only a privileged program may take, unless the machine says otherwise.
const PRIVILEGED: Range<u16> = 1..1024;

/// The listeners, open. The connections wait until [`Listeners::serve`].
pub(super) struct Listeners {
    main: TcpListener,
    plain: Option<TcpListener>,
    metrics: Option<TcpListener>,
}

/// Where they listen; a port that the machine chose is known here.
#[derive(Clone, Copy)]
pub(super) struct Addresses {
    pub(super) main: SocketAddr,
    pub(super) plain: Option<SocketAddr>,
    pub(super) metrics: Option<SocketAddr>,
}

impl Listeners {
    pub(super) async fn open(config: &Config) -> Result<Self> {
        Ok(Self {
            main: listen(config.listen).await?,
            plain: listen_where(config.http_listen).await?,
            metrics: listen_where(config.metrics_listen).await?,
        })
    }

    pub(super) fn addresses(&self) -> Result<Addresses> {
        let of = |listener: &TcpListener| listener.local_addr().context("indirizzo");
        Ok(Addresses {
            main: of(&self.main)?,
            plain: self.plain.as_ref().map(of).transpose()?,
            metrics: self.metrics.as_ref().map(of).transpose()?,
        })
    }

    /// Serves until told to stop; returns when every connection is closed. The plain listener redirects to `origin`.
    pub(super) async fn serve(
        self,
        app: Shared,
        tls: Option<TlsAcceptor>,
        promise: Option<HeaderValue>,
        origin: String,
        stopping: watch::Receiver<bool>,
    ) {
        let main = Endpoint {
            tls,
            limits: Limits::default(),
            shared_addresses: shared_addresses(&app.trusted_proxies.0),
            open: app.metrics.connections.clone(),
            router: router(Arc::clone(&app)),
            promise,
        };
        let small = |sockets, router, open| Endpoint {
            tls: None,
            // A promise of https counts only when it was made over https (RFC 6797 §7.2).
            promise: None,
            limits: Limits {
                sockets,
                ..Limits::default()
            },
            router,
            open,
            ..main.clone()
        };
        let plain = small(PLAIN_SOCKETS, redirect::router(origin), main.open.clone());
        let metrics = small(METRICS_SOCKETS, metrics::router(app), Gauge::default());
        tokio::join!(
            serve(self.main, main, stopping.clone()),
            serve_where(self.plain, plain, stopping.clone()),
            serve_where(self.metrics, metrics, stopping.clone()),
        );
    }
}

async fn serve_where(
    listener: Option<TcpListener>,
    endpoint: Endpoint,
    stopping: watch::Receiver<bool>,
) {
    if let Some(listener) = listener {
        serve(listener, endpoint, stopping).await;
    }
}

async fn listen_where(address: Option<SocketAddr>) -> Result<Option<TcpListener>> {
    match address {
        Some(address) => listen(address).await.map(Some),
        None => Ok(None),
    }
}

async fn listen(address: SocketAddr) -> Result<TcpListener> {
    TcpListener::bind(address).await.map_err(|error| {
        let refused = error.kind() == std::io::ErrorKind::PermissionDenied;
        if error.kind() == std::io::ErrorKind::AddrInUse {
            let port = address.port();
            return anyhow!(
                "la porta {port} è già in uso ({address}): forse il programma è già avviato. Fermare chi la usa, o \
                 scegliere un altro indirizzo: serve --listen {}",
                SocketAddr::new(address.ip(), port.checked_add(1).unwrap_or(8080))
            );
        }
        let hint = if refused && PRIVILEGED.contains(&address.port()) {
            " (le porte sotto 1024 chiedono la capacità CAP_NET_BIND_SERVICE)"
        } else {
            ""
        };
        anyhow::Error::new(error).context(format!("impossibile ascoltare su {address}{hint}"))
    })
}

/// Addresses behind which many clients may stand: trusted proxies, and this machine, where an undeclared proxy may run.
pub(super) fn shared_addresses(trusted: &[IpNet]) -> Arc<[IpNet]> {
    let loopback = [
        IpNet::new(IpAddr::from([127, 0, 0, 0]), 8),
        IpNet::new(IpAddr::from(Ipv6Addr::LOCALHOST), 128),
    ];
    let loopback = loopback.into_iter().flatten();
    loopback.chain(trusted.iter().copied()).collect()
}
