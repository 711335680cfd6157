//! Whether another machine could be reached: its name, its address, its encryption. For `doctor`, which sends nothing.

use std::io;
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

use ureq::http::Uri;
use ureq::unversioned::resolver::DefaultResolver;
use ureq::unversioned::transport::{ConnectionDetails, Connector, DefaultConnector, Transport};

use super::certificate_fault;
use super::encrypted::encrypt;
use super::policy::Hook;
use super::webhook::explain;
use crate::domain::delivery::Failure;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unanswered {
    /// Its certificate is not one that browsers would take.
    Certificate(&'static str),
    /// It cannot be reached from here; people outside may reach it all the same.
    Unreachable,
}

/// Goes to a webhook's address as a call would, up to the encrypted connection.
pub fn try_hook(hook: &Hook) -> Result<(), Failure> {
    let connector = DefaultConnector::new().chain(Stop);
    let agent = hook.policy.agent(connector, DefaultResolver::default());
    match agent.get(&hook.url).call() {
        Err(ureq::Error::Other(cause)) if cause.is::<Reached>() => Ok(()),
        Err(error) => Err(explain(&error, &hook.policy)),
        Ok(_) => Ok(()),
    }
}

/// Ends a call once it is connected, before anything is sent.
#[derive(Debug)]
struct Stop;

#[derive(Debug, thiserror::Error)]
#[error("connected")]
struct Reached;

impl<In: Transport> Connector<In> for Stop {
    type Out = In;

    fn connect(&self, _: &ConnectionDetails, _: Option<In>) -> Result<Option<In>, ureq::Error> {
        Err(ureq::Error::Other(Box::new(Reached)))
    }
}

/// The certificate (DER) that our own public address `https://…` shows. The configuration names it: it may be private.
pub fn certificate_of(url: &str, limit: Duration) -> Result<Vec<u8>, Unanswered> {
    presented_certificate(url, limit).map_err(|error| {
        certificate_fault(&error).map_or(Unanswered::Unreachable, Unanswered::Certificate)
    })
}

fn presented_certificate(url: &str, limit: Duration) -> io::Result<Vec<u8>> {
    let uri: Uri = url.parse().map_err(io::Error::other)?;
    let host = uri.host().unwrap_or_default();
    // An IPv6 address stands in brackets there.
    let name = host.trim_matches(['[', ']']).to_owned();
    let mut addresses = (name.as_str(), uri.port_u16().unwrap_or(443)).to_socket_addrs()?;
    let address = addresses.next().ok_or(io::ErrorKind::HostUnreachable)?;
    let stream = TcpStream::connect_timeout(&address, limit)?;
    stream.set_read_timeout(Some(limit))?;
    stream.set_write_timeout(Some(limit))?;
    let encrypted = encrypt(stream, &name)?;
    let certificates = encrypted.conn.peer_certificates().unwrap_or_default();
    let first = certificates.first().ok_or(io::ErrorKind::InvalidData)?;
    Ok(first.to_vec())
}
