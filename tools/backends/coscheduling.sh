#!/usr/bin/env bash
# A kube-scheduler with the plugin Coscheduling, built from its Go module, for a control plane of tools/k8s. See README.md.
set -euo pipefail

NAME=coscheduling
PACKAGE=fairlead.dev/tools/backends/coscheduling
# shellcheck source=program.sh
. "$(dirname "${BASH_SOURCE[0]}")/program.sh"

usage() {
  cat <<'U'
usage: coscheduling.sh COMMAND
  build                compile the program when its module changed
  built                whether the program is up to date
  up KUBECONFIG DIR    install the CRD, start the scheduler. Files go to DIR
  down DIR             stop the scheduler of the folder
U
}

module() { (cd "$HERE/coscheduling" && GOTOOLCHAIN=local go list -m -f '{{.Dir}}' sigs.k8s.io/scheduler-plugins); }

configuration() { # KUBECONFIG
  cat <<C
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
clientConnection: {kubeconfig: "$1"}
leaderElection: {leaderElect: false}
profiles:
- schedulerName: scheduler-plugins-scheduler
  plugins:
    multiPoint: {enabled: [{name: Coscheduling}]}
    queueSort: {disabled: [{name: "*"}], enabled: [{name: Coscheduling}]}
  pluginConfig:
  - name: Coscheduling
    args: {permitWaitingTimeSeconds: 10}
C
}

up() {
  local config=$1 dir=$2 crd kubectl=${KUBECTL:-kubectl}
  present
  mkdir -p "$dir"
  crd=$(module)/config/crd/bases/scheduling.x-k8s.io_podgroups.yaml
  "$kubectl" --kubeconfig "$config" apply --server-side --force-conflicts -f "$crd" >&2
  "$kubectl" --kubeconfig "$config" wait --for=condition=Established --timeout=60s -f "$crd" >&2
  configuration "$config" >"$dir/scheduler.yaml"
  setsid "$BIN/coscheduling" --config="$dir/scheduler.yaml" --secure-port=0 >"$dir/log" 2>&1 &
  echo $! >"$dir/pid"
}

case ${1-} in
  build) build ;;
  built) built ;;
  up) (($# == 3)) || { usage >&2; exit 2; }; up "$2" "$3" ;;
  down) (($# == 2)) || { usage >&2; exit 2; }; down "$2" ;;
  *) usage >&2; exit 2 ;;
esac
