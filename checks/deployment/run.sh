#!/usr/bin/env bash
# Tests deploy/ for several servers with a release binary: proxies, containers, manifests and monitoring. Needs Python
# 3.11 or later, PostgreSQL, haproxy, nginx, prometheus, curl and openssl; installs the packages of requirements.txt in
# this folder.
# usage: checks/deployment/run.sh target/release/shruti
set -euo pipefail
shruti=$(realpath "${1:?usage: checks/deployment/run.sh path/to/shruti}")
cd "$(dirname "$0")"
. ../harness/install.sh
python_packages .
export PYTHONDONTWRITEBYTECODE=1
# program that creates a voice pack for one of the servers behind a proxy; the tests have already built it (debug build)
random_pack=$(cargo build --quiet --locked --workspace --example random_pack --message-format=json |
  sed -n 's/.*"executable":"\([^"]*\/random_pack\)".*/\1/p')
failed=()
for check in containers manifests monitoring proxies; do
  timeout 600 .venv/bin/python "$check.py" "$shruti" $([ "$check" != proxies ] || echo "$random_pack") || failed+=("$check")
done
[ "${#failed[@]}" = 0 ] || { echo "deploy: FAILED: ${failed[*]}"; exit 1; }
