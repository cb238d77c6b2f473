//! API keys, in SQL.

use async_trait::async_trait;
use rusqlite::{Connection, Transaction, named_params};

use super::key_rows::{self, record_event, select_keys};
use super::store::SqliteStore;
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

const IS_ANY_KEY: &str = "SELECT EXISTS (SELECT 1 FROM keys WHERE purpose = 'api')";
const LIST_KEYS: &str = select_keys!("ORDER BY keys.created_ms, keys.prefix");
const LIST_KEYS_OF: &str = select_keys!(
    "WHERE keys.account = :account AND keys.purpose = 'api' ORDER BY keys.created_ms, keys.prefix"
);
const KEYS_SINCE: &str = select_keys!("WHERE keys.revision > :revision ORDER BY keys.revision");
const FIND_REVISION: &str = "SELECT value, removed FROM key_revision";
const COUNT_KEYS_OF: &str = "SELECT count(*) AS ever,
        count(*) FILTER (WHERE revoked_ms IS NULL AND (expires_ms IS NULL OR expires_ms > :now_ms)) AS usable
    FROM keys WHERE account = :account AND purpose = 'api'";
const RENAME_KEY: &str = "UPDATE keys SET name = :name, revision = :revision WHERE prefix = :prefix";
const EXPIRE_KEY: &str =
    "UPDATE keys SET expires_ms = :expires_ms, revision = :revision WHERE prefix = :prefix";
const REVOKE_KEY: &str = "UPDATE keys SET revoked_ms = :now_ms, revision = :revision
    WHERE prefix = :prefix AND revoked_ms IS NULL";
const IS_ORIGIN_ALLOWED: &str = "SELECT EXISTS (
        SELECT 1 FROM key_origins JOIN keys ON keys.prefix = key_origins.prefix
        WHERE origin = :origin AND revoked_ms IS NULL AND (expires_ms IS NULL OR expires_ms > :now_ms)
    )";

fn ensure_first(connection: &mut Connection, now_ms: i64) -> Result<Option<CreatedKey>, StoreError> {
    let is_any = |connection: &Connection| connection.query_row(IS_ANY_KEY, [], |row| row.get::<_, bool>(0));
    // a look before the lock: a start with a key waits for no writer
    if is_any(connection)? {
        return Ok(None);
    }
    let transaction = connection.transaction()?;
    if is_any(&transaction)? {
        return Ok(None);
    }
    let operator = account_rows::ensure_operator(&transaction, now_ms)?;
    let spec = KeySpec::named("first key");
    let created = make(&transaction, &Actor::Operator, &spec, Some(&operator.id), now_ms)?;
    transaction.commit()?;
    Ok(Some(created))
}

fn create_for_operator(
    connection: &mut Connection,
    spec: &KeySpec,
    now_ms: i64,
) -> Result<CreatedKey, StoreError> {
    let transaction = connection.transaction()?;
    let operator = account_rows::ensure_operator(&transaction, now_ms)?;
    let created = make(&transaction, &Actor::Operator, spec, Some(&operator.id), now_ms)?;
    transaction.commit()?;
    Ok(created)
}

fn create(
    connection: &mut Connection,
    by: &Actor,
    spec: &KeySpec,
    now_ms: i64,
) -> Result<KeyCreation, StoreError> {
    let transaction = connection.transaction()?;
    let account = match by {
        Actor::Operator => None,
        Actor::Visitor => return Ok(KeyCreation::NoAccount),
        Actor::Account(account) => {
            let owner = find_owner(&transaction, account, now_ms)?;
            if let Decision::Answer(answer) = decide_creation(owner) {
                return Ok(answer);
            }
            Some(account)
        }
    };
    let created = make(&transaction, by, spec, account, now_ms)?;
    transaction.commit()?;
    Ok(KeyCreation::Created(Box::new(created)))
}

/// Makes a key for programs, and writes it into the audit log.
fn make(
    transaction: &Transaction<'_>,
    by: &Actor,
    spec: &KeySpec,
    account: Option<&AccountId>,
    now_ms: i64,
) -> Result<CreatedKey, StoreError> {
    let created = key_rows::insert(transaction, spec, account, KeyPurpose::Api, now_ms)?;
    record_event(transaction, by, Event::KeyCreated, &created.record, now_ms)?;
    Ok(created)
}

fn find_owner(
    transaction: &Transaction<'_>,
    account: &AccountId,
    now_ms: i64,
) -> Result<Option<Owner>, StoreError> {
    let Some(found) = account_rows::find(transaction, account)? else { return Ok(None) };
    let keys = count_keys(transaction, account, now_ms)?;
    Ok(Some(Owner { is_locked: found.locked_ms.is_some(), is_operator: found.is_operator, keys }))
}

fn count_keys(
    transaction: &Transaction<'_>,
    account: &AccountId,
    now_ms: i64,
) -> Result<KeyCounts, StoreError> {
    let asked = named_params! {":account": account.as_str(), ":now_ms": now_ms};
    let counts = transaction.query_row(COUNT_KEYS_OF, asked, |row| {
        Ok(KeyCounts { ever: row.get("ever")?, usable: row.get("usable")? })
    });
    Ok(counts?)
}

fn list(connection: &Connection, by: &Actor) -> Result<Vec<KeyRecord>, StoreError> {
    match by {
        Actor::Operator => key_rows::list(connection, LIST_KEYS, []),
        Actor::Visitor => Ok(Vec::new()),
        Actor::Account(account) => {
            key_rows::list(connection, LIST_KEYS_OF, named_params! {":account": account.as_str()})
        }
    }
}

/// The newest revision, and that of the last removal of keys.
fn revisions(connection: &Connection) -> Result<(i64, i64), StoreError> {
    let mut statement = connection.prepare_cached(FIND_REVISION)?;
    Ok(statement.query_row([], |row| Ok((row.get("value")?, row.get("removed")?)))?)
}

fn changes_since(connection: &mut Connection, since: i64) -> Result<KeyChanges, StoreError> {
    // one snapshot for both queries
    let transaction = connection.transaction()?;
    let (revision, removed) = revisions(&transaction)?;
    if revision == since {
        return Ok(KeyChanges { revision, keys: Vec::new(), any_removed: false });
    }
    let keys = key_rows::list(&transaction, KEYS_SINCE, named_params! {":revision": since})?;
    Ok(KeyChanges { revision, keys, any_removed: removed > since })
}

fn revoke(
    connection: &mut Connection,
    by: &Actor,
    prefix: &KeyPrefix,
    now_ms: i64,
) -> Result<Revocation, StoreError> {
    let transaction = connection.transaction()?;
    let record = match decide_revocation(by, key_rows::find(&transaction, prefix)?) {
        Decision::Write(record) => record,
        Decision::Answer(answer) => return Ok(answer),
    };
    write_revocation(&transaction, by, &record, now_ms)?;
    transaction.commit()?;
    Ok(Revocation::Revoked(KeyRecord { revoked_ms: Some(now_ms), ..record }))
}

fn write_revocation(
    transaction: &Transaction<'_>,
    by: &Actor,
    key: &KeyRecord,
    now_ms: i64,
) -> Result<(), StoreError> {
    let (prefix, revision) = (key.prefix.as_str(), key_rows::next_revision(transaction)?);
    let given = named_params! {":now_ms": now_ms, ":revision": revision, ":prefix": prefix};
    transaction.execute(REVOKE_KEY, given)?;
    tokens::drop_all_of(transaction, &key.prefix)?;
    record_event(transaction, by, Event::KeyRevoked, key, now_ms)
}

/// Revokes the keys of an account, and ends the unused tokens of its playground.
pub(super) fn revoke_all_of(
    transaction: &Transaction<'_>,
    by: &Actor,
    account: &AccountId,
    now_ms: i64,
) -> Result<(), StoreError> {
    let keys = key_rows::list(transaction, LIST_KEYS_OF, named_params! {":account": account.as_str()})?;
    for key in keys.iter().filter(|key| key.revoked_ms.is_none()) {
        write_revocation(transaction, by, key, now_ms)?;
    }
    tokens::drop_all_of_account(transaction, account)
}

fn rename(
    connection: &mut Connection,
    by: &Actor,
    prefix: &KeyPrefix,
    name: &str,
    now_ms: i64,
) -> Result<Option<KeyRecord>, StoreError> {
    let transaction = connection.transaction()?;
    let found = key_rows::find(&transaction, prefix)?.filter(|key| may_rename(by, key));
    let Some(record) = found else { return Ok(None) };
    let revision = key_rows::next_revision(&transaction)?;
    transaction.execute(
        RENAME_KEY,
        named_params! {":name": name, ":revision": revision, ":prefix": prefix.as_str()},
    )?;
    record_event(&transaction, by, Event::KeyRenamed, &record, now_ms)?;
    transaction.commit()?;
    Ok(Some(KeyRecord { name: name.to_owned(), ..record }))
}

fn rotate(
    connection: &mut Connection,
    by: &Actor,
    prefix: &KeyPrefix,
    overlap_ms: u64,
    now_ms: i64,
) -> Result<Rotation, StoreError> {
    let transaction = connection.transaction()?;
    let found = key_rows::find(&transaction, prefix)?;
    let account = found.as_ref().and_then(|key| key.account.as_ref());
    let of_account = account.map(|account| count_keys(&transaction, account, now_ms)).transpose()?;
    let RotationPlan { old, old_expires_ms, successor } =
        match decide_rotation(by, found, of_account, overlap_ms, now_ms) {
            Decision::Write(plan) => plan,
            Decision::Answer(answer) => return Ok(answer),
        };
    let account = old.account.as_ref();
    let new = key_rows::insert(&transaction, &successor, account, KeyPurpose::Api, now_ms)?;
    allowance::inherit_cap(&transaction, prefix, &new.record.prefix, now_ms)?;
    transaction.execute(
        EXPIRE_KEY,
        named_params! {
            ":expires_ms": old_expires_ms,
            ":revision": key_rows::next_revision(&transaction)?,
            ":prefix": prefix.as_str(),
        },
    )?;
    let old = KeyRecord { expires_ms: Some(old_expires_ms), ..old };
    record_event(&transaction, by, Event::KeyRotated, &old, now_ms)?;
    record_event(&transaction, by, Event::KeyCreated, &new.record, now_ms)?;
    transaction.commit()?;
    Ok(Rotation::Rotated { new: Box::new(new), old: Box::new(old) })
}

fn is_origin_allowed(connection: &Connection, origin: &Origin, now_ms: i64) -> Result<bool, StoreError> {
    let asked = named_params! {":origin": origin.as_str(), ":now_ms": now_ms};
    Ok(connection.prepare_cached(IS_ORIGIN_ALLOWED)?.query_row(asked, |row| row.get(0))?)
}

#[async_trait]
impl KeyStore for SqliteStore {
    async fn ensure_first_key(&self, now_ms: i64) -> Result<Option<CreatedKey>, StoreError> {
        self.call(move |connection| ensure_first(connection, now_ms)).await
    }

    async fn create_key(&self, by: Actor, spec: KeySpec, now_ms: i64) -> Result<KeyCreation, StoreError> {
        self.call(move |connection| create(connection, &by, &spec, now_ms)).await
    }

    async fn create_operator_key(&self, spec: KeySpec, now_ms: i64) -> Result<CreatedKey, StoreError> {
        self.call(move |connection| create_for_operator(connection, &spec, now_ms)).await
    }

    async fn list_keys(&self, by: Actor) -> Result<Vec<KeyRecord>, StoreError> {
        self.read(move |connection| list(connection, &by)).await
    }

    async fn rename_key(
        &self,
        by: Actor,
        prefix: KeyPrefix,
        name: String,
        now_ms: i64,
    ) -> Result<Option<KeyRecord>, StoreError> {
        self.call(move |connection| rename(connection, &by, &prefix, &name, now_ms)).await
    }

    async fn rotate_key(
        &self,
        by: Actor,
        prefix: KeyPrefix,
        overlap_ms: u64,
        now_ms: i64,
    ) -> Result<Rotation, StoreError> {
        self.call(move |connection| rotate(connection, &by, &prefix, overlap_ms, now_ms)).await
    }

    async fn revoke_key(&self, by: Actor, prefix: KeyPrefix, now_ms: i64) -> Result<Revocation, StoreError> {
        self.call(move |connection| revoke(connection, &by, &prefix, now_ms)).await
    }

    async fn find_key(&self, prefix: KeyPrefix) -> Result<Option<KeyRecord>, StoreError> {
        self.read(move |connection| key_rows::find(connection, &prefix)).await
    }

    async fn key_changes_since(&self, revision: i64) -> Result<KeyChanges, StoreError> {
        self.read(move |connection| changes_since(connection, revision)).await
    }

    async fn key_revision(&self) -> Result<i64, StoreError> {
        self.read(|connection| Ok(revisions(connection)?.0)).await
    }

    async fn wait_for_key_change(&self) {
        // a file tells nobody
        std::future::pending::<()>().await;
    }

    async fn is_origin_allowed(&self, origin: Origin, now_ms: i64) -> Result<bool, StoreError> {
        self.read(move |connection| is_origin_allowed(connection, &origin, now_ms)).await
    }
}
