//! The panel's side of a server: a password, and somebody who is logged in. Must never leave a password in a file.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use super::http::{API, Connection, post};
use super::server::Installation;

/// Sets a password as an operator would.
pub fn make_password(installation: &Installation) -> Result<String> {
    let mut command = installation.confined(installation.program());
    command.args(["reset-password", "--generate", "--data-dir"]);
    let output = command.arg(installation.data()).output()?;
    let printed = String::from_utf8(output.stdout)?;
    let mut lines = printed.lines();
    let password = lines.find_map(|line| line.strip_prefix("Password: "));
    Ok(password.context("no password was printed")?.to_owned())
}

/// Nothing that arrives is too much: no proof of work is measured.
pub async fn expect_a_flood(address: SocketAddr, cookie: &str) -> Result<()> {
    save(
        address,
        cookie,
        "security",
        &json!({ "maxReportsPerDay": 1_000_000 }),
    )
    .await
}

/// Saves settings of a section.
pub async fn save(address: SocketAddr, cookie: &str, section: &str, body: &Value) -> Result<()> {
    let body = body.to_string();
    let request = format!(
        "PUT {API}/settings/{section} HTTP/1.1\r\nhost: localhost\r\nsec-fetch-site: same-origin\r\ncookie: {cookie}\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut connection = Connection::open(address).await?;
    connection.call(request.as_bytes()).await?.json().map(drop)
}

/// Logs in; answers the cookie, and how long it took.
pub async fn log_in(address: SocketAddr, password: &str) -> Result<(String, Duration)> {
    let mut connection = Connection::open(address).await?;
    let request = post("/session", &json!({ "password": password }));
    let begun = Instant::now();
    let answer = connection.call(&request).await?;
    let elapsed = begun.elapsed();
    ensure!(
        answer.status == 204,
        "the login was refused: {}",
        answer.status
    );
    let cookie = answer.field("set-cookie").context("no cookie")?;
    let cookie = cookie.split(';').next().unwrap_or_default();
    Ok((cookie.to_owned(), elapsed))
}
