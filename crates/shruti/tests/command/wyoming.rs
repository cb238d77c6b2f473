//! Tests of `shruti serve --wyoming`: the port, and the key that is charged.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;

use crate::process::{SHRUTI, Service};

/// Returns a free port.
fn free_port() -> String {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port().to_string()
}

/// Returns the response of a Wyoming server on a port of this machine to `describe`.
fn info(port: &str) -> String {
    let mut stream = TcpStream::connect(format!("127.0.0.1:{port}")).unwrap();
    stream.write_all(b"{\"type\":\"describe\"}\n").unwrap();
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line).unwrap();
    line
}

/// Runs `shruti keys` and returns its output.
fn keys(data_dir: &Path, arguments: &[&str]) -> String {
    let done =
        Command::new(SHRUTI).arg("keys").args(arguments).arg("--data-dir").arg(data_dir).output().unwrap();
    assert!(done.status.success(), "{done:?}");
    String::from_utf8(done.stdout).unwrap()
}

/// Returns the prefixes of the keys named `wyoming`.
fn prefixes(data_dir: &Path) -> Vec<String> {
    let list = keys(data_dir, &["list"]);
    let named = list.lines().filter(|line| line.ends_with("  wyoming"));
    named.map(|line| line.split_whitespace().next().unwrap().to_owned()).collect()
}

/// Starts a server that must fail to start, and returns its error message.
fn refused(data_dir: &Path, flags: &[&str]) -> String {
    let mut command = Command::new(SHRUTI);
    command.args(["serve", "--listen", "127.0.0.1:0", "--data-dir"]).arg(data_dir).args(flags);
    let done = command.output().unwrap();
    assert!(!done.status.success());
    String::from_utf8(done.stderr).unwrap()
}

fn start(data_dir: &Path, flags: &[&str]) {
    let port = free_port();
    let service = Service::start_with(data_dir, &[&["--wyoming", &port][..], flags].concat());
    assert!(info(&port).contains("hi-Ananya"));
    service.signal("-TERM");
    assert_eq!(service.end().1, Some(0));
}

#[test]
fn an_operator_key_is_charged_until_it_is_revoked_or_replaced() {
    let folder = tempfile::tempdir().unwrap();
    start(folder.path(), &[]);
    let [prefix] = &prefixes(folder.path())[..] else { panic!("one key") };
    start(folder.path(), &[]);
    assert_eq!(prefixes(folder.path()), [prefix.as_str()], "the key is reused");
    keys(folder.path(), &["revoke", prefix]);
    let port = free_port();
    let error = refused(folder.path(), &["--wyoming", &port]);
    assert!(error.contains("was revoked") && error.contains("--wyoming-key"), "{error}");

    let key = keys(folder.path(), &["create", "--name", "home"]);
    start(folder.path(), &["--wyoming-key", &key.trim()[..11]]);
    for (named, wrong) in
        [("sk_AAAAAAAA", "there is no key sk_AAAAAAAA"), ("home", "not the prefix of a key")]
    {
        let error = refused(folder.path(), &["--wyoming", &port, "--wyoming-key", named]);
        assert!(error.contains(wrong), "{named}: {error}");
    }
}
