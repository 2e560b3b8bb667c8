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
  measure PART DIR            run Kueue's own performance test with a part (0.1, 1) of its jobs, print the folder of its result;
                              exits with 3 where it cannot be built
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

unavailable() { echo "$*" >&2; exit 3; }

summary() { awk -v class="$2:" -v key="$3:" '$1 == class { inside = 1 } inside && $1 == key { gsub(/"/, "", $2); print $2; exit }' "$1/summary.yaml"; }

# The runner of the module starts etcd, an API server and a small Kueue, creates the jobs and ends each job after its run time. It
# writes summary.yaml and Kueue's CPU time. Durations in the result are milliseconds, and memory is in KiB.
measure() { # PART DIR
  local part=$1 dir=$2 k8s from one first last user kernel kind
  command -v go >/dev/null || unavailable "no Go toolchain: put go (1.26 or newer) on the PATH"
  k8s=$("$HERE/../k8s/cluster.sh" bin)
  [[ -x $k8s/kube-apiserver && -x $k8s/etcd ]] || unavailable "no API server in $k8s, run: tools/k8s/cluster.sh build"
  from=$(module)
  [[ -d $from/test/performance/scheduler/runner ]] || unavailable "the Kueue module lacks its performance test"
  mkdir -p "$BIN" "$dir"
  for one in runner minimalkueue; do
    (cd "$HERE/kueue" && GOTOOLCHAIN=local CGO_ENABLED=0 nice go build -p 2 -trimpath -ldflags '-s -w' -o "$BIN/kueue-$one" \
      "sigs.k8s.io/kueue/test/performance/scheduler/$one") >&2 || unavailable "$one was not built"
  done
  awk -v part="$part" '/^ *- count:/ { n = int($3 * part + 0.5); sub(/[0-9]+$/, n < 1 ? 1 : n) } { print }' \
    "$from/test/performance/scheduler/configs/baseline/generator.yaml" >"$dir/generator.yaml"
  TIMEFORMAT='%U %S'
  { time PROJECT_DIR=$from/kueue KUBEBUILDER_ASSETS=$k8s "$BIN/kueue-runner" -o "$dir" -crds "$from/config/components/crd/bases" \
    -generatorConfig "$dir/generator.yaml" -minimalKueue "$BIN/kueue-minimalkueue" -qps 1000 -burst 2000 -timeout 30m \
    >"$dir/log" 2>&1; } 2>"$dir/time" || die "the performance test failed, see $dir/log"
  first=$(date -d "$(summary "$dir" cq firstEventTime)" +%s%3N)
  last=$(date -d "$(summary "$dir" cq lastEventTime)" +%s%3N)
  read -r user kernel < <(tail -n 1 "$dir/time")
  {
    echo "wall=$((last - first))"
    awk '$1 == "userMs:" || $1 == "sysMs:" { cpu += $2 } $1 == "maxrss:" { kib = $2 } END { print "cpu=" cpu; print "kib=" kib }' \
      "$dir/kueue-minimalkueue.stats.yaml"
    awk -v user="$user" -v kernel="$kernel" 'BEGIN { printf "all=%d\n", (user + kernel) * 1000 }'
    for kind in small medium large; do echo "$kind=$(summary "$dir" $kind averageTimeToAdmissionMs)"; done
  } >"$dir/result"
  echo "$dir"
}

case ${1-} in
  build) build ;;
  built) built ;;
  up) (($# == 4)) || { usage >&2; exit 2; }; up "$2" "$3" "$4" ;;
  down) (($# == 2)) || { usage >&2; exit 2; }; down "$2" ;;
  measure) (($# == 3)) || { usage >&2; exit 2; }; measure "$2" "$3" ;;
  *) usage >&2; exit 2 ;;
esac
