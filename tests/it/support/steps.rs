//! A server that ends by `kill -9` as it enters a call with which it changes the disk or answers, between the first request of
//! a reporter and the last answer. Where it ends is drawn from what it does for the same requests when nobody ends it.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use super::executable::{PATH, Server, confine};
use super::{Dice, say};

/// Calls that change something on the disk or make it lasting, and those that answer.
const CALLS: &str = "openat,write,writev,pwrite64,ftruncate,fsync,fdatasync,unlink,sendto";

/// The so-manyth call of this name of a thread.
type Step = (String, usize);

pub struct Steps {
    /// Up to each answer.
    before: Vec<Vec<Step>>,
    dice: Dice,
    /// How many were killed before each answer.
    killed: Vec<usize>,
}

/// The program under strace, which is a bystander: signals reach the program.
fn watched(folder: &Path, options: &[&str]) -> Result<Server, String> {
    let mut strace = Command::new("strace");
    confine(&mut strace, folder);
    // With one worker the same thread makes the same calls each time.
    strace.env("TOKIO_WORKER_THREADS", "1");
    let calls = format!("trace={CALLS}");
    strace.args([
        "-D",
        "-f",
        "-qq",
        "-s",
        "100",
        "-e",
        "signal=none",
        "-e",
        &calls,
    ]);
    strace
        .args(options)
        .args([PATH, "serve", "--listen", "127.0.0.1:0"]);
    Server::try_spawn(strace, folder)
}

impl Steps {
    /// Those of requests that get so many answers. The server before it was stopped politely, as before each that is killed: then
    /// they all begin alike.
    pub fn of(folder: &Path, answers: usize, ask: impl FnOnce(&Server) -> usize) -> Self {
        let record = folder.join("steps");
        let server = watched(folder, &["-o", record.to_str().expect("a text")]).expect("it starts");
        assert_eq!(ask(&server), answers);
        server.stop();
        let (mut before, mut answered) = (vec![Vec::new()], false);
        let (mut counted, mut known) = (BTreeMap::new(), HashSet::new());
        let mut listens = false;
        for line in fs::read_to_string(record).expect("a record").lines() {
            let (thread, rest) = line.trim().split_once(' ').expect("a thread");
            let Some((call, about)) = rest.trim().split_once('(') else {
                continue;
            };
            if call.starts_with('<') || answered && before.len() == answers {
                continue;
            }
            let number: &mut usize = counted.entry((thread, call)).or_default();
            *number += 1;
            // A step that came before as another thread's is that one.
            let new = known.insert((call, *number));
            if answered {
                before.push(Vec::new());
            }
            if new && listens {
                let steps = before.last_mut().expect("one");
                steps.push((call.to_owned(), *number));
            }
            listens |= about.contains("in ascolto");
            answered = about.contains("HTTP/1.1 20");
        }
        let counts: Vec<usize> = before.iter().map(Vec::len).collect();
        assert!(
            before.len() == answers && counts.iter().all(|count| *count > 0),
            "{counts:?}"
        );
        let killed = vec![0; answers];
        Self {
            before,
            dice: Dice::thrown(),
            killed,
        }
    }

    /// A server that ends at one of its steps, in turns before each of the answers. One whose threads came to it while it started
    /// is no use.
    pub fn doomed(&mut self, folder: &Path, round: usize) -> Server {
        let steps = &self.before[round % self.before.len()];
        let started = (0..20).find_map(|_| {
            let (call, number) = &steps[self.dice.within(0..steps.len())];
            let inject = format!("inject={call}:signal=SIGKILL:when={number}");
            watched(folder, &["-e", &inject, "-o", "/dev/null"]).ok()
        });
        started.expect("a server")
    }

    /// Ends it where it did not come to its step; counts after how many answers it was killed.
    pub fn count(&mut self, mut server: Server, answers: usize) {
        if answers < self.killed.len() {
            assert!(!server.ended().success());
            self.killed[answers] += 1;
        } else {
            server.kill();
        }
    }

    /// The control: most ended at their step, and not all before the same answer.
    pub fn control(&self, rounds: usize) {
        let killed: usize = self.killed.iter().sum();
        let places = self.killed.iter().filter(|count| **count > 0).count();
        let enough = 2 * killed > rounds && 2 * places >= self.killed.len();
        assert!(enough, "{:?} of {rounds}", self.killed);
        say(&format!("killed before each answer: {:?}", self.killed));
    }
}
