//! Promo codes, in SQL.

use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension, Row, Transaction, named_params};

use super::store::SqliteStore;
use super::{account_rows, audit};
use crate::account::AccountId;
use crate::audit::{Actor, Event, NewEntry, OK};
use crate::count::{signed, unsigned};
use crate::decisions::promo::{PromoState, RedemptionDecision, WrongTries, decide_redemption};
use crate::error::StoreError;
use crate::promo::{
    CreatedPromo, NamedPromo, PROMO_TRIES_WINDOW_MS, PromoBeginning, PromoCode, PromoDisabling, PromoRecord,
    PromoSpec, PromoStore, Redemption, StoredPromo,
};
use crate::secret::SecretHash;

/// A whole statement that gives codes, from the clauses after `FROM`.
macro_rules! select_promos {
    ($clauses:literal) => {
        concat!(
            "SELECT hash, beginning, chars, uses, used, created_ms, expires_ms, disabled_ms FROM promo_codes ",
            $clauses
        )
    };
}

const FIND_PROMO: &str = select_promos!("WHERE hash = :hash");
const FIND_PROMO_BY_BEGINNING: &str = select_promos!("WHERE beginning = :beginning LIMIT 2");
const LIST_PROMOS: &str = select_promos!("ORDER BY created_ms, beginning");
const INSERT_PROMO: &str = "INSERT INTO promo_codes (hash, beginning, chars, uses, created_ms, expires_ms)
    VALUES (:hash, :beginning, :chars, :uses, :now_ms, :expires_ms)";
const DISABLE_PROMO: &str = "UPDATE promo_codes SET disabled_ms = :now_ms WHERE hash = :hash";
const USE_PROMO: &str = "UPDATE promo_codes SET used = used + 1 WHERE hash = :hash";
const INSERT_REDEMPTION: &str =
    "INSERT INTO promo_redemptions (account, hash, redeemed_ms) VALUES (:account, :hash, :now_ms)";
const IS_REDEEMED: &str =
    "SELECT EXISTS (SELECT 1 FROM promo_redemptions WHERE account = :account AND hash = :hash)";
const COUNT_PROMO_TRIES: &str = "SELECT count(*) AS count, min(at_ms) AS first_ms FROM promo_tries
    WHERE account = :account AND at_ms > :since_ms";
const INSERT_PROMO_TRY: &str = "INSERT INTO promo_tries (account, at_ms) VALUES (:account, :now_ms)";
const DROP_OLD_PROMO_TRIES: &str = "DELETE FROM promo_tries WHERE at_ms <= :since_ms";

/// Tries to make a code whose beginning no other has: of a thousand codes it takes a second one once in a thousand
/// times.
const TRIES_FOR_A_BEGINNING: usize = 100;

fn find(connection: &Connection, code: &PromoCode) -> Result<Option<StoredPromo>, StoreError> {
    let mut statement = connection.prepare_cached(FIND_PROMO)?;
    let hash = code.hash();
    let found = statement.query_row(named_params! {":hash": hash.0.as_slice()}, read).optional()?;
    Ok(found.map(|record| StoredPromo { hash, record }))
}

/// The codes that begin so, two at most.
fn find_by_beginning(
    connection: &Connection,
    beginning: &PromoBeginning,
) -> Result<Vec<StoredPromo>, StoreError> {
    let mut statement = connection.prepare_cached(FIND_PROMO_BY_BEGINNING)?;
    let asked = named_params! {":beginning": beginning.as_str()};
    let found = statement
        .query_map(asked, |row| Ok(StoredPromo { hash: SecretHash(row.get("hash")?), record: read(row)? }))?;
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

fn create(
    connection: &mut Connection,
    by: &Actor,
    spec: PromoSpec,
    now_ms: i64,
) -> Result<CreatedPromo, StoreError> {
    let transaction = connection.transaction()?;
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
    audit::done(&transaction, now_ms, by, Event::PromoCreated, None, Some(beginning.as_str()))?;
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
    by: &Actor,
    named: &NamedPromo,
    now_ms: i64,
) -> Result<PromoDisabling, StoreError> {
    let transaction = connection.transaction()?;
    let found = match named {
        NamedPromo::Whole(code) => Vec::from_iter(find(&transaction, code)?),
        NamedPromo::Beginning(beginning) => find_by_beginning(&transaction, beginning)?,
    };
    if found.len() > 1 {
        return Ok(PromoDisabling::Ambiguous);
    }
    let Some(StoredPromo { hash, record }) = found.into_iter().next() else {
        return Ok(PromoDisabling::Unknown);
    };
    if record.disabled_ms.is_some() {
        return Ok(PromoDisabling::AlreadyDisabled(record));
    }
    transaction.execute(DISABLE_PROMO, named_params! {":hash": hash.0.as_slice(), ":now_ms": now_ms})?;
    let subject = Some(record.beginning.as_str());
    audit::done(&transaction, now_ms, by, Event::PromoDisabled, None, subject)?;
    transaction.commit()?;
    Ok(PromoDisabling::Disabled(PromoRecord { disabled_ms: Some(now_ms), ..record }))
}

fn redeem(
    connection: &mut Connection,
    account: &AccountId,
    typed: &str,
    now_ms: i64,
) -> Result<Redemption, StoreError> {
    let transaction = connection.transaction()?;
    let found = account_rows::find(&transaction, account)?.filter(|account| account.locked_ms.is_none());
    let Some(account) = found else { return Ok(Redemption::NoAccount) };
    let code = PromoCode::parse(typed);
    let state = state_of(&transaction, &account.id, code.as_ref(), now_ms)?;
    let (redemption, outcome) = match decide_redemption(&state, now_ms) {
        RedemptionDecision::Redeem { code, chars } => {
            use_code(&transaction, &account.id, code, chars, now_ms)?;
            let account = account_rows::find(&transaction, &account.id)?.unwrap_or_else(|| account.clone());
            (Redemption::Redeemed { account, added_chars: chars }, OK)
        }
        RedemptionDecision::AlreadyRedeemed => (Redemption::AlreadyRedeemed, "already_redeemed"),
        RedemptionDecision::Expired => (Redemption::Expired, "promo_expired"),
        RedemptionDecision::Exhausted => (Redemption::Exhausted, "promo_exhausted"),
        RedemptionDecision::Unknown { tries_left } => {
            let given = named_params! {":account": account.id.as_str(), ":now_ms": now_ms};
            transaction.execute(INSERT_PROMO_TRY, given)?;
            (Redemption::Unknown { tries_left }, "unknown_code")
        }
        RedemptionDecision::Wait { retry_in_ms } => (Redemption::Wait { retry_in_ms }, "too_many_tries"),
    };
    // the log names codes that exist alone: what was typed wrong may be anything, a password too
    let entry = NewEntry {
        actor: &Actor::Account(account.id.clone()),
        event: Event::PromoRedemption,
        account: Some(&account.id),
        subject: state.code.as_ref().map(|code| code.record.beginning.as_str()),
        outcome,
    };
    audit::record(&transaction, now_ms, &entry)?;
    transaction.commit()?;
    Ok(redemption)
}

/// What a redemption is decided by. During a wait no code is looked up.
fn state_of(
    transaction: &Transaction<'_>,
    account: &AccountId,
    typed: Option<&PromoCode>,
    now_ms: i64,
) -> Result<PromoState, StoreError> {
    drop_old_tries(transaction, now_ms)?;
    let since_ms = now_ms.saturating_sub(PROMO_TRIES_WINDOW_MS);
    let asked = named_params! {":account": account.as_str(), ":since_ms": since_ms};
    let wrong_tries = transaction.query_row(COUNT_PROMO_TRIES, asked, |row| {
        Ok(WrongTries { count: row.get("count")?, first_ms: row.get("first_ms")? })
    })?;
    let typed = typed.filter(|_| wrong_tries.retry_in_ms(now_ms).is_none());
    let found = typed.map(|code| find(transaction, code)).transpose()?.flatten();
    let Some(code) = found else {
        return Ok(PromoState { wrong_tries, code: None, is_redeemed: false });
    };
    let asked = named_params! {":account": account.as_str(), ":hash": code.hash.0.as_slice()};
    let is_redeemed = transaction.query_row(IS_REDEEMED, asked, |row| row.get(0))?;
    Ok(PromoState { wrong_tries, code: Some(code), is_redeemed })
}

/// Counts a use of a code, and gives what it gives.
fn use_code(
    transaction: &Transaction<'_>,
    account: &AccountId,
    hash: SecretHash,
    chars: u64,
    now_ms: i64,
) -> Result<(), StoreError> {
    let hash = hash.0.as_slice();
    transaction.execute(USE_PROMO, named_params! {":hash": hash})?;
    let given = named_params! {":account": account.as_str(), ":hash": hash, ":now_ms": now_ms};
    transaction.execute(INSERT_REDEMPTION, given)?;
    account_rows::give_access(transaction, account, chars, now_ms)
}

/// Removes wrong tries that no longer count.
pub(super) fn drop_old_tries(transaction: &Transaction<'_>, now_ms: i64) -> Result<(), StoreError> {
    let since_ms = now_ms.saturating_sub(PROMO_TRIES_WINDOW_MS);
    transaction.execute(DROP_OLD_PROMO_TRIES, named_params! {":since_ms": since_ms})?;
    Ok(())
}

#[async_trait]
impl PromoStore for SqliteStore {
    async fn create_promo(
        &self,
        by: Actor,
        spec: PromoSpec,
        now_ms: i64,
    ) -> Result<CreatedPromo, StoreError> {
        self.call(move |connection| create(connection, &by, spec, now_ms)).await
    }

    async fn list_promos(&self) -> Result<Vec<PromoRecord>, StoreError> {
        self.read(|connection| list(connection)).await
    }

    async fn disable_promo(
        &self,
        by: Actor,
        named: NamedPromo,
        now_ms: i64,
    ) -> Result<PromoDisabling, StoreError> {
        self.call(move |connection| disable(connection, &by, &named, now_ms)).await
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
