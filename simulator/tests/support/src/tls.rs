//! Authorities made for one test, and a front that speaks TLS before a server that does not.

use std::net::SocketAddr;
use std::sync::Arc;

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa,
    KeyPair, date_time_ymd,
};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio_rustls::TlsAcceptor;

use super::{WORKS, taken_address};

/// Somebody who issues certificates, and whom nobody trusts yet.
pub struct Authority(CertifiedIssuer<'static, KeyPair>);

/// A certificate and its private key.
pub struct IssuedCertificate {
    certificate: rcgen::Certificate,
    key: KeyPair,
}

impl Default for Authority {
    fn default() -> Self {
        let mut params = CertificateParams::new(Vec::new()).expect(WORKS);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().expect(WORKS);
        // Two of one name would be taken for one.
        let name = format!("authority {:?}", &key.public_key_raw()[..8]);
        params.distinguished_name.push(DnType::CommonName, name);
        Authority(CertifiedIssuer::self_signed(params, key).expect(WORKS))
    }
}

impl Authority {
    /// What whoever trusts it has in a file.
    #[must_use]
    pub fn pem(&self) -> String {
        self.0.pem()
    }

    /// A certificate for a server of these names and addresses.
    #[must_use]
    pub fn server(&self, names: &[&str]) -> IssuedCertificate {
        self.issue(names, ExtendedKeyUsagePurpose::ServerAuth, 2999, IsCa::NoCa)
    }

    /// The same, which could issue others: an authority's, and no server's.
    #[must_use]
    pub fn subordinate(&self, names: &[&str]) -> IssuedCertificate {
        let is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        self.issue(names, ExtendedKeyUsagePurpose::ServerAuth, 2999, is_ca)
    }

    /// The same, which has expired at the beginning of 2020.
    #[must_use]
    pub fn expired(&self, names: &[&str]) -> IssuedCertificate {
        self.issue(names, ExtendedKeyUsagePurpose::ServerAuth, 2020, IsCa::NoCa)
    }

    /// A client's certificate.
    #[must_use]
    pub fn client(&self) -> IssuedCertificate {
        let usage = ExtendedKeyUsagePurpose::ClientAuth;
        self.issue(&["a client"], usage, 2999, IsCa::NoCa)
    }

    fn issue(
        &self,
        names: &[&str],
        usage: ExtendedKeyUsagePurpose,
        until: i32,
        is_ca: IsCa,
    ) -> IssuedCertificate {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let mut params = CertificateParams::new(names).expect(WORKS);
        params.extended_key_usages = vec![usage];
        params.is_ca = is_ca;
        params.not_after = date_time_ymd(until, 1, 1);
        let key = KeyPair::generate().expect(WORKS);
        let certificate = params.signed_by(&key, &self.0).expect(WORKS);
        IssuedCertificate { certificate, key }
    }
}

impl IssuedCertificate {
    /// Certificate and key, one after the other.
    #[must_use]
    pub fn pem(&self) -> String {
        format!("{}{}", self.certificate.pem(), self.key.serialize_pem())
    }
}

/// A front that speaks TLS and hands on what it hears. On a thread of its own; it ends with the value.
pub struct TlsFront {
    /// Its address, with `localhost` for the host.
    pub url: String,
    /// Its address.
    pub address: SocketAddr,
    _stop: oneshot::Sender<()>,
}

impl TlsFront {
    /// A front of the server at an address.
    #[must_use]
    pub fn of(upstream: SocketAddr, own: &IssuedCertificate) -> Self {
        TlsFront::start(upstream, own, None)
    }

    /// The same, which asks its clients for a certificate that this authority has issued.
    #[must_use]
    pub fn of_known_clients(
        upstream: SocketAddr,
        own: &IssuedCertificate,
        clients: &Authority,
    ) -> Self {
        TlsFront::start(upstream, own, Some(clients))
    }

    fn start(upstream: SocketAddr, own: &IssuedCertificate, clients: Option<&Authority>) -> Self {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(Arc::clone(&provider));
        let config = config.with_safe_default_protocol_versions().expect(WORKS);
        let config = match clients {
            None => config.with_no_client_auth(),
            Some(authority) => {
                let mut known = RootCertStore::empty();
                known.add(authority.0.der().clone()).expect(WORKS);
                let verifier =
                    WebPkiClientVerifier::builder_with_provider(Arc::new(known), provider);
                config.with_client_cert_verifier(verifier.build().expect(WORKS))
            }
        };
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(own.key.serialize_der()));
        let chain = vec![own.certificate.der().clone()];
        let config = config.with_single_cert(chain, key).expect(WORKS);
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = taken_address();
        let address = listener.local_addr().expect(WORKS);
        let (stop, mut stopped) = oneshot::channel();
        std::thread::spawn(move || {
            let mut runtime = tokio::runtime::Builder::new_current_thread();
            let runtime = runtime.enable_all().build().expect(WORKS);
            runtime.block_on(async {
                listener.set_nonblocking(true).expect(WORKS);
                let listener = tokio::net::TcpListener::from_std(listener).expect(WORKS);
                loop {
                    tokio::select! {
                        _ = &mut stopped => return,
                        Ok((stream, _)) = listener.accept() => {
                            tokio::spawn(hand_on(acceptor.clone(), stream, upstream));
                        }
                    }
                }
            });
        });
        TlsFront {
            url: format!("https://localhost:{}", address.port()),
            address,
            _stop: stop,
        }
    }
}

/// What breaks is the client's to notice.
async fn hand_on(acceptor: TlsAcceptor, stream: TcpStream, upstream: SocketAddr) {
    let Ok(mut inside) = acceptor.accept(stream).await else {
        return;
    };
    let Ok(mut behind) = TcpStream::connect(upstream).await else {
        return;
    };
    let _ = tokio::io::copy_bidirectional(&mut inside, &mut behind).await;
}
