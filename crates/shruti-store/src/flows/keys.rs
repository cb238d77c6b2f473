//! API keys.

use async_trait::async_trait;
use futures_util::FutureExt;

use crate::account::{Account, AccountId};
use crate::audit::{Actor, Event};
use crate::database::{Database, Tx, params};
use crate::decisions::Decision;
use crate::decisions::keys::{
    KeyCounts, Owner, RotationPlan, decide_creation, decide_revocation, decide_rotation, may_rename,
};
use crate::error::StoreError;
use crate::flows::key_rows::{self, record_event};
use crate::flows::{account_rows, allowance, tokens};
use crate::key::KeyPrefix;
use crate::key_record::{CreatedKey, KeyPurpose, KeyRecord, KeySpec};
use crate::key_store::{KeyChanges, KeyCreation, KeyStore, Revocation, Rotation};
use crate::origin::Origin;
use crate::sql::keys as sql;

async fn is_any(tx: &mut impl Tx) -> Result<bool, StoreError> {
    tx.one(&sql::IS_ANY, params![], |row| row.get("found")).await
}

async fn ensure_first(tx: &mut impl Tx, now_ms: i64) -> Result<Option<CreatedKey>, StoreError> {
    // this locks the operator's account, so that only one of several servers that start at the same time creates the
    // key
    let operator = account_rows::ensure_operator(tx, now_ms).await?;
    if is_any(tx).await? {
        return Ok(None);
    }
    let spec = KeySpec::named("first key");
    insert(tx, &Actor::Operator, &spec, Some(&operator.id), now_ms).await.map(Some)
}

async fn create_for_operator(tx: &mut impl Tx, spec: KeySpec, now_ms: i64) -> Result<CreatedKey, StoreError> {
    let operator = account_rows::ensure_operator(tx, now_ms).await?;
    insert(tx, &Actor::Operator, &spec, Some(&operator.id), now_ms).await
}

async fn create(tx: &mut impl Tx, by: Actor, spec: KeySpec, now_ms: i64) -> Result<KeyCreation, StoreError> {
    let account = match &by {
        Actor::Operator => None,
        Actor::Visitor => return Ok(KeyCreation::NoAccount),
        Actor::Account(account) => {
            let owner = hold_owner(tx, account, now_ms).await?;
            if let Decision::Answer(answer) = decide_creation(owner) {
                return Ok(answer);
            }
            Some(account)
        }
    };
    let created = insert(tx, &by, &spec, account, now_ms).await?;
    Ok(KeyCreation::Created(Box::new(created)))
}

/// Creates an API key and records the creation in the audit log.
async fn insert(
    tx: &mut impl Tx,
    by: &Actor,
    spec: &KeySpec,
    account: Option<&AccountId>,
    now_ms: i64,
) -> Result<CreatedKey, StoreError> {
    let created = key_rows::insert(tx, spec, account, KeyPurpose::Api, now_ms).await?;
    record_event(tx, by, Event::KeyCreated, &created.record, now_ms).await?;
    Ok(created)
}

async fn hold_owner(tx: &mut impl Tx, account: &AccountId, now_ms: i64) -> Result<Option<Owner>, StoreError> {
    let Some(found) = account_rows::hold(tx, account).await? else { return Ok(None) };
    read_owner(tx, &found, now_ms).await.map(Some)
}

async fn read_owner(tx: &mut impl Tx, account: &Account, now_ms: i64) -> Result<Owner, StoreError> {
    let keys = count_keys(tx, &account.id, now_ms).await?;
    Ok(Owner { is_locked: account.locked_ms.is_some(), is_operator: account.is_operator, keys })
}

async fn count_keys(tx: &mut impl Tx, account: &AccountId, now_ms: i64) -> Result<KeyCounts, StoreError> {
    tx.one(&sql::COUNT_OF, params![account, now_ms], |row| {
        Ok(KeyCounts { ever: row.get("ever")?, usable: row.get("usable")? })
    })
    .await
}

async fn list(tx: &mut impl Tx, by: Actor) -> Result<Vec<KeyRecord>, StoreError> {
    match &by {
        Actor::Operator => key_rows::list(tx, &sql::LIST, params![]).await,
        Actor::Visitor => Ok(Vec::new()),
        Actor::Account(account) => key_rows::list(tx, &sql::LIST_OF, params![account]).await,
    }
}

/// Returns the newest revision, and the revision of the last removal of keys.
async fn revisions(tx: &mut impl Tx) -> Result<(i64, i64), StoreError> {
    tx.one(&sql::FIND_REVISION, params![], |row| Ok((row.get("value")?, row.get("removed")?))).await
}

async fn changes_since(tx: &mut impl Tx, since: i64) -> Result<KeyChanges, StoreError> {
    // the revision is read first: without a common snapshot, a key that changes between the queries is then returned
    // twice, not missed
    let (revision, removed) = revisions(tx).await?;
    if revision == since {
        return Ok(KeyChanges { revision, keys: Vec::new(), any_removed: false });
    }
    let keys = key_rows::list(tx, &sql::LIST_SINCE, params![since]).await?;
    Ok(KeyChanges { revision, keys, any_removed: removed > since })
}

async fn revoke(
    tx: &mut impl Tx,
    by: Actor,
    prefix: KeyPrefix,
    now_ms: i64,
) -> Result<Revocation, StoreError> {
    let record = match decide_revocation(&by, key_rows::hold(tx, &prefix).await?) {
        Decision::Write(record) => record,
        Decision::Answer(answer) => return Ok(answer),
    };
    write_revocation(tx, &by, &record, now_ms).await?;
    Ok(Revocation::Revoked(KeyRecord { revoked_ms: Some(now_ms), ..record }))
}

async fn write_revocation(
    tx: &mut impl Tx,
    by: &Actor,
    key: &KeyRecord,
    now_ms: i64,
) -> Result<(), StoreError> {
    let revision = key_rows::next_revision(tx).await?;
    tx.execute(&sql::REVOKE, params![&key.prefix, now_ms, revision]).await?;
    tokens::delete_all_of(tx, &key.prefix).await?;
    record_event(tx, by, Event::KeyRevoked, key, now_ms).await
}

/// Revokes the API keys of an account, and deletes the unused tokens of its playground. The caller has locked the row
/// of the account.
pub(crate) async fn revoke_all_of(
    tx: &mut impl Tx,
    by: &Actor,
    account: &AccountId,
    now_ms: i64,
) -> Result<(), StoreError> {
    let keys = key_rows::list(tx, &sql::LIST_OF, params![account]).await?;
    for key in keys.iter().filter(|key| key.revoked_ms.is_none()) {
        write_revocation(tx, by, key, now_ms).await?;
    }
    tokens::delete_all_of_account(tx, account).await
}

async fn rename(
    tx: &mut impl Tx,
    by: Actor,
    prefix: KeyPrefix,
    name: String,
    now_ms: i64,
) -> Result<Option<KeyRecord>, StoreError> {
    let found = key_rows::hold(tx, &prefix).await?.filter(|key| may_rename(&by, key));
    let Some(record) = found else { return Ok(None) };
    let revision = key_rows::next_revision(tx).await?;
    tx.execute(&sql::RENAME, params![&prefix, &name, revision]).await?;
    record_event(tx, &by, Event::KeyRenamed, &record, now_ms).await?;
    Ok(Some(KeyRecord { name, ..record }))
}

async fn rotate(
    tx: &mut impl Tx,
    by: Actor,
    prefix: KeyPrefix,
    overlap_ms: u64,
    now_ms: i64,
) -> Result<Rotation, StoreError> {
    let found = key_rows::hold(tx, &prefix).await?;
    let account = match found.as_ref().and_then(|key| key.account.as_ref()) {
        Some(account) => account_rows::find(tx, account).await?,
        None => None,
    };
    let owner = match &account {
        Some(account) => Some(read_owner(tx, account, now_ms).await?),
        None => None,
    };
    let RotationPlan { old, old_expires_ms, successor } =
        match decide_rotation(&by, found, owner, overlap_ms, now_ms) {
            Decision::Write(plan) => plan,
            Decision::Answer(answer) => return Ok(answer),
        };
    let new = key_rows::insert(tx, &successor, old.account.as_ref(), KeyPurpose::Api, now_ms).await?;
    allowance::inherit_cap(tx, &prefix, &new.record.prefix, now_ms).await?;
    let revision = key_rows::next_revision(tx).await?;
    tx.execute(&sql::EXPIRE, params![&prefix, old_expires_ms, revision]).await?;
    let old = KeyRecord { expires_ms: Some(old_expires_ms), ..old };
    record_event(tx, &by, Event::KeyRotated, &old, now_ms).await?;
    record_event(tx, &by, Event::KeyCreated, &new.record, now_ms).await?;
    Ok(Rotation::Rotated { new: Box::new(new), old: Box::new(old) })
}

async fn is_origin_allowed(tx: &mut impl Tx, origin: Origin, now_ms: i64) -> Result<bool, StoreError> {
    tx.one(&sql::IS_ORIGIN_ALLOWED, params![origin.as_str(), now_ms], |row| row.get("found")).await
}

#[async_trait]
impl<D: Database> KeyStore for D {
    async fn ensure_first_key(&self, now_ms: i64) -> Result<Option<CreatedKey>, StoreError> {
        // check without a lock first, so that a start does not wait for other transactions if a key exists
        if self.read(|tx| is_any(tx).boxed()).await? {
            return Ok(None);
        }
        self.write(move |tx| ensure_first(tx, now_ms).boxed()).await
    }

    async fn create_key(&self, by: Actor, spec: KeySpec, now_ms: i64) -> Result<KeyCreation, StoreError> {
        self.write(move |tx| create(tx, by, spec, now_ms).boxed()).await
    }

    async fn create_operator_key(&self, spec: KeySpec, now_ms: i64) -> Result<CreatedKey, StoreError> {
        self.write(move |tx| create_for_operator(tx, spec, now_ms).boxed()).await
    }

    async fn list_keys(&self, by: Actor) -> Result<Vec<KeyRecord>, StoreError> {
        self.read(move |tx| list(tx, by).boxed()).await
    }

    async fn rename_key(
        &self,
        by: Actor,
        prefix: KeyPrefix,
        name: String,
        now_ms: i64,
    ) -> Result<Option<KeyRecord>, StoreError> {
        self.write(move |tx| rename(tx, by, prefix, name, now_ms).boxed()).await
    }

    async fn rotate_key(
        &self,
        by: Actor,
        prefix: KeyPrefix,
        overlap_ms: u64,
        now_ms: i64,
    ) -> Result<Rotation, StoreError> {
        self.write(move |tx| rotate(tx, by, prefix, overlap_ms, now_ms).boxed()).await
    }

    async fn revoke_key(&self, by: Actor, prefix: KeyPrefix, now_ms: i64) -> Result<Revocation, StoreError> {
        self.write(move |tx| revoke(tx, by, prefix, now_ms).boxed()).await
    }

    async fn find_key(&self, prefix: KeyPrefix) -> Result<Option<KeyRecord>, StoreError> {
        self.read(move |tx| async move { key_rows::find(tx, &prefix).await }.boxed()).await
    }

    async fn key_changes_since(&self, revision: i64) -> Result<KeyChanges, StoreError> {
        self.read(move |tx| changes_since(tx, revision).boxed()).await
    }

    async fn key_revision(&self) -> Result<i64, StoreError> {
        Ok(self.read(|tx| revisions(tx).boxed()).await?.0)
    }

    async fn wait_for_key_change(&self) {
        self.key_change().await;
    }

    async fn is_origin_allowed(&self, origin: Origin, now_ms: i64) -> Result<bool, StoreError> {
        self.read(move |tx| is_origin_allowed(tx, origin, now_ms).boxed()).await
    }
}
