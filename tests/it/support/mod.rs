//! What the tests have in common: the program running, a client for each kind of person, and eyes for the disk.
//! Must never decide whether a test passes: it only fails where nothing could be tested.

pub mod attachments;
pub mod authenticator;
pub mod authority;
pub mod backups;
pub mod chat;
pub mod disk;
pub mod doctor;
pub mod executable;
pub mod http;
pub mod load;
pub mod outbox;
pub mod panel;
pub mod pebble;
pub mod people;
pub mod post;
pub mod program;
pub mod prometheus;
pub mod receiver;
pub mod returning;
pub mod small_disk;
pub mod smtp;
pub mod snapshot;
pub mod steps;
pub mod tokens;

use std::net::TcpListener;
use std::time::{Duration, Instant};

use self::http::Client;
use serde_json::Value;

pub const SECOND: Duration = Duration::from_secs(1);
pub const MINUTE: Duration = Duration::from_mins(1);
pub const HOUR: Duration = Duration::from_hours(1);
pub const DAY: Duration = Duration::from_hours(24);
/// Long enough for the slowest machine.
pub const PATIENCE: Duration = Duration::from_mins(2);

/// Asks again and again until there is an answer; `None` when there is none in time.
pub fn poll<T>(mut answer: impl FnMut() -> Option<T>) -> Option<T> {
    let end = Instant::now() + PATIENCE;
    loop {
        let found = answer();
        if found.is_some() || Instant::now() >= end {
            return found;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// As [`poll`], where no answer fails the test.
#[track_caller]
pub fn wait_for<T>(what: &str, answer: impl FnMut() -> Option<T>) -> T {
    poll(answer).unwrap_or_else(|| panic!("{what} did not come"))
}

/// An object has these members, whatever else it has.
#[track_caller]
pub fn has(object: &Value, members: &Value) {
    for (name, value) in members.as_object().expect("members") {
        assert_eq!(object[name], *value, "{name} of {object}");
    }
}

/// A report was erased.
#[track_caller]
pub fn assert_gone(editor: &Client, report: &str) {
    let answer = editor.get(&format!("/reports/{report}"));
    answer.problem(410, "cancellata");
}

/// All of these words are in a text.
#[track_caller]
pub fn contains(text: impl AsRef<str>, words: &[&str]) {
    let text = text.as_ref();
    for part in words {
        assert!(text.contains(part), "no «{part}» in {text}");
    }
}

/// As the function [`has`]: `has!(report, "stato": "Nuova", "versione": 2)`.
macro_rules! has {
    ($object:expr, $($members:tt)+) => {
        $crate::support::has(&$object, &serde_json::json!({ $($members)+ }))
    };
}

/// A port on which nothing listens.
pub fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port()
}

/// Runs the same work on so many threads at once, each with its number; answers what each found.
pub fn at_once<T: Send>(threads: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    std::thread::scope(|scope| {
        let work = &work;
        let running: Vec<_> = (0..threads)
            .map(|number| scope.spawn(move || work(number)))
            .collect();
        let joined = running
            .into_iter()
            .map(|thread| thread.join().expect("it ends"));
        joined.collect()
    })
}

/// Says a figure that a long test found.
#[allow(clippy::print_stderr, reason = "shown to whoever runs the long tests")]
pub fn say(figure: &str) {
    eprintln!("{figure}");
}

/// Random numbers that come again with the same seed (`SplitMix64`, public domain, by S. Vigna).
pub struct Dice(u64);

impl Dice {
    /// Says which seed it is, for whoever must repeat a failure. `SEED` in the environment throws others.
    #[allow(clippy::print_stderr, reason = "shown when the test fails")]
    pub fn thrown() -> Self {
        let seed = from_environment("SEED", 1);
        eprintln!("SEED={seed}");
        Self(seed as u64)
    }

    pub fn within(&mut self, range: std::ops::Range<usize>) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        let mixed = usize::try_from((mixed ^ (mixed >> 31)) >> 16).expect("48 bits");
        range.start + mixed % (range.end - range.start)
    }

    /// True once in `times`.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.within(0..times) == 0
    }
}

/// A number that the environment may change.
pub fn from_environment(name: &str, usual: usize) -> usize {
    let given = std::env::var(name).ok();
    given.map_or(usual, |given| given.parse().expect("a number"))
}
