#!/usr/bin/env bash
# Prints the path of Zipkin's server, a jar: the path in FAIRLEAD_TEST_ZIPKIN, or from the user's cache, downloaded once from
# Maven Central and checked by its checksum (135 MB). Exits with 3 and prints the reason if the program cannot be obtained.
set -euo pipefail
version=3.6.1
sum=d8326e0ed4f43855dba81228f688554706e52578a7c782d9a90b73f8680654a1
registry=https://repo1.maven.org/maven2
home=${XDG_CACHE_HOME:-$HOME/.cache}/fairlead-zipkin/$version

missing() { echo "zipkin: $1" >&2; exit 3; }

if [ -n "${FAIRLEAD_TEST_ZIPKIN:-}" ]; then echo "$FAIRLEAD_TEST_ZIPKIN"; exit; fi
if [ -f "$home/zipkin.jar" ]; then echo "$home/zipkin.jar"; exit; fi

mkdir -p "$home"
exec 8>"$home/.lock"; flock 8
if [ -f "$home/zipkin.jar" ]; then echo "$home/zipkin.jar"; exit; fi
curl -fsS --retry 3 -o "$home/.part" "$registry/io/zipkin/zipkin-server/$version/zipkin-server-$version-exec.jar" ||
  missing "its jar could not be fetched from $registry"
echo "$sum  $home/.part" | sha256sum --check --quiet >&2 || missing "the jar is not the one that was pinned"
mv "$home/.part" "$home/zipkin.jar"
echo "$home/zipkin.jar"
