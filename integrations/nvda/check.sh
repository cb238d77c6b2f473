#!/bin/sh
# Checks and tests the add-on: check.sh LIBSHRUTI.so. Runs ruff if it is installed.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
library=$(realpath "$1")
if command -v ruff >/dev/null; then (cd "$here" && ruff check --no-cache .); fi
python3 -c 'import ast, sys; [ast.parse(open(path).read(), path) for path in sys.argv[1:]]' "$here"/build.py "$here"/addon/synthDrivers/shruti/*.py "$here"/tests/*.py
LIBSHRUTI=$library python3 -m unittest discover -s "$here/tests"
