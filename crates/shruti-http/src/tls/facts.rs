//! Information about a certificate, for operators.

use std::net::IpAddr;
use std::path::Path;

use rustls::pki_types::CertificateDer;
use x509_parser::extensions::GeneralName;
use x509_parser::prelude::{FromDer, X509Certificate};

use super::certificate::Contents;
use super::{TlsError, TlsFiles};

/// Information from the files of a certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CertificateFacts {
    /// Host names and IP addresses of the certificate, in the order of the certificate.
    pub names: Vec<String>,
    /// Start of the validity of the whole chain in the file, in milliseconds since 1970.
    pub begins_ms: i64,
    /// End of the validity of the whole chain in the file, in milliseconds since 1970.
    pub ends_ms: i64,
    /// Number of certificates in the file: the certificate of the server and the intermediate certificates.
    pub certificates: usize,
    /// Whether the certificate is self-signed. Clients trust a self-signed certificate only if they are configured to
    /// do so.
    pub is_self_signed: bool,
    /// Certificate of the server, in DER.
    pub der: Vec<u8>,
}

impl TlsFiles {
    /// Reads the files, checks that the certificate and the key match, and returns information about the certificate.
    pub fn inspect(&self) -> Result<CertificateFacts, TlsError> {
        let certified = Contents::read(self)?.parse()?;
        let chain = certified.cert.iter().map(|one| parse(&self.certificate, one));
        let chain = chain.collect::<Result<Vec<_>, _>>()?;
        let Some((own, der)) = chain.first().zip(certified.cert.first()) else {
            return Err(unreadable(&self.certificate, &"it contains none"));
        };
        let names = own.subject_alternative_name().map_err(|error| unreadable(&self.certificate, &error))?;
        let names = names.iter().flat_map(|names| &names.value.general_names).filter_map(name_of);
        let seconds = |time: x509_parser::time::ASN1Time| time.timestamp().saturating_mul(1_000);
        let begins = chain.iter().map(|one| seconds(one.validity().not_before));
        let ends = chain.iter().map(|one| seconds(one.validity().not_after));
        Ok(CertificateFacts {
            names: names.collect(),
            begins_ms: begins.max().unwrap_or(i64::MAX),
            ends_ms: ends.min().unwrap_or(i64::MIN),
            certificates: chain.len(),
            is_self_signed: own.issuer().as_raw() == own.subject().as_raw(),
            der: der.to_vec(),
        })
    }
}

fn parse<'a>(file: &Path, certificate: &'a CertificateDer<'_>) -> Result<X509Certificate<'a>, TlsError> {
    let parsed = X509Certificate::from_der(certificate);
    parsed.map(|(_, parsed)| parsed).map_err(|error| unreadable(file, &error))
}

fn unreadable(file: &Path, error: &dyn std::fmt::Display) -> TlsError {
    TlsError::Content { file: file.to_owned(), what: format!("a certificate in it cannot be read ({error})") }
}

/// Returns a name that can identify a server, or `None` for other names such as email addresses.
fn name_of(name: &GeneralName<'_>) -> Option<String> {
    match *name {
        GeneralName::DNSName(name) => Some(name.to_owned()),
        GeneralName::IPAddress(bytes) => {
            let v4 = <[u8; 4]>::try_from(bytes).map(IpAddr::from);
            v4.or_else(|_| <[u8; 16]>::try_from(bytes).map(IpAddr::from)).ok().map(|ip| ip.to_string())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::{Duration, SystemTime, UNIX_EPOCH};

    use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};

    use super::super::self_signed;
    use super::*;

    #[test]
    fn detects_self_signed_certificates() {
        let folder = tempfile::tempdir().unwrap();
        let names = ["localhost", "127.0.0.1", "::1"].map(str::to_owned);
        let now = SystemTime::now();
        let made = self_signed(folder.path(), &names, now).unwrap();
        let facts = made.files.inspect().unwrap();
        assert_eq!(facts.names, names);
        assert_eq!((facts.certificates, facts.is_self_signed), (1, true));
        let days_from_now =
            |ms: i64| (ms - now.duration_since(UNIX_EPOCH).unwrap().as_millis() as i64) / 86_400_000;
        assert_eq!((days_from_now(facts.begins_ms), days_from_now(facts.ends_ms)), (-1, 396));
    }

    #[test]
    fn chain_validity_is_that_of_its_worst_certificate() {
        let folder = tempfile::tempdir().unwrap();
        let files = TlsFiles { certificate: folder.path().join("a.pem"), key: folder.path().join("a.key") };
        let from = |parameters: &mut CertificateParams, begins: u64, ends: u64| {
            parameters.not_before = (UNIX_EPOCH + Duration::from_secs(begins)).into();
            parameters.not_after = (UNIX_EPOCH + Duration::from_secs(ends)).into();
        };
        let mut authority = CertificateParams::default();
        authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        authority.distinguished_name.push(rcgen::DnType::CommonName, "an authority");
        from(&mut authority, 1_000_000, 2_000_000);
        let authority_key = KeyPair::generate().unwrap();
        let authority_pem = authority.self_signed(&authority_key).unwrap().pem();
        let issuer = Issuer::new(authority, authority_key);
        let mut own = CertificateParams::new(vec!["*.speech.example".to_owned()]).unwrap();
        from(&mut own, 1_000, 3_000_000);
        let key = KeyPair::generate().unwrap();
        let own = own.signed_by(&key, &issuer).unwrap();
        fs::write(&files.certificate, own.pem() + &authority_pem).unwrap();
        fs::write(&files.key, key.serialize_pem()).unwrap();

        let facts = files.inspect().unwrap();
        assert_eq!(facts.names, ["*.speech.example"]);
        assert_eq!((facts.begins_ms, facts.ends_ms), (1_000_000_000, 2_000_000_000));
        assert_eq!((facts.certificates, facts.is_self_signed), (2, false));
        assert_eq!(facts.der, own.der().to_vec());
    }
}
