//! A certificate authority that lives for one test, and servers that it vouches for.

use std::io;
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::PATIENCE;
use jiff::civil::Date;
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, date_time_ymd,
};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{
    ClientConfig, ClientConnection, RootCertStore, ServerConfig, SupportedProtocolVersion,
};

/// A client of these versions that trusts this authority alone.
pub fn trusting(
    authority: CertificateDer<'static>,
    versions: &[&'static SupportedProtocolVersion],
) -> Arc<ClientConfig> {
    let mut roots = RootCertStore::empty();
    roots.add(authority).expect("a certificate");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(versions)
        .expect("versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    Arc::new(config)
}

/// Shakes hands with a server of this name; the session, or why there is none.
pub fn shake(
    address: SocketAddr,
    name: &str,
    config: Arc<ClientConfig>,
) -> io::Result<ClientConnection> {
    let name = ServerName::try_from(name.to_owned()).expect("a name");
    let mut session = ClientConnection::new(config, name).expect("a session");
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    while session.is_handshaking() {
        session.complete_io(&mut stream)?;
    }
    Ok(session)
}

pub fn shown(session: &ClientConnection) -> Vec<u8> {
    let chain = session.peer_certificates().expect("certificates");
    chain[0].as_ref().to_vec()
}

pub struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
}

impl Authority {
    pub fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).expect("parameters");
        // Two authorities of one name would differ in the key alone.
        let name = format!("Prova {}", uuid::Uuid::new_v4());
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().expect("a key");
        let issuer = CertifiedIssuer::self_signed(params, key).expect("an authority");
        Self { issuer }
    }

    /// Its certificate in a file, for `SSL_CERT_FILE`.
    pub fn file(&self, folder: &Path) -> PathBuf {
        let path = folder.join("authority.pem");
        std::fs::write(&path, self.issuer.pem()).expect("written");
        path
    }

    /// Its certificate as the only one that a client trusts.
    pub fn trusted(&self) -> Arc<ClientConfig> {
        self.trusted_by(rustls::DEFAULT_VERSIONS)
    }

    /// The same for a client of these versions.
    pub fn trusted_by(&self, versions: &[&'static SupportedProtocolVersion]) -> Arc<ClientConfig> {
        trusting(self.issuer.der().clone(), versions)
    }

    /// A certificate for this name and its key, both PEM, valid until the end of that year.
    pub fn issue(&self, name: &str, until: i32) -> (String, String) {
        let key = KeyPair::generate().expect("a key");
        let mut params = CertificateParams::new(vec![name.to_owned()]).expect("parameters");
        params.not_after = date_time_ymd(until, 12, 31);
        let certificate = params.signed_by(&key, &self.issuer).expect("a certificate");
        (certificate.pem(), key.serialize_pem())
    }

    pub fn server(&self, name: &str) -> Arc<ServerConfig> {
        self.vouch(&CertificateParams::new(vec![name.to_owned()]).expect("parameters"))
    }

    /// The same with a certificate that also begins at the beginning of a day.
    pub fn server_between(&self, name: &str, first: Date, last: Date) -> Arc<ServerConfig> {
        let mut params = CertificateParams::new(vec![name.to_owned()]).expect("parameters");
        let begins = |day: Date| {
            let [month, of_month] =
                [day.month(), day.day()].map(|number| u8::try_from(number).expect("a number"));
            date_time_ymd(day.year().into(), month, of_month)
        };
        params.not_before = begins(first);
        params.not_after = begins(last);
        self.vouch(&params)
    }

    fn vouch(&self, params: &CertificateParams) -> Arc<ServerConfig> {
        let key = KeyPair::generate().expect("a key");
        let certificate = params.signed_by(&key, &self.issuer).expect("a certificate");
        let private = PrivateKeyDer::try_from(key.serialize_der()).expect("a key");
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], private);
        Arc::new(config.expect("a configuration"))
    }
}
