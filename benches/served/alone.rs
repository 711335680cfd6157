//! The executable by itself: how big it is, how soon it answers, what it holds while nobody asks, and what a phone
//! downloads before the first page is whole. Must never warm anything up: each start is the first of its folder.

use std::collections::BTreeSet;
use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};

use super::figures::{Figure, Table, ms, number, say};
use super::support::http::{API, Connection, get};
use super::support::memory::resident;
use super::support::server::{Installation, Server};

/// Starts in each round.
const STARTS: usize = 3;
/// How long a program rests before its memory is read.
const REST: Duration = Duration::from_secs(1);

/// Measures all of it.
pub async fn measure(installation: &Installation, rounds: usize) -> Result<()> {
    let mut table = Table::new("Executable", &["min", "median", "max"]);
    let size = fs::metadata(installation.program())?.len();
    table.row("size, MiB", [mib(size)]);
    let (mut bare, mut cold, mut warm) = (Figure::default(), Figure::default(), Figure::default());
    for _ in 0..rounds * STARTS {
        bare.push(ms(run_bare(installation)?));
        cold.push(ms(start(installation).await?));
        warm.push(ms(start(installation).await?));
        fs::remove_dir_all(installation.data())?;
    }
    table.row("`--version` to its end, ms", bare.cells(1));
    table.row("start to first 200, no data yet, ms", cold.cells(1));
    table.row("start to first 200, data there, ms", warm.cells(1));
    let server = installation.start()?;
    tokio::time::sleep(REST).await;
    table.row("resident memory, idle, MiB", [mib(resident(server.id())?)]);
    table.print();
    first_page(&server).await?;
    server.stop()
}

/// Bytes as MiB, for a cell.
pub fn mib(bytes: u64) -> String {
    format!("{:.1}", number(bytes) / 1024.0 / 1024.0)
}

/// What starting any process of this size costs.
fn run_bare(installation: &Installation) -> Result<Duration> {
    let begun = Instant::now();
    let mut command = installation.confined(installation.program());
    let status = command.arg("--version").stdout(Stdio::null()).status()?;
    ensure!(status.success(), "--version failed");
    Ok(begun.elapsed())
}

/// From the start to the first good answer.
async fn start(installation: &Installation) -> Result<Duration> {
    let begun = Instant::now();
    let server = installation.start()?;
    let mut connection = Connection::open(server.address).await?;
    let answer = connection.call(&get(&format!("{API}/status"), "")).await?;
    let elapsed = begun.elapsed();
    ensure!(answer.status == 200, "{}", answer.head);
    server.stop()?;
    Ok(elapsed)
}

/// Everything that the public page names, as a browser that takes Brotli would load it.
async fn first_page(server: &Server) -> Result<()> {
    const BROTLI: &str = "accept-encoding: br\r\n";
    let mut connection = Connection::open(server.address).await?;
    let html = connection.call(&get("/paibeta/", "")).await?;
    ensure!(html.status == 200, "{}", html.head);
    let text = String::from_utf8(html.body)?;
    let mut paths = BTreeSet::from(["/paibeta/".to_owned()]);
    for attribute in ["href=\"", "src=\""] {
        let values = text.split(attribute).skip(1);
        let values = values.filter_map(|rest| rest.split_once('"').map(|(value, _)| value));
        paths.extend(
            values
                .filter(|value| value.starts_with('/'))
                .map(str::to_owned),
        );
    }
    let mut table = Table::new(
        "First page load, Brotli",
        &["requests", "bytes of body", "bytes of heads"],
    );
    let mut total = [0; 3];
    let mut sums: [(&str, [usize; 3]); 4] = [
        ("html", [0; 3]),
        ("css", [0; 3]),
        ("js", [0; 3]),
        ("icon", [0; 3]),
    ];
    for path in paths {
        let answer = connection.call(&get(&path, BROTLI)).await?;
        ensure!(answer.status == 200, "{path}: {}", answer.head);
        let kind = kind(answer.field("content-type").unwrap_or_default())?;
        for (title, sum) in &mut sums {
            if *title == kind {
                add(sum, answer.body.len(), answer.head.len());
                add(&mut total, answer.body.len(), answer.head.len());
            }
        }
    }
    for (title, sum) in sums {
        table.row(title, sum.map(|count| count.to_string()));
    }
    table.row("all", total.map(|count| count.to_string()));
    table.print();
    say("(after it, one status call every two seconds)");
    Ok(())
}

fn add(sum: &mut [usize; 3], body: usize, head: usize) {
    *sum = [sum[0] + 1, sum[1] + body, sum[2] + head];
}

fn kind(content_type: &str) -> Result<&'static str> {
    let names = [
        ("html", "html"),
        ("css", "css"),
        ("javascript", "js"),
        ("image/", "icon"),
    ];
    let found = names
        .into_iter()
        .find(|(part, _)| content_type.contains(part));
    let Some((_, kind)) = found else {
        bail!("the page loads something of a kind nobody expected: {content_type}");
    };
    Ok(kind)
}
