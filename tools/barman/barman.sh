#!/usr/bin/env bash
# Prints the directory with barman-cloud-backup and its siblings: the directory on the PATH, or barman in the user's cache,
# installed once from PyPI with its dependencies for S3. psycopg2-binary replaces psycopg2, which would have to be compiled.
# Exits with 3 and prints the reason if the program cannot be obtained.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
home=${XDG_CACHE_HOME:-$HOME/.cache}/fairlead-barman/$(sha256sum "$here/requirements.txt" | cut -c1-16)

missing() { echo "barman: $1" >&2; exit 3; }

if there=$(command -v barman-cloud-backup); then dirname "$there"; exit; fi
if [ -e "$home/complete" ]; then echo "$home/bin"; exit; fi
command -v python3 >/dev/null || missing "neither barman-cloud-backup nor python3 is on the PATH"
mkdir -p "$(dirname "$home")"
exec 8>"$(dirname "$home")/.lock"; flock 8
if [ -e "$home/complete" ]; then echo "$home/bin"; exit; fi
rm -rf "$home"
log=$(dirname "$home")/pip.log
{ python3 -m venv "$home" && "$home/bin/python" -m pip install --quiet --no-deps --only-binary :all: --require-hashes \
  -r "$here/requirements.txt"; } >"$log" 2>&1 8>&- || missing "it could not be installed, see $log"
touch "$home/complete"
echo "$home/bin"
