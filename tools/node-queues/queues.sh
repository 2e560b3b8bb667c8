#!/usr/bin/env bash
# Prints the directory with graphile-worker and pg-boss, installed once from npm into the user's cache. Exits
# with 3 and prints the reason if they are not available.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

missing() { echo "$*" >&2; exit 3; }

command -v npm >/dev/null || missing "npm is missing"
major=$(node --version 2>/dev/null | sed 's/^v\([0-9]*\).*/\1/')
[ "${major:-0}" -ge 20 ] || missing "Node.js 20 or newer is needed"
home=${XDG_CACHE_HOME:-$HOME/.cache}/fairlead-node-queues/$(cat package.json package-lock.json | sha256sum | cut -c1-16)
if [ ! -e "$home/complete" ]; then
  mkdir -p "$home"
  cp package.json package-lock.json "$home"
  npm ci --silent --no-fund --no-audit --prefix "$home" >"$home/npm.log" 2>&1 ||
    missing "npm could not install graphile-worker and pg-boss, see $home/npm.log"
  touch "$home/complete"
fi
echo "$home"
