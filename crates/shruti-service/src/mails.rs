//! Emails of the server: links to verify an address, sign-in links for forgotten passwords, and warnings about
//! allowances that are almost used up.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use shruti_mail::Mail;
use shruti_store::{Day, EmailAddress, NewVerification, QuotaWarning, StoreError, VerificationRequest};
use tokio::time::Instant;

use crate::app::App;
use crate::config::MailConfig;

/// Interval between two checks for allowances that are almost used up.
const CHECK_INTERVAL: Duration = Duration::from_mins(1);
/// Maximum number of warnings per check. Further warnings wait for the next check.
const MAX_WARNINGS: u32 = 100;

/// Sends a sign-in link to the holder of the account with this address, if the account exists and no link was sent
/// recently. The function returns immediately and does not report the result to its caller.
pub fn send_link(app: &Arc<App>, mail: &MailConfig, email: EmailAddress) {
    let (app, mail) = (Arc::clone(app), mail.clone());
    tokio::spawn(async move {
        match app.store.request_link(email.clone(), app.clock.now().wall_ms).await {
            Ok(Some(link)) => mail.mailer.send(link_mail(&mail, &email, link.secret.reveal())),
            Ok(None) => {}
            Err(error) => tracing::warn!(%error, "a link for a new password could not be created"),
        }
    });
}

fn link_mail(mail: &MailConfig, email: &EmailAddress, secret: &str) -> Mail {
    let site = &mail.public_url;
    Mail {
        to: email.to_string(),
        subject: "Your link to Shruti Studio".to_owned(),
        text: format!(
            "Someone, probably you, requested a link to this account because of a forgotten password.\n\n\
             {site}/studio/link#{secret}\n\n\
             The link signs you in once, within an hour; you can then set a new password. If this address has not been \
             confirmed before, the link invalidates the account's current password, sessions and API keys.\n\n\
             If it was not you, ignore this mail: the password stays unchanged.\n"
        ),
    }
}

/// Requests a verification link for an address, and sends it if the store creates one. Returns the result of the
/// request.
pub async fn send_verification(
    app: &App,
    mail: &MailConfig,
    email: EmailAddress,
) -> Result<VerificationRequest, StoreError> {
    let request = app.store.request_verification(email, app.clock.now().wall_ms).await?;
    if let VerificationRequest::Made(link) = &request {
        mail.mailer.send(verification_mail(mail, link));
    }
    Ok(request)
}

fn verification_mail(mail: &MailConfig, link: &NewVerification) -> Mail {
    let (site, secret) = (&mail.public_url, link.secret.reveal());
    Mail {
        to: link.email.to_string(),
        subject: "Confirm your address for Shruti Studio".to_owned(),
        text: format!(
            "An account was created at {site} with this address. Confirm that it is yours:\n\n\
             {site}/studio/verify#{secret}\n\n\
             The link works once, within a day, while you are signed in to the account; the page Account can send \
             another one.\n\n\
             If it was not you, ignore this mail: the address stays unconfirmed. To take over the account, set a new \
             password at {site}/studio/forgotten-password.\n"
        ),
    }
}

/// Waits until all emails are processed, but no longer than until the time `until`. Emails that are still pending at
/// that time are dropped.
pub async fn finish(app: &App, until: Instant) {
    if let Some(mail) = &app.config.mail {
        mail.mailer.finish(until).await;
    }
}

/// Checks allowances at regular intervals and sends warnings about those that are almost used up. Never returns.
/// Without mail settings, this function sends nothing.
pub async fn warn_of_quotas(app: Arc<App>) {
    let Some(mail) = app.config.mail.clone() else { return pending().await };
    loop {
        if let Err(error) = warn_now(&app, &mail).await {
            tracing::warn!(%error, "allowances could not be checked for warnings");
        }
        let next = app.clock.now().monotonic + CHECK_INTERVAL;
        app.clock.wait_until(next).await;
    }
}

async fn warn_now(app: &App, mail: &MailConfig) -> Result<(), StoreError> {
    for warning in app.store.take_quota_warnings(MAX_WARNINGS, app.clock.now().wall_ms).await? {
        mail.mailer.send(warning_mail(mail, &warning));
    }
    Ok(())
}

fn warning_mail(mail: &MailConfig, warning: &QuotaWarning) -> Mail {
    let QuotaWarning { email, percent, allowance } = warning;
    let (site, used) = (&mail.public_url, allowance.used);
    let (chars, renews) = (allowance.chars.unwrap_or_default(), Day::of(allowance.renews_ms));
    let then = if *percent < 100 {
        "When the allowance is used up, requests for speech are refused until the end of the month."
    } else {
        "Requests for speech are refused until then, unless a promo code adds to the allowance."
    };
    Mail {
        to: email.to_string(),
        subject: format!("{percent} % of this month\u{2019}s characters are used"),
        text: format!(
            "Your account has used {used} of {chars} characters this month; the next month begins on {renews} (UTC).\n\n\
             {then}\n\n\
             {site}/studio/usage shows the usage.\n"
        ),
    }
}
