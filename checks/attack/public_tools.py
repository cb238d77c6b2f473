#!/usr/bin/env python3
"""Public tools against a running server, each limited in count and time:

  schema   Schemathesis: valid and invalid requests generated from the served OpenAPI document
  tls      sslyze: versions, ciphers and known vulnerabilities of TLS
  slow     slowhttptest: slow headers, slow bodies, slow readers, while clips are requested
  flood    h2load: HTTP/2 with many streams, pages and clips

usage: public_tools.py target/release/shruti [schema] [tls] [slow] [flood] [--seconds 60]
needs: schemathesis and sslyze in the environment of this Python, slowhttptest and h2load (Debian: slowhttptest,
nghttp2-client)
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import harness  # noqa: E402

HERE = pathlib.Path(__file__).parent
CLIP = json.dumps({"text": "नमस्ते, आपका ऑर्डर आज शाम को आपके घर पर पहुँच जाएगा।"}).encode()


def program(name):
    """Returns the path of a command in the environment of this Python, or its name if only PATH may have it."""
    beside = pathlib.Path(sys.executable).parent / name
    return str(beside) if beside.exists() else name


def run(command, folder, seconds):
    """Returns the output of a command and its exit status."""
    # Schemathesis imports its hooks from this folder
    environment = {**os.environ, "PYTHONPATH": str(HERE)}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=seconds + 120, check=False)
    return done.stdout + done.stderr, done.returncode


def speak(running, timeout=10):
    """Returns the time to the first byte of a clip, in seconds."""
    headers = {"authorization": f"Bearer {running.key}", "content-type": "application/json"}
    request = urllib.request.Request(f"{running.url}/v1/tts", CLIP, headers)
    begun = time.monotonic()
    with urllib.request.urlopen(request, timeout=timeout) as answer:
        answer.read(960)
        took = time.monotonic() - begun
        answer.read()
    return took


def schema(running, folder, seconds):
    command = [program("schemathesis"), "--config-file", str(HERE / "schemathesis.toml"), "run", f"{running.url}/openapi.json",
               "--header", f"Authorization: Bearer {running.key}", "--workers", "2", "--max-time", str(seconds),
               "--continue-on-failure", "--no-color"]
    said, status = run(command, folder, seconds)
    cases = re.search(r"(\d+) generated", said)
    if status:
        print(said[-4_000:])
    yield f"{cases[1] if cases else 0} requests from the OpenAPI document", status == 0 and cases is not None


def tls(running, folder, _seconds):
    found = os.path.join(folder, "sslyze.json")
    run([program("sslyze"), "--json_out", found, f"localhost:{running.address[1]}"], folder, 120)
    with open(found, encoding="utf-8") as file:
        result = json.load(file)["server_scan_results"][0]["scan_result"]
    part = lambda name: result[name]["result"]
    for version in ("ssl_2_0", "ssl_3_0", "tls_1_0", "tls_1_1"):
        yield f"{version} is refused", part(f"{version}_cipher_suites")["accepted_cipher_suites"] == []
    accepted = [suite["cipher_suite"]["name"] for version in ("tls_1_2", "tls_1_3")
                for suite in part(f"{version}_cipher_suites")["accepted_cipher_suites"]]
    yield "TLS 1.2 and 1.3 only with forward secrecy and authenticated encryption", accepted and all(
        re.search("GCM|CHACHA20", name) and re.search("ECDHE|TLS_AES|TLS_CHACHA20", name) for name in accepted)
    yield "not vulnerable to Heartbleed", not part("heartbleed")["is_vulnerable_to_heartbleed"]
    yield "not vulnerable to CCS injection", not part("openssl_ccs_injection")["is_vulnerable_to_ccs_injection"]
    yield "not vulnerable to ROBOT", part("robot")["robot_result"].startswith("NOT_VULNERABLE")
    yield "no compression", not part("tls_compression")["supports_compression"]
    renegotiation = part("session_renegotiation")
    yield "no client-initiated renegotiation", not renegotiation["is_vulnerable_to_client_renegotiation_dos"]
    # sslyze reports nothing about early data if the server issues no ticket that allows early data
    early_data = part("tls_1_3_early_data")
    yield "no early data", early_data is None or not early_data["supports_early_data"]


def slow(running, folder, seconds):
    modes = {"slow heads": ["-H"], "slow bodies": ["-B"], "slow readers": ["-X", "-w", "16", "-y", "64", "-n", "2", "-z", "8", "-k", "3"]}
    for name, mode in modes.items():
        ended, worst, refused = threading.Event(), [0.0], [0]

        def others(ended=ended, worst=worst, refused=refused):
            while not ended.wait(0.2):
                try:
                    worst[0] = max(worst[0], speak(running))
                except OSError:
                    refused[0] += 1

        asking = threading.Thread(target=others)
        asking.start()
        command = ["slowhttptest", *mode, "-c", "1000", "-r", "250", "-i", "5", "-l", str(max(10, seconds // 3)), "-x", "24", "-p", "3",
                   "-u", f"{running.url}/openapi.json" if "-X" in mode else f"{running.url}/v1/tts"]
        said, _ = run(command, folder, seconds)
        ended.set()
        asking.join()
        said = re.sub(r"\x1b\[[0-9;]*m", "", said)
        available = re.findall(r"service available:\s*(\w+)", said)
        print(f"  {name}: slowest first byte of a clip during the attack {worst[0] * 1000:.0f} ms, {refused[0]} failed")
        yield f"{name}: 1,000 connections, the service stays available", bool(available) and set(available) == {"YES"} and not refused[0]


def flood(running, folder, seconds):
    body = os.path.join(folder, "clip.json")
    pathlib.Path(body).write_bytes(CLIP)
    clip = ["-d", body, "-H", f"authorization: Bearer {running.key}", "-H", "content-type: application/json", f"{running.url}/v1/tts"]
    loads = {
        "100,000 small requests, 100 connections of 100 streams": ["-n", "100000", "-c", "100", "-m", "100", f"{running.url}/healthz"],
        "2,000 clips, 20 connections of 10 streams": ["-n", "2000", "-c", "20", "-m", "10", *clip],
    }
    for name, load in loads.items():
        said, _ = run(["h2load", *load], folder, seconds)
        counts = re.search(r"requests: (\d+) total.* (\d+) succeeded, (\d+) failed", said)
        rate = re.search(r"finished in .*", said)
        print(f"  {name}: {rate[0] if rate else said[-300:]}")
        yield name, counts is not None and counts[1] == counts[2] and counts[3] == "0"
    took = speak(running)
    print(f"  first byte of a clip afterwards: {took * 1000:.1f} ms")


ALL = {"schema": schema, "tls": tls, "slow": slow, "flood": flood}


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("binary")
    arguments.add_argument("tools", nargs="*", metavar="tool", help="one of " + ", ".join(ALL))
    arguments.add_argument("--seconds", type=int, default=60)
    given = arguments.parse_args()
    failed = 0
    for name in given.tools or ALL:
        flags = ["--tls-self-signed"] if name == "tls" else []
        with harness.running(given.binary, *flags) as running, tempfile.TemporaryDirectory() as folder:
            print(f"{name}:")
            for case, held in ALL[name](running, folder, given.seconds):
                print(f"  {'ok  ' if held else 'FAIL'} {case}", flush=True)
                failed += not held
            if running.stop() != 0:
                print("  FAIL the server did not end cleanly")
                failed += 1
    print(f"public tools: {failed} failed")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
