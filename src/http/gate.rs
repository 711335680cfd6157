//! What the last turn of a conversation, and its first file, must prove in siege mode (PRODUCT.md §10): a proof of work, or that
//! the sender waited.
//! Must never keep an address, nor anything of a conversation but what its sender carries, authenticated, in the challenge.

use std::num::NonZeroUsize;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::Timestamp;
use lru::LruCache;
use parking_lot::Mutex;
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
/// How long a client that does not compute waits, in seconds; also the pause between two such turns of one client.
const WAIT_S: u32 = 60;
/// Pause between two turns of any clients that only waited, in seconds: waiting costs a flood nothing.
const ANY_WAIT_S: u32 = 2;

/// The answer to a challenge.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Proof {
    /// That of the challenge.
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
    /// In ms.
    pub now: i64,
}

#[derive(Default)]
pub struct Gate {
    /// Of those with an address, and of those by the onion socket.
    inner: [Mutex<Inner>; 2],
}

struct Inner {
    clients: LruCache<[u8; 16], ClientRecord>,
    /// From when on (s) a turn that only waited passes.
    open_at: u32,
}

/// What is known of a client; times are in seconds.
#[derive(Debug, Clone, Copy, Default)]
struct ClientRecord {
    /// Since when (ms) its challenges are counted.
    since: i64,
    challenges: u32,
    /// From when on one that only waited passes.
    open_at: u32,
    /// The conversation that passed so last: it does so again.
    passed: [u8; 16],
}

impl Default for Inner {
    fn default() -> Self {
        Self {
            clients: LruCache::new(CLIENTS),
            open_at: 0,
        }
    }
}

/// What a salt says, and the code that authenticates it.
struct Salt {
    expires: u32,
    open_at: u32,
    bits: u8,
}

impl Gate {
    /// Whether the proof is one. Costs a hash. For a turn that ends with a report: one that only waited takes its place.
    pub fn admits(&self, vault: &Vault, sender: Sender, proof: &Proof) -> bool {
        let Some(salt) = Salt::open(vault, sender, &proof.salt) else {
            return false;
        };
        let now = seconds(sender.now);
        match proof.n {
            _ if now > salt.expires => false,
            Some(n) => solves(&proof.salt, n, salt.bits.into()),
            None => now >= salt.open_at && self.waited(vault, sender, now),
        }
    }

    fn waited(&self, vault: &Vault, sender: Sender, now: u32) -> bool {
        let mut inner = self.inner[usize::from(sender.client.is_onion())].lock();
        let open_at = inner.open_at(sender.waiting(vault), now);
        let client = inner.client(sender.waiting(vault));
        let again = client.passed == sender.conversation;
        if !again && now < open_at {
            return false;
        }
        (client.open_at, client.passed) = (now + WAIT_S, sender.conversation);
        if !again {
            inner.open_at = now + ANY_WAIT_S;
        }
        true
    }

    /// What this conversation is to prove; `load` adds bits. What was waited for a `failed` proof counts.
    pub fn challenge(
        &self,
        vault: &Vault,
        sender: Sender,
        failed: Option<&Proof>,
        load: u32,
    ) -> Challenge {
        let now = seconds(sender.now);
        let failed = failed.and_then(|proof| Salt::open(vault, sender, &proof.salt));
        let failed = failed.filter(|salt| now <= salt.expires);
        let own = failed.map_or(u32::MAX, |salt| salt.open_at);
        let mut inner = self.inner[usize::from(sender.client.is_onion())].lock();
        let network = sender.network(vault);
        let of_network = network.map_or(0, |network| inner.count(network, sender.now));
        let of_client = inner.count(sender.client(vault), sender.now);
        let open_at = inner.open_at(sender.waiting(vault), now);
        drop(inner);
        let bits = bits(load, of_client, of_network);
        let salt = Salt {
            expires: now + VALID_S,
            open_at: own.min(now + WAIT_S).max(open_at).max(now),
            bits: bits.try_into().unwrap_or(u8::MAX),
        };
        Challenge {
            bits,
            expires: Timestamp::from_second(salt.expires.into()).unwrap_or(Timestamp::MAX),
            wait: salt.open_at - now,
            salt: salt.seal(vault, sender),
        }
    }
}

impl Inner {
    fn client(&mut self, key: [u8; 16]) -> &mut ClientRecord {
        self.clients.get_or_insert_mut(key, ClientRecord::default)
    }

    /// From when on one of this client that only waited passes: what a clock that ran ahead has noted does not count.
    fn open_at(&mut self, key: [u8; 16], now: u32) -> u32 {
        self.open_at = self.open_at.min(now + ANY_WAIT_S);
        let all = self.open_at;
        let client = self.client(key);
        client.open_at = client.open_at.min(now + WAIT_S);
        client.open_at.max(all)
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

impl Sender {
    /// IPv4 address, IPv6 /64 or conversation by the onion socket, masked.
    fn client(&self, vault: &Vault) -> [u8; 16] {
        vault.mask_client(&self.client.key())
    }

    /// Whose turn it is among those who only wait: IPv4 address, IPv6 /48 or conversation, masked.
    fn waiting(&self, vault: &Vault) -> [u8; 16] {
        self.network(vault).unwrap_or_else(|| self.client(vault))
    }

    fn network(&self, vault: &Vault) -> Option<[u8; 16]> {
        let key = self.client.address().and_then(network_key);
        key.map(|key| vault.mask_client(&key))
    }
}

impl Salt {
    fn bytes(&self) -> [u8; 9] {
        let mut bytes = [self.bits; 9];
        bytes[..4].copy_from_slice(&self.expires.to_be_bytes());
        bytes[4..8].copy_from_slice(&self.open_at.to_be_bytes());
        bytes
    }

    fn seal(&self, vault: &Vault, sender: Sender) -> String {
        let said = self.bytes();
        URL_SAFE_NO_PAD.encode([said.as_slice(), &code(vault, sender, &said)].concat())
    }

    /// `None` for one of another conversation, or not of this server.
    fn open(vault: &Vault, sender: Sender, salt: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(salt).ok()?;
        let (said, sealed) = bytes.split_first_chunk::<9>()?;
        let [e0, e1, e2, e3, o0, o1, o2, o3, bits] = *said;
        bool::from(sealed.ct_eq(&code(vault, sender, said))).then_some(Self {
            expires: u32::from_be_bytes([e0, e1, e2, e3]),
            open_at: u32::from_be_bytes([o0, o1, o2, o3]),
            bits,
        })
    }
}

fn code(vault: &Vault, sender: Sender, said: &[u8]) -> [u8; 16] {
    let sealed = [b"prova\0".as_slice(), &sender.conversation, said].concat();
    vault.fingerprint(&sealed)
}

fn seconds(ms: i64) -> u32 {
    u32::try_from(ms / 1_000).unwrap_or(u32::MAX / 2)
}
