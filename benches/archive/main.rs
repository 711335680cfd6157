//! `make bench-archive`: what the panel costs as the archive grows: the start and the search index, pages of the list under each
//! filter, searches, the CSV file, the memory of it all, and a change of all reports while others arrive. The method is told in `docs/BENCH.md`.
//! Must never be a gate: it fails only when an answer was wrong or a command failed.

mod beside;
#[path = "../served/figures.rs"]
mod figures;
#[path = "../backup/archive.rs"]
mod filled;
#[expect(dead_code, reason = "the other bench uses the rest of it")]
#[path = "../served/gate.rs"]
mod gate;
mod growth;
#[expect(dead_code, reason = "the other bench uses the rest of it")]
#[path = "../served/limits.rs"]
mod limits;
#[expect(dead_code, reason = "the other bench uses the rest of it")]
#[path = "../served/load.rs"]
mod load;
#[expect(dead_code, reason = "the other bench uses the rest of it")]
#[path = "../backup/pace.rs"]
mod pace;
#[expect(dead_code, reason = "the other bench uses the rest of it")]
#[path = "../served/peers.rs"]
mod peers;
#[expect(dead_code, reason = "the other benches use the rest of it")]
#[path = "../support/mod.rs"]
mod support;
mod whole;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use clap::Parser;
use serde_json::Value;
use tokio::time::sleep;

use figures::{Latencies, Table, ms, number, say};
use growth::{Found, Growth, PAGES};
use support::http::{API, Connection, get};
use support::memory::{resident, ticks};
use support::panel::{log_in, make_password};
use support::server::{Installation, Server};

/// Between two looks at how far the index has come.
const LOOK: Duration = Duration::from_millis(20);
/// A server that had no more ticks (10 ms each) of the processor than these, in so long, is at rest.
const REST: (u64, Duration) = (5, Duration::from_secs(4));
/// In an archive of so many reports all of them are changed at once, while others arrive.
const CHANGED: usize = 10_000;
/// Fewest requests of a kind, however long they take.
const FEWEST: usize = 3;
/// Contact searches and pages shall not take longer (PRODUCT.md §4), in ms.
const GOAL: &str = "<= 50";

/// Every kind of page: what it is called here, and its query, in which `{}` is the middle of the archive.
const KINDS: [(&str, &str); 22] = [
    ("no filter, first page", ""),
    ("no filter, in the middle", "cursor=p{}"),
    ("status", "stato=Risolta"),
    ("department", "department=sanita"),
    ("department and status", "department=sanita&stato=Nuova"),
    ("department, in the middle", "department=sanita&cursor=p{}"),
    ("period: today", "period=today"),
    ("period: month", "period=month"),
    (
        "period: month, department, status",
        "period=month&department=lavoro&stato=Nuova",
    ),
    ("urgent", "urgente=true"),
    (
        "urgent, department, status",
        "urgente=true&department=generale&stato=Archiviata",
    ),
    ("contact: stands everywhere", "search=anna%20maria"),
    ("contact: oldest report alone", "search=persona17@"),
    ("contact: nowhere", "search=wxyz"),
    ("contact: nowhere, two letters", "search=zq"),
    ("contact: a telephone number", "search=3000000017"),
    (
        "contact: nowhere, department",
        "search=wxyz&department=sanita",
    ),
    (
        "contact: everywhere but in that status",
        "search=anna&stato=Risolta&cursor=p1000",
    ),
    ("accounts: stands everywhere", "search=cantiere&inText=true"),
    ("accounts: nowhere", "search=wxyz&inText=true"),
    (
        "accounts: oldest report alone",
        "search=racconto%2017:%20persona17@&inText=true",
    ),
    ("accounts: nowhere, two letters", "search=zq&inText=true"),
];

/// Measures the panel on a large archive.
#[derive(Parser)]
struct Arguments {
    /// Executable to measure
    #[arg(long, default_value = env!("CARGO_BIN_EXE_segnalazioni"))]
    program: PathBuf,
    /// Reports in the archive, one size after the other
    #[arg(long, value_delimiter = ',', default_value = "10000,100000,1000000")]
    reports: Vec<usize>,
    /// How long each page is asked for again and again, in milliseconds
    #[arg(long, default_value_t = 1_000)]
    milliseconds: u64,
    /// Folder that keeps the filled archive for the next run: filled where it is missing, copied for the run where it is not
    #[arg(long, value_name = "DIR")]
    keep_archive: Option<PathBuf>,
    /// Writes the table of growth into `docs/BENCH.md`; ends with 3 and writes nothing when the machine's pace changed
    #[arg(long)]
    write: bool,
    /// What `cargo bench` says to every bench
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> Result<ExitCode> {
    if std::env::args().any(|argument| argument == peers::HELLO) {
        peers::say_hello()?;
    }
    let arguments = Arguments::parse();
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
    let machine = limits::describe_machine(folder.path())?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let installation = |name: &str| {
        let folder = folder.path().join(name);
        std::fs::create_dir(&folder)?;
        Installation::new(&arguments.program, &folder)
    };
    let bare = runtime.block_on(memory_of_an_empty_one(&installation("bare")?))?;
    let mut growth = Growth::default();
    for reports in arguments.reports.iter().copied() {
        let installation = installation(&reports.to_string())?;
        let kept = arguments.keep_archive.as_deref();
        let filled = filled::provide(&installation.data(), kept, reports)?;
        say(&filled.told(reports));
        let measured = measure(&installation, &arguments, reports, bare);
        let found = runtime.block_on(measured);
        growth.take(
            reports,
            found.with_context(|| format!("the program said: {}", installation.errors()))?,
        );
        std::fs::remove_dir_all(installation.data())?;
    }
    growth.conclude(&arguments.program, &machine, arguments.write)
}

/// Resident memory with nothing in the archive, after the same login.
async fn memory_of_an_empty_one(installation: &Installation) -> Result<u64> {
    let password = make_password(installation)?;
    let server = installation.start()?;
    // What the login took would else be given back with the next large piece alone, and none follows here.
    at_rest(&server).await?;
    let (cookie, _) = log_in(server.address, &password).await?;
    indexed(&server, &cookie, 0).await?;
    let bytes = resident(server.id())?;
    server.stop()?;
    Ok(bytes)
}

async fn measure(
    installation: &Installation,
    arguments: &Arguments,
    reports: usize,
    bare: u64,
) -> Result<Found> {
    let password = make_password(installation)?;
    let begun = Instant::now();
    let server = installation.start()?;
    let listening = begun.elapsed();
    let (cookie, _) = log_in(server.address, &password).await?;
    indexed(&server, &cookie, reports).await?;
    let ready = begun.elapsed();
    at_rest(&server).await?;
    let rest = begun.elapsed().saturating_sub(REST.1);
    let held = resident(server.id())?;
    let beside = number(held.saturating_sub(bare)) / number(u64::try_from(reports)?);
    say(&format!(
        "resident memory: {} MiB, {beside:.0} bytes a report (goal <= 200)",
        mib(held)
    ));
    let span = Duration::from_millis(arguments.milliseconds);
    let (hello, share) = growth::newest(&server, &cookie, span)?;
    let [page, contact, account] = pages(&server, &cookie, reports, span).await?;
    let (csv, grew) = whole::measure(&server, &cookie, reports).await?;
    at_rest(&server).await?;
    let after = number(resident(server.id())?) / 1024.0 / 1024.0;
    if reports <= CHANGED {
        beside::measure(&server, &cookie, reports).await?;
    }
    server.stop()?;
    Ok(Found {
        hello: [hello, growth::hello(span)?],
        rows: [
            ms(listening),
            ready.as_secs_f64(),
            rest.as_secs_f64(),
            share,
            page,
            contact,
            account,
            csv,
            grew,
            after,
        ],
    })
}

/// Waits until every report is in the search index.
async fn indexed(server: &Server, cookie: &str, reports: usize) -> Result<()> {
    let mut connection = Connection::open(server.address).await?;
    let request = get(
        &format!("{API}/reports?limit=1"),
        &format!("cookie: {cookie}\r\n"),
    );
    loop {
        let list = connection.call(&request).await?.json()?;
        if list["search"]["ready"] == true {
            ensure!(
                list["search"]["indexed"].as_u64() == Some(u64::try_from(reports)?),
                "{}",
                list["search"]
            );
            return Ok(());
        }
        sleep(LOOK).await;
    }
}

/// Waits until the server has done what the start brings with it: signatures of reports that have none, the first backup.
async fn at_rest(server: &Server) -> Result<()> {
    loop {
        let before = ticks(server.id())?;
        sleep(REST.1).await;
        if ticks(server.id())? <= before + REST.0 {
            return Ok(());
        }
    }
}

/// Prints all of them; answers the p50 of those whose growth is written down.
async fn pages(
    server: &Server,
    cookie: &str,
    reports: usize,
    span: Duration,
) -> Result<[f64; PAGES.len()]> {
    let mut written = [f64::NAN; PAGES.len()];
    let heads = ["rows", "p50, ms", "p99, ms", "goal (p99)"];
    let mut table = Table::new("Page of 50, one client", &heads);
    let mut connection = Connection::open(server.address).await?;
    let middle = (reports / 2).to_string();
    for (title, query) in KINDS {
        let query = query.replace("{}", &middle);
        let request = get(
            &format!("{API}/reports?limit=50&{query}"),
            &format!("cookie: {cookie}\r\n"),
        );
        let (mut times, mut rows, begun) = (Vec::new(), 0, Instant::now());
        while times.len() < FEWEST || begun.elapsed() < span {
            let sent = Instant::now();
            let answer = connection.call(&request).await?;
            times.push(sent.elapsed());
            rows = answer.json()?["data"]
                .as_array()
                .map_or(0, Vec::<Value>::len);
        }
        let found = Latencies::new(times);
        if let Some(place) = PAGES.iter().position(|written| *written == title) {
            written[place] = found.percentile_ms(50);
        }
        let time = |share| format!("{:.2}", found.percentile_ms(share));
        let goal = if title.starts_with("accounts") {
            ""
        } else {
            GOAL
        };
        table.row(
            title,
            [rows.to_string(), time(50), time(99), goal.to_owned()],
        );
    }
    table.print();
    Ok(written)
}

fn seconds(time: Duration) -> String {
    format!("{:.1}", time.as_secs_f64())
}

fn mib(bytes: u64) -> String {
    format!("{:.1}", number(bytes) / 1024.0 / 1024.0)
}
