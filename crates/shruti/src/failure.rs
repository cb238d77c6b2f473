//! Error message of a failed command.

use std::io::ErrorKind;

use crate::printable::printable_lines;

/// Formats an error and its causes in one line, without repetition, followed by advice, if any.
pub(crate) fn describe(error: &anyhow::Error) -> String {
    let mut message = String::new();
    for cause in error.chain().map(ToString::to_string) {
        // many error messages already end with the message of their cause
        if message.ends_with(&cause) {
            continue;
        }
        if !message.is_empty() {
            message.push_str(": ");
        }
        message.push_str(&cause);
    }
    if let Some(advice) = advice(error).filter(|advice| !message.contains(advice)) {
        message.push_str("; ");
        message.push_str(advice);
    }
    printable_lines(&message)
}

fn advice(error: &anyhow::Error) -> Option<&'static str> {
    let kinds =
        error.chain().filter_map(|cause| cause.downcast_ref::<std::io::Error>()).map(std::io::Error::kind);
    kinds.into_iter().find_map(|kind| match kind {
        ErrorKind::PermissionDenied => Some(
            "run the command as the user who owns the file (sudo -u USER shruti …), or use another location",
        ),
        ErrorKind::StorageFull => Some("free some space on that disk"),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use std::io::Error;

    use anyhow::Context;
    use shruti_store::StoreError;

    use super::*;

    #[test]
    fn a_cause_is_printed_once() {
        let denied = || Error::from(ErrorKind::PermissionDenied);
        let folder: anyhow::Error =
            StoreError::Folder { path: "/root/x".to_owned(), source: denied() }.into();
        let description = describe(&folder);
        assert_eq!(description.matches("ermission denied").count(), 1, "{description}");
        assert!(
            description.starts_with("data folder '/root/x': ") && description.contains("sudo -u USER"),
            "{description}"
        );

        let nested = Err::<(), _>(denied()).context("cannot write a.wav").unwrap_err();
        assert!(
            describe(&nested).starts_with("cannot write a.wav: permission denied; run"),
            "{}",
            describe(&nested)
        );
        assert_eq!(describe(&anyhow::anyhow!("a\u{1b}[2J")), "a\\u{1b}[2J");
    }
}
