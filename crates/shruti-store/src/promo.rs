//! Promo codes, which operators create and account holders redeem.

use std::fmt;

use async_trait::async_trait;

use crate::account::{Account, AccountId};
use crate::audit::Actor;
use crate::error::StoreError;
use crate::secret::SecretHash;

/// Digits and capital letters. I, L, O and U are omitted, so that a code is not misread when someone types it or reads
/// it out (Crockford, "Base 32", 2002).
const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/// Number of characters in a code. They have 80 bits of entropy.
const LETTERS: usize = 16;
const GROUP: usize = 4;
/// Maximum number of characters of typed text; a longer text is not a code.
const MAX_TYPED: usize = 64;

/// Maximum number of wrong codes that an account may try within [`PROMO_TRIES_WINDOW_MS`].
pub const PROMO_TRIES: u32 = 5;
/// Period in which wrong codes are counted, in milliseconds: 1 hour.
pub const PROMO_TRIES_WINDOW_MS: i64 = 3_600_000;

/// Promo code: 16 letters and digits, shown in groups of four (`7K2M-Q9XD-4TBR-W0EN`).
///
/// A code is shown once, to the operator who creates it. The database stores its SHA-256, and lists and logs show its
/// [beginning](PromoCode::beginning). A reader of the database therefore has to guess the other 60 of the code's 80
/// bits. That takes a graphics card thousands of hours per code, which is not worth the characters that a code adds. A
/// slow, salted hash could not be looked up and is not needed. A keyed hash would not help, because its key would be in
/// the same folder.
///
/// `Debug` shows the beginning only.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PromoCode(pub(crate) String);

/// First four characters of a code, which identify it after its creation.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PromoBeginning(pub(crate) String);

/// Reference to a promo code: the whole code or its beginning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NamedPromo {
    /// Whole code.
    Whole(PromoCode),
    /// Beginning of the code.
    Beginning(PromoBeginning),
}

impl PromoCode {
    /// Generates a random code.
    pub fn generate() -> Result<Self, getrandom::Error> {
        let mut random = [0_u8; LETTERS];
        getrandom::fill(&mut random)?;
        Ok(Self(random.iter().map(|&byte| char::from(ALPHABET[usize::from(byte % 32)])).collect()))
    }

    /// Parses typed text, ignoring case, dashes and spaces; O is read as 0, I and L as 1. Returns `None` if the text
    /// does not have the form of a code.
    pub fn parse(typed: &str) -> Option<Self> {
        read(typed).filter(|letters| letters.len() == LETTERS).map(Self)
    }

    /// Returns the first group, for lists and logs.
    pub fn beginning(&self) -> PromoBeginning {
        // a code has sixteen ASCII characters
        PromoBeginning(self.0[..GROUP].to_owned())
    }

    /// Returns the hash that is stored.
    pub(crate) fn hash(&self) -> SecretHash {
        SecretHash::of(&self.0)
    }
}

impl PromoBeginning {
    /// Returns the four characters.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl NamedPromo {
    /// Parses a code or its beginning, with the tolerance of [`PromoCode::parse`]. Dots at the end, which stand for the
    /// rest of the code, are ignored.
    pub fn parse(typed: &str) -> Option<Self> {
        let letters = read(typed.trim_end_matches(['.', '…', '-']))?;
        match letters.len() {
            LETTERS => Some(Self::Whole(PromoCode(letters))),
            GROUP => Some(Self::Beginning(PromoBeginning(letters))),
            _ => None,
        }
    }
}

/// Returns the normalised characters of typed text, or `None` if the text is too long or one of its characters cannot
/// be part of a code.
fn read(typed: &str) -> Option<String> {
    let typed = typed.trim();
    if typed.chars().nth(MAX_TYPED).is_some() {
        return None;
    }
    let is_filler = |c: &char| c.is_whitespace() || matches!(c, '-' | '\u{2010}'..='\u{2015}' | '\u{2212}');
    let letters = typed.chars().filter(|c| !is_filler(c)).map(|c| match c.to_ascii_uppercase() {
        'O' => '0',
        'I' | 'L' => '1',
        other => other,
    });
    let letters: String = letters.collect();
    letters.bytes().all(|byte| ALPHABET.contains(&byte)).then_some(letters)
}

impl fmt::Debug for PromoCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PromoCode({}…)", self.beginning().as_str())
    }
}

impl fmt::Display for PromoBeginning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-…", self.0)
    }
}

impl fmt::Display for PromoCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, letter) in self.0.chars().enumerate() {
            if at > 0 && at % GROUP == 0 {
                f.write_str("-")?;
            }
            write!(f, "{letter}")?;
        }
        Ok(())
    }
}

/// Specification of a new code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PromoSpec {
    /// Characters per month that the code adds to an account's allowance; at least 1.
    pub chars: u64,
    /// Maximum number of accounts that may redeem the code; at least 1.
    pub uses: u32,
    /// Expiry, in milliseconds since 1970; `None` if the code does not expire.
    pub expires_ms: Option<i64>,
}

/// Stored data of a code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromoRecord {
    /// Beginning, which identifies the code.
    pub beginning: PromoBeginning,
    /// Specification.
    pub spec: PromoSpec,
    /// Number of accounts that have redeemed the code.
    pub used: u32,
    /// Creation time, in milliseconds since 1970.
    pub created_ms: i64,
    /// Time at which an operator disabled the code, in milliseconds since 1970; `None` if it is not disabled.
    pub disabled_ms: Option<i64>,
}

/// Stored code with its hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StoredPromo {
    /// Hash of the code.
    pub(crate) hash: SecretHash,
    /// Other columns of the row.
    pub(crate) record: PromoRecord,
}

/// Code that was just created.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreatedPromo {
    /// The code, which is not stored.
    pub code: PromoCode,
    /// Stored data of the code.
    pub record: PromoRecord,
}

/// Outcome of disabling a code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PromoDisabling {
    /// The code can no longer be redeemed. Accounts that have redeemed it keep their characters.
    Disabled(PromoRecord),
    /// The code had already been disabled.
    AlreadyDisabled(PromoRecord),
    /// The code does not exist.
    Unknown,
    /// Several codes have this beginning; the whole code is needed.
    Ambiguous,
}

/// Outcome of a redemption.
#[derive(Clone, Debug, PartialEq)]
pub enum Redemption {
    /// The code was redeemed: the account has access, and its allowance has grown.
    Redeemed {
        /// Account after the redemption.
        account: Account,
        /// Characters per month that the code added.
        added_chars: u64,
    },
    /// The account has already redeemed this code (409 `already_redeemed`).
    AlreadyRedeemed,
    /// The code has expired, or an operator disabled it (410 `promo_expired`).
    Expired,
    /// The maximum number of accounts has redeemed the code (410 `promo_exhausted`).
    Exhausted,
    /// The code does not exist. Only this outcome counts as a wrong attempt.
    Unknown {
        /// Number of wrong codes that the account may still try within the hour.
        tries_left: u32,
    },
    /// There were too many wrong attempts within the hour. The code was not looked up.
    Wait {
        /// Time until the next attempt is accepted, in milliseconds.
        retry_in_ms: u64,
    },
    /// The account does not exist, or an operator locked it.
    NoAccount,
}

/// Promo codes.
#[async_trait]
pub trait PromoStore {
    /// Creates a code. For operators.
    async fn create_promo(&self, by: Actor, spec: PromoSpec, now_ms: i64)
    -> Result<CreatedPromo, StoreError>;

    /// Returns all codes, oldest first. For operators.
    async fn list_promos(&self) -> Result<Vec<PromoRecord>, StoreError>;

    /// Disables a code. For operators.
    async fn disable_promo(
        &self,
        by: Actor,
        named: NamedPromo,
        now_ms: i64,
    ) -> Result<PromoDisabling, StoreError>;

    /// Redeems a code that an account holder typed. A code can be redeemed once per account and by as many accounts as
    /// it allows, even with concurrent attempts. The characters of different codes add up. Servers receive the new
    /// access with their next request for key changes.
    async fn redeem_promo(
        &self,
        account: AccountId,
        typed: String,
        now_ms: i64,
    ) -> Result<Redemption, StoreError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_parsed_in_any_typed_form() {
        let code = PromoCode("7K2MQ9XD4TBRW0E1".to_owned());
        assert_eq!(code.to_string(), "7K2M-Q9XD-4TBR-W0E1");
        assert_eq!(code.beginning().to_string(), "7K2M-…");
        assert_eq!(format!("{code:?}"), "PromoCode(7K2M…)");
        assert_eq!(NamedPromo::parse("7k2m-q9xd-4tbr-woel"), Some(NamedPromo::Whole(code.clone())));
        for typed in ["7K2M", "7k2m-…", " 7K2M...", "7-K-2-M-"] {
            assert_eq!(NamedPromo::parse(typed), Some(NamedPromo::Beginning(code.beginning())), "{typed}");
        }
        for wrong in ["", "7K2", "7K2MQ", "7K2M-Q9XD", "नमस्ते"] {
            assert_eq!(NamedPromo::parse(wrong), None, "{wrong}");
        }
        for typed in [
            "7K2M-Q9XD-4TBR-W0E1",
            " 7k2mq9xd4tbrw0e1\n",
            "7k2m q9xd 4tbr woel",
            "7K2M–Q9XD—4TBR-WOEI",
            "7-K-2-M-Q-9-X-D-4-T-B-R-W-0-E-1-",
        ] {
            assert_eq!(PromoCode::parse(typed).as_ref(), Some(&code), "{typed}");
        }
        let made = PromoCode::generate().unwrap();
        assert_eq!(PromoCode::parse(&made.to_string()), Some(made.clone()));
        assert_ne!(PromoCode::generate().unwrap(), made);
        for wrong in [
            "",
            "7K2M",
            "7K2M-Q9XD-4TBR-W0E",
            "7K2M-Q9XD-4TBR-W0E12",
            "7K2M-Q9XD-4TBR-W0EU",
            "७K2M-Q9XD-4TBR-W0E1",
        ] {
            assert_eq!(PromoCode::parse(wrong), None, "{wrong}");
        }
        assert_eq!(PromoCode::parse(&"-".repeat(1_000_000)), None);
    }
}
