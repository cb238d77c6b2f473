//! A browser on the Studio's pages: it stores the cookie and sends the headers that browsers and pages send.

use std::sync::Mutex;

use bytes::Bytes;
use http::{HeaderValue, Method, Request, StatusCode, header};
use http_body_util::Full;
use serde_json::{Value, json};
use shruti_protocol::ErrorCode;
use shruti_store::{Actor, PromoSpec};
use shruti_testkit::{Client, Reply, TestServer};

pub(crate) const ASHA: &str = "asha@example.org";
pub(crate) const PASSWORD: &str = "tidal-kettle-9";
pub(crate) const COOKIE: &str = "__Host-shruti_studio";

/// A simulated browser.
pub(crate) struct Browser {
    pub(crate) client: Client,
    pub(crate) origin: String,
    cookie: Mutex<Option<String>>,
}

impl Browser {
    pub(crate) fn new(server: &TestServer) -> Self {
        Self {
            client: server.client().with_key(None),
            origin: format!("http://{}", server.address),
            cookie: Mutex::default(),
        }
    }

    /// Returns a browser that is signed in to a new account without a promo code.
    pub(crate) async fn signed_up(server: &TestServer, email: &str) -> Self {
        let browser = Self::new(server);
        browser.post("sign-up", &json!({"email": email, "password": PASSWORD})).await.ok();
        browser
    }

    /// Returns a browser that is signed in to a new account whose keys can be used for synthesis.
    pub(crate) async fn unlocked(server: &TestServer, email: &str) -> Self {
        let browser = Self::signed_up(server, email).await;
        browser.post("promo", &json!({"code": promo(server, 1_000).await})).await.ok();
        browser
    }

    /// Returns the value of the cookie.
    pub(crate) fn cookie(&self) -> Option<String> {
        self.cookie.lock().unwrap().clone()
    }

    pub(crate) fn set_cookie(&self, value: Option<String>) {
        *self.cookie.lock().unwrap() = value;
    }

    /// Builds a request as a page sends it. A test may change the request.
    pub(crate) fn request(&self, method: &Method, path: &str, body: &str) -> Request<Full<Bytes>> {
        let path = format!("/studio/api/{path}");
        let mut request = self.client.request(method.clone(), &path, body.to_owned());
        let headers = request.headers_mut();
        if *method != Method::GET {
            headers.insert("x-studio", HeaderValue::from_static("1"));
            headers.insert(header::ORIGIN, self.origin.parse().unwrap());
        }
        if body.is_empty() {
            headers.remove(header::CONTENT_TYPE);
        }
        if let Some(cookie) = self.cookie() {
            headers.insert(header::COOKIE, format!("{COOKIE}={cookie}").parse().unwrap());
        }
        request
    }

    /// Sends a request, checks the properties that every response of the API must have, and stores the cookie.
    pub(crate) async fn send(&self, request: Request<Full<Bytes>>) -> Reply {
        let reply = self.client.send(request).await;
        assert_eq!(reply.header("cache-control"), "no-store");
        super::pages::assert_protected("api", &reply);
        let mut cookies = reply.headers.get_all(header::SET_COOKIE).iter();
        if let Some(cookie) = cookies.next() {
            self.set_cookie(kept(cookie.to_str().unwrap()));
        }
        assert!(cookies.next().is_none(), "two cookies");
        reply
    }

    pub(crate) async fn get(&self, path: &str) -> Reply {
        self.send(self.request(&Method::GET, path, "")).await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Reply {
        self.send(self.request(&Method::POST, path, &body.to_string())).await
    }

    pub(crate) async fn patch(&self, path: &str, body: &Value) -> Reply {
        self.send(self.request(&Method::PATCH, path, &body.to_string())).await
    }

    pub(crate) async fn delete(&self, path: &str) -> Reply {
        self.send(self.request(&Method::DELETE, path, "")).await
    }

    pub(crate) async fn sign_in(&self, email: &str, password: &str) -> Reply {
        self.post("sign-in", &json!({"email": email, "password": password})).await
    }

    /// Returns the signed-in account, or `null` if there is none.
    pub(crate) async fn account(&self) -> Value {
        self.get("account").await.ok()
    }

    pub(crate) async fn assert_signed_out(&self) {
        assert_eq!(self.account().await, Value::Null);
        self.get("keys").await.assert_error(ErrorCode::NotSignedIn);
    }

    /// Creates a key. Returns the key and the response. Panics if the request fails.
    pub(crate) async fn create_key(&self, name: &str) -> (String, Value) {
        let made = self.post("keys", &json!({"name": name, "scopes": ["tts"]})).await.ok();
        (made["secret"].as_str().unwrap().to_owned(), made)
    }
}

/// Returns the value of a `Set-Cookie` header that a browser stores, or `None` if the header removes the cookie. Panics
/// if the cookie is accessible to scripts, other sites or plain HTTP.
fn kept(cookie: &str) -> Option<String> {
    let mut parts = cookie.split("; ");
    let (name, value) = parts.next().unwrap().split_once('=').unwrap();
    assert_eq!(name, COOKIE);
    let mut attributes: Vec<&str> = parts.collect();
    attributes.sort_unstable();
    let (life, others) = attributes.split_at(2);
    assert_eq!((life[0], others), ("HttpOnly", ["Path=/", "SameSite=Lax", "Secure"].as_slice()), "{cookie}");
    let seconds = life[1].strip_prefix("Max-Age=").unwrap();
    if value.is_empty() {
        assert_eq!(seconds, "0");
        return None;
    }
    assert_eq!(seconds, "2592000", "30 days");
    assert!(value.starts_with("ses_") && value.len() == 48, "{cookie}");
    Some(value.to_owned())
}

/// Assertions on responses.
pub(crate) trait Expect {
    /// Returns the body. Panics if the request failed.
    fn ok(&self) -> Value;

    /// Panics unless the response is an error about the field `param`.
    fn assert_field(&self, code: ErrorCode, param: &str);
}

impl Expect for Reply {
    fn ok(&self) -> Value {
        assert_eq!(self.status, StatusCode::OK, "{}", String::from_utf8_lossy(&self.body));
        assert_eq!(self.header("content-type"), "application/json");
        self.json()
    }

    fn assert_field(&self, code: ErrorCode, param: &str) {
        let error = self.assert_error(code);
        assert_eq!(error["param"], param, "{error}");
    }
}

/// Creates a promo code that can be redeemed twice.
pub(crate) async fn promo(server: &TestServer, chars: u64) -> String {
    let spec = PromoSpec { chars, uses: 2, expires_ms: None };
    server.store.create_promo(Actor::Operator, spec, 1).await.unwrap().code.to_string()
}
