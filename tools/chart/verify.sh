#!/usr/bin/env bash
# Prints the path of operator-verify, OLM's validation of bundles, in the user's cache, built there once from its Go module (one
# CPU minute). Its folder also has the definition of ClusterServiceVersions. Exits with 3 and prints the reason if it cannot be
# obtained.
set -euo pipefail
version=v0.36.0
sum=h1:6+duRhamCvB540JbvNp/1+Pot7luff7HqdAOm9bAntg=
module=github.com/operator-framework/api
home=${XDG_CACHE_HOME:-$HOME/.cache}/fairlead-olm/$version

missing() { echo "operator-verify: $1" >&2; exit 3; }

if [ -x "$home/operator-verify" ]; then echo "$home/operator-verify"; exit; fi
go=${GO:-go}
command -v "$go" >/dev/null || missing "not built yet, and Go is not on the PATH"

mkdir -p "$home"
exec 8>"$home/.lock"; flock 8
if [ ! -x "$home/operator-verify" ]; then
  export GOTOOLCHAIN=${GOTOOLCHAIN:-local} GOWORK=off CGO_ENABLED=0
  told=$(cd "$home" && "$go" mod download -json "$module@$version" 2>"$home/build.log") ||
    missing "its module could not be fetched, see $home/build.log"
  grep -qF "\"Sum\": \"$sum\"" <<<"$told" || missing "the module is not the one that was pinned"
  source=$(sed -n 's/^\t"Dir": "\(.*\)",$/\1/p' <<<"$told")
  install -m 644 "$source/crds/operators.coreos.com_clusterserviceversions.yaml" "$home/clusterserviceversions.yaml"
  (cd "$source" && "$go" build -p 2 -trimpath -ldflags '-s -w' -o "$home/.operator-verify" ./cmd/operator-verify) \
    >>"$home/build.log" 2>&1 || missing "it did not build, see $home/build.log"
  mv "$home/.operator-verify" "$home/operator-verify"
fi
echo "$home/operator-verify"
