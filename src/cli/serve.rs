//! `segnalazioni serve`: runs the server until it is told to stop.
//! Must never print the set-up link anywhere but on standard output, which is the operator's.

use std::path::PathBuf;

use clap::Args;

use super::{Common, load, say};
use crate::app::{self, Options, Running};
use crate::config::{Config, Encryption, Flags};
use crate::telemetry;

/// Arguments of `serve`.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    common: Common,
    /// Indirizzo e porta su cui ascoltare [predefiniti: 127.0.0.1:8080]
    #[arg(long, value_name = "ADDR")]
    listen: Option<String>,
    /// Certificato (PEM, con la catena) con cui rispondere in https
    #[arg(long, value_name = "FILE")]
    tls_cert: Option<PathBuf>,
    /// Chiave privata del certificato (PEM)
    #[arg(long, value_name = "FILE")]
    tls_key: Option<PathBuf>,
    /// Nome per cui ottenere da soli il certificato e rispondere in https; si può ripetere
    #[arg(long = "domain", value_name = "NOME")]
    domains: Vec<String>,
    /// Indirizzo e porta da cui chi arriva in chiaro è mandato all'indirizzo pubblico
    #[arg(long, value_name = "ADDR")]
    http_listen: Option<String>,
    /// Dimostrazione: dati finti in memoria, niente viene scritto né inviato
    #[arg(long)]
    demo: bool,
    /// Accetta di servire in chiaro su un indirizzo raggiungibile da altri
    #[arg(long)]
    insecure_http: bool,
    /// Indirizzo e porta di questa macchina su cui dare le misure al monitoraggio, in /metrics
    #[arg(long, value_name = "ADDR")]
    metrics_listen: Option<String>,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let flags = Flags {
        listen: arguments.listen.clone(),
        tls_cert: arguments.tls_cert.clone(),
        tls_key: arguments.tls_key.clone(),
        domains: arguments.domains.clone(),
        http_listen: arguments.http_listen.clone(),
        insecure_http: arguments.insecure_http,
        metrics_listen: arguments.metrics_listen.clone(),
        ..arguments.common.flags()
    };
    let config = load(&flags)?;
    telemetry::init(config.log, config.log_format)?;
    let options = if arguments.demo {
        Options::demo()
    } else {
        Options::live()
    };
    let running = app::start(&config, options)?;
    let signals = running.catch_signals()?;
    warn_of_unknown_proxy(&config);
    greet(&running, arguments.demo)?;
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

fn greet(running: &Running, demo: bool) -> anyhow::Result<()> {
    say(&format!("Segnalazioni è in ascolto: {}", running.url()))?;
    let certificate = running.certificate();
    if certificate.is_some_and(|status| status.not_after.is_none()) {
        say("Il certificato viene chiesto ora: finché non arriva la pagina non si apre.")?;
    }
    if let Some(address) = running.metrics_url() {
        say(&format!("Le misure per il monitoraggio: {address}"))?;
    }
    if demo {
        say(
            "Modalità dimostrativa: i dati sono finti e restano in memoria. La password è nella pagina di accesso.",
        )?;
    }
    if let Some(link) = running.setup_url() {
        say(&format!(
            "Per impostare la password del pannello apri questo link entro 30 minuti:\n  {link}"
        ))?;
        say("oppure, da questo computer: segnalazioni reset-password")?;
    }
    Ok(())
}
