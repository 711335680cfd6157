//! What grows with the archive, size by size. Must never judge a goal on an archive of another size than it is meant for, nor
//! write down figures of a machine that changed its pace.

use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Duration;

use anyhow::Result;

use super::figures::{Figure, Table, say};
use super::gate::{End, Goal, STEADY, write_down};
use super::load::{Asked, ask};
use super::peers;
use super::support::http::{API, get};
use super::support::server::Server;

/// Clients of the newest fifty, and of the bare hello beside them.
const CLIENTS: usize = 8;
/// The size that goals are meant for.
const MEANT: usize = 1_000_000;
/// Pages whose growth is written down.
pub const PAGES: [&str; 3] = [
    "no filter, first page",
    "contact: nowhere",
    "accounts: nowhere",
];
/// What is written down, with its decimals and the goal.
const ROWS: [(&str, usize, Option<Goal>); 10] = [
    ("start to listening, ms", 1, None),
    ("start to the whole index, s", 2, None),
    ("start to signatures and first backup, s", 0, None),
    ("newest 50, c=8: share of H", 3, Some(Goal::AtLeast(0.06))),
    ("newest 50, p50, ms", 2, None),
    (
        "contact that stands nowhere, p50, ms",
        2,
        Some(Goal::AtMost(50.0)),
    ),
    (
        "word that stands in no account, p50, ms",
        0,
        Some(Goal::AtMost(300.0)),
    ),
    ("all as CSV, s", 2, Some(Goal::AtMost(3.5))),
    (
        "memory while all go out as CSV, grown by MiB",
        1,
        Some(Goal::AtMost(8.0)),
    ),
    ("memory afterwards, MiB", 0, Some(Goal::AtMost(135.0))),
];

/// What one size came to.
pub struct Found {
    /// Answers a second of the bare hello, before everything else and after it.
    pub hello: [f64; 2],
    /// In the order of the rows.
    pub rows: [f64; ROWS.len()],
}

/// All sizes.
#[derive(Default)]
pub struct Growth {
    sizes: Vec<usize>,
    found: Vec<Found>,
}

/// The machine's pace: answers a second of the bare hello.
pub fn hello(span: Duration) -> Result<f64> {
    let bare = peers::hello()?;
    Ok(ask(bare.address, CLIENTS, &peers::greeting(), span)?.rate)
}

/// The bare hello, and the share of it that the newest fifty reach right after it.
pub fn newest(server: &Server, cookie: &str, span: Duration) -> Result<(f64, f64)> {
    let hello = hello(span)?;
    let fields = format!("cookie: {cookie}\r\n");
    let list = vec![get(&format!("{API}/reports?limit=50"), &fields)];
    let listed = ask(
        server.address,
        CLIENTS,
        &Asked::again(list, br#""id":""#),
        span,
    )?;
    Ok((hello, listed.rate / hello))
}

impl Growth {
    /// Takes what a size came to.
    pub fn take(&mut self, reports: usize, found: Found) {
        self.sizes.push(reports);
        self.found.push(found);
    }

    fn table(&self) -> Table {
        let mut heads = vec![format!("goal at {MEANT}")];
        heads.extend(self.sizes.iter().map(usize::to_string));
        heads.push("verdict".to_owned());
        let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
        let mut table = Table::new("Reports in the archive", &heads);
        let meant = self.sizes.iter().position(|size| *size == MEANT);
        for (place, (title, decimals, goal)) in ROWS.into_iter().enumerate() {
            let mut cells = vec![goal.map(Goal::told).unwrap_or_default()];
            let values = self.found.iter().map(|found| found.rows[place]);
            cells.extend(values.map(|value| format!("{value:.decimals$}")));
            let judged = meant.zip(goal);
            let verdict = judged.map_or("", |(size, goal)| {
                goal.verdict(self.found[size].rows[place])
            });
            cells.push(verdict.to_owned());
            table.row(title, cells);
        }
        table
    }

    /// Prints it, and writes it down where that was asked for and the machine kept its pace.
    pub fn conclude(&self, program: &Path, machine: &str, write: bool) -> Result<ExitCode> {
        let table = self.table();
        table.print();
        let mut hello = Figure::default();
        hello.extend(self.found.iter().flat_map(|found| found.hello));
        let moved = hello.max() / hello.min();
        let pace = format!(
            "bare hello {} /s, moved by a factor of {moved:.2}",
            hello.cell(0)
        );
        say(&format!("\n{pace}"));
        if moved > STEADY {
            say("VOID: something else was at work. Run it again on a quiet machine.");
        }
        let end = if write && moved > STEADY {
            End::Void
        } else {
            End::Stands
        };
        if write && end == End::Stands {
            let version = Command::new(program).arg("--version").output()?.stdout;
            let version = String::from_utf8(version)?;
            let head = format!("Of {}; {machine}; {pace}.", version.trim());
            write_down("growth", &format!("{head}\n\n{}", table.text()))?;
        }
        Ok(end.code())
    }
}
