//! The proof that siege mode asks for at the last turn of a conversation and at its first file (PRODUCT.md §10): work,
//! or a wait. Must never keep an address, nor anything of a conversation but what its sender carries, authenticated, in
//! the challenge.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ipnet::IpNet;
use jiff::Timestamp;
use lru::LruCache;
use parking_lot::{Mutex, MutexGuard};
use serde::Deserialize;
use subtle::ConstantTimeEq;
use utoipa::ToSchema;

use super::client_address::{Client, network_key};
use super::problem::Challenge;
use crate::domain::siege::{bits, solves};
use crate::vault::Vault;

/// Clients that are counted: a few hundred kilobytes.
const CLIENTS: NonZeroUsize = NonZeroUsize::new(8_192).unwrap();
/// Over what challenges are counted, in ms.
const COUNTED_MS: i64 = 10 * 60_000;
/// How long a challenge can be answered, in seconds: also by a telephone that lay aside.
const VALID_S: u32 = 30 * 60;
/// How long a client that does not compute waits at least, in seconds; also the pause between two such turns of one client.
const WAIT_S: u32 = 60;
/// Pause between two places, in seconds: waiting costs a flood nothing.
const PACE_S: u32 = 2;
/// Seconds ahead whose places may all be taken. Then places of the first minute, in which no client can pass yet, are
/// given out instead.
const LONG_S: u32 = 2 * WAIT_S;
/// The longest wait, in seconds, for which the first challenge gives a place. Beyond it, a client gets a place when it
/// comes back.
const LINE_S: u32 = 3 * WAIT_S;
/// Places that are taken at once: some hours. Beyond that no other client waits.
const MOST_PLACES: usize = 8_192;

/// Bytes of what a salt says.
const SAID: usize = 17;

/// The answer to a challenge.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Proof {
    /// The salt of the challenge.
    pub salt: String,
    /// The number that was found; absent where the sender waited.
    #[schema(maximum = 9_007_199_254_740_991_u64)]
    pub n: Option<u64>,
}

impl Proof {
    /// The one in a header: the salt, a colon and the number; the salt alone where the sender waited.
    pub fn parse(header: &str) -> Option<Self> {
        let (salt, n) = match header.split_once(':') {
            Some((salt, n)) => (salt, Some(n.parse().ok()?)),
            None => (header, None),
        };
        let salt = salt.to_owned();
        Some(Self { salt, n })
    }
}

#[derive(Debug, Clone, Copy)]
pub struct Sender {
    pub client: Client,
    pub conversation: [u8; 16],
    /// By the onion socket, a conversation that began before the siege: it goes first.
    pub first: bool,
    /// In ms.
    pub now: i64,
}

pub struct Gate {
    /// Addresses behind which many clients may stand: each conversation of theirs has a place of its own, as by the onion socket.
    shared: Arc<[IpNet]>,
    /// Separate records for clients with an address and for those by the onion socket.
    inner: [Mutex<Inner>; 2],
}

struct Inner {
    clients: LruCache<[u8; 16], ClientRecord>,
    line: Line,
    /// When (s) it was last asked.
    asked: u32,
}

/// The places that are taken, by when (s) they are due.
#[derive(Default)]
struct Line {
    taken: BTreeSet<u32>,
    /// When the next place would be due, had there been one every [`PACE_S`] from the first on.
    fair: u32,
}

/// The record of a client; times are in seconds.
#[derive(Debug, Clone, Copy, Default)]
struct ClientRecord {
    /// Since when (ms) its challenges are counted.
    since: i64,
    challenges: u32,
    /// When its place is due; 0 where it has none.
    place: u32,
    /// When a turn of it passed that only waited, and the conversation: that one does so again.
    passed_at: u32,
    passed: [u8; 16],
}

impl Default for Inner {
    fn default() -> Self {
        Self {
            clients: LruCache::new(CLIENTS),
            line: Line::default(),
            asked: 0,
        }
    }
}

/// The content of a salt, and the code that authenticates it.
struct Salt {
    expires: u32,
    /// When its conversation was first challenged.
    asked: u32,
    /// When its place is due, 0 for none, and the beginning of whose that is.
    place: u32,
    holder: [u8; 4],
    bits: u8,
}

impl Gate {
    pub fn new(shared: Arc<[IpNet]>) -> Self {
        Self {
            shared,
            inner: <_>::default(),
        }
    }

    /// Whether the proof is one. Costs a hash. For a turn that ends with a report: one that only waited uses its place up.
    pub fn admits(&self, vault: &Vault, sender: Sender, proof: &Proof) -> bool {
        let waiting = self.waiting(vault, sender);
        let Some(salt) = Salt::open(vault, sender, &proof.salt) else {
            return false;
        };
        match proof.n {
            Some(n) => solves(&proof.salt, n, salt.bits.into()),
            None => self.inner(sender).admits(waiting, sender, &salt),
        }
    }

    /// The challenge for this conversation; `load` adds bits. Time waited with a `failed` proof counts.
    pub fn challenge(
        &self,
        vault: &Vault,
        sender: Sender,
        failed: Option<&Proof>,
        load: u32,
    ) -> Challenge {
        let now = seconds(sender.now);
        let failed = failed.and_then(|proof| Salt::open(vault, sender, &proof.salt));
        let asked = failed.as_ref().map_or(now, |salt| salt.asked);
        let (network, waiting) = (sender.network(vault), self.waiting(vault, sender));
        let mut inner = self.inner(sender);
        let place = inner.place(waiting, sender, failed.as_ref()).unwrap_or(0);
        let of_network = network.map_or(0, |network| inner.count(network, sender.now));
        let of_client = inner.count(sender.client(vault), sender.now);
        drop(inner);
        let bits = bits(load, of_client, of_network);
        let salt = Salt {
            expires: now.max(place.saturating_sub(WAIT_S)) + VALID_S,
            asked,
            place,
            holder: holder(waiting),
            bits: bits.try_into().unwrap_or(u8::MAX),
        };
        let again = if place > 0 { place } else { now + WAIT_S };
        Challenge {
            bits,
            expires: Timestamp::from_second(salt.expires.into()).unwrap_or(Timestamp::MAX),
            wait: again.saturating_sub(now),
            salt: salt.seal(vault, sender),
        }
    }

    /// Whose turn it is among those who only wait, masked: IPv4 address, IPv6 /48, or conversation.
    fn waiting(&self, vault: &Vault, sender: Sender) -> [u8; 16] {
        let address = sender.client.address();
        if address.is_some() && sender.client.is_shared(&self.shared) {
            return sender.conversation;
        }
        let network = sender.network(vault);
        network.unwrap_or_else(|| sender.client(vault))
    }

    fn inner(&self, sender: Sender) -> MutexGuard<'_, Inner> {
        let mut inner = self.inner[usize::from(sender.client.is_onion())].lock();
        let now = seconds(sender.now);
        // Entries noted by a clock that ran ahead do not count.
        if now + WAIT_S < inner.asked {
            *inner = Inner::default();
        }
        inner.asked = now;
        inner
    }
}

impl Inner {
    /// Whether one that only waited passes: its place is due, and used up by that.
    fn admits(&mut self, key: [u8; 16], sender: Sender, salt: &Salt) -> bool {
        let now = seconds(sender.now);
        let known = self.clients.peek(&key);
        if known.is_none_or(|client| client.passed != sender.conversation) {
            let place = self.place(key, sender, Some(salt));
            if place.is_none_or(|place| now < place) {
                return false;
            }
        }
        let client = self.client(key);
        (client.place, client.passed_at, client.passed) = (0, now, sender.conversation);
        true
    }

    /// The place of a client: the one that it has, or that its salt says, else a new one behind all others; none where the line is
    /// long and it did not come back.
    fn place(&mut self, key: [u8; 16], sender: Sender, salt: Option<&Salt>) -> Option<u32> {
        let now = seconds(sender.now);
        let said = salt.filter(|salt| salt.place > 0 && salt.holder == holder(key));
        // After a restart, or where many came since, the salt alone knows it.
        let said = said.filter(|_| self.clients.peek(&key).is_none());
        let client = self.client(key);
        if let Some(salt) = said {
            client.place = salt.place;
        }
        let has = Some(client.place).filter(|place| *place > 0 && now <= *place + VALID_S);
        if has.is_some() && !sender.first {
            return has;
        }
        let asked = salt.map_or(now, |salt| salt.asked);
        let earliest = now.max(asked.max(client.passed_at) + WAIT_S);
        let free = self.line.free(now, earliest, sender.first);
        let Some(free) = free.filter(|free| has.is_none_or(|has| *free < has)) else {
            return has;
        };
        if has.is_none() && salt.is_none() && free > now + LINE_S {
            return None;
        }
        self.line.take(now, free, has);
        self.client(key).place = free;
        Some(free)
    }

    fn client(&mut self, key: [u8; 16]) -> &mut ClientRecord {
        self.clients.get_or_insert_mut(key, ClientRecord::default)
    }

    fn count(&mut self, key: [u8; 16], now: i64) -> u32 {
        let client = self.client(key);
        if now.abs_diff(client.since) >= COUNTED_MS as u64 {
            (client.since, client.challenges) = (now, 0);
        }
        client.challenges = client.challenges.saturating_add(1);
        client.challenges
    }
}

impl Line {
    /// The first free place from `earliest` on. Usually they are due every [`PACE_S`]; those between are for conversations that go
    /// `first`, and for a line that is long, as far as no more pass in all.
    fn free(&mut self, now: u32, earliest: u32, first: bool) -> Option<u32> {
        self.taken = self.taken.split_off(&now);
        if self.taken.len() >= MOST_PLACES {
            return None;
        }
        let between = if first {
            earliest
        } else {
            earliest.max(now + LONG_S).max(self.fair)
        };
        let usual = earliest.next_multiple_of(PACE_S);
        let usual = self.first_of((usual..).step_by(PACE_S as usize))?;
        Some(usual.min(self.first_of(between..)?))
    }

    fn first_of(&self, mut places: impl Iterator<Item = u32>) -> Option<u32> {
        places.find(|place| !self.taken.contains(place))
    }

    /// Takes a place, instead of another.
    fn take(&mut self, now: u32, place: u32, instead: Option<u32>) {
        match instead {
            Some(left) => drop(self.taken.remove(&left)),
            None => self.fair = self.fair.max(now) + PACE_S,
        }
        self.taken.insert(place);
    }
}

impl Sender {
    /// IPv4 address, IPv6 /64 or conversation by the onion socket, masked.
    fn client(&self, vault: &Vault) -> [u8; 16] {
        vault.mask_client(&self.client.key())
    }

    fn network(&self, vault: &Vault) -> Option<[u8; 16]> {
        let key = self.client.address().and_then(network_key);
        key.map(|key| vault.mask_client(&key))
    }
}

impl Salt {
    fn bytes(&self) -> [u8; SAID] {
        let mut bytes = [self.bits; SAID];
        bytes[..4].copy_from_slice(&self.expires.to_be_bytes());
        bytes[4..8].copy_from_slice(&self.asked.to_be_bytes());
        bytes[8..12].copy_from_slice(&self.place.to_be_bytes());
        bytes[12..16].copy_from_slice(&self.holder);
        bytes
    }

    fn seal(&self, vault: &Vault, sender: Sender) -> String {
        let said = self.bytes();
        URL_SAFE_NO_PAD.encode([said.as_slice(), &code(vault, sender, &said)].concat())
    }

    /// `None` for one of another conversation, not of this server, or that can no more be answered.
    fn open(vault: &Vault, sender: Sender, salt: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(salt).ok()?;
        let (said, sealed) = bytes.split_first_chunk::<SAID>()?;
        let now = seconds(sender.now);
        let number = |at| Some(u32::from_be_bytes(*said.get(at..)?.first_chunk()?));
        let salt = Self {
            expires: number(0)?,
            asked: number(4)?,
            place: number(8)?,
            holder: *said.get(12..)?.first_chunk()?,
            bits: *said.last()?,
        };
        let genuine = bool::from(sealed.ct_eq(&code(vault, sender, said)));
        let lasts = now <= salt.expires && salt.asked <= now + WAIT_S;
        (genuine && lasts).then_some(salt)
    }
}

/// The beginning of a client's key: tells whose a place is.
fn holder([a, b, c, d, ..]: [u8; 16]) -> [u8; 4] {
    [a, b, c, d]
}

fn code(vault: &Vault, sender: Sender, said: &[u8]) -> [u8; 16] {
    let sealed = [b"prova\0".as_slice(), &sender.conversation, said].concat();
    vault.fingerprint(&sealed)
}

fn seconds(ms: i64) -> u32 {
    u32::try_from(ms / 1_000).unwrap_or(u32::MAX / 2)
}
