"""Servers on one PostgreSQL database behind HAProxy, all of them on this machine, while they are measured.

    with cluster.running("target/release/shruti", nodes=3) as c:
        ...  # c.nodes, c.database, c.url (HAProxy's), c.key

PostgreSQL, HAProxy and psycopg come from Debian (`postgresql`, `haproxy`, `python3-psycopg2`).
"""

import contextlib
import glob
import os
import pwd
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.request

START_S = 30


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def until(what, is_so, patience_s=START_S, pause_s=0.01):
    """Waits until something is so; the seconds that it took."""
    begun = time.monotonic()
    while not is_so():
        if time.monotonic() - begun > patience_s:
            raise RuntimeError(f"{what}: not within {patience_s} s")
        time.sleep(pause_s)
    return time.monotonic() - begun


def status(url, key=None, body=None, timeout=30):
    """The status and the body of an answer; 0 where there was none."""
    headers = {"Content-Type": "application/json"}
    if key:
        headers["Authorization"] = f"Bearer {key}"
    request = urllib.request.Request(url, data=body, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=timeout) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()
    except OSError as error:
        return 0, str(error).encode()


class Postgres:
    """A private cluster of PostgreSQL, run by the user `postgres` where this runs as root."""

    def __init__(self, folder, standby_of=None):
        programs = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
        if not programs:
            raise RuntimeError("PostgreSQL is not installed: apt-get install postgresql")
        self.programs, self.folder, self.port = programs[-1], folder, free_port()
        self.user = "postgres" if os.getuid() == 0 else None
        os.makedirs(folder)
        if self.user:
            account = pwd.getpwnam(self.user)
            os.chown(folder, account.pw_uid, account.pw_gid)
        if standby_of:
            self._run("pg_basebackup", "-h", "127.0.0.1", "-p", str(standby_of.port), "-U", "postgres", "-R", "-D", self._data())
        else:
            self._run("initdb", "-D", self._data(), "-U", "postgres", "-A", "trust", "--no-sync")
        self.process = None
        self.start()

    def _data(self):
        return os.path.join(self.folder, "data")

    def _run(self, program, *args):
        subprocess.run([os.path.join(self.programs, program), *args], user=self.user, check=True, capture_output=True, cwd="/")

    def start(self):
        log = open(os.path.join(self.folder, "log"), "ab")
        self.process = subprocess.Popen(
            [os.path.join(self.programs, "postgres"), "-D", self._data(), "-h", "127.0.0.1", "-p", str(self.port),
             "-k", self.folder, "-c", "max_connections=200", "-c", "hot_standby=on", "-c", "max_wal_senders=5"],
            user=self.user, stdout=log, stderr=log, cwd="/")
        until("PostgreSQL starts", lambda: subprocess.run(
            [os.path.join(self.programs, "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port)], check=False).returncode == 0)

    def stop(self, how=signal.SIGINT):
        """Ends it: SIGINT ends its connections in order, SIGQUIT at once."""
        if self.process and self.process.poll() is None:
            self.process.send_signal(how)
            self.process.wait()

    def promote(self):
        self._run("pg_ctl", "promote", "-D", self._data(), "-w")

    def sql(self, statement, database="shruti"):
        """What a statement answers, a row a line, columns apart by tabs."""
        done = subprocess.run(
            [os.path.join(self.programs, "psql"), "-h", "127.0.0.1", "-p", str(self.port), "-U", "postgres", "-d", database,
             "-XAtq", "-F", "\t", "-v", "ON_ERROR_STOP=1", "-c", statement], check=True, capture_output=True, text=True)
        return done.stdout.strip()


class Slow:
    """A TCP proxy that passes everything on so many seconds later, in each direction."""

    def __init__(self, port):
        self.server, self.delay_s = port, 0.0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            client, _ = self.listener.accept()
            try:
                server = socket.create_connection(("127.0.0.1", self.server))
            except OSError:
                client.close()
                continue
            for one, other in [(client, server), (server, client)]:
                one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                threading.Thread(target=self._pass, args=(one, other), daemon=True).start()

    def _pass(self, one, other):
        with contextlib.suppress(OSError):
            while data := one.recv(65_536):
                if self.delay_s:
                    time.sleep(self.delay_s)
                other.sendall(data)
        for end in (one, other):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


class Node:
    """One server."""

    def __init__(self, binary, folder, database):
        self.binary, self.folder, self.port, self.database = binary, folder, free_port(), database
        os.makedirs(folder)
        self.url = f"http://127.0.0.1:{self.port}"
        self.start()

    def start(self):
        self.log = open(os.path.join(self.folder, "log"), "ab")
        self.process = subprocess.Popen(
            [self.binary, "serve", "--listen", f"127.0.0.1:{self.port}", "--data-dir", os.path.join(self.folder, "data"),
             "--database", self.database, "--trust-proxy"], stdout=self.log, stderr=self.log)
        until("a server is ready", lambda: status(f"{self.url}/readyz")[0] == 200)

    def end(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        self.process.wait(60)

    def restart(self):
        self.end()
        self.start()

    def rss_kib(self):
        with open(f"/proc/{self.process.pid}/status", encoding="utf-8") as text:
            return int(re.search(r"VmRSS:\s*(\d+) kB", text.read())[1])

    def metric(self, name):
        """The sum of a metric over its labels."""
        lines = status(f"{self.url}/metrics")[1].decode().splitlines()
        return sum(float(line.rsplit(" ", 1)[1]) for line in lines if re.match(rf"{name}(\{{| )", line))


class Cluster:
    """A database, its servers, and HAProxy before them."""

    def __init__(self, binary, folder, nodes, standby):
        self.binary, self.folder = binary, folder
        self.postgres = Postgres(os.path.join(folder, "postgres"))
        self.postgres.sql("CREATE DATABASE shruti", "postgres")
        self.slow = Slow(self.postgres.port)
        hosts = f"127.0.0.1:{self.slow.port}"
        self.standby = None
        if standby:
            self.standby = Postgres(os.path.join(folder, "standby"), self.postgres)
            hosts += f",127.0.0.1:{self.standby.port}"
        self.database = f"postgres://postgres@{hosts}/shruti?target_session_attrs=read-write"
        self.command("store", "migrate")
        self.key = self.command("keys", "create", "--name", "cluster").split()[0]
        self.nodes = []
        for number in range(nodes):
            self.nodes.append(Node(binary, os.path.join(folder, f"node{number}"), self.database))
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.haproxy = self._haproxy()

    def command(self, *args):
        done = subprocess.run([self.binary, *args, "--database", self.database, "--data-dir", os.path.join(self.folder, "operator")],
                              capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{args}: {done.stderr}")
        return done.stdout

    def _haproxy(self):
        servers = "\n".join(f"    server node{n} 127.0.0.1:{node.port} check" for n, node in enumerate(self.nodes))
        config = os.path.join(self.folder, "haproxy.cfg")
        with open(config, "w", encoding="utf-8") as file:
            file.write(f"""global
    maxconn 8192
defaults
    mode http
    timeout connect 2s
    timeout client 330s
    timeout server 330s
    timeout tunnel 4h
    option redispatch 1
    retries 3
    retry-on conn-failure empty-response 503
frontend speech
    bind 127.0.0.1:{self.port}
    default_backend shruti
backend shruti
    balance leastconn
    option httpchk GET /readyz
    default-server inter 250ms fall 1 rise 1 observe layer4
{servers}
""")
        process = subprocess.Popen(["haproxy", "-f", config, "-db"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until("HAProxy is ready", lambda: status(f"{self.url}/readyz")[0] == 200)
        return process

    def close(self):
        self.haproxy.kill()
        for node in self.nodes:
            if node.process.poll() is None:
                node.process.kill()
        for postgres in (self.standby, self.postgres):
            if postgres:
                postgres.stop(signal.SIGQUIT)


@contextlib.contextmanager
def running(binary, nodes=3, standby=False):
    folder = tempfile.mkdtemp(prefix="shruti-cluster-")
    os.chmod(folder, 0o755)
    cluster = None
    try:
        cluster = Cluster(os.path.abspath(binary), folder, nodes, standby)
        yield cluster
    finally:
        if cluster:
            cluster.close()
        shutil.rmtree(folder, ignore_errors=True)
