//! The `shruti keys` command, which manages API keys, even while the server is running.

use std::io::{Write, stdout};

use anyhow::{Context, bail};
use shruti_store::{Actor, KeyLimits, KeyPrefix, KeyRecord, KeySpec, Origin, Revocation, Scope, Store};

use crate::calendar;
use crate::data_dir::{OnData, block_on};
use crate::printable::printable;

pub(crate) type Args = OnData<Action>;

#[derive(clap::Subcommand)]
pub(crate) enum Action {
    /// Create a key for the operator's account and print it on standard output; it is shown only once
    Create(Create),
    /// List all keys by prefix; the keys themselves are not stored
    List,
    /// Revoke a key permanently; a running server refuses it within two seconds
    Revoke {
        /// Prefix of the key as shown by `list`, or the whole key
        key: String,
    },
    /// Re-enable a Studio playground whose key was revoked
    Reopen {
        /// Prefix of the key as shown by `list`
        key: String,
    },
}

#[derive(clap::Args)]
pub(crate) struct Create {
    /// Name of the key
    #[arg(long, default_value = "unnamed")]
    name: String,

    /// Permissions of the key: tts, usage:read
    #[arg(long, value_delimiter = ',', default_values_t = Scope::ALL)]
    scopes: Vec<Scope>,

    /// Average rate limit, in requests per second [default: no limit]
    #[arg(long, value_name = "N", value_parser = positive)]
    rate: Option<f64>,

    /// Burst limit, in requests [default: twice the rate]
    #[arg(long, value_name = "N", requires = "rate", value_parser = clap::value_parser!(u32).range(1..))]
    burst: Option<u32>,

    /// Maximum number of concurrent streams [default: no limit]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    streams: Option<u32>,

    /// Maximum number of characters per month [default: no limit]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    monthly_cap: Option<u64>,

    /// Web origin that may use the key through a token: https://a.example, http://localhost:3000; repeatable
    #[arg(long = "origin", value_name = "SCHEME://HOST[:PORT]", value_parser = origin)]
    origins: Vec<Origin>,

    /// Expiry: a date (2026-12-31, its last day, UTC) or days from now (30d) [default: never]
    #[arg(long, value_name = "DATE|DAYS", value_parser = expiry)]
    expires: Option<i64>,
}

fn positive(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| number.is_finite() && *number > 0.0);
    number.ok_or_else(|| "must be a number greater than 0".to_owned())
}

fn origin(text: &str) -> Result<Origin, String> {
    text.parse().map_err(|error| format!("{error}; write it as https://a.example or http://localhost:3000"))
}

pub(crate) fn expiry(text: &str) -> Result<i64, String> {
    let now = calendar::now_ms();
    match calendar::end_of(text, now) {
        None => Err("must be a date such as 2026-12-31 or days such as 30d".to_owned()),
        Some(end) if end <= now => Err("is in the past".to_owned()),
        Some(end) => Ok(end),
    }
}

pub(crate) fn run(args: Args) -> anyhow::Result<()> {
    block_on(async {
        match args.action {
            Action::Create(wanted) => create(&*args.data.existing().await?, wanted).await,
            Action::List => list(&*args.data.existing().await?).await,
            Action::Revoke { key } => revoke(&*args.data.existing().await?, &key).await,
            Action::Reopen { key } => reopen(&*args.data.existing().await?, &key).await,
        }
    })
}

async fn create(store: &dyn Store, wanted: Create) -> anyhow::Result<()> {
    let Create { name, scopes, rate, burst, streams, monthly_cap, origins, expires } = wanted;
    if name.chars().any(char::is_control) || name.chars().count() > 100 {
        bail!("the name must have at most 100 characters and no control characters");
    }
    let limits = KeyLimits { rate, burst, streams };
    let spec = KeySpec { name, scopes, limits, origins, expires_ms: expires, monthly_cap };
    let created = store.create_operator_key(spec, calendar::now_ms()).await?;
    let mut out = stdout().lock();
    writeln!(out, "{}", created.secret.reveal())?;
    out.flush()?;
    eprintln!("the key is shown only once; it can be used immediately");
    Ok(())
}

async fn list(store: &dyn Store) -> anyhow::Result<()> {
    let keys = store.list_keys(Actor::Operator).await?;
    let origins_width = keys.iter().map(|key| origins(key).len()).max().unwrap_or(0).max("origins".len());
    let mut out = stdout().lock();
    writeln!(
        out,
        "{:11}  {:8}  {:10}  {:16}  {:15}  {:20}  {:origins_width$}  name",
        "prefix", "state", "for", "created (UTC)", "scopes", "rate/burst/streams", "origins"
    )?;
    for key in keys {
        let scopes: Vec<&str> = key.scopes.iter().map(|scope| scope.as_str()).collect();
        writeln!(
            out,
            "{:11}  {:8}  {:10}  {:16}  {:15}  {:20}  {:origins_width$}  {}",
            key.prefix.as_str(),
            state(&key),
            key.purpose.as_str(),
            calendar::show(key.created_ms),
            scopes.join(","),
            limits(&key.limits),
            origins(&key),
            printable(&key.name)
        )?;
    }
    Ok(())
}

fn state(key: &KeyRecord) -> &'static str {
    if key.revoked_ms.is_some() {
        return "revoked";
    }
    if key.expires_ms.is_some_and(|expires| expires <= calendar::now_ms()) {
        return "expired";
    }
    // unlike a revoked or expired key, a locked key works again once its account is unlocked or a promo code is
    // redeemed
    if key.lock.is_some() { "locked" } else { "valid" }
}

fn limits(limits: &KeyLimits) -> String {
    let burst = limits.burst.map(f64::from).or(limits.rate.map(|rate| (2.0 * rate).ceil()));
    [limits.rate, burst, limits.streams.map(f64::from)]
        .map(|limit| limit.map_or_else(|| "-".to_owned(), |limit| limit.to_string()))
        .join("/")
}

fn origins(key: &KeyRecord) -> String {
    if key.origins.is_empty() {
        return "-".to_owned();
    }
    key.origins.iter().map(Origin::as_str).collect::<Vec<_>>().join(",")
}

fn prefix(key: &str) -> anyhow::Result<KeyPrefix> {
    KeyPrefix::parse(key.trim()).context("not a key or a key prefix; `shruti keys list` shows the prefixes")
}

async fn revoke(store: &dyn Store, key: &str) -> anyhow::Result<()> {
    let prefix = prefix(key)?;
    match store.revoke_key(Actor::Operator, prefix.clone(), calendar::now_ms()).await? {
        Revocation::Revoked(record) => eprintln!("revoked {prefix} ({})", printable(&record.name)),
        Revocation::AlreadyRevoked(record) => {
            eprintln!("{prefix} ({}) was already revoked", printable(&record.name));
        }
        Revocation::Unknown => bail!("there is no key {prefix}; `shruti keys list` shows all keys"),
    }
    Ok(())
}

async fn reopen(store: &dyn Store, key: &str) -> anyhow::Result<()> {
    let prefix = prefix(key)?;
    match store.reopen_playground(prefix.clone(), calendar::now_ms()).await? {
        Some(_) => eprintln!("the playground of {prefix} is enabled again"),
        None => bail!(
            "{prefix} is not the key of a playground (see `shruti keys list`); other revoked keys cannot be \
             restored: create a new one"
        ),
    }
    Ok(())
}
