//! Tests of the operator's commands on a real store: accounts, promo codes, backups.

use std::io::BufRead;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

use shruti_store::{
    AccountStore, Actor, EmailAddress, KeyLimits, KeyPrefix, KeySpec, KeyStore, LinkSecret, MaintenanceStore,
    NewPassword, Password, PlaygroundSpec, PlaygroundStore, PostgresStore, PromoStore, Redemption,
    SessionStore, SignIn, SqliteStore,
};

use shruti_testkit::PostgresDatabase;

use crate::process::{SHRUTI, Service, now_ms};

const EMAIL: &str = "asha@example.org";
const PASSWORD: &str = "tidal-kettle-9";

fn shruti(data_dir: &Path, arguments: &[&str]) -> Output {
    Command::new(SHRUTI).args(arguments).arg("--data-dir").arg(data_dir).output().unwrap()
}

/// Runs a command that must succeed, and returns its standard output.
fn printed(data_dir: &Path, arguments: &[&str]) -> String {
    let output = shruti(data_dir, arguments);
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
}

/// Runs a command that must fail, and returns its standard error.
fn refused(data_dir: &Path, arguments: &[&str]) -> String {
    let output = shruti(data_dir, arguments);
    assert!(!output.status.success() && output.stdout.is_empty(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stderr).unwrap()
}

fn link(printed: &str) -> LinkSecret {
    LinkSecret::parse(printed.strip_prefix("/studio/link#").unwrap()).unwrap()
}

fn email() -> EmailAddress {
    EMAIL.parse().unwrap()
}

#[tokio::test]
async fn an_account_is_invited_unlocked_locked_and_reset() {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = folder.path();
    let server = SqliteStore::open(data_dir).unwrap();
    let invited = link(&printed(data_dir, &["accounts", "create", "Asha@Example.org"]));
    assert!(refused(data_dir, &["accounts", "create", EMAIL]).contains("reset-password"));
    assert!(printed(data_dir, &["accounts", "list"]).contains("no code"));
    let session = server.use_sign_in_link(invited.hash(), now_ms()).await.unwrap().unwrap();
    let new = NewPassword::choose(PASSWORD, &email()).unwrap();
    server.change_password(session.secret.hash(), None, new, now_ms()).await.unwrap();

    printed(data_dir, &["accounts", "unlock", EMAIL, "--chars", "12,000"]);
    let listed = printed(data_dir, &["accounts", "list"]);
    let line = listed.lines().find(|line| line.ends_with(EMAIL)).unwrap();
    assert!(line.starts_with("open") && line.contains(" 12000 "), "{line}");

    let sign_in = async || server.sign_in(email(), Password::typed(PASSWORD), now_ms()).await.unwrap();
    printed(data_dir, &["accounts", "lock", EMAIL]);
    assert!(matches!(sign_in().await, SignIn::LockedByOperator));
    assert!(printed(data_dir, &["accounts", "list"]).contains("locked"));
    printed(data_dir, &["accounts", "unlock", EMAIL]);
    assert!(matches!(sign_in().await, SignIn::SignedIn(_)));

    let reset = link(&printed(data_dir, &["accounts", "reset-password", EMAIL]));
    assert!(matches!(sign_in().await, SignIn::Refused));
    assert!(server.use_sign_in_link(reset.hash(), now_ms()).await.unwrap().is_some());
    for action in ["lock", "unlock", "link", "reset-password"] {
        assert!(
            refused(data_dir, &["accounts", action, "b@example.org"]).contains("accounts list"),
            "{action}"
        );
    }
}

#[tokio::test]
async fn a_reset_link_works_in_a_store_without_an_operator() {
    let folder = tempfile::tempdir().unwrap();
    let server = SqliteStore::open(folder.path()).unwrap();
    let secret = link(&printed(folder.path(), &["accounts", "reset-password", "operator@localhost"]));
    let session = server.use_sign_in_link(secret.hash(), now_ms()).await.unwrap().unwrap();
    assert!(session.session.account.is_operator);
    assert!(printed(folder.path(), &["accounts", "list"]).contains("operator@localhost"));
}

#[tokio::test]
async fn a_link_signs_in_without_changing_the_password() {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = folder.path();
    let server = SqliteStore::open(data_dir).unwrap();
    let operator_s = link(&printed(data_dir, &["accounts", "link"]));
    let session = server.use_sign_in_link(operator_s.hash(), now_ms()).await.unwrap().unwrap();
    assert!(session.session.account.is_operator, "the account is optional");

    let password = NewPassword::choose(PASSWORD, &email()).unwrap();
    server.create_account(email(), password, now_ms()).await.unwrap();
    let first = link(&printed(data_dir, &["accounts", "link", EMAIL]));
    let second = link(&printed(data_dir, &["accounts", "link", EMAIL]));
    assert!(server.use_sign_in_link(first.hash(), now_ms()).await.unwrap().is_none(), "one per account");
    assert!(server.use_sign_in_link(second.hash(), now_ms()).await.unwrap().is_some());
    let sign_in = server.sign_in(email(), Password::typed(PASSWORD), now_ms()).await.unwrap();
    assert!(matches!(sign_in, SignIn::SignedIn(_)), "{sign_in:?}");
    printed(data_dir, &["accounts", "lock", EMAIL]);
    assert!(refused(data_dir, &["accounts", "link", EMAIL]).contains("accounts unlock"));
}

#[tokio::test]
async fn a_promo_code_is_created_listed_and_disabled() {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = folder.path();
    let server = SqliteStore::open(data_dir).unwrap();
    let code = printed(data_dir, &["promo", "create", "--chars", "50000", "--uses", "2", "--expires", "30d"]);
    let forever = printed(data_dir, &["promo", "create", "--chars", "1"]);
    printed(data_dir, &["accounts", "create", EMAIL]);
    let account = server.find_account(email()).await.unwrap().unwrap();
    let redeemed = server.redeem_promo(account.id.clone(), code.to_lowercase(), now_ms()).await.unwrap();
    assert!(matches!(redeemed, Redemption::Redeemed { added_chars: 50_000, .. }), "{redeemed:?}");
    let listed = printed(data_dir, &["promo", "list"]);
    let line = listed.lines().find(|line| line.starts_with(&code[..5])).unwrap();
    assert!(line.contains("valid") && line.contains(" 50000 ") && line.contains(" 1/2 "), "{line}");
    let line = listed.lines().find(|line| line.starts_with(&forever[..5])).unwrap();
    assert!(line.ends_with("never") && line.contains(" 0/1 "), "{line}");
    assert!(!listed.contains(&code) && !listed.contains(&forever), "{listed}");

    for named in [forever.to_lowercase().replace('-', ""), forever[..4].to_owned()] {
        printed(data_dir, &["promo", "disable", &named]);
    }
    assert!(printed(data_dir, &["promo", "list"]).contains("disabled"));
    assert_eq!(server.redeem_promo(account.id, forever, now_ms()).await.unwrap(), Redemption::Expired);
    assert!(refused(data_dir, &["promo", "disable", "0000-0000-0000-0000"]).contains("promo list"));
    assert!(refused(data_dir, &["promo", "disable", "hello"]).contains("promo list"));
}

#[tokio::test]
async fn a_playground_is_shown_closed_and_reopened() {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = folder.path();
    let server = SqliteStore::open(data_dir).unwrap();
    let of = PlaygroundSpec { owner: None, limits: KeyLimits::default(), monthly_cap: Some(1_000) };
    let key = server.ensure_playground_key(of, now_ms()).await.unwrap().unwrap().prefix;
    let states = async || {
        let listed = printed(data_dir, &["keys", "list"]);
        let line = listed.lines().find(|line| line.starts_with(key.as_str())).unwrap();
        line.split_whitespace().skip(1).take(2).map(ToOwned::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(states().await, ["valid", "playground"]);
    printed(data_dir, &["keys", "revoke", key.as_str()]);
    assert_eq!(states().await, ["revoked", "playground"]);
    printed(data_dir, &["keys", "reopen", key.as_str()]);
    assert_eq!(states().await, ["valid", "playground"]);

    let made = printed(data_dir, &["keys", "create"]);
    printed(data_dir, &["keys", "revoke", &made]);
    assert!(refused(data_dir, &["keys", "reopen", &made]).contains("create a new one"));
}

#[tokio::test]
async fn the_audit_log_names_actors_and_actions_without_secrets() {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = folder.path();
    let server = SqliteStore::open(data_dir).unwrap();
    let (now, days_ago) = (now_ms(), now_ms() - 3 * 86_400_000);
    let password = NewPassword::choose(PASSWORD, &email()).unwrap();
    server.create_account(email(), password, days_ago).await.unwrap();
    for typed in ["wrong-kettle-1", "wrong-kettle-2", PASSWORD] {
        server.sign_in(email(), Password::typed(typed), now).await.unwrap();
    }
    let code = printed(data_dir, &["promo", "create", "--chars", "10"]);
    let account = server.find_account(email()).await.unwrap().unwrap();
    server.redeem_promo(account.id.clone(), code.clone(), now).await.unwrap();
    let key = printed(data_dir, &["keys", "create"]);
    let link = printed(data_dir, &["accounts", "link", EMAIL]);

    let listed = printed(data_dir, &["audit"]);
    let lines: Vec<Vec<&str>> =
        listed.lines().skip(1).map(|line| line.split_whitespace().skip(2).collect()).collect();
    let expected: [&[&str]; 8] = [
        &["visitor", "account_created", EMAIL, "-", "ok"],
        &["visitor", "sign_in", EMAIL, "-", "wrong_password", "×2"],
        &[EMAIL, "sign_in", "-", "-", "ok"],
        &["operator", "promo_created", "-", &code[..4], "ok"],
        &[EMAIL, "promo_redemption", "-", &code[..4], "ok"],
        // creating a key also creates the operator's account, because no server has been started with this store
        &["operator", "account_created", "operator@localhost", "-", "ok"],
        &["operator", "key_created", "operator@localhost", &key[..11], "ok"],
        &["operator", "link_created", EMAIL, "-", "ok"],
    ];
    assert_eq!(lines, expected, "{listed}");
    let json = printed(data_dir, &["audit", "--since", "1d", "--account", EMAIL, "--json"]);
    let read: Vec<serde_json::Value> = json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let events: Vec<&str> = read.iter().map(|entry| entry["event"].as_str().unwrap()).collect();
    assert_eq!(events, ["sign_in", "sign_in", "promo_redemption", "link_created"]);
    assert!(read.iter().all(|entry| entry["email"] == EMAIL && entry["account"] == account.id.as_str()));
    for secret in [PASSWORD, "kettle-2", &key[11..], &link[14..], &code[5..]] {
        assert!(!listed.contains(secret) && !json.contains(secret), "{secret}");
    }

    for i in 0..250 {
        server.create_key(Actor::Operator, KeySpec::named(format!("{i}")), now).await.unwrap();
    }
    assert_eq!(printed(data_dir, &["audit"]).lines().count(), 101, "the newest");
    assert_eq!(printed(data_dir, &["audit", "--since", "4d"]).lines().count(), 1 + expected.len() + 250);
    assert!(refused(data_dir, &["audit", "--account", "b@example.org"]).contains("accounts list"));
    assert!(refused(data_dir, &["audit", "--since", "soon"]).contains("12h"));
}

#[tokio::test]
async fn a_backup_is_a_complete_store() {
    let folder = tempfile::tempdir().unwrap();
    let (data_dir, copy) = (folder.path().join("data"), folder.path().join("copy/shruti.db"));
    let server = SqliteStore::open(&data_dir).unwrap();
    let first = server.ensure_first_key(now_ms()).await.unwrap().unwrap();
    std::fs::create_dir(copy.parent().unwrap()).unwrap();
    printed(&data_dir, &["store", "backup", copy.to_str().unwrap()]);
    server.revoke_key(Actor::Operator, first.record.prefix.clone(), now_ms()).await.unwrap();
    let listed = printed(copy.parent().unwrap(), &["keys", "list"]);
    assert!(listed.contains(first.record.prefix.as_str()) && !listed.contains("revoked"), "{listed}");
    assert!(
        refused(&data_dir, &["store", "backup", copy.to_str().unwrap()]).contains("shruti.db"),
        "not replaced"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_command_copies_a_store_to_postgresql_and_back() {
    let Some(database) = PostgresDatabase::create().await else { return };
    let folder = tempfile::tempdir().unwrap();
    let (data_dir, back) = (folder.path().join("data"), folder.path().join("back"));
    let mut service = Service::start(&data_dir);
    let mut key = String::new();
    service.stdout.read_line(&mut key).unwrap();
    let url = database.url();
    let served = refused(&data_dir, &["store", "copy", &url]);
    assert!(served.contains("a server runs") && served.contains("--while-served"), "{served}");
    printed(&data_dir, &["store", "copy", "--while-served", &url]);
    let twice = refused(&data_dir, &["store", "copy", "--while-served", &url]);
    assert!(twice.contains("is not empty: it contains accounts 1, keys 1,"), "{twice}");
    service.process.terminate();

    let store = PostgresStore::open(&url.parse().unwrap()).await.unwrap();
    assert!(store.find_key(KeyPrefix::parse(&key[..11]).unwrap()).await.unwrap().is_some());
    let to = back.to_str().unwrap();
    let served = refused(&data_dir, &["store", "copy", "--database", &url, to]);
    assert!(served.contains("open connections, from: shruti"), "{served}");
    store.close().await;
    let table = printed(&data_dir, &["store", "copy", "--database", &url, to]);
    let lines: Vec<&str> = table.lines().collect();
    assert!(lines.len() > 15 && lines[1..].iter().all(|line| line.ends_with("  same")), "{table}");
    assert!(!table.contains(&key[..11]));
    assert!(printed(&back, &["keys", "list"]).contains(&key[..11]));
    assert!(refused(&data_dir, &["store", "copy", "mysql://a:secret@b/c"]).contains("postgres://"));
}

#[test]
fn errors_name_the_fault_and_nothing_is_created() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("nothing here");
    for (arguments, named) in [
        (vec!["accounts", "list"], "--data-dir"),
        (vec!["accounts", "lock", EMAIL], "--data-dir"),
        (vec!["accounts", "lock", "asha"], "name@example.org"),
        (vec!["accounts", "unlock", EMAIL, "--chars", "0"], "--chars"),
        (vec!["promo", "create", "--chars", "10"], "--data-dir"),
        (vec!["promo", "create"], "--chars"),
        (vec!["promo", "create", "--chars", "-1"], "--chars"),
        (vec!["promo", "create", "--chars", "10", "--uses", "0"], "--uses"),
        (vec!["promo", "create", "--chars", "10", "--expires", "2020-01-01"], "in the past"),
        (vec!["store", "backup", "/tmp/never.db"], "--data-dir"),
        (vec!["store", "copy", "/tmp/never"], "there is no store in"),
        (vec!["keys", "create", "--monthly-cap", "0"], "--monthly-cap"),
    ] {
        let error = refused(&missing, &arguments);
        assert!(error.contains(named), "{arguments:?}: {error}");
    }
    assert!(!missing.exists(), "a mistyped folder is not created");
}

#[tokio::test]
async fn the_command_changes_operator_rights() {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = folder.path();
    let server = SqliteStore::open(data_dir).unwrap();
    server.ensure_operator(now_ms()).await.unwrap();
    printed(data_dir, &["accounts", "create", EMAIL]);
    let is_operator = async || server.find_account(email()).await.unwrap().unwrap().is_operator;
    printed(data_dir, &["accounts", "operator", EMAIL, "on"]);
    assert!(is_operator().await);
    assert!(
        printed(data_dir, &["accounts", "list"])
            .lines()
            .any(|line| line.starts_with("operator") && line.ends_with(EMAIL))
    );
    printed(data_dir, &["accounts", "operator", EMAIL, "on"]);
    printed(data_dir, &["accounts", "operator", EMAIL, "off"]);
    assert!(!is_operator().await);
    assert!(
        refused(data_dir, &["accounts", "operator", "operator@localhost", "off"]).contains("must remain one")
    );
    assert!(refused(data_dir, &["accounts", "operator", "b@example.org", "on"]).contains("accounts list"));
    refused(data_dir, &["accounts", "operator", EMAIL]);
}

#[tokio::test]
async fn account_deletion_needs_confirmation() {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = folder.path();
    let server = SqliteStore::open(data_dir).unwrap();
    server.ensure_operator(now_ms()).await.unwrap();
    printed(data_dir, &["accounts", "create", EMAIL]);
    let account = server.find_account(email()).await.unwrap().unwrap();
    server.create_key(Actor::Account(account.id.clone()), KeySpec::named("a"), now_ms()).await.unwrap();
    let error = refused(data_dir, &["accounts", "delete", EMAIL]);
    assert!(error.contains("has 1 keys") && error.contains("--yes"), "{error}");
    assert!(server.find_account(email()).await.unwrap().is_some());
    printed(data_dir, &["accounts", "operator", EMAIL, "on"]);
    assert!(
        refused(data_dir, &["accounts", "delete", EMAIL, "--yes"]).contains("operator asha@example.org off")
    );
    printed(data_dir, &["accounts", "operator", EMAIL, "off"]);
    printed(data_dir, &["accounts", "delete", EMAIL, "--yes"]);
    assert_eq!(server.find_account(email()).await.unwrap(), None);
    assert!(refused(data_dir, &["accounts", "delete", EMAIL, "--yes"]).contains("accounts list"));
    assert!(printed(data_dir, &["audit"]).contains(account.id.as_str()));
}

#[test]
fn created_files_are_private_for_any_umask() {
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (folder.path().join("from"), folder.path().join("to"));
    let openly = |arguments: &[&str]| {
        let mut shell = Command::new("sh");
        shell.args(["-c", "umask 000; exec \"$0\" \"$@\"", SHRUTI]).args(arguments);
        shell.arg("--data-dir").arg(&from).output().unwrap()
    };
    let modes = |folder: &Path| -> Vec<(String, u32)> {
        let entries = std::fs::read_dir(folder).unwrap().map(Result::unwrap);
        let of = |entry: std::fs::DirEntry| {
            (entry.file_name().into_string().unwrap(), entry.metadata().unwrap().permissions().mode() & 0o777)
        };
        entries.map(of).collect()
    };
    let migrated = openly(&["store", "migrate"]);
    assert!(migrated.status.success(), "{migrated:?}");
    let copied = openly(&["store", "copy", to.to_str().unwrap()]);
    assert!(copied.status.success(), "{copied:?}");
    for made in [&from, &to] {
        assert_eq!(modes(made), [("shruti.db".to_owned(), 0o600)], "{}", made.display());
        assert_eq!(std::fs::metadata(made).unwrap().permissions().mode() & 0o777, 0o700);
    }

    // a dangling symbolic link is not followed
    let (trap, elsewhere) = (folder.path().join("trap"), folder.path().join("elsewhere.db"));
    std::fs::create_dir(&trap).unwrap();
    std::os::unix::fs::symlink(&elsewhere, trap.join("shruti.db")).unwrap();
    let copied = openly(&["store", "copy", trap.to_str().unwrap()]);
    let error = String::from_utf8(copied.stderr).unwrap();
    assert!(
        !copied.status.success() && error.contains("symbolic link to a file that does not exist"),
        "{error}"
    );
    assert!(!elsewhere.exists());
}
