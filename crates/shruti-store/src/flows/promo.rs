//! Promo codes.

use async_trait::async_trait;
use futures_util::FutureExt;

use crate::account::AccountId;
use crate::audit::{Actor, Event, NewEntry, OK};
use crate::database::{Database, Row, Tx, params};
use crate::decisions::promo::{PromoState, RedemptionDecision, WrongTries, decide_redemption};
use crate::error::StoreError;
use crate::flows::{account_rows, audit};
use crate::promo::{
    CreatedPromo, NamedPromo, PROMO_TRIES_WINDOW_MS, PromoBeginning, PromoCode, PromoDisabling, PromoRecord,
    PromoSpec, PromoStore, Redemption, StoredPromo,
};
use crate::secret::SecretHash;
use crate::sql::promo as sql;

/// Maximum number of attempts to generate a code with an unused beginning. If a thousand codes exist, one attempt in a
/// thousand fails.
const TRIES_FOR_A_BEGINNING: usize = 100;

async fn hold(tx: &mut impl Tx, code: &PromoCode) -> Result<Option<StoredPromo>, StoreError> {
    tx.first(&sql::HOLD, params![&code.hash()], read_stored).await
}

/// Returns and locks the codes with a beginning, at most two.
async fn hold_by_beginning(
    tx: &mut impl Tx,
    beginning: &PromoBeginning,
) -> Result<Vec<StoredPromo>, StoreError> {
    tx.all(&sql::HOLD_BY_BEGINNING, params![beginning.as_str()], read_stored).await
}

fn read_stored(row: &dyn Row) -> Result<StoredPromo, StoreError> {
    Ok(StoredPromo { hash: row.get("hash")?, record: read(row)? })
}

fn read(row: &dyn Row) -> Result<PromoRecord, StoreError> {
    let (chars, uses) = (row.get("chars")?, row.get("uses")?);
    let spec = PromoSpec { chars, uses, expires_ms: row.optional("expires_ms")? };
    Ok(PromoRecord {
        beginning: row.get("beginning")?,
        spec,
        used: row.get("used")?,
        created_ms: row.get("created_ms")?,
        disabled_ms: row.optional("disabled_ms")?,
    })
}

async fn create(
    tx: &mut impl Tx,
    by: Actor,
    spec: PromoSpec,
    now_ms: i64,
) -> Result<CreatedPromo, StoreError> {
    let mut code = PromoCode::generate()?;
    for _ in 0..TRIES_FOR_A_BEGINNING {
        if hold_by_beginning(tx, &code.beginning()).await?.is_empty() {
            break;
        }
        code = PromoCode::generate()?;
    }
    let (beginning, hash) = (code.beginning(), code.hash());
    let PromoSpec { chars, uses, expires_ms } = spec;
    tx.execute(&sql::INSERT, params![&hash, beginning.as_str(), chars, uses, now_ms, expires_ms]).await?;
    audit::done(tx, now_ms, &by, Event::PromoCreated, None, Some(beginning.as_str())).await?;
    let record = PromoRecord { beginning, spec, used: 0, created_ms: now_ms, disabled_ms: None };
    Ok(CreatedPromo { code, record })
}

async fn disable(
    tx: &mut impl Tx,
    by: Actor,
    named: NamedPromo,
    now_ms: i64,
) -> Result<PromoDisabling, StoreError> {
    let found = match named {
        NamedPromo::Whole(code) => Vec::from_iter(hold(tx, &code).await?),
        NamedPromo::Beginning(beginning) => hold_by_beginning(tx, &beginning).await?,
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
    tx.execute(&sql::DISABLE, params![&hash, now_ms]).await?;
    let subject = Some(record.beginning.as_str());
    audit::done(tx, now_ms, &by, Event::PromoDisabled, None, subject).await?;
    Ok(PromoDisabling::Disabled(PromoRecord { disabled_ms: Some(now_ms), ..record }))
}

async fn redeem(
    tx: &mut impl Tx,
    account: AccountId,
    typed: String,
    now_ms: i64,
) -> Result<Redemption, StoreError> {
    let found = account_rows::hold(tx, &account).await?;
    let Some(account) = found.filter(|account| account.locked_ms.is_none()) else {
        return Ok(Redemption::NoAccount);
    };
    let code = PromoCode::parse(&typed);
    let state = state_of(tx, &account.id, code.as_ref(), now_ms).await?;
    let (redemption, outcome) = match decide_redemption(&state, now_ms) {
        RedemptionDecision::Redeem { code, chars } => {
            use_code(tx, &account.id, code, chars, now_ms).await?;
            let account = account_rows::find(tx, &account.id).await?.unwrap_or_else(|| account.clone());
            (Redemption::Redeemed { account, added_chars: chars }, OK)
        }
        RedemptionDecision::AlreadyRedeemed => (Redemption::AlreadyRedeemed, "already_redeemed"),
        RedemptionDecision::Expired => (Redemption::Expired, "promo_expired"),
        RedemptionDecision::Exhausted => (Redemption::Exhausted, "promo_exhausted"),
        RedemptionDecision::Unknown { tries_left } => {
            tx.execute(&sql::INSERT_TRY, params![&account.id, now_ms]).await?;
            (Redemption::Unknown { tries_left }, "unknown_code")
        }
        RedemptionDecision::Wait { retry_in_ms } => (Redemption::Wait { retry_in_ms }, "too_many_tries"),
    };
    // only existing codes are logged, because a wrong input may be anything, even a password
    let entry = NewEntry {
        actor: &Actor::Account(account.id.clone()),
        event: Event::PromoRedemption,
        account: Some(&account.id),
        subject: state.code.as_ref().map(|code| code.record.beginning.as_str()),
        outcome,
    };
    audit::record(tx, now_ms, &entry).await?;
    Ok(redemption)
}

/// Returns the state on which a redemption depends, and locks the code. During a wait the code is not looked up.
async fn state_of(
    tx: &mut impl Tx,
    account: &AccountId,
    typed: Option<&PromoCode>,
    now_ms: i64,
) -> Result<PromoState, StoreError> {
    delete_old_tries(tx, now_ms).await?;
    let since_ms = now_ms.saturating_sub(PROMO_TRIES_WINDOW_MS);
    let wrong_tries = tx
        .one(&sql::COUNT_TRIES, params![account, since_ms], |row| {
            Ok(WrongTries { count: row.get("count")?, first_ms: row.optional("first_ms")? })
        })
        .await?;
    let found = match typed.filter(|_| wrong_tries.retry_in_ms(now_ms).is_none()) {
        Some(code) => hold(tx, code).await?,
        None => None,
    };
    let Some(code) = found else {
        return Ok(PromoState { wrong_tries, code: None, is_redeemed: false });
    };
    let is_redeemed = tx.one(&sql::IS_REDEEMED, params![account, &code.hash], |row| row.get("found")).await?;
    Ok(PromoState { wrong_tries, code: Some(code), is_redeemed })
}

/// Counts a use of a code and grants its access and characters to the account.
async fn use_code(
    tx: &mut impl Tx,
    account: &AccountId,
    hash: SecretHash,
    chars: u64,
    now_ms: i64,
) -> Result<(), StoreError> {
    tx.execute(&sql::USE, params![&hash]).await?;
    tx.execute(&sql::INSERT_REDEMPTION, params![account, &hash, now_ms]).await?;
    account_rows::give_access(tx, account, chars, now_ms).await
}

/// Deletes wrong attempts that no longer count.
pub(crate) async fn delete_old_tries(tx: &mut impl Tx, now_ms: i64) -> Result<(), StoreError> {
    let since_ms = now_ms.saturating_sub(PROMO_TRIES_WINDOW_MS);
    tx.execute(&sql::DELETE_OLD_TRIES, params![since_ms]).await?;
    Ok(())
}

#[async_trait]
impl<D: Database> PromoStore for D {
    async fn create_promo(
        &self,
        by: Actor,
        spec: PromoSpec,
        now_ms: i64,
    ) -> Result<CreatedPromo, StoreError> {
        self.write(move |tx| create(tx, by, spec, now_ms).boxed()).await
    }

    async fn list_promos(&self) -> Result<Vec<PromoRecord>, StoreError> {
        self.read(|tx| tx.all(&sql::LIST, params![], read).boxed()).await
    }

    async fn disable_promo(
        &self,
        by: Actor,
        named: NamedPromo,
        now_ms: i64,
    ) -> Result<PromoDisabling, StoreError> {
        self.write(move |tx| disable(tx, by, named, now_ms).boxed()).await
    }

    async fn redeem_promo(
        &self,
        account: AccountId,
        typed: String,
        now_ms: i64,
    ) -> Result<Redemption, StoreError> {
        self.write(move |tx| redeem(tx, account, typed, now_ms).boxed()).await
    }
}
