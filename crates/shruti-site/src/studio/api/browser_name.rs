//! Display names of browsers in the list of sessions.

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use http::header;
use http::request::Parts;

/// Tokens in `User-Agent` with the names of their browsers. The `User-Agent` of many browsers also contains
/// the tokens of other browsers, so the first match counts.
const BROWSERS: [(&str, &str); 9] = [
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("FxiOS/", "Firefox"),
    ("Firefox/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chromium/", "Chromium"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
];
/// Tokens in `User-Agent` with the names of their operating systems.
const SYSTEMS: [(&str, &str); 7] = [
    ("Android", "Android"),
    ("iPhone", "an iPhone"),
    ("iPad", "an iPad"),
    ("Windows", "Windows"),
    ("CrOS", "ChromeOS"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
];

/// Name of the browser that sent a request, composed only of names in this file; `None` if the browser is unknown.
#[derive(Debug)]
pub(super) struct BrowserName(pub(super) Option<String>);

impl BrowserName {
    fn of(user_agent: &str) -> Self {
        let known = |names: &[(&str, &'static str)]| {
            names.iter().find(|(mark, _)| user_agent.contains(mark)).map(|(_, name)| *name)
        };
        Self(known(&BROWSERS).map(|browser| match known(&SYSTEMS) {
            Some(system) => format!("{browser} on {system}"),
            None => browser.to_owned(),
        }))
    }
}

impl<S: Sync> FromRequestParts<S> for BrowserName {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let sent = parts.headers.get(header::USER_AGENT).and_then(|value| value.to_str().ok());
        Ok(Self::of(sent.unwrap_or_default()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn browsers_have_their_common_names() {
        const WEBKIT: &str = "AppleWebKit/537.36 (KHTML, like Gecko)";
        for (sent, name) in [
            (
                "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
                Some("Firefox on Linux"),
            ),
            (
                &format!("Mozilla/5.0 (Windows NT 10.0; Win64; x64) {WEBKIT} Chrome/142.0.0.0 Safari/537.36"),
                Some("Chrome on Windows"),
            ),
            (
                &format!("Mozilla/5.0 (Windows NT 10.0) {WEBKIT} Chrome/142.0 Safari/537.36 Edg/142.0"),
                Some("Edge on Windows"),
            ),
            (
                &format!("Mozilla/5.0 (Linux; Android 15; K) {WEBKIT} Chrome/142.0 Mobile Safari/537.36"),
                Some("Chrome on Android"),
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) \
                 Version/18.5 Mobile/15E148 Safari/604.1",
                Some("Safari on an iPhone"),
            ),
            ("Firefox/1", Some("Firefox")),
            ("curl/8.5.0 <script>alert(1)</script>", None),
            ("", None),
        ] {
            assert_eq!(BrowserName::of(sent).0.as_deref(), name, "{sent}");
        }
    }
}
