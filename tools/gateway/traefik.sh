#!/usr/bin/env bash
# traefik.sh: prints the path of a Traefik that is built once from its Go module (seven CPU minutes). Exits with 3 and prints
# the reason if the program cannot be obtained.
set -euo pipefail
traefik=github.com/traefik/traefik/v3@v3.7.13
traefik_sum=h1:T8wy9KuaFzCkmXCqAzDy7t73pBDR1DHrJe3pqXpNXTw=
home=${XDG_CACHE_HOME:-$HOME/.cache}/fairlead-gateway/${traefik##*@}
work=$home/source

missing() { echo "traefik: $1" >&2; exit 3; }

module() { # MODULE@VERSION SUM; prints its folder
  local answer
  answer=$("$go" mod download -json "$1" 2>>"$home/build.log") || missing "$1 could not be fetched, see $home/build.log"
  [ -z "$2" ] || grep -qF "\"Sum\": \"$2\"" <<<"$answer" || missing "$1 is not the module that was pinned"
  sed -n 's/^\t"Dir": "\(.*\)",$/\1/p' <<<"$answer"
}

copy() { # MODULE@VERSION FOLDER
  local source
  source=$(module "$1" "")
  cp -r "$source" "$2" && chmod -R u+w "$2"
}

# The module's archive lacks a nested module, and replaces another module with a fork that registries do not serve.
# Certificates by DNS need the SDKs of twenty clouds, which no test uses.
build() {
  local source
  source=$(module "$traefik" "$traefik_sum")
  rm -rf "$work" && mkdir -p "$work" && cd "$work"
  sed 's|^module .*|module fairlead.dev/tools/gateway|' "$source/go.mod" >go.mod
  cp "$source/go.sum" go.sum && chmod u+w go.mod go.sum
  printf '//go:build tools\n\npackage tools\n\nimport _ "github.com/traefik/traefik/v3/cmd/traefik"\n' >tools.go
  mkdir ext
  printf 'module github.com/traefik/traefik/dynamic/ext\n' >ext/go.mod
  printf 'package ext\n\ntype HTTP struct{}\n\ntype Router struct{}\n' >ext/ext.go
  copy github.com/abbot/go-http-auth@v0.4.0 httpauth
  [ -f httpauth/go.mod ] || printf 'module github.com/abbot/go-http-auth\n' >httpauth/go.mod
  cat >httpauth/added.go <<'G'
package auth

import "net/http"

// CheckSecret rejects everyone: no test uses passwords.
func CheckSecret(password, secret string) bool { return false }

// RequireAuthStale asks for credentials again.
func (a *DigestAuth) RequireAuthStale(w http.ResponseWriter, r *http.Request) { a.RequireAuth(w, r) }
G
  copy github.com/go-acme/lego/v5@v5.4.1 lego
  find lego/providers/dns -mindepth 1 -maxdepth 1 -exec rm -rf {} +
  cat >lego/providers/dns/none.go <<'G'
package dns

import (
	"errors"

	"github.com/go-acme/lego/v5/challenge"
)

// NewDNSChallengeProviderByName knows no provider.
func NewDNSChallengeProviderByName(string) (challenge.Provider, error) {
	return nil, errors.New("this build has no DNS providers")
}
G
  "$go" mod edit -require="github.com/traefik/traefik/v3@${traefik##*@}" \
    -replace=github.com/traefik/traefik/dynamic/ext=./ext -replace=github.com/go-acme/lego/v5=./lego \
    -replace=github.com/abbot/go-http-auth=./httpauth
  GOFLAGS=-mod=mod "$go" build -p 1 -trimpath -ldflags '-s -w' -o "$home/.traefik" github.com/traefik/traefik/v3/cmd/traefik
}

if [ -e "$home/traefik" ]; then echo "$home/traefik"; exit; fi
go=${GO:-go}
command -v "$go" >/dev/null || missing "Go is not on the PATH"
mkdir -p "$home"
exec 8>"$home/.lock"; flock 8
export GOTOOLCHAIN=${GOTOOLCHAIN:-local} CGO_ENABLED=0
if [ ! -e "$home/traefik" ]; then
  (build) >"$home/build.log" 2>&1 || missing "it did not build, see $home/build.log"
  mv "$home/.traefik" "$home/traefik" && rm -rf "$work"
fi
echo "$home/traefik"
