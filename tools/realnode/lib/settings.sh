# shellcheck shell=bash
# Configuration and command lines of a node's components. Paths are those inside the node, where $DIR is /run/node.

settings() { # GPUS MODEL RACK LEASE_SECONDS DRA
  local ip; ip=$(<"$DIR/ip")
  : >"$DIR/resolv.conf"; : >"$DIR/unhealthy"
  cp "$HERE/init.sh" "$DIR/"
  containerd_settings
  kubelet_settings "$ip" "$4"
  dns_settings "$ip"
  command_line containerd /run/bin/containerd --config /run/node/containerd.toml
  command_line dns /run/bin/coredns -conf /run/node/Corefile
  if [[ $5 ]]; then driver "$1"; else
    command_line gpuplugin /run/bin/gpuplugin -gpus "$1" -prefix "$NODE" -unhealthy /run/node/unhealthy
  fi
  command_line kubelet /run/bin/kubelet --config=/run/node/kubelet.yaml --kubeconfig=/run/node/pki/kubelet.kubeconfig \
    --hostname-override="$NODE" --node-ip="$ip" --cert-dir=/run/node/pki --node-labels="$(node_labels "$@")"
}

driver() { # GPUS: the DRA driver publishes the first GPUS devices of the node
  command_line dra env NODE_NAME="$NODE" /run/bin/dra-example-kubeletplugin --node-name="$NODE" --num-devices="$1" \
    --kubeconfig=/run/node/pki/dra.kubeconfig --cdi-root=/run/cdi
}

node_labels() { # GPUS MODEL RACK: those of GPU feature discovery, and where the node stands
  local product=$2
  case $2 in
    H100) product=NVIDIA-H100-80GB-HBM3 ;;
    A100) product=NVIDIA-A100-SXM4-80GB ;;
    H200) product=NVIDIA-H200 ;;
  esac
  echo "fairlead.dev/real-node=true,topology.fairlead.dev/rack=$3,nvidia.com/gpu.present=true,nvidia.com/gpu.product=$product,nvidia.com/gpu.count=$1"
}

containerd_settings() {
  cat >"$DIR/containerd.toml" <<K
version = 4
root = '/run/node/containerd'
state = '/run/containerd'
[plugins.'io.containerd.cri.v1.images'.pinned_images]
  sandbox = 'localhost/pause:1'
[plugins.'io.containerd.cri.v1.runtime']
  # A process may raise its OOM score, but lowering it requires CAP_SYS_RESOURCE, which our container may lack.
  restrict_oom_score_adj = true
  disable_apparmor = true
cdi_spec_dirs = ['/run/cdi']
[plugins.'io.containerd.cri.v1.runtime'.cni]
  bin_dirs = ['/run/bin']
  conf_dir = '/run/node/cni'
[plugins.'io.containerd.nri.v1.nri']
  disable = true
K
}

kubelet_settings() { # IP LEASE_SECONDS
  cat >"$DIR/kubelet.yaml" <<K
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
address: $1
# The API server of a test cluster has no client certificate for kubelets.
authentication: {anonymous: {enabled: true}, webhook: {enabled: false}}
authorization: {mode: AlwaysAllow}
healthzBindAddress: $1
containerRuntimeEndpoint: unix:///run/containerd/containerd.sock
cgroupDriver: cgroupfs
cgroupRoot: /$(<"$DIR/cgroup")
failCgroupV1: false
failSwapOn: false
oomScoreAdj: 0
maxOpenFiles: $(ulimit -Hn)
makeIPTablesUtilChains: false
clusterDNS: [$1]
clusterDomain: cluster.local
resolvConf: /run/node/resolv.conf
podLogsDir: /run/node/pods
maxPods: 30
# Only \`up\` provides images, and a full disk of the machine must not affect the node.
imageGCHighThresholdPercent: 100
evictionHard: {memory.available: 100Mi, nodefs.available: 1%, nodefs.inodesFree: 1%, imagefs.available: 1%, imagefs.inodesFree: 1%}
nodeStatusUpdateFrequency: 2s
nodeLeaseDurationSeconds: $2
syncFrequency: 10s
K
}

dns_settings() { # IP
  cat >"$DIR/Corefile" <<K
. {
  bind $1
  ready $1:8181
  errors
  kubernetes cluster.local {
    kubeconfig /run/node/pki/dns.kubeconfig
    pods insecure
    ttl 1
  }
}
K
}

credentials() { # the node's own, for its DNS the right to read names, and for its DRA driver the right to publish devices
  cp "$("$CLUSTER_SH" kubeconfig "$CLUSTER" "system:node:$NODE" system:nodes)" "$DIR/pki/kubelet.kubeconfig"
  cp "$("$CLUSTER_SH" kubeconfig "$CLUSTER" node-dns)" "$DIR/pki/dns.kubeconfig"
  cp "$("$CLUSTER_SH" kubeconfig "$CLUSTER" node-dra)" "$DIR/pki/dra.kubeconfig"
  k apply -f - >/dev/null <<'K'
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: node-dns}
rules:
- {apiGroups: [""], resources: [namespaces, services, pods], verbs: [list, watch]}
- {apiGroups: [discovery.k8s.io], resources: [endpointslices], verbs: [list, watch]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: node-dns}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: node-dns}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: node-dns}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: node-dra}
rules:
- {apiGroups: [""], resources: [nodes], verbs: [get]}
- {apiGroups: [resource.k8s.io], resources: [resourceclaims], verbs: [get]}
- {apiGroups: [resource.k8s.io], resources: [resourceslices], verbs: [get, list, watch, create, update, patch, delete]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: node-dra}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: node-dra}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: node-dra}]
K
}
