//! Places that are held for a while, and what goes when all are taken: of the network that holds most, and in it of the client,
//! the slowest. So a few clients that hold on keep no newcomer out.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;

use ipnet::IpNet;
use parking_lot::Mutex;

use crate::http::client_address::{Client, network_of};

/// The holder of a place.
pub trait Holding {
    /// How far, or how fast, it comes: the lowest goes first.
    fn rank(&self) -> u64;

    /// A newcomer has taken its place.
    fn send_away(&self);
}

/// How many places there are: of one client and of one network fewer, unless many clients may stand behind the address.
#[derive(Debug, Clone, Copy)]
pub struct Most {
    pub in_all: usize,
    pub of_client: usize,
    pub of_network: usize,
}

pub struct Places<T> {
    /// The name of their purpose, for the log.
    name: &'static str,
    most: Most,
    /// Addresses behind which many clients may stand: they are the last to lose a place.
    shared: Arc<[IpNet]>,
    taken: Mutex<Taken<T>>,
}

struct Taken<T> {
    places: Vec<TakenPlace<T>>,
    /// The log says that all are taken.
    warned: bool,
}

struct TakenPlace<T> {
    client: Vec<u8>,
    shared: bool,
    holding: Arc<T>,
}

impl<T> Taken<T> {
    fn count(&self, of: impl Fn(&[u8]) -> bool) -> usize {
        let places = self.places.iter();
        places.filter(|place| of(&place.client)).count()
    }
}

impl<T: Holding> Places<T> {
    pub fn new(name: &'static str, most: Most, shared: Arc<[IpNet]>) -> Arc<Self> {
        let taken = Mutex::new(Taken {
            places: Vec::new(),
            warned: false,
        });
        Arc::new(Self {
            name,
            most,
            shared,
            taken,
        })
    }

    /// A place for one more holding of this client, unless it has too many. Where all are taken another holding goes.
    pub fn admit(self: &Arc<Self>, client: Client, holding: T) -> Option<Permit<T>> {
        let (client, shared) = (client.key(), client.is_shared(&self.shared));
        let taken = &mut *self.taken.lock();
        let network = network_of(&client);
        let is_over = || {
            taken.count(|other| other == client) >= self.most.of_client
                || taken.count(|other| network_of(other) == network) >= self.most.of_network
        };
        if !shared && is_over() {
            return None;
        }
        if taken.places.len() >= self.most.in_all {
            self.make_room(taken);
        }
        let holding = Arc::new(holding);
        taken.places.push(TakenPlace {
            client,
            shared,
            holding: Arc::clone(&holding),
        });
        let places = Arc::clone(self);
        Some(Permit { places, holding })
    }

    fn make_room(&self, taken: &mut Taken<T>) {
        let places = &mut taken.places;
        if !taken.warned {
            taken.warned = true;
            let (name, n) = (self.name, places.len());
            tracing::warn!(
                n,
                "all {name} are taken: the client with most of them loses its slowest"
            );
        }
        let [mut networks, mut clients]: [HashMap<&[u8], usize>; 2] = Default::default();
        for TakenPlace { client, .. } in &*places {
            *networks.entry(network_of(client)).or_default() += 1;
            *clients.entry(client).or_default() += 1;
        }
        let weight = |place: &TakenPlace<T>| {
            let (client, rank) = (place.client.as_slice(), Reverse(place.holding.rank()));
            (
                !place.shared,
                networks[network_of(client)],
                clients[client],
                rank,
            )
        };
        let slowest = (0..places.len()).max_by_key(|at| weight(&places[*at]));
        if let Some(at) = slowest {
            places.swap_remove(at).holding.send_away();
        }
    }
}

/// The right to one place, given back when dropped.
pub struct Permit<T> {
    places: Arc<Places<T>>,
    pub holding: Arc<T>,
}

impl<T> Drop for Permit<T> {
    fn drop(&mut self) {
        let taken = &mut *self.places.taken.lock();
        // One that was sent away has none any more.
        let places = &mut taken.places;
        places.retain(|place| !Arc::ptr_eq(&place.holding, &self.holding));
        // The log warns again only below half load: a server at its limit would otherwise log at every change.
        if places.len() < self.places.most.in_all / 2 {
            taken.warned = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

    use super::*;

    struct Ranked(u64, AtomicBool);

    impl Holding for Ranked {
        fn rank(&self) -> u64 {
            self.0
        }

        fn send_away(&self) {
            self.1.store(true, Relaxed);
        }
    }

    fn places(in_all: usize, of_client: usize, of_network: usize) -> Arc<Places<Ranked>> {
        let most = Most {
            in_all,
            of_client,
            of_network,
        };
        Places::new("places", most, Arc::new(["127.0.0.0/8".parse().unwrap()]))
    }

    fn admit(places: &Arc<Places<Ranked>>, address: &str, rank: u64) -> Option<Permit<Ranked>> {
        let client = Client::Address(address.parse().unwrap());
        places.admit(client, Ranked(rank, AtomicBool::default()))
    }

    fn is_gone(place: &Permit<Ranked>) -> bool {
        place.holding.1.load(Relaxed)
    }

    #[test]
    fn the_slowest_of_the_largest_network_goes() {
        let places = places(5, 2, 9);
        let one = admit(&places, "192.0.2.1", 1).unwrap();
        let shared = [2, 3].map(|rank| admit(&places, "127.0.0.1", rank).unwrap());
        let near = [8, 7].map(|net| {
            let address = format!("2001:db8:7:{net}::1");
            admit(&places, &address, net).unwrap()
        });
        assert!(admit(&places, "192.0.2.2", 1).is_some());
        assert_eq!(near.each_ref().map(is_gone), [false, true]);
        assert!(!is_gone(&one) && !shared.iter().any(is_gone));
    }

    #[test]
    fn places_are_counted_by_client_and_network_and_given_back() {
        let places = places(9, 2, 3);
        let first = admit(&places, "2001:db8::1", 1);
        let second = admit(&places, "2001:db8::2", 1);
        assert!(admit(&places, "2001:db8::3", 1).is_none(), "the same /64");
        let third = admit(&places, "2001:db8:0:1::1", 1);
        assert!(
            admit(&places, "2001:db8:0:2::1", 1).is_none(),
            "the same /48"
        );
        drop(first);
        assert!(admit(&places, "2001:db8:0:2::1", 1).is_some());
        drop((second, third));
        assert_eq!(places.taken.lock().places.len(), 0);
        let many = (0..9).map(|_| admit(&places, "127.0.0.1", 1));
        assert!(many.collect::<Vec<_>>().iter().all(Option::is_some));
        // By the onion socket a conversation is a client, and without one they are not told apart.
        let by_onion = |conversation: Option<u8>| {
            let client = Client::Onion(conversation.map(|one| [one; 16]));
            places.admit(client, Ranked(1, AtomicBool::default()))
        };
        let same = [(); 3].map(|()| by_onion(Some(7)));
        assert_eq!(same.each_ref().map(Option::is_some), [true, true, false]);
        assert!(
            [Some(8), None, None, None]
                .map(by_onion)
                .iter()
                .all(Option::is_some)
        );
    }
}
