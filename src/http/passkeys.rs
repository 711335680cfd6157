//! Passkeys between question and answer: where they are valid, where a page asks from, and the questions that wait, in memory.
//! Must never take an answer twice, nor hold a question for longer than five minutes.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::OnceLock;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::uri::{Authority, Uri};
use axum::http::{HeaderName, header};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use parking_lot::Mutex;

use super::client_address::network_of;
use crate::vault::passkey::{LoginQuestion, NewQuestion, Site, VALID_MS};
use crate::vault::{Secret32, VaultError};

/// Questions that wait at once: each is an open login page. Of one client, of the network around it, and of all; of more the one that
/// waits longest goes.
const OWN: usize = 200;
const NETWORK: usize = 4 * OWN;
const ALL: usize = 10_000;

/// Name of the host that a page was asked at, as far as the browser tells.
pub struct AskedAt(Option<String>);

impl<S: Sync> FromRequestParts<S> for AskedAt {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let text = |name: HeaderName| {
            parts
                .headers
                .get(name)
                .and_then(|value| value.to_str().ok())
        };
        // A proxy may call us by another host: what the page says of itself goes through.
        let page = text(header::ORIGIN).and_then(|origin| origin.parse::<Uri>().ok());
        let page = page.and_then(|page| page.host().map(str::to_owned));
        let host = || {
            let authority: Authority = text(header::HOST)?.parse().ok()?;
            Some(authority.host().to_owned())
        };
        let name = page.or_else(host);
        Ok(Self(name.map(|name| name.to_ascii_lowercase())))
    }
}

/// Whether passkeys are valid where a page was asked.
pub enum Place<'s> {
    Here(&'s Site),
    /// At this site alone.
    Elsewhere(&'s Site),
    Nowhere,
}

/// A question for a new passkey, with whom it was put to.
pub struct AskedNew {
    pub question: NewQuestion,
    pub session: [u8; 32],
    /// Stored form of the password, as it was proved.
    pub proved: String,
    pub host: String,
}

enum Asked {
    Login(LoginQuestion),
    New(AskedNew),
}

struct Waiting {
    name: String,
    client: Vec<u8>,
    at: i64,
    asked: Asked,
}

#[derive(Default)]
pub struct Passkeys {
    site: OnceLock<Option<Site>>,
    /// The longest waiting first.
    waiting: Mutex<VecDeque<Waiting>>,
}

impl Passkeys {
    /// Says at which origin, once that is known.
    pub fn are_valid_at(&self, origin: Option<&str>) {
        self.site.get_or_init(|| origin.and_then(Site::at));
    }

    /// The host where they are valid.
    pub fn host(&self) -> Option<&str> {
        let site = self.site.get().and_then(Option::as_ref);
        site.map(|site| site.host.as_str())
    }

    pub fn place(&self, asked: &AskedAt) -> Place<'_> {
        match self.site.get().and_then(Option::as_ref) {
            Some(site) if asked.0.as_deref() == Some(&site.host) => Place::Here(site),
            Some(site) => Place::Elsewhere(site),
            None => Place::Nowhere,
        }
    }

    /// Holds a question to log in; answers the name by which it is taken.
    pub fn hold_login(
        &self,
        question: LoginQuestion,
        client: Vec<u8>,
        now: i64,
    ) -> Result<String, VaultError> {
        self.hold(Asked::Login(question), client, now)
    }

    pub fn hold_new(&self, new: AskedNew, client: Vec<u8>, now: i64) -> Result<String, VaultError> {
        self.hold(Asked::New(new), client, now)
    }

    fn hold(&self, asked: Asked, client: Vec<u8>, now: i64) -> Result<String, VaultError> {
        let name = URL_SAFE_NO_PAD.encode(Secret32::random()?.expose());
        let mut waiting = self.waiting.lock();
        waiting.retain(|one| is_fresh(one, now));
        make_room(&mut waiting, OWN, |one| one.client == client);
        let network = network_of(&client);
        make_room(&mut waiting, NETWORK, |one| {
            network_of(&one.client) == network
        });
        make_room(&mut waiting, ALL, |_| true);
        waiting.push_back(Waiting {
            name: name.clone(),
            client,
            at: now,
            asked,
        });
        Ok(name)
    }

    /// Takes a question to log in, once.
    pub fn take_login(&self, name: &str, now: i64) -> Option<LoginQuestion> {
        match self.take(name, now, |asked| matches!(asked, Asked::Login(_)))? {
            Asked::Login(question) => Some(question),
            Asked::New(_) => None,
        }
    }

    /// Takes a question that was put to this session, once.
    pub fn take_new(&self, name: &str, session: &[u8; 32], now: i64) -> Option<AskedNew> {
        let own = |asked: &Asked| matches!(asked, Asked::New(new) if new.session == *session);
        match self.take(name, now, own)? {
            Asked::New(new) => Some(new),
            Asked::Login(_) => None,
        }
    }

    fn take(&self, name: &str, now: i64, fits: impl Fn(&Asked) -> bool) -> Option<Asked> {
        let mut waiting = self.waiting.lock();
        waiting.retain(|one| is_fresh(one, now));
        let at = waiting
            .iter()
            .position(|one| one.name == name && fits(&one.asked))?;
        waiting.remove(at).map(|one| one.asked)
    }
}

/// One from after `now` was asked before the clock was set back.
fn is_fresh(one: &Waiting, now: i64) -> bool {
    (0..VALID_MS).contains(&now.saturating_sub(one.at))
}

/// Leaves room for one more of these.
fn make_room(waiting: &mut VecDeque<Waiting>, most: usize, these: impl Fn(&Waiting) -> bool) {
    if waiting.iter().filter(|one| these(one)).count() >= most
        && let Some(oldest) = waiting.iter().position(these)
    {
        waiting.remove(oldest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask() -> LoginQuestion {
        let site = Site::at("https://redazione.example.it").unwrap();
        site.ask_login("Segnalazioni").unwrap().0
    }

    #[test]
    fn a_question_is_taken_once_and_for_five_minutes() {
        let passkeys = Passkeys::default();
        let hold = |now| passkeys.hold_login(ask(), vec![1], now).unwrap();
        let name = hold(0);
        assert!(passkeys.take_new(&name, &[0; 32], 1).is_none());
        assert!(passkeys.take_login("", 1).is_none());
        assert!(passkeys.take_login(&name, VALID_MS - 1).is_some());
        assert!(passkeys.take_login(&name, VALID_MS - 1).is_none());
        let name = hold(0);
        assert!(passkeys.take_login(&name, VALID_MS).is_none());
        let name = hold(1_000_000);
        assert!(
            passkeys.take_login(&name, 0).is_none(),
            "the clock was set back"
        );
    }

    #[test]
    fn a_flood_of_one_client_takes_no_question_of_another() {
        let passkeys = Passkeys::default();
        let kept = passkeys.hold_login(ask(), vec![9, 9, 9, 9], 0).unwrap();
        let first = passkeys.hold_login(ask(), vec![1, 1, 1, 1], 0).unwrap();
        for _ in 0..2 * OWN {
            passkeys.hold_login(ask(), vec![1, 1, 1, 1], 1).unwrap();
        }
        assert_eq!(passkeys.waiting.lock().len(), OWN + 1);
        assert!(passkeys.take_login(&first, 2).is_none());
        assert!(passkeys.take_login(&kept, 2).is_some());
        for n in 0..2 * NETWORK {
            let [high, low] = u16::try_from(n).unwrap().to_be_bytes();
            let client = vec![0x20, 0x01, 0x0d, 0xb8, 0, 1, high, low];
            passkeys.hold_login(ask(), client, 3).unwrap();
        }
        assert_eq!(passkeys.waiting.lock().len(), OWN + NETWORK);
    }

    #[test]
    fn pages_at_other_addresses_are_told_where() {
        let passkeys = Passkeys::default();
        let at = |name: &str| AskedAt(Some(name.to_owned()));
        passkeys.are_valid_at(Some("https://redazione.example.it"));
        let here = passkeys.place(&at("redazione.example.it"));
        assert!(matches!(here, Place::Here(_)));
        for other in [
            "example.it",
            "x.redazione.example.it",
            "127.0.0.1",
            "abc.onion",
        ] {
            let there = passkeys.place(&at(other));
            assert!(matches!(there, Place::Elsewhere(_)), "{other}");
        }
        let plain = Passkeys::default();
        plain.are_valid_at(Some("http://redazione.example.it"));
        let nowhere = plain.place(&at("redazione.example.it"));
        assert!(matches!(nowhere, Place::Nowhere));
    }
}
