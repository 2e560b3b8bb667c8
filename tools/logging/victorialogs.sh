#!/usr/bin/env bash
# victorialogs.sh: prints the path of a VictoriaLogs that is built once from its Go module (half a CPU minute). Exits with 3
# and prints the reason if the program cannot be obtained.
set -euo pipefail
version=v1.52.2
sum=h1:pQ+odZC8cyAkths0NXqgr8lXtqB8r54THEIrS8kz1ik=
program=victoria-logs
home=${XDG_CACHE_HOME:-$HOME/.cache}/fairlead-victorialogs/$version

missing() { echo "$program: $1" >&2; exit 3; }

if [ -x "$home/$program" ]; then echo "$home/$program"; exit; fi
go=${GO:-go}
command -v "$go" >/dev/null || missing "Go is not on the PATH"
mkdir -p "$home"
exec 8>"$home/.lock"; flock 8
if [ ! -x "$home/$program" ]; then
  export GOTOOLCHAIN=${GOTOOLCHAIN:-local} CGO_ENABLED=0
  told=$(cd "$home" && "$go" mod download -json "github.com/VictoriaMetrics/VictoriaLogs@$version" 2>"$home/build.log") ||
    missing "its module could not be fetched, see $home/build.log"
  grep -qF "\"Sum\": \"$sum\"" <<<"$told" || missing "the module is not the one that was pinned"
  source=$(sed -n 's/^\t"Dir": "\(.*\)",$/\1/p' <<<"$told")
  (cd "$source" && GOWORK=off nice "$go" build -p 1 -trimpath -ldflags '-s -w' -o "$home/.$program" "./app/$program") \
    >>"$home/build.log" 2>&1 || missing "it did not build, see $home/build.log"
  mv "$home/.$program" "$home/$program"
fi
echo "$home/$program"
