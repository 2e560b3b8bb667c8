# shellcheck shell=bash
# Command lines of a cluster's components.

commands() { # AUDIT LEASE GRACE EVICT
  etcd_command
  apiserver_command "$1" "$4"
  manager_command "$3"
  scheduler_command
  kwok_command "$2"
}

etcd_command() {
  # No fsync, because the data does not have to survive a crash of this machine.
  command_line etcd "$BIN/etcd" --name=one --data-dir="$DIR/etcd" --log-level=warn --unsafe-no-fsync \
    --quota-backend-bytes=4294967296 --auto-compaction-mode=periodic --auto-compaction-retention=5m \
    --listen-client-urls="http://127.0.0.1:$ETCD_PORT" --advertise-client-urls="http://127.0.0.1:$ETCD_PORT" \
    --listen-peer-urls="http://127.0.0.1:$PEER_PORT" --initial-advertise-peer-urls="http://127.0.0.1:$PEER_PORT" \
    --initial-cluster="one=http://127.0.0.1:$PEER_PORT"
}

apiserver_command() { # AUDIT EVICT
  local more=()
  if [[ $1 ]]; then
    cat >"$DIR/pki/audit.yaml" <<'K'
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- {level: None, verbs: [get, list, watch]}
- {level: None, resources: [{group: coordination.k8s.io}]}
- {level: Request, verbs: [create, update, patch, delete], resources: [{group: "", resources: [pods, pods/status]}]}
- {level: Metadata}
K
    more+=(--audit-policy-file="$DIR/pki/audit.yaml" --audit-log-path="$DIR/log/audit.log")
  fi
  local address; address=$(<"$DIR/address")
  # Word splitting of the *_FLAGS variables is intended, here and below.
  # shellcheck disable=SC2206
  more+=(${FAIRLEAD_K8S_APISERVER_FLAGS:-})
  command_line kube-apiserver "$BIN/kube-apiserver" --etcd-servers="http://127.0.0.1:$ETCD_PORT" \
    --bind-address="$address" --advertise-address="$address" --secure-port="$API_PORT" --endpoint-reconciler-type=none \
    --tls-cert-file="$DIR/pki/apiserver.crt" --tls-private-key-file="$DIR/pki/apiserver.key" \
    --client-ca-file="$DIR/pki/ca.crt" --service-account-issuer=https://kubernetes.default.svc \
    --service-account-key-file="$DIR/pki/sa.pub" --service-account-signing-key-file="$DIR/pki/sa.key" \
    --service-cluster-ip-range=10.96.0.0/16 --authorization-mode=Node,RBAC --enable-admission-plugins=NodeRestriction \
    --kubelet-preferred-address-types=InternalIP --allow-privileged=true --profiling=false \
    --default-not-ready-toleration-seconds="$2" --default-unreachable-toleration-seconds="$2" "${more[@]}"
}

manager_command() { # GRACE
  # shellcheck disable=SC2206
  local more=(${FAIRLEAD_K8S_KCM_FLAGS:-})
  command_line kube-controller-manager "$BIN/kube-controller-manager" --kubeconfig="$DIR/pki/kcm.kubeconfig" \
    --use-service-account-credentials=true --secure-port=0 --leader-elect=false --allocate-node-cidrs=false \
    --root-ca-file="$DIR/pki/ca.crt" --service-account-private-key-file="$DIR/pki/sa.key" \
    --cluster-signing-cert-file="$DIR/pki/ca.crt" --cluster-signing-key-file="$DIR/pki/ca.key" \
    --node-monitor-period=2s --node-monitor-grace-period="${1}s" --kube-api-qps=500 --kube-api-burst=1000 "${more[@]}"
}

scheduler_command() {
  # shellcheck disable=SC2206
  local more=(${FAIRLEAD_K8S_SCHEDULER_FLAGS:-})
  cat >"$DIR/pki/scheduler.yaml" <<K
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
clientConnection: {kubeconfig: "$DIR/pki/scheduler.kubeconfig", qps: 1000, burst: 2000}
leaderElection: {leaderElect: false}
K
  command_line kube-scheduler "$BIN/kube-scheduler" --config="$DIR/pki/scheduler.yaml" --secure-port=0 "${more[@]}"
}

kwok_command() { # LEASE
  # shellcheck disable=SC2206
  local more=(${FAIRLEAD_K8S_KWOK_FLAGS:-}) f config=()
  # All containers log to this file, in the format of a container runtime. Tests may append to it.
  echo "$(date -u +%Y-%m-%dT%H:%M:%S.%NZ) stdout F simulated container output" >"$DIR/container.log"
  cat >"$DIR/pki/logs.yaml" <<K
apiVersion: kwok.x-k8s.io/v1alpha1
kind: ClusterLogs
metadata: {name: all}
spec: {logs: [{logsFile: "$DIR/container.log", follow: true}]}
K
  for f in "$HERE"/kwok/config/{kwok,nodes,pods}.yaml "$DIR/pki/logs.yaml"; do config+=(--config="$f"); done
  command_line kwok "$BIN/kwok" --kubeconfig="$DIR/pki/kwok.kubeconfig" "${config[@]}" \
    --manage-all-nodes=false --manage-nodes-with-label-selector=sim.fairlead.dev/kubelet=running \
    --node-lease-duration-seconds="$1" --node-ip=127.0.0.1 --cidr=10.128.0.1/9 \
    --node-port="$KUBELET_PORT" --server-address="127.0.0.1:$KUBELET_PORT" \
    --tls-cert-file="$DIR/pki/apiserver.crt" --tls-private-key-file="$DIR/pki/apiserver.key" "${more[@]}"
}
