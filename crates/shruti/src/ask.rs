//! Minimal HTTP client that sends one GET request to an address of this machine.

use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{WebPkiSupportedAlgorithms, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{
    CertificateError, ClientConfig, ClientConnection, DigitallySignedStruct, Error, SignatureScheme,
    StreamOwned,
};

/// Timeout of each step: connect, read and write.
const PATIENCE: Duration = Duration::from_secs(5);
/// Maximum number of response bytes to read; the rest is ignored.
const MAX_BYTES: u64 = 1 << 20;

/// Response of the server.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: String,
}

impl Answer {
    /// Returns whether the HTTP status is 200 and the JSON body has the given value in `status`.
    pub(crate) fn is_status(&self, status: &str) -> bool {
        let parsed = serde_json::from_str::<serde_json::Value>(&self.body);
        self.status == 200 && parsed.is_ok_and(|parsed| parsed["status"] == status)
    }
}

/// Reason why there is no usable response.
#[derive(Debug)]
pub(crate) enum Mute {
    /// The server's certificate differs from the expected one.
    OtherCertificate,
    /// The connection failed or timed out, or the response is not HTTP.
    Broken(io::Error),
}

/// Returns the address at which this machine can reach a listener. An unspecified IP address becomes the loopback
/// address.
pub(crate) fn reachable(listens: SocketAddr) -> SocketAddr {
    let ip = match listens.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, listens.port())
}

/// Sends a GET request for the given path. If `certificate` is set, the request uses TLS, and the server must present
/// exactly this certificate.
pub(crate) fn ask(at: SocketAddr, certificate: Option<&[u8]>, path: &str) -> Result<Answer, Mute> {
    let stream = TcpStream::connect_timeout(&at, PATIENCE).map_err(Mute::Broken)?;
    stream.set_read_timeout(Some(PATIENCE)).map_err(Mute::Broken)?;
    stream.set_write_timeout(Some(PATIENCE)).map_err(Mute::Broken)?;
    let response = match certificate {
        None => converse(stream, at, path),
        Some(certificate) => handshake(at.ip(), certificate)
            .map_err(io::Error::other)
            .and_then(|connection| converse(StreamOwned::new(connection, stream), at, path)),
    };
    response.map_err(
        |error| if is_other_certificate(&error) { Mute::OtherCertificate } else { Mute::Broken(error) },
    )
}

fn handshake(ip: IpAddr, certificate: &[u8]) -> Result<ClientConnection, Error> {
    let provider = rustls::crypto::ring::default_provider();
    let algorithms = provider.signature_verification_algorithms;
    let expected = CertificateDer::from(certificate.to_vec());
    let config = ClientConfig::builder_with_provider(Arc::new(provider))
        .with_safe_default_protocol_versions()?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(Expected { expected, algorithms }))
        .with_no_client_auth();
    ClientConnection::new(Arc::new(config), ServerName::from(ip))
}

fn converse(mut stream: impl Read + Write, at: SocketAddr, path: &str) -> io::Result<Answer> {
    // the request is sent in one write: if a server answered the first of several writes and closed the connection, the
    // next write would reset the connection and discard the response
    let request = format!("GET {path} HTTP/1.1\r\nhost: {at}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes())?;
    stream.flush()?;
    let mut answer = Vec::new();
    match stream.take(MAX_BYTES).read_to_end(&mut answer) {
        // a response is accepted even if the connection is closed without a TLS close_notify
        Err(error) if answer.is_empty() || error.kind() != io::ErrorKind::UnexpectedEof => return Err(error),
        _ => {}
    }
    let answer = String::from_utf8_lossy(&answer);
    parse(&answer).ok_or_else(|| io::Error::other("the response is not HTTP"))
}

fn parse(answer: &str) -> Option<Answer> {
    let (head, body) = answer.split_once("\r\n\r\n")?;
    let status = head.strip_prefix("HTTP/1.1 ")?.get(..3)?.parse().ok()?;
    Some(Answer { status, body: body.to_owned() })
}

fn is_other_certificate(error: &io::Error) -> bool {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<Error>());
    matches!(inner, Some(Error::InvalidCertificate(CertificateError::ApplicationVerificationFailure)))
}

/// Certificate verifier that accepts exactly one certificate. It ignores the name, dates and issuer of the certificate,
/// which the certificate check of `shruti doctor` verifies.
#[derive(Debug)]
struct Expected {
    expected: CertificateDer<'static>,
    algorithms: WebPkiSupportedAlgorithms,
}

impl ServerCertVerifier for Expected {
    fn verify_server_cert(
        &self,
        shown: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        if *shown == self.expected {
            return Ok(ServerCertVerified::assertion());
        }
        Err(CertificateError::ApplicationVerificationFailure.into())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signed, &self.algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signed, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_response_has_a_status_and_a_body() {
        let answer = parse("HTTP/1.1 503 Service Unavailable\r\na: b\r\n\r\n{}\r\n\r\n").unwrap();
        assert_eq!(answer, Answer { status: 503, body: "{}\r\n\r\n".to_owned() });
        for other in ["", "SSH-2.0-x\r\n", "HTTP/1.1 2\r\n\r\n", "HTTP/1.1 abc\r\n\r\n", "HTTP/1.1 é\r\n\r\n"]
        {
            assert_eq!(parse(other), None, "{other}");
        }
    }

    #[test]
    fn an_unspecified_listen_address_is_reached_on_loopback() {
        for (listens, found) in
            [("0.0.0.0:80", "127.0.0.1:80"), ("[::]:80", "[::1]:80"), ("192.0.2.1:80", "192.0.2.1:80")]
        {
            assert_eq!(reachable(listens.parse().unwrap()).to_string(), found);
        }
    }
}
