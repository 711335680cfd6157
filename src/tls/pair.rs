//! A certificate with its private key, read from PEM and checked.

use std::io;
use std::path::Path;
use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::CertifiedKey;
use x509_parser::prelude::{FromDer, X509Certificate};
use zeroize::Zeroizing;

/// More than any chain or key has; a device or a log named by mistake is not read to its end.
const LARGEST: u64 = 1024 * 1024;

/// A certificate chain and the private key of its first certificate, which belong together.
#[derive(Debug)]
pub struct Pair {
    pub certified: Arc<CertifiedKey>,
    pub facts: Facts,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Facts {
    pub not_before: i64,
    pub not_after: i64,
}

impl Pair {
    /// Reads the files of `tls_cert` and `tls_key`, which may be one; usable at `now` (ms). Errors are in Italian.
    pub fn from_files(certificate: &Path, key: &Path, now: i64) -> Result<Self, String> {
        let bad_certificate =
            |reason: String| format!("«tls_cert» = «{}»: {reason}", certificate.display());
        let bad_key = |reason: &str| format!("«tls_key» = «{}»: {reason}", key.display());
        let chain = read_file(certificate).map_err(bad_certificate)?;
        let key = read_file(key).map_err(|reason| bad_key(&reason))?;
        let chain = CertificateDer::pem_slice_iter(&chain)
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| bad_certificate(format!("non è PEM valido ({error})")))?;
        let own = chain.first().ok_or("non contiene un certificato PEM");
        let facts = own
            .map_err(str::to_owned)
            .and_then(|own| Facts::of_der(own));
        let facts = facts.map_err(bad_certificate)?;
        let key = PrivateKeyDer::from_pem_slice(&key)
            .map_err(|_| bad_key("non contiene una chiave privata PEM (senza password)"))?;
        let provider = rustls::crypto::ring::default_provider();
        let certified =
            CertifiedKey::from_der(chain, key, &provider).map_err(|error| match error {
                rustls::Error::InconsistentKeys(_) => {
                    bad_key("non è la chiave di questo certificato")
                }
                error => bad_certificate(format!("non è utilizzabile con la sua chiave ({error})")),
            })?;
        facts.check_dates(now).map_err(bad_certificate)?;
        Ok(Self {
            certified: Arc::new(certified),
            facts,
        })
    }
}

impl Facts {
    pub fn of_pem(pem: &[u8]) -> Result<Self, String> {
        let certificate = CertificateDer::from_pem_slice(pem);
        Self::of_der(&certificate.map_err(|error| format!("non è PEM valido ({error})"))?)
    }

    pub fn of_der(certificate: &[u8]) -> Result<Self, String> {
        let (_, certificate) = X509Certificate::from_der(certificate)
            .map_err(|error| format!("non si legge ({error})"))?;
        let validity = certificate.validity();
        Ok(Self {
            not_before: validity.not_before.timestamp().saturating_mul(1_000),
            not_after: validity.not_after.timestamp().saturating_mul(1_000),
        })
    }

    /// How long the certificate holds from its first moment to its last, in ms.
    pub fn lifetime(&self) -> i64 {
        self.not_after.saturating_sub(self.not_before).max(0)
    }

    pub fn check_dates(&self, now: i64) -> Result<(), String> {
        if now < self.not_before {
            let reason = "non vale ancora: controllare anche l'orologio di questa macchina";
            return Err(reason.to_owned());
        }
        if now > self.not_after {
            return Err("è scaduto".to_owned());
        }
        Ok(())
    }
}

fn read_file(path: &Path) -> Result<Zeroizing<Vec<u8>>, String> {
    let metadata = std::fs::metadata(path);
    let content = metadata.and_then(|metadata| {
        if !metadata.is_file() || metadata.len() > LARGEST {
            return Err(io::ErrorKind::InvalidData.into());
        }
        std::fs::read(path)
    });
    let content = content.map_err(|error| format!("non si può leggere ({error})"))?;
    Ok(Zeroizing::new(content))
}
