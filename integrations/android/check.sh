#!/bin/sh
# Compiles the service against stubs of Android's classes and tests it in a desktop JVM: check.sh LIBSHRUTI.so
# Requires a JDK (17 or later) and a C compiler.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
library=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
java_home=$(dirname "$(dirname "$(realpath "$(command -v javac)")")")
find "$here/src" "$here/stubs" "$here/tests" -name '*.java' >"$work/sources"
javac -Xlint:all -Xlint:-options --release 11 -Werror -d "$work/classes" @"$work/sources"
ln -s "$library" "$work/libshruti.so"
cc -std=c99 -Wall -Wextra -Werror -shared -fPIC -I"$java_home/include" -I"$java_home/include/linux" \
  -I"$here/../../crates/shruti-capi/include" "$here/jni/shruti_jni.c" -o "$work/libshruti_jni.so" -L"$work" -lshruti -Wl,-rpath,"$work"
LD_LIBRARY_PATH=$work java -Xcheck:jni -Djava.library.path="$work" -cp "$work/classes" in.shruti.tts.ServiceTest
