//! Continuous replication by the real Litestream: server and replicator are killed in the same moment while people talk,
//! and the archive is made again from the replica alone. Every report that was acknowledged before the last moments must be
//! in it and be readable; how long those moments are is measured. After an orderly stop nothing may be missing.
//! Must never read the killed archive after the kill: the machine is taken for lost.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use tokio::runtime::Runtime;

use super::kill::Archive;
use super::support::http::{Connection, get, post};
use super::support::person::{finish, talk};
use super::support::server::{Installation, Server};
use super::{Dice, length_of, say};

/// The kill comes this long after the people began, in milliseconds.
const MOMENT_MS: std::ops::Range<u64> = 4_000..9_000;
/// What was acknowledged longer than this before the kill must be in the replica. Litestream looks at the database once a
/// second and carries what it found away once a second; the rest is for a slow machine.
const AT_MOST: Duration = Duration::from_secs(5);
/// Longest wait for the first copy.
const FIRST_COPY: Duration = Duration::from_secs(30);
/// Name of the database in the data folder.
const DATABASE: &str = "segnalazioni.db";
/// Name of the key file in the data folder, which no replica holds.
const KEY_FILE: &str = "segnalazioni.key";
/// The newsroom's password.
const PASSWORD: &str = "gatto-lampada-nuvola-treno";

/// What was acknowledged, and when.
type Ledger = Arc<Mutex<Vec<(String, Instant)>>>;

/// Litestream at work; killed when it goes out of scope.
struct Replicator(Child);

/// What all rounds came to.
#[derive(Default)]
struct Tally {
    acknowledged: usize,
    lost: usize,
    longest: Duration,
}

/// So many kills of `program` beside `litestream`, then an orderly stop.
pub fn run(
    program: &Path,
    litestream: &Path,
    rounds: u64,
    people: usize,
    mut dice: Dice,
) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let litestream = litestream.canonicalize().context("litestream")?;
    let mut tally = Tally::default();
    for round in 0..rounds {
        let moment = MOMENT_MS.start + dice.below(MOMENT_MS.end - MOMENT_MS.start);
        let house = House::new(program, &litestream)?;
        let (ledger, killed) = house.cut_off(&runtime, people, Duration::from_millis(moment))?;
        let lost = house.missing(&runtime, &ledger)?;
        let longest = lost.iter().map(|at| killed - *at).max().unwrap_or_default();
        say(&format!(
            "{} of {rounds} kills: {} reports acknowledged, {} of the last {longest:.2?} not in the replica",
            round + 1,
            ledger.len(),
            lost.len()
        ));
        ensure!(
            longest <= AT_MOST,
            "a report of {longest:?} before the kill is lost"
        );
        tally.acknowledged += ledger.len();
        tally.lost += lost.len();
        tally.longest = tally.longest.max(longest);
    }
    let house = House::new(program, &litestream)?;
    let ledger = house.stop_in_order(&runtime, people)?;
    let lost = house.missing(&runtime, &ledger)?.len();
    ensure!(lost == 0, "{lost} reports lost by an orderly stop");
    tally.acknowledged += ledger.len();
    ensure!(
        rounds == 0 || tally.lost > 0,
        "no kill lost anything: this test would not notice a loss"
    );
    say(&format!(
        "litestream: {rounds} kills of server and replicator at once, {} reports acknowledged; {} of them, of the last {:.2?} \
         at most, not in the replica; after an orderly stop none missing",
        tally.acknowledged, tally.lost, tally.longest
    ));
    Ok(())
}

/// A replicated installation, and the place where it is made again.
struct House {
    litestream: PathBuf,
    folder: tempfile::TempDir,
    installation: Installation,
}

impl House {
    fn new(program: &Path, litestream: &Path) -> Result<Self> {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
        let old = folder.path().join("old");
        fs::create_dir(&old)?;
        let installation = Installation::new(program, &old)?;
        set_password(&installation)?;
        Ok(Self {
            litestream: litestream.to_path_buf(),
            folder,
            installation,
        })
    }

    fn replica(&self) -> PathBuf {
        self.folder.path().join("replica")
    }

    /// Server and replicator, and a replica that has begun.
    fn begin(&self) -> Result<(Server, Replicator)> {
        let server = self.installation.start()?;
        let configuration = self.folder.path().join("litestream.yml");
        let text = format!(
            "dbs:\n  - path: {}\n    replica:\n      type: file\n      path: {}\n      sync-interval: 1s\n",
            self.installation.data().join(DATABASE).display(),
            self.replica().display()
        );
        fs::write(&configuration, text)?;
        let mut command = self.installation.confined(&self.litestream);
        command.args(["replicate", "-config"]).arg(configuration);
        let told = File::create(self.folder.path().join("litestream.log"))?;
        command.stdout(told.try_clone()?).stderr(told);
        let replicator = Replicator(command.spawn().context("litestream does not start")?);
        let begun = Instant::now();
        while !has_files(&self.replica()) {
            ensure!(begun.elapsed() < FIRST_COPY, "no replica: {}", self.told());
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok((server, replicator))
    }

    /// Lets people talk, then kills both at once; answers what was acknowledged, and when they were killed.
    fn cut_off(
        &self,
        runtime: &Runtime,
        people: usize,
        moment: Duration,
    ) -> Result<(Vec<(String, Instant)>, Instant)> {
        let (server, mut replicator) = self.begin()?;
        let ledger = Ledger::default();
        let killed = runtime.block_on(async {
            let crowd = crowd(&server, people, &ledger);
            tokio::time::sleep(moment).await;
            replicator.0.kill()?;
            let killed = Instant::now();
            server.kill()?;
            // Each ends with the connection.
            for person in crowd {
                person.await?;
            }
            anyhow::Ok(killed)
        })?;
        Ok((std::mem::take(&mut *lock(&ledger)), killed))
    }

    /// Lets people talk, then stops the server, then the replicator.
    fn stop_in_order(&self, runtime: &Runtime, people: usize) -> Result<Vec<(String, Instant)>> {
        let (server, mut replicator) = self.begin()?;
        let ledger = Ledger::default();
        runtime.block_on(async {
            let crowd = crowd(&server, people, &ledger);
            tokio::time::sleep(Duration::from_millis(MOMENT_MS.start)).await;
            server.stop()?;
            for person in crowd {
                person.await?;
            }
            anyhow::Ok(())
        })?;
        kill_process(Pid::from_child(&replicator.0), Signal::TERM)?;
        ensure!(
            replicator.0.wait()?.success(),
            "litestream: {}",
            self.told()
        );
        Ok(std::mem::take(&mut *lock(&ledger)))
    }

    /// Makes the archive again from the replica and the key file, and answers when each report was acknowledged that is not
    /// in it. What is in it must be whole, open, and pass for an archive of ours in every command.
    fn missing(&self, runtime: &Runtime, ledger: &[(String, Instant)]) -> Result<Vec<Instant>> {
        let fresh = self.folder.path().join("new");
        fs::create_dir_all(fresh.join("data"))?;
        let installation = Installation::new(self.installation.program(), &fresh)?;
        let (database, keys) = (
            installation.data().join(DATABASE),
            installation.data().join(KEY_FILE),
        );
        fs::copy(self.installation.data().join(KEY_FILE), &keys)?;
        fs::remove_dir_all(self.installation.data())?;
        let mut restore = installation.confined(&self.litestream);
        restore
            .args(["restore", "-integrity-check", "full", "-o"])
            .arg(&database);
        succeeds(restore.arg(format!("file://{}", self.replica().display())))?;
        let server = installation.start()?;
        let archive = Archive::open(&installation.data())?;
        archive.check()?;
        let mut lost = Vec::new();
        for (id, at) in ledger {
            if archive.missing(std::slice::from_ref(id))? > 0 {
                lost.push(*at);
            }
        }
        let newest = ledger.iter().rev().find(|(_, at)| !lost.contains(at));
        let (id, _) = newest.context("nothing acknowledged is in the replica")?;
        runtime.block_on(opens(&server, id))?;
        server.stop()?;
        for command in ["backup", "doctor"] {
            succeeds(installation.confined(installation.program()).arg(command))?;
        }
        ensure!(
            installation.errors().is_empty(),
            "{}",
            installation.errors()
        );
        Ok(lost)
    }

    /// What Litestream wrote.
    fn told(&self) -> String {
        fs::read_to_string(self.folder.path().join("litestream.log")).unwrap_or_default()
    }
}

impl Drop for Replicator {
    fn drop(&mut self) {
        // It has ended already, or nothing is left to be done about it.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// People who tell one story after the other until the server is gone.
fn crowd(server: &Server, people: usize, ledger: &Ledger) -> Vec<tokio::task::JoinHandle<()>> {
    let person = |first| {
        let (address, ledger) = (server.address, Arc::clone(ledger));
        tokio::spawn(async move {
            let mut number = first;
            let Ok(mut connection) = Connection::open(address).await else {
                return;
            };
            while let Ok(last) = talk(&mut connection, number, length_of(number)).await {
                let Ok(id) = finish(&mut connection, &last).await else {
                    return;
                };
                lock(&ledger).push((id, Instant::now()));
                number += people;
            }
        })
    };
    (0..people).map(person).collect()
}

/// Logs in and opens a report.
async fn opens(server: &Server, id: &str) -> Result<()> {
    let mut connection = Connection::open(server.address).await?;
    let login = post("/session", &json!({ "password": PASSWORD }));
    let answer = connection.call(&login).await?;
    let cookie = answer.field("set-cookie").context("no session")?;
    let cookie = cookie.split(';').next().unwrap_or_default();
    let path = format!("/paibeta/api/reports/{id}");
    let report = connection
        .call(&get(&path, &format!("cookie: {cookie}\r\n")))
        .await?;
    let report = report.json()?;
    ensure!(
        report["nome"] == "Anna Maria",
        "not as it was told: {report}"
    );
    Ok(())
}

fn set_password(installation: &Installation) -> Result<()> {
    let mut command = installation.confined(installation.program());
    command.args(["reset-password", "--stdin"]);
    let mut child = command
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::null())
        .spawn()?;
    let mut input = child.stdin.take().context("a pipe")?;
    std::io::Write::write_all(&mut input, PASSWORD.as_bytes())?;
    drop(input);
    ensure!(child.wait()?.success(), "no password could be set");
    Ok(())
}

/// Runs a command that must end well.
fn succeeds(command: &mut Command) -> Result<()> {
    let output = command.output()?;
    if !output.status.success() {
        bail!("{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(())
}

/// Whether there is any file below a folder.
fn has_files(folder: &Path) -> bool {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| entry.path())
        .any(|path| path.is_file() || has_files(&path))
}

fn lock<T>(what: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    what.lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}
