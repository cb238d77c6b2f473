#!/usr/bin/env bash
# Runs rustc for cargo (RUSTC_WRAPPER). Adds coverage instrumentation to all crates except purely numerical ones: the
# branches of numerical code do not help a fuzzer, and compiling instrumented matrix kernels alone takes a quarter of an
# hour. Build scripts and procedural macros, which are compiled without `--target`, are not instrumented, because they
# are linked without the fuzzer.
set -euo pipefail
case ${CARGO_PKG_NAME:-} in
rten*|rustfft|realfft|argon2|blake2|ring|opus-pure|rusty_mp3) exec "$@" ;;
esac
case " $* " in
*" --target "*) ;;
*) exec "$@" ;;
esac
exec "$@" -Ccodegen-units=1 -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
  -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
  -Cllvm-args=-sanitizer-coverage-trace-compares
