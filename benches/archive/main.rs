//! `make bench-archive`: what the panel costs on a large archive: the start and the search index, pages of the list under each
//! filter, searches, the CSV file, and the memory of it all. The method is told in `docs/BENCH.md`.
//! Must never be a gate: it fails only when an answer was wrong or a command failed.

#[path = "../served/figures.rs"]
#[expect(dead_code, reason = "the other benches use the rest of it")]
mod figures;
#[path = "../backup/archive.rs"]
mod filled;
#[expect(dead_code, reason = "the other bench uses the rest of it")]
#[path = "../served/limits.rs"]
mod limits;
#[expect(dead_code, reason = "the other benches use the rest of it")]
#[path = "../support/mod.rs"]
mod support;
mod whole;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use clap::Parser;
use serde_json::Value;
use tokio::time::sleep;

use figures::{Latencies, Table, ms, number, say};
use support::http::{API, Connection, get};
use support::memory::resident;
use support::panel::{log_in, make_password};
use support::server::{Installation, Server};

/// Between two looks at how far the index has come.
const LOOK: Duration = Duration::from_millis(20);
/// Fewest requests of a kind, however long they take.
const FEWEST: usize = 3;
/// Contact searches and pages shall not take longer (PRODUCT.md §4), in ms.
const GOAL: &str = "<= 50";

/// Measures the panel on a large archive.
#[derive(Parser)]
struct Arguments {
    /// Executable to measure
    #[arg(long, default_value = env!("CARGO_BIN_EXE_segnalazioni"))]
    program: PathBuf,
    /// Reports in the archive
    #[arg(long, default_value_t = 1_000_000)]
    reports: usize,
    /// How long each page is asked for again and again, in milliseconds
    #[arg(long, default_value_t = 1_000)]
    milliseconds: u64,
    /// Folder that keeps the filled archive for the next run: filled where it is missing, copied for the run where it is not
    #[arg(long, value_name = "DIR")]
    keep_archive: Option<PathBuf>,
    /// What `cargo bench` says to every bench
    #[arg(long, hide = true)]
    bench: bool,
}

/// A page of the list: what it is called here, its query, and what its time shall be.
struct Page {
    title: &'static str,
    query: String,
    goal: &'static str,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
    limits::describe_machine(folder.path())?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let bare = folder.path().join("bare");
    let full = folder.path().join("full");
    for folder in [&bare, &full] {
        std::fs::create_dir(folder)?;
    }
    let bare = runtime.block_on(memory_of_an_empty_one(&Installation::new(
        &arguments.program,
        &bare,
    )?))?;
    let installation = Installation::new(&arguments.program, &full)?;
    let kept = arguments.keep_archive.as_deref();
    let filled = filled::provide(&installation.data(), kept, arguments.reports)?;
    say(&filled.told(arguments.reports));
    runtime
        .block_on(measure(&installation, &arguments, bare))
        .with_context(|| format!("the program said: {}", installation.errors()))
}

/// Resident memory with nothing in the archive, after the same login.
async fn memory_of_an_empty_one(installation: &Installation) -> Result<u64> {
    let password = make_password(installation)?;
    let server = installation.start()?;
    let (cookie, _) = log_in(server.address, &password).await?;
    indexed(&server, &cookie, 0).await?;
    let bytes = resident(server.id())?;
    server.stop()?;
    Ok(bytes)
}

async fn measure(installation: &Installation, arguments: &Arguments, bare: u64) -> Result<()> {
    let reports = arguments.reports;
    let password = make_password(installation)?;
    let begun = Instant::now();
    let server = installation.start()?;
    let listening = begun.elapsed();
    let (cookie, _) = log_in(server.address, &password).await?;
    indexed(&server, &cookie, reports).await?;
    let ready = begun.elapsed();
    let held = resident(server.id())?;
    let mut table = Table::new("Start", &["goal", "found"]);
    let mut row = |title: &str, goal: &str, found: String| {
        table.row(title, [goal.to_owned(), found]);
    };
    row("to listening, ms", "", format!("{:.1}", ms(listening)));
    row("to the whole index, s", "", seconds(ready));
    row("resident memory, empty archive, MiB", "", mib(bare));
    row("resident memory, index ready, MiB", "", mib(held));
    let beside = number(held.saturating_sub(bare)) / number(u64::try_from(reports)?);
    row("memory per report, bytes", "<= 200", format!("{beside:.0}"));
    table.print();
    pages(&server, &cookie, arguments).await?;
    whole::measure(&server, &cookie, reports).await?;
    let after = resident(server.id())?;
    say("");
    say(&format!("resident memory afterwards: {} MiB", mib(after)));
    server.stop()
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

/// Every kind of page, asked for by one client.
fn kinds(reports: usize) -> Vec<Page> {
    let page = |title, query: &str, goal| Page {
        title,
        query: query.to_owned(),
        goal,
    };
    vec![
        page("no filter, first page", "", GOAL),
        page(
            "no filter, in the middle",
            &format!("cursor=p{}", reports / 2),
            GOAL,
        ),
        page("status", "stato=Risolta", GOAL),
        page("department", "department=sanita", GOAL),
        page(
            "department and status",
            "department=sanita&stato=Nuova",
            GOAL,
        ),
        page(
            "department, in the middle",
            &format!("department=sanita&cursor=p{}", reports / 2),
            GOAL,
        ),
        page("period: today", "period=today", GOAL),
        page("period: month", "period=month", GOAL),
        page(
            "period: month, department, status",
            "period=month&department=lavoro&stato=Nuova",
            GOAL,
        ),
        page("urgent", "urgente=true", GOAL),
        page(
            "urgent, department, status",
            "urgente=true&department=generale&stato=Archiviata",
            GOAL,
        ),
        page("contact: stands everywhere", "search=anna%20maria", GOAL),
        page("contact: oldest report alone", "search=persona17@", GOAL),
        page("contact: nowhere", "search=wxyz", GOAL),
        page("contact: nowhere, two letters", "search=zq", GOAL),
        page("contact: a telephone number", "search=3000000017", GOAL),
        page(
            "contact: nowhere, department",
            "search=wxyz&department=sanita",
            GOAL,
        ),
        page(
            "contact: everywhere but in that status",
            "search=anna&stato=Risolta&cursor=p1000",
            GOAL,
        ),
        page(
            "accounts: stands everywhere",
            "search=cantiere&inText=true",
            "",
        ),
        page("accounts: nowhere", "search=wxyz&inText=true", ""),
    ]
}

async fn pages(server: &Server, cookie: &str, arguments: &Arguments) -> Result<()> {
    let span = Duration::from_millis(arguments.milliseconds);
    let heads = ["rows", "p50, ms", "p99, ms", "goal (p99)"];
    let mut table = Table::new("Page of 50, one client", &heads);
    let mut connection = Connection::open(server.address).await?;
    for page in kinds(arguments.reports) {
        let request = get(
            &format!("{API}/reports?limit=50&{}", page.query),
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
        let time = |share| format!("{:.2}", found.percentile_ms(share));
        table.row(
            page.title,
            [rows.to_string(), time(50), time(99), page.goal.to_owned()],
        );
    }
    table.print();
    Ok(())
}

fn seconds(time: Duration) -> String {
    format!("{:.1}", time.as_secs_f64())
}

fn mib(bytes: u64) -> String {
    format!("{:.1}", number(bytes) / 1024.0 / 1024.0)
}
