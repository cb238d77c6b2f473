//! Check that the mail server, if one is set, accepts mail. No mail is sent.

use std::time::Duration;

use shruti_mail::{MailServerError, MailServerErrorKind};

use super::Setup;
use super::finding::Finding;
use crate::mail;
use crate::runtime::block_on;

/// Timeout of the whole exchange with the mail server.
const PATIENCE: Duration = Duration::from_secs(10);

pub(super) fn check(setup: &Setup) -> Vec<Finding> {
    match mail::set_up(&setup.settings) {
        Ok(None) => Vec::new(),
        Ok(Some(config)) => {
            let server = setup.settings.smtp.as_ref().map(ToString::to_string).unwrap_or_default();
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let tried = match &runtime {
                Ok(runtime) => block_on(runtime, config.mailer.check(PATIENCE)),
                Err(error) => {
                    return vec![Finding::fail(format!("the check cannot run: {error}"), "try again")];
                }
            };
            vec![match tried {
                Ok(()) => Finding::ok(format!("{server} works; nothing was sent")),
                Err(error) => judge(&server, &error),
            }]
        }
        Err(error) => {
            vec![Finding::fail(
                format!("{error:#}"),
                "correct the settings; docs/operating.md describes those for mail",
            )]
        }
    }
}

fn judge(server: &str, error: &MailServerError) -> Finding {
    let MailServerError { kind, message } = error;
    let found = match kind {
        MailServerErrorKind::Silent => format!("{server}: {kind}, for {} s", PATIENCE.as_secs()),
        _ => format!("{server}: {kind} ({message})"),
    };
    let advice = match kind {
        MailServerErrorKind::Unreachable => {
            "check its name and port (465 for smtps://, 587 for smtp://), and whether a firewall blocks it"
        }
        MailServerErrorKind::Silent => {
            "check its port: smtps:// encrypts from the first byte (465), smtp:// uses STARTTLS (587); some networks \
             block both"
        }
        MailServerErrorKind::Encryption => {
            "give the server a certificate for this name that the system trusts; use smtp:// for a port with \
             STARTTLS (587) and smtps:// for one that encrypts from the first byte (465)"
        }
        MailServerErrorKind::NoStartTls => {
            "use smtps:// with the port that encrypts from the first byte, often 465"
        }
        MailServerErrorKind::Login => {
            "check the user in --smtp (an @ in it may be written as @ or %40) and the password in \
             SHRUTI_SMTP_PASSWORD or --smtp-password-file; some servers require an app password"
        }
        MailServerErrorKind::Rejected => {
            "see the mail server's own log; it may accept mail only from certain addresses"
        }
        MailServerErrorKind::NotSmtp => "check its name and port; another program may listen there",
    };
    Finding::fail(found, advice)
}
