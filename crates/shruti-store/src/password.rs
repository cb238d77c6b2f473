//! Passwords, and the rules for new ones.
//!
//! zxcvbn 3.1 is not used, because it knows no Indian words, and no threshold of its score separates common passwords
//! from good ones. It gives its highest score, 4, to `omnamahshivaya`. It gives 3 to `Sachin@1973`, `admin@12345` and
//! `AshaRao1990` (if the address is given), but also to the random `xK4!vq0zPw`.

use std::fmt;
use std::sync::LazyLock;

use unicode_normalization::UnicodeNormalization;

use crate::email::EmailAddress;

static COMMON_WORDS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let lines = include_str!("../data/common_words.txt").lines().map(str::trim);
    lines.filter(|line| !line.is_empty() && !line.starts_with('#')).collect()
});

/// Sequences of characters that are easy to type: rows and zigzags of adjacent keys, and digits and letters in order.
const KEYBOARD_RUNS: [&str; 9] = [
    "01234567890",
    "abcdefghijklmnopqrstuvwxyz",
    "qwertyuiop",
    "asdfghjkl",
    "zxcvbnm",
    "qazwsxedcrfvtgbyhnujmikolp",
    "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p",
    "1q2w3e4r5t6y7u8i9o0p",
    "1a2b3c4d5e6f7g8h9i",
];

/// Password that was typed to sign in. It need not meet any rules. `Debug` hides the text.
#[derive(Clone)]
pub struct Password(pub(crate) String);

impl Password {
    /// Returns a typed password, normalised (NFKC). Only the first [`NewPassword::MAX_CHARS`] + 1 characters are kept,
    /// because a password with more characters than the maximum never matches.
    pub fn typed(text: &str) -> Self {
        // one character more than the maximum is kept, so that a text that is too long is not cut to an allowed length
        Self(text.chars().take(NewPassword::MAX_CHARS + 1).nfkc().collect())
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password(…)")
    }
}

/// Password that meets the rules for new passwords. `Debug` hides the text.
#[derive(Clone, Debug)]
pub struct NewPassword(pub(crate) Password);

/// Error for a password that does not meet the rules. The messages can be shown to the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WeakPassword {
    /// The password has fewer than [`NewPassword::MIN_CHARS`] characters.
    #[error("must have at least {} characters", NewPassword::MIN_CHARS)]
    TooShort,
    /// The password has more than [`NewPassword::MAX_CHARS`] characters.
    #[error("must have at most {} characters", NewPassword::MAX_CHARS)]
    TooLong,
    /// The password is one that attackers try first.
    #[error("is one of the passwords that attackers try first; use a few unrelated words")]
    Common,
    /// The password is the e-mail address or the part before the `@`, possibly with additional digits and symbols.
    #[error("must not be the e-mail address or a part of it")]
    Email,
}

impl NewPassword {
    /// Minimum number of characters.
    pub const MIN_CHARS: usize = 10;
    /// Maximum number of characters.
    pub const MAX_CHARS: usize = 256;

    /// Returns a new password if it meets the rules: its length is allowed, and attackers would not try it first.
    ///
    /// The check does not use a list of leaked passwords. The most common leaked passwords with ten or more characters
    /// follow a few patterns, which also cover their variants: digits only, repetitions, runs along the keyboard or the
    /// alphabet, and common words (`data/common_words.txt`) with digits and symbols around them or in place of letters
    /// (`p@ssw0rd2024`). The address of the account is rejected as well.
    pub fn choose(typed: &str, email: &EmailAddress) -> Result<Self, WeakPassword> {
        let length = typed.chars().take(Self::MAX_CHARS + 1).count();
        if length > Self::MAX_CHARS {
            return Err(WeakPassword::TooLong);
        }
        let password = Password::typed(typed);
        let length = password.0.chars().count();
        if length < Self::MIN_CHARS {
            return Err(WeakPassword::TooShort);
        }
        if length > Self::MAX_CHARS {
            return Err(WeakPassword::TooLong);
        }
        let small = password.0.to_lowercase();
        if is_made_of_email(&small, email) {
            return Err(WeakPassword::Email);
        }
        if is_common(&small) { Err(WeakPassword::Common) } else { Ok(Self(password)) }
    }
}

fn is_made_of_email(small: &str, email: &EmailAddress) -> bool {
    let rest = bare(&small.replace(email.as_str(), ""));
    let name = bare(email.name());
    rest.is_empty() && small.contains(email.as_str()) || (!name.is_empty() && bare(small) == name)
}

fn is_common(small: &str) -> bool {
    !small.chars().any(char::is_alphabetic)
        || is_repetition(small)
        || is_keyboard_run(small)
        || [bare(small), bare(&without_leet(small))].iter().any(|letters| is_words(letters))
}

/// Returns `true` if the text is a repetition of one part that is at most half as long as the text.
fn is_repetition(small: &str) -> bool {
    let chars: Vec<char> = small.chars().collect();
    (1..=chars.len() / 2).any(|part| chars.iter().zip(&chars[part..]).all(|(a, b)| a == b))
}

/// Returns `true` if the text consists of at most three runs along the sequences in [`KEYBOARD_RUNS`], in either
/// direction. A run has at least three characters. Up to two more bytes may follow.
fn is_keyboard_run(small: &str) -> bool {
    let backwards = KEYBOARD_RUNS.map(|row| row.chars().rev().collect::<String>());
    let rows: Vec<&str> = KEYBOARD_RUNS.into_iter().chain(backwards.iter().map(String::as_str)).collect();
    let mut rest = small;
    for _ in 0..3 {
        let longest = rows.iter().filter_map(|row| longest_run(rest, row)).max().unwrap_or(0);
        if longest < 3 {
            return false;
        }
        rest = &rest[longest..];
        if rest.len() < 3 {
            return true;
        }
    }
    false
}

/// Returns the length, in bytes, of the longest prefix of a text that occurs in `row`, or `None` if there is none.
fn longest_run(text: &str, row: &str) -> Option<usize> {
    let ends = text.char_indices().map(|(at, c)| at + c.len_utf8());
    ends.take_while(|&end| row.contains(&text[..end])).last()
}

/// Returns the letters of a text, without digits and symbols.
fn bare(text: &str) -> String {
    text.chars().filter(|c| c.is_alphabetic()).collect()
}

/// Removes the digits and symbols at the end of a text, and replaces the others with the letters that they stand for,
/// if any.
fn without_leet(small: &str) -> String {
    let letter = |c| match c {
        '0' => 'o',
        '1' | '!' | '|' => 'i',
        '3' | '€' => 'e',
        '4' | '@' => 'a',
        '5' | '$' => 's',
        '7' => 't',
        other => other,
    };
    small.trim_end_matches(|c: char| !c.is_alphabetic()).chars().map(letter).collect()
}

/// Returns `true` if the letters are a concatenation of common words.
fn is_words(letters: &str) -> bool {
    let mut reached = vec![false; letters.len() + 1];
    reached[0] = true;
    for start in 0..letters.len() {
        if reached[start] {
            let rest = &letters[start..];
            for word in COMMON_WORDS.iter().filter(|word| rest.starts_with(**word)) {
                reached[start + word.len()] = true;
            }
        }
    }
    reached[letters.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choose(typed: &str) -> Result<NewPassword, WeakPassword> {
        NewPassword::choose(typed, &"asha.rao@example.org".parse().unwrap())
    }

    #[test]
    fn common_passwords_are_rejected() {
        for common in [
            "0123456789",
            "9876543210",
            "9845012345",
            "2024-12-31",
            "aaaaaaaaaaa",
            "abcabcabcabc",
            "qwertyuiop",
            "Qwertyuiop1",
            "qwerty12345",
            "1q2w3e4r5t",
            "1qaz2wsx3edc",
            "asdfghjkl;'",
            "abcdefghij",
            "password123",
            "Password@123",
            "P@ssw0rd2024",
            "passw0rd!!!!",
            "welcome@123",
            "iloveyou12",
            "ILoveYouForever",
            "jaimatadi123",
            "omnamahshivaya",
            "Sachin@1973",
            "admin@12345",
            "shruti12345",
        ] {
            assert_eq!(choose(common).err(), Some(WeakPassword::Common), "{common}");
        }
        for own in ["asha.rao@example.org", "asha.rao@example.org1", "AshaRao1990", "asha.rao.1990"] {
            assert_eq!(choose(own).err(), Some(WeakPassword::Email), "{own}");
        }
        for good in
            ["correct horse battery", "मेरी नीली साइकिल", "tidal-kettle-9", "xK4!vq0zPw", "india lamp kettle"]
        {
            assert!(choose(good).is_ok(), "{good}");
        }
    }

    #[test]
    fn length_counts_characters() {
        assert_eq!(choose("xK4!vq0zP").unwrap_err(), WeakPassword::TooShort);
        assert_eq!(choose("नीलीसाइ").unwrap_err(), WeakPassword::TooShort);
        let long: String = (0..256_u32).map(|i| char::from(b'a' + (i * i / 7 % 26) as u8)).collect();
        assert!(choose(&long).is_ok());
        assert_eq!(choose(&format!("{long}a")).unwrap_err(), WeakPassword::TooLong);
        assert_eq!(
            choose(&"ﷺ".repeat(256)).unwrap_err(),
            WeakPassword::TooLong,
            "18 characters each once normalised"
        );
    }

    #[test]
    fn debug_output_hides_passwords() {
        let shown = format!("{:?} {:?}", choose("tidal-kettle-9"), Password::typed("tidal"));
        assert!(!shown.contains("tidal"), "{shown}");
    }
}
