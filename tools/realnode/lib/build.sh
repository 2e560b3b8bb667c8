# shellcheck shell=bash
# Programs from Go modules, as in ../k8s: a stamp file names the sources from which they were built.

NODE_PROGRAMS=(containerd containerd-shim-runc-v2 ctr bridge host-local loopback kubelet gpuplugin pause coredns
  dra-example-kubeletplugin)

missing() { # what is needed at run time beside the programs, which are built
  local c
  ((EUID == 0)) || echo "not root"
  [[ $(uname -s) == Linux ]] || echo "not Linux"
  for c in runc:runc ip:iproute2 nsenter:util-linux; do
    command -v "${c%:*}" >/dev/null || echo "no ${c%:*} (package ${c#*:})"
  done
  programs_there || command -v "${GO:-go}" >/dev/null || echo "no programs in $BIN and no Go to build them"
  [[ -f $IMAGES/job.tar ]] || command -v debootstrap >/dev/null ||
    echo "no image in $IMAGES and no debootstrap to make it (package debootstrap)"
}

programs_there() {
  local p
  for p in "${NODE_PROGRAMS[@]}"; do [[ -x $BIN/$p ]] || return 1; done
}

sources() { # a digest of everything that decides what the programs are
  (cd "$HERE" && find . \( -name '*.go' -o -name go.mod -o -name go.sum \) | LC_ALL=C sort | xargs cat lib/build.sh) |
    sha256sum | cut -c1-32
}

fresh() { programs_there && [[ -f $BIN/.built && $(<"$BIN/.built") == "$1" ]]; }

build() {
  local wanted; wanted=$(sources)
  fresh "$wanted" && return 0
  mkdir -p "$BIN"
  exec 8>"$BIN/.lock"; flock 8 # two builds at once would write the same files
  fresh "$wanted" && return 0
  compile
  echo "$wanted" >"$BIN/.built"
}

compile() {
  local go=${GO:-go} new=$BIN/.new version
  command -v "$go" >/dev/null || die "no Go toolchain: put go (1.26.6 or newer) on the PATH or name it in GO"
  export GOTOOLCHAIN=${GOTOOLCHAIN:-local} CGO_ENABLED=0
  rm -rf "$new"; mkdir "$new"
  version=$(cd "$HERE/kubelet" && "$go" list -m -f '{{.Version}}' k8s.io/kubernetes)
  program containerd '-s -w' "$new/" tool
  program kubelet "-s -w $(version_flags "$version")" "$new/kubelet" .
  program kubelet '-s -w' "$new/" ./gpuplugin ./pause
  program dns '-s -w' "$new/coredns" .
  program dra '-s -w' "$new/" tool
  mv "$new"/* "$BIN/"; rmdir "$new" # a running program keeps its file
}

program() { # MODULE LINKER_FLAGS TARGET PACKAGE...
  local module=$1 flags=$2 target=$3; shift 3
  echo "node.sh: building $module ($*)" >&2
  (cd "$HERE/$module" && "$go" build -trimpath -ldflags "$flags" -o "$target" "$@")
}

version_flags() { # v1.N.x: what the kubelet tells of itself
  local v=k8s.io/component-base/version minor=${1#v1.}
  echo "-X $v.gitVersion=$1 -X $v.gitMajor=1 -X $v.gitMinor=${minor%%.*} -X $v.gitTreeState=clean"
}
