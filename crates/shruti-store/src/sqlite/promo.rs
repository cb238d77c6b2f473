//! Decisions about promo codes, in SQL.

use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension, Row, Transaction, TransactionBehavior, named_params};

use super::{SqliteStore, accounts, audit, signed, unsigned};
use crate::account::{Account, AccountId};
use crate::audit::{Actor, Event};
use crate::promo::{
    CreatedPromo, NamedPromo, PROMO_TRIES, PROMO_TRIES_WINDOW_MS, PromoBeginning, PromoCode, PromoDisabling,
    PromoRecord, PromoSpec, PromoStore, Redemption,
};
use crate::secret::SecretHash;
use crate::store::StoreError;

const FIND_PROMO: &str = concat!(include_str!("sql/select_promo.sql"), include_str!("sql/find_promo.sql"));
const FIND_PROMO_BY_BEGINNING: &str =
    concat!(include_str!("sql/select_promo.sql"), include_str!("sql/find_promo_by_beginning.sql"));
const LIST_PROMOS: &str = concat!(include_str!("sql/select_promo.sql"), include_str!("sql/list_promos.sql"));
const INSERT_PROMO: &str = include_str!("sql/insert_promo.sql");
const DISABLE_PROMO: &str = include_str!("sql/disable_promo.sql");
const USE_PROMO: &str = include_str!("sql/use_promo.sql");
const INSERT_REDEMPTION: &str = include_str!("sql/insert_redemption.sql");
const FIND_REDEMPTION: &str = include_str!("sql/find_redemption.sql");
const COUNT_PROMO_TRIES: &str = include_str!("sql/count_promo_tries.sql");
const INSERT_PROMO_TRY: &str = include_str!("sql/insert_promo_try.sql");
const DROP_OLD_PROMO_TRIES: &str = include_str!("sql/drop_old_promo_tries.sql");

/// Tries to make a code whose beginning no other has: of a thousand codes it takes a second one once in a thousand
/// times.
const TRIES_FOR_A_BEGINNING: usize = 100;
/// What the tables of [`hash_codes`] are called in the end. SQLite changes what refers to them by itself.
const HASHED_TABLES: &str = "DROP TABLE promo_redemptions;
    DROP TABLE promo_codes;
    ALTER TABLE promo_codes_hashed RENAME TO promo_codes;
    ALTER TABLE promo_redemptions_hashed RENAME TO promo_redemptions;";

/// A code as it is stored.
struct Stored {
    hash: SecretHash,
    record: PromoRecord,
}

/// Puts the hashes of codes in the place of the codes. A step of [`migrations`](super::migrations).
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
            .ok_or_else(|| StoreError::Unreadable("a promo code that is none".to_owned()))?;
        let hash = code.hash().0;
        copy_code.execute(named_params! {
            ":hash": hash.as_slice(), ":beginning": code.beginning().as_str(), ":code": code.0
        })?;
        copy_redemptions.execute(named_params! {":hash": hash.as_slice(), ":code": code.0})?;
    }
    drop((copy_code, copy_redemptions));
    Ok(transaction.execute_batch(HASHED_TABLES)?)
}

fn find(connection: &Connection, code: &PromoCode) -> Result<Option<Stored>, StoreError> {
    let mut statement = connection.prepare_cached(FIND_PROMO)?;
    let hash = code.hash();
    let found = statement.query_row(named_params! {":hash": hash.0.as_slice()}, read).optional()?;
    Ok(found.map(|record| Stored { hash, record }))
}

/// The codes that begin so, two at most.
fn find_by_beginning(connection: &Connection, beginning: &PromoBeginning) -> Result<Vec<Stored>, StoreError> {
    let mut statement = connection.prepare_cached(FIND_PROMO_BY_BEGINNING)?;
    let asked = named_params! {":beginning": beginning.as_str()};
    let found = statement
        .query_map(asked, |row| Ok(Stored { hash: SecretHash(row.get("hash")?), record: read(row)? }))?;
    Ok(found.collect::<Result<_, _>>()?)
}

fn read(row: &Row<'_>) -> rusqlite::Result<PromoRecord> {
    let spec = PromoSpec {
        chars: unsigned(row.get("chars")?),
        uses: row.get("uses")?,
        expires_ms: row.get("expires_ms")?,
    };
    Ok(PromoRecord {
        beginning: PromoBeginning(row.get("beginning")?),
        spec,
        used: row.get("used")?,
        created_ms: row.get("created_ms")?,
        disabled_ms: row.get("disabled_ms")?,
    })
}

fn create(connection: &mut Connection, spec: PromoSpec, now_ms: i64) -> Result<CreatedPromo, StoreError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut code = PromoCode::generate()?;
    for _ in 0..TRIES_FOR_A_BEGINNING {
        if find_by_beginning(&transaction, &code.beginning())?.is_empty() {
            break;
        }
        code = PromoCode::generate()?;
    }
    let beginning = code.beginning();
    transaction.execute(
        INSERT_PROMO,
        named_params! {
            ":hash": code.hash().0.as_slice(),
            ":beginning": beginning.as_str(),
            ":chars": signed(spec.chars),
            ":uses": spec.uses,
            ":now_ms": now_ms,
            ":expires_ms": spec.expires_ms,
        },
    )?;
    audit::done(&transaction, now_ms, &Actor::Operator, Event::PromoCreated, None, Some(beginning.as_str()))?;
    transaction.commit()?;
    let record = PromoRecord { beginning, spec, used: 0, created_ms: now_ms, disabled_ms: None };
    Ok(CreatedPromo { code, record })
}

fn list(connection: &Connection) -> Result<Vec<PromoRecord>, StoreError> {
    let mut statement = connection.prepare_cached(LIST_PROMOS)?;
    let rows = statement.query_map([], read)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn disable(
    connection: &mut Connection,
    named: &NamedPromo,
    now_ms: i64,
) -> Result<PromoDisabling, StoreError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let found = match named {
        NamedPromo::Whole(code) => Vec::from_iter(find(&transaction, code)?),
        NamedPromo::Beginning(beginning) => find_by_beginning(&transaction, beginning)?,
    };
    if found.len() > 1 {
        return Ok(PromoDisabling::Ambiguous);
    }
    let Some(Stored { hash, record }) = found.into_iter().next() else { return Ok(PromoDisabling::Unknown) };
    if record.disabled_ms.is_some() {
        return Ok(PromoDisabling::AlreadyDisabled(record));
    }
    transaction.execute(DISABLE_PROMO, named_params! {":hash": hash.0.as_slice(), ":now_ms": now_ms})?;
    let subject = Some(record.beginning.as_str());
    audit::done(&transaction, now_ms, &Actor::Operator, Event::PromoDisabled, None, subject)?;
    transaction.commit()?;
    Ok(PromoDisabling::Disabled(PromoRecord { disabled_ms: Some(now_ms), ..record }))
}

fn redeem(
    connection: &mut Connection,
    account: &AccountId,
    typed: &str,
    now_ms: i64,
) -> Result<Redemption, StoreError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let found = accounts::find(&transaction, account)?.filter(|account| account.locked_ms.is_none());
    let Some(account) = found else { return Ok(Redemption::NoAccount) };
    let code = PromoCode::parse(typed);
    let redemption = judge(&transaction, &account, code.as_ref(), now_ms)?;
    let outcome = match redemption {
        Redemption::Redeemed { .. } => audit::OK,
        Redemption::AlreadyRedeemed => "already_redeemed",
        Redemption::Expired => "promo_expired",
        Redemption::Exhausted => "promo_exhausted",
        Redemption::Wait { .. } => "too_many_tries",
        Redemption::Unknown { .. } | Redemption::NoAccount => "unknown_code",
    };
    let is_code = !matches!(redemption, Redemption::Unknown { .. } | Redemption::Wait { .. });
    // what was typed wrong may be anything, a password too
    let beginning = code.as_ref().filter(|_| is_code).map(PromoCode::beginning);
    let entry = audit::Entry {
        actor: &Actor::Account(account.id.clone()),
        event: Event::PromoRedemption,
        account: Some(&account.id),
        subject: beginning.as_ref().map(PromoBeginning::as_str),
        outcome,
    };
    audit::record(&transaction, now_ms, &entry)?;
    transaction.commit()?;
    Ok(redemption)
}

fn judge(
    transaction: &Transaction<'_>,
    account: &Account,
    code: Option<&PromoCode>,
    now_ms: i64,
) -> Result<Redemption, StoreError> {
    let id = account.id.as_str();
    let since_ms = now_ms.saturating_sub(PROMO_TRIES_WINDOW_MS);
    transaction.execute(DROP_OLD_PROMO_TRIES, named_params! {":since_ms": since_ms})?;
    let asked = named_params! {":account": id, ":since_ms": since_ms};
    let (tries, first_ms): (u32, Option<i64>) =
        transaction.query_row(COUNT_PROMO_TRIES, asked, |row| Ok((row.get(0)?, row.get(1)?)))?;
    if tries >= PROMO_TRIES {
        let free_ms = first_ms.unwrap_or(now_ms).saturating_add(PROMO_TRIES_WINDOW_MS);
        return Ok(Redemption::Wait { retry_in_ms: unsigned(free_ms.saturating_sub(now_ms)) });
    }
    let found = code.map(|code| find(transaction, code)).transpose()?.flatten();
    let Some(Stored { hash, record }) = found else {
        transaction.execute(INSERT_PROMO_TRY, named_params! {":account": id, ":now_ms": now_ms})?;
        return Ok(Redemption::Unknown { tries_left: PROMO_TRIES - tries - 1 });
    };
    let asked = named_params! {":account": id, ":hash": hash.0.as_slice()};
    if transaction.query_row(FIND_REDEMPTION, asked, |row| row.get(0))? {
        return Ok(Redemption::AlreadyRedeemed);
    }
    if record.disabled_ms.is_some() || record.spec.expires_ms.is_some_and(|end| end <= now_ms) {
        return Ok(Redemption::Expired);
    }
    if transaction.execute(USE_PROMO, named_params! {":hash": hash.0.as_slice()})? == 0 {
        return Ok(Redemption::Exhausted);
    }
    transaction.execute(
        INSERT_REDEMPTION,
        named_params! {":account": id, ":hash": hash.0.as_slice(), ":now_ms": now_ms},
    )?;
    accounts::give_access(transaction, &account.id, record.spec.chars, now_ms)?;
    let account = accounts::find(transaction, &account.id)?.unwrap_or_else(|| account.clone());
    Ok(Redemption::Redeemed { account, added_chars: record.spec.chars })
}

#[async_trait]
impl PromoStore for SqliteStore {
    async fn create_promo(&self, spec: PromoSpec, now_ms: i64) -> Result<CreatedPromo, StoreError> {
        self.call(move |connection| create(connection, spec, now_ms)).await
    }

    async fn list_promos(&self) -> Result<Vec<PromoRecord>, StoreError> {
        self.read(|connection| list(connection)).await
    }

    async fn disable_promo(&self, named: NamedPromo, now_ms: i64) -> Result<PromoDisabling, StoreError> {
        self.call(move |connection| disable(connection, &named, now_ms)).await
    }

    async fn redeem_promo(
        &self,
        account: AccountId,
        typed: String,
        now_ms: i64,
    ) -> Result<Redemption, StoreError> {
        self.call(move |connection| redeem(connection, &account, &typed, now_ms)).await
    }
}
