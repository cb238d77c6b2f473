//! Check that the mail server, if one is set, accepts mail. No mail is sent.

use std::time::Duration;

use shruti_mail::{Trouble, TroubleKind};

use super::Setup;
use super::finding::Finding;
use crate::mail;

/// Timeout of the whole exchange with the mail server.
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
                Err(trouble) => judge(&server, &trouble),
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

fn judge(server: &str, trouble: &Trouble) -> Finding {
    let Trouble { kind, told } = trouble;
    let found = match kind {
        TroubleKind::Silent => format!("{server}: {kind}, for {} s", PATIENCE.as_secs()),
        _ => format!("{server}: {kind} ({told})"),
    };
    let advice = match kind {
        TroubleKind::Unreachable => {
            "look at its name and its port (465 for smtps://, 587 for smtp://), and whether a firewall is in between"
        }
        TroubleKind::Silent => {
            "look at its port: smtps:// is encrypted from the first byte (465), smtp:// by STARTTLS (587); some networks \
             block both"
        }
        TroubleKind::Encryption => {
            "give it a certificate for this name that the system trusts; a port with STARTTLS (587) wants smtp://, one \
             that is encrypted from the first byte (465) smtps://"
        }
        TroubleKind::NoStartTls => {
            "take smtps:// with the port that is encrypted from the first byte, often 465"
        }
        TroubleKind::Login => {
            "look at the user in --smtp (an @ in it as it is, or as %40) and at the password in SHRUTI_SMTP_PASSWORD or \
             --smtp-password-file; some servers want a password made for one program"
        }
        TroubleKind::Refused => "its own log says why; it may take mails of certain addresses alone",
        TroubleKind::NotSmtp => "look at its name and its port; something else may listen there",
    };
    Finding::fail(found, advice)
}
