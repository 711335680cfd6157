//! Where the program may connect to, and for how long: the public internet encrypted, and what the operator allows in
//! `config.toml`. The panel must never change it. A name must never be checked: it is resolved first, and the address that was
//! checked is the one connected to.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use ipnet::{IpNet, Ipv4Net, Ipv6Net};
use ureq::config::Config;
use ureq::http::Uri;
use ureq::tls::{Certificate, RootCerts, TlsConfig};
use ureq::unversioned::resolver::{ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::NextTimeout;
use zeroize::Zeroizing;

use super::email::{Encryption, Server};
use super::webhook::Hook;
use crate::domain::settings::{Email, System};

/// Limit of a whole call of a webhook: name, connection, request and answer (PRODUCT.md §5).
const CALL_LIMIT: Duration = Duration::from_secs(10);
/// How long a mail server may take for one answer. RFC 5321 §4.5.3.2 allows minutes, but a newsroom's own answers in seconds.
const SEND_LIMIT: Duration = Duration::from_secs(30);

const fn v4(a: u8, b: u8, c: u8, length: u8) -> Ipv4Net {
    Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, 0), length)
}

const fn v6(a: u16, b: u16, length: u8) -> Ipv6Net {
    Ipv6Net::new_assert(Ipv6Addr::new(a, b, 0, 0, 0, 0, 0, 0), length)
}

/// IPv4 networks that are not the public internet (IANA IPv4 Special-Purpose Address Registry, RFC 6890).
const RESERVED_V4: [Ipv4Net; 15] = [
    v4(0, 0, 0, 8),
    v4(10, 0, 0, 8),
    v4(100, 64, 0, 10),
    v4(127, 0, 0, 8),
    v4(169, 254, 0, 16),
    v4(172, 16, 0, 12),
    v4(192, 0, 0, 24),
    v4(192, 0, 2, 24),
    v4(192, 88, 99, 24),
    v4(192, 168, 0, 16),
    v4(198, 18, 0, 15),
    v4(198, 51, 100, 24),
    v4(203, 0, 113, 24),
    v4(224, 0, 0, 4),
    v4(240, 0, 0, 4),
];

/// All of IPv6 that is global (RFC 4291 §2.4): what is outside of it is loopback, link-local, unique local, multicast, a
/// translated address (`64:ff9b::/96`), or of a kind that nobody has thought of yet.
const GLOBAL_V6: Ipv6Net = v6(0x2000, 0, 3);
/// IPv6 networks inside the global range that are not the public internet, or carry an IPv4 address that could be a private one
/// (IANA IPv6 Special-Purpose Address Registry): protocol assignments with Teredo, documentation, 6to4.
const RESERVED_V6: [Ipv6Net; 4] = [
    v6(0x2001, 0, 23),
    v6(0x2001, 0xdb8, 32),
    v6(0x2002, 0, 16),
    v6(0x3fff, 0, 20),
];

/// What the process allows the senders.
#[derive(Debug, Clone)]
pub struct OutboundPolicy {
    /// Networks that may be called though they are not the public internet (`outbound_allow`).
    pub allow: Vec<IpNet>,
    /// Limit of a whole call over HTTP.
    pub call_limit: Duration,
    /// Limit of each answer of a mail server.
    pub send_limit: Duration,
}

impl Default for OutboundPolicy {
    fn default() -> Self {
        Self {
            allow: Vec::new(),
            call_limit: CALL_LIMIT,
            send_limit: SEND_LIMIT,
        }
    }
}

impl OutboundPolicy {
    /// The mail server of the settings.
    pub fn server(&self, email: &Email, password: Option<Zeroizing<String>>) -> Server {
        let port = email.smtp_port.try_into().unwrap_or(u16::MAX);
        Server {
            host: email.smtp_host.clone(),
            port,
            username: email.smtp_username.clone(),
            password,
            encryption: Encryption::of(email.smtp_secure, port),
            limit: self.send_limit,
        }
    }

    /// The webhook of the settings.
    pub fn hook(
        &self,
        system: &System,
        api_key: Option<Zeroizing<String>>,
        signing: Vec<Zeroizing<String>>,
    ) -> Hook {
        Hook {
            url: system.webhook_url.clone(),
            api_key,
            signing,
            policy: self.clone(),
        }
    }

    /// How every HTTP call is made: within its limit, directly, to where it was sent and nowhere else.
    pub(super) fn http(&self) -> Config {
        let roots: Vec<Certificate<'static>> = rustls_native_certs::load_native_certs()
            .certs
            .iter()
            .map(|certificate| Certificate::from_der(certificate).to_owned())
            .collect();
        ureq::Agent::config_builder()
            .timeout_global(Some(self.call_limit))
            .max_redirects(0)
            .max_redirects_will_error(false)
            .http_status_as_error(false)
            .max_idle_connections(0)
            .proxy(None)
            .user_agent(concat!("segnalazioni/", env!("CARGO_PKG_VERSION")))
            .tls_config(
                TlsConfig::builder()
                    .root_certs(RootCerts::new_with_certs(&roots))
                    .build(),
            )
            .build()
    }

    /// A resolver that lets only addresses through that may be called.
    pub(super) fn guard<R: Resolver>(&self, names: R) -> Guarded<R> {
        Guarded {
            names,
            policy: self.clone(),
        }
    }

    /// Whether the operator names this address in `outbound_allow`.
    fn allows(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.allow.iter().any(|network| network.contains(&address))
    }
}

/// Whether this is an address of the public internet.
fn is_public(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(v4) => !RESERVED_V4.iter().any(|network| network.contains(&v4)),
        IpAddr::V6(v6) => {
            GLOBAL_V6.contains(&v6) && !RESERVED_V6.iter().any(|network| network.contains(&v6))
        }
    }
}

/// Resolves names, and lets only addresses through that may be called. What it answers is what is connected to: there is
/// no second look-up that could say something else.
#[derive(Debug)]
pub(super) struct Guarded<R> {
    names: R,
    policy: OutboundPolicy,
}

impl<R: Resolver> Resolver for Guarded<R> {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let found = self
            .names
            .resolve(uri, config, timeout)
            .map_err(|error| match error {
                // The system's resolver has no kind of its own for a name that does not exist.
                ureq::Error::Io(_) => ureq::Error::HostNotFound,
                other => other,
            })?;
        let encrypted = uri.scheme_str() == Some("https");
        let addresses: &[SocketAddr] = &found;
        for address in addresses.iter().map(SocketAddr::ip) {
            let refused = match (self.policy.allows(address), is_public(address)) {
                (true, _) => None,
                (false, false) => Some(Refused::Private),
                (false, true) => (!encrypted).then_some(Refused::Plain),
            };
            if let Some(refused) = refused {
                return Err(ureq::Error::Other(Box::new(refused)));
            }
        }
        Ok(found)
    }
}

/// Why an address is not called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum Refused {
    #[error("inside this machine or a private network")]
    Private,
    #[error("in the clear across the internet")]
    Plain,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_the_public_internet_is_refused() {
        let addresses = "0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.127.255.255 127.0.0.1 127.255.0.9 \
            169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.8 192.0.2.1 192.88.99.1 192.168.1.1 \
            198.18.0.1 198.19.255.255 198.51.100.7 203.0.113.7 224.0.0.1 239.255.255.255 240.0.0.1 \
            255.255.255.255 :: ::1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:169.254.169.254 \
            64:ff9b::7f00:1 64:ff9b:1::1 100::1 2001::1 2001:db8::1 2002:7f00:1:: 3fff::1 4000::1 \
            fc00::1 fd12:3456::1 fe80::1 fec0::1 ff02::1";
        for address in addresses.split(' ') {
            assert!(!is_public(address.parse().unwrap()), "{address}");
        }
    }

    #[test]
    fn the_public_internet_is_taken_up_to_its_edges() {
        let addresses = "1.1.1.1 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 \
            169.253.255.255 172.15.255.255 172.32.0.0 192.167.255.255 192.169.0.0 223.255.255.255 \
            ::ffff:1.1.1.1 2001:200::1 2606:4700:4700::1111 2a00::1 3ffe:ffff::1";
        for address in addresses.split(' ') {
            assert!(is_public(address.parse().unwrap()), "{address}");
        }
    }

    #[test]
    fn what_the_operator_allows_counts_in_every_spelling_of_an_address() {
        let policy = OutboundPolicy {
            allow: vec!["127.0.0.0/8".parse().unwrap(), "fd00::/8".parse().unwrap()],
            ..OutboundPolicy::default()
        };
        for (address, allowed) in [
            ("127.0.0.1", true),
            ("::ffff:127.0.0.1", true),
            ("fd00::7", true),
            ("::1", false),
            ("10.0.0.1", false),
            ("1.1.1.1", false),
        ] {
            assert_eq!(
                policy.allows(address.parse().unwrap()),
                allowed,
                "{address}"
            );
        }
    }
}
