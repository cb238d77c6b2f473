"""Private PostgreSQL clusters on loopback, from Debian's package `postgresql`."""

from __future__ import annotations

import glob
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from typing import Any

from .process import end, free_port, text_of, wait_until


class Postgres:
    """A PostgreSQL cluster with an empty database `shruti`; a `with` block removes it.

    PostgreSQL refuses to run as root: in that case, the cluster belongs to the user `postgres`, or else to `nobody`.
    """

    def __init__(self, *settings: str, standby_of: Postgres | None = None) -> None:
        """Creates and starts the cluster.

        `settings` are assignments for `postgres -c`. With `standby_of` the cluster is a standby that replicates
        another.
        """
        self._programs, self._settings = _programs(), settings
        self.folder = tempfile.mkdtemp(prefix="shruti-postgres-", dir="/tmp")
        self._user: dict[str, Any] = {}
        if os.geteuid() == 0:
            names = {entry.pw_name: entry for entry in pwd.getpwall()}
            owner = names.get("postgres") or names["nobody"]
            os.chown(self.folder, owner.pw_uid, owner.pw_gid)
            self._user = {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []}
        self.port, self._data, self._log = free_port(), f"{self.folder}/data", f"{self.folder}/log"
        self.url = f"postgres://postgres@127.0.0.1:{self.port}/shruti"
        if standby_of:
            self._run("pg_basebackup", "-h", "127.0.0.1", "-p", str(standby_of.port), "-U", "postgres", "-R", "-D", self._data)
        else:
            options = ["--auth=trust", "--username=postgres", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync"]
            self._run("initdb", *options, "-D", self._data)
        self.process: subprocess.Popen[bytes]
        self.start()
        if not standby_of:
            self.sql("CREATE DATABASE shruti", "postgres")

    def _run(self, program: str, *arguments: str) -> None:
        command = [f"{self._programs}/{program}", *arguments]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=self.folder, **self._user)

    def start(self) -> None:
        """Starts the cluster and waits until it accepts connections."""
        command = [f"{self._programs}/postgres", "-D", self._data, "-h", "127.0.0.1", "-p", str(self.port), "-k", self.folder]
        for setting in ("fsync=off", *self._settings):
            command += ["-c", setting]
        with open(self._log, "ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, cwd=self.folder, **self._user)
        is_ready = [f"{self._programs}/pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        wait_until(
            lambda: subprocess.run(is_ready, check=False).returncode == 0, self.process, lambda: text_of(self._log)
        )

    def sql(self, statement: str, database: str = "shruti") -> str:
        """Runs a statement as the superuser. Returns a line per row, with tabs between the columns."""
        command = [f"{self._programs}/psql", "-h", "127.0.0.1", "-p", str(self.port), "-U", "postgres", "-d", database]
        command += ["-XAtq", "-F", "\t", "-v", "ON_ERROR_STOP=1", "-c", statement]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    def create_owner(self, name: str, password: str) -> None:
        """Creates a user who owns the database `shruti` and has to give the password."""
        self.sql(f"CREATE USER {name} PASSWORD '{password}'")
        self.sql(f"ALTER DATABASE shruti OWNER TO {name}")
        with open(f"{self._data}/pg_hba.conf", "r+", encoding="utf-8") as rules:
            before = rules.read()
            rules.seek(0)
            rules.write(f"host all {name} 127.0.0.1/32 scram-sha-256\n{before}")
        self.sql("SELECT pg_reload_conf()")

    def promote(self) -> None:
        """Makes a standby the primary."""
        self._run("pg_ctl", "promote", "-D", self._data, "-w")

    def stop(self, by: signal.Signals = signal.SIGQUIT) -> None:
        """Ends the cluster: SIGINT closes its connections cleanly, SIGQUIT drops them."""
        end(self.process, by)

    def remove(self) -> None:
        """Ends the cluster and removes its folder."""
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self) -> Postgres:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


def _programs() -> str:
    """Returns the folder of the newest PostgreSQL that is installed."""
    installed = sorted(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda path: int(path.split("/")[4]))
    on_path = shutil.which("initdb")
    if installed:
        return installed[-1]
    if on_path:
        return os.path.dirname(on_path)
    raise SystemExit("PostgreSQL is not installed: initdb is neither in PATH nor in /usr/lib/postgresql")
