#!/usr/bin/env bash
# Installs what the checks of `run.sh` need: programs (only if run as root), and Python and Node packages in the folders
# of the checks. `run.sh` runs this script. CI runs it earlier, concurrently with the tests, because it mostly waits for
# the network.
# usage: checks/install.sh
set -euo pipefail
cd "$(dirname "$0")/.."

needed=()
for program in chromium curl ffmpeg haproxy nginx openssl prometheus sox; do command -v "$program" >/dev/null || needed+=("$program"); done
sox --help 2>/dev/null | grep -q ' mp3 ' || needed+=(libsox-fmt-mp3)
python3 -c 'import ensurepip' 2>/dev/null || needed+=(python3-venv)
if [ "${#needed[@]}" -gt 0 ]; then
  echo "installing ${needed[*]}"
  packages=("${needed[@]/%nginx/nginx-light}")
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null
fi
. checks/harness/install.sh
for folder in clients compat deployment; do python_packages "checks/$folder"; done
for folder in clients studio; do node_packages "checks/$folder"; done
