//! Where the program may connect to: the public internet encrypted, and what the operator allows in `config.toml`.
//! The panel must never change it. Names are resolved first: the address that was checked is the one connected to.

use std::io::ErrorKind;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use ipnet::IpNet;
use ureq::Agent;
use ureq::config::Config;
use ureq::http::Uri;
use ureq::tls::{Certificate, RootCerts, TlsConfig};
use ureq::unversioned::resolver::{ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{Connector, NextTimeout};
use url::Host;
use zeroize::Zeroizing;

use super::certificate_fault;
use super::tokens::Tokens;
use crate::config::{self, PublicUrl};
use crate::domain::delivery::Failure;
use crate::domain::settings::System;
use crate::domain::text::is_listed;

/// Limit of a whole call of a webhook: name, connection, request and answer (PRODUCT.md §9).
const CALL_LIMIT: Duration = Duration::from_secs(10);
/// How long a mail server may take for one answer. RFC 5321 §4.5.3.2 allows minutes, but a newsroom's own answers in seconds.
const SEND_LIMIT: Duration = Duration::from_secs(30);
/// How long it may take to say that it takes a mail, which it may look through before (RFC 5321 §4.5.3.2.6). One that is given up
/// earlier is sent again, and arrives twice.
const END_LIMIT: Duration = Duration::from_mins(10);

/// The text about a server or its address, see [`explain`].
const PRIVATE: &str = "porta dentro questa macchina o una rete privata: chi gestisce il server può permetterlo con \
                       outbound_allow nel file di configurazione.";
const INTERRUPTED: &str = "non è raggiungibile, o ha interrotto la connessione.";

/// What stands for a name that there is none of: an address literal (RFC 5321 §4.1.3).
const NAMELESS: &str = "[127.0.0.1]";

/// Endings of names that the DNS of the internet does not have (RFC 2606, 6761, 6762, 7686, 8244, 8375, 9476; `internal`, `corp`, `home`
/// and `mail`: ICANN), and those that routers make up.
const OTHER_ENDINGS: &str = "alt|arpa|corp|example|home|internal|intranet|invalid|lan|local|localdomain|localhost|mail|onion|private|test";

/// Networks that are not the public internet (IANA Special-Purpose Address Registries, RFC 6890), and what may carry an IPv4
/// address that is not: Teredo, 6to4. Of IPv6 all that is not global (RFC 4291 §2.4): loopback, link-local, unique local,
/// multicast, translated addresses (`64:ff9b::/96`), and what is not assigned yet.
const RESERVED: &str = "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 \
                        192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 \
                        224.0.0.0/4 240.0.0.0/4 \
                        ::/3 2001::/23 2001:db8::/32 2002::/16 3fff::/20 4000::/2 8000::/1";

#[derive(Debug, Clone)]
pub struct OutboundPolicy {
    /// Networks that may be called though they are not the public internet (`outbound_allow`).
    pub allow: Vec<IpNet>,
    pub call_limit: Duration,
    /// Limit of each answer of a mail server.
    pub send_limit: Duration,
    /// Limit of its answer to the end of a mail.
    pub end_limit: Duration,
    /// The name that mail servers are told.
    pub own_name: String,
    /// The token for the mail server that is kept.
    pub tokens: Tokens,
}

impl Default for OutboundPolicy {
    fn default() -> Self {
        Self {
            allow: Vec::new(),
            call_limit: CALL_LIMIT,
            send_limit: SEND_LIMIT,
            end_limit: END_LIMIT,
            own_name: NAMELESS.to_owned(),
            tokens: Tokens::default(),
        }
    }
}

/// The address of a webhook, with what a call carries.
pub struct Hook {
    pub url: String,
    /// Key sent as `Authorization: Bearer`.
    pub api_key: Option<Zeroizing<String>>,
    /// Keys that sign the call, as they were shown (`whsec_` and base64): all of them, so that the receiver can change over.
    pub signing: Vec<Zeroizing<String>>,
    pub policy: OutboundPolicy,
}

impl OutboundPolicy {
    /// As the operator configured it, within these limits.
    pub fn configured(self, config: &config::Config) -> Self {
        Self {
            allow: config.outbound_allow.clone(),
            own_name: own_name(config.public_url.as_ref()),
            ..self
        }
    }

    /// That limit while a person waits, who is told earlier that a mail server is slow.
    pub fn awaited(&self) -> Self {
        Self {
            end_limit: self.send_limit,
            ..self.clone()
        }
    }

    /// The same without the token that is kept, so that a test tries the secret too.
    pub fn anew(&self) -> Self {
        Self {
            tokens: Tokens::default(),
            ..self.awaited()
        }
    }

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

    /// Makes HTTP calls: within the limit, directly, to where they were sent and nowhere else, to addresses that may be called.
    pub(super) fn agent(&self, connector: impl Connector, names: impl Resolver) -> Agent {
        let roots: Vec<Certificate<'static>> = rustls_native_certs::load_native_certs()
            .certs
            .iter()
            .map(|certificate| Certificate::from_der(certificate).to_owned())
            .collect();
        let tls = TlsConfig::builder().root_certs(RootCerts::new_with_certs(&roots));
        let config = Agent::config_builder()
            .timeout_global(Some(self.call_limit))
            .max_redirects(0)
            .max_redirects_will_error(false)
            .http_status_as_error(false)
            .max_idle_connections(0)
            .proxy(None)
            .user_agent(concat!("segnalazioni/", env!("CARGO_PKG_VERSION")))
            .tls_config(tls.build());
        let policy = self.clone();
        Agent::with_parts(config.build(), connector, Guarded { names, policy })
    }

    /// Whether the operator names this address in `outbound_allow`.
    fn allows(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.allow.iter().any(|network| network.contains(&address))
    }
}

/// The name of the public address in EHLO, as strict servers want it (RFC 5321 §4.1.4), or an address in its place. The machine's
/// own name is rarely one that the DNS knows.
fn own_name(public: Option<&PublicUrl>) -> String {
    let host = public.and_then(|url| Host::parse(url.host()).ok());
    match host {
        Some(Host::Domain(name)) if is_of_the_internet(name.trim_end_matches('.')) => {
            name.trim_end_matches('.').to_owned()
        }
        Some(Host::Ipv4(address)) => format!("[{address}]"),
        Some(Host::Ipv6(address)) => format!("[IPv6:{address}]"),
        Some(Host::Domain(_)) | None => NAMELESS.to_owned(),
    }
}

/// Whether a name in ASCII has the form of a host's (RFC 5321 §2.3.5) and an ending that the DNS may know.
fn is_of_the_internet(name: &str) -> bool {
    let fits = |label: &str| {
        let inner = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        (1..=63).contains(&label.len())
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.bytes().all(inner)
    };
    let ending = name.rsplit_once('.').map(|(_, ending)| ending);
    name.split('.').all(fits) && ending.is_some_and(|ending| !is_listed(OTHER_ENDINGS, ending))
}

/// Whether this is an address of the public internet; a network that cannot be read makes it none.
fn is_public(address: IpAddr) -> bool {
    let address = address.to_canonical();
    let mut reserved = RESERVED.split(' ').map(str::parse::<IpNet>);
    reserved.all(|network| network.is_ok_and(|network| !network.contains(&address)))
}

/// Lets only addresses through that may be called. The connection goes to what it answers: there is no second look-up.
#[derive(Debug)]
struct Guarded<R> {
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
                (false, false) => Some(RefusedAddress::Private),
                (false, true) => (!encrypted).then_some(RefusedAddress::Plain),
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
pub(super) enum RefusedAddress {
    #[error("inside this machine or a private network")]
    Private,
    #[error("in the clear across the internet")]
    Plain,
}

pub(super) fn explain(error: &ureq::Error, of: &str) -> Failure {
    let fault = match error {
        ureq::Error::Io(cause) => certificate_fault(cause),
        ureq::Error::Rustls(cause) => certificate_fault(cause),
        _ => None,
    };
    if let Some(fault) = fault {
        return Failure::passing(format!(
            "Il server {of} non è sicuro ({fault}): non è stato inviato nulla."
        ));
    }
    let address = |why: &str| Failure::permanent(format!("L'indirizzo {of} {why}"));
    let server = |why: &str| Failure::passing(format!("Il server {of} {why}"));
    match error {
        ureq::Error::Other(cause) => match cause.downcast_ref() {
            Some(RefusedAddress::Private) => address(PRIVATE),
            Some(RefusedAddress::Plain) => address("deve iniziare con https://."),
            None => server(INTERRUPTED),
        },
        ureq::Error::BadUri(_) | ureq::Error::Http(_) => address("non è valido."),
        ureq::Error::HostNotFound => {
            server("non è stato trovato: controlla il nome nell'indirizzo.")
        }
        ureq::Error::Timeout(_) => server("non ha risposto in tempo."),
        ureq::Error::Io(cause) if cause.kind() == ErrorKind::ConnectionRefused => {
            server("rifiuta la connessione.")
        }
        _ => server(INTERRUPTED),
    }
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
    fn mail_servers_are_told_a_name_of_the_internet_or_an_address() {
        let urls = [
            ("https://segnala.example.org", "segnala.example.org"),
            ("https://segnala.example.org.:8443", "segnala.example.org"),
            ("https://città.it", "xn--citt-3na.it"),
            ("http://localhost:8080", "[127.0.0.1]"),
            ("https://redazione", "[127.0.0.1]"),
            ("https://segnala_oggi.example.org", "[127.0.0.1]"),
            ("https://-segnala.example.org", "[127.0.0.1]"),
            ("https://nas.local", "[127.0.0.1]"),
            ("https://SEGNALA.LAN", "[127.0.0.1]"),
            ("https://segnala.internal.", "[127.0.0.1]"),
            ("https://fritz.home.arpa", "[127.0.0.1]"),
            ("https://localhost.localdomain", "[127.0.0.1]"),
            ("https://abcdefgh.onion", "[127.0.0.1]"),
            // No ending of its own, but part of a name.
            ("https://local.example.org", "local.example.org"),
            ("http://192.0.2.7", "[192.0.2.7]"),
            ("http://[2001:db8::7]:80", "[IPv6:2001:db8::7]"),
        ];
        for (url, name) in urls {
            let url = url.parse().ok();
            assert_eq!(own_name(url.as_ref()), name, "{url:?}");
        }
        assert_eq!(own_name(None), "[127.0.0.1]");
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
