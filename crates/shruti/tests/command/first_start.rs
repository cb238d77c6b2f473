//! Tests of the first steps of a new user: the location of the data, and how other commands find the server.

use std::path::Path;
use std::process::{Command, Output};

use http::{HeaderValue, Method};
use serde_json::json;
use shruti_store::{AccountStore, Actor, EmailAddress, KeyStore, LinkSecret, SessionStore, SqliteStore};
use shruti_testkit::Client;
use tempfile::TempDir;

use crate::process::{SHRUTI, Service, now_ms};

/// User with a separate home directory, in an empty working directory.
struct User {
    home: TempDir,
}

impl User {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        std::fs::create_dir(home.path().join("work")).unwrap();
        Self { home }
    }

    fn work(&self) -> std::path::PathBuf {
        self.home.path().join("work")
    }

    /// Returns the default data folder according to the XDG base directory specification.
    fn data(&self) -> std::path::PathBuf {
        self.home.path().join("data/shruti")
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(SHRUTI);
        command.args(arguments).current_dir(self.work());
        command.env("XDG_DATA_HOME", self.home.path().join("data"));
        command.env("XDG_STATE_HOME", self.home.path().join("state"));
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    fn serve(&self, flags: &[&str]) -> Service {
        Service::of(self.command(&[&["serve", "--port", "0"], flags].concat()))
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn is_empty(folder: &Path) -> bool {
    std::fs::read_dir(folder).unwrap().next().is_none()
}

#[test]
fn only_the_server_creates_a_store() {
    let user = User::new();
    for arguments in [&["keys", "create"][..], &["keys", "list"], &["promo", "create", "--chars", "9"]] {
        let output = user.run(arguments);
        let error = text(&output.stderr);
        assert!(!output.status.success() && error.contains("`shruti serve` creates one"), "{error}");
        assert!(output.stdout.is_empty(), "no unknown key is created");
    }
    assert!(is_empty(&user.work()) && !user.data().exists());
    let output = user.run(&["open"]);
    assert!(text(&output.stderr).contains("`shruti serve` starts one"), "{output:?}");
}

#[tokio::test]
async fn data_is_in_the_folder_of_the_platform() {
    let user = User::new();
    let mut service = user.serve(&[]);
    service.printed();
    assert!(SqliteStore::is_in(&user.data()), "the default folder");
    assert!(is_empty(&user.work()), "nothing is left in the working folder");
    service.process.terminate();

    // the folder of an earlier version is still used
    let user = User::new();
    let old = user.work().join("shruti-data");
    SqliteStore::open(&old).unwrap().ensure_first_key(now_ms()).await.unwrap();
    let mut service = user.serve(&[]);
    assert!(!user.data().exists());
    assert_eq!(text(&user.run(&["keys", "list"]).stdout).lines().count(), 2);
    service.process.terminate();
    assert!(service.log.join().unwrap().contains("works only if the server starts in this folder"));
}

#[tokio::test]
async fn commands_find_a_running_server_in_any_data_folder() {
    let user = User::new();
    let elsewhere = tempfile::tempdir().unwrap();
    let mut service = user.serve(&["--data-dir", elsewhere.path().to_str().unwrap()]);
    let made = user.run(&["keys", "create", "--name", "laptop"]);
    let key = text(&made.stdout).trim_end().to_owned();
    let client = Client::new(service.address, &key);
    client.speak(&json!({"text": "hello"})).await.assert_speech("the key works");

    let store = SqliteStore::open(elsewhere.path()).unwrap();
    let operator = store.find_account(EmailAddress::operator()).await.unwrap().unwrap();
    let keys = store.list_keys(Actor::Account(operator.id)).await.unwrap();
    assert!(keys.iter().any(|key| key.name == "laptop"), "the Studio lists it: {keys:?}");

    let opened = user.run(&["open", "--print"]);
    let link = text(&opened.stdout);
    let base = format!("http://localhost:{}/studio/link#", service.address.port());
    let secret = LinkSecret::parse(link.trim_end().strip_prefix(&base).expect(&link)).unwrap();
    let session = store.use_sign_in_link(secret.hash(), now_ms()).await.unwrap().expect("it signs in");
    assert!(session.session.account.is_operator);

    service.process.terminate();
    assert!(text(&user.run(&["open"]).stderr).contains("no server runs"));
    assert!(!user.run(&["keys", "create"]).status.success(), "the store is no longer found");
}

#[tokio::test]
async fn the_playground_is_open_on_loopback_servers() {
    // the flags of the server, whether the playground is open to direct requests, and whether it is open to requests
    // that a proxy forwarded
    for (flags, is_open, through_proxy) in [
        (&[][..], true, false),
        (&["--open-playground"], true, true),
        (&["--open-playground=false"], false, false),
        (&["--public-url", "https://tts.example"], false, false),
        (&["--trust-proxy"], false, false),
        (&["--listen", "0.0.0.0:0"], false, false),
        (&["--listen", "0.0.0.0:0", "--open-playground"], true, true),
    ] {
        let user = User::new();
        let mut service = user.serve(flags);
        let address = ([127, 0, 0, 1], service.address.port()).into();
        let client = Client::new(address, "").with_key(None);
        let setup = client.get("/studio/api/setup").await.json();
        assert_eq!(setup["open_playground"], is_open, "{flags:?}: {setup}");
        let mut passed_on = client.request(Method::GET, "/studio/api/setup", "");
        passed_on.headers_mut().insert("via", HeaderValue::from_static("1.1 proxy.example"));
        let setup = client.send(passed_on).await.json();
        assert_eq!(setup["open_playground"], through_proxy, "{flags:?}: {setup}");
        service.process.terminate();
    }
}
