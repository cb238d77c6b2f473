//! Keys of playgrounds.

use async_trait::async_trait;
use futures_util::FutureExt;

use crate::account::AccountId;
use crate::audit::{Actor, Event};
use crate::database::{Database, Tx, params};
use crate::error::StoreError;
use crate::flows::account_rows;
use crate::flows::key_rows::{self, record_event};
use crate::key::KeyPrefix;
use crate::key_record::{KeyPurpose, KeyRecord, KeySpec, Scope};
use crate::playground::{PlaygroundSpec, PlaygroundStore};
use crate::sql::keys as sql;

/// Name of the key, for operators.
const NAME: &str = "playground";

/// Returns the key of a playground if it exists with the limits and the cap of the specification.
async fn find_as(tx: &mut impl Tx, spec: PlaygroundSpec) -> Result<Option<KeyRecord>, StoreError> {
    let found = find(tx, spec.owner.as_ref()).await?;
    Ok(found.filter(|key| key.limits == spec.limits && key.monthly_cap == spec.monthly_cap))
}

async fn ensure(
    tx: &mut impl Tx,
    spec: PlaygroundSpec,
    now_ms: i64,
) -> Result<Option<KeyRecord>, StoreError> {
    let PlaygroundSpec { owner, limits, monthly_cap } = spec;
    if let Some(account) = &owner
        && account_rows::hold(tx, account).await?.is_none()
    {
        return Ok(None);
    }
    // this also locks the revision, which serialises the creation of the key that belongs to no account
    let revision = key_rows::next_revision(tx).await?;
    let prefix = if let Some(key) = find(tx, owner.as_ref()).await? {
        let values = params![&key.prefix, limits.rate, limits.burst, limits.streams, monthly_cap, revision];
        tx.execute(&sql::SET_PLAYGROUND_LIMITS, values).await?;
        key.prefix
    } else {
        let spec = KeySpec { scopes: vec![Scope::Tts], limits, monthly_cap, ..KeySpec::named(NAME) };
        // the secret of the key is dropped
        let key = key_rows::insert(tx, &spec, owner.as_ref(), KeyPurpose::Playground, now_ms).await?.record;
        let by = owner.map_or(Actor::Operator, Actor::Account);
        record_event(tx, &by, Event::KeyCreated, &key, now_ms).await?;
        key.prefix
    };
    key_rows::find(tx, &prefix).await
}

async fn find(tx: &mut impl Tx, account: Option<&AccountId>) -> Result<Option<KeyRecord>, StoreError> {
    let account = account.map_or("", AccountId::as_str);
    key_rows::first(tx, &sql::FIND_PLAYGROUND, params![account]).await
}

async fn reopen(tx: &mut impl Tx, prefix: KeyPrefix, now_ms: i64) -> Result<Option<KeyRecord>, StoreError> {
    let found = key_rows::hold(tx, &prefix).await?;
    let Some(key) = found.filter(|key| key.purpose == KeyPurpose::Playground) else { return Ok(None) };
    if key.revoked_ms.is_none() {
        return Ok(Some(key));
    }
    let revision = key_rows::next_revision(tx).await?;
    tx.execute(&sql::REOPEN_PLAYGROUND, params![&prefix, revision]).await?;
    record_event(tx, &Actor::Operator, Event::KeyReopened, &key, now_ms).await?;
    Ok(Some(KeyRecord { revoked_ms: None, ..key }))
}

#[async_trait]
impl<D: Database> PlaygroundStore for D {
    async fn ensure_playground_key(
        &self,
        spec: PlaygroundSpec,
        now_ms: i64,
    ) -> Result<Option<KeyRecord>, StoreError> {
        // usually the key exists with these limits, so that no write is needed
        let wanted = spec.clone();
        if let Some(key) = self.read(move |tx| find_as(tx, wanted).boxed()).await? {
            return Ok(Some(key));
        }
        self.write(move |tx| ensure(tx, spec, now_ms).boxed()).await
    }

    async fn reopen_playground(&self, key: KeyPrefix, now_ms: i64) -> Result<Option<KeyRecord>, StoreError> {
        self.write(move |tx| reopen(tx, key, now_ms).boxed()).await
    }
}
