//! The cookies that are set here: bound to this host and to encryption, or, where a browser calls in the clear on this machine or
//! by the onion socket (Tor encrypts there), without that: not every browser keeps such a cookie there.
//! Must never take a cookie that is not bound from anywhere else: another site could have put it there.

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, header};

use super::client_address::Client;
use super::problem::{ApiError, ApiResult};
use super::state::Shared;

/// The name of a cookie, and the path below which it is sent.
pub struct Cookie {
    pub name: &'static str,
    pub path: &'static str,
}

impl Cookie {
    /// Its name when it is bound. Browsers enforce what the prefix promises.
    pub fn bound(&self) -> String {
        let host = self.path == "/";
        let prefix = if host { "__Host-" } else { "__Secure-" };
        format!("{prefix}{}", self.name)
    }
}

/// Headers that only proxies send, also those that replace our address by theirs.
const PASSED_ON: [&str; 4] = ["forwarded", "via", "x-forwarded-for", "x-forwarded-proto"];

/// How a browser keeps its cookies: without their bond where it calls in the clear, on this machine or by the onion socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Jar {
    in_the_clear: bool,
}

impl FromRequestParts<Shared> for Jar {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &Shared) -> Result<Self, Infallible> {
        let headers = &parts.headers;
        let is = |name, what: fn(&str) -> bool| {
            let value = headers.get(name).and_then(|value| value.to_str().ok());
            value.is_some_and(what)
        };
        // An undeclared proxy may call us by our own address; what the page says of itself goes through.
        let encrypted = app.is_https() || is(header::ORIGIN, |page| page.starts_with("https:"));
        let passed_on = PASSED_ON.iter().any(|name| headers.contains_key(*name));
        let here = !encrypted && !passed_on && is(header::HOST, is_here);
        let peer: Option<&Client> = parts.extensions.get();
        let in_the_clear = here || peer.is_some_and(|peer| peer.is_onion());
        Ok(Self { in_the_clear })
    }
}

impl Jar {
    /// The values that a request carries, each with how it is kept: beside our own a bound one may come along that a server
    /// elsewhere set, to which a tunnel leads from this machine.
    pub fn values<'a>(
        self,
        headers: &'a HeaderMap,
        cookie: &Cookie,
    ) -> impl Iterator<Item = (Self, &'a str)> + use<'a> {
        let bound = Self {
            in_the_clear: false,
        };
        let plain = value_of(headers, cookie.name).filter(|_| self.in_the_clear);
        let kept = [(bound, value_of(headers, &cookie.bound())), (self, plain)];
        kept.into_iter()
            .filter_map(|(jar, value)| Some((jar, value?)))
    }

    /// `Set-Cookie`; without an age it ends with the browser.
    pub fn set(self, cookie: &Cookie, value: &str, age: Option<u32>) -> ApiResult<HeaderValue> {
        let (name, secure) = if self.in_the_clear {
            (cookie.name.to_owned(), "")
        } else {
            (cookie.bound(), " Secure;")
        };
        let age = age.map_or_else(String::new, |age| format!("; Max-Age={age}"));
        let path = cookie.path;
        let text = format!("{name}={value}; Path={path};{secure} HttpOnly; SameSite=Strict{age}");
        HeaderValue::try_from(text).map_err(|error| ApiError::internal(&error))
    }
}

/// Whether a `Host` names this machine to itself.
pub(super) fn is_here(host: &str) -> bool {
    let Ok(authority) = host.parse::<Authority>() else {
        return false;
    };
    let name = authority.host();
    let address = name.trim_start_matches('[').trim_end_matches(']');
    let address = address.parse::<std::net::IpAddr>();
    name.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.is_loopback())
}

fn value_of<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .find(|(known, _)| *known == name)
        .map(|(_, value)| value)
}
