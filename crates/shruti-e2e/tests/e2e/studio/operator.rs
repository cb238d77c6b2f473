//! Tests that operators can use the operator pages of the Studio, and that other accounts cannot.

use http::Method;
use serde_json::{Value, json};
use shruti_protocol::ErrorCode;
use shruti_store::Actor;
use shruti_testkit::TestServer;

use super::browser::{ASHA, Browser, Expect, PASSWORD, promo};

const BOSS: &str = "boss@example.org";
const RAVI: &str = "ravi@example.org";

/// Requests to operator endpoints with a method that can change data.
pub(super) const CHANGES: [(Method, &str); 8] = [
    (Method::POST, "operator/accounts"),
    (Method::POST, "operator/accounts/search"),
    (Method::POST, "operator/accounts/lock"),
    (Method::POST, "operator/accounts/unlock"),
    (Method::POST, "operator/accounts/reset-password"),
    (Method::POST, "operator/accounts/delete"),
    (Method::POST, "operator/promos"),
    (Method::POST, "operator/promos/end"),
];

/// Read-only paths for operators.
pub(super) const PAGES: [&str; 3] = ["operator/promos", "operator/usage", "operator/health"];

/// Returns a browser in which an operator is signed in.
async fn operator(server: &TestServer) -> Browser {
    let browser = Browser::signed_up(server, BOSS).await;
    server.store.set_operator(Actor::Operator, BOSS.parse().unwrap(), true, 1).await.unwrap();
    browser
}

async fn search(browser: &Browser, part: &str, after: &str) -> Value {
    browser.post("operator/accounts/search", &json!({"part": part, "after": after})).await.ok()
}

async fn found(browser: &Browser, email: &str) -> Value {
    search(browser, email, "").await["accounts"][0].clone()
}

/// Returns the newest entry of the audit log about an account: action and actor.
async fn newest_about(server: &TestServer, id: &Value) -> (String, String) {
    let log = server.store.audit_log(None, None, 50).await.unwrap();
    let about =
        log.into_iter().find(|entry| entry.account.as_ref().is_some_and(|account| *id == account.as_str()));
    about.map(|entry| (entry.event, entry.actor)).unwrap()
}

#[tokio::test]
async fn other_accounts_do_not_find_the_operator_pages() {
    let server = TestServer::start().await;
    let asha = Browser::unlocked(&server, ASHA).await;
    let read = PAGES.map(|path| (Method::GET, path));
    let everything: Vec<_> = CHANGES.into_iter().chain(read).collect();
    let body = json!({"email": ASHA, "part": "", "after": "", "chars": 5, "code": "7K2M"}).to_string();
    let answers = async |browser: &Browser| {
        let mut answers = Vec::new();
        for (method, path) in &everything {
            let body = if *method == Method::GET { "" } else { &body };
            answers.push(browser.send(browser.request(method, path, body)).await);
        }
        answers
    };
    for reply in answers(&asha).await {
        reply.assert_error(ErrorCode::NotFound);
    }
    for reply in answers(&Browser::new(&server)).await {
        reply.assert_error(ErrorCode::NotSignedIn);
    }
    // a change of the operator role takes effect immediately, in the same session
    assert_eq!(asha.account().await["operator"], false);
    server.store.set_operator(Actor::Operator, ASHA.parse().unwrap(), true, 1).await.unwrap();
    assert_eq!(asha.account().await["operator"], true);
    asha.get("operator/health").await.ok();
    server.store.set_operator(Actor::Operator, ASHA.parse().unwrap(), false, 1).await.unwrap();
    asha.get("operator/health").await.assert_error(ErrorCode::NotFound);
}

#[tokio::test]
async fn accounts_are_listed_in_pages_with_their_usage() {
    let server = TestServer::start().await;
    let boss = operator(&server).await;
    for number in 0..51 {
        server.create_account(&format!("{number:02}@shop.example"), 1_000).await;
    }
    let first = search(&boss, " SHOP.example ", "").await;
    let accounts = first["accounts"].as_array().unwrap();
    assert_eq!((accounts.len(), &first["more"]), (50, &json!(true)));
    let last = accounts[49]["email"].as_str().unwrap();
    let rest = search(&boss, "shop.example", last).await;
    assert_eq!(rest["accounts"].as_array().unwrap().len(), 1);
    assert_eq!((&rest["more"], &rest["accounts"][0]["email"]), (&json!(false), &json!("50@shop.example")));
    assert_eq!(search(&boss, "nobody", "").await, json!({"accounts": [], "more": false}));

    let one = found(&boss, "07@shop").await;
    assert_eq!(
        (
            &one["state"],
            &one["chars_per_month"],
            &one["chars_this_month"],
            &one["keys"],
            &one["has_password"]
        ),
        (&json!("open"), &json!(1_000), &json!(0), &json!(0), &json!(false))
    );
    assert_eq!(found(&boss, BOSS).await["chars_per_month"], Value::Null);
    for (body, param) in [
        (json!({"part": "", "after": "nobody"}), "after"),
        (json!({"part": "a".repeat(255), "after": ""}), "part"),
        (json!({"part": 7, "after": ""}), "part"),
    ] {
        boss.post("operator/accounts/search", &body).await.assert_field(ErrorCode::InvalidField, param);
    }
}

#[tokio::test]
async fn an_operator_locks_admits_resets_and_deletes_accounts() {
    let server = TestServer::start().await;
    let boss = operator(&server).await;
    let asha = Browser::unlocked(&server, ASHA).await;
    let (key, _) = asha.create_key("shop").await;
    let speak = async || server.client().with_key(Some(&key)).post(r#"{"text":"hello"}"#).await;
    assert_eq!(speak().await.status, 200);
    let boss_id = found(&boss, BOSS).await["id"].as_str().unwrap().to_owned();
    let account = found(&boss, ASHA).await;
    let id = &account["id"];
    let act = async |action: &str, email: &str| {
        boss.post(&format!("operator/accounts/{action}"), &json!({"email": email})).await
    };

    act("lock", ASHA).await.ok();
    speak().await.assert_error(ErrorCode::AccessLocked);
    asha.assert_signed_out().await;
    assert_eq!(found(&boss, ASHA).await["state"], "locked");
    assert_eq!(newest_about(&server, id).await, ("account_locked".to_owned(), boss_id.clone()));
    act("unlock", ASHA).await.ok();
    assert_eq!(speak().await.status, 200);
    let more = json!({"email": ASHA, "chars": 5_000});
    boss.post("operator/accounts/unlock", &more).await.ok();
    assert_eq!(found(&boss, ASHA).await["chars_per_month"], 6_000);
    assert_eq!(newest_about(&server, id).await, ("account_unlocked".to_owned(), boss_id.clone()));

    let reset = act("reset-password", ASHA).await.ok();
    asha.sign_in(ASHA, PASSWORD).await.assert_error(ErrorCode::WrongCredentials);
    let secret = reset["path"].as_str().unwrap().strip_prefix("/studio/link#").unwrap();
    asha.post("link", &json!({"secret": secret})).await.ok();
    assert_eq!(asha.account().await["may_set_password"], true);

    act("delete", ASHA).await.ok();
    speak().await.assert_error(ErrorCode::InvalidApiKey);
    asha.assert_signed_out().await;
    assert_eq!(found(&boss, ASHA).await, Value::Null);
    assert_eq!(newest_about(&server, id).await, ("account_deleted".to_owned(), boss_id.clone()));
    for action in ["lock", "unlock", "reset-password", "delete"] {
        act(action, ASHA).await.assert_error(ErrorCode::NotFound);
    }
    // operators cannot lock, reset or delete their own account, and cannot reset or delete the account of another
    // operator
    for action in ["lock", "reset-password", "delete"] {
        act(action, BOSS).await.assert_field(ErrorCode::InvalidField, "email");
    }
    server.store.ensure_operator(1).await.unwrap();
    for action in ["reset-password", "delete"] {
        act(action, "operator@localhost").await.assert_field(ErrorCode::InvalidField, "email");
    }
    for typed in ["", "x'; DROP TABLE accounts; --", "<img src=x>"] {
        act("lock", typed).await.assert_field(ErrorCode::InvalidField, "email");
    }
    server.idle().await;
}

#[tokio::test]
async fn an_account_is_created_with_a_link() {
    let server = TestServer::start().await;
    let boss = operator(&server).await;
    let made = boss.post("operator/accounts", &json!({"email": RAVI})).await.ok();
    let secret = made["path"].as_str().unwrap().strip_prefix("/studio/link#").unwrap().to_owned();
    let ravi = Browser::new(&server);
    ravi.post("link", &json!({"secret": secret})).await.ok();
    assert_eq!(ravi.account().await["email"], RAVI);
    boss.post("operator/accounts", &json!({"email": RAVI}))
        .await
        .assert_field(ErrorCode::InvalidField, "email");
}

#[tokio::test]
async fn promo_codes_are_created_shown_once_and_disabled() {
    let server = TestServer::start().await;
    let boss = operator(&server).await;
    let made =
        boss.post("operator/promos", &json!({"chars": 700, "uses": 2, "expires_in_days": 3})).await.ok();
    let code = made["code"].as_str().unwrap();
    assert_eq!((&made["state"], &made["uses"], &made["used"]), (&json!("valid"), &json!(2), &json!(0)));
    let asha = Browser::signed_up(&server, ASHA).await;
    asha.post("promo", &json!({"code": code})).await.ok();
    let older = promo(&server, 5).await;
    let listed = boss.get("operator/promos").await.ok();
    let listed = listed["promos"].as_array().unwrap().clone();
    assert_eq!(listed.len(), 2);
    assert!(
        !format!("{listed:?}").contains(&code[5..]) && !format!("{listed:?}").contains(&older[5..]),
        "shown once"
    );
    let of_made = listed.iter().find(|one| one["beginning"] == made["beginning"]).unwrap();
    assert_eq!((&of_made["used"], &of_made["chars"]), (&json!(1), &json!(700)));

    let ended = boss.post("operator/promos/end", &json!({"code": made["beginning"]})).await.ok();
    assert_eq!(ended["state"], "ended");
    let ravi = Browser::signed_up(&server, RAVI).await;
    ravi.post("promo", &json!({"code": code})).await.assert_error(ErrorCode::PromoExpired);
    assert_eq!(asha.account().await["unlocked"], true, "the characters of a redeemed code remain");
    boss.post("operator/promos/end", &json!({"code": "ZZZZ"})).await.assert_error(ErrorCode::NotFound);
    for (body, param) in [
        (json!({}), "chars"),
        (json!({"chars": 0}), "chars"),
        (json!({"chars": 5, "uses": 0}), "uses"),
        (json!({"chars": 5, "uses": 4_294_967_296_u64}), "uses"),
        (json!({"chars": 5, "expires_in_days": 99_999}), "expires_in_days"),
    ] {
        let reply = boss.post("operator/promos", &body).await;
        assert_eq!(reply.json()["error"]["param"], param, "{body}");
    }
}

#[tokio::test]
async fn usage_and_health_cover_the_whole_server() {
    let server = TestServer::start().await;
    let boss = operator(&server).await;
    let asha = Browser::unlocked(&server, ASHA).await;
    let (key, _) = asha.create_key("shop").await;
    for key in [&key, &server.key] {
        let spoken = server.client().with_key(Some(key)).post(r#"{"text":"hello"}"#).await;
        assert_eq!(spoken.status, 200);
    }
    server.idle().await;
    let usage = boss.get("operator/usage").await.ok();
    let days = usage["days"].as_array().unwrap();
    assert_eq!(days.iter().map(|day| day["chars"].as_u64().unwrap()).sum::<u64>(), 10, "{usage}");
    assert_eq!((&days[0]["api"], &days[0]["requests"]), (&json!("clip"), &json!(2)));
    boss.get("operator/usage?from=2026-02-30").await.assert_field(ErrorCode::InvalidField, "from");
    assert_eq!(found(&boss, ASHA).await["keys"], 1);

    let health = boss.get("operator/health").await.ok();
    assert_eq!((&health["version"], &health["draining"]), (&json!(env!("CARGO_PKG_VERSION")), &json!(false)));
    assert!(health["started_ms"].as_i64().unwrap() > 0 && health["max_streams"].as_u64().unwrap() > 0);
    let first_audio = &health["first_audio"];
    assert_eq!(first_audio["count"], 2, "{first_audio}");
    assert!(first_audio["total_ms"].is_f64(), "{first_audio}");
    let store = &health["store"];
    assert_eq!(store["well"], true);
    assert!(
        store["kind"].as_str().unwrap().contains("SQL") && store["bytes"].as_u64().unwrap() > 0,
        "{store}"
    );
    let backends = health["backends"].as_array().unwrap();
    assert_eq!((&backends[0]["engine"], &backends[0]["completed"]), (&json!("parametric"), &json!(2)));
    assert_eq!((&backends[0]["usable"], &health["left_out"]), (&json!(true), &json!([])));
}
