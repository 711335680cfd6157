//! Who calls: an address, through the proxies that the operator trusts, or a conversation by the onion socket, where there are
//! none. Logins and limits go by it.
//! Must never store or log an address.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{FromRef, FromRequestParts};
use axum::http::HeaderMap;
use axum::http::request::Parts;
use ipnet::IpNet;

use super::problem::ApiError;
use crate::vault::Vault;

/// Whom limits count as one. As an extension of a request it is the other end of its connection, as the listener says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Client {
    /// IPv4 in its own form.
    Address(IpAddr),
    /// By the onion socket: the masked conversation, as soon as there is one.
    Onion(Option<[u8; 16]>),
}

impl Client {
    pub fn address(self) -> Option<IpAddr> {
        match self {
            Self::Address(address) => Some(address),
            Self::Onion(_) => None,
        }
    }

    pub fn is_onion(self) -> bool {
        self.address().is_none()
    }

    /// By the onion socket each conversation, known by the report that it becomes, is a client of its own.
    pub fn in_conversation(self, vault: &Vault, report: &str) -> Self {
        match self {
            Self::Address(_) => self,
            Self::Onion(_) => Self::Onion(Some(vault.mask_client(report.as_bytes()))),
        }
    }

    /// Whether many may stand behind it: only all of them together are counted.
    pub fn is_shared(self, shared: &[IpNet]) -> bool {
        match self {
            Self::Address(address) => is_trusted(address.to_canonical(), shared),
            Self::Onion(conversation) => conversation.is_none(),
        }
    }

    pub fn key(self) -> Vec<u8> {
        match self {
            Self::Address(address) => limiter_key(address),
            Self::Onion(conversation) => conversation.unwrap_or_default().to_vec(),
        }
    }
}

/// Networks whose `X-Forwarded-For` is believed.
#[derive(Debug, Clone)]
pub struct TrustedProxies(pub Arc<[IpNet]>);

impl<S: Sync> FromRequestParts<S> for Client
where
    TrustedProxies: FromRef<S>,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let peer = parts.extensions.get::<Self>();
        let peer = *peer.ok_or_else(|| ApiError::defect("a connection without a peer"))?;
        let trusted = TrustedProxies::from_ref(state);
        let through_proxies = |address| client_ip(address, &parts.headers, &trusted.0);
        let address = peer.address().map(through_proxies);
        Ok(address.map_or(peer, Self::Address))
    }
}

/// The header in which each proxy appends the address it was called from.
const FORWARDED_FOR: &str = "x-forwarded-for";

pub fn is_trusted(address: IpAddr, trusted: &[IpNet]) -> bool {
    trusted.iter().any(|network| network.contains(&address))
}

/// The address of the client (ASVS 4.1.3). From a trusted proxy it is the rightmost address of `X-Forwarded-For` that is not
/// trusted, or the leftmost where all are. Empty elements do not count (RFC 9110 §5.6.1.2). A list with anything else but
/// addresses up to there is ignored: the peer counts.
pub fn client_ip(peer: IpAddr, headers: &HeaderMap, trusted: &[IpNet]) -> IpAddr {
    if !is_trusted(peer, trusted) {
        return peer;
    }
    let mut client = peer;
    for line in headers.get_all(FORWARDED_FOR).iter().rev() {
        // Bytes that are not text cannot be in an address: such an element fails to parse like any other.
        let elements = line.as_bytes().rsplit(|byte| *byte == b',');
        for element in elements.filter(|element| !element.trim_ascii().is_empty()) {
            let Some(address) = address(element) else {
                return peer;
            };
            if !is_trusted(address, trusted) {
                return address;
            }
            client = address;
        }
    }
    client
}

/// The key by which attempts are counted: an IPv4 address, or the /64 network of an IPv6 one, since a subscriber owns
/// it whole.
pub fn limiter_key(address: IpAddr) -> Vec<u8> {
    match address.to_canonical() {
        IpAddr::V4(v4) => v4.octets().to_vec(),
        IpAddr::V6(v6) => v6.octets()[..8].to_vec(),
    }
}

/// The /48 network of an IPv6 address: what a provider may hand out whole.
pub fn network_key(address: IpAddr) -> Option<Vec<u8>> {
    match address.to_canonical() {
        IpAddr::V4(_) => None,
        IpAddr::V6(v6) => Some(v6.octets()[..6].to_vec()),
    }
}

/// The network of a [`limiter_key`]: the /48 of an IPv6 one, an IPv4 address itself.
pub fn network_of(key: &[u8]) -> &[u8] {
    key.get(..6).unwrap_or(key)
}

/// An address as proxies write it: bare, in brackets, with a port or a zone, quoted as in `Forwarded` (RFC 7239 §6).
fn address(element: &[u8]) -> Option<IpAddr> {
    let text = std::str::from_utf8(element.trim_ascii()).ok()?;
    let quoted = text
        .strip_prefix('"')
        .and_then(|text| text.strip_suffix('"'));
    let text = quoted.unwrap_or(text);
    bare(text).or_else(|| bare(without_port(text)?))
}

fn without_port(text: &str) -> Option<&str> {
    let (address, port) = text.rsplit_once(':')?;
    let is_port = (1..=5).contains(&port.len()) && port.bytes().all(|byte| byte.is_ascii_digit());
    is_port.then_some(address)
}

fn bare(text: &str) -> Option<IpAddr> {
    let address = match text
        .strip_prefix('[')
        .and_then(|text| text.strip_suffix(']'))
    {
        Some(text) => IpAddr::V6(without_zone(text).parse().ok()?),
        None => without_zone(text).parse().ok()?,
    };
    Some(address.to_canonical())
}

/// The zone of a link-local address names an interface of the proxy (RFC 4007 §11).
fn without_zone(text: &str) -> &str {
    let zoned = text.split_once('%');
    let zoned = zoned.filter(|(address, zone)| address.contains(':') && !zone.is_empty());
    zoned.map_or(text, |(address, _)| address)
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;
    use proptest::prelude::*;

    /// Networks of the table below: two proxies of ours.
    const TRUSTED: [&str; 3] = ["127.0.0.1/32", "10.0.0.0/8", "fd00::/8"];
    const PROXY: &str = "127.0.0.1";

    fn trusted() -> Vec<IpNet> {
        TRUSTED
            .map(|text| text.parse().expect("a network"))
            .to_vec()
    }

    fn ip(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    fn headers(name: &'static str, lines: &[&[u8]]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(name, HeaderValue::from_bytes(line).expect("a header value"));
        }
        headers
    }

    fn client(peer: &str, lines: &[&[u8]]) -> IpAddr {
        let peer = ip(peer).to_canonical();
        client_ip(peer, &headers(FORWARDED_FOR, lines), &trusted())
    }

    /// Peer, lines of the header, client.
    const CLIENTS: &[(&str, &[&[u8]], &str)] = &[
        // Straight from the network: nothing it says is believed.
        ("203.0.113.9", &[], "203.0.113.9"),
        ("203.0.113.9", &[b"127.0.0.1"], "203.0.113.9"),
        ("203.0.113.9", &[b"198.51.100.1, 10.0.0.1"], "203.0.113.9"),
        ("2001:db8::9", &[b"198.51.100.1"], "2001:db8::9"),
        ("::ffff:203.0.113.9", &[b"198.51.100.1"], "203.0.113.9"),
        ("127.0.0.2", &[b"198.51.100.1"], "127.0.0.2"),
        // Through one proxy.
        (PROXY, &[b"198.51.100.1"], "198.51.100.1"),
        (PROXY, &[b"  198.51.100.1\t"], "198.51.100.1"),
        ("::ffff:127.0.0.1", &[b"198.51.100.1"], "198.51.100.1"),
        ("::ffff:10.9.9.9", &[b"198.51.100.1"], "198.51.100.1"),
        ("fd00::7", &[b"198.51.100.1"], "198.51.100.1"),
        (PROXY, &[b"2001:db8::1"], "2001:db8::1"),
        (PROXY, &[b"2001:DB8:0:0:0:0:0:1"], "2001:db8::1"),
        (PROXY, &[b"::ffff:198.51.100.1"], "198.51.100.1"),
        // With a port: https://github.com/rack/rack/issues/1227, https://github.com/akka/akka-http/issues/3790.
        (PROXY, &[b"198.51.100.1:99"], "198.51.100.1"),
        (PROXY, &[b"198.51.100.1:99999"], "198.51.100.1"),
        (PROXY, &[b"198.51.100.1:17085, 10.0.0.6"], "198.51.100.1"),
        (PROXY, &[b"198.51.100.1:17085, 10.0.0.6:80"], "198.51.100.1"),
        // https://github.com/vert-x3/vertx-web/issues/2464, https://github.com/firezone/firezone/pull/12272.
        (PROXY, &[b"[2001:db8::1]"], "2001:db8::1"),
        (PROXY, &[b"[2001:db8::1]:443"], "2001:db8::1"),
        (
            PROXY,
            &[b"2001:db8:85a3:8d3:1319:8a2e:370:9c82"],
            "2001:db8:85a3:8d3:1319:8a2e:370:9c82",
        ),
        (
            PROXY,
            &[b"2001:db8:85a3:8d3:1319:8a2e:370:9c82:8080"],
            "2001:db8:85a3:8d3:1319:8a2e:370:9c82",
        ),
        (PROXY, &[b"::ffff:198.51.100.1:8080"], "198.51.100.1"),
        (PROXY, &[b"[::ffff:198.51.100.1]:8080"], "198.51.100.1"),
        // Quoted as in `Forwarded`: https://github.com/sozu-proxy/sozu/pull/1261.
        (PROXY, &[b"\"198.51.100.1\""], "198.51.100.1"),
        (PROXY, &[b"\"[2001:db8::1]\""], "2001:db8::1"),
        (PROXY, &[b"\"[2001:db8::1]:4711\""], "2001:db8::1"),
        // With a zone: https://github.com/Kludex/uvicorn/issues/1974.
        (PROXY, &[b"fe80::1%eth0"], "fe80::1"),
        (PROXY, &[b"[fe80::1%25eth0]:443"], "fe80::1"),
        // One address in both families, as a socket of both sees it (RFC 4291 §2.5.5.2).
        (PROXY, &[b"::ffff:c633:6401"], "198.51.100.1"),
        (PROXY, &[b"[::ffff:c633:6401]:8080"], "198.51.100.1"),
        // Empty elements of a list (RFC 9110 §5.6.1.2).
        (PROXY, &[b"198.51.100.1,"], "198.51.100.1"),
        (PROXY, &[b"198.51.100.1, "], "198.51.100.1"),
        (PROXY, &[b"198.51.100.1, , 10.0.0.1"], "198.51.100.1"),
        (PROXY, &[b"198.51.100.1 ,\t,,"], "198.51.100.1"),
        (PROXY, &[b"198.51.100.1", b""], "198.51.100.1"),
        (PROXY, &[b"198.51.100.1", b" , "], "198.51.100.1"),
        (PROXY, &[b",", b" , "], PROXY),
        // Entries that the client put in front do not count.
        (PROXY, &[b"1.1.1.1, 198.51.100.1"], "198.51.100.1"),
        (PROXY, &[b"127.0.0.1, 198.51.100.1"], "198.51.100.1"),
        (PROXY, &[b"unknown, <script>, 198.51.100.1"], "198.51.100.1"),
        (PROXY, &[b"\xff\xfe, 198.51.100.1"], "198.51.100.1"),
        (PROXY, &[b",,,198.51.100.1"], "198.51.100.1"),
        // Through several.
        (PROXY, &[b"198.51.100.1, 10.0.0.1"], "198.51.100.1"),
        (
            PROXY,
            &[b"1.1.1.1, 198.51.100.1, 10.0.0.1, fd00::1"],
            "198.51.100.1",
        ),
        (PROXY, &[b"198.51.100.1,::ffff:10.0.0.1"], "198.51.100.1"),
        // Several lines are one list.
        (PROXY, &[b"1.1.1.1", b"198.51.100.1"], "198.51.100.1"),
        (PROXY, &[b"198.51.100.1", b"10.0.0.1"], "198.51.100.1"),
        (
            PROXY,
            &[b"1.1.1.1, 198.51.100.1", b"10.0.0.1, 10.0.0.2"],
            "198.51.100.1",
        ),
        // Only ours: the machine at the far end.
        (PROXY, &[b"10.0.0.1"], "10.0.0.1"),
        (PROXY, &[b"10.0.0.3, 10.0.0.1"], "10.0.0.3"),
        // Nothing, or nothing that is an address: the peer.
        (PROXY, &[], PROXY),
        (PROXY, &[b""], PROXY),
        (PROXY, &[b"unknown"], PROXY),
        (PROXY, &[b"198.51.100.1:"], PROXY),
        (PROXY, &[b"198.51.100.1:http"], PROXY),
        (PROXY, &[b"198.51.100.1:123456"], PROXY),
        (PROXY, &[b"198.51.100.1:80:80"], PROXY),
        (PROXY, &[b"[198.51.100.1]"], PROXY),
        (PROXY, &[b"[2001:db8::1"], PROXY),
        (PROXY, &[b"2001:db8::1]"], PROXY),
        (PROXY, &[b"[[2001:db8::1]]"], PROXY),
        (PROXY, &[b"\"198.51.100.1"], PROXY),
        (PROXY, &[b"for=198.51.100.1"], PROXY),
        (PROXY, &[b"_hidden"], PROXY),
        (PROXY, &[b"fe80::1%"], PROXY),
        (PROXY, &[b"198.51.100.1%eth0"], PROXY),
        // nginx calls a peer on a Unix socket so: https://nginx.org/en/docs/http/ngx_http_core_module.html#var_remote_addr.
        (PROXY, &[b"unix:"], PROXY),
        (PROXY, &[b"198.51.100.1, unix:"], PROXY),
        // Nodes without an address, as RFC 7239 §6 has them for `Forwarded`.
        (PROXY, &[b"_hidden:8080"], PROXY),
        (PROXY, &[b"\"unknown\""], PROXY),
        (PROXY, &[b"198.51.100.1;proto=https"], PROXY),
        (PROXY, &[b"for=\"[2001:db8::1]:4711\""], PROXY),
        (PROXY, &[b"[198.51.100.1]:80"], PROXY),
        (PROXY, &[b"localhost"], PROXY),
        (PROXY, &[b"198.51.100.1."], PROXY),
        (PROXY, &[b"198.51.100"], PROXY),
        (PROXY, &[b"198.51.100.001"], PROXY),
        (PROXY, &[b"0x7f000001"], PROXY),
        (PROXY, &[b"198.51.100.1/32"], PROXY),
        (PROXY, &[b"198.51.100.1 10.0.0.1"], PROXY),
        (PROXY, &[b"198.51.100.1\xff"], PROXY),
        (PROXY, &[b"198.51.100.1, unknown, 10.0.0.1"], PROXY),
    ];

    #[test]
    fn the_client_is_the_first_stranger_from_the_right() {
        for (peer, lines, expected) in CLIENTS {
            let shown: Vec<_> = lines
                .iter()
                .map(|line| String::from_utf8_lossy(line))
                .collect();
            assert_eq!(client(peer, lines), ip(expected), "{peer} {shown:?}");
        }
    }

    #[test]
    fn a_list_of_ten_kilobytes_is_walked_and_no_more() {
        let mine = "10.0.0.1,".repeat(1_100);
        assert_eq!(
            client(PROXY, &[format!("198.51.100.1,{mine}10.0.0.2").as_bytes()]),
            ip("198.51.100.1")
        );
        assert_eq!(
            client(PROXY, &[format!("{mine}198.51.100.1").as_bytes()]),
            ip("198.51.100.1")
        );
        assert_eq!(client(PROXY, &[mine.as_bytes()]), ip("10.0.0.1"));
    }

    #[test]
    fn no_other_header_is_read() {
        let peer = ip(PROXY);
        for name in [
            "x-real-ip",
            "forwarded",
            "true-client-ip",
            "cf-connecting-ip",
            "x-client-ip",
            "client-ip",
            "via",
        ] {
            assert_eq!(
                client_ip(peer, &headers(name, &[b"198.51.100.1"]), &trusted()),
                ip(PROXY),
                "{name}"
            );
        }
    }

    #[test]
    fn without_trusted_proxies_the_peer_is_the_client() {
        let peer = ip(PROXY);
        assert_eq!(
            client_ip(peer, &headers(FORWARDED_FOR, &[b"198.51.100.1"]), &[]),
            ip(PROXY)
        );
    }

    #[test]
    fn attempts_are_counted_by_address_or_by_subscriber() {
        let key = |text| limiter_key(ip(text));
        assert_eq!(key("198.51.100.1"), [198, 51, 100, 1]);
        assert_eq!(key("::ffff:198.51.100.1"), key("198.51.100.1"));
        assert_ne!(key("198.51.100.1"), key("198.51.100.2"));
        assert_eq!(key("2001:db8:1:2::1"), [0x20, 0x01, 0x0d, 0xb8, 0, 1, 0, 2]);
        assert_eq!(
            key("2001:db8:1:2::1"),
            key("2001:db8:1:2:ffff:ffff:ffff:ffff")
        );
        assert_ne!(key("2001:db8:1:2::1"), key("2001:db8:1:3::1"));
    }

    /// Elements that a client or a broken proxy may write into the header.
    fn elements() -> impl Strategy<Value = Vec<String>> {
        let address = any::<IpAddr>().prop_map(|address| address.to_string());
        let element = prop_oneof![address, "[0-9a-f:.%/ \\[\\]]{0,20}", "[ -~\t]{0,20}"];
        prop::collection::vec(element, 0..6)
    }

    proptest! {
        #[test]
        fn what_a_client_writes_before_its_address_changes_nothing(
            theirs in elements(), stranger in any::<IpAddr>(), split in any::<bool>(),
            ours in prop::collection::vec(prop::sample::select(vec!["10.0.0.1", " fd00::7", "::ffff:10.9.9.9\t"]), 0..4),
        ) {
            let stranger = Some(stranger.to_canonical()).filter(|address| !is_trusted(*address, &trusted()));
            let stranger = stranger.unwrap_or(ip("198.51.100.1"));
            let ours = [vec![stranger.to_string()], ours.into_iter().map(str::to_owned).collect()].concat();
            let (theirs, ours) = (theirs.join(","), ours.join(","));
            let one = format!("{theirs},{ours}");
            let lines = if split { vec![theirs.as_bytes(), ours.as_bytes()] } else { vec![one.as_bytes()] };
            prop_assert_eq!(client(PROXY, &lines), stranger);
            prop_assert_eq!(client("203.0.113.9", &lines), ip("203.0.113.9"));
        }

        #[test]
        fn any_list_gives_the_peer_or_an_address_in_it(lists in prop::collection::vec(elements(), 0..4)) {
            let lines: Vec<String> = lists.iter().map(|list| list.join(",")).collect();
            let bytes: Vec<&[u8]> = lines.iter().map(String::as_bytes).collect();
            let found = client(PROXY, &bytes);
            let said = lists.concat();
            let stands = |text: &String| text.split(',').any(|part| address(part.as_bytes()) == Some(found));
            prop_assert!(found == ip(PROXY) || said.iter().any(stands));
        }
    }
}
