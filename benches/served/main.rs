//! `make bench`: how fast the real executable is, and how near to what this machine can do at all. Every figure that
//! depends on disk or processor stands beside a limit measured in the same round, because the figures alone say more
//! about the machine and its other work than about the program. The method is told in `docs/BENCH.md`.
//! Must never fail because of a figure, unless it was asked to compare them with those that are written down.

mod alone;
mod figures;
#[path = "../backup/archive.rs"]
mod filled;
mod gate;
mod hanging;
mod limits;
mod load;
mod peers;
mod rounds;
#[expect(dead_code, reason = "the long tests use the rest of it")]
#[path = "../support/mod.rs"]
mod support;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, Result};
use clap::Parser;

use figures::say;
use gate::{DOCUMENT, End, FIGURES, Row};
use peers::PocketBase;
use rounds::{Rounds, Servers};
use support::server::Installation;

/// Reports of the archive that is read from.
const ARCHIVE: usize = 10_000;

/// Measures the executable.
#[derive(Parser)]
struct Arguments {
    /// Executable to measure
    #[arg(long, default_value = env!("CARGO_BIN_EXE_segnalazioni"))]
    program: PathBuf,
    /// `PocketBase`'s executable; without it nothing is compared with `PocketBase`
    #[arg(long, value_name = "FILE")]
    pocketbase: Option<PathBuf>,
    /// Rounds of which minimum, median and maximum are shown
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// How long each load lasts, in milliseconds
    #[arg(long, default_value_t = 1_000)]
    milliseconds: u64,
    /// Ends with 2 when a ratio is more than 15 % worse than the one in `docs/BENCH.md`, with 3 when the canary moved
    #[arg(long)]
    check: bool,
    /// Writes the figures into `docs/BENCH.md`; ends with 3 and writes nothing when the canary moved
    #[arg(long, conflicts_with = "check")]
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
    let folder = folder.path();
    let machine = limits::describe_machine(folder)?;
    let span = Duration::from_millis(arguments.milliseconds);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let end = runtime.block_on(measure(&arguments, folder, span, &machine))?;
    Ok(end.code())
}

/// The executable beside the machine's limits and `PocketBase`.
async fn measure(
    arguments: &Arguments,
    folder: &Path,
    span: Duration,
    machine: &str,
) -> Result<End> {
    let [alone, served, archive] = ["alone", "served", "archive"].map(|name| {
        let folder = folder.join(name);
        std::fs::create_dir(&folder)?;
        Installation::new(&arguments.program, &folder)
    });
    let (alone, served, archive) = (alone?, served?, archive?);
    say(&filled::provide(&archive.data(), None, ARCHIVE)?.told(ARCHIVE));
    let page = alone::page(&alone).await?;
    let pocketbase = match &arguments.pocketbase {
        Some(program) => Some(PocketBase::new(program, folder.join("other"), &page)?),
        None => None,
    };
    let other = pocketbase.as_ref();
    let alone = alone::measure(&alone, &archive, other, arguments.rounds).await?;
    let servers = Servers::start(&served, &archive, other).await?;
    let rounds = Rounds::measure(&servers, folder, arguments.rounds, span).await;
    let rounds = rounds.with_context(|| format!("the program said: {}", served.errors()))?;
    drop(servers);
    let hanging = hanging::measure(&arguments.program, folder, arguments.rounds, span).await?;
    let mut rows = rounds.rows();
    rows.extend(alone);
    rows.extend(hanging);
    rounds.table().print();
    rounds.loads().print();
    gate::table(&rows).print();
    conclude(arguments, machine, &rounds, &rows)
}

/// Says what the run is worth, and compares or writes it down where that was asked for.
fn conclude(arguments: &Arguments, machine: &str, rounds: &Rounds, rows: &[Row]) -> Result<End> {
    let (steady, canary) = rounds.steadiness();
    say(&format!("\n{canary}"));
    if !steady {
        say("VOID: something else was at work. Run it again on a quiet machine.");
    }
    if arguments.check {
        let document = std::fs::read_to_string(DOCUMENT)?;
        let (end, lines) = gate::check(rows, gate::block(&document, FIGURES)?, steady);
        for line in lines {
            say(&line);
        }
        return Ok(end);
    }
    if !arguments.write {
        return Ok(End::Stands);
    }
    if !steady {
        return Ok(End::Void);
    }
    let version = alone::version(&arguments.program)?;
    let (count, milliseconds) = (arguments.rounds, arguments.milliseconds);
    let block = format!(
        "Of {version}; {machine}; {count} rounds of {milliseconds} ms; {canary}.\n\n{}\n\n{}",
        rounds.table().text(),
        gate::table(rows).text()
    );
    gate::write_down(FIGURES, &block)?;
    Ok(End::Stands)
}
