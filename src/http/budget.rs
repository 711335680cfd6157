//! How much reporters may have stored: a budget for each client and one for all, which fill up again over a day. Generous:
//! whole networks of phones, and a hall full of people, stand behind one address.
//! Must never be written anywhere, nor hold an address for longer than its budget takes to be whole again.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;

use ipnet::IpNet;
use parking_lot::Mutex;

use super::client_address::is_trusted;

const KIB: u64 = 1024;
const DAY_MS: u64 = 24 * 60 * 60 * 1_000;
/// What a report takes besides its text: rows, indexes, messages.
const REPORT: u64 = 16 * KIB;
/// How often a text is stored: in the report, a mail, a call of the webhook.
const COPIES: u64 = 3;
/// At once, and again over a day, for an IPv4 address or an IPv6 /64: 2,000 short reports, or 65 of the longest.
const CLIENT: u64 = 32 * KIB * KIB;
/// As many for the /48 network of an IPv6 client.
const CLIENTS_PER_SITE: u64 = 8;
/// For everybody together: 500,000 short reports.
const ALL: u64 = 8 * KIB * KIB * KIB;
/// A client's budget in a siege is one in so many.
const STRICTER: u64 = 4;
/// How often those whose budget is whole are forgotten, in ms.
const SWEEP_MS: u64 = 60_000;

pub struct Budget {
    /// Addresses behind which everybody may stand: only the budget for all holds for them.
    shared: Arc<[IpNet]>,
    spent: Mutex<Spent>,
}

#[derive(Default)]
struct Spent {
    /// By the first bytes of the address; none for everybody together.
    accounts: HashMap<Vec<u8>, Account>,
    swept: i64,
}

/// What was spent up to a moment (ms), and of how much.
struct Account {
    spent: u64,
    at: i64,
    limit: u64,
}

impl Account {
    /// What is still spent. A clock that was set back gives nothing back.
    fn level(&self, now: i64) -> u64 {
        let passed = u64::try_from(now - self.at).unwrap_or_default().min(DAY_MS);
        self.spent.saturating_sub(self.limit * passed / DAY_MS)
    }
}

impl Budget {
    pub fn beside(shared: Arc<[IpNet]>) -> Self {
        Self {
            shared,
            spent: Mutex::default(),
        }
    }

    /// Takes what a report with so many bytes of text needs; else answers in how many seconds there will be enough.
    pub fn charge(&self, client: IpAddr, bytes: usize, siege: bool, now: i64) -> Result<(), u64> {
        let purses = self.purses(client, bytes, siege);
        let mut held = self.spent.lock();
        held.sweep(now);
        let wait = |(key, limit, price): &(Vec<u8>, u64, u64)| {
            let spent = held
                .accounts
                .get(key)
                .map_or(0, |account| account.level(now));
            let over = (spent + price).saturating_sub(*limit);
            (over * DAY_MS).div_ceil(limit * 1_000)
        };
        let wait = purses.iter().map(wait).max().unwrap_or_default();
        if wait > 0 {
            return Err(wait);
        }
        for (key, limit, price) in purses {
            let account = held.accounts.entry(key);
            let account = account.or_insert(Account {
                spent: 0,
                at: now,
                limit,
            });
            account.spent = account.level(now) + price;
            account.at = now;
        }
        Ok(())
    }

    /// Gives back what was taken for a report that was not stored.
    pub fn refund(&self, client: IpAddr, bytes: usize, siege: bool) {
        let held = &mut *self.spent.lock();
        for (key, _, price) in self.purses(client, bytes, siege) {
            if let Some(account) = held.accounts.get_mut(&key) {
                account.spent = account.spent.saturating_sub(price);
            }
        }
    }

    /// Whose budget a report is taken from: name, limit, price.
    fn purses(&self, client: IpAddr, bytes: usize, siege: bool) -> Vec<(Vec<u8>, u64, u64)> {
        let text = u64::try_from(bytes)
            .unwrap_or(u64::MAX / COPIES)
            .min(CLIENT);
        let price = REPORT + COPIES * text;
        let own = if siege { STRICTER * price } else { price };
        let mut purses = vec![(Vec::new(), ALL, price)];
        match client.to_canonical() {
            client if is_trusted(client, &self.shared) => {}
            IpAddr::V4(v4) => purses.push((v4.octets().to_vec(), CLIENT, own)),
            IpAddr::V6(v6) => {
                let octets = v6.octets();
                purses.push((octets[..8].to_vec(), CLIENT, own));
                purses.push((octets[..6].to_vec(), CLIENTS_PER_SITE * CLIENT, own));
            }
        }
        purses
    }
}

impl Spent {
    fn sweep(&mut self, now: i64) {
        if now.abs_diff(self.swept) >= SWEEP_MS {
            self.accounts.retain(|_, account| account.level(now) > 0);
            self.swept = now;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONGEST: usize = 160_000;
    const DAY: i64 = 86_400_000;

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
        assert_eq!(budget.spent.lock().accounts.len(), 2, "the other and all");
        let wait = (0..100).find_map(|_| budget.charge(client, LONGEST, false, DAY).err());
        let later = DAY + i64::try_from(wait.unwrap()).unwrap() * 1_000;
        assert_eq!(budget.charge(client, LONGEST, false, later), Ok(()));
    }
}
