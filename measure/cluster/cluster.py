"""Servers on one PostgreSQL database behind HAProxy, all on this machine.

    with cluster.running("target/release/shruti", nodes=3) as c:
        ...  # c.nodes, c.database, c.url (HAProxy's), c.key

PostgreSQL, HAProxy and psycopg come from Debian (`postgresql`, `haproxy`, `python3-psycopg2`).
"""

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../checks"))
from harness import Postgres, Server, free_port  # noqa: E402

START_S = 30


# settings of a production database: commits are flushed to disk, and a standby server can follow
SETTINGS = ("fsync=on", "max_connections=200", "hot_standby=on", "max_wal_senders=5")


def until(what, holds, patience_s=START_S, pause_s=0.01):
    """Polls a condition until it holds; returns the elapsed time in seconds."""
    begun = time.monotonic()
    while not holds():
        if time.monotonic() - begun > patience_s:
            raise RuntimeError(f"timeout of {patience_s} s: {what}")
        time.sleep(pause_s)
    return time.monotonic() - begun


def status(url, key=None, body=None, timeout=30):
    """Requests a URL. Returns the status and the body of the response, or 0 and the error if there is no response."""
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


class Slow:
    """A TCP proxy that delays each direction by `delay_s` seconds."""

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


class Cluster:
    """A database, its servers, and HAProxy in front of them."""

    def __init__(self, binary, folder, nodes, standby):
        self.binary, self.folder = binary, folder
        self.postgres = Postgres(*SETTINGS)
        self.slow = Slow(self.postgres.port)
        hosts = f"127.0.0.1:{self.slow.port}"
        self.standby = None
        if standby:
            self.standby = Postgres(*SETTINGS, standby_of=self.postgres)
            hosts += f",127.0.0.1:{self.standby.port}"
        self.database = f"postgres://postgres@{hosts}/shruti?target_session_attrs=read-write"
        self.command("store", "migrate")
        self.key = self.command("keys", "create", "--name", "cluster").split()[0]
        self.nodes = []
        for number in range(nodes):
            flags = ["--database", self.database, "--trust-proxy"]
            self.nodes.append(Server(binary, *flags, folder=os.path.join(folder, f"node{number}")).start())
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
            node.kill()
        for postgres in (self.standby, self.postgres):
            if postgres:
                postgres.remove()


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
