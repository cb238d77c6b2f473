//! The `shruti ready` command: a readiness check of the local server, for environments without curl.

use anyhow::bail;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use shruti_http::TlsFiles;

use crate::ask::{Mute, ask, reachable};
use crate::doctor;
use crate::settings::Sources;

/// Check whether a running server accepts new work
///
/// Reads the flags, environment variables and settings file of `shruti serve`, so in a container it needs no arguments,
/// and requests `GET /readyz` at the server's address. The exit status is 0 if the server is ready. Over TLS, the
/// server must present the certificate of the settings.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Also check whether the server can speak with this voice pack
    #[arg(long, value_name = "ID")]
    pack: Option<String>,

    #[command(flatten)]
    sources: Sources,
}

pub(crate) fn run(args: Args) -> anyhow::Result<()> {
    let settings = args.sources.complete()?;
    let address = settings.address();
    let data_dir = settings.data_folder();
    let tls = doctor::certificate_files(&settings, &data_dir);
    let certificate = tls.as_ref().map(TlsFiles::inspect).transpose()?;
    let certificate = certificate.as_ref().map(|facts| facts.der.as_slice());
    let pack = args.pack.map(|pack| format!("?pack={}", utf8_percent_encode(&pack, NON_ALPHANUMERIC)));
    let at = reachable(address);
    match ask(at, certificate, &format!("/readyz{}", pack.unwrap_or_default())) {
        Ok(answer) if answer.is_status("ready") => Ok(()),
        Ok(answer) => {
            let body = serde_json::from_str::<serde_json::Value>(&answer.body).unwrap_or_default();
            let why = body["error"]["message"].as_str().unwrap_or("the response is not from a Shruti server");
            bail!("{at} is not ready: {why} ({})", answer.status)
        }
        Err(Mute::OtherCertificate) => {
            bail!("{at} presents a different certificate from the one in the settings")
        }
        Err(Mute::Broken(error)) => bail!("{at} does not answer: {error}"),
    }
}
