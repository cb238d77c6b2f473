#!/usr/bin/env python3
"""Checks that the versions of all clients, and their mutual requirements, match the server's version.

usage: versions.py
"""

import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
cargo = (HERE.parent / "Cargo.toml").read_text("utf-8")
version = re.search(r'^\[workspace\.package\]$.*?^version = "([^"]+)"', cargo, re.DOTALL | re.MULTILINE)[1]
found = {}
for project in HERE.glob("*/pyproject.toml"):
    text = project.read_text("utf-8")
    found[f"{project.parent.name}: version"] = re.search(r'^version = "([^"]+)"', text, re.MULTILINE)[1]
    for needed in re.findall(r'"shruti-tts==([^"]+)"', text):
        found[f"{project.parent.name}: shruti-tts"] = needed
for module in [*HERE.glob("*/src/*/__init__.py"), *HERE.glob("livekit/livekit/plugins/*/version.py")]:
    found[str(module.relative_to(HERE))] = re.search(r'__version__ = "([^"]+)"', module.read_text("utf-8"))[1]
for package in HERE.glob("*/package.json"):
    found[f"{package.parent.name}: version"] = json.loads(package.read_text("utf-8"))["version"]
wrong = {where: what for where, what in found.items() if what != version}
for where, what in wrong.items():
    print(f"{where} is {what}, and the server {version}")
print(f"{len(found) - len(wrong)} of {len(found)} are {version}")
sys.exit(1 if wrong else 0)
