//! Check of the listen address: free for the server, or used by a running one.

use std::io::{self, ErrorKind};
use std::net::TcpListener;

use super::Setup;
use super::finding::Finding;
use crate::ask::{Mute, ask, reachable};

const OTHER_FLAGS: &str = "give the flags that the running server has, or start it anew with these";
const OTHER_PROGRAM: &str = "end it (`ss -ltnp` shows whose it is), or choose another address with --listen";

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
            "ports below 1024 need a right (AmbientCapabilities=CAP_NET_BIND_SERVICE of systemd); or choose another \
             with --listen"
        }
        ErrorKind::AddrNotAvailable => {
            "it is none of this machine's; 0.0.0.0 stands for all of them (--listen)"
        }
        _ => "choose another with --listen",
    }
}

/// Identifies the program that uses the address.
fn held(setup: &Setup) -> Finding {
    let address = setup.address;
    let Ok(certificate) = setup.shown_certificate() else {
        return Finding::fail(
            format!("something listens on {address}, and could not be asked for want of the certificate"),
            OTHER_PROGRAM,
        );
    };
    let get = |path| ask(reachable(address), certificate, path);
    match get("/healthz") {
        Ok(answer) if answer.is_status("ok") => match get("/readyz") {
            Ok(answer) if answer.is_status("ready") => {
                Finding::ok(format!("a server runs on {address} and takes new work"))
            }
            _ => Finding::warn(
                format!("a server runs on {address} and takes no new work"),
                "it is shutting down: wait for its end",
            ),
        },
        Ok(answer) if answer.body.contains("https_required") => Finding::fail(
            format!("a server runs on {address} and speaks HTTPS, which these settings do not"),
            OTHER_FLAGS,
        ),
        Ok(_) => Finding::fail(format!("another program answers on {address}"), OTHER_PROGRAM),
        Err(Mute::OtherCertificate) => Finding::warn(
            format!("what runs on {address} shows another certificate than the file holds"),
            format!("look into its log, whether it could read the file; else {OTHER_FLAGS}"),
        ),
        Err(Mute::Broken(error)) => {
            Finding::fail(format!("another program holds {address} ({error})"), OTHER_PROGRAM)
        }
    }
}
