//! Tests of certificates that a client must reject, and of the client's errors.

use std::time::{Duration, SystemTime};

use rcgen::{CertificateParams, KeyPair};
use shruti_client::{Client, Error};
use shruti_http::TlsFiles;
use shruti_protocol::SynthesisRequest;
use shruti_testkit::TestServer;

const DAY: Duration = Duration::from_hours(24);

/// Starts a server with a certificate for a name. Returns the server and the certificate in PEM. `days` are the
/// start and the end of the validity, in days from now.
async fn server(name: &str, days: [i32; 2]) -> (TestServer, Vec<u8>) {
    let at = |days: i32| {
        let distance = DAY * days.unsigned_abs();
        if days < 0 { SystemTime::now() - distance } else { SystemTime::now() + distance }
    };
    let mut parameters = CertificateParams::new([name.to_owned()]).unwrap();
    parameters.not_before = at(days[0]).into();
    parameters.not_after = at(days[1]).into();
    let key = KeyPair::generate().unwrap();
    let pem = parameters.self_signed(&key).unwrap().pem();
    let folder = tempfile::tempdir().unwrap();
    let files = TlsFiles { certificate: folder.path().join("c.pem"), key: folder.path().join("k.pem") };
    std::fs::write(&files.certificate, &pem).unwrap();
    std::fs::write(&files.key, key.serialize_pem()).unwrap();
    (TestServer::builder().tls_of(files).start().await, pem.into_bytes())
}

#[tokio::test]
async fn the_client_reports_certificate_problems() {
    for (name, days, trusted, said) in [
        ("localhost", [-10, -1], true, "certificate has expired"),
        ("localhost", [1, 10], true, "certificate is not valid yet"),
        ("speech.example", [-1, 10], true, "certificate is for another host"),
        ("localhost", [-1, 10], false, "signed by an unknown authority"),
    ] {
        let (server, pem) = server(name, days).await;
        let url = format!("https://localhost:{}", server.address.port());
        let mut builder = Client::builder(&url, &server.key);
        if trusted {
            builder = builder.trust(&pem).unwrap();
        }
        let client = builder.build().unwrap();
        let clip = client.speak(&SynthesisRequest::new("a")).await.unwrap_err();
        let conversation = client.converse().await.unwrap_err();
        for error in [clip, conversation] {
            assert!(matches!(error, Error::Connect { .. }), "{error:?}");
            assert!(error.to_string().contains(said), "{error}");
        }
    }
}

#[tokio::test]
async fn a_plain_http_client_gets_an_error() {
    let server = TestServer::builder().tls().start().await;
    let client = Client::new(&format!("http://{}", server.address), &server.key).unwrap();
    let clip = client.speak(&SynthesisRequest::new("a")).await.unwrap_err();
    let conversation = client.converse().await.unwrap_err();
    for error in [clip, conversation] {
        assert!(error.to_string().contains("this port speaks HTTPS"), "{error}");
    }
}
