//! The executable under load, round by round, each load right after the limits it is compared with. Must never compare
//! figures of different rounds, nor hide that the disk changed its pace in between.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde_json::json;

use super::alone::mib;
use super::figures::{Figure, Table, ms, number, say};
use super::gate::{Goal, Row, STEADY};
use super::limits::Committed;
use super::load::{self, Asked, Outcome, ask};
use super::support::http::{API, Connection, get};
use super::support::memory::{resident, ticks};
use super::support::panel::{log_in, make_password};
use super::support::person;
use super::support::server::{Installation, Server};
use super::{limits, peers};

/// How many talk at once.
const CLIENTS: [usize; 4] = [1, 8, 32, 128];
/// Positions of c = 8, 32 and 128 among them.
const EIGHT: usize = 1;
const THIRTY_TWO: usize = 2;
const ALL: usize = 3;
/// Clients with which conversations are prepared.
const PREPARING: usize = 16;
/// More last turns than can be sent, as a share of the limit.
const ENOUGH: f64 = 1.1;
/// The same, as a share of what was sent before.
const MORE: f64 = 1.5;
/// Reports that are moved, and so learnt from.
const MOVES: usize = 100;
/// Logins of one round.
const LOGINS: usize = 3;

/// Loads that store nothing, but for the last.
const LOADS: [&str; 7] = [
    "bare hello, c=8",
    "chat turn, c=8",
    "newest 50 of 10,000, c=8",
    "PocketBase: newest 50, c=8",
    "public page, Brotli, c=8",
    "PocketBase: static page, c=8",
    "turns of whole conversations, c=32 (times: a whole one)",
];

/// The servers of a run.
pub struct Servers {
    hello: Server,
    /// The executable, in a folder that was empty.
    product: Server,
    password: String,
    cookie: String,
    /// The executable on an archive of 10,000 reports, of which a hundred were moved.
    archive: Server,
    archive_cookie: String,
    pocketbase: Option<Server>,
}

/// Figures of one number of clients.
#[derive(Default)]
struct AtClients {
    hello: Figure,
    commits: Figure,
    limit: Figure,
    rate: Figure,
    p50: Figure,
    p99: Figure,
    share: Figure,
    /// In the pace of the disk.
    p99_in_syncs: Figure,
    /// In commits of one report.
    p50_in_commits: Figure,
    client: Figure,
    pocketbase: Figure,
    against: Figure,
}

/// Rate and times of one kind of load.
#[derive(Default)]
struct Load {
    rate: Figure,
    p50: Figure,
    p99: Figure,
}

/// Figures of all rounds.
#[derive(Default)]
pub struct Rounds {
    at: [AtClients; CLIENTS.len()],
    learnt: Figure,
    turn: Figure,
    list: Figure,
    list_against: Figure,
    page: Figure,
    loads: [Load; LOADS.len()],
    login: Figure,
    canaries: Figure,
    /// Reports that the product acknowledged.
    acknowledged: usize,
}

impl Servers {
    /// Starts all of them.
    pub async fn start(
        product: &Installation,
        archive: &Installation,
        pocketbase: Option<&peers::PocketBase>,
    ) -> Result<Self> {
        let (password, archive_password) = (make_password(product)?, make_password(archive)?);
        let (product, archive) = (product.start()?, archive.start()?);
        let (cookie, _) = log_in(product.address, &password).await?;
        let (archive_cookie, _) = log_in(archive.address, &archive_password).await?;
        let pocketbase = match pocketbase {
            Some(other) => Some(other.serve().await?),
            None => None,
        };
        let servers = Self {
            hello: peers::hello()?,
            product,
            password,
            cookie,
            archive,
            archive_cookie,
            pocketbase,
        };
        servers.teach().await?;
        Ok(servers)
    }

    /// Moves reports of the archive, and sees that they were learnt from.
    async fn teach(&self) -> Result<()> {
        let mut connection = Connection::open(self.archive.address).await?;
        let cookie = format!("cookie: {}\r\n", self.archive_cookie);
        let path = format!("{API}/reports?limit={MOVES}");
        let list = connection.call(&get(&path, &cookie)).await?.json()?;
        for report in list["data"].as_array().context("no reports")? {
            let id = report["id"].as_str().context("no id")?;
            let department = match report["department"].as_str() {
                Some("lavoro") => "sanita",
                _ => "lavoro",
            };
            let body = json!({ "department": department }).to_string();
            let request = format!(
                "PATCH {API}/reports/{id} HTTP/1.1\r\nhost: localhost\r\nsec-fetch-site: same-origin\r\n{cookie}\
                 if-match: \"1\"\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
                body.len()
            );
            connection.call(request.as_bytes()).await?.json()?;
        }
        let path = format!("{API}/routing/memory");
        let memory = connection.call(&get(&path, &cookie)).await?.json()?;
        ensure!(memory["moves"] == MOVES, "{memory}");
        Ok(())
    }

    /// What a server of the executable has stored.
    async fn stored(&self) -> Result<usize> {
        let mut connection = Connection::open(self.product.address).await?;
        let cookie = format!("cookie: {}\r\n", self.cookie);
        let request = get(&format!("{API}/reports?limit=1"), &cookie);
        let list = connection.call(&request).await?.json()?;
        let total = list["counters"]["total"].as_u64().context("no counters")?;
        Ok(usize::try_from(total)?)
    }
}

impl Rounds {
    /// Measures all rounds.
    pub async fn measure(
        servers: &Servers,
        folder: &Path,
        rounds: usize,
        span: Duration,
    ) -> Result<Self> {
        let mut all = Self::default();
        all.canary(folder)?;
        for _ in 0..rounds {
            for place in 0..CLIENTS.len() {
                all.submissions(place, servers, folder, span).await?;
            }
            all.learnt(servers, span).await?;
            all.reads(servers, span).await?;
            let address = servers.product.address;
            let told = load::converse(address, CLIENTS[THIRTY_TWO], span).await?;
            all.acknowledged += told.count;
            all.loads[6].take(&told);
            for _ in 0..LOGINS {
                let (_, elapsed) = log_in(address, &servers.password).await?;
                all.login.push(ms(elapsed));
            }
            all.canary(folder)?;
        }
        let stored = servers.stored().await?;
        let told = all.acknowledged;
        ensure!(
            stored == told,
            "{told} were acknowledged, {stored} are stored"
        );
        let memory = mib(resident(servers.product.id())?);
        say(&format!(
            "\nafter {stored} reports: resident memory {memory} MiB"
        ));
        Ok(all)
    }

    /// The disk's pace just now, in milliseconds.
    fn canary(&mut self, folder: &Path) -> Result<f64> {
        let pace = limits::canary(folder)?.percentile_ms(50);
        self.canaries.push(pace);
        Ok(pace)
    }

    /// The limits at a number of clients, and right after them the real thing.
    async fn submissions(
        &mut self,
        place: usize,
        servers: &Servers,
        folder: &Path,
        span: Duration,
    ) -> Result<()> {
        let (clients, product) = (CLIENTS[place], &servers.product);
        let limits = |span| -> Result<(Outcome, Committed)> {
            let hello = ask(servers.hello.address, clients, &peers::greeting(), span)?;
            Ok((hello, limits::group_commit(folder, clients, span)?))
        };
        let before = self.at[place].rate.max() * MORE;
        let expected = if before.is_nan() {
            {
                let (hello, commits) = limits(span / 4)?;
                limit(hello.rate, commits.rate) * ENOUGH
            }
        } else {
            before
        };
        let turns = prepare(product, expected, span).await?;
        let sync = self.canary(folder)?;
        let (hello, commits) = limits(span)?;
        let begun = used(product)?;
        let sent = ask(product.address, clients, &turns, span)?;
        let ended = used(product)?;
        self.acknowledged += sent.count;
        let at = &mut self.at[place];
        at.take(&hello, &commits, &sent);
        at.p99_in_syncs
            .push(sent.latencies.percentile_ms(99) / sync);
        let [client, server] = [ended.0 - begun.0, ended.1 - begun.1];
        at.client.push(number(client) / number(client + server));
        if let Some(other) = &servers.pocketbase {
            let other = ask(other.address, clients, &peers::creation()?, span)?;
            at.pocketbase.push(other.rate);
            at.against.push(sent.rate / other.rate);
        }
        Ok(())
    }

    /// Reports before and after the program learnt from moves: two servers in turn, there and back.
    async fn learnt(&mut self, servers: &Servers, span: Duration) -> Result<()> {
        let (clients, span) = (CLIENTS[THIRTY_TWO], span / 2);
        let expected = self.at[THIRTY_TWO].rate.max() * MORE;
        let mut rates = [0.0; 2];
        for place in [0, 1, 1, 0] {
            let server = [&servers.product, &servers.archive][place];
            let turns = prepare(server, expected, span).await?;
            let sent = ask(server.address, clients, &turns, span)?;
            rates[place] += sent.rate;
            self.acknowledged += if place == 0 { sent.count } else { 0 };
        }
        self.learnt.push(rates[1] / rates[0]);
        Ok(())
    }

    /// What stores nothing.
    async fn reads(&mut self, servers: &Servers, span: Duration) -> Result<()> {
        let cookie = format!("cookie: {}\r\n", servers.archive_cookie);
        let list = vec![get(&format!("{API}/reports?limit=50"), &cookie)];
        let mut connection = Connection::open(servers.product.address).await?;
        let mut turns = person::requests(&mut connection, 0, person::SHORT).await?;
        turns.pop();
        turns.remove(0);
        let page = vec![get("/paibeta/", "accept-encoding: br\r\n")];
        let coded = connection.call(&page[0]).await?;
        ensure!(
            coded.field("content-encoding") == Some("br"),
            "{}",
            coded.head
        );
        let other = servers.pocketbase.as_ref();
        let asked = [
            (Some(&servers.hello), peers::greeting()),
            (
                Some(&servers.product),
                Asked::again(turns, br#""conversation":""#),
            ),
            (Some(&servers.archive), Asked::again(list, br#""id":""#)),
            (other, peers::newest()),
            (Some(&servers.product), Asked::again(page, b"")),
            (other, Asked::again(vec![get("/", "")], b"<html")),
        ];
        let mut rates = [f64::NAN; LOADS.len()];
        for (place, (server, asked)) in asked.iter().enumerate() {
            if let Some(server) = server {
                let found = ask(server.address, CLIENTS[EIGHT], asked, span)?;
                rates[place] = found.rate;
                self.loads[place].take(&found);
            }
        }
        let [hello, turn, list, other_list, page, other_page, _] = rates;
        self.turn.push(turn / hello);
        self.list.push(list / hello);
        self.list_against.push(list / other_list);
        self.page.push(page / other_page);
        Ok(())
    }

    /// What reports came to, beside their limits.
    pub fn table(&self) -> Table {
        let heads = CLIENTS.map(|clients| format!("c={clients}"));
        let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
        let mut table = Table::new("Durable reports, min / median / max", &heads);
        let mut row = |title: &str, decimals, figure: fn(&AtClients) -> &Figure| {
            table.row(title, self.at.iter().map(|at| figure(at).cell(decimals)));
        };
        row("reports/s", 0, |at| &at.rate);
        row("p50, ms", 2, |at| &at.p50);
        row("p99, ms", 2, |at| &at.p99);
        row("H: bare hello/s", 0, |at| &at.hello);
        row("G: in-process commits of c, rows/s", 0, |at| &at.commits);
        row("L = 1/(1/H + 1/G)", 0, |at| &at.limit);
        row("PocketBase/s", 0, |at| &at.pocketbase);
        row("client's part of the processor time", 2, |at| &at.client);
        table
    }

    /// Prints what has no goal of its own.
    pub fn print(&self) {
        let mut table = Table::new("Other loads", &["rate /s", "p50, ms", "p99, ms"]);
        for (title, load) in LOADS.into_iter().zip(&self.loads) {
            let cells = [load.rate.cell(0), load.p50.cell(2), load.p99.cell(2)];
            table.row(title, cells);
        }
        table.row("login, c=1", [String::new(), self.login.cell(0)]);
        table.print();
    }

    /// What has a goal.
    pub fn rows(&self) -> Vec<Row> {
        let mut rows = vec![Row::new("reports, c=1: share of L", &self.at[0].share, 3)];
        for (place, least) in [(EIGHT, 0.65), (THIRTY_TWO, 0.8), (ALL, 0.8)] {
            let title = format!("reports, c={}: share of L", CLIENTS[place]);
            let share = &self.at[place].share;
            rows.push(Row::ratio(&title, share, Goal::AtLeast(least)));
        }
        for (place, at) in self.at.iter().enumerate() {
            let title = format!("reports, c={}: against PocketBase", CLIENTS[place]);
            rows.push(if place < THIRTY_TWO {
                Row::new(&title, &at.against, 3)
            } else {
                Row::ratio(&title, &at.against, Goal::AtLeast(3.0))
            });
        }
        let mut ratio = |title, figure, goal| rows.push(Row::ratio(title, figure, goal));
        ratio(
            "reports, c=1: p50 against p50 of one commit",
            &self.at[0].p50_in_commits,
            Goal::AtMost(2.0),
        );
        ratio(
            "reports, c=8: p99 against p50 of fdatasync",
            &self.at[EIGHT].p99_in_syncs,
            Goal::AtMost(15.0),
        );
        ratio(
            "reports, c=32: p99 against p50 of fdatasync",
            &self.at[THIRTY_TWO].p99_in_syncs,
            Goal::AtMost(30.0),
        );
        ratio(
            "reports, c=32: after 100 moves against before",
            &self.learnt,
            Goal::AtLeast(0.95),
        );
        ratio("chat turn, c=8: share of H", &self.turn, Goal::AtLeast(0.4));
        ratio(
            "newest 50 of 10,000, c=8: share of H",
            &self.list,
            Goal::AtLeast(0.06),
        );
        ratio(
            "public page, Brotli, c=8: against PocketBase's static page",
            &self.page,
            Goal::AtLeast(1.2),
        );
        rows.push(Row::new(
            "newest 50, c=8: against PocketBase",
            &self.list_against,
            2,
        ));
        rows
    }

    /// Says whether the disk kept its pace, so that the figures mean something.
    pub fn steadiness(&self) -> (bool, String) {
        let moved = self.canaries.max() / self.canaries.min();
        let told = format!(
            "canary, p50 of a 4 KiB overwrite and fdatasync: {} ms, moved by a factor of {moved:.2}",
            self.canaries.cell(3)
        );
        (moved <= STEADY, told)
    }
}

impl AtClients {
    fn take(&mut self, hello: &Outcome, commits: &Committed, sent: &Outcome) {
        let limit = limit(hello.rate, commits.rate);
        let p50 = sent.latencies.percentile_ms(50);
        self.hello.push(hello.rate);
        self.commits.push(commits.rate);
        self.limit.push(limit);
        self.rate.push(sent.rate);
        self.p50.push(p50);
        self.p99.push(sent.latencies.percentile_ms(99));
        self.share.push(sent.rate / limit);
        self.p50_in_commits
            .push(p50 / commits.latencies.percentile_ms(50));
    }
}

impl Load {
    fn take(&mut self, outcome: &Outcome) {
        self.rate.push(outcome.rate);
        self.p50.push(outcome.latencies.percentile_ms(50));
        self.p99.push(outcome.latencies.percentile_ms(99));
    }
}

/// What a server could do that pays for an answer and a commit, and for nothing else.
fn limit(hello: f64, commits: f64) -> f64 {
    1.0 / (1.0 / hello + 1.0 / commits)
}

/// Processor time of this bench and of a server, in ticks.
fn used(server: &Server) -> Result<(u64, u64)> {
    Ok((ticks(std::process::id())?, ticks(server.id())?))
}

/// Last turns for `span` at this rate.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a rate is positive and far below the largest count"
)]
async fn prepare(server: &Server, rate: f64, span: Duration) -> Result<Asked> {
    let many = (rate * span.as_secs_f64()).ceil() as usize;
    let turns = load::prepare(server.address, PREPARING, many).await?;
    Ok(Asked::submissions(turns))
}
