//! The executable under load, round by round, each load right after the limits it is compared with. Must never compare figures
//! of different rounds.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde_json::json;

use super::alone::Subjects;
use super::pocketbase::{self, PocketBase};
use super::support::client::{API, Connection, Session, get, make_password};
use super::support::figures::{Figure, Row, Table, number};
use super::support::hello;
use super::support::load::{Load, prepare, run};
use super::support::machine::{STEADY, canary};
use super::support::person::talk;
use super::support::server::{Installation, Server};

/// Clients at once.
const CLIENTS: [usize; 4] = [1, 8, 32, 128];
/// Position of 32 among them.
const THIRTY_TWO: usize = 2;
/// Clients of what stores nothing.
const EIGHT: usize = 8;
/// Reports a second that the first round is prepared for. A load ends when its last turns are used up.
const AT_FIRST: f64 = 15_000.0;
/// Prepared last turns, as a share of those that are expected.
const ENOUGH: f64 = 1.5;
/// More reports a day than any run sends, so that no proof of work is asked for.
const A_FLOOD: usize = 1_000_000;
/// Reports that are moved to another department, and so learnt from.
const MOVES: usize = 100;
/// What is found with each number of clients, with its decimals: the first seven side by side, the others row by row.
const FOUND: [(&str, usize); 10] = [
    ("reports/s", 0),
    ("p50, ms", 2),
    ("p99, ms", 2),
    ("H: bare hello/s", 0),
    ("S: c reports to a sync, reports/s", 0),
    ("L = 1/(1/H + 1/S)", 0),
    ("PocketBase/s", 0),
    ("share of L", 3),
    ("against PocketBase", 3),
    ("p99 against p50 of fdatasync", 3),
];
const SIDE_BY_SIDE: usize = 7;
const RATE: usize = 0;
/// Ratios of a round: their titles.
const RATIOS: [&str; 7] = [
    "reports, c=32: after 100 moves against before",
    "beside the build before: reports, c=32",
    "beside the build before: chat turn, c=8",
    "chat turn, c=8: share of H",
    "newest 50 of 10,000, c=8: share of H",
    "newest 50, c=8: against PocketBase",
    "public page, Brotli, c=8: against PocketBase's static page",
];

pub struct Servers {
    hello: Server,
    /// The executable, in a folder that was empty.
    product: Server,
    product_session: Session,
    /// The executable on an archive of 10,000 reports, of which a hundred were moved.
    archive: Server,
    archive_session: Session,
    /// The executable, and the build before, which get the loads of the pairs and no others: each report stored costs the next.
    fresh: Server,
    before: Option<Server>,
    pocketbase: Option<Server>,
}

/// Figures of all rounds.
#[derive(Default)]
pub struct Rounds {
    at: [[Figure; FOUND.len()]; CLIENTS.len()],
    ratios: [Figure; RATIOS.len()],
    /// Bytes of the public page as it is sent.
    page: Figure,
    canaries: Figure,
    acknowledged: usize,
}

fn serve(installation: &Installation) -> Result<(Server, Session)> {
    let password = make_password(installation)?;
    let server = installation.start()?;
    let mut session = Session::log_in(server.address, &password)?;
    session.expect_a_day(A_FLOOD)?;
    Ok((server, session))
}

impl Servers {
    pub fn start(product: &Installation, beside: &Subjects<'_>) -> Result<Self> {
        let (product, product_session) = serve(product)?;
        let (archive, archive_session) = serve(beside.archive)?;
        let (fresh, _) = serve(beside.fresh)?;
        let before = beside.before.map(serve).transpose()?;
        let mut servers = Self {
            hello: hello::start()?,
            product,
            product_session,
            archive,
            archive_session,
            fresh,
            before: before.map(|(server, _)| server),
            pocketbase: beside.pocketbase.map(PocketBase::serve).transpose()?,
        };
        servers.teach()?;
        Ok(servers)
    }

    /// Moves reports of the archive, and checks that they were learnt from.
    fn teach(&mut self) -> Result<()> {
        let session = &mut self.archive_session;
        let list = session.get(&format!("/reports?limit={MOVES}"))?.json()?;
        for report in list["data"].as_array().context("no reports")? {
            let id = report["id"].as_str().context("no id")?;
            let department = match report["department"].as_str() {
                Some("lavoro") => "sanita",
                _ => "lavoro",
            };
            let change = json!({ "department": department });
            session.send("PATCH", &format!("/reports/{id}"), &change)?;
        }
        let memory = session.get("/routing/memory")?.json()?;
        ensure!(memory["moves"] == MOVES, "{memory}");
        Ok(())
    }
}

impl Rounds {
    pub fn measure(
        servers: &mut Servers,
        folder: &Path,
        rounds: usize,
        span: Duration,
    ) -> Result<Self> {
        let mut all = Self::default();
        all.canary(folder)?;
        for _ in 0..rounds {
            for place in 0..CLIENTS.len() {
                all.submissions(place, servers, folder, span)?;
            }
            all.pairs(servers, span)?;
            all.reads(servers, span)?;
            all.canary(folder)?;
        }
        let list = servers.product_session.get("/reports?limit=1")?.json()?;
        let (stored, told) = (&list["counters"]["total"], all.acknowledged);
        ensure!(
            *stored == told,
            "{told} were acknowledged, {stored} are stored"
        );
        Ok(all)
    }

    /// The disk's pace just now, in milliseconds.
    fn canary(&mut self, folder: &Path) -> Result<f64> {
        let pace = canary(folder)?.percentile_ms(50);
        self.canaries.push(pace);
        Ok(pace)
    }

    /// The limits with a number of clients, and right after them the executable.
    fn submissions(
        &mut self,
        place: usize,
        servers: &Servers,
        folder: &Path,
        span: Duration,
    ) -> Result<()> {
        let (clients, product) = (CLIENTS[place], &servers.product);
        let before = self.at[place][RATE].max();
        let expected = if before.is_nan() { AT_FIRST } else { before };
        let turns = prepared(product, expected * ENOUGH, span)?;
        let sync = self.canary(folder)?;
        let hello = hello::measure(servers.hello.address, clients, span)?.rate;
        let sent = run(product.address, clients, &turns, span)?;
        self.acknowledged += sent.count;
        let other = match &servers.pocketbase {
            Some(other) => run(other.address, clients, &pocketbase::creation(), span)?.rate,
            None => f64::NAN,
        };
        let syncs = 1e3 / sync * f64::from(u32::try_from(clients)?);
        let limit = 1.0 / (1.0 / hello + 1.0 / syncs);
        let [p50, p99] = [50, 99].map(|share| sent.latencies.percentile_ms(share));
        let found = [
            sent.rate,
            p50,
            p99,
            hello,
            syncs,
            limit,
            other,
            sent.rate / limit,
            sent.rate / other,
            p99 / sync,
        ];
        push_each(&mut self.at[place], found);
        Ok(())
    }

    /// Reports beside a server that learnt from moves, and beside the build before, in turn, there and back.
    fn pairs(&mut self, servers: &Servers, span: Duration) -> Result<()> {
        let expected = self.at[THIRTY_TWO][RATE].max() * ENOUGH;
        let of = [
            Some(&servers.fresh),
            Some(&servers.archive),
            servers.before.as_ref(),
        ];
        let mut rates = of.map(|server| server.map_or(f64::NAN, |_| 0.0));
        for place in [0, 1, 2, 2, 1, 0] {
            let Some(server) = of[place] else { continue };
            let turns = prepared(server, expected, span / 2)?;
            let sent = run(server.address, CLIENTS[THIRTY_TWO], &turns, span / 2)?;
            rates[place] += sent.rate;
        }
        let [fresh, archive, before] = rates;
        push_each(&mut self.ratios[..2], [archive / fresh, fresh / before]);
        Ok(())
    }

    /// Loads that store nothing.
    fn reads(&mut self, servers: &Servers, span: Duration) -> Result<()> {
        let list = get(
            &format!("{API}/reports?limit=50"),
            &servers.archive_session.cookie,
        );
        let page = get("/paibeta/", "accept-encoding: br\r\n");
        let coded = Connection::open(servers.product.address)?.call(&page)?;
        ensure!(
            coded.field("content-encoding") == Some("br"),
            "{}",
            coded.head
        );
        self.page.push(number(u64::try_from(coded.body.len())?));
        let (product, other) = (Some(&servers.product), servers.pocketbase.as_ref());
        let (fresh, before) = (Some(&servers.fresh), servers.before.as_ref());
        let id = br#""id":""#;
        let loads = [
            (fresh, chat_turns(fresh)?),
            (before, chat_turns(before)?),
            (Some(&servers.archive), Load::repeated(vec![list], id)),
            (other, pocketbase::newest()),
            (product, Load::repeated(vec![page], b"")),
            (other, Load::repeated(vec![get("/", "")], b"<html")),
        ];
        let hello = hello::measure(servers.hello.address, EIGHT, span)?.rate;
        let mut rates = [f64::NAN; 6];
        for (rate, (server, load)) in rates.iter_mut().zip(&loads) {
            if let Some(server) = server {
                *rate = run(server.address, EIGHT, load, span)?.rate;
            }
        }
        let [turn, turn_before, list, other_list, page, other_page] = rates;
        let ratios = [
            turn / turn_before,
            turn / hello,
            list / hello,
            list / other_list,
            page / other_page,
        ];
        push_each(&mut self.ratios[2..], ratios);
        Ok(())
    }

    pub fn print(&self) {
        let heads = CLIENTS.map(|clients| format!("c={clients}"));
        let mut table = Table::new("Durable reports", heads);
        for (place, (title, decimals)) in FOUND.into_iter().enumerate().take(SIDE_BY_SIDE) {
            table.row(title, self.at.iter().map(|at| at[place].cell(decimals)));
        }
        table.print();
    }

    /// What has a goal, or is worth a line of its own.
    pub fn rows(&self) -> Vec<Row> {
        let at = |clients: usize, place: usize| {
            let title = format!("reports, c={}: {}", CLIENTS[clients], FOUND[place].0);
            Row::new(&title, &self.at[clients][place], 3)
        };
        let ratio = |place: usize| Row::new(RATIOS[place], &self.ratios[place], 3);
        vec![
            at(0, 7),
            at(1, 7),
            at(2, 7),
            at(3, 7),
            at(0, 8),
            at(1, 8),
            at(2, 8).least(3.0),
            at(3, 8).least(3.0),
            at(1, 9).most(15.0),
            at(2, 9).most(30.0),
            ratio(0).least(0.95),
            ratio(1).least(0.95),
            ratio(2).least(0.95),
            ratio(3).least(0.4),
            ratio(4).least(0.06),
            ratio(5),
            ratio(6).least(1.2),
            Row::new("public page, Brotli: bytes", &self.page, 0),
        ]
    }

    /// Whether the disk kept its pace, and a line that says so.
    pub fn steadiness(&self) -> (bool, String) {
        let moved = self.canaries.spread();
        let pace = self.canaries.cell(3);
        let line = format!(
            "canary, p50 of a 4 KiB overwrite and fdatasync: {pace} ms, moved by a factor of {moved:.2}"
        );
        (moved <= STEADY, line)
    }
}

fn push_each(figures: &mut [Figure], values: impl IntoIterator<Item = f64>) {
    for (figure, value) in figures.iter_mut().zip(values) {
        figure.push(value);
    }
}

/// The turns of a conversation between its start and its last turn.
fn chat_turns(server: Option<&Server>) -> Result<Load> {
    let mut turns = Vec::new();
    if let Some(server) = server {
        turns = talk(&mut Connection::open(server.address)?, 0)?;
        turns.pop();
        turns.remove(0);
    }
    Ok(Load::repeated(turns, br#""conversation":""#))
}

/// Last turns for `span` at this rate.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a rate is positive and far below the largest count"
)]
fn prepared(server: &Server, rate: f64, span: Duration) -> Result<Load> {
    let many = (rate * span.as_secs_f64()).ceil() as usize;
    Ok(Load::last_turns(prepare(server.address, many)?))
}
