//! `make bench-backup`: what a backup of a large archive costs while people report: time, size, memory, and what it does to
//! the time in which a report is acknowledged, beside the same load without a backup just before it. Then how long it takes
//! to check the file and to go back to it. The method is told in `docs/BENCH.md`.
//! Must never be a gate: it fails only when an answer was wrong or a command failed.

mod archive;
#[path = "../served/figures.rs"]
mod figures;
#[expect(dead_code, reason = "the other bench uses the rest of it")]
#[path = "../served/limits.rs"]
mod limits;
#[expect(dead_code, reason = "the other bench uses the rest of it")]
#[path = "../served/load.rs"]
mod load;
mod pace;
#[expect(dead_code, reason = "the other bench uses the rest of it")]
#[path = "../support/mod.rs"]
mod support;
mod watch;

use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::Duration;

use anyhow::{Result, ensure};
use clap::Parser;
use tokio::sync::watch as signal;

use figures::{Figure, Latencies, Table, number, say};
use pace::Reporters;
use support::server::{Installation, Server};
use watch::Watched;

/// Measures backups of a large archive.
#[derive(Parser)]
struct Arguments {
    /// Executable to measure
    #[arg(long, default_value = env!("CARGO_BIN_EXE_segnalazioni"))]
    program: PathBuf,
    /// Reports in the archive
    #[arg(long, default_value_t = 100_000)]
    reports: usize,
    /// Reports sent a second meanwhile
    #[arg(long, default_value_t = 50)]
    rate: u32,
    /// How long the load without a backup lasts each time, in seconds
    #[arg(long, default_value_t = 20)]
    seconds: u64,
    /// Backups
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// Folder that keeps the filled archive for the next run: filled where it is missing, copied for the run where it is not
    #[arg(long, value_name = "DIR")]
    keep_archive: Option<PathBuf>,
    /// What `cargo bench` says to every bench
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
    limits::describe_machine(folder.path())?;
    let canary = |when: &str| -> Result<()> {
        let found = limits::canary(folder.path())?;
        say(&format!(
            "canary {when}: {:.3} ms (p50), {:.3} ms (p99)",
            found.percentile_ms(50),
            found.percentile_ms(99)
        ));
        Ok(())
    };
    canary("before")?;
    let installation = Installation::new(&arguments.program, folder.path())?;
    let kept = arguments.keep_archive.as_deref();
    let filled = archive::provide(&installation.data(), kept, arguments.reports)?;
    say(&filled.told(arguments.reports));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let file = runtime.block_on(backups(&installation, &arguments))?;
    afterwards(&installation, &file)?;
    canary("after")
}

/// Backups while people report, each beside the same load without one.
async fn backups(installation: &Installation, arguments: &Arguments) -> Result<PathBuf> {
    let server = installation.start()?;
    watch::until_idle(&server).await?;
    let file = installation.data().with_file_name("prova.backup");
    let heads = [
        "p99 alone, ms",
        "p99 meanwhile, ms",
        "ratio",
        "p50, ratio",
        "time, s",
        "peak RSS, MiB",
        "log, MiB",
    ];
    let mut table = Table::new(&format!("Backup, {} reports/s", arguments.rate), &heads);
    let mut found: [Figure; 7] = Default::default();
    for _ in 0..arguments.rounds {
        let round = round(installation, &server, arguments, &file).await?;
        for (figure, value) in found.iter_mut().zip(round) {
            figure.push(value);
        }
    }
    table.row("backup", found.iter().map(|figure| figure.cell(2)));
    table.print();
    say(&format!(
        "file: {} MiB",
        mib(std::fs::metadata(&file)?.len())
    ));
    server.stop()?;
    Ok(file)
}

/// One backup, and the load without it just before.
async fn round(
    installation: &Installation,
    server: &Server,
    arguments: &Arguments,
    file: &Path,
) -> Result<[f64; 7]> {
    let mut reporters = Reporters::new(server.address, arguments.rate);
    let span = Duration::from_secs(arguments.seconds);
    reporters.prepare(span).await?;
    watch::until_idle(server).await?;
    let (go_on, ended) = signal::channel(false);
    let alone = reporters.report(span, ended).await?;
    drop(go_on);

    reporters.prepare(pace::LONGEST).await?;
    watch::until_idle(server).await?;
    let flags = ["backup", "--output", path(file)];
    let (over, ended) = signal::channel(false);
    let child = command(installation, &flags)?;
    let watching = tokio::spawn(watch::to_the_end(child, Some(installation.data()), over));
    let meanwhile = reporters.report(pace::LONGEST, ended).await?;
    let watched: Watched = watching.await??;
    let p = |of: &Latencies, share| of.percentile_ms(share);
    Ok([
        p(&alone, 99),
        p(&meanwhile, 99),
        p(&meanwhile, 99) / p(&alone, 99),
        p(&meanwhile, 50) / p(&alone, 50),
        watched.time.as_secs_f64(),
        number(watched.peak) / 1024.0 / 1024.0,
        number(watched.log) / 1024.0 / 1024.0,
    ])
}

/// The file is checked, and gone back to, with nobody reporting.
fn afterwards(installation: &Installation, file: &Path) -> Result<()> {
    let mut table = Table::new("Afterwards", &["time, s", "peak RSS, MiB"]);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    for flags in [
        vec!["verify", path(file)],
        vec!["restore", path(file), "--dry-run"],
        vec!["restore", path(file)],
    ] {
        let title = if flags.len() == 3 {
            "restore --dry-run"
        } else {
            flags[0]
        };
        let (over, _) = signal::channel(false);
        let child = command(installation, &flags)?;
        let watched = runtime.block_on(watch::to_the_end(child, None, over))?;
        let cells = [
            format!("{:.1}", watched.time.as_secs_f64()),
            mib(watched.peak),
        ];
        table.row(title, cells);
    }
    table.print();
    Ok(())
}

/// A command of the executable on its data.
fn command(installation: &Installation, flags: &[&str]) -> Result<Child> {
    let mut command = installation.confined(installation.program());
    command.args(flags).stdout(Stdio::null());
    command.arg("--data-dir").arg(installation.data());
    Ok(command.spawn()?)
}

fn path(file: &Path) -> &str {
    file.to_str().unwrap_or_default()
}

fn mib(bytes: u64) -> String {
    format!("{:.0}", number(bytes) / 1024.0 / 1024.0)
}

/// That a command did what it was told.
fn succeeded(status: std::process::ExitStatus) -> Result<()> {
    ensure!(status.success(), "a command failed: {status}");
    Ok(())
}
