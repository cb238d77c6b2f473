//! Tests of HTTPS and WSS over real sockets.

mod certificates;
mod handshakes;
mod reload;
mod speaking;

use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use shruti_testkit::TestServer;

/// Returns the TLS configuration of a client that trusts a certificate (PEM).
pub(crate) fn trusting(pem: &[u8], protocol: &[u8]) -> ClientConfig {
    trusting_by(rustls::DEFAULT_VERSIONS, pem, protocol)
}

/// Variant of [`trusting`] that allows only these versions of TLS.
fn trusting_by(
    versions: &[&'static rustls::SupportedProtocolVersion],
    pem: &[u8],
    protocol: &[u8],
) -> ClientConfig {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(pem).unwrap()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(versions)
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![protocol.to_vec()];
    config
}

/// Returns the TLS configuration of a client that trusts the server, for HTTP/1.1.
pub(crate) fn trusting_server(server: &TestServer) -> Arc<ClientConfig> {
    Arc::new(trusting(&server.certificate(), b"http/1.1"))
}

/// Returns a client that trusts the server.
fn client(server: &TestServer) -> shruti_client::Client {
    let url = format!("https://localhost:{}", server.address.port());
    let builder = shruti_client::Client::builder(&url, &server.key);
    builder.trust(&server.certificate()).unwrap().build().unwrap()
}
