//! Quotas: how much may be taken within a day. Each fills up again continuously (GCRA), by the monotonic clock: a wall clock
//! that is set forward or back neither fills nor empties one. Generous: a hall full of people may stand behind one address.

use std::collections::HashMap;
use std::iter;
use std::sync::Arc;

use ipnet::IpNet;
use parking_lot::Mutex;

use crate::clock::Clock;
use crate::http::client_address::{Client, network_key};

const KIB: i64 = 1024;
const DAY_MS: i64 = 24 * 60 * 60 * 1_000;
/// Bytes that a report takes besides its text: rows, indexes, messages.
const REPORT: i64 = 16 * KIB;
/// How often a text is stored: in the report, a mail, a call of the webhook.
const COPIES: i64 = 3;
/// At once, and again over a day, for an IPv4 address or an IPv6 /64: 2,000 short reports, or 65 of the longest.
const CLIENT: i64 = 32 * KIB * KIB;
/// As many for the /48 network of an IPv6 client.
const CLIENTS_PER_SITE: i64 = 8;
/// For all clients together: 500,000 short reports.
const ALL: i64 = 8 * KIB * KIB * KIB;
/// Bytes of attached files for one client, twenty of the largest, and for all clients together.
const CLIENT_FILES: i64 = 4 * KIB * KIB * KIB;
const ALL_FILES: i64 = 64 * KIB * KIB * KIB;
/// Bytes of files that a client may send within a day while it still has the whole quota of all clients; the others
/// share half of it.
const LITTLE_FILES: i64 = CLIENT_FILES / 16;
/// Bytes charged for a file before its first byte, and the least charged for any part of it.
const FILE: i64 = 64 * KIB;
const PART: i64 = KIB;
/// In a siege a client's quota is smaller by this factor.
const STRICTER: i64 = 4;
/// How often quotas that are full again are forgotten, in ms.
const SWEEP_MS: i64 = 60_000;
/// Wrong codes that a client may try at once, and again over a day: people mistype.
const CODES: i64 = 100;
/// Wrong codes of all clients together.
const ALL_CODES: i64 = 10_000;
/// Confirmations that one mailbox gets at once, and again over a day.
const CONFIRMATIONS: i64 = 3;

/// Links to confirm an address that one person asks for, and that one mailbox gets, at once, and again over a day.
const LINKS: i64 = 5;
const LINKS_TO_MAILBOX: i64 = 3;

/// Quotas by key. An absent one is full.
struct Quota {
    clock: Clock,
    levels: Mutex<Levels>,
}

#[derive(Default)]
struct Levels {
    /// When (monotonic ms) the quota of a key is full again.
    full_at: HashMap<Vec<u8>, i64>,
    swept: i64,
}

/// A part of the quota of a key: the time (ms) in which it fills up again, of so much in all.
struct Share {
    key: Vec<u8>,
    ms: i64,
    of: i64,
}

impl Quota {
    fn by(clock: Clock) -> Self {
        let levels = Mutex::default();
        Self { clock, levels }
    }

    /// Takes all of the shares or none; refused, answers in how many seconds there will be enough.
    fn take(&self, shares: Vec<Share>) -> Result<(), i64> {
        let now = self.clock.steady_ms();
        let levels = &mut *self.levels.lock();
        if now - levels.swept >= SWEEP_MS {
            levels.full_at.retain(|_, at| *at > now);
            levels.swept = now;
        }
        let mut lacks = 0;
        let after = |Share { key, ms, of }| {
            let full_at = levels.full_at.get(&key).map_or(now, |at| *at);
            let after = full_at.max(now) + ms;
            lacks = lacks.max(after - now - of);
            (key, after)
        };
        let after: Vec<_> = shares.into_iter().map(after).collect();
        if lacks > 0 {
            return Err((lacks + 999) / 1_000);
        }
        levels.full_at.extend(after);
        Ok(())
    }

    fn give_back(&self, shares: Vec<Share>) {
        let mut levels = self.levels.lock();
        for Share { key, ms, .. } in shares {
            if let Some(at) = levels.full_at.get_mut(&key) {
                *at -= ms;
            }
        }
    }

    fn has(&self, share: &Share) -> bool {
        let full_at = self.levels.lock().full_at.get(&share.key).copied();
        full_at.is_none_or(|at| at + share.ms <= self.clock.steady_ms() + share.of)
    }
}

/// Quotas of each client, of the network around it, and of all clients together. Clients by the onion socket have their
/// own.
pub struct ClientQuota {
    quota: Quota,
    /// Addresses behind which many clients may stand: only the quota of all holds for them.
    shared: Arc<[IpNet]>,
    of_client: i64,
    of_all: i64,
    /// The amount that a client may take while it still has the whole quota of all clients; the others have half of it.
    little: i64,
}

impl ClientQuota {
    fn new(clock: &Clock, shared: &Arc<[IpNet]>, of_client: i64, of_all: i64) -> Self {
        Self {
            little: of_client,
            quota: Quota::by(clock.clone()),
            shared: Arc::clone(shared),
            of_client,
            of_all,
        }
    }

    /// Takes what a report with so many bytes of text needs; else answers in how many seconds there will be enough.
    pub fn charge(&self, client: Client, bytes: usize, siege: bool) -> Result<(), i64> {
        self.quota.take(self.shares(client, price_of(bytes), siege))
    }

    /// Keeps half of the quota of all clients for those who take little.
    fn sparing(self, little: i64) -> Self {
        Self { little, ..self }
    }

    /// Whether a client, and the network around it, have taken little within a day. This cannot be known of many
    /// clients behind one address.
    pub fn is_modest(&self, client: Client) -> bool {
        let most = DAY_MS * self.little / self.of_client;
        let of = |share| Share { of: most, ..share };
        !client.is_shared(&self.shared)
            && self
                .own_shares(client, 0)
                .map(of)
                .all(|share| self.quota.has(&share))
    }

    /// Takes what it needs to begin a file.
    pub fn charge_file(&self, client: Client) -> Result<(), i64> {
        self.quota.take(self.shares(client, FILE, false))
    }

    /// Takes what so many bytes of a file need, as they come: bytes that are only announced take nothing.
    pub fn charge_part(&self, client: Client, bytes: usize) -> Result<(), i64> {
        let bytes = i64::try_from(bytes).unwrap_or(CLIENT_FILES);
        self.quota.take(self.shares(client, bytes.max(PART), false))
    }

    pub fn charge_code(&self, client: Client) -> Result<(), i64> {
        self.quota.take(self.shares(client, 1, false))
    }

    /// Gives back what was taken for a report that was not stored.
    pub fn refund(&self, client: Client, bytes: usize, siege: bool) {
        let shares = self.shares(client, price_of(bytes), siege);
        self.quota.give_back(shares);
    }

    /// Gives back what was taken for a file that was not begun.
    pub fn refund_file(&self, client: Client) {
        self.quota.give_back(self.shares(client, FILE, false));
    }

    /// Whether not even the shortest report would be taken from any client.
    pub fn is_exhausted(&self) -> bool {
        !self.quota.has(&self.share_of_all(false, price_of(0)))
    }

    fn share_of_all(&self, onion: bool, price: i64) -> Share {
        let (key, ms) = (vec![onion.into()], price * DAY_MS / self.of_all);
        Share {
            key,
            ms,
            of: DAY_MS,
        }
    }

    /// The shares of the client itself and of the network around it.
    fn own_shares(&self, client: Client, price: i64) -> impl Iterator<Item = Share> {
        let share = |key, of_all| Share {
            key,
            ms: price * DAY_MS / of_all,
            of: DAY_MS,
        };
        let network = client.address().and_then(network_key);
        let network = network.map(|key| share(key, CLIENTS_PER_SITE * self.of_client));
        iter::once(share(client.key(), self.of_client)).chain(network)
    }

    fn shares(&self, client: Client, price: i64, siege: bool) -> Vec<Share> {
        let own = if siege { STRICTER * price } else { price };
        let mut of_all = self.share_of_all(client.is_onion(), price);
        if self.little < self.of_client && !self.is_modest(client) {
            of_all.of /= 2;
        }
        let mut shares = vec![of_all];
        if !client.is_shared(&self.shared) {
            shares.extend(self.own_shares(client, own));
        }
        shares
    }
}

fn price_of(bytes: usize) -> i64 {
    let text = i64::try_from(bytes).unwrap_or(CLIENT).min(CLIENT);
    REPORT + COPIES * text
}

/// Confirmations by mailbox: a reporter may name the address of another person.
pub struct MailboxQuota(Quota);

impl MailboxQuota {
    pub fn by(clock: Clock) -> Self {
        Self(Quota::by(clock))
    }

    /// Counts one for a masked address; whether it may go.
    pub fn charge(&self, mailbox: [u8; 16]) -> bool {
        self.0.take(vec![confirmation(mailbox)]).is_ok()
    }

    /// Gives back one that was not queued.
    pub fn refund(&self, mailbox: [u8; 16]) {
        self.0.give_back(vec![confirmation(mailbox)]);
    }
}

fn confirmation(mailbox: [u8; 16]) -> Share {
    daily(mailbox.to_vec(), CONFIRMATIONS)
}

/// One of so many a day.
fn daily(key: Vec<u8>, of: i64) -> Share {
    Share {
        key,
        ms: DAY_MS / of,
        of: DAY_MS,
    }
}

/// Links by which a person of the newsroom confirms an address: the address may be another's.
pub struct LinkQuota(Quota);

impl LinkQuota {
    /// Counts one of a person for a masked address; else answers in how many seconds there may be another.
    pub fn charge(&self, person: &str, mailbox: [u8; 16]) -> Result<(), i64> {
        self.0.take(link(person, mailbox))
    }

    /// Gives back one that was not sent.
    pub fn refund(&self, person: &str, mailbox: [u8; 16]) {
        self.0.give_back(link(person, mailbox));
    }
}

fn link(person: &str, mailbox: [u8; 16]) -> Vec<Share> {
    vec![
        daily(person.as_bytes().to_vec(), LINKS),
        daily(mailbox.to_vec(), LINKS_TO_MAILBOX),
    ]
}

/// The quotas that calls are charged to, of reporters but for the last one.
pub struct Quotas {
    pub reports: ClientQuota,
    pub files: ClientQuota,
    /// For codes that open no report.
    pub codes: ClientQuota,
    pub confirmations: MailboxQuota,
    pub links: LinkQuota,
}

impl Quotas {
    pub fn new(clock: &Clock, shared: &Arc<[IpNet]>) -> Self {
        Self {
            reports: ClientQuota::new(clock, shared, CLIENT, ALL),
            files: ClientQuota::new(clock, shared, CLIENT_FILES, ALL_FILES).sparing(LITTLE_FILES),
            codes: ClientQuota::new(clock, shared, CODES, ALL_CODES),
            confirmations: MailboxQuota::by(clock.clone()),
            links: LinkQuota(Quota::by(clock.clone())),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::clock::Manual;

    const LONGEST: usize = 160_000;
    const MEG: usize = 1024 * 1024;
    const HOUR: Duration = Duration::from_hours(1);

    fn by_hand() -> (ClientQuota, Manual) {
        let (manual, shared) = (Manual::new(0), "127.0.0.0/8".parse().unwrap());
        let clock = Clock::Manual(manual.clone());
        let shared: Arc<[IpNet]> = Arc::new([shared]);
        let quota = ClientQuota::new(&clock, &shared, CLIENT, ALL);
        (quota, manual)
    }

    fn address(text: &str) -> Client {
        Client::Address(text.parse().unwrap())
    }

    /// How many reports are taken before the first that is not.
    fn taken(quota: &ClientQuota, client: &str, bytes: usize, siege: bool) -> usize {
        let client = address(client);
        let charges = (0..600_000).map(|_| quota.charge(client, bytes, siege));
        charges.take_while(Result::is_ok).count()
    }

    #[test]
    fn a_client_has_enough_for_a_crowd_and_too_little_for_a_flood() {
        let (quota, clock) = by_hand();
        assert_eq!(taken(&quota, "192.0.2.1", 500, false), 1_876);
        assert_eq!(taken(&quota, "192.0.2.2", 500, true), 469);
        assert_eq!(taken(&quota, "192.0.2.3", LONGEST, false), 67);
        // Over a whole day, also where the wall clock is set meanwhile.
        let day = (0..24).map(|hour| {
            clock.advance(HOUR);
            clock.set(hour % 3 * 100 * 3_600_000);
            taken(&quota, "192.0.2.4", LONGEST, false)
        });
        assert!(day.sum::<usize>() * LONGEST * 3 < 100_000_000);
        assert_eq!(taken(&quota, "192.0.2.4", LONGEST, false), 0);
    }

    #[test]
    fn files_are_paid_for_as_they_come() {
        let clock = Clock::Manual(Manual::new(0));
        let quota = ClientQuota::new(&clock, &Arc::default(), CLIENT_FILES, ALL_FILES);
        let (client, other) = (address("192.0.2.1"), address("192.0.2.2"));
        for _ in 0..1_000 {
            quota.charge_file(client).unwrap();
        }
        let sent = (0..).take_while(|_| quota.charge_part(client, MEG).is_ok());
        assert!((4_000..4_040).contains(&sent.count()));
        assert!(quota.charge_part(client, MEG).is_err());
        assert_eq!(quota.charge_part(other, MEG), Ok(()));
    }

    #[test]
    fn half_of_the_files_of_all_is_for_those_who_send_little() {
        let clock = Clock::Manual(Manual::new(0));
        let quotas = Quotas::new(&clock, &Arc::default());
        let sent = |host: usize| {
            let client = address(&format!("192.0.2.{host}"));
            let parts = (0..).take_while(|_| quotas.files.charge_part(client, 32 * MEG).is_ok());
            parts.count() * 32
        };
        let flood: usize = (1..=16).map(sent).sum();
        assert!((32_768..38_000).contains(&flood), "{flood} MiB");
        for host in 100..200 {
            assert!(quotas.files.is_modest(address(&format!("192.0.2.{host}"))));
            assert!((256..=288).contains(&sent(host)), "a video and some photos");
        }
        assert!(!quotas.files.is_modest(address("192.0.2.1")));
    }

    #[test]
    fn a_network_is_eight_clients_and_a_shared_address_is_all() {
        let (quota, _) = by_hand();
        let net = |net: usize| taken(&quota, &format!("2001:db8:0:{net}::1"), LONGEST, false);
        assert_eq!(net(1), 67);
        assert_eq!(taken(&quota, "2001:db8:0:1::2", LONGEST, false), 0);
        assert_eq!((2..20).map(net).sum::<usize>(), 540 - 67);
        assert!(!quota.is_exhausted());
        let all = taken(&quota, "127.0.0.1", LONGEST, false);
        assert!((16_000..17_500).contains(&all), "{all}");
        assert_eq!(taken(&quota, "192.0.2.1", LONGEST, false), 0);
        taken(&quota, "127.0.0.1", 0, false);
        assert!(quota.is_exhausted());
    }

    #[test]
    fn those_by_the_onion_socket_and_all_others_use_up_nothing_of_each_other() {
        let (near, far) = (address("127.0.0.1"), Client::Onion(None));
        for (flood, spared) in [(near, far), (far, near)] {
            let (quota, _) = by_hand();
            while quota.charge(flood, LONGEST, false).is_ok() {}
            assert_eq!(quota.charge(spared, LONGEST, false), Ok(()));
            assert!(quota.charge(flood, LONGEST, false).is_err());
        }
        // Each conversation is a client.
        let (quota, _) = by_hand();
        let conversations = [1, 2].map(|one| Client::Onion(Some([one; 16])));
        while quota.charge(conversations[0], LONGEST, false).is_ok() {}
        assert_eq!(quota.charge(conversations[1], LONGEST, false), Ok(()));
    }

    #[test]
    fn what_was_not_stored_is_given_back_and_a_full_quota_is_forgotten() {
        let ((quota, clock), client) = (by_hand(), address("192.0.2.1"));
        for _ in 0..1_000 {
            quota.charge(client, LONGEST, false).unwrap();
            quota.refund(client, LONGEST, false);
        }
        quota.charge(client, 0, false).unwrap();
        clock.advance(24 * HOUR);
        let other = address("192.0.2.2");
        quota.charge(other, 0, false).unwrap();
        let known = quota.quota.levels.lock().full_at.len();
        assert_eq!(known, 2, "the other and all");
        let wait = (0..100).find_map(|_| quota.charge(client, LONGEST, false).err());
        clock.advance(Duration::from_secs(wait.unwrap().try_into().unwrap()));
        assert_eq!(quota.charge(client, LONGEST, false), Ok(()));
    }
}
