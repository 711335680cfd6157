//! Where visitors come in: the address that is served, and the one in the clear that leads there.
//! Must never serve anything but the way to the other at the second.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::ops::Range;
use std::sync::Arc;

use anyhow::{Context, Result};
use ipnet::IpNet;
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::config::Config;
use crate::http::connections::{Limits, Line, serve};
use crate::http::state::Shared;
use crate::http::{redirect, router};
use crate::tls::Shown;

/// Sockets of the listener in the clear: each is there for one short answer.
const PLAIN_SOCKETS: usize = 256;
/// Ports that only a privileged program may take, unless the machine says otherwise.
const PRIVILEGED: Range<u16> = 1..1024;

/// The listeners, open.
pub(super) struct Doors {
    main: TcpListener,
    line: Line,
    plain: Option<TcpListener>,
    /// Where the plain one leads.
    origin: String,
}

/// Where the listeners are.
#[derive(Debug, Clone, Copy)]
pub(super) struct Addresses {
    /// The one that is served.
    pub(super) main: SocketAddr,
    /// The one in the clear.
    pub(super) plain: Option<SocketAddr>,
}

impl Doors {
    /// Begins to listen. The connections wait until [`Doors::serve`].
    pub(super) async fn open(config: &Config, shown: Option<&Arc<Shown>>) -> Result<Self> {
        let main = listen(config.listen).await?;
        let plain = match config.http_listen {
            Some(address) => Some(listen(address).await?),
            None => None,
        };
        Ok(Self {
            origin: config.origin(main.local_addr().context("indirizzo")?),
            line: shown.map_or(Ok(Line::Plain), Line::secured)?,
            main,
            plain,
        })
    }

    /// The addresses; a port that the machine chose is known here.
    pub(super) fn addresses(&self) -> Result<Addresses> {
        let address = |listener: &TcpListener| listener.local_addr().context("indirizzo");
        Ok(Addresses {
            main: address(&self.main)?,
            plain: self.plain.as_ref().map(address).transpose()?,
        })
    }

    /// Serves until told to stop; returns when every connection is closed.
    pub(super) async fn serve(self, app: Shared, https: bool, stopping: watch::Receiver<bool>) {
        let many = many_behind_one(&app.trusted_proxies);
        let (main, line, limits) = (self.main, self.line, Limits::default());
        let open = app.sockets.clone();
        let pages = serve(
            main,
            line,
            router(app, https),
            limits,
            &many,
            &open,
            told(&stopping),
        );
        let Some(plain) = self.plain else {
            return pages.await;
        };
        let limits = Limits {
            sockets: PLAIN_SOCKETS,
            ..limits
        };
        let way = redirect::router(self.origin);
        let leading = serve(
            plain,
            Line::Plain,
            way,
            limits,
            &many,
            &open,
            told(&stopping),
        );
        tokio::join!(pages, leading);
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

fn told(stopping: &watch::Receiver<bool>) -> impl Future<Output = ()> + Send + use<> {
    let mut stopping = stopping.clone();
    async move {
        // The sender lives as long as the server: an error means that it is being dropped.
        let _ = stopping.wait_for(|stop| *stop).await;
    }
}

/// Addresses behind which many clients may stand: trusted proxies, and this machine, where an unconfigured proxy or a
/// tool of the operator's runs. The limit on sockets of one client does not hold for them.
fn many_behind_one(trusted: &[IpNet]) -> Vec<IpNet> {
    let here = [
        IpAddr::from([127, 0, 0, 0]),
        IpAddr::from(Ipv6Addr::LOCALHOST),
    ];
    let lengths = [8, 128];
    let loopback = here
        .into_iter()
        .zip(lengths)
        .filter_map(|(address, length)| IpNet::new(address, length).ok());
    loopback.chain(trusted.iter().copied()).collect()
}
