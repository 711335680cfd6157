//! The listeners: the address that is served, and the one in plain HTTP that redirects there.
//! Must never serve anything but the redirect at the second.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::ops::Range;

use anyhow::{Context, Result};
use ipnet::IpNet;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;

use crate::config::Config;
use crate::http::connections::{Endpoint, Limits, serve};
use crate::http::state::Shared;
use crate::http::{redirect, router};

/// Sockets of the plain listener: each is there for one short answer.
const PLAIN_SOCKETS: usize = 256;
/// Ports that only a privileged program may take, unless the machine says otherwise.
const PRIVILEGED: Range<u16> = 1..1024;

/// The listeners, open.
pub(super) struct Listeners {
    main: TcpListener,
    plain: Option<TcpListener>,
}

impl Listeners {
    /// Begins to listen. The connections wait until [`Listeners::serve`].
    pub(super) async fn open(config: &Config) -> Result<Self> {
        let main = listen(config.listen).await?;
        let plain = match config.http_listen {
            Some(address) => Some(listen(address).await?),
            None => None,
        };
        Ok(Self { main, plain })
    }

    /// The address that is served; a port that the machine chose is known here.
    pub(super) fn address(&self) -> Result<SocketAddr> {
        self.main.local_addr().context("indirizzo")
    }

    pub(super) fn plain_address(&self) -> Option<SocketAddr> {
        self.plain
            .as_ref()
            .and_then(|plain| plain.local_addr().ok())
    }

    /// Serves until told to stop; returns when every connection is closed. The plain listener redirects to `origin`.
    pub(super) async fn serve(
        self,
        app: Shared,
        tls: Option<TlsAcceptor>,
        https: bool,
        origin: String,
        stopping: watch::Receiver<bool>,
    ) {
        let main = Endpoint {
            tls,
            limits: Limits::default(),
            shared_addresses: shared_addresses(&app.trusted_proxies),
            open: app.sockets.clone(),
            router: router(app, https),
        };
        let plain = Endpoint {
            tls: None,
            limits: Limits {
                sockets: PLAIN_SOCKETS,
                ..Limits::default()
            },
            router: redirect::router(origin),
            ..main.clone()
        };
        let serving = serve(self.main, main, stopped(&stopping));
        match self.plain {
            None => serving.await,
            Some(listener) => {
                tokio::join!(serving, serve(listener, plain, stopped(&stopping)));
            }
        }
    }
}

async fn listen(address: SocketAddr) -> Result<TcpListener> {
    TcpListener::bind(address).await.map_err(|error| {
        let refused = error.kind() == std::io::ErrorKind::PermissionDenied;
        let hint = if refused && PRIVILEGED.contains(&address.port()) {
            " (le porte sotto 1024 chiedono la capacità CAP_NET_BIND_SERVICE)"
        } else {
            ""
        };
        anyhow::Error::new(error).context(format!("impossibile ascoltare su {address}{hint}"))
    })
}

fn stopped(stopping: &watch::Receiver<bool>) -> impl Future<Output = ()> + Send + use<> {
    let mut stopping = stopping.clone();
    async move {
        // The sender lives as long as the server: an error means that it is being dropped.
        let _ = stopping.wait_for(|stop| *stop).await;
    }
}

/// Addresses behind which many clients may stand: trusted proxies, and this machine, where an unconfigured proxy or a
/// tool of the operator's runs.
fn shared_addresses(trusted: &[IpNet]) -> Vec<IpNet> {
    let loopback = [
        IpNet::new(IpAddr::from([127, 0, 0, 0]), 8),
        IpNet::new(IpAddr::from(Ipv6Addr::LOCALHOST), 128),
    ];
    let loopback = loopback.into_iter().flatten();
    loopback.chain(trusted.iter().copied()).collect()
}
