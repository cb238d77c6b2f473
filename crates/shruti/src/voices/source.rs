//! Location of a file that the catalogue lists.

use std::net::IpAddr;
use std::path::PathBuf;

use http::Uri;
use percent_encoding::percent_decode_str;

/// Location of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// On a server: over HTTPS, or over HTTP on this machine.
    Server(Uri),
    /// On this machine.
    File(PathBuf),
}

/// Error for a URL that is not allowed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{url}: {reason}")]
pub(super) struct SourceError {
    url: String,
    reason: &'static str,
}

impl Source {
    pub(super) fn parse(url: &str) -> Result<Self, SourceError> {
        let wrong = |reason| SourceError { url: url.to_owned(), reason };
        if let Some(path) = url.strip_prefix("file://") {
            let path = percent_decode_str(path).decode_utf8().ok().filter(|path| path.starts_with('/'));
            let path =
                path.ok_or_else(|| wrong("the URL has no path; write a file as file:///srv/voices/a.onnx"))?;
            return Ok(Self::File(PathBuf::from(&*path)));
        }
        let uri: Uri = url.parse().map_err(|_| wrong("not a URL"))?;
        if uri.authority().is_none_or(|authority| authority.as_str().contains('@')) {
            return Err(wrong("the URL must have a server name and no user name"));
        }
        match uri.scheme_str() {
            Some("https") => Ok(Self::Server(uri)),
            Some("http") if is_this_machine(&uri) => Ok(Self::Server(uri)),
            Some("http") => Err(wrong(
                "files are downloaded only over https; http is allowed only for servers on this machine",
            )),
            _ => Err(wrong("the URL must begin with https:// or file:///")),
        }
    }

    /// Returns the target of a redirect. Fails if the target is not allowed.
    pub(super) fn redirected(from: &Uri, location: &str) -> Result<Uri, SourceError> {
        let wrong = |reason| SourceError { url: location.to_owned(), reason };
        let to = match (from.scheme_str(), from.authority()) {
            (Some(scheme), Some(authority)) if location.starts_with('/') && !location.starts_with("//") => {
                format!("{scheme}://{authority}{location}")
            }
            _ => location.to_owned(),
        };
        match Self::parse(&to)? {
            // other servers must not redirect to this machine
            Self::Server(uri) if uri.scheme_str() == Some("https") || is_this_machine(from) => Ok(uri),
            _ => Err(wrong("a server redirected there; redirects are followed only to https://")),
        }
    }
}

fn is_this_machine(uri: &Uri) -> bool {
    let host = uri.host().unwrap_or_default();
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost") || bare.parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_downloaded_over_https_or_from_localhost() {
        for url in ["https://example.org/a", "http://127.0.0.1:80/a", "http://[::1]/a", "http://localhost/a"]
        {
            assert!(matches!(Source::parse(url), Ok(Source::Server(_))), "{url}");
        }
        assert_eq!(Source::parse("file:///a%20b"), Ok(Source::File("/a b".into())));
        for url in [
            "http://example.org/a",
            "http://127.0.0.1.example.org/a",
            "http://127.0.0.1@example.org/a",
            "https://me@example.org/a",
            "ftp://example.org/a",
            "file://host/a",
            "file://a",
            "/a",
            "",
        ] {
            assert!(Source::parse(url).is_err(), "{url}");
        }
    }

    #[test]
    fn a_redirect_must_stay_on_https() {
        let from = |url: &str| url.parse::<Uri>().unwrap();
        for (base, location, expected) in [
            ("https://a.org/x", "https://b.org/y", Some("https://b.org/y")),
            ("https://a.org/x", "/y?z", Some("https://a.org/y?z")),
            ("http://localhost:1/x", "/y", Some("http://localhost:1/y")),
            ("https://a.org/x", "http://localhost/y", None),
            ("https://a.org/x", "http://b.org/y", None),
            ("https://a.org/x", "//b.org/y", None),
            ("http://localhost/x", "file:///etc/passwd", None),
            ("http://localhost/x", "http://b.org/y", None),
        ] {
            let found = Source::redirected(&from(base), location).ok().map(|uri| uri.to_string());
            assert_eq!(found.as_deref(), expected, "{base} to {location}");
        }
    }
}
