//! Whether another machine could be reached: its name, its address, its encryption. For `doctor`, which must not call
//! anybody.
//! Must never send a request, nor connect to an address of a webhook that was not checked.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore};
use ureq::Timeout;
use ureq::http::Uri;
use ureq::unversioned::resolver::{DefaultResolver, Resolver};
use ureq::unversioned::transport::NextTimeout;

use super::failure::{Failure, certificate_fault};
use super::in_time::{Missed, in_time};
use super::webhook::{Guarded, Hook, config, explain, trusted_roots};

/// Why the newsroom's own public address did not answer as it should.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unanswered {
    /// Its certificate is not one that browsers would take.
    Certificate(&'static str),
    /// It cannot be reached from here; people outside may reach it all the same.
    Unreachable,
}

/// Goes to a webhook's address as a call would, up to the encrypted connection.
pub fn try_hook(hook: &Hook) -> Result<(), Failure> {
    let names = Guarded {
        names: DefaultResolver::default(),
        allow: hook.allow.clone(),
    };
    knock(&hook.url, hook.limit, names)
        .map(|_| ())
        .map_err(|error| explain(&error, hook.limit))
}

/// The certificate (DER) that a public address `https://…` of our own shows. The address comes from the configuration of
/// the process: it may be a private one.
pub fn certificate_of(url: &str, limit: Duration) -> Result<Vec<u8>, Unanswered> {
    match knock(url, limit, DefaultResolver::default()) {
        Ok(Some(certificate)) => Ok(certificate.to_vec()),
        Err(ureq::Error::Io(error)) => {
            Err(certificate_fault(&error).map_or(Unanswered::Unreachable, Unanswered::Certificate))
        }
        Ok(None) | Err(_) => Err(Unanswered::Unreachable),
    }
}

/// Connects within the limit, and encrypts where the address says so; then the certificate of the other side.
fn knock(
    url: &str,
    limit: Duration,
    names: impl Resolver,
) -> Result<Option<CertificateDer<'static>>, ureq::Error> {
    let uri: Uri = url
        .parse()
        .map_err(|_| ureq::Error::BadUri(String::new()))?;
    let given_up = Arc::new(AtomicBool::new(false));
    let watched = Arc::clone(&given_up);
    let outcome = in_time("reach", limit, &given_up, move || {
        let within = NextTimeout {
            after: limit.into(),
            reason: Timeout::Global,
            ..NextTimeout::default()
        };
        let addresses = names.resolve(&uri, &config(limit), within)?;
        let stream = Watched {
            stream: connect(&addresses, limit)?,
            given_up: watched,
        };
        match uri.host().filter(|_| uri.scheme_str() == Some("https")) {
            Some(host) => encrypt(stream, host),
            None => Ok(None),
        }
    });
    outcome.unwrap_or_else(|missed| {
        Err(match missed {
            Missed::Late => ureq::Error::Timeout(Timeout::Global),
            Missed::Busy | Missed::Broken => ureq::Error::ConnectionFailed,
        })
    })
}

fn connect(addresses: &[SocketAddr], limit: Duration) -> io::Result<TcpStream> {
    let mut failure = io::ErrorKind::HostUnreachable.into();
    for address in addresses {
        match TcpStream::connect_timeout(address, limit) {
            Ok(stream) => {
                stream.set_read_timeout(Some(limit))?;
                stream.set_write_timeout(Some(limit))?;
                return Ok(stream);
            }
            Err(error) => failure = error,
        }
    }
    Err(failure)
}

fn encrypt(
    mut stream: Watched,
    host: &str,
) -> Result<Option<CertificateDer<'static>>, ureq::Error> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(trusted_roots());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = host.trim_start_matches('[').trim_end_matches(']');
    let name =
        ServerName::try_from(name.to_owned()).map_err(|_| ureq::Error::BadUri(String::new()))?;
    let mut session = ClientConnection::new(Arc::new(config), name).map_err(io::Error::other)?;
    while session.is_handshaking() {
        session.complete_io(&mut stream)?;
    }
    let shown = session.peer_certificates().unwrap_or_default();
    let certificate = shown
        .first()
        .map(|certificate| certificate.clone().into_owned());
    session.send_close_notify();
    // It showed what it was asked for: how it says goodbye changes nothing.
    let _ = session.write_tls(&mut stream);
    Ok(certificate)
}

/// A connection that ends when nobody waits for it any more.
struct Watched {
    stream: TcpStream,
    given_up: Arc<AtomicBool>,
}

impl Watched {
    fn go_on(&self) -> io::Result<()> {
        if self.given_up.load(Ordering::Relaxed) {
            return Err(io::ErrorKind::TimedOut.into());
        }
        Ok(())
    }
}

impl Read for Watched {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.go_on()?;
        self.stream.read(buffer)
    }
}

impl Write for Watched {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.go_on()?;
        self.stream.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}
