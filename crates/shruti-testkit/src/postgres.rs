//! PostgreSQL databases: a private cluster for the tests of a process, and one database per test.

use std::fs;
use std::net::{SocketAddr, TcpListener};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use tokio_postgres::{Client, NoTls};

/// Script that runs the cluster until its standard input, a pipe from this process, is closed. The pipe is closed
/// when this process ends for any reason. The script then removes the folder of the cluster.
const WATCH: &str = r#"
"$1" -D "$3/data" -h 127.0.0.1 -p "$2" -k "$3" -c fsync=off -c full_page_writes=off -c max_connections=400 \
  -c logging_collector=off >"$3/log" 2>&1 </dev/null &
postgres=$!
cat >/dev/null
kill -QUIT "$postgres"
wait "$postgres"
rm -rf "$3"
"#;

/// An empty database that exists until the process ends.
#[derive(Debug)]
pub struct PostgresDatabase {
    cluster: &'static Cluster,
    name: String,
}

#[derive(Debug)]
struct Cluster {
    folder: PathBuf,
    port: u16,
    /// Process of the script. Its pipe keeps the cluster running.
    _watch: Child,
}

impl PostgresDatabase {
    /// Creates a database. If PostgreSQL is not installed, prints a warning and returns `None`. If the environment
    /// variable `CI` is set, panics instead, because CI must not skip tests.
    pub async fn create() -> Option<Self> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let cluster = Cluster::of_this_process()?;
        let name = format!("test{}", NUMBER.fetch_add(1, Ordering::Relaxed));
        let database = Self { cluster, name };
        database.postgres().await.batch_execute(&format!("CREATE DATABASE {}", database.name)).await.unwrap();
        Some(database)
    }

    /// Returns the URL of the database.
    pub fn url(&self) -> String {
        self.url_at(self.address())
    }

    /// Returns the URL of the database through a proxy.
    pub fn url_at(&self, proxy: SocketAddr) -> String {
        format!("postgres://postgres@{proxy}/{}", self.name)
    }

    /// Returns the listen address of the server.
    pub fn address(&self) -> SocketAddr {
        SocketAddr::from(([127, 0, 0, 1], self.cluster.port))
    }

    /// Returns the folder of the cluster.
    pub(crate) fn folder(&self) -> &Path {
        &self.cluster.folder
    }

    /// Connects as the owner of the database.
    pub async fn client(&self) -> Client {
        connect(&self.url()).await
    }

    async fn postgres(&self) -> Client {
        connect(&format!("postgres://postgres@{}/postgres", self.address())).await
    }

    /// Returns the number of rows in a table.
    pub async fn rows(&self, table: &str) -> u64 {
        let count = format!("SELECT count(*) FROM {table}");
        let rows: i64 = self.client().await.query_one(&count, &[]).await.unwrap().get(0);
        rows.unsigned_abs()
    }

    /// Returns `true` if a text occurs in the files of the database, its write-ahead log or the server log.
    pub async fn holds(&self, needle: &str) -> bool {
        let client = self.client().await;
        client.batch_execute("CHECKPOINT").await.unwrap();
        let number = "SELECT oid::TEXT FROM pg_database WHERE datname = current_database()";
        let number: String = client.query_one(number, &[]).await.unwrap().get(0);
        let data = self.cluster.folder.join("data");
        let mut found = fs::read(self.cluster.folder.join("log")).is_ok_and(|log| contains(&log, needle));
        for folder in [data.join("base").join(number), data.join("pg_wal")] {
            for file in fs::read_dir(folder).unwrap() {
                // reading fails for a file that has been deleted since, and for a subfolder; both count as
                // not containing the text
                found |= fs::read(file.unwrap().path()).is_ok_and(|bytes| contains(&bytes, needle));
            }
        }
        found
    }
}

/// Warns that tests are skipped because a package is missing. Panics if the environment variable `CI` is set.
pub(crate) fn skip_tests(missing: &str, package: &str) {
    assert!(std::env::var_os("CI").is_none(), "{missing}");
    // written directly to standard error, because the output of passing tests is not shown
    let warning = format!("warning: {missing}: its tests were skipped; install the package {package}\n");
    let _ = std::io::Write::write_all(&mut std::io::stderr(), warning.as_bytes());
}

/// Returns `true` if the bytes contain a text. The search is fast, because the files of a database are many megabytes
/// in size.
pub fn contains(bytes: &[u8], needle: &str) -> bool {
    memchr::memmem::find(bytes, needle.as_bytes()).is_some()
}

async fn connect(url: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

impl Cluster {
    fn of_this_process() -> Option<&'static Self> {
        static CLUSTER: OnceLock<Option<Cluster>> = OnceLock::new();
        CLUSTER.get_or_init(Self::start).as_ref()
    }

    fn start() -> Option<Self> {
        let Some(programs) = programs() else {
            skip_tests(
                "PostgreSQL is not installed (initdb is neither in PATH nor in /usr/lib/postgresql)",
                "postgresql",
            );
            return None;
        };
        let folder = tempfile::Builder::new().prefix("shruti-postgres-").tempdir().unwrap().keep();
        let user = other_user();
        if let Some((user, group)) = user {
            std::os::unix::fs::chown(&folder, Some(user), Some(group)).unwrap();
        }
        let made = as_user(&mut Command::new(programs.join("initdb")), user)
            .args([
                "--auth=trust",
                "--username=postgres",
                "--encoding=UTF8",
                "--locale=C.UTF-8",
                "--no-sync",
                "-D",
            ])
            .arg(folder.join("data"))
            .current_dir(&folder)
            .output()
            .unwrap();
        assert!(made.status.success(), "initdb: {}", String::from_utf8_lossy(&made.stderr));
        // the port is free now and is bound a moment later; it is unlikely that another process binds it in between
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let watch = as_user(Command::new("sh").args(["-c", WATCH, "watch"]), user)
            .arg(programs.join("postgres"))
            .arg(port.to_string())
            .arg(&folder)
            .current_dir(&folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        wait_until_ready(&folder);
        Some(Self { folder, port, _watch: watch })
    }
}

/// Waits until the cluster accepts connections, by watching its status file as `pg_ctl start` does.
fn wait_until_ready(folder: &Path) {
    let begun = std::time::Instant::now();
    loop {
        let state = fs::read_to_string(folder.join("data/postmaster.pid")).unwrap_or_default();
        if state.lines().nth(7).is_some_and(|line| line.trim() == "ready") {
            return;
        }
        assert!(
            begun.elapsed() < crate::server::PATIENCE,
            "PostgreSQL did not start: {}",
            fs::read_to_string(folder.join("log")).unwrap_or_default()
        );
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

/// Returns the folder of PostgreSQL's programs: that of the newest version in Debian's folders, otherwise the first
/// folder in `PATH` that contains them.
fn programs() -> Option<PathBuf> {
    let debian = fs::read_dir("/usr/lib/postgresql").ok().into_iter().flatten();
    let mut versions: Vec<(u32, PathBuf)> = debian
        .filter_map(|entry| {
            let entry = entry.ok()?;
            Some((entry.file_name().to_str()?.parse().ok()?, entry.path().join("bin")))
        })
        .collect();
    versions.sort();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let of_path = std::env::split_paths(&path).collect::<Vec<_>>();
    let folders = versions.into_iter().rev().map(|(_, folder)| folder).chain(of_path);
    folders.into_iter().find(|folder| folder.join("initdb").is_file() && folder.join("postgres").is_file())
}

/// Returns the user and group for the PostgreSQL server if this process runs as root, because PostgreSQL refuses to run
/// as root. Returns `None` if this process does not run as root.
pub(crate) fn other_user() -> Option<(u32, u32)> {
    use std::os::unix::fs::MetadataExt;
    // the owner of a new file is the current user
    let own = tempfile::NamedTempFile::new().unwrap().as_file().metadata().unwrap().uid();
    if own != 0 {
        return None;
    }
    let users = fs::read_to_string("/etc/passwd").unwrap();
    let of = |name: &str| {
        let line = users.lines().find(|line| line.split(':').next() == Some(name))?;
        let mut numbers = line.split(':').skip(2).map(str::parse);
        Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
    };
    Some(of("postgres").or_else(|| of("nobody")).expect("root needs another user to run PostgreSQL as"))
}

pub(crate) fn as_user(command: &mut Command, user: Option<(u32, u32)>) -> &mut Command {
    match user {
        Some((user, group)) => command.uid(user).gid(group),
        None => command,
    }
}
