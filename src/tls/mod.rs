//! Encryption of our own (`PRODUCT.md §15`): the certificate that visitors are shown, from files or from an authority.
//! Must never talk to a visitor, nor let go of a certificate that works for one that does not.

pub mod acme;
pub mod pair;

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Result;
use parking_lot::Mutex;
use rustls::ServerConfig;
use rustls::server::{ClientHello, ResolvesServerCert, ServerSessionMemoryCache};
use rustls::sign::CertifiedKey;
use rustls::version::{TLS12, TLS13};
use rustls_acme::ResolvesServerCertAcme;
use rustls_acme::acme::ACME_TLS_ALPN_NAME;

use pair::{Facts, Pair};

/// The only protocol that is spoken inside (RFC 7301).
const HTTP_1_1: &[u8] = b"http/1.1";
/// Sessions that are remembered, so that a phone that comes back need not shake hands in full.
const SESSIONS: usize = 4_096;
/// How long before its end a certificate should have been replaced, in ms: a week.
const LATE_MS: i64 = 7 * DAY_MS;
const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

/// The certificate that visitors are shown. It changes while handshakes go on.
#[derive(Debug)]
pub struct Certificate {
    source: CertificateSource,
    state: Mutex<CertificateState>,
}

/// The certificate shown to visitors; `None` without TLS of our own.
pub type ShownCertificate = Option<Arc<Certificate>>;

#[derive(Debug)]
enum CertificateSource {
    /// Two PEM files that another program renews.
    Files { certificate: PathBuf, key: PathBuf },
    /// An authority that the program asks by itself.
    Acme(Arc<ResolvesServerCertAcme>),
}

#[derive(Debug, Default)]
struct CertificateState {
    /// The certificate from files.
    certified: Option<Arc<CertifiedKey>>,
    facts: Option<Facts>,
    problem: Option<String>,
    /// The operator has been told that this one ends soon.
    end_announced: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CertificateStatus {
    /// Its last moment, in ms; `None` while there is no certificate.
    pub not_after: Option<i64>,
    /// The fault, in Italian.
    pub problem: Option<String>,
}

/// Whether a connection of this protocol (RFC 7301) is an authority's that asks for a proof.
pub fn is_proof(protocol: &[u8]) -> bool {
    protocol == ACME_TLS_ALPN_NAME
}

impl Certificate {
    /// The certificate of two files, which must be usable at `now` (ms).
    pub fn from_files(certificate: &Path, key: &Path, now: i64) -> Result<Arc<Self>> {
        let pair = Pair::from_files(certificate, key, now).map_err(anyhow::Error::msg)?;
        let everybody = 0o004;
        let mode = std::fs::metadata(key).map_or(0, |metadata| metadata.mode());
        if mode & everybody != 0 {
            tracing::warn!("every user of this machine can read the file of tls_key");
        }
        let shown = Self::new(CertificateSource::Files {
            certificate: certificate.to_owned(),
            key: key.to_owned(),
        });
        shown.show(pair.facts, Some(pair.certified));
        Ok(shown)
    }

    fn new(source: CertificateSource) -> Arc<Self> {
        Arc::new(Self {
            source,
            state: Mutex::default(),
        })
    }

    pub fn status(&self, now: i64) -> CertificateStatus {
        let state = self.state.lock();
        let facts = state.facts.as_ref();
        let outdated = facts.and_then(|facts| facts.check_dates(now).err());
        let outdated = outdated.map(|fault| format!("Il certificato in uso {fault}."));
        CertificateStatus {
            not_after: facts.map(|facts| facts.not_after),
            problem: state.problem.clone().or(outdated),
        }
    }

    /// The configuration of handshakes: TLS 1.2 and 1.3 (ASVS 12.1.1), with this certificate as it changes.
    pub fn server_config(self: &Arc<Self>) -> Result<Arc<ServerConfig>, rustls::Error> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let resolver: Arc<dyn ResolvesServerCert> = self.clone();
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_protocol_versions(&[&TLS13, &TLS12])?
            .with_no_client_auth()
            .with_cert_resolver(resolver);
        config.alpn_protocols = vec![HTTP_1_1.to_vec()];
        if matches!(self.source, CertificateSource::Acme(_)) {
            config.alpn_protocols.push(ACME_TLS_ALPN_NAME.to_vec());
        }
        config.session_storage = ServerSessionMemoryCache::new(SESSIONS);
        Ok(Arc::new(config))
    }

    /// Takes what its files hold now, if it can be used, and says once when the certificate in use ends unrenewed.
    pub fn refresh(&self, now: i64) {
        if let CertificateSource::Files { certificate, key } = &self.source {
            match Pair::from_files(certificate, key, now) {
                Ok(pair) => self.show(pair.facts, Some(pair.certified)),
                Err(fault) => self.complain(format!(
                    "Il nuovo certificato non si può usare, resta quello di prima: {fault}."
                )),
            }
        }
        self.announce_end(now);
    }

    /// Shows this one from now on; `certified` is `None` where the library shows it. Whatever was wrong is over.
    fn show(&self, facts: Facts, certified: Option<Arc<CertifiedKey>>) {
        let mut state = self.state.lock();
        if state.problem.is_some() {
            tracing::info!("the certificate is well again");
        }
        *state = CertificateState {
            end_announced: state.end_announced && state.facts.as_ref() == Some(&facts),
            facts: Some(facts),
            certified,
            ..CertificateState::default()
        };
    }

    /// Keeps what is shown, and says once what is wrong (`problem` in Italian).
    fn complain(&self, problem: String) {
        let mut state = self.state.lock();
        if state.problem.as_ref() != Some(&problem) {
            let kept = state.facts.is_some();
            tracing::warn!(
                problem,
                kept,
                "the certificate cannot be replaced: trying again"
            );
        }
        state.problem = Some(problem);
    }

    fn announce_end(&self, now: i64) {
        let mut state = self.state.lock();
        let Some(facts) = &state.facts else { return };
        let left = facts.not_after - now;
        if left < LATE_MS.min(facts.lifetime() / 6) && !state.end_announced {
            state.end_announced = true;
            let days = left.max(0) / DAY_MS;
            tracing::warn!(days, "the certificate ends soon and was not renewed");
        }
    }
}

impl ResolvesServerCert for Certificate {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        match &self.source {
            CertificateSource::Files { .. } => self.state.lock().certified.clone(),
            CertificateSource::Acme(acme) => acme.resolve(hello),
        }
    }
}

#[cfg(test)]
mod tests;
