//! TLS certificate of `shruti serve`.

use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::time::SystemTime;

use anyhow::Context;
use shruti_http::{Tls, TlsFiles, self_signed};

use crate::settings::Settings;

/// Returns the TLS configuration of the settings, or `None` without TLS. Creates a self-signed certificate in the data
/// folder if the settings request one and none exists.
pub(crate) fn set_up(
    settings: &Settings,
    data_dir: &Path,
    address: SocketAddr,
) -> anyhow::Result<Option<Tls>> {
    if let (Some(certificate), Some(key)) = (settings.tls_cert.clone(), settings.tls_key.clone()) {
        return Ok(Some(Tls::load(TlsFiles { certificate, key }).context("TLS")?));
    }
    if settings.tls_self_signed != Some(true) {
        return Ok(None);
    }
    shruti_store::make_private(data_dir).with_context(|| format!("data folder {}", data_dir.display()))?;
    let made = self_signed(data_dir, &names(), SystemTime::now()).context("TLS")?;
    let file = made.files.certificate.canonicalize()?;
    tracing::info!(
        file = %file.display(),
        sha256 = made.fingerprint,
        "{}; clients must be configured to trust it",
        if made.is_new { "created a self-signed certificate" } else { "using the existing self-signed certificate" },
    );
    tracing::info!("try: curl --cacert '{}' https://localhost:{}/healthz", file.display(), address.port());
    Ok(Some(Tls::load(made.files).context("TLS")?))
}

/// Returns all names and addresses by which clients may reach this machine.
fn names() -> Vec<String> {
    let mut names = vec!["localhost".to_owned()];
    let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
    if !host.is_empty() && host != "localhost" {
        names.push(host);
    }
    let mut addresses = vec![IpAddr::from([127, 0, 0, 1]), IpAddr::from(std::net::Ipv6Addr::LOCALHOST)];
    match if_addrs::get_if_addrs() {
        Ok(interfaces) => addresses.extend(interfaces.iter().map(if_addrs::Interface::ip)),
        Err(error) => tracing::warn!(%error, "the addresses of this machine could not be determined"),
    }
    // link-local addresses are meaningless without their interface
    addresses.retain(|address| !matches!(address, IpAddr::V6(v6) if v6.is_unicast_link_local()));
    addresses.sort_unstable();
    addresses.dedup();
    names.extend(addresses.iter().map(ToString::to_string));
    names
}
