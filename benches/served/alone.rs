//! The executable by itself: how big it is, how soon it answers, what it holds while nobody asks, and what a phone
//! downloads before the first page is whole. Must never warm anything up: each start is the first of its folder.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};

use super::figures::{Figure, Table, ms, number, say};
use super::gate::{Goal, Row};
use super::peers::PocketBase;
use super::support::http::{API, Connection, get};
use super::support::memory::resident;
use super::support::server::{Installation, Server};

/// Starts in each round.
const STARTS: usize = 3;
/// How long a program rests before its memory is read.
const REST: Duration = Duration::from_secs(1);

/// Measures all of it; `PocketBase`, where it could be had, turn by turn with the executable.
pub async fn measure(
    installation: &Installation,
    archive: &Installation,
    pocketbase: Option<&PocketBase>,
    rounds: usize,
) -> Result<Vec<Row>> {
    let mut starts: [Figure; 5] = Default::default();
    let [bare, cold, warm, other_cold, other_warm] = &mut starts;
    for _ in 0..rounds * STARTS {
        bare.push(ms(run_bare(installation)?));
        cold.push(start(installation).await?);
        fs::remove_dir_all(installation.data())?;
        warm.push(start(archive).await?);
        if let Some(pocketbase) = pocketbase {
            pocketbase.forget()?;
            other_cold.push(start_other(pocketbase).await?);
            other_warm.push(start_other(pocketbase).await?);
        }
    }
    let [mut size, mut idle, mut other] = <[Figure; 3]>::default();
    size.push(number(fs::metadata(installation.program())?.len()) / 1e6);
    let server = installation.start()?;
    idle.push(at_rest(&server).await?);
    first_page(&server).await?;
    server.stop()?;
    if let Some(pocketbase) = pocketbase {
        other.push(at_rest(&pocketbase.start()?).await?);
    }
    let [bare, cold, warm, other_cold, other_warm] = starts;
    Ok(vec![
        Row::new("start with 10,000 reports, ms", &warm, 1).shall(Goal::AtMost(6.0)),
        Row::new("start in a fresh folder, ms", &cold, 1).shall(Goal::AtMost(10.0)),
        Row::new("`--version` to its end, ms", &bare, 1),
        Row::new("PocketBase: start with data, ms", &other_warm, 1),
        Row::new("PocketBase: start in a fresh folder, ms", &other_cold, 1),
        Row::new("idle memory, MiB", &idle, 1).shall(Goal::AtMost(16.0)),
        Row::new("PocketBase: idle memory, MiB", &other, 1),
        Row::new("executable, MB", &size, 1).shall(Goal::AtMost(15.0)),
    ])
}

/// Resident memory in MiB while nobody asks.
async fn at_rest(server: &Server) -> Result<f64> {
    tokio::time::sleep(REST).await;
    Ok(number(resident(server.id())?) / 1024.0 / 1024.0)
}

/// Bytes as MiB, for a cell.
pub fn mib(bytes: u64) -> String {
    format!("{:.1}", number(bytes) / 1024.0 / 1024.0)
}

/// What the executable says of its version and commit.
pub fn version(program: &Path) -> Result<String> {
    let output = Command::new(program).arg("--version").output()?;
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}

/// The public page, uncompressed, of a folder that is then forgotten.
pub async fn page(installation: &Installation) -> Result<Vec<u8>> {
    let server = installation.start()?;
    let mut connection = Connection::open(server.address).await?;
    let page = connection.call(&get("/paibeta/", "")).await?;
    ensure!(page.status == 200, "{}", page.head);
    server.stop()?;
    fs::remove_dir_all(installation.data())?;
    Ok(page.body)
}

/// What starting any process of this size costs.
fn run_bare(installation: &Installation) -> Result<Duration> {
    let begun = Instant::now();
    let mut command = installation.confined(installation.program());
    let status = command.arg("--version").stdout(Stdio::null()).status()?;
    ensure!(status.success(), "--version failed");
    Ok(begun.elapsed())
}

/// From the start to the first good answer, in milliseconds.
async fn start(installation: &Installation) -> Result<f64> {
    let begun = Instant::now();
    let server = installation.start()?;
    let elapsed = answered(&server, &format!("{API}/status"), begun).await?;
    server.stop()?;
    Ok(elapsed)
}

async fn start_other(pocketbase: &PocketBase) -> Result<f64> {
    let begun = Instant::now();
    answered(&pocketbase.start()?, "/api/health", begun).await
}

async fn answered(server: &Server, path: &str, begun: Instant) -> Result<f64> {
    let mut connection = Connection::open(server.address).await?;
    let answer = connection.call(&get(path, "")).await?;
    let elapsed = begun.elapsed();
    ensure!(answer.status == 200, "{}", answer.head);
    Ok(ms(elapsed))
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
