# shellcheck shell=bash
# The life of a node, from `up` until its last file is removed. A parent process, `node.sh tend`, outlives the node and cleans
# up after it.

up() {
  local gpus=8 model=H100 rack=real-r00 images='' dra='' admin lease i
  while (($#)); do
    case $1 in
      --dra) dra=1; shift; continue ;;
      --gpus) gpus=$2 ;; --gpu-model) model=$2 ;; --rack) rack=$2 ;; --images) images=$2 ;;
      *) die "up: unknown option $1" ;;
    esac
    shift 2
  done
  programs_there || die "no programs in $BIN, run: node.sh build"
  for i in job ${images//,/ }; do [[ -f $IMAGES/$i.tar ]] || die "no image $i, run: node.sh image $i"; done
  admin=$("$CLUSTER_SH" kubeconfig "$CLUSTER")
  lease=$(tr '\0' '\n' <"$(dirname "$admin")/run/kwok.cmd" | sed -n 's/^--node-lease-duration-seconds=//p') # as simulated ones
  claim
  pause_image
  credentials
  exec 9>&-
  make_cgroups
  settings "$gpus" "$model" "$rack" "$lease" "$dra"

  setsid "$HERE/node.sh" tend "$CLUSTER" "$NODE" "$(dirname "$admin")" >>"$DIR/log/init.log" 2>&1 </dev/null &
  echo "$! $(birth $!)" >"$DIR/tender.pid"
  await 300 init alive "$DIR/init.pid"
  await 300 containerd inside ctr version
  for i in pause job ${images//,/ }; do load "$IMAGES/$i.tar"; done
  await 600 node k wait --for=condition=Ready "node/$NODE" --timeout=1s
  await 300 GPUs settled "$gpus" "$dra"
  await 300 DNS dns_ready "$(<"$DIR/ip")"
}

settled() { # GPUS DRA: its GPUs are offered, and the taints of a new node are gone
  local taints; taints=$(k get node "$NODE" -o 'jsonpath={.spec.taints[*].key}')
  [[ -z $taints && $(offered "$2" | wc -w) == "$1" ]]
}

offered() { # DRA: a word for each GPU
  if [[ $1 ]]; then
    k get resourceslices --field-selector "spec.nodeName=$NODE" -o 'jsonpath={.items[*].spec.devices[*].name}'
  else
    seq "$(k get node "$NODE" -o 'jsonpath={.status.allocatable.nvidia\.com/gpu}')"
  fi
}

publish() { # COUNT: a restart of the DRA driver, which then publishes the first COUNT devices of the node
  local pid; pid=$(<"$DIR/run/dra.pid")
  inside kill -KILL "$pid"
  driver "$1"
  inside bash /run/node/init.sh launch dra
  await 60 "$1 devices" settled "$1" 1
}

dns_ready() {
  (exec 3<>"/dev/tcp/$1/8181" && printf 'GET /ready HTTP/1.0\r\n\r\n' >&3 && read -r _ code _ <&3 && [[ $code == 200 ]])
}

tend() { # CLUSTER_FOLDER
  local child pid
  unshare --mount --pid --fork --kill-child --mount-proc "$HERE/init.sh" boot "$DIR" "$BIN" "$1" &
  child=$!
  # shellcheck disable=SC2064
  trap "kill -TERM $child" TERM INT
  until pid=$(<"/proc/$child/task/$child/children") && [[ $pid ]]; do kill -0 "$child"; sleep 0.02; done
  pid=${pid%% *}
  echo "$pid $(birth "$pid")" >"$DIR/init.pid.new"; mv "$DIR/init.pid.new" "$DIR/init.pid"
  while kill -0 "$child" 2>/dev/null; do wait "$child" || true; done
  clean
  [[ -e $1/ports ]] || remove # its cluster no longer exists, so `down` is never called
}

down() { # crash or down
  local pid _ i
  if alive "$DIR/init.pid"; then read -r pid _ <"$DIR/init.pid"; kill -KILL "$pid"; fi
  for ((i = 0; i < 400; i++)); do alive "$DIR/tender.pid" || break; sleep 0.05; done
  [[ -e $DIR/cleaned ]] || clean
  [[ $1 == crash ]] || k delete node "$NODE" --ignore-not-found >/dev/null 2>&1 || true
  remove
}

clean() {
  release
  remove_cgroups
  rm -rf "$DIR"/{containerd,kubelet}
  touch "$DIR/cleaned"
}

remove() {
  rm -rf "$DIR"
  compgen -G "$STATE/nodes/$CLUSTER/*/index" >/dev/null || drop_bridge
}
