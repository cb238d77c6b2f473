# Sourced by shell scripts: starts servers with a release binary.
#
#   serve BINARY [FLAG…]   starts a server and sets url, host, port, key, link, wyoming, data, log, server (see serve.py)
#   stop                   asks the server to shut down; returns the exit status of the server
#
# A script must call `stop` before it calls `serve` again. A server that is still running is stopped when the script
# exits.

harness=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
serving=
work=$(mktemp -d)
trap 'stop >/dev/null 2>&1 || true; rm -rf "$work"' EXIT

serve() {
  rm -f "$work/facts"
  mkfifo "$work/facts"
  python3 "$harness/serve.py" --folder "$(mktemp -d -p "$work")" "$@" >"$work/facts" &
  serving=$!
  local facts
  facts=$(<"$work/facts")
  eval "${facts:?the server did not start}"
}

stop() {
  local running=$serving
  serving=
  [ -z "$running" ] || { kill -TERM "$running"; wait "$running"; }
}
