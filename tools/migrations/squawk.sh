#!/usr/bin/env bash
# Prints the path of squawk, a linter for migrations, in the user's cache, installed once from its PyPI package (24 MB). Exits
# with 3 and prints the reason if the program cannot be obtained.
set -euo pipefail
package=squawk-cli==2.70.0
hash=sha256:e67651bb984b01276752ca685f870b281cf493d5d7bd318607148b657c359b52
home=${XDG_CACHE_HOME:-$HOME/.cache}/fairlead-squawk/${package##*==}

missing() { echo "squawk: $1" >&2; exit 3; }

if [ -x "$home/squawk" ]; then echo "$home/squawk"; exit; fi
[ "$(uname -sm)" = "Linux x86_64" ] || missing "its package is pinned for Linux on x86_64 only"
python3 -m pip --version >/dev/null 2>&1 || missing "there is no python3 with pip"

mkdir -p "$home"
exec 8>"$home/.lock"; flock 8
if [ -x "$home/squawk" ]; then echo "$home/squawk"; exit; fi
echo "$package --hash=$hash" >"$home/requirements.txt"
python3 -m pip download --quiet --no-deps --require-hashes -r "$home/requirements.txt" -d "$home/wheel" \
  >"$home/pip.log" 2>&1 || missing "its package could not be fetched, see $home/pip.log"
python3 - "$home" <<'PYTHON' || missing "its package has no squawk"
import glob, os, sys, zipfile
home = sys.argv[1]
with zipfile.ZipFile(glob.glob(home + "/wheel/*.whl")[0]) as wheel, open(home + "/.squawk", "wb") as out:
    out.write(wheel.read(next(n for n in wheel.namelist() if n.endswith("/scripts/squawk"))))
os.chmod(home + "/.squawk", 0o755)
PYTHON
mv "$home/.squawk" "$home/squawk" && rm -rf "$home/wheel"
echo "$home/squawk"
