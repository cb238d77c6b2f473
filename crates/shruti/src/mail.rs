//! Mail configuration from the settings.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use anyhow::{Context, anyhow, bail};
use serde::Deserialize;
use shruti_mail::{InvalidSmtpAddress, Mailer, RetryPlan, Sender, SmtpAddress};
use shruti_service::MailConfig;
use shruti_store::Origin;

use crate::settings::Settings;

/// Environment variable with the SMTP password, used if no password file is set.
const PASSWORD: &str = "SHRUTI_SMTP_PASSWORD";

/// SMTP server URL in the settings.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct SmtpUrl(SmtpAddress);

impl FromStr for SmtpUrl {
    type Err = InvalidSmtpAddress;

    fn from_str(text: &str) -> Result<Self, InvalidSmtpAddress> {
        text.parse().map(Self)
    }
}

impl fmt::Display for SmtpUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl TryFrom<String> for SmtpUrl {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse().map_err(|error| format!("smtp {error}"))
    }
}

/// Returns the mail configuration, or `None` if no SMTP server is set.
pub(crate) fn set_up(settings: &Settings) -> anyhow::Result<Option<MailConfig>> {
    let Some(SmtpUrl(server)) = &settings.smtp else {
        if settings.smtp_from.is_some() || settings.smtp_password_file.is_some() {
            bail!("smtp-from and smtp-password-file need smtp, the mail server");
        }
        if settings.require_verified == Some(true) {
            bail!("require-verified needs smtp, the mail server that sends the verification emails");
        }
        return Ok(None);
    };
    let from = settings.smtp_from.clone().context("smtp needs smtp-from, the sender of the emails")?;
    let public_url =
        public_url(settings)?.context("smtp needs public-url, the base URL of links in emails")?;
    let password =
        if server.has_user() { Some(password(settings.smtp_password_file.as_deref())?) } else { None };
    let sender = Sender { server: server.clone(), password, from };
    let mailer = Mailer::new(&sender, RetryPlan::default()).map_err(|error| anyhow!("smtp: {error}"))?;
    tracing::info!(%server, site = %public_url, "email is enabled");
    let require_verified = settings.require_verified.unwrap_or(false);
    Ok(Some(MailConfig { mailer, public_url, require_verified }))
}

/// Returns the public URL of the server, or `None` if the settings contain none.
pub(crate) fn public_url(settings: &Settings) -> anyhow::Result<Option<Origin>> {
    let Some(site) = &settings.public_url else { return Ok(None) };
    let public_url: Origin = site.parse().map_err(|error| anyhow!("public-url {error}"))?;
    if !["http", "https"].contains(&public_url.parts().0) {
        bail!("public-url must begin with https:// or http://");
    }
    Ok(Some(public_url))
}

fn password(file: Option<&Path>) -> anyhow::Result<String> {
    let Some(file) = file else {
        return std::env::var(PASSWORD).map_err(|_| {
            anyhow!("smtp has a user name: put its password in {PASSWORD} or in a file (smtp-password-file)")
        });
    };
    let bytes = shruti_http::read_file(file, MAX_PASSWORD_BYTES);
    let bytes = bytes.with_context(|| format!("smtp-password-file {}", file.display()))?;
    let text =
        String::from_utf8(bytes).map_err(|_| anyhow!("smtp-password-file {}: not UTF-8", file.display()))?;
    let first = text.lines().next().unwrap_or_default();
    if first.is_empty() {
        bail!("smtp-password-file {}: the first line is empty", file.display());
    }
    Ok(first.to_owned())
}

/// Maximum size of the password file, in bytes.
const MAX_PASSWORD_BYTES: u64 = 4_096;

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(text: &str) -> Settings {
        toml::from_str(text).unwrap()
    }

    #[test]
    fn mail_needs_a_server_a_sender_and_a_public_url() {
        assert!(set_up(&Settings::default()).unwrap().is_none());
        let complete =
            "smtp = 'smtp://localhost:25'\nsmtp-from = 'a@b.example'\npublic-url = 'https://tts.example'";
        assert!(set_up(&settings(complete)).unwrap().is_some());
        for (text, named) in [
            ("smtp-from = 'a@b.example'", "need smtp"),
            ("require-verified = true", "needs smtp"),
            ("smtp = 'smtp://localhost'\npublic-url = 'https://a.example'", "smtp-from"),
            ("smtp = 'smtp://localhost'\nsmtp-from = 'a@b.example'", "public-url"),
            (
                "smtp = 'smtp://localhost'\nsmtp-from = 'nobody'\npublic-url = 'https://a.example'",
                "the sender must be",
            ),
            (
                "smtp = 'smtp://localhost'\nsmtp-from = 'a@b.c'\npublic-url = 'https://a.example/path'",
                "public-url",
            ),
            ("smtp = 'smtp://localhost'\nsmtp-from = 'a@b.c'\npublic-url = 'ftp://a.example'", "https://"),
        ] {
            let error = format!("{:#}", set_up(&settings(text)).map(drop).unwrap_err());
            assert!(error.contains(named), "{text}: {error}");
        }
        let error = toml::from_str::<Settings>("smtp = 'smtps://user:secret@host'").unwrap_err().to_string();
        assert!(error.contains("must not contain a password"), "{error}");
    }

    #[test]
    fn a_password_is_the_first_line_of_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("password");
        let settings_of = |text: &str| {
            std::fs::write(&file, text).unwrap();
            password(Some(&file))
        };
        assert_eq!(settings_of("four small words\nmore\n").unwrap(), "four small words");
        for text in ["", "\nsecret"] {
            let error = format!("{:#}", settings_of(text).unwrap_err());
            assert!(error.contains("first line is empty") && !error.contains("secret"), "{error}");
        }
        let long = settings_of(&"a".repeat(5_000)).unwrap_err();
        assert!(format!("{long:#}").contains("smtp-password-file"), "{long:#}");
    }
}
