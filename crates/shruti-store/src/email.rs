//! E-mail addresses that identify accounts.

use std::fmt;
use std::str::FromStr;

use unicode_normalization::UnicodeNormalization;

use crate::secret::SecretHash;

/// E-mail address in the form that is stored and compared.
///
/// Surrounding white space is removed, and letters are converted to lower case, including those before the `@`: no
/// common provider distinguishes `A@x` from `a@x`, and people do not always type their address the same way. It is not
/// certain that an address belongs to the account holder until it has been [verified](crate::VerificationStore).
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EmailAddress(String);

/// Error for a text that is not an e-mail address. The messages can be shown to the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidEmail {
    /// There is not exactly one `@` with text on both sides.
    #[error("must look like name@example.org")]
    Shape,
    /// The part before the `@` has a character that is not accepted, more than 64 bytes, or a dot without a character
    /// on both sides.
    #[error(
        "has a character before the '@' that is not accepted; letters, digits and .!#$%&'*+-/=?^_`{{|}}~ are"
    )]
    Name,
    /// The part after the `@` is not a host name.
    #[error("must end with the name of a mail server, such as example.org")]
    Host,
    /// The address is longer than [`EmailAddress::MAX_BYTES`].
    #[error("must have at most {} bytes", EmailAddress::MAX_BYTES)]
    TooLong,
}

impl EmailAddress {
    /// Maximum length in bytes (a consequence of the maximum path length in RFC 5321).
    pub const MAX_BYTES: usize = 254;

    const OPERATOR: &str = "operator@localhost";

    /// Returns the reserved address of the operator's account.
    pub fn operator() -> Self {
        Self(Self::OPERATOR.to_owned())
    }

    /// Returns the address as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the part before the `@`.
    pub fn name(&self) -> &str {
        self.0.split_once('@').map_or("", |(name, _)| name)
    }

    /// Returns the hash that replaces the address where the address itself is not stored.
    pub(crate) fn hash(&self) -> SecretHash {
        SecretHash::of(&self.0)
    }
}

impl FromStr for EmailAddress {
    type Err = InvalidEmail;

    fn from_str(text: &str) -> Result<Self, InvalidEmail> {
        // a text that is far too long is rejected before normalisation
        if text.len() > 4 * Self::MAX_BYTES {
            return Err(InvalidEmail::TooLong);
        }
        let address: String = text.trim().to_lowercase().nfc().collect();
        if address.len() > Self::MAX_BYTES {
            return Err(InvalidEmail::TooLong);
        }
        let (name, host) = address.split_once('@').ok_or(InvalidEmail::Shape)?;
        if name.is_empty() || host.is_empty() || host.contains('@') {
            return Err(InvalidEmail::Shape);
        }
        let is_atom = |part: &str| !part.is_empty() && part.chars().all(is_of_name);
        if name.len() > 64 || !name.split('.').all(is_atom) {
            return Err(InvalidEmail::Name);
        }
        let is_host = host.contains('.') && host.split('.').all(is_label);
        if !is_host && address != Self::OPERATOR {
            return Err(InvalidEmail::Host);
        }
        Ok(Self(address))
    }
}

/// Returns `true` if a character is allowed in an atom of an address (RFC 5322, 3.2.3; letters of all scripts by RFC
/// 6532).
fn is_of_name(c: char) -> bool {
    is_letter(c) || "!#$%&'*+-/=?^_`{|}~".contains(c)
}

fn is_label(label: &str) -> bool {
    let inner = |c: char| is_letter(c) || c == '-';
    (1..=63).contains(&label.len())
        && label.chars().all(inner)
        && !label.starts_with('-')
        && !label.ends_with('-')
}

/// Returns `true` for letters, digits and combining marks, such as the vowel signs of Indian scripts.
fn is_letter(c: char) -> bool {
    c.is_alphanumeric() || unicode_normalization::char::is_combining_mark(c)
}

impl fmt::Display for EmailAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_normalized() {
        for (given, stored) in [
            ("a@example.org", "a@example.org"),
            ("  Asha.Rao+tts@Example.CO.IN\n", "asha.rao+tts@example.co.in"),
            ("o'neil@x-y.org", "o'neil@x-y.org"),
            ("आशा@उदाहरण.भारत", "आशा@उदाहरण.भारत"),
            ("operator@localhost", "operator@localhost"),
        ] {
            assert_eq!(given.parse::<EmailAddress>().as_ref().map(EmailAddress::as_str), Ok(stored));
        }
        assert_eq!("e\u{301}@x.org".parse::<EmailAddress>(), "É@x.org".parse());
    }

    #[test]
    fn invalid_addresses_get_specific_errors() {
        let long_name = format!("{}@x.org", "a".repeat(65));
        let long_host = format!("a@{}.org", "a.".repeat(130));
        for (given, why) in [
            ("", InvalidEmail::Shape),
            ("a", InvalidEmail::Shape),
            ("@x.org", InvalidEmail::Shape),
            ("a@", InvalidEmail::Shape),
            ("a@b@x.org", InvalidEmail::Shape),
            ("a b@x.org", InvalidEmail::Name),
            ("<script>@x.org", InvalidEmail::Name),
            ("\"a\"@x.org", InvalidEmail::Name),
            ("a\r\nbcc:b@x.org", InvalidEmail::Name),
            (".a@x.org", InvalidEmail::Name),
            ("a..b@x.org", InvalidEmail::Name),
            (&long_name, InvalidEmail::Name),
            ("a@localhost", InvalidEmail::Host),
            ("a@x..org", InvalidEmail::Host),
            ("a@-x.org", InvalidEmail::Host),
            ("a@x.org/y", InvalidEmail::Host),
            (&long_host, InvalidEmail::TooLong),
            (&"a".repeat(100_000), InvalidEmail::TooLong),
        ] {
            assert_eq!(given.parse::<EmailAddress>(), Err(why), "{given}");
        }
    }
}
