//! The `shruti promo` command, which manages promo codes, even while the server is running.

use std::io::{Write, stdout};

use anyhow::{Context, bail};
use shruti_store::{Actor, NamedPromo, PromoDisabling, PromoRecord, PromoSpec, Store};

use crate::accounts::chars;
use crate::calendar;
use crate::data_dir::{OnData, block_on};
use crate::keys::expiry;

pub(crate) type Args = OnData<Action>;

#[derive(clap::Subcommand)]
pub(crate) enum Action {
    /// Create a promo code and print it on standard output; it is not stored and is shown only once
    Create(Create),
    /// List all promo codes by their first letters
    List,
    /// Disable a promo code; accounts that have redeemed it keep their allowance
    Disable {
        /// The code, or its first four letters; case and dashes are ignored
        code: String,
    },
}

#[derive(clap::Args)]
pub(crate) struct Create {
    /// Characters per month that the code adds to an account's allowance
    #[arg(long, value_name = "N", value_parser = chars)]
    chars: u64,

    /// Maximum number of accounts that may redeem the code
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    uses: u32,

    /// Expiry: a date (2026-12-31, its last day, UTC) or days from now (30d) [default: never]
    #[arg(long, value_name = "DATE|DAYS", value_parser = expiry)]
    expires: Option<i64>,
}

pub(crate) fn run(args: Args) -> anyhow::Result<()> {
    block_on(async {
        match args.action {
            Action::Create(wanted) => create(&*args.data.existing().await?, wanted).await,
            Action::List => list(&*args.data.existing().await?).await,
            Action::Disable { code } => disable(&*args.data.existing().await?, &code).await,
        }
    })
}

async fn create(store: &dyn Store, wanted: Create) -> anyhow::Result<()> {
    let Create { chars, uses, expires } = wanted;
    let spec = PromoSpec { chars, uses, expires_ms: expires };
    let promo = store.create_promo(Actor::Operator, spec, calendar::now_ms()).await?;
    let mut out = stdout().lock();
    writeln!(out, "{}", promo.code)?;
    out.flush()?;
    eprintln!("the code is shown only once; `shruti promo list` shows it as {}", promo.record.beginning);
    Ok(())
}

async fn list(store: &dyn Store) -> anyhow::Result<()> {
    let promos = store.list_promos().await?;
    let mut out = stdout().lock();
    writeln!(
        out,
        "{:7}  {:8}  {:>15}  {:>15}  {:16}  expires (UTC)",
        "code", "state", "chars per month", "redeemed", "created (UTC)"
    )?;
    for promo in promos {
        writeln!(
            out,
            "{:7}  {:8}  {:>15}  {:>15}  {:16}  {}",
            promo.beginning.to_string(),
            state(&promo),
            promo.spec.chars,
            format!("{}/{}", promo.used, promo.spec.uses),
            calendar::show(promo.created_ms),
            promo.spec.expires_ms.map_or_else(|| "never".to_owned(), calendar::show)
        )?;
    }
    Ok(())
}

fn state(promo: &PromoRecord) -> &'static str {
    if promo.disabled_ms.is_some() {
        return "disabled";
    }
    if promo.spec.expires_ms.is_some_and(|end| end <= calendar::now_ms()) {
        return "expired";
    }
    if promo.used >= promo.spec.uses { "used up" } else { "valid" }
}

async fn disable(store: &dyn Store, code: &str) -> anyhow::Result<()> {
    let named = NamedPromo::parse(code)
        .context("not a promo code or the beginning of one; `shruti promo list` shows the codes")?;
    match store.disable_promo(Actor::Operator, named, calendar::now_ms()).await? {
        PromoDisabling::Disabled(promo) => {
            eprintln!("disabled {}; {} accounts had redeemed it", promo.beginning, promo.used);
        }
        PromoDisabling::AlreadyDisabled(promo) => eprintln!("{} was already disabled", promo.beginning),
        PromoDisabling::Unknown => {
            bail!("there is no such code; `shruti promo list` shows the beginnings of all codes")
        }
        PromoDisabling::Ambiguous => bail!("several codes have this beginning; enter the whole code"),
    }
    Ok(())
}
