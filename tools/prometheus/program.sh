#!/usr/bin/env bash
# program.sh promtool|prometheus: prints the path of the program: from the PATH, or from the user's cache, built there once
# from its Go module (minutes). Exits with 3 and prints the reason if the program cannot be obtained.
set -euo pipefail
version=v0.307.3 # Prometheus 3.7.3
sum=h1:zGIN3EpiKacbMatcUL2i6wC26eRWXdoXfNPjoBc2l34=
program=$1
home=${XDG_CACHE_HOME:-$HOME/.cache}/fairlead-prometheus/$version

missing() { echo "$program: $1" >&2; exit 3; }

if command -v "$program"; then exit; fi
if [ -x "$home/$program" ]; then echo "$home/$program"; exit; fi
go=${GO:-go}
command -v "$go" >/dev/null || missing "neither it nor Go is on the PATH"
[ "${FAIRLEAD_BUILD_PROMTOOL:-${CI:-}}" ] || missing "not built yet: FAIRLEAD_BUILD_PROMTOOL=1 $0 $program builds it into $home"

mkdir -p "$home"
exec 8>"$home/.lock"; flock 8
export GOTOOLCHAIN=${GOTOOLCHAIN:-local} CGO_ENABLED=0
# Its module has exclude directives, so it builds only as the main module.
told=$(cd "$home" && "$go" mod download -json "github.com/prometheus/prometheus@$version" 2>"$home/build.log") ||
  missing "its module could not be fetched, see $home/build.log"
grep -qF "\"Sum\": \"$sum\"" <<<"$told" || missing "the module is not the one that was pinned"
source=$(sed -n 's/^\t"Dir": "\(.*\)",$/\1/p' <<<"$told")
rm -rf "$home/source" && cp -r "$source" "$home/source" && chmod -R u+w "$home/source"
# Excludes the service discovery clients of clouds, which are most of the code to compile.
printf 'package plugins\n' >"$home/source/plugins/plugins.go"
(cd "$home/source" && GOWORK=off "$go" build -mod=mod -trimpath -ldflags '-s -w' -o "$home/.$program" "./cmd/$program") \
  >>"$home/build.log" 2>&1 || missing "it did not build, see $home/build.log"
mv "$home/.$program" "$home/$program" && rm -rf "$home/source"
echo "$home/$program"
