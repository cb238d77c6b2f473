//! Whether the mail server takes mails, where one is set. Nothing is sent.

use std::time::Duration;

use shruti_mail::{MailServerError, MailServerErrorKind};

use super::Setup;
use super::finding::Finding;
use crate::mail;

/// How long the mail server may take for all that it is asked.
const PATIENCE: Duration = Duration::from_secs(10);

pub(super) fn check(setup: &Setup) -> Vec<Finding> {
    match mail::set_up(&setup.settings) {
        Ok(None) => Vec::new(),
        Ok(Some(config)) => {
            let server = setup.settings.smtp.as_ref().map(ToString::to_string).unwrap_or_default();
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let tried = match &runtime {
                Ok(runtime) => runtime.block_on(config.mailer.check(PATIENCE)),
                Err(error) => {
                    return vec![Finding::fail(format!("it cannot be tried: {error}"), "try again")];
                }
            };
            vec![match tried {
                Ok(()) => Finding::ok(format!("{server} can be used; nothing was sent")),
                Err(error) => judge(&server, &error),
            }]
        }
        Err(error) => {
            vec![Finding::fail(
                format!("{error:#}"),
                "put it right; docs/operating.md has the settings of mail",
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
            "look at its name and its port (465 for smtps://, 587 for smtp://), and whether a firewall is in between"
        }
        MailServerErrorKind::Silent => {
            "look at its port: smtps:// is encrypted from the first byte (465), smtp:// by STARTTLS (587); some networks \
             block both"
        }
        MailServerErrorKind::Encryption => {
            "give it a certificate for this name that the system trusts; a port with STARTTLS (587) wants smtp://, one \
             that is encrypted from the first byte (465) smtps://"
        }
        MailServerErrorKind::NoStartTls => {
            "take smtps:// with the port that is encrypted from the first byte, often 465"
        }
        MailServerErrorKind::Login => {
            "look at the user in --smtp (an @ in it as it is, or as %40) and at the password in SHRUTI_SMTP_PASSWORD or \
             --smtp-password-file; some servers want a password made for one program"
        }
        MailServerErrorKind::Rejected => "its own log says why; it may take mails of certain addresses alone",
        MailServerErrorKind::NotSmtp => "look at its name and its port; something else may listen there",
    };
    Finding::fail(found, advice)
}
