#!/usr/bin/env bash
# program.sh crds: prints the folder with the CRDs of the Gateway API, from its Go module. Exits
# with 3 and prints the reason if they are not available.
set -euo pipefail
api=sigs.k8s.io/gateway-api@v1.6.1
sum=h1:mock6phZbI6rvZerwrVNk7hVNymQgHo+6sJ81Ia7ftY=
what=$1
home=${XDG_CACHE_HOME:-$HOME/.cache}/fairlead-gateway/${api##*@}-standard

missing() { echo "$what: $1" >&2; exit 3; }

[ "$what" = crds ] || missing "is not crds"
if [ -e "$home/crds" ]; then echo "$home/crds"; exit; fi
go=${GO:-go}
command -v "$go" >/dev/null || missing "Go is not on the PATH"
mkdir -p "$home"
exec 8>"$home/.lock"; flock 8
export GOTOOLCHAIN=${GOTOOLCHAIN:-local}
told=$("$go" mod download -json "$api" 2>"$home/build.log") || missing "$api could not be fetched, see $home/build.log"
grep -qF "\"Sum\": \"$sum\"" <<<"$told" || missing "$api is not the module that was pinned"
source=$(sed -n 's/^\t"Dir": "\(.*\)",$/\1/p' <<<"$told")/config/crd/standard
rm -rf "$home/.crds" && mkdir "$home/.crds"
# Traefik watches more kinds than a route needs, and serves no route while one of them is missing
cp "$source"/gateway.networking.k8s.io_{gatewayclasses,gateways,httproutes,grpcroutes,tlsroutes,referencegrants,backendtlspolicies}.yaml \
  "$home/.crds/"
chmod -R u+w "$home/.crds"
[ -e "$home/crds" ] || mv "$home/.crds" "$home/crds"
echo "$home/crds"
