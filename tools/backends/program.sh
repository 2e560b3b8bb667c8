# shellcheck shell=bash
# A scheduler that is built from the Go module in the folder NAME of this folder. The sourcing script sets NAME and PACKAGE.

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
STATE=${FAIRLEAD_BACKENDS_STATE:-${XDG_CACHE_HOME:-$HOME/.cache}/fairlead-backends}
BIN=$STATE/bin

die() { echo "$NAME.sh: $*" >&2; exit 1; }

sum() { (cd "$HERE/$NAME" && cat go.mod && { [[ ! -f main.go ]] || cat main.go; }) | sha256sum | cut -c1-32; }

built() { [[ -x $BIN/$NAME && -f $BIN/.$NAME && $(<"$BIN/.$NAME") == "$(sum)" ]]; }

present() { [[ -x $BIN/$NAME ]] || die "no program in $BIN, run: $NAME.sh build"; }

build() {
  built && return 0
  command -v go >/dev/null || die "no Go toolchain: put go (1.26 or newer) on the PATH"
  mkdir -p "$BIN"
  echo "$NAME.sh: building $NAME" >&2
  (cd "$HERE/$NAME" && GOTOOLCHAIN=local CGO_ENABLED=0 nice go build -p 2 -trimpath -ldflags '-s -w' -o "$BIN/.$NAME.new" "$PACKAGE")
  mv "$BIN/.$NAME.new" "$BIN/$NAME"
  sum >"$BIN/.$NAME"
}

down() { # DIR
  [[ -f $1/pid ]] && kill "$(<"$1/pid")" 2>/dev/null || true
  rm -f "$1/pid"
}
