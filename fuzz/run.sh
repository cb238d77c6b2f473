#!/usr/bin/env bash
# Runs the coverage-guided fuzz targets and prints statistics for each.
# usage: fuzz/run.sh [-s SECONDS | -n RUNS] [-m] [TARGET...]
# Exits with an error if a target found a failure. Inputs that reach new code are kept in fuzz/work/TARGET. `-m` packs a
# minimal set of them into fuzz/corpus/TARGET.tgz.
set -euo pipefail
cd "$(dirname "$0")/.."

limit=(-max_total_time=60)
minimise=
while getopts s:n:m option; do
  case $option in
    s) limit=("-max_total_time=$OPTARG") ;;
    n) limit=("-runs=$OPTARG") ;;
    m) minimise=yes ;;
    *) echo "usage: fuzz/run.sh [-s SECONDS | -n RUNS] [-m] [TARGET...]" >&2; exit 2 ;;
  esac
done
shift $((OPTIND - 1))
targets=("$@")
[ "${#targets[@]}" -gt 0 ] || mapfile -t targets < <(cd fuzz/fuzz_targets && printf '%s\n' ./*.rs | sed 's|^\./||; s|\.rs$||')

# These are the settings of `cargo fuzz build --sanitizer none`, which a stable compiler accepts. The project has no
# `unsafe` code that needs a sanitizer. With --target, build scripts are not instrumented.
host=$(rustc -vV | sed -n 's/^host: //p')
export RUSTFLAGS="--cfg fuzzing" RUSTC_WRAPPER=$PWD/fuzz/instrument.sh
cargo build --quiet --release --locked --manifest-path fuzz/Cargo.toml --target "$host" --target-dir fuzz/target

failed=0
printf '%-16s %12s %8s %9s %8s  %s\n' target runs seconds coverage corpus outcome
for target in "${targets[@]}"; do
  binary=fuzz/target/$host/release/$target
  work=fuzz/work/$target
  corpus=fuzz/corpus/$target.tgz
  mkdir -p "$work" fuzz/corpus "fuzz/artifacts/$target"
  [ ! -f "$corpus" ] || tar -xzf "$corpus" -C "$work"
  length=8192
  case $target in reader) length=2048 ;; ssml) length=256 ;; esac
  log=fuzz/work/$target.log
  if "$binary" "$work" "${limit[@]}" -max_len="$length" -timeout=10 -rss_limit_mb=2048 \
    -artifact_prefix="fuzz/artifacts/$target/" -print_final_stats=1 >"$log" 2>&1; then
    outcome=ok
  else
    outcome="FAILED, see $log"
    failed=1
  fi
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log" | tail -n 1)
  seconds=$(sed -n 's/^Done [0-9]* runs in \([0-9]*\) second.*/\1/p' "$log" | tail -n 1)
  coverage=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
  inputs=$(sed -n 's/.* corp: \([0-9]*\)\/.*/\1/p' "$log" | tail -n 1)
  printf '%-16s %12s %8s %9s %8s  %s\n' "$target" "${runs:--}" "${seconds:--}" "${coverage:--}" "${inputs:--}" "$outcome"
  if [ -n "$minimise" ] && [ "$outcome" = ok ]; then
    # pack a small set of short inputs that together reach the same edges
    smaller=fuzz/work/$target.minimal
    rm -rf "$smaller" && mkdir -p "$smaller"
    "$binary" -set_cover_merge=1 -use_counters=0 -max_len=512 "$smaller" "$work" >>"$log" 2>&1
    tar -cz --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -f "$corpus" -C "$smaller" .
    rm -rf "$smaller"
  fi
done
exit "$failed"
