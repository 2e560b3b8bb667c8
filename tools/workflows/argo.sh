#!/usr/bin/env bash
# argo.sh: prints the folder with workflow-controller, argoexec and the CRDs of Argo Workflows, and with kstatus, which are built
# once from their Go modules (about ten CPU minutes). Exits with 3 and prints the reason if they are not available.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
argo=github.com/argoproj/argo-workflows/v4@v4.0.5
sum=h1:/1lru5oXUd+k6KEDUps6rLX5OKfi1jTfabgXTly/VFU=
home=${XDG_CACHE_HOME:-$HOME/.cache}/fairlead-workflows/argo-${argo##*@}
work=$home/source

missing() { echo "argo: $1" >&2; exit 3; }

# The module's archive lacks signal_linux.go, which has the same functions as signal_darwin.go.
build() {
  local answer source
  answer=$("$go" mod download -json "$argo")
  grep -qF "\"Sum\": \"$sum\"" <<<"$answer" || { echo "$argo is not the module that was pinned"; return 1; }
  source=$(sed -n 's/^\t"Dir": "\(.*\)",$/\1/p' <<<"$answer")
  rm -rf "$work" "$home/.programs" && mkdir -p "$work" "$home/.programs" && cd "$work"
  sed 's|^module .*|module fairlead.dev/tools/workflows|' "$source/go.mod" >go.mod
  cp "$source/go.sum" go.sum && chmod u+w go.mod go.sum
  cp -r "$source" argo && chmod -R u+w argo
  cp argo/workflow/executor/osspecific/signal_darwin.go argo/workflow/executor/osspecific/signal_linux.go
  "$go" mod edit -require="$argo" -replace="${argo%@*}=./argo"
  printf '//go:build tools\n\npackage tools\n\nimport (\n\t_ "%s/cmd/argoexec"\n\t_ "%s/cmd/workflow-controller"\n)\n' \
    "${argo%@*}" "${argo%@*}" >tools.go
  GOFLAGS="-mod=mod -buildvcs=false" "$go" build -p 2 -trimpath -ldflags '-s -w' -o "$home/.programs/" \
    "${argo%@*}/cmd/argoexec" "${argo%@*}/cmd/workflow-controller"
  (cd "$here/kstatus" && "$go" build -buildvcs=false -p 1 -trimpath -ldflags '-s -w' -o "$home/.programs/kstatus" .)
  mkdir "$home/.programs/crds"
  cp "$source"/manifests/base/crds/minimal/argoproj.io_*.yaml "$home/.programs/crds/"
  chmod -R u+w "$home/.programs"
}

if [ -e "$home/programs" ]; then echo "$home/programs"; exit; fi
go=${GO:-go}
command -v "$go" >/dev/null || missing "Go is not on the PATH"
mkdir -p "$home"
exec 8>"$home/.lock"; flock 8
export GOTOOLCHAIN=${GOTOOLCHAIN:-local} CGO_ENABLED=0
if [ ! -e "$home/programs" ]; then
  (build) >"$home/build.log" 2>&1 || missing "it did not build, see $home/build.log"
  mv "$home/.programs" "$home/programs" && rm -rf "$work"
fi
echo "$home/programs"
