#!/usr/bin/env python3
"""Checks deploy/Containerfile and deploy/compose.yaml: their tools must accept them, their version must be that of the
workspace, and their settings and commands must exist. Then runs migration, server and health check as compose would: as
their user, with a read-only root file system and without privileges, on a private PostgreSQL database. Builds no image.

usage: containers.py target/release/shruti
needs: requirements.txt; PostgreSQL; root, unshare and nsenter for the commands
"""
import ipaddress
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import tomllib
import urllib.parse

import yaml

from workspace import WORKSPACE, settings_of, version
from harness import Postgres, answers, text_of, wait_until
from sandbox import Sandbox

DEPLOY = WORKSPACE / "deploy"
SERVERS = ["shruti-1", "shruti-2", "shruti-3"]


def tool(*command):
    done = subprocess.run([pathlib.Path(sys.executable).parent / command[0], *command[1:]], capture_output=True, text=True, cwd=DEPLOY)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")


def instructions(text):
    """Returns the instructions of the last stage, and all its ENV assignments."""
    joined = re.sub(r"^\s*#.*\n", "", text, flags=re.MULTILINE).replace("\\\n", " ")
    last = re.split(r"^FROM .*$", joined, flags=re.MULTILINE)[-1]
    return re.findall(r"^([A-Z]+) (.*)$", last, re.MULTILINE)


def containerfile(settings):
    text = (DEPLOY / "Containerfile").read_text("utf-8")
    of = dict(instructions(text))
    toolchain = tomllib.loads((WORKSPACE / "rust-toolchain.toml").read_text("utf-8"))["toolchain"]["channel"]
    assert f"rust:{toolchain}-" in text, f"it is not built with Rust {toolchain}"
    # the final image needs the same libc as the image in which the binary is built
    assert "trixie AS build" in text and "debian13" in text
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", of["USER"]), "Kubernetes requires a numeric user"
    environment = dict(pair.split("=") for pair in of["ENV"].split())
    assert environment.keys() <= settings, environment
    assert environment["SHRUTI_DATA_DIR"] == of["VOLUME"] and environment["SHRUTI_LISTEN"].endswith(f":{of['EXPOSE']}")
    program = yaml.safe_load(of["ENTRYPOINT"])[0]
    assert any(kind == "COPY" and words.endswith(f"/shruti {program}") for kind, words in instructions(text))
    for source in re.findall(r"^COPY --from=build (.*) \S+$", text, re.MULTILINE)[1].split():
        assert (WORKSPACE / source.removeprefix("/shruti/")).exists(), source
    return of["USER"], yaml.safe_load(of["HEALTHCHECK"].split(" CMD ")[1])


def compose(settings, user, health_check):
    tool("check-jsonschema", "--builtin-schema", "vendor.compose-spec", "compose.yaml")
    of = yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))
    services = of["services"]
    for name, service in services.items():
        assert service["read_only"] is True and service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert re.search(r":[\d.]+$", service["image"]), f"{name} has no pinned version"
        assert "/secrets" not in str(service.get("environment", {})).replace("/run/secrets/", ""), name
        for secret in service.get("secrets", []):
            assert (secret if isinstance(secret, str) else secret["source"]) in of["secrets"], secret
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            assert source in of["volumes"] or (DEPLOY / source).exists(), f"{name}: {source} does not exist"
        for dependency in service.get("depends_on", []):
            assert dependency in services, dependency
    balanced = re.findall(r"^ *server (\S+) (\S+):8080$", (DEPLOY / "haproxy/haproxy.cfg").read_text("utf-8"), re.MULTILINE)
    assert balanced == [(name, name) for name in SERVERS], balanced
    front = of["networks"]["front"]["ipam"]["config"][0]["subnet"]
    for name in ("migration", *SERVERS):
        service = services[name]
        assert service["image"] == f"shruti:{version()}" and service["user"] == user
        assert service["environment"].keys() <= settings, service["environment"]
        assert ipaddress.ip_network(service["environment"]["SHRUTI_TRUST_PROXY"]) == ipaddress.ip_network(front)
    for name in SERVERS:
        assert services[name]["healthcheck"]["test"] == ["CMD", *health_check]
        assert int(services[name]["stop_grace_period"].removesuffix("s")) > 32
    # the database must be unreachable from the front network
    assert "back" not in services["haproxy"]["networks"] and services["postgres"]["networks"] == ["back"]
    return services


def commands_run(binary, services, health_check):
    server = services["shruti-1"]
    user = int(server["user"].split(":")[0])
    with tempfile.TemporaryDirectory(prefix="shruti-container-", dir="/tmp") as folder, Postgres() as postgres:
        password = f"{folder}/password"
        pathlib.Path(password).write_text("secret\n", "utf-8")
        postgres.create_owner("shruti", "secret")
        address = urllib.parse.urlsplit(server["environment"]["SHRUTI_DATABASE"])
        query = address.query.replace("/run/secrets/database_password", password)
        database = address._replace(netloc=f"{address.username}@127.0.0.1:{postgres.port}", query=query).geturl()
        assert password in database
        path, _, mount = server["tmpfs"][0].partition(":")
        assert path == "/data"
        sandbox = Sandbox(folder, user, mount)
        sandbox.run([binary, *services["migration"]["command"]], server["environment"], database)
        health_check = [binary, *health_check[1:]]
        with sandbox.running([binary, *server["command"]], server["environment"], database) as process:
            wait_until(lambda: answers(f"http://{sandbox.listen}/readyz"), process, lambda: text_of(sandbox.log))
            sandbox.is_confined(process)
            status, said = sandbox.beside(process, health_check)
            assert status == 0 and not said.strip(), said
            assert "sk_" not in text_of(sandbox.log), "the server prints a key"
            process.send_signal(signal.SIGSTOP)
            status, said = sandbox.beside(process, health_check)
            assert status == 1 and "does not answer" in said, said
            process.send_signal(signal.SIGCONT)
            process.terminate()
            assert process.wait(60) == 0, text_of(sandbox.log)


def main():
    binary = os.path.realpath(sys.argv[1])
    settings = settings_of(binary)
    tool("hadolint", "Containerfile")
    user, health_check = containerfile(settings)
    services = compose(settings, user, health_check)
    if os.geteuid() == 0:
        commands_run(binary, services, health_check)
    else:
        print("not root: the commands did not run as in a container")
    print(f"containers: Containerfile and compose.yaml ({len(services)} services) are valid; migration, server and health check run as in a container")


main()
