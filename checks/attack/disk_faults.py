"""Tests of disk and database faults: a full disk, and files that are locked, removed, damaged, or left by a crash.

usage: python3 checks/attack/disk_faults.py target/release/shruti

The cases of full disks need root: they mount a small tmpfs.
"""

import contextlib
import json
import os
import shutil
import sqlite3
import statistics
import subprocess
import tempfile
import threading
import time

import cases
import harness

HELD_S = 4
NOTICED_S = 1.5


@contextlib.contextmanager
def small_disk(kib):
    """Mounts a file system of the given size; yields None if mounting is not allowed."""
    with tempfile.TemporaryDirectory() as folder:
        mounted = (
            subprocess.run(
                ["mount", "-t", "tmpfs", "-o", f"size={kib}k", "tmpfs", folder], capture_output=True, check=False
            ).returncode
            == 0
        )
        try:
            yield folder if mounted else None
        finally:
            if mounted:
                subprocess.run(["umount", "-l", folder], check=True)


def fill(folder, left_kib=0):
    """Fills a disk until only the given number of KiB is free."""
    with open(os.path.join(folder, "ballast"), "wb", buffering=0) as file:
        for size in [65_536, 4_096, 1]:
            with contextlib.suppress(OSError):
                while True:
                    file.write(bytes(size))
        file.truncate(file.tell() - left_kib * 1024)


def seconds(took):
    return "never" if took is None else f"{took:.2f} s"


def make_account(binary, s, chars=1_000_000):
    """Creates an account and returns a function that creates metered keys for it."""
    page = cases.Page(s.address)
    code = subprocess.run(
        [binary, "promo", "create", "--chars", str(chars), "--data-dir", s.data_dir],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()
    assert page.ask("POST", "sign-up", {"email": "asha@example.org", "password": "tidal-kettle-9"})[0] == 200
    assert page.ask("POST", "promo", {"code": code})[0] == 200

    def key():
        status, _, made = page.ask("POST", "keys", {"name": "a", "scopes": ["tts", "usage:read"]})
        assert status == 200, made
        return made["secret"]

    return key


def full_at_start(table, binary):
    case = "a full disk at the start: the message explains the fix"
    for left_kib in [0, 8, 24, 40]:
        with small_disk(256) as disk:
            if disk is None:
                table.skip(case, "a tmpfs cannot be mounted here: run it as root")
                return
            fill(disk, left_kib)
            folder = os.path.join(disk, "data")
            ended = subprocess.run(
                [binary, "serve", "--listen", "127.0.0.1:0", "--data-dir", folder],
                timeout=20,
                capture_output=True,
                check=False,
                text=True,
            )
            said = ended.stderr.strip().splitlines()[-1] if ended.stderr.strip() else ""
            ok = ended.returncode == 1 and folder in said and ("full" in said or "No space left" in said)
            table.note(f"{case} ({left_kib} KiB left)", ok, said.replace(folder, "FOLDER"))


def full_under_load(table, binary):
    case = "a disk that fills up under load"
    with small_disk(4_096) as disk:
        if disk is None:
            table.skip(case, "a tmpfs cannot be mounted here: run it as root")
            return
        with running_in(binary, os.path.join(disk, "data")) as s:
            key = make_account(binary, s)()
            cases.speak(s, key)
            fill(disk)
            statuses = [cases.speak(s)[0] for _ in range(20)]
            metered = [cases.speak(s, key, "hello there " * 20)[0] for _ in range(20)]
            said = cases.until(lambda: "the disk is full" in s.log_text(), 5) is not None
            ok = set(statuses) == {200} and set(metered) <= {200, 429, 503} and s.is_running() and said
            table.note(
                case, ok, f"unmetered {sorted(set(statuses))}, metered {sorted(set(metered))}, logged: {said}"
            )
            os.remove(os.path.join(disk, "ballast"))
            back = cases.until(lambda: cases.speak(s, key)[0] == 200 and cases.is_ready(s), 5)
            code = s.stop()
            table.note(
                "space is available again", back is not None and code == 0, f"{seconds(back)}, SIGTERM → {code}"
            )


@contextlib.contextmanager
def running_in(binary, data_dir):
    """Runs a server on a given data folder."""
    with tempfile.TemporaryDirectory() as folder:
        s = harness.Server(binary, folder=folder, data_dir=data_dir).start()
        try:
            yield s
        finally:
            s.kill()


def locked(table, binary):
    with harness.running(binary) as s:
        make_key = make_account(binary, s)
        metered, fresh = make_key(), make_key()
        cases.speak(s, metered)
        other = sqlite3.connect(os.path.join(s.data_dir, "shruti.db"), isolation_level=None)
        token = cases.ask(s.address, "POST", "/v1/tokens", b"", {"authorization": f"Bearer {s.key}"})
        other.execute("BEGIN IMMEDIATE")
        began = time.monotonic()
        times = {"unmetered": [], "granted": [], "new lease": [], "token": []}
        outcomes = {name: set() for name in times}

        def use(name, key, every):
            while time.monotonic() - began < HELD_S:
                status, _, took = cases.speak(s, key)
                times[name].append(took)
                outcomes[name].add(status)
                time.sleep(every)

        users = [
            ("unmetered", s.key, 0.01),
            ("granted", metered, 0.1),
            ("new lease", fresh, 0.1),
            ("token", json.loads(token[2])["token"], 0.3),
        ]
        threads = [threading.Thread(target=use, args=user) for user in users]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        other.rollback()
        other.close()
        for name, allowed, longest in [
            ("unmetered", {200}, 0.25),
            ("granted", {200}, 0.25),
            # synthesised on credit, after the server has waited 0.1 s for the database
            ("new lease", {200}, 0.25),
            ("token", {503}, 1.25),
        ]:
            took = times[name]
            median, most = 1e3 * statistics.median(took), 1e3 * max(took)
            told = f"{sorted(outcomes[name])}, median {median:.0f} ms, longest {most:.0f} ms of {len(took)}"
            table.note(
                f"a write lock held for {HELD_S} s: {name}", outcomes[name] == allowed and max(took) < longest, told
            )
        # the first clip of `metered` was spoken before the lock
        spoken = len("hello") * (1 + len(times["granted"]) + len(times["new lease"]))
        back = cases.until(lambda: used(s, fresh) == spoken, 3)
        table.note(
            "after the lock, characters spoken on credit are charged",
            back is not None,
            f"{used(s, fresh)} of {spoken} characters after {back and round(back, 2)} s",
        )


def used(s, key):
    """Returns the number of characters that the account of a key has used of its allowance."""
    told = cases.ask(s.address, "GET", "/v1/usage", None, {"authorization": f"Bearer {key}"})
    return json.loads(told[2])["allowance"]["used"]


def gone(table, binary):
    def remove(file):
        for end in ["", "-wal", "-shm"]:
            with contextlib.suppress(FileNotFoundError):
                os.remove(file + end)

    def overwrite(byte):
        def damage(file):
            size = os.path.getsize(file)
            with open(file, "r+b") as opened:
                opened.write(bytes([byte]) * size)

        return damage

    def replace(file):
        shutil.copy(file, file + ".other")
        os.rename(file + ".other", file)

    faults = [
        ("removed", remove, "was removed"),
        ("replaced by a copy", replace, "another file"),
        ("overwritten with zeros", overwrite(0), "damaged"),
        ("overwritten with 0x5a", overwrite(0x5A), "damaged"),
        ("truncated to 0 bytes", lambda file: os.truncate(file, 0), "damaged"),
    ]
    for name, fault, word in faults:
        with harness.running(binary) as s:
            cases.speak(s)
            fault(os.path.join(s.data_dir, "shruti.db"))
            noticed = cases.until(lambda: not cases.is_ready(s), 10)
            # the log line may appear after the first refusal
            said = cases.until(lambda: word in s.log_text(), 5) is not None
            lived = s.is_running() and cases.ask(s.address, "GET", "/healthz")[0] == 200
            refused = cases.until(lambda: cases.speak(s)[0] == 503, 5)
            code = s.stop()
            ok = (
                noticed is not None
                and noticed < NOTICED_S
                and said
                and lived
                and refused is not None
                and code == 0
            )
            told = f"unready after {seconds(noticed)}, new clips 503 after {seconds(refused)} more, SIGTERM → {code}"
            table.note(f"a database that is {name} while it is in use", ok, told)


def copied(table, binary):
    with tempfile.TemporaryDirectory() as parent:
        one, other = os.path.join(parent, "one"), os.path.join(parent, "other")
        with running_in(binary, one) as s:
            key = s.key
            cases.speak(s)
            s.stop()
        left = sorted(os.listdir(one))
        os.mkdir(other)
        shutil.copy(os.path.join(one, "shruti.db"), os.path.join(other, "shruti.db"))
        process = subprocess.Popen([binary, "keys", "list", "--data-dir", other], stdout=subprocess.PIPE, text=True)
        listed = process.communicate()[0]
        table.note("after SIGTERM a copy of shruti.db alone has the key", key[:11] in listed, f"left: {' '.join(left)}")


def main():
    binary = cases.binary("disk_faults.py")
    table = cases.Cases("disk faults")
    full_at_start(table, binary)
    full_under_load(table, binary)
    locked(table, binary)
    gone(table, binary)
    copied(table, binary)
    table.end()


if __name__ == "__main__":
    main()
