# shellcheck shell=bash
# Programs from Go modules. A stamp file names the sources from which they were built.

PROGRAMS=(kube-apiserver kube-controller-manager kube-scheduler kubectl)

sources() { # a digest of everything that decides what the programs are
  (cd "$HERE" && find . \( -name '*.go' -o -name go.mod -o -name go.sum \) | LC_ALL=C sort | xargs cat lib/build.sh) |
    sha256sum | cut -c1-32
}

built() { # are all programs there, from whatever sources?
  local p
  for p in etcd kwok kube podload "${PROGRAMS[@]}"; do [[ -x $BIN/$p ]] || return 1; done
}

build() {
  local wanted; wanted=$(sources)
  if built && [[ -f $BIN/.built && $(<"$BIN/.built") == "$wanted" ]]; then
    echo "cluster.sh: programs in $BIN are up to date" >&2
    return 0
  fi
  mkdir -p "$BIN"
  exec 8>"$BIN/.lock"; flock 8 # two builds at once would write the same files
  if built && [[ -f $BIN/.built && $(<"$BIN/.built") == "$wanted" ]]; then return 0; fi
  compile
  echo "$wanted" >"$BIN/.built"
}

compile() {
  local go=${GO:-go} version flags p
  command -v "$go" >/dev/null || die "no Go toolchain: put go (1.26 or newer) on the PATH or name it in GO"
  export GOTOOLCHAIN=${GOTOOLCHAIN:-local} CGO_ENABLED=0
  version=$(cd "$HERE/k8s" && "$go" list -m -f '{{.Version}}' k8s.io/kubernetes)
  flags="-s -w $(version_flags "$version")"
  program etcd '-s -w' etcd .
  program kwok '-s -w' kwok sigs.k8s.io/kwok/cmd/kwok
  program k8s "$flags" kube .
  program k8s '-s -w' podload ./podload
  for p in "${PROGRAMS[@]}"; do ln -sfn kube "$BIN/$p"; done
}

program() { # MODULE LINKER_FLAGS NAME PACKAGE; written beside and renamed: a running program keeps its file
  echo "cluster.sh: building $3" >&2
  (cd "$HERE/$1" && "$go" build -trimpath -ldflags "$2" -o "$BIN/.$3.new" "$4")
  mv "$BIN/.$3.new" "$BIN/$3"
}

version_flags() { # v1.N.x: what the API server tells at /version
  local v=k8s.io/component-base/version minor=${1#v1.}
  echo "-X $v.gitVersion=$1 -X $v.gitMajor=1 -X $v.gitMinor=${minor%%.*} -X $v.gitTreeState=clean"
}
