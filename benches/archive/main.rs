//! `make bench-archive`: what grows with the archive: start and search index, pages of the list, searches, the CSV file, memory,
//! a change of all reports and a backup while others arrive, `verify` and `restore`. The method is described in
//! `docs/BENCH.md`. Must never fail because of a figure.

mod busy;
mod panel;
#[expect(dead_code, reason = "the other bench uses the rest of it")]
#[path = "../support/mod.rs"]
mod support;

use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use clap::Parser;

use support::client::{Session, make_password};
use support::figures::{Figure, Row, Table, mib, ms, say};
use support::machine::{STEADY, resident, ticks};
use support::server::{Installation, Server};
use support::{archive, hello, machine};

/// Between two looks at how far the index has come.
const LOOK: Duration = Duration::from_millis(20);
/// A server that had no more ticks (10 ms each) of the processor than these, in so long, is at rest.
const REST: (u64, Duration) = (5, Duration::from_secs(4));
/// The size that goals are meant for.
const MEANT: usize = 1_000_000;

/// Measures the panel, backup and restore on a large archive.
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
    /// What `cargo bench` says to every bench
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> Result<()> {
    hello::serve_if_asked()?;
    let arguments = Arguments::parse();
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
    let install = |name: &str| {
        let folder = folder.path().join(name);
        std::fs::create_dir(&folder)?;
        Installation::new(&arguments.program, &folder)
    };
    let span = Duration::from_millis(arguments.milliseconds);
    let (mut sizes, mut pace) = (Vec::new(), Figure::default());
    for reports in arguments.reports.iter().copied() {
        let installation = install(&reports.to_string())?;
        archive::fill(&installation.data(), reports)?;
        let rows = measure(&installation, reports, span, &mut pace);
        let errors = || format!("the program said: {}", installation.errors());
        sizes.push((reports, rows.with_context(errors)?));
        std::fs::remove_dir_all(installation.data())?;
    }
    print(&sizes);
    let (version, machine) = (install("version")?.version()?, machine::describe()?);
    let (hello, moved) = (pace.cell(0), pace.spread());
    say(&format!(
        "\nOf {version}; {machine}; bare hello {hello} /s, moved by a factor of {moved:.2}."
    ));
    if moved > STEADY {
        say("VOID: something else was at work. Run it again on a quiet machine.");
    }
    Ok(())
}

/// A column for each size; goals are judged at the size that they are meant for.
fn print(sizes: &[(usize, Vec<Row>)]) {
    let mut heads = vec![format!("goal at {MEANT}")];
    heads.extend(sizes.iter().map(|(reports, _)| reports.to_string()));
    heads.push("verdict".to_owned());
    let mut table = Table::new("Reports in the archive", heads);
    let meant = sizes.iter().find(|(reports, _)| *reports == MEANT);
    let titles = sizes.first().map_or(&[][..], |(_, rows)| rows);
    for (place, row) in titles.iter().enumerate() {
        let figures = sizes
            .iter()
            .map(|(_, rows)| rows[place].figure.cell(row.decimals));
        let verdict = meant.map_or(String::new(), |(_, rows)| rows[place].verdict());
        let cells = [row.goal_cell()]
            .into_iter()
            .chain(figures)
            .chain([verdict]);
        table.row(&row.title, cells);
    }
    table.print();
}

fn measure(
    installation: &Installation,
    reports: usize,
    span: Duration,
    pace: &mut Figure,
) -> Result<Vec<Row>> {
    let password = make_password(installation)?;
    let begun = Instant::now();
    let server = installation.start()?;
    let listening = begun.elapsed();
    let mut session = Session::log_in(server.address, &password)?;
    wait_for_index(&mut session, reports)?;
    let indexed = begun.elapsed();
    wait_for_rest(&server)?;
    let rest = begun.elapsed().saturating_sub(REST.1);
    let mut rows = vec![
        row("start to listening, ms", ms(listening), 1),
        row("start to the whole index, s", indexed.as_secs_f64(), 2),
        row(
            "start to signatures and first backup, s",
            rest.as_secs_f64(),
            0,
        ),
    ];
    rows.extend(panel::measure(&server, &mut session, reports, span, pace)?);
    wait_for_rest(&server)?;
    rows.push(row("memory afterwards, MiB", mib(resident(server.id())?), 0).most(135.0));
    session.expect_a_day(MEANT)?;
    rows.extend(busy::measure(installation, server, &mut session, reports)?);
    pace.push(panel::bare_hello(span)?);
    Ok(rows)
}

fn row(title: &str, value: f64, decimals: usize) -> Row {
    Row::new(title, &Figure::of(value), decimals)
}

/// Waits until every report is in the search index.
fn wait_for_index(session: &mut Session, reports: usize) -> Result<()> {
    loop {
        let list = session.get("/reports?limit=1")?.json()?;
        let search = &list["search"];
        if search["ready"] == true {
            ensure!(search["indexed"] == reports, "{search}");
            return Ok(());
        }
        sleep(LOOK);
    }
}

/// Waits until the server has done what a start brings with it: signatures of reports that have none, the first backup.
fn wait_for_rest(server: &Server) -> Result<()> {
    loop {
        let before = ticks(server.id())?;
        sleep(REST.1);
        if ticks(server.id())? <= before + REST.0 {
            return Ok(());
        }
    }
}

/// A path as a word of a command line.
fn word(path: &Path) -> &str {
    path.to_str().unwrap_or_default()
}
