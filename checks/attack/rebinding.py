"""DNS rebinding: foreign names that resolve to the server, in `Host`, in an absolute target and in `:authority`, on a
local server and on one that knows its public name.

usage: python3 checks/attack/rebinding.py target/release/shruti
"""

import shutil
import socket
import subprocess

import cases
import harness

PATHS = ["/metrics", "/healthz", "/openapi.json", "/studio/api/setup", "/v1/voices", "/docs"]
EVIL = ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "evil.example.", "EVIL.example:80", "evil"]


def status(address, target, host):
    """Returns the status of one request over a new connection."""
    with socket.create_connection(address, timeout=10) as connection:
        connection.sendall(f"GET {target} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n".encode())
        return int(connection.makefile("rb").readline().split()[1])


def over_http2(s, path, name):
    """Returns the status of a request over HTTP/2 with the name as `:authority`."""
    host, port = s.address
    command = ["curl", "-sS", "-o", "/dev/null", "-w", "%{http_code}", "--http2-prior-knowledge", "--max-time", "10"]
    command += ["--resolve", f"{name}:{port}:{host}", f"http://{name}:{port}{path}"]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def attack(table, s, what, own):
    host, port = s.address
    own = [host, f"{host}:{port}", f"localhost:{port}", "[::1]", *own]
    refused = [(path, name) for path in PATHS for name in own if status(s.address, path, name) not in (200, 308)]
    table.note(f"{what}: its own hosts", not refused, str(refused or f"{len(own)} hosts answered"))
    through = [(path, name) for path in PATHS for name in EVIL if status(s.address, path, name) != 400]
    table.note(f"{what}: foreign hosts", not through, str(through or f"{len(EVIL)} hosts refused"))
    forms = [f"http://{EVIL[0]}{path}" for path in PATHS]
    through = [form for form in forms if status(s.address, form, host) != 400]
    table.note(f"{what}: absolute targets", not through, str(through or "refused"))
    if shutil.which("curl") is None:
        table.skip(f"{what}: HTTP/2", "no curl")
        return
    through = [path for path in PATHS if over_http2(s, path, EVIL[0]) != 400]
    table.note(f"{what}: :authority of HTTP/2", not through, str(through or "refused"))


def main():
    binary = cases.binary("rebinding.py")
    table = cases.Cases("foreign host names")
    with harness.running(binary) as s:
        attack(table, s, "without names", [])
    with harness.running(binary, "--public-url", "https://speech.example", "--allow-hosts", "shruti.speech.svc") as s:
        attack(table, s, "with names", ["speech.example", "te.speech.example:443", "shruti.speech.svc:8080"])
    table.end()


if __name__ == "__main__":
    main()
