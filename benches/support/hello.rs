//! The machine's limit for one answer: a bare axum that says hello, in another process of the bench.

use std::io::{self, Read as _};
use std::net::{Ipv4Addr, SocketAddr};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::Result;
use axum::routing::get as on_get;
use axum::{Json, Router};
use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use serde_json::json;

use super::client::get;
use super::figures::say;
use super::load::{Load, Outcome, run};
use super::server::Server;

/// The flag with which a bench serves hello instead of measuring.
const FLAG: &str = "--hello";

pub fn start() -> Result<Server> {
    let mut command = Command::new(std::env::current_exe()?);
    Server::listening(command.arg(FLAG).stdin(Stdio::piped()))
}

pub fn measure(address: SocketAddr, clients: usize, span: Duration) -> Result<Outcome> {
    let hello = Load::repeated(vec![get("/hello", "")], br#"{"hello":"world"}"#);
    run(address, clients, &hello, span)
}

/// In the other process: serves until standard input ends, and with it the bench.
pub fn serve_if_asked() -> Result<()> {
    if !std::env::args().any(|argument| argument == FLAG) {
        return Ok(());
    }
    std::thread::spawn(|| {
        let _ = io::stdin().read_to_end(&mut Vec::new());
        std::process::exit(0);
    });
    let runtime = tokio::runtime::Runtime::new()?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let hello = on_get(async || Json(json!({ "hello": "world" })));
        let router = Router::new().route("/hello", hello);
        say(&format!("http://{}/", listener.local_addr()?));
        loop {
            let (stream, _) = listener.accept().await?;
            stream.set_nodelay(true)?;
            let service = TowerToHyperService::new(router.clone());
            // A client that goes away is no failure.
            tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
        }
    })
}
