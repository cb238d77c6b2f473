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
                    return vec![Finding::fail(format!("the check cannot run: {error}"), "try again")];
                }
            };
            vec![match tried {
                Ok(()) => Finding::ok(format!("{server} works; nothing was sent")),
                Err(trouble) => judge(&server, &trouble),
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

fn judge(server: &str, trouble: &Trouble) -> Finding {
    let Trouble { kind, told } = trouble;
    let found = match kind {
        TroubleKind::Silent => format!("{server}: {kind}, for {} s", PATIENCE.as_secs()),
        _ => format!("{server}: {kind} ({told})"),
    };
    let advice = match kind {
        TroubleKind::Unreachable => {
            "check its name and port (465 for smtps://, 587 for smtp://), and whether a firewall blocks it"
        }
        TroubleKind::Silent => {
            "check its port: smtps:// encrypts from the first byte (465), smtp:// uses STARTTLS (587); some networks \
             block both"
        }
        TroubleKind::Encryption => {
            "give the server a certificate for this name that the system trusts; use smtp:// for a port with \
             STARTTLS (587) and smtps:// for one that encrypts from the first byte (465)"
        }
        TroubleKind::NoStartTls => "use smtps:// with the port that encrypts from the first byte, often 465",
        TroubleKind::Login => {
            "check the user in --smtp (an @ in it may be written as @ or %40) and the password in \
             SHRUTI_SMTP_PASSWORD or --smtp-password-file; some servers require an app password"
        }
        TroubleKind::Refused => {
            "see the mail server's own log; it may accept mail only from certain addresses"
        }
        TroubleKind::NotSmtp => "check its name and port; another program may listen there",
    };
    Finding::fail(found, advice)
}
