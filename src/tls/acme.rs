//! A certificate that the program gets from an authority (RFC 8555), proved at the port that is served (TLS-ALPN-01, RFC 8737).
//! Besides the deliveries the only part that opens connections outward.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use futures_util::StreamExt as _;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use rustls_acme::caches::DirCache;
use rustls_acme::{AcmeConfig, AcmeState, CertCache as _, EventError, EventOk};

use super::pair::Facts;
use super::{Certificate, CertificateSource};
use crate::config::Automatic as Request;
use crate::store::folder_below;

/// Folder of certificate, key and account below the data, for its owner alone, in no backup.
const FOLDER: &str = "acme";
/// As much of what went wrong as is shown, in characters.
const SHOWN: usize = 600;
/// The first pause after an authority gave none; it doubles. Let's Encrypt forgives five failures an hour.
const FIRST_PAUSE: Duration = Duration::from_mins(1);
const LONGEST_PAUSE: Duration = Duration::from_hours(1);

/// Obtains the certificate and renews it when two thirds of its time are over.
pub struct Renewal {
    orders: AcmeState<std::io::Error>,
    request: Request,
    data: PathBuf,
    certificate: Arc<Certificate>,
}

impl Renewal {
    /// Asks for nothing yet. `data` is the data folder.
    pub fn open(request: &Request, data: &Path) -> Result<Self> {
        let unusable = || {
            format!(
                "impossibile creare la cartella {}",
                data.join(FOLDER).display()
            )
        };
        let folder = folder_below(data, FOLDER).with_context(unusable)?;
        let domains = &request.domains;
        let config = match request.root.as_deref().map(trusting).transpose()? {
            Some(client) => AcmeConfig::new_with_client_config(domains, client),
            None => AcmeConfig::new(domains),
        };
        let contact = request.email.iter().map(|email| format!("mailto:{email}"));
        let orders = config
            .directory(&request.directory)
            .contact(contact)
            .cache(DirCache::new(folder))
            .state();
        let certificate = Certificate::new(CertificateSource::Acme(orders.resolver()));
        match stored(request, data) {
            Ok(Some(facts)) => certificate.show(facts, None),
            Ok(None) => {}
            // Another one is asked for, as if there were none.
            Err(error) => tracing::warn!(%error, "the certificate of the last run is damaged"),
        }
        Ok(Self {
            orders,
            request: request.clone(),
            data: data.to_owned(),
            certificate,
        })
    }

    pub fn certificate(&self) -> &Arc<Certificate> {
        &self.certificate
    }

    /// Runs for ever. Waits longer after a failure than the library would.
    pub async fn run(self) {
        let (mut orders, certificate) = (self.orders, self.certificate);
        let mut pause = FIRST_PAUSE;
        while let Some(event) = orders.next().await {
            match event {
                Ok(EventOk::DeployedNewCert) => {
                    tracing::info!("a certificate was obtained");
                    pause = FIRST_PAUSE;
                }
                Ok(EventOk::CertCacheStore) => match load(&self.request, &self.data).await {
                    Ok(Some(facts)) => certificate.show(facts, None),
                    Ok(None) => {}
                    Err(error) => complain(&certificate, &error),
                },
                Ok(EventOk::DeployedCachedCert | EventOk::AccountCacheStore) => {}
                Err(error) => {
                    complain(&certificate, &error);
                    if matches!(error, EventError::Order(_)) {
                        tokio::time::sleep(pause).await;
                        pause = LONGEST_PAUSE.min(pause * 2);
                    }
                }
            }
        }
    }
}

fn complain(certificate: &Certificate, error: &dyn std::fmt::Display) {
    let detail: String = error.to_string().escape_debug().take(SHOWN).collect();
    certificate.complain(format!(
        "Il certificato non si può ottenere o conservare, si riprova da soli. Servono i nomi che portano qui e la porta 443 \
         vista da internet ({detail})."
    ));
}

/// The finding about the stored certificate; `None` if there is none yet. `data` is the data folder. Not for the event
/// loop.
pub fn stored(request: &Request, data: &Path) -> Result<Option<Facts>> {
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    runtime.block_on(load(request, data))
}

async fn load(request: &Request, data: &Path) -> Result<Option<Facts>> {
    let cache = DirCache::new(data.join(FOLDER));
    let pem = cache
        .load_cert(&request.domains, &request.directory)
        .await
        .context("il certificato ottenuto non si può leggere")?;
    pem.map(|pem| Facts::of_pem(&pem).map_err(anyhow::Error::msg))
        .transpose()
}

/// A client that trusts the certificates of this file only.
fn trusting(root: &Path) -> Result<Arc<ClientConfig>> {
    let fault = || format!("«acme_root» = «{}»: non si può usare", root.display());
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(root).with_context(fault)? {
        roots
            .add(certificate.with_context(fault)?)
            .with_context(fault)?;
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
