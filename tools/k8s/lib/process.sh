# shellcheck shell=bash
# Processes of one cluster. Signals only processes whose pid and start time were recorded.

birth() { sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | awk '$1 != "Z" {print $20}'; } # empty for a zombie or no process

alive() { # COMPONENT: is the recorded process still that process?
  local pid born
  [[ -f $DIR/run/$1.pid ]] && read -r pid born <"$DIR/run/$1.pid" && [[ -n $born && $(birth "$pid") == "$born" ]]
}

command_line() { local name=$1; shift; printf '%s\0' "$@" >"$DIR/run/$name.cmd"; }

launch() { # COMPONENT: runs what `command_line` saved
  alive "$1" && return 0
  [[ -f $DIR/run/$1.cmd ]] || die "no component $1"
  local pid argv
  mapfile -t -d '' argv <"$DIR/run/$1.cmd"
  # Descriptor 9 is the lock of `up`. The child must not inherit it.
  setsid "${argv[@]}" >>"$DIR/log/$1.log" 2>&1 </dev/null 9>&- &
  pid=$!
  echo "$pid $(birth "$pid")" >"$DIR/run/$1.pid"
}

send() { # COMPONENT SIGNAL; after KILL it is gone, so that `start` does not take the dying one for a running one
  local pid i; read -r pid i <"$DIR/run/$1.pid"
  kill "-$2" "$pid"
  [[ $2 == KILL ]] || return 0
  for ((i = 0; i < 200; i++)); do alive "$1" || return 0; sleep 0.05; done
  die "$1 of $NAME does not end"
}

halt() { # COMPONENT SECONDS: TERM, then KILL
  alive "$1" || return 0
  local pid i; read -r pid i <"$DIR/run/$1.pid"
  kill -CONT "$pid" 2>/dev/null || true
  kill -TERM "$pid" 2>/dev/null || true
  for ((i = 0; i < $2 * 20; i++)); do alive "$1" || break; sleep 0.05; done
  if alive "$1"; then kill -KILL "$pid" 2>/dev/null || true; fi
}

listening() { (exec 3<>"/dev/tcp/${2:-127.0.0.1}/$1") 2>/dev/null; } # PORT [ADDRESS]

# Services choose their ports from 28000 on, because they listen long after they have chosen.
free_ports() { # COUNT: below the usual ephemeral range, neither in use nor recorded by another cluster
  local n=$1 port taken; taken=" $(cat "$STATE"/clusters/*/ports 2>/dev/null | tr '\n' ' ') "
  while ((n > 0)); do
    port=$((20000 + RANDOM % 8000))
    [[ $taken == *" $port "* ]] && continue
    listening "$port" && continue
    echo "$port"; taken+="$port "; n=$((n - 1))
  done
}
