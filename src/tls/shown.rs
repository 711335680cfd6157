//! The certificate that visitors are shown at this moment, and how it stands. It changes while handshakes go on: each
//! takes the one that is there. Must never go back to having none.

use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use rustls::ServerConfig;
use rustls::server::{ClientHello, ResolvesServerCert, ServerSessionMemoryCache};
use rustls::sign::CertifiedKey;
use rustls::version::{TLS12, TLS13};
use rustls_acme::acme::ACME_TLS_ALPN_NAME;
use rustls_acme::{ResolvesServerCertAcme, is_tls_alpn_challenge};
use serde::Serialize;

use super::pair::{Facts, Pair};

/// The only protocol that is spoken inside (RFC 7301).
const HTTP_1_1: &[u8] = b"http/1.1";
/// Sessions that are remembered, so that a phone that comes back need not shake hands in full.
const SESSIONS: usize = 4_096;
/// How long before its end a certificate should have been replaced, in ms: a week.
const LATE: i64 = 7 * 24 * 60 * 60 * 1_000;

/// Where a certificate comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Files that somebody else renews.
    Files,
    /// An authority that the program asks by itself.
    Automatic,
}

/// How the certificate stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Status {
    /// Where it comes from.
    pub kind: Kind,
    /// Names and addresses that it holds for; none while there is no certificate.
    pub names: Vec<String>,
    /// Its last moment, in ms since 1970-01-01 UTC; `None` while there is no certificate.
    pub not_after: Option<i64>,
    /// What is wrong, in Italian; `None` when all is well.
    pub problem: Option<String>,
}

/// The certificate that is shown.
#[derive(Debug)]
pub struct Shown {
    kind: Kind,
    inner: RwLock<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    pair: Option<Pair>,
    /// What an authority is shown that looks whether we are whom we say.
    proof: Option<Arc<ResolvesServerCertAcme>>,
    problem: Option<String>,
    /// The operator has been told that this one ends soon.
    told_late: bool,
}

impl Shown {
    /// Nothing to show yet: handshakes fail.
    pub fn nothing(kind: Kind) -> Arc<Self> {
        Arc::new(Self {
            kind,
            inner: RwLock::default(),
        })
    }

    /// How it stands at `now` (ms).
    pub fn status(&self, now: i64) -> Status {
        let inner = self.read();
        let facts = inner.pair.as_ref().map(|pair| &pair.facts);
        let dates = inner.pair.as_ref().map(|pair| pair.check_dates(now));
        let outdated = dates.and_then(Result::err);
        let outdated = outdated.map(|fault| format!("Il certificato in uso {fault}."));
        Status {
            kind: self.kind,
            names: facts.map(|facts| facts.names.clone()).unwrap_or_default(),
            not_after: facts.map(|facts| facts.not_after),
            problem: inner.problem.clone().or(outdated),
        }
    }

    /// What handshakes are made with: TLS 1.2 and 1.3 (ASVS 12.1.1), this certificate as it changes.
    pub fn server_config(self: &Arc<Self>) -> Result<Arc<ServerConfig>, rustls::Error> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let resolver: Arc<dyn ResolvesServerCert> = self.clone();
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_protocol_versions(&[&TLS13, &TLS12])?
            .with_no_client_auth()
            .with_cert_resolver(resolver);
        config.alpn_protocols = vec![HTTP_1_1.to_vec()];
        if self.kind == Kind::Automatic {
            config.alpn_protocols.push(ACME_TLS_ALPN_NAME.to_vec());
        }
        config.session_storage = ServerSessionMemoryCache::new(SESSIONS);
        Ok(Arc::new(config))
    }

    /// Shows this one from now on. Whatever was wrong is over.
    pub(super) fn show(&self, pair: Pair) {
        let mut inner = self.write();
        if inner.problem.take().is_some() {
            tracing::info!("the certificate is well again");
        }
        inner.told_late = false;
        inner.pair = Some(pair);
    }

    /// Keeps what is shown, and says once what is wrong (`problem` in Italian).
    pub(super) fn complain(&self, problem: String) {
        let mut inner = self.write();
        // What an authority answers differs each time; that there is trouble is told once.
        let told = match self.kind {
            Kind::Files => inner.problem.as_ref() == Some(&problem),
            Kind::Automatic => inner.problem.is_some(),
        };
        if !told {
            let kept = inner.pair.is_some();
            tracing::warn!(
                problem,
                kept,
                "the certificate cannot be replaced: trying again"
            );
        }
        inner.problem = Some(problem);
    }

    /// Says once when the certificate in use ends within a week, or a sixth of its time if that is shorter: whoever renews it
    /// has not.
    pub(super) fn watch_end(&self, now: i64) {
        let mut inner = self.write();
        let Some(facts) = inner.pair.as_ref().map(|pair| &pair.facts) else {
            return;
        };
        let left = facts.not_after - now;
        if left < LATE.min(facts.lifetime() / 6) && !inner.told_late {
            inner.told_late = true;
            tracing::warn!(
                days = left.max(0) / (24 * 60 * 60 * 1_000),
                "the certificate ends soon and was not renewed"
            );
        }
    }

    /// What the certificate that is shown says of itself.
    pub fn facts(&self) -> Option<Facts> {
        self.read().pair.as_ref().map(|pair| pair.facts.clone())
    }

    /// First and last moment of what is shown, in ms.
    pub(super) fn validity(&self) -> Option<(i64, i64)> {
        let inner = self.read();
        let facts = inner.pair.as_ref().map(|pair| &pair.facts);
        facts.map(|facts| (facts.not_before, facts.not_after))
    }

    /// Answers the authority with these proofs until the answer is dropped.
    pub(super) fn answer(&self, proof: Arc<ResolvesServerCertAcme>) -> Answering<'_> {
        self.write().proof = Some(proof);
        Answering(self)
    }

    fn read(&self) -> RwLockReadGuard<'_, Inner> {
        self.inner.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Inner> {
        self.inner.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// While it lives, the authority is answered.
pub(super) struct Answering<'a>(&'a Shown);

impl Drop for Answering<'_> {
    fn drop(&mut self) {
        self.0.write().proof = None;
    }
}

impl ResolvesServerCert for Shown {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        let inner = self.read();
        if is_tls_alpn_challenge(&hello) {
            return inner.proof.as_ref()?.resolve(hello);
        }
        inner.pair.as_ref().map(|pair| Arc::clone(&pair.certified))
    }
}
