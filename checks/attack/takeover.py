"""Checks what access remains after an account is created with another person's address, after a link is requested for
an invited account, and after the rights of an operator are revoked.

usage: python3 checks/attack/takeover.py target/release/shruti
"""

import queue
import quopri
import re
import socketserver
import subprocess
import threading

import cases
import harness

VICTIM, PASSWORD = "asha@example.org", "tidal-kettle-9"
INVITED, HELPER, FIRST = "ravi@example.org", "helper@example.org", "operator@localhost"


class Mailbox(socketserver.ThreadingTCPServer):
    """A mail server that accepts every mail."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Delivery)
        self.mails = queue.Queue()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def link(self, page):
        """Returns the secret of the link to a page in the next mail."""
        return re.search(rf"/studio/{page}#(\w+)", self.mails.get(timeout=20))[1]


class Delivery(socketserver.StreamRequestHandler):
    timeout = 20

    def handle(self):
        self.wfile.write(b"220 mails ESMTP\r\n")
        while line := self.rfile.readline(1_000).strip().upper():
            if line == b"DATA":
                self.wfile.write(b"354 go on\r\n")
                lines = iter(lambda: self.rfile.readline(2_000), b".\r\n")
                self.server.mails.put(quopri.decodestring(b"".join(lines)).decode())
            self.wfile.write(b"221 bye\r\n" if line == b"QUIT" else b"250 ok\r\n")


def main():
    binary = cases.binary("takeover.py")
    table = cases.Cases("access that strangers keep to accounts")
    mailbox = Mailbox()
    smtp = f"smtp://localhost:{mailbox.server_address[1]}"
    flags = ["--smtp", smtp, "--smtp-from", "shruti@example.org", "--public-url", "https://tts.example"]
    with harness.running(binary, *flags) as s:
        page = lambda: cases.Page(s.address)
        run = lambda *words: subprocess.run(
            [binary, *words, "--data-dir", s.data_dir], check=True, capture_output=True, text=True
        ).stdout.strip()
        sign_in = lambda who, email: who.ask("POST", "sign-in", {"email": email, "password": PASSWORD})[0]
        forgotten = lambda email: page().ask("POST", "forgotten-password", {"email": email})[0]

        stranger, victim = page(), page()
        assert stranger.ask("POST", "sign-up", {"email": VICTIM, "password": PASSWORD})[0] == 200
        run("accounts", "unlock", VICTIM, "--chars", "1000")
        key = stranger.ask("POST", "keys", {"name": "kept", "scopes": ["usage:read"]})[2]["secret"]
        usage = lambda: cases.ask(s.address, "GET", "/v1/usage", headers={"authorization": f"Bearer {key}"})[0]
        assert usage() == 200
        confirmed = victim.ask("POST", "verify", {"secret": mailbox.link("verify")})[0]
        table.note("Confirm without the account's password", confirmed == 401, f"{confirmed}")
        assert forgotten(VICTIM) == 200
        victim.ask("POST", "link", {"secret": mailbox.link("link")})
        left = {
            "its session": stranger.ask("GET", "account")[2] is not None,
            "its password": sign_in(page(), VICTIM) == 200,
            "its key": usage() == 200,
        }
        for what, kept in left.items():
            table.note(f"after a reset by mail: {what}", not kept, "kept" if kept else "ended")

        invitation = run("accounts", "create", INVITED).split("#")[1]
        assert forgotten(INVITED) == 200
        mailbox.link("link")
        opened = page().ask("POST", "link", {"secret": invitation})[0]
        table.note("an invitation after a stranger's request for a link", opened == 200, f"{opened}")

        helper, first = page(), page()
        assert helper.ask("POST", "sign-up", {"email": HELPER, "password": PASSWORD})[0] == 200
        run("accounts", "operator", HELPER, "on")
        reset = helper.ask("POST", "operator/accounts/reset-password", {"email": FIRST})[0]
        table.note("an operator resets the first operator's password", reset == 400, f"{reset}")
        first.ask("POST", "link", {"secret": run("accounts", "link").split("#")[1]})
        assert first.ask("POST", "password", {"current": "", "new": PASSWORD})[0] == 200
        run("accounts", "operator", HELPER, "off")
        kept = first.ask("GET", "account")[2] is not None or sign_in(page(), FIRST) == 200
        table.note("the first operator's account after the operator role was removed", not kept, "kept" if kept else "ended")
    mailbox.shutdown()
    table.end()


if __name__ == "__main__":
    main()
