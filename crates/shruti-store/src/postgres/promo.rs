//! Promo codes, in SQL.

use async_trait::async_trait;
use tokio_postgres::Row;

use super::client::{Client, Transaction};
use super::rows::{self, Values, small};
use super::store::PostgresStore;
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

const HOLD_PROMO: &str = select_promos!("WHERE hash = $1 FOR NO KEY UPDATE");
const HOLD_PROMO_BY_BEGINNING: &str =
    select_promos!("WHERE beginning = $1 ORDER BY hash LIMIT 2 FOR NO KEY UPDATE");
const LIST_PROMOS: &str = select_promos!("ORDER BY created_ms, beginning");
const INSERT_PROMO: &str = "INSERT INTO promo_codes (hash, beginning, chars, uses, created_ms, expires_ms)
    VALUES ($1, $2, $3, $4, $5, $6)";
const DISABLE_PROMO: &str = "UPDATE promo_codes SET disabled_ms = $2 WHERE hash = $1";
const USE_PROMO: &str = "UPDATE promo_codes SET used = used + 1 WHERE hash = $1";
const INSERT_REDEMPTION: &str =
    "INSERT INTO promo_redemptions (account, hash, redeemed_ms) VALUES ($1, $2, $3)";
const IS_REDEEMED: &str =
    "SELECT EXISTS (SELECT 1 FROM promo_redemptions WHERE account = $1 AND hash = $2) AS found";
const COUNT_PROMO_TRIES: &str =
    "SELECT count(*) AS count, min(at_ms) AS first_ms FROM promo_tries WHERE account = $1 AND at_ms > $2";
const INSERT_PROMO_TRY: &str = "INSERT INTO promo_tries (account, at_ms) VALUES ($1, $2)";
const DROP_OLD_PROMO_TRIES: &str = "DELETE FROM promo_tries WHERE id IN (
        SELECT id FROM promo_tries WHERE at_ms <= $1 FOR UPDATE SKIP LOCKED
    )";

/// Tries to make a code whose beginning no other has: of a thousand codes it takes a second one once in a thousand
/// times.
const TRIES_FOR_A_BEGINNING: usize = 100;

async fn hold(transaction: &Transaction<'_>, code: &PromoCode) -> Result<Option<StoredPromo>, StoreError> {
    let found = rows::first(transaction, HOLD_PROMO, &[&code.hash().0.as_slice()]).await?;
    found.as_ref().map(read_stored).transpose()
}

/// The codes that begin so, two at most.
async fn hold_by_beginning(
    transaction: &Transaction<'_>,
    beginning: &PromoBeginning,
) -> Result<Vec<StoredPromo>, StoreError> {
    let found = rows::all(transaction, HOLD_PROMO_BY_BEGINNING, &[&beginning.as_str()]).await?;
    found.iter().map(read_stored).collect()
}

fn read_stored(row: &Row) -> Result<StoredPromo, StoreError> {
    Ok(StoredPromo { hash: rows::hash(row, "hash")?, record: read(row)? })
}

fn read(row: &Row) -> Result<PromoRecord, StoreError> {
    let spec = PromoSpec {
        chars: unsigned(row.try_get("chars")?),
        uses: small(row.try_get("uses")?)?,
        expires_ms: row.try_get("expires_ms")?,
    };
    Ok(PromoRecord {
        beginning: PromoBeginning(row.try_get("beginning")?),
        spec,
        used: small(row.try_get("used")?)?,
        created_ms: row.try_get("created_ms")?,
        disabled_ms: row.try_get("disabled_ms")?,
    })
}

async fn create(
    transaction: &Transaction<'_>,
    by: &Actor,
    spec: PromoSpec,
    now_ms: i64,
) -> Result<CreatedPromo, StoreError> {
    let mut code = PromoCode::generate()?;
    for _ in 0..TRIES_FOR_A_BEGINNING {
        if hold_by_beginning(transaction, &code.beginning()).await?.is_empty() {
            break;
        }
        code = PromoCode::generate()?;
    }
    let (beginning, hash) = (code.beginning(), code.hash());
    let given: Values<'_> = &[
        &hash.0.as_slice(),
        &beginning.as_str(),
        &signed(spec.chars),
        &i64::from(spec.uses),
        &now_ms,
        &spec.expires_ms,
    ];
    rows::execute(transaction, INSERT_PROMO, given).await?;
    audit::done(transaction, now_ms, by, Event::PromoCreated, None, Some(beginning.as_str())).await?;
    let record = PromoRecord { beginning, spec, used: 0, created_ms: now_ms, disabled_ms: None };
    Ok(CreatedPromo { code, record })
}

async fn list(client: &impl Client) -> Result<Vec<PromoRecord>, StoreError> {
    rows::all(client, LIST_PROMOS, &[]).await?.iter().map(read).collect()
}

async fn disable(
    transaction: &Transaction<'_>,
    by: &Actor,
    named: &NamedPromo,
    now_ms: i64,
) -> Result<PromoDisabling, StoreError> {
    let found = match named {
        NamedPromo::Whole(code) => Vec::from_iter(hold(transaction, code).await?),
        NamedPromo::Beginning(beginning) => hold_by_beginning(transaction, beginning).await?,
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
    rows::execute(transaction, DISABLE_PROMO, &[&hash.0.as_slice(), &now_ms]).await?;
    let subject = Some(record.beginning.as_str());
    audit::done(transaction, now_ms, by, Event::PromoDisabled, None, subject).await?;
    Ok(PromoDisabling::Disabled(PromoRecord { disabled_ms: Some(now_ms), ..record }))
}

async fn redeem(
    transaction: &Transaction<'_>,
    account: &AccountId,
    typed: &str,
    now_ms: i64,
) -> Result<Redemption, StoreError> {
    let found = account_rows::hold(transaction, account).await?;
    let Some(account) = found.filter(|account| account.locked_ms.is_none()) else {
        return Ok(Redemption::NoAccount);
    };
    let code = PromoCode::parse(typed);
    let state = state_of(transaction, &account.id, code.as_ref(), now_ms).await?;
    let (redemption, outcome) = match decide_redemption(&state, now_ms) {
        RedemptionDecision::Redeem { code, chars } => {
            use_code(transaction, &account.id, code, chars, now_ms).await?;
            let now = account_rows::find(transaction, &account.id).await?;
            (Redemption::Redeemed { account: now.unwrap_or_else(|| account.clone()), added_chars: chars }, OK)
        }
        RedemptionDecision::AlreadyRedeemed => (Redemption::AlreadyRedeemed, "already_redeemed"),
        RedemptionDecision::Expired => (Redemption::Expired, "promo_expired"),
        RedemptionDecision::Exhausted => (Redemption::Exhausted, "promo_exhausted"),
        RedemptionDecision::Unknown { tries_left } => {
            rows::execute(transaction, INSERT_PROMO_TRY, &[&account.id.as_str(), &now_ms]).await?;
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
    audit::record(transaction, now_ms, &entry).await?;
    Ok(redemption)
}

/// What a redemption is decided by, held. During a wait no code is looked up.
async fn state_of(
    transaction: &Transaction<'_>,
    account: &AccountId,
    typed: Option<&PromoCode>,
    now_ms: i64,
) -> Result<PromoState, StoreError> {
    drop_old_tries(transaction, now_ms).await?;
    let since_ms = now_ms.saturating_sub(PROMO_TRIES_WINDOW_MS);
    let row = rows::one(transaction, COUNT_PROMO_TRIES, &[&account.as_str(), &since_ms]).await?;
    let wrong_tries = WrongTries { count: small(row.try_get("count")?)?, first_ms: row.try_get("first_ms")? };
    let typed = typed.filter(|_| wrong_tries.retry_in_ms(now_ms).is_none());
    let found = match typed {
        Some(code) => hold(transaction, code).await?,
        None => None,
    };
    let Some(code) = found else {
        return Ok(PromoState { wrong_tries, code: None, is_redeemed: false });
    };
    let asked: Values<'_> = &[&account.as_str(), &code.hash.0.as_slice()];
    let is_redeemed = rows::one(transaction, IS_REDEEMED, asked).await?.try_get("found")?;
    Ok(PromoState { wrong_tries, code: Some(code), is_redeemed })
}

/// Counts a use of a code, and gives what it gives.
async fn use_code(
    transaction: &Transaction<'_>,
    account: &AccountId,
    hash: SecretHash,
    chars: u64,
    now_ms: i64,
) -> Result<(), StoreError> {
    let hash = hash.0.as_slice();
    rows::execute(transaction, USE_PROMO, &[&hash]).await?;
    rows::execute(transaction, INSERT_REDEMPTION, &[&account.as_str(), &hash, &now_ms]).await?;
    account_rows::give_access(transaction, account, chars, now_ms).await
}

/// Removes wrong tries that no longer count.
pub(super) async fn drop_old_tries(transaction: &Transaction<'_>, now_ms: i64) -> Result<(), StoreError> {
    let since_ms = now_ms.saturating_sub(PROMO_TRIES_WINDOW_MS);
    rows::execute(transaction, DROP_OLD_PROMO_TRIES, &[&since_ms]).await?;
    Ok(())
}

#[async_trait]
impl PromoStore for PostgresStore {
    async fn create_promo(
        &self,
        by: Actor,
        spec: PromoSpec,
        now_ms: i64,
    ) -> Result<CreatedPromo, StoreError> {
        self.call(async |transaction| create(transaction, &by, spec, now_ms).await).await
    }

    async fn list_promos(&self) -> Result<Vec<PromoRecord>, StoreError> {
        self.read(async |client| list(client).await).await
    }

    async fn disable_promo(
        &self,
        by: Actor,
        named: NamedPromo,
        now_ms: i64,
    ) -> Result<PromoDisabling, StoreError> {
        self.call(async |transaction| disable(transaction, &by, &named, now_ms).await).await
    }

    async fn redeem_promo(
        &self,
        account: AccountId,
        typed: String,
        now_ms: i64,
    ) -> Result<Redemption, StoreError> {
        self.call(async |transaction| redeem(transaction, &account, &typed, now_ms).await).await
    }
}
