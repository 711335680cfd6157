//! The form of web addresses in settings. Addresses of the private network are refused when the connection is opened.

use std::net::Ipv6Addr;

use url::{Host, Url};

use super::check;
use crate::domain::invalid::Invalid;
use crate::domain::text;

const URL_MAX: usize = 2_000;

/// Accepts an empty field or an absolute `http`/`https` address without credentials.
pub(super) fn check_web_address(field: &str, value: &str) -> Option<Invalid> {
    check(
        value.is_empty() || is_web_address(value),
        field,
        "format",
        "Inserisci un indirizzo web completo, che inizi con https:// o http://, oppure lascia vuoto il campo.",
    )
}

/// Whether a secret may go to this address: encrypted, or inside this machine.
pub(super) fn is_private_way(value: &str) -> bool {
    is_web_address(value)
        && Url::parse(value).is_ok_and(|url| {
            url.scheme() == "https"
                || match url.host() {
                    Some(Host::Domain(name)) => name == "localhost",
                    Some(Host::Ipv4(address)) => address.is_loopback(),
                    Some(Host::Ipv6(address)) => address.is_loopback(),
                    None => false,
                }
        })
}

/// Refuses first what the parser would correct (blanks, backslashes, a missing host).
fn is_web_address(value: &str) -> bool {
    let (scheme, rest) = value.split_once("://").unwrap_or_default();
    let odd = |character: char| character.is_whitespace() || "\"<>\\^`{|}".contains(character);
    let web = |scheme: &str| ["http", "https"].contains(&scheme);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let plain = |url: Url| url.domain().is_none_or(is_host) && url.port() != Some(0);
    web(&scheme.to_ascii_lowercase())
        && !authority.is_empty()
        && !authority.contains('@')
        && !authority.ends_with(':')
        && text::char_count(value) <= URL_MAX
        && !value.contains(odd)
        && !text::has_controls(value, true)
        && Url::parse(value).is_ok_and(plain)
}

/// `https://`, the host, and the port unless it is 443.
pub(super) fn is_https_origin(value: &str) -> bool {
    let exact = |url: Url| url.scheme() == "https" && url.origin().ascii_serialization() == value;
    is_web_address(value) && Url::parse(value).is_ok_and(exact)
}

/// A name or an address, without scheme, port or path.
pub(super) fn is_host_name(value: &str) -> bool {
    value.parse::<Ipv6Addr>().is_ok() || is_host(value)
}

/// Letters of any script, digits, inner dots and hyphens. The host is used as typed, so nothing is left to correct.
fn is_host(host: &str) -> bool {
    let of_name = |character: char| character.is_alphanumeric() || matches!(character, '-' | '_');
    let hyphened = |label: &str| label.starts_with('-') || label.ends_with('-');
    text::char_count(host) <= 253
        && host
            .split('.')
            .all(|label| !label.is_empty() && !hyphened(label) && label.chars().all(of_name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn web_addresses_that_are_taken() {
        for value in [
            "",
            "https://example.it",
            "http://example.it/logo.png?x=1#top",
            "HTTPS://Example.IT:8443/",
            "https://127.0.0.1:9000/logo.svg",
            "https://[2001:db8::1]:443/x",
            "https://città.it/perché",
            "https://example.it?x",
        ] {
            assert_eq!(check_web_address("logoUrl", value), None, "{value}");
        }
    }

    #[test]
    fn web_addresses_that_are_refused() {
        let long = format!("https://example.it/{}", "a".repeat(2_000));
        for value in [
            "example.it",
            "//example.it",
            "ftp://example.it",
            "javascript:alert(1)",
            "data:image/png;base64,AA",
            "https://",
            "https:///x",
            "https://.it",
            "https://exa mple.it",
            "https://@example.it",
            "https://user:pw@example.it",
            "https://example.it:0",
            "https://example.it:99999",
            "https://example.it:+80",
            "https://example.it:",
            "https://[::1",
            "https://[zz]/",
            "https://[::1]80",
            "https://example.it/a b",
            "https://example.it/\"onload",
            "https://example.it/\nx",
            " https://example.it",
            "https://-example.it",
            "https://example-.it",
            long.as_str(),
        ] {
            let refusal = check_web_address("logoUrl", value);
            assert_eq!(
                refusal.map(|refusal| refusal.code),
                Some("format"),
                "{value}"
            );
        }
    }

    #[test]
    fn secrets_go_over_the_network_encrypted_only() {
        for (url, fits) in [
            (
                "https://login.microsoftonline.com/x/oauth2/v2.0/token",
                true,
            ),
            (
                "http://login.microsoftonline.com/x/oauth2/v2.0/token",
                false,
            ),
            ("http://127.0.0.1:8080/token", true),
            ("http://[::1]:8080/token", true),
            ("http://localhost/token", true),
            ("http://localhost.example.it/token", false),
            ("http://10.0.0.1/token", false),
            ("ftp://127.0.0.1/token", false),
            ("", false),
        ] {
            assert_eq!(is_private_way(url), fits, "{url}");
        }
    }

    #[test]
    fn a_host_is_used_as_it_was_typed() {
        for host in [
            "smtp.esempio.it",
            "città.it",
            "192.0.2.1",
            "2001:db8::1",
            "mail_1.lan",
        ] {
            assert!(is_host_name(host), "{host}");
        }
        for host in [
            "[::1]",
            "mail%2eesempio.it",
            "sm\u{ad}tp.it",
            "-x",
            "a..b",
            "",
            "a b",
        ] {
            assert!(!is_host_name(host), "{host}");
        }
    }
}
