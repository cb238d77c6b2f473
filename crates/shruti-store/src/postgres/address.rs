//! Address of a database: `postgres://user:password@host:port/name?sslmode=…`.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use form_urlencoded::Serializer;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};

/// Address of a PostgreSQL database, including the password. `Debug` and `Display` omit the password.
///
/// These options are supported in addition to those of `tokio_postgres` (several hosts, `target_session_attrs`,
/// `options`):
///
/// - `sslmode`: `disable`, `require` or `verify-full`. The last two both verify the certificate and its host name. The
///   default is `verify-full` for connections over a network, and `disable` for connections on this host.
/// - `sslrootcert`: a PEM file of certificate authorities that replaces those of the system.
/// - `pooler=transaction`: the address is that of a pooler in transaction mode (`PgBouncer`, RDS Proxy, Supavisor).
///   Statements are then unnamed, and no session options are set. Notifications of changes need the
///   [direct](PostgresAddress::with_direct) address.
/// - `passfile`: a file that contains only the password. Without this option, and without a password in the address,
///   the environment variable `PGPASSWORD` is used.
#[derive(Clone)]
pub struct PostgresAddress {
    pub(super) config: Config,
    pub(super) root_certificates: Option<PathBuf>,
    /// `true` if the address is that of a pooler in transaction mode.
    pub(super) is_pooled: bool,
    direct: Option<Box<PostgresAddress>>,
}

/// Error for an unusable address. The message does not contain the password.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidAddress(String);

impl PostgresAddress {
    /// Returns `true` if connections are encrypted.
    pub fn is_encrypted(&self) -> bool {
        self.config.get_ssl_mode() == SslMode::Require
    }

    /// Returns `true` if the address is that of a pooler in transaction mode.
    pub fn is_pooled(&self) -> bool {
        self.is_pooled
    }

    /// Adds the address of the same database without the pooler, for operations that need a session.
    #[must_use]
    pub fn with_direct(mut self, direct: Self) -> Self {
        self.direct = Some(Box::new(direct));
        self
    }

    /// Returns the address for operations that need a session, or `None` if only the address of a pooler in transaction
    /// mode is known.
    pub(super) fn session(&self) -> Option<&Self> {
        if self.is_pooled { self.direct.as_deref().filter(|direct| !direct.is_pooled) } else { Some(self) }
    }
}

impl FromStr for PostgresAddress {
    type Err = InvalidAddress;

    fn from_str(text: &str) -> Result<Self, InvalidAddress> {
        let invalid = |why: String| InvalidAddress(why);
        if !["postgres://", "postgresql://"].iter().any(|scheme| text.starts_with(scheme)) {
            return Err(invalid(
                "must begin with postgres://, as in postgres://user@host:5432/name".to_owned(),
            ));
        }
        let (place, query) = text.split_once('?').unwrap_or((text, ""));
        let (mut mode, mut root_certificates, mut password_file, mut pooler) = (None, None, None, None);
        let mut others = Serializer::new(String::new());
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            match &*name {
                "sslmode" => mode = Some(value.into_owned()),
                "sslrootcert" => root_certificates = Some(PathBuf::from(value.into_owned())),
                "pooler" => pooler = Some(value.into_owned()),
                "passfile" => password_file = Some(PathBuf::from(value.into_owned())),
                _ => {
                    others.append_pair(&name, &value);
                }
            }
        }
        // the errors of this parser name the problem and quote no value
        let others = others.finish().replace('+', "%20");
        let mut config: Config = format!("{place}?{others}")
            .trim_end_matches('?')
            .parse()
            .map_err(|error: tokio_postgres::Error| invalid(super::fault::told(&error)))?;
        if config.get_hosts().is_empty() || config.get_dbname().is_none() {
            return Err(invalid(
                "must name a host and a database, as in postgres://user@host:5432/name".to_owned(),
            ));
        }
        config.ssl_mode(match mode.as_deref() {
            None if is_of_this_machine(&config) => SslMode::Disable,
            Some("disable") => SslMode::Disable,
            None | Some("require" | "verify-full") => SslMode::Require,
            Some(_) => {
                return Err(invalid(
                    "sslmode must be disable, or verify-full (require is treated as verify-full)".to_owned(),
                ));
            }
        });
        let is_pooled = match pooler.as_deref() {
            None => false,
            Some("transaction") => true,
            Some(_) => {
                return Err(invalid(
                    "pooler must be transaction; omit it for a pooler in session mode, or without a pooler"
                        .to_owned(),
                ));
            }
        };
        if let Some(file) = password_file {
            let read = std::fs::read_to_string(&file);
            let password =
                read.map_err(|error| invalid(format!("passfile '{}': {error}", file.display())))?;
            config.password(password.trim_end_matches(['\r', '\n']));
        } else if config.get_password().is_none()
            && let Ok(password) = std::env::var("PGPASSWORD")
        {
            config.password(password);
        }
        Ok(Self { config, root_certificates, is_pooled, direct: None })
    }
}

/// Returns `true` if all hosts are sockets or loopback addresses of this host.
fn is_of_this_machine(config: &Config) -> bool {
    config.get_hosts().iter().all(|host| match host {
        #[cfg(unix)]
        Host::Unix(_) => true,
        Host::Tcp(name) => {
            name == "localhost" || name.parse().is_ok_and(|ip: std::net::IpAddr| ip.is_loopback())
        }
    })
}

impl fmt::Display for PostgresAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ports = self.config.get_ports();
        let hosts = self.config.get_hosts().iter().enumerate().map(|(at, host)| {
            let port = ports.get(at).or_else(|| ports.last()).copied().unwrap_or(5432);
            match host {
                Host::Tcp(name) => format!("{name}:{port}"),
                #[cfg(unix)]
                Host::Unix(path) => format!("{}:{port}", path.display()),
            }
        });
        let hosts: Vec<String> = hosts.collect();
        write!(f, "postgres://{}/{}", hosts.join(","), self.config.get_dbname().unwrap_or_default())
    }
}

impl fmt::Debug for PostgresAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PostgresAddress({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> PostgresAddress {
        text.parse().unwrap()
    }

    #[test]
    fn the_password_is_never_shown() {
        let address = address("postgres://shruti:se%20cret@db.example:6432/speech?sslmode=require");
        assert_eq!(address.config.get_password(), Some(&b"se cret"[..]));
        assert_eq!(address.to_string(), "postgres://db.example:6432/speech");
        assert!(!format!("{address:?}").contains("cret"));
    }

    #[test]
    fn remote_connections_are_encrypted_by_default() {
        for (text, encrypted) in [
            ("postgres://a@db.example/b", true),
            ("postgres://a@db.example/b?sslmode=verify-full", true),
            ("postgres://a@db.example/b?sslmode=disable", false),
            ("postgres://a@127.0.0.1,db.example/b", true),
            ("postgresql://a@localhost/b", false),
            ("postgres://a@[::1]/b", false),
            ("postgres://a@%2Frun%2Fpostgresql/b", false),
            ("postgres://a@localhost/b?sslmode=require", true),
        ] {
            assert_eq!(address(text).is_encrypted(), encrypted, "{text}");
        }
    }

    #[test]
    fn a_password_is_read_from_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("password");
        std::fs::write(&file, "from a file\n").unwrap();
        let text = format!("postgres://a@localhost/b?passfile={}&application_name=c%20d", file.display());
        let address = address(&text);
        assert_eq!(address.config.get_password(), Some(&b"from a file"[..]));
        assert_eq!(address.config.get_application_name(), Some("c d"));
    }

    #[test]
    fn errors_do_not_contain_the_password() {
        for (text, said) in [
            ("mysql://a:secret@b/c", "postgres://"),
            ("postgres://a:secret@b", "host and a database"),
            ("postgres://a:secret@b/c?sslmode=prefer", "verify-full"),
            ("postgres://a:secret@b:port/c", "port"),
            ("postgres://a:secret@b/c?unknown=secret", "unknown"),
            ("postgres://a:secret@b/c?pooler=session", "pooler must be transaction"),
            ("postgres://a:secret@b/c?passfile=/nowhere/at/all", "/nowhere/at/all"),
        ] {
            let error = text.parse::<PostgresAddress>().unwrap_err().to_string();
            assert!(error.contains(said) && !error.contains("secret"), "{text}: {error}");
        }
    }
}
