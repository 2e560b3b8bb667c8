#!/usr/bin/env bash
# Real Kubernetes control planes on 127.0.0.1 whose nodes are simulated; for integration tests and demos. See README.md.
set -euo pipefail

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
STATE=${FAIRLEAD_K8S_STATE:-${XDG_CACHE_HOME:-$HOME/.cache}/fairlead-k8s}
BIN=${FAIRLEAD_K8S_BIN:-$STATE/bin}

die() { echo "cluster.sh: $*" >&2; exit 1; }

# shellcheck source=lib/build.sh
. "$HERE/lib/build.sh"
# shellcheck source=lib/process.sh
. "$HERE/lib/process.sh"
# shellcheck source=lib/pki.sh
. "$HERE/lib/pki.sh"
# shellcheck source=lib/components.sh
. "$HERE/lib/components.sh"
# shellcheck source=lib/nodes.sh
. "$HERE/lib/nodes.sh"

usage() {
  cat <<'U'
usage: cluster.sh COMMAND
  build                            compile what is missing or older than its sources; nothing to do costs nothing
  up NAME [--scheduler] [--taint-rules] [--pod-groups] [--audit] [--address IP] [--owner-pid PID] [--lease S] [--grace S] [--evict-after S]
     [NODE OPTIONS]                start a cluster, print the path of its administrator's kubeconfig; its API server is at
                                   that address of this machine, 127.0.0.1 when left out; --taint-rules serves
                                   DeviceTaintRules, and --pod-groups PodGroups, which are off by default
  nodes NAME --nodes N [--gpus 8] [--gpu-model H100] [--gpu-memory MIB] [--racks 1] [--blocks 1] [--zones 1]
             [--cpus 128] [--memory 2Ti] [--prefix gpu]        add simulated nodes; `up` takes the same options
  kubeconfig NAME [USER [GROUP]]   path of a kubeconfig; with USER, of a certificate for that user, made when needed
  kubectl NAME ARG...              kubectl as administrator
  node NAME NODE silent|back|not-ready|ready|gpus=N|reboot
  signal NAME COMPONENT SIGNAL     e.g. STOP, CONT, KILL; components: etcd kube-apiserver kube-controller-manager
                                   kube-scheduler kwok
  start NAME COMPONENT             start again after KILL, or a scheduler that `up` left out
  stop NAME COMPONENT              stop, without effect if it does not run
  status NAME                      components with pid and resident memory
  stored NAME                      bytes that etcd has written to its log since it started
  list                             names of clusters
  bin                              where the programs are
  down NAME [--keep]               stop what `up` started and delete its state
environment: FAIRLEAD_K8S_STATE (clusters; default: fairlead-k8s in the user's cache), FAIRLEAD_K8S_BIN (programs;
  default: bin in the state folder), FAIRLEAD_K8S_{APISERVER,KCM,SCHEDULER,KWOK}_FLAGS (further flags, read by `up`)
U
}

k() { "$BIN/kubectl" --kubeconfig "$DIR/kubeconfig" "$@"; }

await() { # SECONDS WHAT COMMAND...
  local deadline=$((SECONDS + $1)) what=$2; shift 2
  until "$@" >/dev/null 2>&1; do
    ((SECONDS < deadline)) || die "cluster $NAME: $what not ready in time, see $DIR/log"
    alive kube-apiserver || die "cluster $NAME: kube-apiserver ended, see $DIR/log/kube-apiserver.log"
    sleep 0.1
  done
}

up() {
  local scheduler='' audit='' address=127.0.0.1 owner='' lease=40 grace=40 evict=300 node_options=()
  while (($#)); do
    case $1 in
      --scheduler) scheduler=1 ;;
      --audit) audit=1 ;;
      --taint-rules) alpha resource.k8s.io/v1beta2 DRADeviceTaintRules=true ;;
      --pod-groups) alpha scheduling.k8s.io/v1alpha2 GenericWorkload=true,GangScheduling=true ;;
      --address) address=$2; shift ;;
      --owner-pid) owner=$2; shift ;;
      --lease) lease=$2; shift ;;
      --grace) grace=$2; shift ;;
      --evict-after) evict=$2; shift ;;
      --nodes | --gpus | --gpu-model | --gpu-memory | --racks | --blocks | --zones | --cpus | --memory | --prefix)
        node_options+=("$1" "$2"); shift ;;
      *) die "up: unknown option $1" ;;
    esac
    shift
  done
  built || die "no programs in $BIN, run: cluster.sh build"
  claim
  echo "$address" >"$DIR/address"
  certificates
  commands "$audit" "$lease" "$grace" "$evict"

  launch etcd; launch kube-apiserver
  await 120 kube-apiserver listening "$API_PORT" "$address"
  await 120 kube-apiserver k get --raw=/readyz
  launch kube-controller-manager; launch kwok
  [[ -z $scheduler ]] || launch kube-scheduler
  await 60 kube-controller-manager k get serviceaccount default --namespace default
  api_server_slice
  [[ -z $owner ]] || watch_owner "$owner"
  [[ ${#node_options[@]} == 0 ]] || nodes "${node_options[@]}"
  echo "$DIR/kubeconfig"
}

alpha() { # API GATES: serves an API that is off by default
  FAIRLEAD_K8S_APISERVER_FLAGS+=" --runtime-config=$1=true --feature-gates=$2"
  FAIRLEAD_K8S_KCM_FLAGS+=" --feature-gates=$2"
  FAIRLEAD_K8S_SCHEDULER_FLAGS+=" --feature-gates=$2"
}

api_server_slice() { # says where the API server is, which one on a loopback address does not do itself
  local address; address=$(<"$DIR/address")
  [[ $address != 127.* ]] || address=192.0.2.1 # a slice names no loopback address
  k create --filename - >/dev/null <<S
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: kubernetes, namespace: default, labels: {kubernetes.io/service-name: kubernetes}}
addressType: IPv4
endpoints: [{addresses: [$address]}]
ports: [{name: https, port: $API_PORT, protocol: TCP}]
S
}

claim() { # takes the name and the ports of a new cluster
  mkdir -p "$STATE/clusters"
  exec 9>"$STATE/lock"; flock 9
  [[ ! -e $DIR ]] || die "cluster $NAME exists"
  mkdir -m 700 "$DIR"; mkdir "$DIR"/{run,log,pki}
  free_ports 4 >"$DIR/ports"
  flock -u 9
  { read -r API_PORT; read -r ETCD_PORT; read -r PEER_PORT; read -r KUBELET_PORT; } <"$DIR/ports"
}

watch_owner() { # PID: the cluster goes when that process goes
  # shellcheck disable=SC2016
  command_line watchdog bash -c 'while kill -0 "$1" 2>/dev/null; do sleep 2; done; WATCHDOG=1 exec "$2" down "$3"' _ \
    "$1" "$HERE/cluster.sh" "$NAME"
  launch watchdog
}

down() {
  local c
  [[ ${WATCHDOG:-} ]] || halt watchdog 1
  for c in kwok kube-scheduler kube-controller-manager; do halt "$c" 1 & done; wait
  halt kube-apiserver 2
  halt etcd 2
  [[ ${1:-} == --keep ]] || rm -rf "$DIR"
}

status() {
  local f c pid _
  for f in "$DIR"/run/*.cmd; do
    c=$(basename "$f" .cmd)
    if alive "$c"; then
      read -r pid _ <"$DIR/run/$c.pid"
      echo "$c pid $pid rss $(awk '/^VmRSS/ {printf "%d", $2 / 1024}' "/proc/$pid/status") MiB"
    else
      echo "$c stopped"
    fi
  done
}

kubeconfig() { # [USER [GROUP]]
  (($#)) || { echo "$DIR/kubeconfig"; return; }
  [[ $1 =~ ^[A-Za-z0-9.:-]+$ ]] || die "kubeconfig: no user name: $1"
  [[ -f $DIR/user-$1.kubeconfig ]] || kubeconfig_for "user-$1" "${2:+/O=$2}/CN=$1" "$DIR/user-$1.kubeconfig"
  echo "$DIR/user-$1.kubeconfig"
}

stored() { # by etcd's own metric
  local port; port=$(sed -n 2p "$DIR/ports")
  curl -sf --max-time 10 "http://127.0.0.1:$port/metrics" | awk '/^etcd_disk_wal_write_bytes_total /{ printf "%.0f\n", $2; n++ } END { exit n != 1 }' ||
    die "etcd of $NAME does not say what it wrote"
}

COMMAND=${1:-help}; shift || true
case $COMMAND in
  build) build; exit ;;
  bin) echo "$BIN"; exit ;;
  list) for d in "$STATE"/clusters/*/; do [[ -d $d ]] && basename "$d"; done; exit 0 ;;
  help | --help | -h) usage; exit ;;
esac
NAME=${1:-}; shift || true
[[ $NAME =~ ^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$ ]] || { usage >&2; exit 2; }
DIR=$STATE/clusters/$NAME
case $COMMAND in
  up) up "$@"; exit ;;
  down) [[ -d $DIR ]] || exit 0; down "$@"; exit ;;
esac
[[ -d $DIR ]] || die "no cluster $NAME"
case $COMMAND in
  nodes) nodes "$@" ;;
  node) node "$@" ;;
  kubectl) k "$@" ;;
  status) status ;;
  stored) stored ;;
  start) launch "$1" ;;
  stop) halt "$1" 1 ;;
  signal) alive "$1" || die "$1 of $NAME is not running"; send "$1" "$2" ;;
  kubeconfig) kubeconfig "$@" ;;
  *) usage >&2; exit 2 ;;
esac
