//! A certificate that the program gets by itself from an authority (RFC 8555), which asks for it at the port that is
//! served (TLS-ALPN-01, RFC 8737). Besides `courier` the only part that opens connections outward, and to the authority
//! alone. Must never ask more often than it is told to, nor leave visitors without the certificate that they had.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use futures_util::StreamExt as _;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use rustls_acme::{AcmeConfig, AcmeState, EventError, EventOk, OrderError};

use super::pair::{Facts, Pair};
use super::shelf::{Shelf, ShelfError};
use super::shown::{Kind, Shown};
use crate::config::Automatic as Request;

/// As much of what an authority says as is shown, in characters.
const SHOWN: usize = 300;

/// A certificate that is asked for and renewed.
pub struct Automatic {
    request: Request,
    /// What the authority's own server is trusted by; the authorities of the web when absent.
    client: Option<Arc<ClientConfig>>,
    shelf: Shelf,
    shown: Arc<Shown>,
}

impl Automatic {
    /// Shows the certificate of an earlier run if there is one; asks for nothing. `data` is the data folder.
    pub fn open(request: Request, data: &Path) -> Result<Self> {
        let client = request.root.as_deref().map(trusting).transpose()?;
        let shelf = Shelf::open(data, &request)?;
        let shown = Shown::nothing(Kind::Automatic);
        if let Some(pem) = shelf.certificate()? {
            match Pair::from_pem(&pem, &pem) {
                Ok(pair) => shown.show(pair),
                // Another one is asked for, as if there were none.
                Err(fault) => tracing::warn!(%fault, "the certificate of the last run is damaged"),
            }
        }
        Ok(Self {
            request,
            client,
            shelf,
            shown,
        })
    }

    /// What is shown of it.
    pub fn shown(&self) -> &Arc<Shown> {
        &self.shown
    }

    /// Whether one is to be asked for at `now` (ms): there is none, or two thirds of its time are over.
    pub fn is_due(&self, now: i64) -> bool {
        let times = self.shown.validity();
        times.is_none_or(|(first, last)| now >= last - (last - first) / 3)
    }

    /// Asks for one and shows it. Until it is there, what was shown before stays; dropped meanwhile, nothing happens.
    pub async fn obtain(&self) -> Result<(), String> {
        let mut order = self.order();
        let _answering = self.shown.answer(order.resolver());
        loop {
            match order.next().await {
                Some(Ok(EventOk::CertCacheStore)) => return self.take(),
                Some(Ok(_)) => {}
                Some(Err(EventError::CertCacheStore(error))) => {
                    self.take()?;
                    tracing::warn!(%error, "the new certificate is in use and cannot be stored");
                    return Ok(());
                }
                Some(Err(error)) => return Err(told(&error)),
                None => return Err("la richiesta si è interrotta".to_owned()),
            }
        }
    }

    /// Says once what went wrong; what is shown stays.
    pub fn fail(&self, reason: &str) {
        let problem = format!("Il certificato non si può ottenere, si riprova da soli: {reason}.");
        self.shown.complain(problem);
    }

    /// Has it said when the certificate in use was not renewed in time.
    pub fn watch_end(&self, now: i64) {
        self.shown.watch_end(now);
    }

    fn order(&self) -> AcmeState<ShelfError, ShelfError> {
        let Request {
            domains,
            directory,
            email,
            ..
        } = &self.request;
        let config = match &self.client {
            Some(client) => AcmeConfig::new_with_client_config(domains, Arc::clone(client)),
            None => AcmeConfig::new(domains),
        };
        let contact = email.iter().map(|email| format!("mailto:{email}"));
        let config = config.directory(directory).contact(contact);
        config.cache(self.shelf.clone()).state()
    }

    /// Shows what was just obtained.
    fn take(&self) -> Result<(), String> {
        let pem = self.shelf.take_obtained();
        let pem = pem.ok_or("l'autorità non ha dato un certificato")?;
        let pair = Pair::from_pem(&pem, &pem)
            .map_err(|fault| format!("il certificato ottenuto {fault}"))?;
        tracing::info!(names = ?pair.facts.names, "a certificate was obtained");
        self.shown.show(pair);
        Ok(())
    }
}

/// What the certificate of an earlier run, or of a running server, says; `None` where there is none yet. `data` is the data
/// folder.
pub fn stored(request: &Request, data: &Path) -> Result<Option<Facts>> {
    let Some(pem) = Shelf::of(data, request).certificate()? else {
        return Ok(None);
    };
    Ok(Some(Pair::from_pem(&pem, &pem)?.facts))
}

/// A client that trusts the certificates of this file only.
fn trusting(root: &Path) -> Result<Arc<ClientConfig>> {
    let fault = || format!("«acme_root» = «{}»: non si può usare", root.display());
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(root).with_context(fault)? {
        let certificate = certificate.with_context(fault)?;
        roots.add(certificate).with_context(fault)?;
    }
    anyhow::ensure!(
        !roots.is_empty(),
        "{}: non contiene certificati PEM",
        fault()
    );
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .context("TLS")?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(Arc::new(config))
}

/// What went wrong, in Italian, with the words of the authority where it has some.
fn told(error: &EventError<ShelfError, ShelfError>) -> String {
    let (what, detail) = match error {
        EventError::Order(OrderError::BadAuth(authorization)) => {
            let details = authorization.challenges.iter();
            let detail = details.filter_map(|challenge| challenge.error.as_ref()?.detail.clone());
            let rustls_acme::acme::Identifier::Dns(domain) = &authorization.identifier;
            (
                format!("l'autorità non ha ritrovato questo programma a {domain}, porta 443"),
                detail.collect::<Vec<_>>().join("; "),
            )
        }
        EventError::Order(OrderError::Acme(error)) => {
            let what = "l'autorità non risponde, o ha rifiutato la richiesta";
            (what.to_owned(), error.to_string())
        }
        EventError::AccountCacheLoad(error) | EventError::AccountCacheStore(error) => {
            let what = "la chiave dell'account non si può leggere o scrivere";
            (what.to_owned(), error.to_string())
        }
        error => ("la richiesta è fallita".to_owned(), error.to_string()),
    };
    let detail: String = detail.escape_debug().take(SHOWN).collect();
    format!("{what} ({detail})")
}
