"""Logs that cannot be written: the reader has closed the pipe, the disk is full, or the reader does not read.

usage: python3 checks/attack/log_faults.py target/release/shruti
"""

import contextlib
import http.client
import os
import re
import signal
import subprocess
import tempfile
import threading
import time
import types

import cases
import harness

REQUESTS = 7_000


@contextlib.contextmanager
def serving(binary, stderr, level="debug"):
    """Runs a server whose standard error is the given file."""
    with tempfile.TemporaryDirectory() as folder:
        address = ("127.0.0.1", harness.free_port())
        command = [binary, "serve", "--listen", "127.0.0.1:%d" % address[1], "--data-dir", folder, "--log", level]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=stderr)
        try:
            key = process.stdout.readline().decode().strip()
            s = types.SimpleNamespace(process=process, address=address, key=key, pid=process.pid)
            yield s
        finally:
            process.kill()
            process.wait()
            process.stdout.close()


def ends_well(s):
    s.process.send_signal(signal.SIGTERM)
    try:
        return s.process.wait(10)
    except subprocess.TimeoutExpired:
        return "does not exit"


def load(address, requests=REQUESTS):
    """Sends requests over four connections, so that the log gets a line for each."""

    def some():
        # errors are ignored here: the next clip detects a server that has exited
        with contextlib.suppress(OSError, http.client.HTTPException):
            connection = http.client.HTTPConnection(*address, timeout=5)
            for _ in range(requests // 4):
                connection.request("GET", "/healthz")
                connection.getresponse().read()
            connection.close()

    threads = [threading.Thread(target=some) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def attack(table, case, s):
    try:
        began = time.monotonic()
        load(s.address)
        took = time.monotonic() - began
        status, body, _ = cases.speak(s, timeout=5)
        alive = s.process.poll() is None
        code = ends_well(s)
        ok = alive and status == 200 and len(body) > 10_000 and code == 0
        table.note(case, ok, f"{REQUESTS} requests in {took:.1f} s, a clip {status}, SIGTERM → {code}")
    except OSError as error:
        table.note(case, False, f"{error}; exit status {s.process.poll()}")


def main():
    binary = cases.binary("log_faults.py")
    table = cases.Cases("logs that cannot be written")
    with open("/dev/full", "wb") as full, serving(binary, full) as s:
        attack(table, "to /dev/full", s)
    reader, writer = os.pipe()
    with serving(binary, writer) as s:
        os.close(writer)
        os.close(reader)
        attack(table, "to a pipe whose reader has exited", s)
    reader, writer = os.pipe()
    with serving(binary, writer) as s:
        os.close(writer)
        attack(table, "to a pipe without a reader", s)
    os.close(reader)

    case = "a reader returns: the log reports the number of lost lines"
    reader, writer = os.pipe()
    with serving(binary, writer) as s:
        os.close(writer)
        load(s.address)
        said = []
        reading = threading.Thread(target=lambda: said.append(open(reader, "rb").read()))
        reading.start()
        cases.speak(s)
        code = ends_well(s)
        reading.join(10)
        lost = re.search(rb"log lines were lost.*?lines=(\d+)", said[0] if said else b"")
        lines = said[0].count(b"\n") if said else 0
        table.note(
            case, code == 0 and lost is not None, f"{lines} lines read, {int(lost[1]) if lost else 'none'} reported as lost"
        )
    table.end()


if __name__ == "__main__":
    main()
