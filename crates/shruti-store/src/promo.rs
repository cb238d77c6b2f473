//! Promo codes: made by operators, redeemed by account holders.

use std::fmt;

use async_trait::async_trait;

use crate::account::{Account, AccountId};
use crate::store::StoreError;

/// Digits and capitals without I, L, O and U: what people read out and type arrives as it was meant (Crockford, "Base 32",
/// 2002).
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
/// Codes are no secrets like keys: operators list them, and the database holds them as they are. Logs show
/// [`PromoCode::beginning`] alone.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PromoCode(pub(crate) String);

impl PromoCode {
    /// A new random code.
    pub fn generate() -> Result<Self, getrandom::Error> {
        let mut random = [0_u8; LETTERS];
        getrandom::fill(&mut random)?;
        Ok(Self(random.iter().map(|&byte| char::from(ALPHABET[usize::from(byte % 32)])).collect()))
    }

    /// Reads what somebody typed, without regard to case, dashes and spaces; O is read as 0, I and L as 1. `None` if it has
    /// not the shape of a code.
    pub fn parse(typed: &str) -> Option<Self> {
        let typed = typed.trim();
        if typed.chars().nth(MAX_TYPED).is_some() {
            return None;
        }
        let is_filler =
            |c: &char| c.is_whitespace() || matches!(c, '-' | '\u{2010}'..='\u{2015}' | '\u{2212}');
        let letters = typed.chars().filter(|c| !is_filler(c)).map(|c| match c.to_ascii_uppercase() {
            'O' => '0',
            'I' | 'L' => '1',
            other => other,
        });
        let code: String = letters.collect();
        let is_code = code.len() == LETTERS && code.bytes().all(|byte| ALPHABET.contains(&byte));
        is_code.then_some(Self(code))
    }

    /// Its first group, for logs.
    pub fn beginning(&self) -> &str {
        // it has sixteen characters, all of them ASCII
        &self.0[..GROUP]
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
    /// The code.
    pub code: PromoCode,
    /// What it was made with.
    pub spec: PromoSpec,
    /// Accounts that have redeemed it.
    pub used: u32,
    /// When it was made, in milliseconds since 1970.
    pub created_ms: i64,
    /// When the operator ended it.
    pub disabled_ms: Option<i64>,
}

/// What came of the end of a code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PromoDisabling {
    /// Nobody redeems it from now on; who has keeps what it gave.
    Disabled(PromoRecord),
    /// It had been ended before.
    AlreadyDisabled(PromoRecord),
    /// There is no such code.
    Unknown,
}

/// What came of a wish to redeem a code.
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
    async fn create_promo(&self, spec: PromoSpec, now_ms: i64) -> Result<PromoRecord, StoreError>;

    /// All codes, oldest first. For operators.
    async fn list_promos(&self) -> Result<Vec<PromoRecord>, StoreError>;

    /// Ends a code. For operators.
    async fn disable_promo(&self, code: PromoCode, now_ms: i64) -> Result<PromoDisabling, StoreError>;

    /// Redeems what an account holder typed: once an account and as often as the code may be, however many try at once. Different
    /// codes add up. Servers learn of the access with the next changes of keys.
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
        assert_eq!(code.beginning(), "7K2M");
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
