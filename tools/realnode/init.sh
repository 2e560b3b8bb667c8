#!/usr/bin/env bash
# First process of a real node, in separate mount and pid namespaces: when it
# ends, all processes and mounts of the node end.
# usage: init.sh boot NODE_FOLDER PROGRAMS CLUSTER_FOLDER | init.sh launch COMPONENT
set -euo pipefail
N=/run/node

launch() { # COMPONENT: runs the command line saved in $N/run/COMPONENT.cmd
  local argv
  mapfile -t -d '' argv <"$N/run/$1.cmd"
  # shellcheck disable=SC2016
  setsid bash -c 'echo $$ >"$1"; shift; exec "$@"' _ "$N/run/$1.pid" "${argv[@]}" >>"$N/log/$1.log" 2>&1 </dev/null &
}

boot() {
  local state=$1 bin=$2 cluster=$3 c
  mkdir -p "$state"/{containerd,kubelet/plugins_registry,pods}
  private_folders "$state" "$bin" "$cluster"
  kernel_settings
  mount --make-rshared /
  export PATH=/run/bin:$PATH
  for c in containerd dns kubelet gpuplugin dra; do [[ ! -f $N/run/$c.cmd ]] || launch "$c"; done
  # Reaps orphaned processes, and exits with the cluster.
  while [[ -e /run/cluster/ports ]]; do sleep 1; done
}

private_folders() { # programs use their usual paths, on file systems that only this node sees
  exec 3<"$1" 4<"$2" 5<"$3"
  mount -t tmpfs -o mode=755 tmpfs /run
  mkdir -p "$N" /run/bin /run/cluster /run/netns /run/containerd
  mount --no-canonicalize --bind /proc/self/fd/3 "$N"
  mount --no-canonicalize --bind /proc/self/fd/4 /run/bin
  mount --no-canonicalize --bind /proc/self/fd/5 /run/cluster
  exec 3<&- 4<&- 5<&-
  mount -t tmpfs -o mode=755 tmpfs /var/lib
  mount -t tmpfs -o mode=755 tmpfs /var/log
  mkdir -p /var/lib/{kubelet,cni} /var/log/containers
  mount --bind "$N/kubelet" /var/lib/kubelet
}

# The kubelet requires some settings of the whole machine. Inside the node they appear with the required values. Network
# settings are real, because they belong to a network namespace.
kernel_settings() {
  local s
  mount --bind /proc/sys /proc/sys && mount --bind /proc/sys/net /proc/sys/net
  mount -o remount,bind,ro /proc/sys && mount -o remount,bind,rw /proc/sys/net
  mkdir /run/sysctl
  for s in vm/overcommit_memory=1 vm/panic_on_oom=0 kernel/panic=10 kernel/panic_on_oops=1 \
    kernel/keys/root_maxkeys=1000000 kernel/keys/root_maxbytes=25000000; do
    echo "${s#*=}" >"/run/sysctl/${s//[\/=]/-}"
    mount --bind "/run/sysctl/${s//[\/=]/-}" "/proc/sys/${s%=*}"
  done
}

"$@"
