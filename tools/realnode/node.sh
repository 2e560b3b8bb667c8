#!/usr/bin/env bash
# Nodes that really run pods (kubelet, containerd, runc) in a cluster of ../k8s/cluster.sh. See README.md.
set -euo pipefail

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
CLUSTER_SH=$HERE/../k8s/cluster.sh
STATE=${FAIRLEAD_K8S_STATE:-${XDG_CACHE_HOME:-$HOME/.cache}/fairlead-k8s}
BIN=${FAIRLEAD_K8S_NODE_BIN:-$STATE/node-bin}
IMAGES=${FAIRLEAD_K8S_IMAGES:-$STATE/images}
NET=${FAIRLEAD_K8S_NODE_NET:-10.77}

die() { echo "node.sh: $*" >&2; exit 1; }

# shellcheck source=lib/build.sh
. "$HERE/lib/build.sh"
# shellcheck source=lib/images.sh
. "$HERE/lib/images.sh"
# shellcheck source=lib/process.sh
. "$HERE/lib/process.sh"
# shellcheck source=lib/network.sh
. "$HERE/lib/network.sh"
# shellcheck source=lib/settings.sh
. "$HERE/lib/settings.sh"
# shellcheck source=lib/life.sh
. "$HERE/lib/life.sh"

usage() {
  cat <<'U'
usage: node.sh COMMAND                       (root, except missing and build; NODE is real-0 when left out)
  missing                                    requirements that this machine lacks, one per line; nothing if real nodes are available
  build                                      compile what is missing or older than its sources
  image NAME [--packages A,B]                make image localhost/NAME:1 of Debian packages, unless it is there
  address CLUSTER                            an address that pods reach, for cluster.sh up CLUSTER --address IP; before that
  up CLUSTER [NODE] [--gpus 8] [--gpu-model H100] [--rack R] [--images A,B] [--dra]
                                             start a node with these images beside "job"; with --dra a DRA driver
                                             publishes its GPUs, without it they are devices of a device plugin
  gpus CLUSTER NODE [INDEX...]               devices of these indices are unhealthy, all others healthy
  publish CLUSTER NODE COUNT                 the DRA driver restarts and publishes only the first COUNT devices
  signal CLUSTER NODE COMPONENT SIGNAL       containerd, kubelet, dns, gpuplugin, dra; e.g. KILL, STOP, CONT
  start CLUSTER NODE COMPONENT               start it again after KILL
  kill CLUSTER NODE CONTAINER SIGNAL         a signal to the first process of a container (the id of its status)
  load CLUSTER NODE FILE                     images of an archive, as docker save and podman save write it
  run CLUSTER NODE COMMAND...                inside the node, e.g. ctr -n k8s.io tasks list
  status CLUSTER [NODE]                      components and their resident memory
  crash CLUSTER NODE                         power loss: processes and disk are gone, the Node object stays; `up` brings it back
  down CLUSTER [NODE]                        without NODE: all real nodes of the cluster
environment: FAIRLEAD_K8S_STATE, FAIRLEAD_K8S_NODE_BIN (programs), FAIRLEAD_K8S_IMAGES (image archives),
  FAIRLEAD_K8S_NODE_NET (first two numbers of the bridges' networks, default 10.77),
  FAIRLEAD_K8S_SUITE (Debian suite, default bookworm), FAIRLEAD_K8S_MIRROR (default: debootstrap's own)
U
}

COMMAND=${1:-help}; shift || true
case $COMMAND in
  missing) missing; exit ;;
  build) build; exit ;;
  help | --help | -h) usage; exit ;;
esac
((EUID == 0)) || die "$COMMAND needs root: mounts, namespaces and control groups"
if [[ $COMMAND == image ]]; then image "$@"; exit; fi

CLUSTER=${1:-}; shift || true
NODE='' DIR=''
if (($#)) && [[ $1 != --* ]]; then NODE=$1; shift; fi
if [[ $COMMAND == down && -z $NODE ]]; then
  for d in "$STATE/nodes/$CLUSTER"/*/; do [[ ! -d $d ]] || "$0" down "$CLUSTER" "$(basename "$d")"; done
  drop_bridge
  exit
fi
if [[ $COMMAND == address ]]; then address; exit; fi
NODE=${NODE:-real-0}
[[ $CLUSTER =~ ^[a-z0-9-]{1,40}$ && $NODE =~ ^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$ ]] || { usage >&2; exit 2; }
DIR=$STATE/nodes/$CLUSTER/$NODE
case $COMMAND in
  up) up "$@"; exit ;;
  tend) tend "$@"; exit ;;
  crash | down) [[ ! -d $DIR ]] || down "$COMMAND"; exit 0 ;;
esac
[[ -d $DIR ]] || die "no node $NODE in cluster $CLUSTER"
case $COMMAND in
  gpus) echo "$*" >"$DIR/unhealthy.new"; mv "$DIR/unhealthy.new" "$DIR/unhealthy" ;;
  publish) publish "$1" ;;
  signal) pid=$(<"$DIR/run/$1.pid"); inside kill "-$2" "$pid" ;;
  start) inside bash /run/node/init.sh launch "$1" ;;
  load) load "$1" ;;
  kill) inside ctr -n k8s.io tasks kill --signal "$2" "${1#containerd://}" 2> >(grep -v DEPRECATION >&2 || true) ;;
  run) inside "$@" ;;
  status) status ;;
  *) usage >&2; exit 2 ;;
esac
