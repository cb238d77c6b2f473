#!/usr/bin/env bash
# Attacks a release binary from outside, on loopback only, with bounded counts and times. `quick` takes a few minutes
# and is part of CI; `all` adds public tools and a 15-minute soak test, and installs what it needs.
# usage: checks/attack/run.sh quick|all target/release/shruti
set -euo pipefail
usage="usage: checks/attack/run.sh quick|all path/to/shruti"
which=${1:?$usage}
shruti=$(realpath "${2:?$usage}")
cd "$(dirname "$0")"
clients=../clients/.venv/bin/python

failed=()
attack() { # name, command
  printf '\n-- %s (%ss)\n' "$1" "$SECONDS"
  "${@:2}" || failed+=("$1")
}

. ../harness/install.sh
python_packages ../clients
node_packages ../clients

attack "frames of RFC 6455" python3 websocket.py "$shruti"
attack "foreign clients close" "$clients" closing.py "$shruti"
for name in sign_in log_faults modes revocation rebinding takeover disk_faults lexicon readers refusals unsigned_sockets packs; do
  attack "$name" python3 "$name.py" "$shruti"
done

case $which in
  quick) attack "a soak of half a minute" "$clients" soak.py "$shruti" --minutes 0.5 --clients 30 ;;
  all)
    python_packages .
    if ! command -v slowhttptest >/dev/null || ! command -v h2load >/dev/null; then
      apt-get update -qq
      DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends slowhttptest nghttp2-client >/dev/null
    fi
    attack "memory by number of requests" python3 memory.py "$shruti"
    attack "public tools" .venv/bin/python public_tools.py "$shruti" --seconds 120
    attack "a soak of 15 minutes" "$clients" soak.py "$shruti" --minutes 15
    ;;
  *) echo "$usage" >&2; exit 2 ;;
esac

printf '\nattacks: %s of this run failed (%ss)\n' "${#failed[@]}" "$SECONDS"
[ "${#failed[@]}" -eq 0 ] || { printf '  %s\n' "${failed[@]}"; exit 1; }
