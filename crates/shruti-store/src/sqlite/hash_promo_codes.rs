//! Migration that replaces promo codes with their hashes. It has to read each row.

use rusqlite::{Transaction, named_params};

use crate::error::StoreError;
use crate::promo::PromoCode;

/// Statements that delete the old tables and give the new tables of [`hash_codes`] their names. SQLite updates the
/// references to the new tables.
const HASHED_TABLES: &str = "DROP TABLE promo_redemptions;
    DROP TABLE promo_codes;
    ALTER TABLE promo_codes_hashed RENAME TO promo_codes;
    ALTER TABLE promo_redemptions_hashed RENAME TO promo_redemptions;";

/// Replaces each code with its hash. This function is a step of [`migrations`](super::migrations).
pub(super) fn hash_codes(transaction: &Transaction<'_>) -> Result<(), StoreError> {
    transaction.execute_batch(include_str!("../../migrations/0007_promo_hashes.sql"))?;
    let codes: Vec<String> = transaction
        .prepare("SELECT code FROM promo_codes")?
        .query_map([], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    let mut copy_code = transaction.prepare(
        "INSERT INTO promo_codes_hashed SELECT :hash, :beginning, chars, uses, used, created_ms, expires_ms, disabled_ms
         FROM promo_codes WHERE code = :code",
    )?;
    let mut copy_redemptions = transaction.prepare(
        "INSERT INTO promo_redemptions_hashed SELECT account, :hash, redeemed_ms
         FROM promo_redemptions WHERE code = :code",
    )?;
    for code in codes {
        let code = PromoCode::parse(&code)
            .ok_or_else(|| StoreError::Unreadable("an invalid promo code".to_owned()))?;
        let hash = code.hash().0;
        copy_code.execute(named_params! {
            ":hash": hash.as_slice(), ":beginning": code.beginning().as_str(), ":code": code.0
        })?;
        copy_redemptions.execute(named_params! {":hash": hash.as_slice(), ":code": code.0})?;
    }
    drop((copy_code, copy_redemptions));
    Ok(transaction.execute_batch(HASHED_TABLES)?)
}
