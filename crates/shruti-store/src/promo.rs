//! Promo codes: made by operators, redeemed by account holders.

use std::fmt;

use async_trait::async_trait;

use crate::account::{Account, AccountId};
use crate::audit::Actor;
use crate::error::StoreError;
use crate::secret::SecretHash;

/// Digits and capitals without I, L, O and U: what people read out and type arrives as it was meant (Crockford, "Base
/// 32", 2002).
const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/// Letters of a code: 80 bits.
const LETTERS: usize = 16;
const GROUP: usize = 4;
/// What is typed is not read beyond so many characters.
const MAX_TYPED: usize = 64;

/// Wrong codes that an account may try within [`PROMO_TRIES_WINDOW_MS`].
pub const PROMO_TRIES: u32 = 5;
/// An hour, in milliseconds.
pub const PROMO_TRIES_WINDOW_MS: i64 = 3_600_000;

/// A promo code: 16 letters and digits, shown in groups of four (`7K2M-Q9XD-4TBR-W0EN`).
///
/// It is shown once, to the operator who makes it. The database holds its SHA-256, and lists and logs show its
/// [beginning](PromoCode::beginning). Of its 80 bits that leaves 60 to whoever has read the database and wants to
/// find the rest by trying: thousands of hours of a graphics card for each code, which gives some characters a month.
/// So neither a slow hash is needed, which could not be looked up, nor one with a key, which would lie in the same
/// folder.
///
/// `Debug` shows no more than the beginning.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PromoCode(pub(crate) String);

/// The first four letters of a code: what it is called once it has been made.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PromoBeginning(pub(crate) String);

/// Which code is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NamedPromo {
    /// This one.
    Whole(PromoCode),
    /// The one that begins so.
    Beginning(PromoBeginning),
}

impl PromoCode {
    /// A new random code.
    pub fn generate() -> Result<Self, getrandom::Error> {
        let mut random = [0_u8; LETTERS];
        getrandom::fill(&mut random)?;
        Ok(Self(random.iter().map(|&byte| char::from(ALPHABET[usize::from(byte % 32)])).collect()))
    }

    /// Reads what somebody typed, without regard to case, dashes and spaces; O is read as 0, I and L as 1. `None` if
    /// it has not the shape of a code.
    pub fn parse(typed: &str) -> Option<Self> {
        read(typed).filter(|letters| letters.len() == LETTERS).map(Self)
    }

    /// Its first group, for lists and logs.
    pub fn beginning(&self) -> PromoBeginning {
        // it has sixteen characters, all of them ASCII
        PromoBeginning(self.0[..GROUP].to_owned())
    }

    /// What is stored in its place.
    pub(crate) fn hash(&self) -> SecretHash {
        SecretHash::of(&self.0)
    }
}

impl PromoBeginning {
    /// Its four letters.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl NamedPromo {
    /// Reads a code or its beginning, as generously as [`PromoCode::parse`]; dots that stand for the rest are left out.
    pub fn parse(typed: &str) -> Option<Self> {
        let letters = read(typed.trim_end_matches(['.', '…', '-']))?;
        match letters.len() {
            LETTERS => Some(Self::Whole(PromoCode(letters))),
            GROUP => Some(Self::Beginning(PromoBeginning(letters))),
            _ => None,
        }
    }
}

/// The letters of what somebody typed, if all of them are of codes.
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

/// A code to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PromoSpec {
    /// Characters a month that it adds to an account's allowance; at least 1.
    pub chars: u64,
    /// Accounts that may redeem it; at least 1.
    pub uses: u32,
    /// When it stops, in milliseconds since 1970.
    pub expires_ms: Option<i64>,
}

/// A code as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromoRecord {
    /// What it is called.
    pub beginning: PromoBeginning,
    /// What it was made with.
    pub spec: PromoSpec,
    /// Accounts that have redeemed it.
    pub used: u32,
    /// When it was made, in milliseconds since 1970.
    pub created_ms: i64,
    /// When the operator ended it.
    pub disabled_ms: Option<i64>,
}

/// A code as it is stored, with what finds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StoredPromo {
    /// The hash of the code.
    pub(crate) hash: SecretHash,
    /// What is stored with it.
    pub(crate) record: PromoRecord,
}

/// A code that was just made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreatedPromo {
    /// The code itself, which is stored nowhere.
    pub code: PromoCode,
    /// What is stored.
    pub record: PromoRecord,
}

/// The outcome of disabling a code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PromoDisabling {
    /// Nobody redeems it from now on; who has keeps what it gave.
    Disabled(PromoRecord),
    /// It had been ended before.
    AlreadyDisabled(PromoRecord),
    /// There is no such code.
    Unknown,
    /// Several codes begin so; only the whole one tells which is meant.
    Ambiguous,
}

/// The outcome of a redemption.
#[derive(Clone, Debug, PartialEq)]
pub enum Redemption {
    /// It counts: the account has access, and its allowance has grown.
    Redeemed {
        /// The account as it is now.
        account: Account,
        /// The characters a month that the code added.
        added_chars: u64,
    },
    /// This account has redeemed this code before (409 `already_redeemed`).
    AlreadyRedeemed,
    /// Its time is over, or the operator ended it (410 `promo_expired`).
    Expired,
    /// As many accounts as may have redeemed it (410 `promo_exhausted`).
    Exhausted,
    /// There is no such code. This one counts as a wrong try; the others above do not.
    Unknown {
        /// Wrong tries that are left within the hour.
        tries_left: u32,
    },
    /// Too many wrong tries within the hour; nothing was looked at, right or wrong.
    Wait {
        /// When the next try is looked at, in milliseconds from now.
        retry_in_ms: u64,
    },
    /// There is no such account, or the operator locked it.
    NoAccount,
}

/// Promo codes.
#[async_trait]
pub trait PromoStore {
    /// Makes a code. For operators.
    async fn create_promo(&self, by: Actor, spec: PromoSpec, now_ms: i64)
    -> Result<CreatedPromo, StoreError>;

    /// All codes, oldest first. For operators.
    async fn list_promos(&self) -> Result<Vec<PromoRecord>, StoreError>;

    /// Ends a code. For operators.
    async fn disable_promo(
        &self,
        by: Actor,
        named: NamedPromo,
        now_ms: i64,
    ) -> Result<PromoDisabling, StoreError>;

    /// Redeems what an account holder typed: once an account and as often as the code may be, however many try at
    /// once. Different codes add up. Servers learn of the access with the next changes of keys.
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
    fn a_code_is_read_however_it_is_typed() {
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
