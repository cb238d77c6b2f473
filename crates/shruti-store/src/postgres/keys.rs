//! API keys, in SQL.

use std::sync::Arc;

use async_trait::async_trait;

use super::client::{Client, Transaction};
use super::key_rows::{self, record_event, select_keys};
use super::listener::Listener;
use super::rows::{self, small};
use super::store::PostgresStore;
use super::{account_rows, allowance, tokens};
use crate::account::AccountId;
use crate::audit::{Actor, Event};
use crate::decisions::Decision;
use crate::decisions::keys::{
    KeyCounts, Owner, RotationPlan, decide_creation, decide_revocation, decide_rotation, may_rename,
};
use crate::error::StoreError;
use crate::key::KeyPrefix;
use crate::key_record::{CreatedKey, KeyPurpose, KeyRecord, KeySpec};
use crate::key_store::{KeyChanges, KeyCreation, KeyStore, Revocation, Rotation};
use crate::origin::Origin;

const IS_ANY_KEY: &str = "SELECT EXISTS (SELECT 1 FROM keys WHERE purpose = 'api') AS found";
const LIST_KEYS: &str = select_keys!("ORDER BY keys.created_ms, keys.prefix");
const LIST_KEYS_OF: &str =
    select_keys!("WHERE keys.account = $1 AND keys.purpose = 'api' ORDER BY keys.created_ms, keys.prefix");
const KEYS_SINCE: &str = select_keys!("WHERE keys.revision > $1 ORDER BY keys.revision");
const FIND_REVISION: &str = "SELECT value, removed FROM key_revision";
const COUNT_KEYS_OF: &str = "SELECT count(*) AS ever,
        count(*) FILTER (WHERE revoked_ms IS NULL AND (expires_ms IS NULL OR expires_ms > $2)) AS usable
    FROM keys WHERE account = $1 AND purpose = 'api'";
const RENAME_KEY: &str = "UPDATE keys SET name = $2, revision = $3 WHERE prefix = $1";
const EXPIRE_KEY: &str = "UPDATE keys SET expires_ms = $2, revision = $3 WHERE prefix = $1";
const REVOKE_KEY: &str =
    "UPDATE keys SET revoked_ms = $2, revision = $3 WHERE prefix = $1 AND revoked_ms IS NULL";
const IS_ORIGIN_ALLOWED: &str = "SELECT EXISTS (
        SELECT 1 FROM key_origins JOIN keys ON keys.prefix = key_origins.prefix
        WHERE origin = $1 AND revoked_ms IS NULL AND (expires_ms IS NULL OR expires_ms > $2)
    ) AS found";

async fn is_any(client: &impl Client) -> Result<bool, StoreError> {
    Ok(rows::one(client, IS_ANY_KEY, &[]).await?.try_get("found")?)
}

async fn ensure_first(transaction: &Transaction<'_>, now_ms: i64) -> Result<Option<CreatedKey>, StoreError> {
    // held: of several servers that start one makes the key
    let operator = account_rows::ensure_operator(transaction, now_ms).await?;
    if is_any(transaction).await? {
        return Ok(None);
    }
    let spec = KeySpec::named("first key");
    make(transaction, &Actor::Operator, &spec, Some(&operator.id), now_ms).await.map(Some)
}

async fn create_for_operator(
    transaction: &Transaction<'_>,
    spec: &KeySpec,
    now_ms: i64,
) -> Result<CreatedKey, StoreError> {
    let operator = account_rows::ensure_operator(transaction, now_ms).await?;
    make(transaction, &Actor::Operator, spec, Some(&operator.id), now_ms).await
}

async fn create(
    transaction: &Transaction<'_>,
    by: &Actor,
    spec: &KeySpec,
    now_ms: i64,
) -> Result<KeyCreation, StoreError> {
    let account = match by {
        Actor::Operator => None,
        Actor::Visitor => return Ok(KeyCreation::NoAccount),
        Actor::Account(account) => {
            let owner = hold_owner(transaction, account, now_ms).await?;
            if let Decision::Answer(answer) = decide_creation(owner) {
                return Ok(answer);
            }
            Some(account)
        }
    };
    let created = make(transaction, by, spec, account, now_ms).await?;
    Ok(KeyCreation::Created(Box::new(created)))
}

/// Makes a key for programs, and writes it into the audit log.
async fn make(
    transaction: &Transaction<'_>,
    by: &Actor,
    spec: &KeySpec,
    account: Option<&AccountId>,
    now_ms: i64,
) -> Result<CreatedKey, StoreError> {
    let created = key_rows::insert(transaction, spec, account, KeyPurpose::Api, now_ms).await?;
    record_event(transaction, by, Event::KeyCreated, &created.record, now_ms).await?;
    Ok(created)
}

async fn hold_owner(
    transaction: &Transaction<'_>,
    account: &AccountId,
    now_ms: i64,
) -> Result<Option<Owner>, StoreError> {
    let Some(found) = account_rows::hold(transaction, account).await? else { return Ok(None) };
    let keys = count_keys(transaction, account, now_ms).await?;
    Ok(Some(Owner { is_locked: found.locked_ms.is_some(), is_operator: found.is_operator, keys }))
}

async fn count_keys(
    transaction: &Transaction<'_>,
    account: &AccountId,
    now_ms: i64,
) -> Result<KeyCounts, StoreError> {
    let counts = rows::one(transaction, COUNT_KEYS_OF, &[&account.as_str(), &now_ms]).await?;
    Ok(KeyCounts { ever: small(counts.try_get("ever")?)?, usable: small(counts.try_get("usable")?)? })
}

async fn list(client: &impl Client, by: &Actor) -> Result<Vec<KeyRecord>, StoreError> {
    match by {
        Actor::Operator => key_rows::list(client, LIST_KEYS, &[]).await,
        Actor::Visitor => Ok(Vec::new()),
        Actor::Account(account) => key_rows::list(client, LIST_KEYS_OF, &[&account.as_str()]).await,
    }
}

/// The newest revision, and that of the last removal of keys.
async fn revisions(client: &impl Client) -> Result<(i64, i64), StoreError> {
    let row = rows::one(client, FIND_REVISION, &[]).await?;
    Ok((row.try_get("value")?, row.try_get("removed")?))
}

async fn changes_since(client: &impl Client, since: i64) -> Result<KeyChanges, StoreError> {
    // the revision first: a key that changes in between is told now, and once more the next time
    let (revision, removed) = revisions(client).await?;
    if revision == since {
        return Ok(KeyChanges { revision, keys: Vec::new(), any_removed: false });
    }
    let keys = key_rows::list(client, KEYS_SINCE, &[&since]).await?;
    Ok(KeyChanges { revision, keys, any_removed: removed > since })
}

async fn revoke(
    transaction: &Transaction<'_>,
    by: &Actor,
    prefix: &KeyPrefix,
    now_ms: i64,
) -> Result<Revocation, StoreError> {
    let record = match decide_revocation(by, key_rows::hold(transaction, prefix).await?) {
        Decision::Write(record) => record,
        Decision::Answer(answer) => return Ok(answer),
    };
    write_revocation(transaction, by, &record, now_ms).await?;
    Ok(Revocation::Revoked(KeyRecord { revoked_ms: Some(now_ms), ..record }))
}

async fn write_revocation(
    transaction: &Transaction<'_>,
    by: &Actor,
    key: &KeyRecord,
    now_ms: i64,
) -> Result<(), StoreError> {
    let revision = key_rows::next_revision(transaction).await?;
    rows::execute(transaction, REVOKE_KEY, &[&key.prefix.as_str(), &now_ms, &revision]).await?;
    tokens::drop_all_of(transaction, &key.prefix).await?;
    record_event(transaction, by, Event::KeyRevoked, key, now_ms).await
}

/// Revokes the keys of an account that is held, and ends the unused tokens of its playground.
pub(super) async fn revoke_all_of(
    transaction: &Transaction<'_>,
    by: &Actor,
    account: &AccountId,
    now_ms: i64,
) -> Result<(), StoreError> {
    let keys = key_rows::list(transaction, LIST_KEYS_OF, &[&account.as_str()]).await?;
    for key in keys.iter().filter(|key| key.revoked_ms.is_none()) {
        write_revocation(transaction, by, key, now_ms).await?;
    }
    tokens::drop_all_of_account(transaction, account).await
}

async fn rename(
    transaction: &Transaction<'_>,
    by: &Actor,
    prefix: &KeyPrefix,
    name: &str,
    now_ms: i64,
) -> Result<Option<KeyRecord>, StoreError> {
    let found = key_rows::hold(transaction, prefix).await?.filter(|key| may_rename(by, key));
    let Some(record) = found else { return Ok(None) };
    let revision = key_rows::next_revision(transaction).await?;
    rows::execute(transaction, RENAME_KEY, &[&prefix.as_str(), &name, &revision]).await?;
    record_event(transaction, by, Event::KeyRenamed, &record, now_ms).await?;
    Ok(Some(KeyRecord { name: name.to_owned(), ..record }))
}

async fn rotate(
    transaction: &Transaction<'_>,
    by: &Actor,
    prefix: &KeyPrefix,
    overlap_ms: u64,
    now_ms: i64,
) -> Result<Rotation, StoreError> {
    let found = key_rows::hold(transaction, prefix).await?;
    let of_account = match found.as_ref().and_then(|key| key.account.as_ref()) {
        Some(account) => Some(count_keys(transaction, account, now_ms).await?),
        None => None,
    };
    let RotationPlan { old, old_expires_ms, successor } =
        match decide_rotation(by, found, of_account, overlap_ms, now_ms) {
            Decision::Write(plan) => plan,
            Decision::Answer(answer) => return Ok(answer),
        };
    let account = old.account.as_ref();
    let new = key_rows::insert(transaction, &successor, account, KeyPurpose::Api, now_ms).await?;
    allowance::inherit_cap(transaction, prefix, &new.record.prefix, now_ms).await?;
    let revision = key_rows::next_revision(transaction).await?;
    rows::execute(transaction, EXPIRE_KEY, &[&prefix.as_str(), &old_expires_ms, &revision]).await?;
    let old = KeyRecord { expires_ms: Some(old_expires_ms), ..old };
    record_event(transaction, by, Event::KeyRotated, &old, now_ms).await?;
    record_event(transaction, by, Event::KeyCreated, &new.record, now_ms).await?;
    Ok(Rotation::Rotated { new: Box::new(new), old: Box::new(old) })
}

async fn is_origin_allowed(client: &impl Client, origin: &Origin, now_ms: i64) -> Result<bool, StoreError> {
    Ok(rows::one(client, IS_ORIGIN_ALLOWED, &[&origin.as_str(), &now_ms]).await?.try_get("found")?)
}

#[async_trait]
impl KeyStore for PostgresStore {
    async fn ensure_first_key(&self, now_ms: i64) -> Result<Option<CreatedKey>, StoreError> {
        // a look before the lock: a start with a key waits for nobody
        if self.read(async |client| is_any(client).await).await? {
            return Ok(None);
        }
        self.call(async |transaction| ensure_first(transaction, now_ms).await).await
    }

    async fn create_key(&self, by: Actor, spec: KeySpec, now_ms: i64) -> Result<KeyCreation, StoreError> {
        self.call(async |transaction| create(transaction, &by, &spec, now_ms).await).await
    }

    async fn create_operator_key(&self, spec: KeySpec, now_ms: i64) -> Result<CreatedKey, StoreError> {
        self.call(async |transaction| create_for_operator(transaction, &spec, now_ms).await).await
    }

    async fn list_keys(&self, by: Actor) -> Result<Vec<KeyRecord>, StoreError> {
        self.read(async |client| list(client, &by).await).await
    }

    async fn rename_key(
        &self,
        by: Actor,
        prefix: KeyPrefix,
        name: String,
        now_ms: i64,
    ) -> Result<Option<KeyRecord>, StoreError> {
        self.call(async |transaction| rename(transaction, &by, &prefix, &name, now_ms).await).await
    }

    async fn rotate_key(
        &self,
        by: Actor,
        prefix: KeyPrefix,
        overlap_ms: u64,
        now_ms: i64,
    ) -> Result<Rotation, StoreError> {
        self.call(async |transaction| rotate(transaction, &by, &prefix, overlap_ms, now_ms).await).await
    }

    async fn revoke_key(&self, by: Actor, prefix: KeyPrefix, now_ms: i64) -> Result<Revocation, StoreError> {
        self.call(async |transaction| revoke(transaction, &by, &prefix, now_ms).await).await
    }

    async fn find_key(&self, prefix: KeyPrefix) -> Result<Option<KeyRecord>, StoreError> {
        self.read(async |client| key_rows::find(client, &prefix).await).await
    }

    async fn key_changes_since(&self, revision: i64) -> Result<KeyChanges, StoreError> {
        self.read(async |client| changes_since(client, revision).await).await
    }

    async fn key_revision(&self) -> Result<i64, StoreError> {
        self.read(async |client| Ok(revisions(client).await?.0)).await
    }

    async fn wait_for_key_change(&self) {
        // without a session of its own nothing is heard; changes are asked for in any case
        if let Some(address) = self.address.session() {
            self.listener.get_or_init(|| Listener::start(address.clone(), Arc::clone(&self.key_changes)));
        }
        self.key_changes.notified().await;
    }

    async fn is_origin_allowed(&self, origin: Origin, now_ms: i64) -> Result<bool, StoreError> {
        self.read(async |client| is_origin_allowed(client, &origin, now_ms).await).await
    }
}
