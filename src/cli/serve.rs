//! `segnalazioni serve`: runs the server until it is told to stop.

use clap::Args;

use super::load_with;
use crate::app::{self, Options, Running};
use crate::config::{Config, Encryption, Flags};
use crate::http::state::Mode;
use crate::telemetry;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    flags: Flags,
    /// Dimostrazione: dati finti in memoria, niente viene scritto né inviato
    #[arg(long)]
    demo: bool,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let config = load_with(&arguments.flags)?;
    let _log = telemetry::init(config.log, config.log_format)?;
    let mode = if arguments.demo {
        Mode::Demo
    } else {
        Mode::Live
    };
    let running = app::start(&config, &Options::new(mode))?;
    let signals = running.catch_signals()?;
    warn_of_unknown_proxy(&config);
    let _said = telemetry::announce(&greeting(&running, arguments.demo))?;
    running.wait(signals)
}

/// Behind a proxy that is not named every client has the proxy's address: one stranger's guesses would lock out everybody.
fn warn_of_unknown_proxy(config: &Config) {
    let proxied = config.is_https() && config.encryption == Encryption::None;
    if proxied && config.trusted_proxies.is_empty() {
        tracing::warn!(
            "public_url is https and trusted_proxies is empty: limits, allow-list and log see only the proxy's address"
        );
    }
}

/// The lines that the operator is told on stdout.
fn greeting(running: &Running, demo: bool) -> String {
    let certificate = running.certificate();
    let is_awaited = certificate.is_some_and(|status| status.not_after.is_none());
    let lines = [
        Some(format!("Segnalazioni è in ascolto: {}", running.url())),
        is_awaited.then(|| "Il certificato viene chiesto ora: finché non arriva la pagina non si apre.".to_owned()),
        running.metrics_url().map(|address| format!("Le misure per il monitoraggio: {address}")),
        demo.then(|| "Modalità dimostrativa: i dati sono finti e restano in memoria. La password è nella pagina di accesso.".to_owned()),
        running.setup_url().map(|link| {
            format!(
                "Per impostare la password del pannello apri questo link entro 30 minuti:\n  {link}\n\
                 oppure, da questo computer: segnalazioni reset-password"
            )
        }),
    ];
    let lines = lines.into_iter().flatten();
    lines.map(|line| line + "\n").collect()
}
