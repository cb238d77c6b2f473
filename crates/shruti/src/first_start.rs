//! The output of the first start: an API key, and a sign-in link to the Studio.

use std::io::{Write, stdout};
use std::net::{IpAddr, SocketAddr};

use anyhow::anyhow;
use shruti_store::{Actor, Store};

use crate::accounts::link_path;
use crate::calendar;

/// Creates the first key if there is none, and prints it and a link that signs the operator in to the Studio, each on a
/// line of its own on standard output. Neither is logged.
pub(crate) async fn welcome(store: &dyn Store, base: &str) -> anyhow::Result<()> {
    let now_ms = calendar::now_ms();
    let Some(first) = store.ensure_first_key(now_ms).await? else { return Ok(()) };
    print_line(first.secret.reveal()).map_err(|error| {
        anyhow!("{error}: the first key could not be printed; make one with `shruti keys create`")
    })?;
    let operator = store.ensure_operator(now_ms).await?;
    let Some(link) = store.create_sign_in_link(operator.id, Actor::Operator, now_ms).await? else {
        return Ok(());
    };
    // with `| head -n 1` the reader has gone after the key; the server runs all the same
    if let Err(error) = print_line(&format!("{base}{}", link_path(&link))) {
        tracing::warn!(%error, "the link could not be printed; make one with `shruti accounts link`");
        return Ok(());
    }
    tracing::info!(
        "this is the first start: the first line on standard output is your API key, the second is a link that signs \
         you in to the Studio once, within an hour; both are shown only now"
    );
    Ok(())
}

fn print_line(line: &str) -> std::io::Result<()> {
    let mut out = stdout().lock();
    writeln!(out, "{line}")?;
    out.flush()
}

/// The URL of the server for a browser on this machine: its address, or `localhost` where that reaches it, which
/// browsers trust most.
pub(crate) fn base_url(is_tls: bool, address: SocketAddr) -> String {
    let (scheme, usual_port) = if is_tls { ("https", 443) } else { ("http", 80) };
    let is_here = |ip: IpAddr| {
        ip.is_unspecified()
            || ip == IpAddr::from([127, 0, 0, 1])
            || ip == IpAddr::from(std::net::Ipv6Addr::LOCALHOST)
    };
    let host = match address.ip() {
        ip if is_here(ip) => "localhost".to_owned(),
        IpAddr::V6(ip) => format!("[{ip}]"),
        IpAddr::V4(ip) => ip.to_string(),
    };
    match address.port() {
        port if port == usual_port => format!("{scheme}://{host}"),
        port => format!("{scheme}://{host}:{port}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browser_on_this_machine_finds_it() {
        for (is_tls, address, expected) in [
            (false, "127.0.0.1:8080", "http://localhost:8080"),
            (false, "0.0.0.0:80", "http://localhost"),
            (true, "0.0.0.0:80", "https://localhost:80"),
            (true, "[::]:443", "https://localhost"),
            (false, "[::1]:8080", "http://localhost:8080"),
            (false, "192.0.2.7:8080", "http://192.0.2.7:8080"),
            (true, "[2001:db8::1]:8443", "https://[2001:db8::1]:8443"),
            // localhost leads to the first of the loopback addresses alone
            (false, "127.0.0.2:8080", "http://127.0.0.2:8080"),
        ] {
            assert_eq!(base_url(is_tls, address.parse().unwrap()), expected, "{address}");
        }
    }
}
