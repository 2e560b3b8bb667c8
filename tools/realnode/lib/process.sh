# shellcheck shell=bash
# Processes of one node. Only a process whose pid and start time were recorded is ever signalled.

birth() { sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | awk '$1 != "Z" {print $20}'; } # empty for a zombie or no process

alive() { # FILE with pid and start time: is it still that process?
  local pid born
  [[ -f $1 ]] && read -r pid born <"$1" && [[ -n $born && $(birth "$pid") == "$born" ]]
}

inside() { # COMMAND... in the namespaces of the node
  local pid _
  alive "$DIR/init.pid" || die "node $NODE of cluster $CLUSTER is not running"
  read -r pid _ <"$DIR/init.pid"
  PATH=/run/bin:$PATH nsenter --target "$pid" --mount --pid --wd=/ -- "$@"
}

k() { "$CLUSTER_SH" kubectl "$CLUSTER" "$@"; }

await() { # SECONDS WHAT COMMAND...
  local deadline=$((SECONDS + $1)) what=$2; shift 2
  until "$@" >/dev/null 2>&1; do
    ((SECONDS < deadline)) || die "node $NODE: $what not ready in time, see $DIR/log"
    alive "$DIR/tender.pid" || die "node $NODE has ended, see $DIR/log"
    sleep 0.1
  done
}

command_line() { local name=$1; shift; printf '%s\0' "$@" >"$DIR/run/$name.cmd"; }

status() {
  local c pid
  for c in containerd kubelet dns gpuplugin dra; do
    [[ -f $DIR/run/$c.cmd ]] || continue
    pid=$(<"$DIR/run/$c.pid")
    # shellcheck disable=SC2016
    inside awk -v c="$c" '/^VmRSS/ {printf "%s rss %d MiB\n", c, $2 / 1024}' "/proc/$pid/status" 2>/dev/null ||
      echo "$c stopped"
  done
}
