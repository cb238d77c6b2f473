//! Check of the TLS certificate, if TLS is enabled.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use shruti_http::{CertificateFacts, TlsFiles};

use super::Setup;
use super::finding::Finding;
use crate::calendar;
use crate::settings::Settings;

/// Remaining validity, in milliseconds, below which the check recommends renewing the certificate (14 days).
const SOON_MS: i64 = 14 * 86_400_000;

const RENEW: &str = "renew the certificate; a running server loads the new files within two seconds";

/// Returns the certificate files that a server with these settings would use.
pub(crate) fn files(settings: &Settings, data_dir: &Path) -> Option<TlsFiles> {
    if let (Some(certificate), Some(key)) = (settings.tls_cert.clone(), settings.tls_key.clone()) {
        return Some(TlsFiles { certificate, key });
    }
    is_made_here(settings).then(|| TlsFiles::self_signed_in(data_dir))
}

fn is_made_here(settings: &Settings) -> bool {
    settings.tls_self_signed == Some(true)
}

pub(super) fn check(setup: &Setup) -> Vec<Finding> {
    let Some(files) = &setup.tls else { return vec![plain(setup)] };
    match &setup.certificate {
        Some(Ok(facts)) => {
            let mut findings = vec![dates(facts, setup.now_ms), names(facts)];
            findings.extend(trust(facts).filter(|_| !is_made_here(&setup.settings)));
            findings.extend(key_of_others(&files.key));
            findings
        }
        _ if is_made_here(&setup.settings) => {
            vec![Finding::ok("the next start creates a self-signed certificate")]
        }
        Some(Err(error)) => vec![Finding::fail(
            error.to_string(),
            "set --tls-cert to the whole chain and --tls-key to its private key, both in PEM format and readable by \
             the server's user",
        )],
        None => Vec::new(),
    }
}

fn plain(setup: &Setup) -> Finding {
    if setup.settings.trust_proxy.is_some() {
        return Finding::ok("none: plain HTTP, behind a proxy");
    }
    if setup.address.ip().is_loopback() {
        return Finding::ok("none: plain HTTP, for this machine only");
    }
    Finding::warn(
        "none: keys and texts cross the network unencrypted",
        "set --tls-cert and --tls-key, use --tls-self-signed for a trial, or put a proxy that terminates TLS in \
         front of the server (docs/deploy.md)",
    )
}

fn dates(facts: &CertificateFacts, now_ms: i64) -> Finding {
    let [begins, ends] = [facts.begins_ms, facts.ends_ms].map(calendar::show);
    if facts.begins_ms > now_ms {
        return Finding::fail(
            format!("the certificate is not valid before {begins} UTC"),
            "check the clock, or use another certificate",
        );
    }
    if facts.ends_ms <= now_ms {
        return Finding::fail(
            format!("the certificate, or another one in its file, expired at {ends} UTC"),
            RENEW,
        );
    }
    if facts.ends_ms - now_ms < SOON_MS {
        return Finding::warn(
            format!("the certificate, or another one in its file, expires at {ends} UTC"),
            RENEW,
        );
    }
    Finding::ok(format!("the certificate is valid until {ends} UTC"))
}

fn names(facts: &CertificateFacts) -> Finding {
    if facts.names.is_empty() {
        let advice = "get a certificate with the host names that clients use for the server (subjectAltName)";
        return Finding::fail("the certificate contains no host name, so all clients reject it", advice);
    }
    Finding::ok(format!("the certificate is for {}", facts.names.join(", ")))
}

/// Warns about a certificate that clients will not trust without additional configuration.
fn trust(facts: &CertificateFacts) -> Option<Finding> {
    if facts.is_self_signed {
        return Some(Finding::warn(
            "the certificate is self-signed; clients reject it unless they are configured to trust it",
            "get a certificate from an authority, or let clients trust this one (`--ca-cert`)",
        ));
    }
    (facts.certificates == 1).then(|| {
        Finding::warn(
            "the file contains only one certificate, without the chain of its issuers",
            "append the certificates of its issuers (fullchain.pem), unless clients trust the issuer directly",
        )
    })
}

fn key_of_others(key: &Path) -> Option<Finding> {
    let mode = std::fs::metadata(key).ok()?.permissions().mode() & 0o777;
    (mode & 0o004 != 0).then(|| {
        Finding::warn(
            format!("all users of this machine can read the private key (mode {mode:03o})"),
            format!("chmod 600 '{}'", key.display()),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::super::finding::Verdict;
    use super::*;

    const DAY: i64 = 86_400_000;

    fn facts(ends_ms: i64) -> CertificateFacts {
        CertificateFacts {
            names: vec!["speech.example".to_owned()],
            begins_ms: 0,
            ends_ms,
            certificates: 2,
            is_self_signed: false,
            der: Vec::new(),
        }
    }

    #[test]
    fn a_certificate_near_its_expiry_is_reported() {
        for (now_ms, verdict) in [
            (-1, Verdict::Fail),
            (0, Verdict::Ok),
            (86 * DAY, Verdict::Ok),
            (86 * DAY + 1, Verdict::Warn),
            (100 * DAY - 1, Verdict::Warn),
            (100 * DAY, Verdict::Fail),
        ] {
            assert_eq!(dates(&facts(100 * DAY), now_ms).verdict, verdict, "{now_ms}");
        }
    }

    #[test]
    fn certificates_that_clients_reject_are_reported() {
        assert!(trust(&facts(1)).is_none());
        assert!(
            trust(&CertificateFacts { certificates: 1, ..facts(1) })
                .unwrap()
                .found
                .contains("only one certificate")
        );
        assert!(
            trust(&CertificateFacts { is_self_signed: true, ..facts(1) })
                .unwrap()
                .found
                .contains("self-signed")
        );
        assert_eq!(names(&facts(1)).verdict, Verdict::Ok);
        assert_eq!(names(&CertificateFacts { names: Vec::new(), ..facts(1) }).verdict, Verdict::Fail);
    }
}
