//! A certificate with its private key, read from PEM and checked. Must never show anything of the key.

use std::io;
use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::CertifiedKey;
use x509_parser::extensions::GeneralName;
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

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// Names and addresses that it holds for.
    pub names: Vec<String>,
    /// Its first moment, in ms.
    pub not_before: i64,
    /// Its last moment, in ms.
    pub not_after: i64,
}

/// Why a pair cannot be used, in Italian: what is wrong with the certificate, or with the key.
enum Fault {
    Certificate(String),
    Key(String),
}

impl Pair {
    /// Reads the files of `tls_cert` and `tls_key`; what they hold must be usable at `now` (ms). Both may be one file.
    pub fn from_files(certificate: &Path, key: &Path, now: i64) -> Result<Self, String> {
        let read =
            |path: &Path| read_file(path).map_err(|error| format!("non si può leggere ({error})"));
        let pair = read(certificate).map_err(Fault::Certificate);
        let pair = pair.and_then(|chain| {
            let key = read(key).map_err(Fault::Key)?;
            let pair = Self::from_pem(&chain, &key)?;
            pair.facts.check_dates(now).map_err(Fault::Certificate)?;
            Ok(pair)
        });
        pair.map_err(|fault| match fault {
            Fault::Certificate(reason) => {
                format!("«tls_cert» = «{}»: {reason}", certificate.display())
            }
            Fault::Key(reason) => format!("«tls_key» = «{}»: {reason}", key.display()),
        })
    }

    fn from_pem(chain: &[u8], key: &[u8]) -> Result<Self, Fault> {
        let chain = CertificateDer::pem_slice_iter(chain)
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| Fault::Certificate(format!("non è PEM valido ({error})")))?;
        let own = chain
            .first()
            .ok_or_else(|| Fault::Certificate("non contiene un certificato PEM".to_owned()))?;
        let facts = Facts::of_der(own).map_err(Fault::Certificate)?;
        let key = PrivateKeyDer::from_pem_slice(key).map_err(|_| {
            Fault::Key("non contiene una chiave privata PEM (senza password)".to_owned())
        })?;
        let provider = rustls::crypto::ring::default_provider();
        let certified = CertifiedKey::from_der(chain, key, &provider);
        let certified = certified.map_err(|error| match error {
            rustls::Error::InconsistentKeys(_) => {
                Fault::Key("non è la chiave di questo certificato".to_owned())
            }
            rustls::Error::InvalidCertificate(error) => {
                Fault::Certificate(format!("non è utilizzabile ({error})"))
            }
            error => Fault::Key(format!("non è utilizzabile ({error})")),
        })?;
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
        let unreadable = |error: &dyn std::fmt::Display| format!("non si legge ({error})");
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

    /// How long the certificate holds from its first moment to its last, in ms.
    pub fn lifetime(&self) -> i64 {
        self.not_after.saturating_sub(self.not_before).max(0)
    }

    /// Whether the certificate holds at `now` (ms).
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

fn read_file(path: &Path) -> io::Result<Zeroizing<Vec<u8>>> {
    let metadata = std::fs::metadata(path)?;
    if !metadata.is_file() || metadata.len() > LARGEST {
        return Err(io::ErrorKind::InvalidData.into());
    }
    std::fs::read(path).map(Zeroizing::new)
}

fn name(name: &GeneralName<'_>) -> Option<String> {
    match name {
        GeneralName::DNSName(name) => Some((*name).to_owned()),
        GeneralName::IPAddress(bytes) => {
            let four = <[u8; 4]>::try_from(*bytes).map(IpAddr::from);
            let address = four.or_else(|_| <[u8; 16]>::try_from(*bytes).map(IpAddr::from));
            address.ok().map(|address| address.to_string())
        }
        _ => None,
    }
}
