//! Web addresses typed into a settings form. It must never be taken for a guard against addresses inside the private
//! network: that is the business of whoever opens the connection.

use std::net::Ipv6Addr;

use url::{Host, Url};

use crate::domain::invalid::Invalid;
use crate::domain::text;

/// Longest web address, in characters.
const URL_MAX: usize = 2_000;

/// Refuses anything but an empty field or an absolute `http`/`https` address without credentials.
pub(super) fn check_web_address(field: &str, value: &str) -> Option<Invalid> {
    if value.is_empty() || is_web_address(value) {
        return None;
    }
    Some(Invalid::new(
        field,
        "format",
        "Inserisci un indirizzo web completo, che inizi con https:// o http://, oppure lascia vuoto il campo.",
    ))
}

/// What the parser would mend (blanks, backslashes, a host that is missing) is refused before.
fn is_web_address(value: &str) -> bool {
    let (scheme, rest) = value.split_once("://").unwrap_or_default();
    let odd = |character: char| character.is_whitespace() || "\"<>\\^`{|}".contains(character);
    let web = |scheme: &str| ["http", "https"].contains(&scheme);
    let plain =
        |url: Url| url.username().is_empty() && url.password().is_none() && url.port() != Some(0);
    web(&scheme.to_ascii_lowercase())
        && !rest.starts_with('/')
        && text::char_count(value) <= URL_MAX
        && !value.contains(odd)
        && !text::has_controls(value, true)
        && Url::parse(value).is_ok_and(plain)
}

/// Whether this is a host alone: a name or an address, without scheme, port or path.
pub(super) fn is_host_name(value: &str) -> bool {
    value.parse::<Ipv6Addr>().is_ok() || Host::parse(value).is_ok()
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
            "https://exa mple.it",
            "https://user:pw@example.it",
            "https://example.it:0",
            "https://example.it:99999",
            "https://example.it:+80",
            "https://[::1",
            "https://[zz]/",
            "https://[::1]80",
            "https://example.it/a b",
            "https://example.it/\"onload",
            "https://example.it/\nx",
            " https://example.it",
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
}
