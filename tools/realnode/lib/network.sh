# shellcheck shell=bash
# One bridge for each cluster, $NET.N.0/24. The node with index I has the address I+1 and 32 addresses for its pods. Address
# 30 is reserved for an API server.

claim() { # takes bridge, index and address of a new node; the lock is held until the process ends or descriptor 9 closes
  exec 9>"$STATE/node.lock"; flock 9
  [[ ! -e $DIR ]] || die "node $NODE of cluster $CLUSTER exists"
  local n bridge i; bridge=$(cluster_bridge)
  n=$NET.${bridge#flr}
  for i in {0..7}; do grep -qsx "$i" "$STATE/nodes/$CLUSTER"/*/index || break; done
  ((i < 7)) || die "cluster $CLUSTER has seven real nodes already"
  mkdir -m 700 "$DIR"; mkdir "$DIR"/{run,log,pki,cni}
  echo "$i" >"$DIR/index"
  echo "$n.$((i + 1))" >"$DIR/ip"
  echo "fairlead-$bridge-$i" >"$DIR/cgroup"
  ip address add "$n.$((i + 1))/24" dev "$bridge"
  cni "$bridge" "$n" "$((32 * (i + 1)))" "$((32 * (i + 1) + 31 - (i == 6)))"
}

address() { # of the cluster's API server
  exec 9>"$STATE/node.lock"; flock 9
  local bridge ip; bridge=$(cluster_bridge)
  ip=$NET.${bridge#flr}.30
  ip -4 address show dev "$bridge" | grep -qF "$ip/" || ip address add "$ip/24" dev "$bridge"
  echo "$ip"
}

cluster_bridge() { # its name; made when it is not there
  local bridge; mkdir -p "$STATE/nodes/$CLUSTER"
  bridge=$(cat "$STATE/nodes/$CLUSTER/bridge" 2>/dev/null || true)
  [[ -n $bridge && -d /sys/class/net/$bridge ]] || bridge=$(make_bridge)
  echo "$bridge"
}

drop_bridge() {
  ip link del "$(cat "$STATE/nodes/$CLUSTER/bridge" 2>/dev/null)" 2>/dev/null || true
  rm -rf "$STATE/nodes/$CLUSTER"
}

make_bridge() {
  local n bridge
  for n in {0..255}; do
    bridge=flr$n
    ! ip -4 route show table all | grep -qF "$NET.$n." && ip link add "$bridge" type bridge 2>/dev/null && break
  done
  ip link set "$bridge" up
  # The other nodes retain their addresses when the first node is removed.
  echo 1 >"/proc/sys/net/ipv4/conf/$bridge/promote_secondaries"
  echo "$bridge" >"$STATE/nodes/$CLUSTER/bridge"
  echo "$bridge"
}

cni() { # BRIDGE NETWORK FIRST LAST
  cat >"$DIR/cni/10-bridge.conflist" <<K
{"cniVersion": "1.0.0", "name": "fairlead", "plugins": [
  {"type": "bridge", "bridge": "$1", "isGateway": false, "ipMasq": false, "hairpinMode": true,
   "ipam": {"type": "host-local", "dataDir": "/run/node/run/ipam",
     "ranges": [[{"subnet": "$2.0/24", "rangeStart": "$2.$3", "rangeEnd": "$2.$4"}]]}}]}
K
}

release() { # the address, and with the last node of the cluster the bridge
  ip address del "$(<"$DIR/ip")/24" dev "$(<"$DIR/../bridge")" 2>/dev/null || true
}

CONTROLLERS=/sys/fs/cgroup
cgroups() { # folders of the node's control groups: one for each hierarchy of v1, or the one of v2
  local d name; name=$(<"$DIR/cgroup")
  if [[ -f $CONTROLLERS/cgroup.controllers ]]; then echo "$CONTROLLERS/$name"; return; fi
  for d in "$CONTROLLERS"/*/; do [[ ! -f $d/cgroup.procs ]] || echo "$d$name"; done
}

make_cgroups() {
  local d i
  for d in $(cgroups); do
    mkdir -p "$d"
    if [[ -f $CONTROLLERS/cgroup.controllers ]]; then
      for i in cpuset cpu io memory pids; do echo "+$i" >"$CONTROLLERS/cgroup.subtree_control"; done
    fi
    # A cpuset of cgroup v1 accepts processes only after its CPUs and memory nodes are set.
    for i in cpus mems; do [[ ! -e $d/cpuset.$i ]] || cat "$d/../cpuset.$i" >"$d/cpuset.$i"; done
  done
}

remove_cgroups() { # processes that were killed leave them a moment later
  local d i
  for i in {1..50}; do
    for d in $(cgroups); do [[ ! -d $d ]] || find "$d" -depth -type d -exec rmdir {} + 2>/dev/null || true; done
    for d in $(cgroups); do [[ ! -d $d ]] || { sleep 0.1; continue 2; }; done
    return
  done
}
