//! Check that the listen address is free, or that a server with these settings already uses it.

use std::io::{self, ErrorKind};
use std::net::TcpListener;

use super::Setup;
use super::finding::Finding;
use crate::ask::{Mute, ask, reachable};

const OTHER_FLAGS: &str = "use the flags of the running server, or restart it with these flags";
const OTHER_PROGRAM: &str =
    "stop that program (`ss -ltnp` shows its process), or choose another address with --listen";

pub(super) fn check(setup: &Setup) -> Vec<Finding> {
    let address = setup.address;
    vec![match TcpListener::bind(address) {
        Ok(_) => Finding::ok(format!("{address} is free")),
        Err(error) if error.kind() == ErrorKind::AddrInUse => held(setup),
        Err(error) => Finding::fail(format!("a server cannot listen on {address}: {error}"), advice(&error)),
    }]
}

fn advice(error: &io::Error) -> &'static str {
    match error.kind() {
        ErrorKind::PermissionDenied => {
            "grant the right to use ports below 1024 (AmbientCapabilities=CAP_NET_BIND_SERVICE in systemd), or \
             choose another port with --listen"
        }
        ErrorKind::AddrNotAvailable => {
            "choose an address of this machine, or 0.0.0.0 for all its addresses (--listen)"
        }
        _ => "choose another address with --listen",
    }
}

/// Identifies the program that uses the address.
fn held(setup: &Setup) -> Finding {
    let address = setup.address;
    let Ok(certificate) = setup.shown_certificate() else {
        return Finding::fail(
            format!(
                "a program listens on {address} and could not be queried because the certificate cannot be read"
            ),
            OTHER_PROGRAM,
        );
    };
    let get = |path| ask(reachable(address), certificate, path);
    match get("/healthz") {
        Ok(answer) if answer.is_status("ok") => match get("/readyz") {
            Ok(answer) if answer.is_status("ready") => {
                Finding::ok(format!("a server runs on {address} and accepts new work"))
            }
            _ => Finding::warn(
                format!("a server runs on {address} and does not accept new work"),
                "wait until that server has shut down",
            ),
        },
        Ok(answer) if answer.body.contains("https_required") => Finding::fail(
            format!("a server runs on {address} and uses HTTPS, but these settings do not"),
            OTHER_FLAGS,
        ),
        Ok(_) => Finding::fail(format!("another program answers on {address}"), OTHER_PROGRAM),
        Err(Mute::OtherCertificate) => Finding::warn(
            format!("the server on {address} presents a different certificate from the one in the file"),
            format!("see the server's log for an error about the certificate file; otherwise {OTHER_FLAGS}"),
        ),
        Err(Mute::Broken(error)) => {
            Finding::fail(format!("another program uses {address} ({error})"), OTHER_PROGRAM)
        }
    }
}
