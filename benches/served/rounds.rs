//! The executable under load, round by round, each load right after the limits it is compared with. Must never compare
//! figures of different rounds, nor hide that the disk changed its pace in between.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde_json::json;

use super::figures::{Figure, Table, number};
use super::gate::{Goal, Row, STEADY};
use super::limits::Committed;
use super::load::{self, Asked, Outcome, ask};
use super::support::http::{API, Connection, get};
use super::support::memory::ticks;
use super::support::panel::{expect_a_flood, log_in, make_password};
use super::support::person;
use super::support::server::{Installation, Server};
use super::{limits, peers};

/// How many talk at once.
const CLIENTS: [usize; 4] = [1, 8, 32, 128];
/// Positions of c = 8 and 32 among them.
const EIGHT: usize = 1;
const THIRTY_TWO: usize = 2;
/// Clients with which conversations are prepared.
const PREPARING: usize = 16;
/// More last turns than can be sent, as a share of the limit.
const ENOUGH: f64 = 1.1;
/// The same, as a share of what was sent before.
const MORE: f64 = 1.5;
/// Reports that are moved, and so learnt from.
const MOVES: usize = 100;
/// What is found at each number of clients, with its decimals. The first eight are shown side by side, the others row by row.
const FOUND: [(&str, usize); 12] = [
    ("reports/s", 0),
    ("p50, ms", 2),
    ("p99, ms", 2),
    ("H: bare hello/s", 0),
    ("G: in-process commits of c, rows/s", 0),
    ("L = 1/(1/H + 1/G)", 0),
    ("PocketBase/s", 0),
    ("client's part of the processor time", 2),
    ("share of L", 3),
    ("against PocketBase", 3),
    ("p50 against p50 of one commit", 3),
    ("p99 against p50 of fdatasync", 3),
];
/// How many of them are shown side by side; the first of all is the rate.
const SHOWN: usize = 8;
/// The position of the rate among them.
const RATE: usize = 0;
/// Which of the others are told: at what number of clients, what, and the goal.
const TOLD: [(usize, usize, Option<Goal>); 11] = [
    (0, 8, None),
    (1, 8, Some(Goal::AtLeast(0.65))),
    (2, 8, Some(Goal::AtLeast(0.8))),
    (3, 8, Some(Goal::AtLeast(0.8))),
    (0, 9, None),
    (1, 9, None),
    (2, 9, Some(Goal::AtLeast(3.0))),
    (3, 9, Some(Goal::AtLeast(3.0))),
    (0, 10, Some(Goal::AtMost(2.0))),
    (1, 11, Some(Goal::AtMost(15.0))),
    (2, 11, Some(Goal::AtMost(30.0))),
];
/// Loads that store nothing, in the order in which they are asked for.
const LOADS: [&str; 6] = [
    "bare hello, c=8",
    "chat turn, c=8",
    "newest 50 of 10,000, c=8",
    "PocketBase: newest 50, c=8",
    "public page, Brotli, c=8",
    "PocketBase: static page, c=8",
];

/// The servers of a run.
pub struct Servers {
    hello: Server,
    /// The executable, in a folder that was empty.
    product: Server,
    cookie: String,
    /// The executable on an archive of 10,000 reports, of which a hundred were moved.
    archive: Server,
    archive_cookie: String,
    pocketbase: Option<Server>,
}

/// Figures of all rounds.
#[derive(Default)]
pub struct Rounds {
    at: [[Figure; FOUND.len()]; CLIENTS.len()],
    learnt: Figure,
    /// Rate, p50 and p99 of each load.
    loads: [[Figure; 3]; LOADS.len()],
    /// Shares of H of the chat turn and of the list; the list and the page against `PocketBase`.
    shares: [Figure; 4],
    /// Bytes of the public page as it is sent.
    page: Figure,
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
        expect_a_flood(product.address, &cookie).await?;
        let (archive_cookie, _) = log_in(archive.address, &archive_password).await?;
        expect_a_flood(archive.address, &archive_cookie).await?;
        let pocketbase = match pocketbase {
            Some(other) => Some(other.serve().await?),
            None => None,
        };
        let servers = Self {
            hello: peers::hello()?,
            product,
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
            all.canary(folder)?;
        }
        let stored = servers.stored().await?;
        let told = all.acknowledged;
        ensure!(
            stored == told,
            "{told} were acknowledged, {stored} are stored"
        );
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
        let before = self.at[place][RATE].max() * MORE;
        let expected = if before.is_nan() {
            let (hello, commits) = limits(span / 4)?;
            limit(hello.rate, commits.rate) * ENOUGH
        } else {
            before
        };
        let turns = prepare(product, expected, span).await?;
        let sync = self.canary(folder)?;
        let (hello, commits) = limits(span)?;
        let begun = [ticks(std::process::id())?, ticks(product.id())?];
        let sent = ask(product.address, clients, &turns, span)?;
        let ours = number(ticks(std::process::id())? - begun[0]);
        let theirs = number(ticks(product.id())? - begun[1]);
        self.acknowledged += sent.count;
        let other = match &servers.pocketbase {
            Some(other) => ask(other.address, clients, &peers::creation()?, span)?.rate,
            None => f64::NAN,
        };
        let limit = limit(hello.rate, commits.rate);
        let [p50, p99] = [50, 99].map(|share| sent.latencies.percentile_ms(share));
        let found = [
            sent.rate,
            p50,
            p99,
            hello.rate,
            commits.rate,
            limit,
            other,
            ours / (ours + theirs),
            sent.rate / limit,
            sent.rate / other,
            p50 / commits.latencies.percentile_ms(50),
            p99 / sync,
        ];
        for (figure, value) in self.at[place].iter_mut().zip(found) {
            figure.push(value);
        }
        Ok(())
    }

    /// Reports before and after the program learnt from moves: two servers in turn, there and back.
    async fn learnt(&mut self, servers: &Servers, span: Duration) -> Result<()> {
        let (clients, span) = (CLIENTS[THIRTY_TWO], span / 2);
        let expected = self.at[THIRTY_TWO][RATE].max() * MORE;
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
        self.page.push(number(u64::try_from(coded.body.len())?));
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
            let Some(server) = server else { continue };
            let found = ask(server.address, CLIENTS[EIGHT], asked, span)?;
            let [p50, p99] = [50, 99].map(|share| found.latencies.percentile_ms(share));
            rates[place] = found.rate;
            for (figure, value) in self.loads[place].iter_mut().zip([found.rate, p50, p99]) {
                figure.push(value);
            }
        }
        let [hello, turn, list, other_list, page, other_page] = rates;
        let shares = [
            turn / hello,
            list / hello,
            list / other_list,
            page / other_page,
        ];
        for (figure, value) in self.shares.iter_mut().zip(shares) {
            figure.push(value);
        }
        Ok(())
    }

    /// What reports came to, beside their limits.
    pub fn table(&self) -> Table {
        let heads = CLIENTS.map(|clients| format!("c={clients}"));
        let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
        let mut table = Table::new("Durable reports", &heads);
        for (place, (title, decimals)) in FOUND.into_iter().enumerate().take(SHOWN) {
            table.row(title, self.at.iter().map(|at| at[place].cell(decimals)));
        }
        table
    }

    /// What stores nothing.
    pub fn loads(&self) -> Table {
        let mut table = Table::new("Other loads", &["rate /s", "p50, ms", "p99, ms"]);
        for (title, [rate, p50, p99]) in LOADS.into_iter().zip(&self.loads) {
            table.row(title, [rate.cell(0), p50.cell(2), p99.cell(2)]);
        }
        table
    }

    /// What has a goal.
    pub fn rows(&self) -> Vec<Row> {
        let told = TOLD.into_iter().map(|(clients, place, goal)| {
            let title = format!("reports, c={}: {}", CLIENTS[clients], FOUND[place].0);
            let figure = &self.at[clients][place];
            match goal {
                Some(goal) => Row::ratio(&title, figure, goal),
                None => Row::new(&title, figure, FOUND[place].1),
            }
        });
        let [turn, list, list_against, page] = &self.shares;
        let least = |title, figure, least| Row::ratio(title, figure, Goal::AtLeast(least));
        let page_title = "public page, Brotli, c=8: against PocketBase's static page";
        let others = [
            least(
                "reports, c=32: after 100 moves against before",
                &self.learnt,
                0.95,
            ),
            least("chat turn, c=8: share of H", turn, 0.4),
            least("newest 50 of 10,000, c=8: share of H", list, 0.06),
            Row::new("newest 50, c=8: against PocketBase", list_against, 3),
            least(page_title, page, 1.2),
            Row::new("public page, Brotli: bytes", &self.page, 0),
        ];
        told.chain(others).collect()
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

/// What a server could do that pays for an answer and a commit, and for nothing else.
fn limit(hello: f64, commits: f64) -> f64 {
    1.0 / (1.0 / hello + 1.0 / commits)
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
