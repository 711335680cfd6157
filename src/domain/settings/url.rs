//! Web addresses typed into a settings form. It must never be taken for a guard against addresses inside the private
//! network: that is the business of whoever opens the connection.

use std::net::Ipv6Addr;

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

/// Scheme, host and optional port of RFC 3986 §3, for `http` and `https`; whatever follows only has no blanks.
fn is_web_address(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let Some(prefix) = ["https://", "http://"]
        .into_iter()
        .find(|prefix| lower.starts_with(prefix))
    else {
        return false;
    };
    let rest = &value[prefix.len()..];
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    let breaks = |character: char| {
        character.is_whitespace()
            || character.is_control()
            || matches!(
                character,
                '"' | '<' | '>' | '\\' | '^' | '`' | '{' | '|' | '}'
            )
    };
    text::char_count(value) <= URL_MAX
        && !path.contains(breaks)
        && !text::has_controls(path, true)
        && is_authority(authority)
}

/// `host` or `host:port`; user names and passwords are refused (RFC 9110 §4.2.4).
fn is_authority(authority: &str) -> bool {
    if let Some(bracketed) = authority.strip_prefix('[') {
        let Some((address, port)) = bracketed.split_once(']') else {
            return false;
        };
        return address.parse::<Ipv6Addr>().is_ok()
            && (port.is_empty() || port.strip_prefix(':').is_some_and(is_port));
    }
    match authority.split_once(':') {
        Some((host, port)) => is_host(host) && is_port(port),
        None => is_host(authority),
    }
}

/// Whether this is a host alone: a name or an address, without scheme, port or path.
pub(super) fn is_host_name(value: &str) -> bool {
    value.parse::<Ipv6Addr>().is_ok() || is_host(value)
}

/// A name or an IPv4 address: letters of any script, digits, inner dots and hyphens.
fn is_host(host: &str) -> bool {
    text::char_count(host) <= 253
        && host.split('.').all(|label| {
            !label.is_empty()
                && !label.starts_with('-')
                && !label.ends_with('-')
                && label
                    .chars()
                    .all(|character| character.is_alphanumeric() || matches!(character, '-' | '_'))
        })
}

/// 1 to 65535, digits only.
fn is_port(port: &str) -> bool {
    port.bytes().all(|byte| byte.is_ascii_digit())
        && port.parse::<u16>().is_ok_and(|number| number > 0)
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
}
