//! Who holds how many sockets, and whose goes when all are taken: the network with most of them, and in it the client, loses
//! its slowest, so that nobody can close the line by holding on.
//! Must never log an address, nor keep one longer than its sockets are open.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use ipnet::IpNet;
use parking_lot::Mutex;
use prometheus_client::metrics::gauge::Gauge;
use tokio::sync::Notify;
use tokio::time::Instant;

use super::client_address::{is_trusted, limiter_key, network_of};

/// How far a socket's client has come; whoever has come least far goes first.
#[derive(Clone, Copy)]
pub enum Stage {
    /// It had its answer, and asked for nothing since.
    Idle,
    /// It has not asked for anything yet, or not to the end.
    Silent,
    /// It asked to the end of its body, and has not had its whole answer.
    Asked,
}

pub struct Socket {
    begun: Instant,
    /// Stage, then the microsecond since `begun` in which it was reached: the smallest goes first.
    rank: AtomicU64,
    /// What is still to come of the request's body, in bytes; for the stream, which reads heads and bodies.
    body: AtomicU64,
    pub gone: Notify,
}

impl Socket {
    pub fn reach(&self, stage: Stage) {
        let since = u64::try_from(self.begun.elapsed().as_micros()).unwrap_or_default();
        self.rank.store((stage as u64) << 60 | since, Relaxed);
    }

    pub fn body(&self) -> u64 {
        self.body.load(Relaxed)
    }

    /// The stream says what is still to come of the body. With its end a client has asked.
    pub fn set_body(&self, left: u64) {
        if self.body.swap(left, Relaxed) > 0 && left == 0 && self.is_at(Stage::Silent) {
            self.reach(Stage::Asked);
        }
    }

    /// A head came, with a body of so many bytes to come. Until that is here too, a client is as silent as it was.
    pub fn begin(&self, body: u64) {
        self.body.store(body, Relaxed);
        if body == 0 {
            self.reach(Stage::Asked);
        } else if self.is_at(Stage::Idle) {
            self.reach(Stage::Silent);
        }
    }

    fn is_at(&self, stage: Stage) -> bool {
        self.rank() >> 60 == stage as u64
    }

    fn rank(&self) -> u64 {
        self.rank.load(Relaxed)
    }
}

pub struct Sockets {
    pub most: usize,
    pub most_per_client: usize,
    /// Addresses behind which many clients may stand: exempt from `most_per_client`, and the last to lose a socket.
    pub shared: Arc<[IpNet]>,
    pub open: Gauge,
    pub held: Mutex<Held>,
    pub begun: Instant,
}

#[derive(Default)]
pub struct Held {
    total: usize,
    by_client: HashMap<Vec<u8>, Holder>,
    /// The operator has been told that all are taken.
    told: bool,
}

struct Holder {
    shared: bool,
    sockets: Vec<Arc<Socket>>,
}

impl Sockets {
    /// A permit for one more socket of this client, unless it has too many. Where all are taken another one goes.
    pub fn admit(self: &Arc<Self>, address: IpAddr) -> Option<Permit> {
        let held = &mut *self.held.lock();
        let (client, shared) = (limiter_key(address), is_trusted(address, &self.shared));
        let own = held.by_client.get(&client);
        if !shared && own.is_some_and(|own| own.sockets.len() >= self.most_per_client) {
            return None;
        }
        if held.total >= self.most {
            self.make_room(held);
        }
        let socket = Arc::new(Socket {
            begun: self.begun,
            rank: AtomicU64::default(),
            body: AtomicU64::default(),
            gone: Notify::new(),
        });
        socket.reach(Stage::Silent);
        let holder = held.by_client.entry(client.clone());
        let holder = holder.or_insert_with(|| Holder {
            shared,
            sockets: Vec::new(),
        });
        holder.sockets.push(Arc::clone(&socket));
        held.total += 1;
        self.open.inc();
        Some(Permit {
            sockets: Arc::clone(self),
            client,
            socket,
        })
    }

    fn make_room(&self, held: &mut Held) {
        if !held.told {
            held.told = true;
            let open = held.total;
            tracing::warn!(
                open,
                "all connections are taken: whoever holds most loses the slowest"
            );
        }
        let mut networks: HashMap<&[u8], usize> = HashMap::new();
        for (client, holder) in &held.by_client {
            *networks.entry(network_of(client)).or_default() += holder.sockets.len();
        }
        let each = held.by_client.iter().flat_map(|(client, holder)| {
            let network = networks.get(network_of(client)).copied();
            let weight = (!holder.shared, network, holder.sockets.len());
            let sockets = holder.sockets.iter();
            sockets.map(move |socket| (weight, Reverse(socket.rank()), client, socket))
        });
        let slowest = each.max_by_key(|(weight, rank, ..)| (*weight, *rank));
        if let Some((.., client, socket)) = slowest {
            let (client, socket) = (client.clone(), Arc::clone(socket));
            self.take_back(held, &client, &socket);
            socket.gone.notify_one();
        }
    }

    /// Counts a socket no more; one that was sent away is counted no more already.
    fn take_back(&self, held: &mut Held, client: &[u8], socket: &Arc<Socket>) {
        let Some(holder) = held.by_client.get_mut(client) else {
            return;
        };
        let mut sockets = holder.sockets.iter();
        let Some(at) = sockets.position(|one| Arc::ptr_eq(one, socket)) else {
            return;
        };
        holder.sockets.swap_remove(at);
        if holder.sockets.is_empty() {
            held.by_client.remove(client);
        }
        held.total -= 1;
        self.open.dec();
    }
}

/// The right to one socket, given back when dropped.
pub struct Permit {
    sockets: Arc<Sockets>,
    client: Vec<u8>,
    pub socket: Arc<Socket>,
}

impl Drop for Permit {
    fn drop(&mut self) {
        let held = &mut *self.sockets.held.lock();
        self.sockets.take_back(held, &self.client, &self.socket);
        // Log again only below half load: a server at its limit would otherwise log at every change.
        if held.total < self.sockets.most / 2 {
            held.told = false;
        }
    }
}
