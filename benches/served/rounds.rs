//! The executable under load, round by round, each load right after the limits it is compared with. Must never compare
//! figures of different rounds, nor hide that the disk changed its pace in between.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};

use super::alone::mib;
use super::figures::{Figure, Latencies, Table, ms, say};
use super::support::http::{API, Connection, get};
use super::support::memory::resident;
use super::support::panel::{log_in, make_password};
use super::support::server::Installation;
use super::{limits, load};

/// How many talk at once.
const CLIENTS: [usize; 4] = [1, 8, 32, 128];
/// Positions of c = 1, 8, 32 and 128 among them.
const ONE: usize = 0;
const EIGHT: usize = 1;
const THIRTY_TWO: usize = 2;
const ALL: usize = 3;
/// Clients with which conversations are prepared.
const PREPARING: usize = 16;
/// More last turns than can be sent, as a share of the limit.
const ENOUGH: f64 = 1.1;
/// Logins of one round.
const LOGINS: usize = 3;
/// A run in whose course the disk changed its pace by more than this is void.
const STEADY: f64 = 1.2;

/// Figures of one number of clients.
#[derive(Default)]
struct AtClients {
    status: Figure,
    commits: Figure,
    limit: Figure,
    rate: Figure,
    p50: Figure,
    p99: Figure,
    share_of_limit: Figure,
    share_of_commits: Figure,
}

/// What one round found at one number of clients.
struct Found {
    status: f64,
    commits: f64,
    commit_p50: f64,
    rate: f64,
    p50: f64,
    p99: f64,
}

/// Figures of all rounds.
#[derive(Default)]
struct Rounds {
    at: [AtClients; CLIENTS.len()],
    p50_in_commits: Figure,
    p99_in_syncs_at_8: Figure,
    p99_in_syncs_at_32: Figure,
    batching: Figure,
    conversing: Load,
    list: Load,
    list_share: Figure,
    login: Figure,
}

/// Rate and times of one kind of load.
#[derive(Default)]
struct Load {
    rate: Figure,
    p50: Figure,
    p99: Figure,
}

/// The panel's side: where it is, and who asks.
struct Panel<'a> {
    address: SocketAddr,
    cookie: &'a str,
    password: &'a str,
}

/// Measures all rounds and prints what they came to.
pub async fn measure(
    installation: &Installation,
    folder: &Path,
    rounds: usize,
    span: Duration,
) -> Result<()> {
    let password = make_password(installation)?;
    let server = installation.start()?;
    let (cookie, _) = log_in(server.address, &password).await?;
    let panel = Panel {
        address: server.address,
        cookie: &cookie,
        password: &password,
    };
    let mut figures = Rounds::default();
    let mut canaries = vec![limits::canary(folder)?];
    for round in 0..rounds {
        let sync = canaries[round].percentile_ms(50);
        figures
            .submissions(server.address, folder, span, sync)
            .await?;
        figures.panel(&panel, span).await?;
        canaries.push(limits::canary(folder)?);
    }
    figures.print();
    let stored = panel.stored().await?;
    let memory = mib(resident(server.id())?);
    say("");
    say(&format!(
        "after {stored} reports: resident memory {memory} MiB"
    ));
    server.stop()?;
    judge(&canaries);
    Ok(())
}

impl Rounds {
    async fn submissions(
        &mut self,
        address: SocketAddr,
        folder: &Path,
        span: Duration,
        sync: f64,
    ) -> Result<()> {
        let mut found = Vec::new();
        for (clients, figures) in CLIENTS.into_iter().zip(&mut self.at) {
            let now = find(address, folder, clients, span).await?;
            figures.take(&now);
            found.push(now);
        }
        let (one, eight, many) = (&found[ONE], &found[EIGHT], &found[THIRTY_TWO]);
        self.p50_in_commits.push(one.p50 / one.commit_p50);
        self.p99_in_syncs_at_8.push(eight.p99 / sync);
        self.p99_in_syncs_at_32.push(many.p99 / sync);
        self.batching.push(many.rate / one.commits);
        let told = load::converse(address, CLIENTS[THIRTY_TWO], span).await?;
        self.conversing.take(&told);
        Ok(())
    }

    async fn panel(&mut self, panel: &Panel<'_>, span: Duration) -> Result<()> {
        let clients = CLIENTS[EIGHT];
        let status: Arc<[u8]> = status().into();
        let hello = load::repeat(panel.address, clients, &status, span).await?;
        let list: Arc<[u8]> = panel.get("/reports?limit=50").into();
        let listed = load::repeat(panel.address, clients, &list, span).await?;
        self.list.take(&listed);
        self.list_share.push(listed.rate / hello.rate);
        for _ in 0..LOGINS {
            let (_, elapsed) = log_in(panel.address, panel.password).await?;
            self.login.push(ms(elapsed));
        }
        Ok(())
    }

    fn print(&self) {
        let heads = CLIENTS.map(|clients| format!("c={clients}"));
        let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
        let mut table = Table::new("Durable submissions, min / median / max", &heads);
        let mut row = |title: &str, decimals, figure: fn(&AtClients) -> &Figure| {
            let cells = self.at.iter().map(|at| figure(at).cell(decimals));
            table.row(title, cells);
        };
        row("reports/s", 0, |at| &at.rate);
        row("p50, ms", 2, |at| &at.p50);
        row("p99, ms", 2, |at| &at.p99);
        row("H: status calls/s", 0, |at| &at.status);
        row("G: in-process commits of c, rows/s", 0, |at| &at.commits);
        row("L = 1/(1/H + 1/G)", 0, |at| &at.limit);
        row("share of L", 2, |at| &at.share_of_limit);
        row("share of G", 2, |at| &at.share_of_commits);
        table.print();
        let mut table = Table::new("Other loads", &["rate /s", "p50, ms", "p99, ms"]);
        self.conversing.print(
            &mut table,
            "turns of whole conversations, c=32 (times: a whole one)",
        );
        self.list.print(&mut table, "list of 50, c=8");
        table.row("login, c=1", [String::new(), self.login.cell(0)]);
        table.print();
        self.print_goals();
    }

    /// The goals that are ratios, each with the value that it should have.
    fn print_goals(&self) {
        let mut table = Table::new("Ratio", &["goal", "min / median / max"]);
        let mut goal = |title: &str, aim: &str, figure: &Figure| {
            table.row(title, [aim.to_owned(), figure.cell(2)]);
        };
        let share = |position: usize| &self.at[position].share_of_limit;
        goal("submissions, c=8, share of L", ">= 0.65", share(EIGHT));
        goal(
            "submissions, c=32, share of L",
            ">= 0.80",
            share(THIRTY_TWO),
        );
        goal("submissions, c=128, share of L", ">= 0.80", share(ALL));
        goal(
            "c=32 against one commit a report, in process",
            ">= 5",
            &self.batching,
        );
        goal(
            "p99 at c=8 / p50 of fdatasync",
            "<= 15",
            &self.p99_in_syncs_at_8,
        );
        goal(
            "p99 at c=32 / p50 of fdatasync",
            "<= 25",
            &self.p99_in_syncs_at_32,
        );
        goal(
            "p50 at c=1 / p50 of one commit in process",
            "<= 2",
            &self.p50_in_commits,
        );
        goal("list of 50, share of H", ">= 0.12", &self.list_share);
        table.print();
    }
}

impl AtClients {
    fn take(&mut self, found: &Found) {
        let limit = 1.0 / (1.0 / found.status + 1.0 / found.commits);
        self.status.push(found.status);
        self.commits.push(found.commits);
        self.limit.push(limit);
        self.rate.push(found.rate);
        self.p50.push(found.p50);
        self.p99.push(found.p99);
        self.share_of_limit.push(found.rate / limit);
        self.share_of_commits.push(found.rate / found.commits);
    }
}

impl Load {
    fn take(&mut self, outcome: &load::Outcome) {
        self.rate.push(outcome.rate);
        self.p50.push(outcome.latencies.percentile_ms(50));
        self.p99.push(outcome.latencies.percentile_ms(99));
    }

    fn print(&self, table: &mut Table, title: &str) {
        let cells = [self.rate.cell(0), self.p50.cell(2), self.p99.cell(2)];
        table.row(title, cells);
    }
}

/// The limits at this number of clients, and right after them the real thing.
async fn find(address: SocketAddr, folder: &Path, clients: usize, span: Duration) -> Result<Found> {
    let hello = load::repeat(address, clients, &status().into(), span).await?;
    let commits = limits::group_commit(folder, clients, span)?;
    let limit = 1.0 / (1.0 / hello.rate + 1.0 / commits.rate);
    let turns = load::prepare(address, PREPARING, enough(limit, span)).await?;
    let sent = load::submit(address, clients, turns, span).await?;
    Ok(Found {
        status: hello.rate,
        commits: commits.rate,
        commit_p50: commits.latencies.percentile_ms(50),
        rate: sent.rate,
        p50: sent.latencies.percentile_ms(50),
        p99: sent.latencies.percentile_ms(99),
    })
}

fn status() -> Vec<u8> {
    get(&format!("{API}/status"), "")
}

/// How many last turns to prepare so that they last for `span`.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a rate is positive and far below the largest count"
)]
fn enough(limit: f64, span: Duration) -> usize {
    (limit * span.as_secs_f64() * ENOUGH).ceil() as usize
}

impl Panel<'_> {
    fn get(&self, path: &str) -> Vec<u8> {
        get(
            &format!("{API}{path}"),
            &format!("cookie: {}\r\n", self.cookie),
        )
    }

    async fn stored(&self) -> Result<u64> {
        let mut connection = Connection::open(self.address).await?;
        let list = connection
            .call(&self.get("/reports?limit=1"))
            .await?
            .json()?;
        list["counters"]["total"].as_u64().context("no counters")
    }
}

/// Says whether the disk kept its pace, so that the figures mean something.
fn judge(canaries: &[Latencies]) {
    let mut medians = Figure::default();
    medians.extend(canaries.iter().map(|canary| canary.percentile_ms(50)));
    let moved = medians.max() / medians.min();
    say(&format!(
        "canary, p50 of a 4 KiB overwrite and fdatasync, before, between and after the rounds: {} ms",
        medians.cell(3)
    ));
    if moved > STEADY {
        say(&format!(
            "VOID: the disk's pace moved by a factor of {moved:.2}; something else was at work. Run it again on a quiet machine."
        ));
    } else {
        say(&format!(
            "valid: the disk's pace moved by a factor of {moved:.2}"
        ));
    }
}
