//! The `shruti doctor` command, which checks whether a server can run here and recommends fixes.

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
use crate::runtime::block_on;
use crate::settings::{Settings, Sources};
use finding::{Finding, Report};

pub(crate) use certificate::files as certificate_files;

/// Check the setup of a server and recommend fixes
///
/// Reads the flags, environment variables and settings file of `shruti serve` and checks the files, addresses and
/// services that they name, even while the server is running. Nothing is changed. `warn` marks a problem that needs
/// attention; `fail` means that the server does not start or cannot do its work, and the exit status is 1.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Write JSON instead of text
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    sources: Sources,
}

/// Inputs of the checks.
struct Setup {
    settings: Settings,
    address: SocketAddr,
    data_dir: PathBuf,
    /// Files of the server's certificate, if TLS is enabled.
    tls: Option<TlsFiles>,
    /// Content of the certificate files, if TLS is enabled.
    certificate: Option<Result<CertificateFacts, TlsError>>,
    /// State of the SQLite store, if the data folder contains one and the settings name no database.
    store: Option<Result<Inspection, StoreError>>,
    /// State of the store in PostgreSQL, if the settings name a database.
    postgres: Option<Result<PostgresInspection, StoreError>>,
    now_ms: i64,
}

/// Name and function of a check. A check may return several findings.
type Check = (&'static str, fn(&Setup) -> Vec<Finding>);

/// All checks, in the order of the report.
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
            report.add("settings", vec![Finding::ok("the settings are valid")]);
            for (name, check) in CHECKS {
                report.add(name, check(&setup));
            }
        }
        Err(error) => {
            let advice = "correct the settings and run this command again; nothing else was checked";
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

    /// Returns the certificate (DER) that a server with these settings presents, or `None` without TLS. Fails if the
    /// certificate cannot be read.
    fn shown_certificate(&self) -> Result<Option<&[u8]>, &TlsError> {
        let facts = self.certificate.as_ref().map(Result::as_ref).transpose()?;
        Ok(facts.map(|facts| facts.der.as_slice()))
    }

    /// Returns the number of usable keys, or `None` if there is no store or the store could not be read.
    fn usable_keys(&self) -> Option<u64> {
        if let Some(Ok(postgres)) = &self.postgres {
            return (postgres.schema > 0).then_some(postgres.usable_keys);
        }
        let found = self.store.as_ref()?.as_ref().ok()?;
        found.damage.is_empty().then_some(found.usable_keys)
    }

    /// Returns the time of the newest entry in the audit log, or `None` if there is no entry or the log could not be
    /// read.
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
    Ok(block_on(&runtime, PostgresStore::inspect(address, now_ms)))
}
