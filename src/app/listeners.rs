//! The listeners: addresses and onion sockets that are served, the address in plain HTTP that redirects, the one for monitoring.

use std::io;
use std::iter::once;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result, anyhow};
use axum::http::HeaderValue;
use futures_util::future::join_all;
use ipnet::IpNet;
use prometheus_client::metrics::gauge::Gauge;
use rustix::io::Errno;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;

use crate::config::Config;
use crate::http::connections::{Endpoint, Limits, Routes, routes, serve};
use crate::http::listener::Listener;
use crate::http::state::Shared;
use crate::http::{HSTS, HSTS_SUBDOMAINS, metrics, onion_router, redirect, router};

/// Sockets of the plain listener: each is there for one short answer.
const PLAIN_SOCKETS: usize = 256;
/// Sockets for monitoring: a monitor needs one.
const METRICS_SOCKETS: usize = 16;
/// Ports that only a privileged program may take, unless the machine says otherwise.
const PRIVILEGED: Range<u16> = 1..1024;

/// The listeners, open. The connections wait until [`Listeners::serve`].
pub(super) struct Listeners {
    main: Vec<TcpListener>,
    onion: Vec<Listener>,
    plain: Option<TcpListener>,
    metrics: Option<TcpListener>,
    /// The header by which browsers insist on https (RFC 6797 §7.2), and the address of the onion service that pages
    /// sent over it name.
    promise: Option<HeaderValue>,
    onion_url: Option<Arc<str>>,
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
        let mut main = Vec::new();
        for address in once(&config.listen).chain(&config.more_listen) {
            main.push(listen(*address, config).await?);
        }
        let sockets = config.onion_sockets.iter();
        let open = |path: &PathBuf| {
            let failed = || format!("impossibile ascoltare su unix:{}", path.display());
            Listener::onion(path).with_context(failed)
        };
        let https = config.is_https();
        let promise = if config.hsts_subdomains {
            HSTS_SUBDOMAINS
        } else {
            HSTS
        };
        Ok(Self {
            main,
            onion: sockets.map(open).collect::<Result<_>>()?,
            plain: listen_where(config.http_listen, config).await?,
            metrics: listen_where(config.metrics_listen, config).await?,
            promise: https.then_some(promise),
            onion_url: config.onion_url.clone().filter(|_| https),
        })
    }

    pub(super) fn addresses(&self) -> Result<Addresses> {
        let of = |listener: &TcpListener| listener.local_addr().context("indirizzo");
        Ok(Addresses {
            main: of(self.main.first().context("indirizzo")?)?,
            plain: self.plain.as_ref().map(of).transpose()?,
            metrics: self.metrics.as_ref().map(of).transpose()?,
        })
    }

    /// Serves until told to stop; returns when every connection is closed. The plain listener redirects to `origin`.
    pub(super) async fn serve(
        self,
        app: Shared,
        tls: Option<TlsAcceptor>,
        origin: String,
        stopping: watch::Receiver<bool>,
    ) {
        let (for_main, for_onion) = (Arc::clone(&app), Arc::clone(&app));
        let onion = Endpoint {
            tls: None,
            promise: None,
            limits: Limits::default(),
            shared_addresses: shared_addresses(&app.trusted_proxies.0),
            open: app.metrics.connections.clone(),
            routes: routes(move || onion_router(for_onion)),
        };
        let main = Endpoint {
            tls,
            promise: self.promise,
            routes: routes(move || router(for_main, self.onion_url)),
            ..onion.clone()
        };
        let small = |sockets, routes: Routes| Endpoint {
            limits: at_most(sockets),
            routes,
            ..onion.clone()
        };
        let plain = small(PLAIN_SOCKETS, routes(move || redirect::router(origin)));
        let metrics = Endpoint {
            open: Gauge::default(),
            ..small(METRICS_SOCKETS, routes(move || metrics::router(app)))
        };
        let main = self.main.into_iter().map(|listener| (listener, &main));
        let addresses = main
            .chain(self.plain.map(|listener| (listener, &plain)))
            .chain(self.metrics.map(|listener| (listener, &metrics)));
        let all = addresses
            .map(|(listener, to)| (Listener::Address(listener), to))
            .chain(self.onion.into_iter().map(|listener| (listener, &onion)));
        join_all(all.map(|(from, to)| serve(from, to.clone(), stopping.clone()))).await;
    }
}

fn at_most(sockets: usize) -> Limits {
    Limits {
        sockets,
        ..Limits::default()
    }
}

async fn listen_where(address: Option<SocketAddr>, config: &Config) -> Result<Option<TcpListener>> {
    match address {
        Some(address) => listen(address, config).await.map(Some),
        None => Ok(None),
    }
}

/// Listens on an address; where the machine has no IPv6, on its IPv4 addresses instead, unless the address was chosen.
async fn listen(address: SocketAddr, config: &Config) -> Result<TcpListener> {
    let error = match TcpListener::bind(address).await {
        Ok(listener) => return Ok(listener),
        Err(error) => error,
    };
    if !(address.is_ipv6() && is_family_missing(&error) && config.everywhere.contains(&address)) {
        return Err(refusal(address, error));
    }
    let instead = SocketAddr::from((Ipv4Addr::UNSPECIFIED, address.port()));
    tracing::warn!(%instead, "this machine has no IPv6: listening on its IPv4 addresses");
    let listener = TcpListener::bind(instead).await;
    listener.map_err(|error| refusal(instead, error))
}

fn is_family_missing(error: &io::Error) -> bool {
    let missing = [Errno::AFNOSUPPORT, Errno::ADDRNOTAVAIL].map(Errno::raw_os_error);
    error
        .raw_os_error()
        .is_some_and(|code| missing.contains(&code))
}

fn refusal(address: SocketAddr, error: io::Error) -> anyhow::Error {
    let port = address.port();
    if error.kind() == io::ErrorKind::AddrInUse {
        return anyhow!(
            "la porta {port} è già in uso ({address}): forse il programma è già avviato. Fermare chi la usa, o \
             scegliere un altro indirizzo: serve --listen {}",
            SocketAddr::new(address.ip(), port.checked_add(1).unwrap_or(8080))
        );
    }
    if error.raw_os_error() == Some(Errno::AFNOSUPPORT.raw_os_error()) {
        return anyhow!(
            "impossibile ascoltare su {address}: questa macchina non ha IPv6. Scegliere un indirizzo IPv4, come 0.0.0.0:{port} \
             per tutti"
        );
    }
    let is_denied = error.kind() == io::ErrorKind::PermissionDenied;
    let hint = if is_denied && PRIVILEGED.contains(&port) {
        " (le porte sotto 1024 chiedono la capacità CAP_NET_BIND_SERVICE)"
    } else {
        ""
    };
    anyhow::Error::new(error).context(format!("impossibile ascoltare su {address}{hint}"))
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
