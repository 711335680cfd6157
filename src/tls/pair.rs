//! A certificate with its private key, read from PEM and checked. Must never show anything of the key.

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::CertifiedKey;
use x509_parser::extensions::GeneralName;
use x509_parser::prelude::{FromDer, X509Certificate};

/// A certificate chain and the private key of its first certificate, which belong together.
#[derive(Debug, Clone)]
pub struct Pair {
    /// What a handshake is made with.
    pub certified: Arc<CertifiedKey>,
    /// What the certificate says.
    pub facts: Facts,
}

/// What a certificate says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// Names and addresses that it holds for.
    pub names: Vec<String>,
    /// Its first moment, in ms since 1970-01-01 UTC.
    pub not_before: i64,
    /// Its last moment, in ms since 1970-01-01 UTC.
    pub not_after: i64,
}

/// Which of the two a fault is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The certificate.
    Certificate,
    /// The private key.
    Key,
}

/// Why a pair cannot be used: in Italian, for the operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Where it lies.
    pub part: Part,
    /// What is wrong.
    pub reason: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(&self.reason)
    }
}

impl std::error::Error for Fault {}

fn fault(part: Part, reason: impl Into<String>) -> Fault {
    Fault {
        part,
        reason: reason.into(),
    }
}

impl Facts {
    /// How long the certificate holds from its first moment to its last, in ms.
    pub fn lifetime(&self) -> i64 {
        self.not_after.saturating_sub(self.not_before).max(0)
    }
}

impl Pair {
    /// Reads a chain (the server's own certificate first) and the key, both PEM. Whatever else stands in either is left
    /// alone, so that one file may hold both.
    pub fn from_pem(chain: &[u8], key: &[u8]) -> Result<Self, Fault> {
        let chain = CertificateDer::pem_slice_iter(chain)
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| fault(Part::Certificate, format!("non è PEM valido ({error})")))?;
        let own = chain
            .first()
            .ok_or_else(|| fault(Part::Certificate, "non contiene un certificato PEM"))?;
        let facts = Facts::read(own)?;
        let key = PrivateKeyDer::from_pem_slice(key).map_err(|_| {
            let reason = "non contiene una chiave privata PEM (senza password)";
            fault(Part::Key, reason)
        })?;
        let provider = rustls::crypto::ring::default_provider();
        let certified =
            CertifiedKey::from_der(chain, key, &provider).map_err(|error| match error {
                rustls::Error::InconsistentKeys(_) => {
                    fault(Part::Key, "non è la chiave di questo certificato")
                }
                rustls::Error::InvalidCertificate(error) => {
                    fault(Part::Certificate, format!("non è utilizzabile ({error})"))
                }
                error => fault(Part::Key, format!("non è utilizzabile ({error})")),
            })?;
        Ok(Self {
            certified: Arc::new(certified),
            facts,
        })
    }

    /// Whether the certificate holds at `now` (ms).
    pub fn check_dates(&self, now: i64) -> Result<(), Fault> {
        if now < self.facts.not_before {
            let reason = "non vale ancora: controllare anche l'orologio di questa macchina";
            return Err(fault(Part::Certificate, reason));
        }
        if now > self.facts.not_after {
            return Err(fault(Part::Certificate, "è scaduto"));
        }
        Ok(())
    }
}

impl Facts {
    /// Reads a certificate in DER.
    pub fn of_der(certificate: &[u8]) -> Result<Self, Fault> {
        Self::read(&CertificateDer::from(certificate))
    }

    fn read(certificate: &CertificateDer<'_>) -> Result<Self, Fault> {
        let unreadable =
            |error: &dyn fmt::Display| fault(Part::Certificate, format!("non si legge ({error})"));
        let (_, certificate) =
            X509Certificate::from_der(certificate).map_err(|error| unreadable(&error))?;
        let names = certificate
            .subject_alternative_name()
            .map_err(|error| unreadable(&error))?
            .map(|extension| {
                let names = extension.value.general_names.iter();
                names.filter_map(name).collect()
            });
        let validity = certificate.validity();
        Ok(Self {
            names: names.unwrap_or_default(),
            not_before: validity.not_before.timestamp().saturating_mul(1_000),
            not_after: validity.not_after.timestamp().saturating_mul(1_000),
        })
    }
}

fn name(name: &GeneralName<'_>) -> Option<String> {
    match name {
        GeneralName::DNSName(name) => Some((*name).to_owned()),
        GeneralName::IPAddress(bytes) => address(bytes).map(|address| address.to_string()),
        _ => None,
    }
}

fn address(bytes: &[u8]) -> Option<IpAddr> {
    let four = <[u8; 4]>::try_from(bytes).map(IpAddr::from);
    four.or_else(|_| <[u8; 16]>::try_from(bytes).map(IpAddr::from))
        .ok()
}
