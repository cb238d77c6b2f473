#!/usr/bin/env bash
# What deploy/ has for several servers, against a release binary: proxies, containers, manifests, monitoring. Needs Python 3.11
# or later, PostgreSQL, haproxy, nginx, prometheus, curl, openssl; installs what requirements.txt names beside itself.
# usage: deploy/checks/run.sh target/release/shruti
set -euo pipefail
shruti=$(realpath "${1:?usage: deploy/checks/run.sh path/to/shruti}")
cd "$(dirname "$0")"
[ -x .venv/bin/python ] || python3 -m venv .venv
.venv/bin/pip install --quiet --disable-pip-version-check -r requirements.txt
export PYTHONDONTWRITEBYTECODE=1
failed=()
for check in containers manifests monitoring proxies; do
  timeout 180 .venv/bin/python "$check.py" "$shruti" || failed+=("$check")
done
[ "${#failed[@]}" = 0 ] || { echo "deploy: FAILED: ${failed[*]}"; exit 1; }
