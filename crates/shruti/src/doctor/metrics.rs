//! Check of the client addresses from which the metrics can be read.

use std::net::{IpAddr, SocketAddr};

use shruti_http::Networks;

use super::Setup;
use super::finding::Finding;
use crate::ask::{ask, reachable};

pub(super) fn check(setup: &Setup) -> Vec<Finding> {
    let readers = setup.settings.metrics_for.clone();
    let mut findings = vec![intended(readers.as_ref())];
    findings.extend(told(setup, &readers.unwrap_or_else(Networks::loopback)));
    findings
}

fn intended(readers: Option<&Networks>) -> Finding {
    match readers {
        None => Finding::ok("/metrics can be read only from this machine"),
        Some(readers) if readers.include_all_addresses() => Finding::warn(
            "/metrics can be read by everyone",
            "restrict it to some addresses: --metrics-for loopback,10.0.0.7",
        ),
        Some(_) => Finding::ok("/metrics can be read from the addresses in --metrics-for"),
    }
}

/// Checks whether a running server serves its metrics only to the configured addresses.
fn told(setup: &Setup, readers: &Networks) -> Option<Finding> {
    let certificate = setup.shown_certificate().ok()?;
    let mut tested = Vec::new();
    for ip in own_addresses(setup.address.ip()) {
        // the source address of a request to an address of this machine is that same address
        let get = |path| ask(SocketAddr::new(ip, setup.address.port()), certificate, path);
        if !get("/healthz").is_ok_and(|answer| answer.is_status("ok")) {
            continue;
        }
        let Ok(answer) = get("/metrics") else { continue };
        let is_told = answer.status == 200;
        if is_told != readers.include(ip) {
            let does = if is_told { "serves" } else { "does not serve" };
            return Some(Finding::warn(
                format!("a running server {does} its metrics to {ip}, contrary to these settings"),
                "use the flags of the running server, or restart it with these flags",
            ));
        }
        tested.push(ip.to_string());
    }
    let tested = (!tested.is_empty()).then(|| tested.join(" and "))?;
    Some(Finding::ok(format!("a running server complies (tested from {tested})")))
}

/// Returns up to two addresses of this machine at which a listener can be reached. Requests to them have different
/// source addresses.
fn own_addresses(listens: IpAddr) -> Vec<IpAddr> {
    let mut addresses = vec![reachable(SocketAddr::new(listens, 0)).ip()];
    if listens.is_unspecified() {
        let others = if_addrs::get_if_addrs().unwrap_or_default().into_iter().map(|interface| interface.ip());
        addresses.extend(others.filter(|ip| !ip.is_loopback() && ip.is_ipv4() == listens.is_ipv4()).take(1));
    }
    addresses
}
