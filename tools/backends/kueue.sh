#!/usr/bin/env bash
# Kueue, built from its Go module, for a control plane of tools/k8s. See README.md.
set -euo pipefail

NAME=kueue
PACKAGE=sigs.k8s.io/kueue/cmd/kueue
# shellcheck source=program.sh
. "$(dirname "${BASH_SOURCE[0]}")/program.sh"

# Kueue reads the certificate of its metrics from a fixed folder, which only its own mount namespace has.
INSIDE='set -e; mount -t tmpfs none /etc; mkdir -p /etc/kueue/metrics/certs; cp "$2"/tls.* /etc/kueue/metrics/certs
exec "$1" --config "$2/config.yaml" --zap-log-level 2'

usage() {
  cat <<'U'
usage: kueue.sh COMMAND
  build                       compile the program when its module changed
  built                       whether the program is up to date
  up KUBECONFIG DIR PORT      install CRDs, start the controller with its pod webhook on the port; files go to DIR
  down DIR                    stop the controller of the folder
U
}

module() { (cd "$HERE/kueue" && GOTOOLCHAIN=local go list -m -f '{{.Dir}}' sigs.k8s.io/kueue); }

certificate() { # DIR
  openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=kueue -addext subjectAltName=IP:127.0.0.1 \
    -keyout "$1/tls.key" -out "$1/tls.crt" 2>/dev/null
}

configuration() { # DIR PORT
  cat <<C
apiVersion: config.kueue.x-k8s.io/v1beta2
kind: Configuration
health: {healthProbeBindAddress: "0"}
metrics: {bindAddress: "0"}
webhook: {host: 127.0.0.1, port: $2, certDir: $1}
leaderElection: {leaderElect: false}
internalCertManagement: {enable: false}
namespace: kueue-system
integrations: {frameworks: [pod]}
featureGates: {VisibilityOnDemand: false}
C
}

webhook() { # DIR PORT
  cat <<W
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: kueue}
webhooks:
- name: mpod.kb.io
  clientConfig: {url: "https://127.0.0.1:$2/mutate--v1-pod", caBundle: $(base64 -w0 <"$1/tls.crt")}
  rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]
  objectSelector: {matchExpressions: [{key: kueue.x-k8s.io/queue-name, operator: Exists}]}
  admissionReviewVersions: [v1]
  sideEffects: None
  failurePolicy: Ignore
W
}

up() {
  local config=$1 dir=$2 port=$3 crds kubectl=${KUBECTL:-kubectl}
  present
  mkdir -p "$dir"
  crds=$(module)/config/components/crd/bases
  "$kubectl" --kubeconfig "$config" apply --server-side --force-conflicts -f "$crds" >&2
  "$kubectl" --kubeconfig "$config" wait --for=condition=Established --timeout=60s -f "$crds" >&2
  [[ -f $dir/tls.crt ]] || certificate "$dir"
  configuration "$dir" "$port" >"$dir/config.yaml"
  webhook "$dir" "$port" | "$kubectl" --kubeconfig "$config" apply -f - >&2
  KUBECONFIG=$config setsid unshare --mount --map-root-user bash -c "$INSIDE" kueue "$BIN/kueue" "$dir" >"$dir/log" 2>&1 &
  echo $! >"$dir/pid"
}

case ${1-} in
  build) build ;;
  built) built ;;
  up) (($# == 4)) || { usage >&2; exit 2; }; up "$2" "$3" "$4" ;;
  down) (($# == 2)) || { usage >&2; exit 2; }; down "$2" ;;
  *) usage >&2; exit 2 ;;
esac
