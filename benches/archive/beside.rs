//! People who finish their reports while an editor changes all of an archive again and again: how much later they are answered
//! than without. Must never count a change that left most reports as they were.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use serde_json::{Value, json};
use tokio::sync::watch::{Receiver, channel};

use super::figures::{Latencies, Table, number};
use super::pace::Reporters;
use super::support::http::{API, Connection};
use super::support::panel::expect_a_flood;
use super::support::server::Server;
use super::{at_rest, seconds};

/// Reports finished a second.
const RATE: u32 = 100;
/// How long each load lasts.
const SPAN: Duration = Duration::from_secs(6);
/// How much later the slowest of a hundred may be answered, and how long a change may take.
const GOALS: [&str; 2] = ["<= 1.5", "<= 2"];

/// Prints both loads beside each other.
pub async fn measure(server: &Server, cookie: &str, reports: usize) -> Result<()> {
    expect_a_flood(server.address, cookie).await?;
    let mut reporters = Reporters::new(server.address, RATE);
    reporters.prepare(2 * SPAN).await?;
    at_rest(server).await?;
    let (go_on, ended) = channel(false);
    let alone = reporters.report(SPAN, ended.clone()).await?;
    let changing = tokio::spawn(change(
        server.address,
        cookie.to_owned(),
        reports,
        ended.clone(),
    ));
    let meanwhile = reporters.report(SPAN, ended).await?;
    go_on.send(true)?;
    let longest = changing.await??;
    let heads = ["p50, ms", "p99, ms", "longest change, s"];
    let title = format!("{RATE} reports/s beside changes of {reports}");
    let mut table = Table::new(&title, &heads);
    let cells = |of: &Latencies| [50, 99].map(|share| format!("{:.2}", of.percentile_ms(share)));
    let [p50, p99] =
        [50, 99].map(|share| meanwhile.percentile_ms(share) / alone.percentile_ms(share));
    table.row("without", cells(&alone));
    table.row(
        "beside",
        cells(&meanwhile).into_iter().chain([seconds(longest)]),
    );
    table.row("ratio", [format!("{p50:.2}"), format!("{p99:.2}")]);
    table.row("goal", ["", GOALS[0], GOALS[1]].map(str::to_owned));
    table.print();
    Ok(())
}

/// Changes the status of all until `ended` says so; answers how long the slowest change took.
async fn change(
    address: std::net::SocketAddr,
    cookie: String,
    reports: usize,
    ended: Receiver<bool>,
) -> Result<Duration> {
    let mut connection = Connection::open(address).await?;
    let (mut longest, mut states) = (Duration::ZERO, ["In lavorazione", "Nuova"].iter().cycle());
    while !*ended.borrow() {
        let body = json!({ "filter": {}, "change": { "stato": states.next() } }).to_string();
        let request = format!(
            "POST {API}/reports/bulk HTTP/1.1\r\nhost: localhost\r\nsec-fetch-site: same-origin\r\ncookie: {cookie}\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        let begun = Instant::now();
        let done: Value = connection.call(request.as_bytes()).await?.json()?;
        longest = longest.max(begun.elapsed());
        let changed = number(done["changed"].as_u64().unwrap_or(0));
        ensure!(
            changed >= 0.5 * number(u64::try_from(reports)?),
            "{changed} changed"
        );
    }
    Ok(longest)
}
