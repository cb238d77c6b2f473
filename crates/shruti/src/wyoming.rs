//! Configuration of the Wyoming protocol: its listener, and the key that is charged.

use std::sync::Arc;

use anyhow::{Context, bail, ensure};
use shruti_service::WyomingConfig;
use shruti_store::{Actor, KeyPrefix, KeySpec, Scope, Store};
use tokio::net::TcpListener;

use crate::calendar;
use crate::settings::Settings;

/// Name of the key that is created by default.
const NAME: &str = "wyoming";

/// Listens on the Wyoming address in the settings. Returns `None` if there is no such address.
pub(crate) async fn listen(settings: &Settings) -> anyhow::Result<Option<TcpListener>> {
    let Some(address) = settings.wyoming else { return Ok(None) };
    let address = address.0;
    let bound = TcpListener::bind(address).await;
    let listener = bound.with_context(|| {
        format!(
            "cannot listen on {address} for the Wyoming protocol; choose another address with --wyoming ADDR:PORT"
        )
    })?;
    Ok(Some(listener))
}

/// Returns the configuration of the Wyoming protocol, or `None` without a listener. The key is the one named in the
/// settings, or the default key.
pub(crate) async fn set_up(
    settings: &Settings,
    listener: Option<TcpListener>,
    store: &dyn Store,
) -> anyhow::Result<Option<WyomingConfig>> {
    let Some(listener) = listener else { return Ok(None) };
    let key = match &settings.wyoming_key {
        Some(prefix) => named(prefix, store).await?,
        None => own(store).await?,
    };
    let address = listener.local_addr()?;
    tracing::info!(wyoming = %address, key = key.as_str(), "listening for the Wyoming protocol");
    if !address.ip().is_loopback() {
        tracing::warn!(
            "the Wyoming protocol has no authentication: any client that can reach {address} can synthesise \
             speech"
        );
    }
    Ok(Some(WyomingConfig { listener: Arc::new(listener), key }))
}

async fn named(prefix: &str, store: &dyn Store) -> anyhow::Result<KeyPrefix> {
    let key = KeyPrefix::parse(prefix.trim()).context(
        "wyoming-key is not the prefix of a key; `shruti keys list` shows the prefixes, such as sk_AbCd1234",
    )?;
    let found = store.find_key(key.clone()).await?;
    ensure!(found.is_some(), "wyoming-key: there is no key {key}; `shruti keys list` shows the keys");
    Ok(key)
}

/// Returns the prefix of a key named [`NAME`] that is not revoked, and creates the key if no key has that name. Fails
/// if all keys with that name were revoked.
async fn own(store: &dyn Store) -> anyhow::Result<KeyPrefix> {
    let keys = store.list_keys(Actor::Operator).await?;
    let mut named: Vec<_> = keys.into_iter().filter(|key| key.name == NAME).collect();
    if let Some(valid) = named.iter().position(|key| key.revoked_ms.is_none()) {
        return Ok(named.swap_remove(valid).prefix);
    }
    if !named.is_empty() {
        bail!("the key named {NAME} was revoked; select the key to charge with --wyoming-key PREFIX");
    }
    let spec = KeySpec { scopes: vec![Scope::Tts], ..KeySpec::named(NAME) };
    Ok(store.create_operator_key(spec, calendar::now_ms()).await?.record.prefix)
}
