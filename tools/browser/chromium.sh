#!/usr/bin/env bash
# Prints the path of Chromium: from the PATH, or Debian's package, installed as root or by sudo without a password. Exits with
# 3 and prints the reason if the program cannot be obtained.
set -euo pipefail

missing() { echo "browser: $1" >&2; exit 3; }

found() { command -v chromium || command -v chromium-browser || command -v google-chrome; }

if found; then exit; fi
command -v apt-get >/dev/null || missing "no chromium on the PATH, and no apt-get to install it"
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  sudo -n true 2>/dev/null || missing "no chromium on the PATH, and it takes root to install it"
  as_root=(sudo -n)
fi
"${as_root[@]}" apt-get update -qq >&2
DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq --no-install-recommends chromium >&2 ||
  missing "the package chromium could not be installed"
found
