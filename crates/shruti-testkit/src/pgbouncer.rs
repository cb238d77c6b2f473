//! PostgreSQL databases behind `PgBouncer` in transaction pooling mode.

use std::fs;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::ops::Deref;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use crate::postgres::{PostgresDatabase, as_user, other_user, skip_tests};

/// Script that runs `PgBouncer` until its standard input, a pipe from this process, is closed. The pipe is closed
/// when this process ends for any reason.
const WATCH: &str = r#"
"$1" "$2" >"$2.log" 2>&1 </dev/null &
pgbouncer=$!
cat >/dev/null
kill -TERM "$pgbouncer"
wait "$pgbouncer"
rm -f "$2" "$2.log"
"#;

/// An empty database behind `PgBouncer` that exists until the process ends.
#[derive(Debug)]
pub struct PooledDatabase {
    database: PostgresDatabase,
    pooler: &'static Pooler,
}

#[derive(Debug)]
struct Pooler {
    address: SocketAddr,
    /// Process of the script. Its pipe keeps `PgBouncer` running.
    _watch: Child,
}

impl PooledDatabase {
    /// Creates a database. If PostgreSQL or `PgBouncer` is not installed, prints a warning and returns `None`, or
    /// panics if the environment variable `CI` is set.
    pub async fn create() -> Option<Self> {
        static POOLER: OnceLock<Option<Pooler>> = OnceLock::new();
        let database = PostgresDatabase::create().await?;
        let pooler = POOLER.get_or_init(|| Pooler::start(&database)).as_ref()?;
        Some(Self { database, pooler })
    }

    /// Returns the URL of the database through `PgBouncer`.
    pub fn url(&self) -> String {
        format!("{}?pooler=transaction", self.database.url_at(self.pooler.address))
    }
}

impl Deref for PooledDatabase {
    type Target = PostgresDatabase;

    /// Returns the database for direct connections, without `PgBouncer`.
    fn deref(&self) -> &PostgresDatabase {
        &self.database
    }
}

impl Pooler {
    fn start(database: &PostgresDatabase) -> Option<Self> {
        let Some(program) = program() else {
            skip_tests(
                "PgBouncer is not installed (pgbouncer is neither in PATH nor in /usr/sbin)",
                "pgbouncer",
            );
            return None;
        };
        // the port is free now and is bound a moment later; it is unlikely that another process binds it in between
        let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let settings = database.folder().join("pgbouncer.ini");
        // few server connections for many clients, so that the clients share connections
        let text = format!(
            "[databases]\n* = host=127.0.0.1 port={} user=postgres\n[pgbouncer]\nlisten_addr = 127.0.0.1\n\
             listen_port = {}\nunix_socket_dir =\nauth_type = any\npool_mode = transaction\n\
             default_pool_size = 3\nmax_client_conn = 500\nserver_idle_timeout = 2\n\
             log_connections = 0\nlog_disconnections = 0\n",
            database.address().port(),
            address.port()
        );
        fs::write(&settings, text).unwrap();
        let watch = as_user(Command::new("sh").args(["-c", WATCH, "watch"]), other_user())
            .arg(program)
            .arg(&settings)
            .current_dir(database.folder())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let begun = Instant::now();
        while TcpStream::connect(address).is_err() {
            let log = || fs::read_to_string(settings.with_extension("ini.log")).unwrap_or_default();
            assert!(begun.elapsed() < crate::server::PATIENCE, "PgBouncer did not start: {}", log());
            std::thread::sleep(Duration::from_millis(20));
        }
        Some(Self { address, _watch: watch })
    }
}

fn program() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain(["/usr/sbin".into()]);
    folders.map(|folder| folder.join("pgbouncer")).find(|program| program.is_file())
}
