//! Tests of usage as presented to the owner of an account.

use serde_json::json;
use shruti_lang::Language;
use shruti_protocol::ErrorCode;
use shruti_store::{Actor, Day, KeyPrefix, KeyPurpose, ReportId, Usage, UsageEntry, UsageReport};
use shruti_testkit::TestServer;

use super::browser::{ASHA, Browser, Expect};
use crate::metering::{today, usage};

#[tokio::test]
async fn usage_is_shown_by_day_and_key_only_to_its_account() {
    let server = TestServer::start().await;
    let browser = Browser::unlocked(&server, ASHA).await;
    let (_, shop) = browser.create_key("shop").await;
    browser.post("token", &json!({})).await.ok();
    let keys = server.store.list_keys(Actor::Operator).await.unwrap();
    let playground = keys.into_iter().find(|key| key.purpose == KeyPurpose::Playground).unwrap().prefix;
    let shop = shop["prefix"].as_str().unwrap();
    let today = Day::of(browser.account().await["created_ms"].as_i64().unwrap());
    let entry = |key: &str, day, language, chars| UsageEntry {
        key: KeyPrefix::parse(key).unwrap(),
        day,
        voice: "Arjun".into(),
        language,
        api: "sarvam".into(),
        amount: Usage { chars, requests: 1, audio_ms: chars * 80 },
    };
    let entries = vec![
        entry(shop, today, Language::Tamil, 10),
        entry(shop, today, Language::Hindi, 20),
        entry(playground.as_str(), today, Language::Hindi, 40),
        entry(shop, today.plus(-40), Language::Hindi, 80),
        entry(&server.key, today, Language::Hindi, 160),
    ];
    let report = UsageReport { entries, ..UsageReport::new(ReportId::first().unwrap()) };
    server.store.record_usage(report, 1).await.unwrap();

    let of = async |first: Day| browser.get(&format!("usage?from={first}&to={today}")).await.ok();
    let day = today.to_string();
    let amount =
        |chars: u64, requests: u64| json!({"chars": chars, "requests": requests, "audio_ms": chars * 80});
    let with = |mut more: serde_json::Value, amount: serde_json::Value| {
        more.as_object_mut().unwrap().extend(amount.as_object().unwrap().clone());
        more
    };
    let reported = of(today.plus(-29)).await;
    let mut by_key = vec![
        with(json!({"day": day, "key": shop, "name": "shop"}), amount(30, 2)),
        with(json!({"day": day, "key": "playground", "name": "playground"}), amount(40, 1)),
    ];
    if shop > playground.as_str() {
        by_key.reverse();
    }
    let expected = json!({
        "days": [
            with(json!({"day": day, "voice": "Arjun", "language": "hi", "api": "sarvam"}), amount(60, 2)),
            with(json!({"day": day, "voice": "Arjun", "language": "ta", "api": "sarvam"}), amount(10, 1)),
        ],
        "keys": by_key,
    });
    assert_eq!(reported, expected);
    let longer = of(today.plus(-40)).await;
    assert_eq!(longer["days"][0]["chars"], 80, "{longer}");
    assert_eq!(browser.get("keys").await.ok()["keys"][0]["chars_this_month"].as_u64().unwrap() % 80, 30);

    let stranger = Browser::unlocked(&server, "b@example.org").await;
    let reported = stranger.get(&format!("usage?from={day}&to={day}")).await.ok();
    assert_eq!(reported, json!({"days": [], "keys": []}));
}

#[tokio::test]
async fn all_usage_pages_include_current_usage() {
    let server = TestServer::start().await;
    let browser = Browser::unlocked(&server, ASHA).await;
    let wanted = json!({"name": "shop", "scopes": ["tts", "usage:read"]});
    let key = browser.post("keys", &wanted).await.ok();
    let client = server.client().with_key(key["secret"].as_str());
    let mut spoken = 0;
    // the usage is up to date after each of several requests
    for text in ["One.", "Two, two.", "Three, three, three."] {
        client.speak(&json!({"text": text})).await;
        spoken += text.len();
        let today = today();
        let pages = [
            usage(&client).await.total.chars.into(),
            browser.account().await["chars_used"].clone(),
            browser.get("keys").await.ok()["keys"][0]["chars_this_month"].clone(),
            browser.get(&format!("usage?from={today}&to={today}")).await.ok()["days"][0]["chars"].clone(),
            browser.get(&format!("usage?from={today}&to={today}")).await.ok()["keys"][0]["chars"].clone(),
        ];
        assert_eq!(pages.map(|reported| reported.as_u64()), [Some(spoken as u64); 5]);
    }
}

#[tokio::test]
async fn invalid_days_are_named() {
    let server = TestServer::start().await;
    let browser = Browser::signed_up(&server, ASHA).await;
    for (query, param) in [
        ("from=2026-02-30&to=2026-03-01", "from"),
        ("from=2026-01-01&to=%32026-01-01", "to"),
        ("from=2026-01-02&to=2026-01-01", "from"),
        ("from=0001-01-01&to=9999-12-31", "from"),
    ] {
        let reported = browser.get(&format!("usage?{query}")).await;
        let by_v1 = server.client().get(&format!("/v1/usage?{query}")).await;
        for reply in [&reported, &by_v1] {
            reply.assert_field(ErrorCode::InvalidField, param);
        }
        assert_eq!(reported.json()["error"]["message"], by_v1.json()["error"]["message"], "{query}");
    }
}
