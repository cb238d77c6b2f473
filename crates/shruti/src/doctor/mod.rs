//! `shruti doctor`: whether a server can do its work here, and what to do if not.

mod address;
mod certificate;
mod clock;
mod data_folder;
mod database;
mod finding;
mod keys;
mod mail;
mod metrics;
mod open_files;
mod packs;
mod speech;
mod traces;

use std::io::{IsTerminal, stdout};
use std::net::SocketAddr;
use std::path::PathBuf;

use shruti_http::{CertificateFacts, TlsError, TlsFiles};
use shruti_store::{Inspection, PostgresAddress, PostgresInspection, PostgresStore, SqliteStore, StoreError};

use crate::calendar;
use crate::log;
use crate::settings::{Settings, Sources};
use finding::{Finding, Report};

pub(crate) use certificate::files as certificate_files;

/// Check the set-up of a server and say what to do about what is wrong
///
/// Takes the flags, the environment and the file of `shruti serve` and looks at what they name,
/// also while the server runs. Nothing is changed. `warn` is something to look at, with `fail` the
/// server does not start or cannot do its work; then the exit status is 1.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Write JSON instead of lines for people
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    sources: Sources,
}

/// What the checks look at.
struct Setup {
    settings: Settings,
    address: SocketAddr,
    data_dir: PathBuf,
    /// The files of the server's certificate, if it is to speak TLS.
    tls: Option<TlsFiles>,
    /// What they hold.
    certificate: Option<Result<CertificateFacts, TlsError>>,
    /// How the store in the data folder is, if it is there.
    store: Option<Result<Inspection, StoreError>>,
    /// How the store in the database is, if the settings name one.
    postgres: Option<Result<PostgresInspection, StoreError>>,
    now_ms: i64,
}

/// A check: what it is called, and how it is made. It may find several things.
type Check = (&'static str, fn(&Setup) -> Vec<Finding>);

/// All checks, in the order in which they are told.
const CHECKS: [Check; 12] = [
    ("data folder", data_folder::check),
    ("database", database::check),
    ("keys", keys::check),
    ("certificate", certificate::check),
    ("address", address::check),
    ("metrics", metrics::check),
    ("mail", mail::check),
    ("traces", traces::check),
    ("open files", open_files::check),
    ("clock", clock::check),
    ("speech", speech::check),
    ("packs", packs::check),
];

pub(crate) fn run(args: Args) -> anyhow::Result<()> {
    let mut report = Report::default();
    match Setup::of(args.sources) {
        Ok(setup) => {
            report.add("settings", vec![Finding::ok("they can be read")]);
            for (name, check) in CHECKS {
                report.add(name, check(&setup));
            }
        }
        Err(error) => {
            let advice = "put it right and ask again; what the settings name was not looked at";
            report.add("settings", vec![Finding::fail(format!("{error:#}"), advice)]);
        }
    }
    let out = stdout();
    if args.json {
        report.write_json(out.lock())?;
    } else {
        let is_coloured = out.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|set| set.is_empty());
        report.write_text(out.lock(), is_coloured)?;
    }
    let failed = report.failed();
    anyhow::ensure!(failed == 0, "{failed} of {} checks failed", report.len());
    Ok(())
}

impl Setup {
    fn of(sources: Sources) -> anyhow::Result<Self> {
        let settings = sources.complete()?;
        log::filter(settings.log.as_deref())?;
        let address = settings.address();
        let data_dir = settings.data_folder();
        let now_ms = calendar::now_ms();
        let is_in_folder = settings.database.is_none() && SqliteStore::is_in(&data_dir);
        let store = is_in_folder.then(|| SqliteStore::inspect(&data_dir, now_ms));
        let database = settings.postgres()?;
        let postgres = database.map(|address| look_at_postgres(&address, now_ms)).transpose()?;
        let tls = certificate::files(&settings, &data_dir);
        let certificate = tls.as_ref().map(TlsFiles::inspect);
        Ok(Self { settings, address, data_dir, tls, certificate, store, postgres, now_ms })
    }

    /// The certificate (DER) that a server with these settings shows, if it speaks TLS. Fails where it should and there
    /// is none.
    fn shown_certificate(&self) -> Result<Option<&[u8]>, &TlsError> {
        let facts = self.certificate.as_ref().map(Result::as_ref).transpose()?;
        Ok(facts.map(|facts| facts.der.as_slice()))
    }

    /// How many keys can be used, where the store could be looked at.
    fn usable_keys(&self) -> Option<u64> {
        if let Some(Ok(postgres)) = &self.postgres {
            return (postgres.schema > 0).then_some(postgres.usable_keys);
        }
        let found = self.store.as_ref()?.as_ref().ok()?;
        found.damage.is_empty().then_some(found.usable_keys)
    }

    /// The time of the newest entry in the audit log, where there is one that could be looked at.
    fn newest_entry_ms(&self) -> Option<i64> {
        if let Some(Ok(postgres)) = &self.postgres {
            return postgres.newest_entry_ms;
        }
        self.store.as_ref()?.as_ref().ok()?.newest_entry_ms
    }
}

fn look_at_postgres(
    address: &PostgresAddress,
    now_ms: i64,
) -> anyhow::Result<Result<PostgresInspection, StoreError>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    Ok(runtime.block_on(PostgresStore::inspect(address, now_ms)))
}
