//! What the tests have in common: the program running, a client for each kind of person, and eyes for the disk.
//! Must never decide whether a test passes: it only fails where nothing could be tested.

pub mod authority;
pub mod backups;
pub mod chat;
pub mod disk;
pub mod doctor;
pub mod doorstep;
pub mod executable;
pub mod http;
pub mod load;
pub mod outbox;
pub mod panel;
pub mod pebble;
pub mod post;
pub mod program;
pub mod prometheus;
pub mod receiver;
pub mod small_disk;
pub mod smtp;
pub mod trial;

use std::time::{Duration, Instant};

/// Asks again and again until there is an answer, for this long.
pub fn poll<T>(within: Duration, mut answer: impl FnMut() -> Option<T>) -> Option<T> {
    let end = Instant::now() + within;
    loop {
        let found = answer();
        if found.is_some() || Instant::now() >= end {
            return found;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// As [`poll`], where no answer fails the test.
pub fn wait_for<T>(what: &str, within: Duration, answer: impl FnMut() -> Option<T>) -> T {
    poll(within, answer).unwrap_or_else(|| panic!("{what} did not come within {within:?}"))
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
