//! `make bench`: how fast the executable is, and how near to what this machine can do at all. A figure that depends on disk or
//! processor stands beside a limit measured in the same round, because alone it says more about the machine and its other work.
//! The method is described in `docs/BENCH.md`. Must never fail because of a figure.

mod alone;
mod pocketbase;
mod rounds;
mod siege;
#[expect(dead_code, reason = "the other bench uses the rest of it")]
#[path = "../support/mod.rs"]
mod support;

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result};
use clap::Parser;

use pocketbase::PocketBase;
use rounds::{Rounds, Servers};
use support::figures::{print_rows, say};
use support::server::Installation;
use support::{archive, hello, machine};

/// Reports of the archive that is read from.
const ARCHIVE: usize = 10_000;

/// Measures the executable.
#[derive(Parser)]
struct Arguments {
    /// Executable to measure
    #[arg(long, default_value = env!("CARGO_BIN_EXE_segnalazioni"))]
    program: PathBuf,
    /// Executable of another commit, measured beside it in the same rounds
    #[arg(long, value_name = "FILE")]
    before: Option<PathBuf>,
    /// `PocketBase`'s executable; without it nothing is compared with `PocketBase`
    #[arg(long, value_name = "FILE")]
    pocketbase: Option<PathBuf>,
    /// Rounds of which minimum, median and maximum are shown
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// How long each load lasts, in milliseconds
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
    measure(&arguments, folder.path())
}

/// The executable beside the machine's limits, the build before and `PocketBase`.
fn measure(arguments: &Arguments, folder: &Path) -> Result<()> {
    let install = |program: &Path, name: &str| {
        let folder = folder.join(name);
        std::fs::create_dir(&folder)?;
        Installation::new(program, &folder)
    };
    let ours = |name| install(&arguments.program, name);
    let (fresh, product, archived, besieged) = (
        ours("fresh")?,
        ours("product")?,
        ours("archive")?,
        ours("siege")?,
    );
    let before = arguments.before.as_deref();
    let before = before
        .map(|program| install(program, "before"))
        .transpose()?;
    archive::fill(&archived.data(), ARCHIVE)?;
    let page = alone::page(&fresh)?;
    let pocketbase = arguments.pocketbase.as_deref();
    let pocketbase = pocketbase
        .map(|program| PocketBase::new(program, folder.join("pocketbase"), &page))
        .transpose()?;
    let subjects = alone::Subjects {
        fresh: &fresh,
        archive: &archived,
        before: before.as_ref(),
        pocketbase: pocketbase.as_ref(),
    };
    let alone = alone::measure(&subjects, arguments.rounds)?;
    let mut servers = Servers::start(&product, &subjects)?;
    let span = Duration::from_millis(arguments.milliseconds);
    let rounds = Rounds::measure(&mut servers, folder, arguments.rounds, span);
    let rounds = rounds.with_context(|| format!("the program said: {}", product.errors()))?;
    drop(servers);
    let mut rows = rounds.rows();
    rows.extend(alone);
    rows.extend(siege::measure(&besieged)?);
    rounds.print();
    print_rows(&rows);
    let (steady, canary) = rounds.steadiness();
    let (count, milliseconds) = (arguments.rounds, arguments.milliseconds);
    let (version, machine) = (fresh.version()?, machine::describe()?);
    say(&format!(
        "\nOf {version}; {machine}; {count} rounds of {milliseconds} ms; {canary}."
    ));
    if !steady {
        say("VOID: something else was at work. Run it again on a quiet machine.");
    }
    Ok(())
}
