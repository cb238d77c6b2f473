#!/usr/bin/env bash
# Runs the checks of a release binary. Groups of checks run concurrently, because most checks spend their time waiting
# for audio that is played in real time. Prints the output of each check when the check ends. `nightly` adds checks that
# take longer and concern code that seldom changes: public attack tools, a soak test of 15 minutes, Speech Dispatcher,
# and the arm64 build. As root, installs missing programs.
# usage: checks/run.sh quick|nightly target/release/shruti
set -euo pipefail
usage="usage: checks/run.sh quick|nightly path/to/shruti"
which=${1:?$usage}
case $which in quick) attacks=quick ;; nightly) attacks=all ;; *) echo "$usage" >&2; exit 2 ;; esac
shruti=$(realpath "${2:?$usage}")
cd "$(dirname "$0")/.."

checks/install.sh

# the time and memory limits of these checks are for the rule-based voices; checks/smoke.sh uses the default voices
export SHRUTI_VOICE_ENGINE=rules

outputs=$(mktemp -d)
trap 'rm -rf "$outputs"' EXIT

# runs a check, prints its output in one piece, and records its failure
check() { # name, command
  local began=$SECONDS output=$outputs/$BASHPID result=held
  "${@:2}" >"$output" 2>&1 || { result=FAILED; touch "$outputs/failed"; }
  # only one check prints at a time
  {
    flock 9
    printf '\n== %s: %s after %s s (%ss)\n' "$1" "$result" $((SECONDS - began)) "$SECONDS"
    cat "$output"
  } 9>"$outputs/printing"
}

studio() {
  check "the Studio in a browser" checks/studio/run.sh "$shruti"
}

attacks() {
  check "attacks from outside" checks/attack/run.sh "$attacks" "$shruti"
}

clients() {
  check "third-party clients hold a conversation" checks/clients/run.sh "$shruti"
  check "SDKs and plugins of other services" checks/compat/run.sh "$shruti"
  check "formats" checks/formats/run.sh "$shruti"
  check "a page that is read aloud, in a browser" checks/pages/run.sh "$shruti"
  check "TLS: third-party clients" checks/tls/check.sh "$shruti"
  check "TLS: proxies in front of the server" checks/clients/.venv/bin/python checks/tls/proxies.py "$shruti"
  check "deployment: proxies, containers, manifests, monitoring" checks/deployment/run.sh "$shruti"
}

sdks() {
  check "our SDKs, from their packages" sdk/check.sh "$shruti"
}

studio &
attacks &
clients &
sdks &
wait
if [ "$which" = nightly ]; then
  check "Speech Dispatcher" checks/speechd/run.sh
  check "arm64" checks/arm64/run.sh
fi
[ ! -e "$outputs/failed" ] || { echo "checks: FAILED"; exit 1; }
echo "checks: all held ($SECONDS s)"
