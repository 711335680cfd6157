//! How much reporters may have stored, how many codes may be tried that are none, how many mails confirm: a budget for each client and one for all,
//! which fill up again over a day. Generous: whole networks of phones, and a hall full of people, stand behind one address.
//! Must never be written anywhere, nor hold an address for longer than its budget takes to be whole again.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;

use ipnet::IpNet;
use parking_lot::Mutex;

use super::client_address::{is_trusted, limiter_key, network_key};

const KIB: i64 = 1024;
const DAY_MS: i64 = 24 * 60 * 60 * 1_000;
/// What a report takes besides its text: rows, indexes, messages.
const REPORT: i64 = 16 * KIB;
/// How often a text is stored: in the report, a mail, a call of the webhook.
const COPIES: i64 = 3;
/// At once, and again over a day, for an IPv4 address or an IPv6 /64: 2,000 short reports, or 65 of the longest.
const CLIENT: i64 = 32 * KIB * KIB;
/// As many for the /48 network of an IPv6 client.
const CLIENTS_PER_SITE: i64 = 8;
/// For everybody together: 500,000 short reports.
const ALL: i64 = 8 * KIB * KIB * KIB;
/// The same for files that are attached: twenty of the largest, and for everybody together.
const CLIENT_FILES: i64 = 4 * KIB * KIB * KIB;
const ALL_FILES: i64 = 64 * KIB * KIB * KIB;
/// What a file takes before its first byte comes, and the least that any part of it takes.
const FILE: i64 = 64 * KIB;
const PART: i64 = KIB;
/// A client's budget in a siege is one in so many.
const STRICTER: i64 = 4;
/// How often those whose budget is whole are forgotten, in ms.
const SWEEP_MS: u64 = 60_000;
/// Wrong codes that a client may try at once, and again over a day: people mistype.
const CODES: i64 = 100;
/// The same of everybody together.
const ALL_CODES: i64 = 10_000;

/// Confirmations that one mailbox gets at once, and again over a day.
const CONFIRMATIONS: i64 = 3;

pub struct Budget {
    /// Addresses behind which everybody may stand: only the budget for all holds for them.
    shared: Arc<[IpNet]>,
    /// Of a client, and of everybody.
    limits: (i64, i64),
    spent: Mutex<Spent>,
}

/// Mails that confirm reports, by the mailbox that they go to: whoever reports may name a stranger's.
#[derive(Default)]
pub struct Confirmations(Mutex<Spent>);

impl Confirmations {
    /// Counts one, by the mask of its address; whether it may go.
    pub fn charge(&self, mailbox: &[u8], now: i64) -> bool {
        let purse = (mailbox.to_vec(), DAY_MS / CONFIRMATIONS);
        self.0.lock().take(vec![purse], now).is_ok()
    }
}

#[derive(Default)]
struct Spent {
    /// When (ms) the budget of a client is whole again; that of everybody together has no name.
    whole_at: HashMap<Vec<u8>, i64>,
    swept: i64,
}

impl Spent {
    fn take(&mut self, purses: Vec<(Vec<u8>, i64)>, now: i64) -> Result<(), i64> {
        if now.abs_diff(self.swept) >= SWEEP_MS {
            self.whole_at.retain(|_, at| *at > now);
            self.swept = now;
        }
        // A clock that was set back gives nothing back, and takes no more than all.
        let after = |(name, takes): (Vec<u8>, i64)| {
            let whole_at = self.whole_at.get(&name).map_or(now, |at| *at);
            (name, whole_at.clamp(now, now + DAY_MS) + takes)
        };
        let after: Vec<_> = purses.into_iter().map(after).collect();
        let latest = after.iter().map(|(_, at)| *at).max().unwrap_or(now);
        if latest > now + DAY_MS {
            return Err((latest - now - DAY_MS + 999) / 1_000);
        }
        self.whole_at.extend(after);
        Ok(())
    }
}

impl Budget {
    pub fn beside(shared: Arc<[IpNet]>) -> Self {
        Self::within(shared, (CLIENT, ALL))
    }

    /// One for the files that are attached.
    pub fn of_files(shared: Arc<[IpNet]>) -> Self {
        Self::within(shared, (CLIENT_FILES, ALL_FILES))
    }

    /// One for codes of receipts that were tried and are none.
    pub fn of_codes(shared: Arc<[IpNet]>) -> Self {
        Self::within(shared, (CODES, ALL_CODES))
    }

    fn within(shared: Arc<[IpNet]>, limits: (i64, i64)) -> Self {
        Self {
            shared,
            limits,
            spent: Mutex::default(),
        }
    }

    /// Takes what a report with so many bytes of text needs; else answers in how many seconds there will be enough.
    pub fn charge(&self, client: IpAddr, bytes: usize, siege: bool, now: i64) -> Result<(), i64> {
        self.take(self.purses(client, price_of(bytes), siege), now)
    }

    /// Takes what it needs to begin a file.
    pub fn charge_file(&self, client: IpAddr, now: i64) -> Result<(), i64> {
        self.take(self.purses(client, FILE, false), now)
    }

    /// Takes what so many bytes of a file need, as they come: only who sends them spends them.
    pub fn charge_part(&self, client: IpAddr, bytes: usize, now: i64) -> Result<(), i64> {
        let bytes = i64::try_from(bytes).unwrap_or(CLIENT_FILES);
        self.take(self.purses(client, bytes.max(PART), false), now)
    }

    pub fn charge_code(&self, client: IpAddr, now: i64) -> Result<(), i64> {
        self.take(self.purses(client, 1, false), now)
    }

    fn take(&self, purses: Vec<(Vec<u8>, i64)>, now: i64) -> Result<(), i64> {
        self.spent.lock().take(purses, now)
    }

    /// Gives back what was taken for a report that was not stored.
    pub fn refund(&self, client: IpAddr, bytes: usize, siege: bool) {
        self.give_back(self.purses(client, price_of(bytes), siege));
    }

    /// Gives back what was taken for a file that was not begun.
    pub fn refund_file(&self, client: IpAddr) {
        self.give_back(self.purses(client, FILE, false));
    }

    fn give_back(&self, purses: Vec<(Vec<u8>, i64)>) {
        let mut held = self.spent.lock();
        for (name, takes) in purses {
            if let Some(at) = held.whole_at.get_mut(&name) {
                *at -= takes;
            }
        }
    }

    /// Whose budgets something is taken from, and how much of each: as the time (ms) in which that comes back.
    fn purses(&self, client: IpAddr, price: i64, siege: bool) -> Vec<(Vec<u8>, i64)> {
        let (most, all) = self.limits;
        let own = if siege { STRICTER * price } else { price };
        let mut purses = vec![(Vec::new(), price * DAY_MS / all)];
        if !is_trusted(client.to_canonical(), &self.shared) {
            purses.push((limiter_key(client), own * DAY_MS / most));
            let network = network_key(client);
            purses.extend(network.map(|key| (key, own * DAY_MS / (CLIENTS_PER_SITE * most))));
        }
        purses
    }
}

/// What a report with so many bytes of text needs.
fn price_of(bytes: usize) -> i64 {
    let text = i64::try_from(bytes).unwrap_or(CLIENT).min(CLIENT);
    REPORT + COPIES * text
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONGEST: usize = 160_000;
    const DAY: i64 = 86_400_000;
    const MEG: usize = 1024 * 1024;

    fn budget() -> Budget {
        Budget::beside(Arc::new(["127.0.0.0/8".parse().unwrap()]))
    }

    /// How many reports are taken before the first that is not.
    fn taken(budget: &Budget, client: &str, bytes: usize, siege: bool, now: i64) -> usize {
        let client = client.parse().unwrap();
        let charges = (0..600_000).map(|_| budget.charge(client, bytes, siege, now));
        charges.take_while(Result::is_ok).count()
    }

    #[test]
    fn a_client_has_enough_for_a_crowd_and_too_little_for_a_flood() {
        let budget = budget();
        assert_eq!(taken(&budget, "192.0.2.1", 500, false, 0), 1_876);
        assert_eq!(taken(&budget, "192.0.2.2", 500, true, 0), 469);
        assert_eq!(taken(&budget, "192.0.2.3", LONGEST, false, 0), 67);
        // Over a whole day, also where the clock is set back meanwhile.
        let day = (0..24).map(|hour| taken(&budget, "192.0.2.4", LONGEST, false, hour * DAY / 24));
        assert!(day.sum::<usize>() * LONGEST * 3 < 100_000_000);
        assert_eq!(taken(&budget, "192.0.2.4", LONGEST, false, 0), 0);
    }

    #[test]
    fn files_are_paid_for_as_they_come() {
        let budget = Budget::of_files(Arc::default());
        let (client, other) = ("192.0.2.1".parse().unwrap(), "192.0.2.2".parse().unwrap());
        for _ in 0..1_000 {
            budget.charge_file(client, 0).unwrap();
        }
        let sent = (0..).take_while(|_| budget.charge_part(client, MEG, 0).is_ok());
        assert!((4_000..4_040).contains(&sent.count()));
        assert!(budget.charge_part(client, MEG, 0).is_err());
        assert_eq!(budget.charge_part(other, MEG, 0), Ok(()));
    }

    #[test]
    fn networks_are_one_client_and_the_machine_itself_is_everybody() {
        let budget = budget();
        assert_eq!(taken(&budget, "2001:db8:0:1::1", LONGEST, false, 0), 67);
        assert_eq!(taken(&budget, "2001:db8:0:1::2", LONGEST, false, 0), 0);
        let others =
            (2..20).map(|net| taken(&budget, &format!("2001:db8:0:{net}::1"), LONGEST, false, 0));
        assert_eq!(others.sum::<usize>(), 540 - 67);
        let all = taken(&budget, "127.0.0.1", LONGEST, false, 0);
        assert!((16_000..17_500).contains(&all), "{all}");
        assert_eq!(taken(&budget, "192.0.2.1", LONGEST, false, 0), 0);
    }

    #[test]
    fn what_was_not_stored_is_given_back_and_who_is_even_is_forgotten() {
        let (budget, client) = (budget(), "192.0.2.1".parse().unwrap());
        for _ in 0..1_000 {
            budget.charge(client, LONGEST, false, 0).unwrap();
            budget.refund(client, LONGEST, false);
        }
        budget.charge(client, 0, false, 0).unwrap();
        let other = "192.0.2.2".parse().unwrap();
        budget.charge(other, 0, false, DAY).unwrap();
        assert_eq!(budget.spent.lock().whole_at.len(), 2, "the other and all");
        let wait = (0..100).find_map(|_| budget.charge(client, LONGEST, false, DAY).err());
        let later = DAY + wait.unwrap() * 1_000;
        assert_eq!(budget.charge(client, LONGEST, false, later), Ok(()));
    }
}
