# shellcheck shell=bash
# Simulated nodes.

model_labels() { # MODEL GPU_MEMORY_MIB: sets product, mib and family as GPU feature discovery would
  case $1 in
    A100 | A100-80) product=NVIDIA-A100-SXM4-80GB mib=81920 family=ampere ;;
    A100-40) product=NVIDIA-A100-SXM4-40GB mib=40960 family=ampere ;;
    A30) product=NVIDIA-A30 mib=24576 family=ampere ;;
    B200) product=NVIDIA-B200 mib=183359 family=blackwell ;;
    H100) product=NVIDIA-H100-80GB-HBM3 mib=81559 family=hopper ;;
    H200) product=NVIDIA-H200 mib=143771 family=hopper ;;
    L4) product=NVIDIA-L4 mib=23034 family=ada-lovelace ;;
    L40S) product=NVIDIA-L40S mib=46068 family=ada-lovelace ;;
    T4) product=Tesla-T4 mib=15360 family=turing ;;
    *) product=$1 mib=81920 family=unknown ;;
  esac
  mib=${2:-$mib}
}

nodes() {
  local n=0 gpus=8 model=H100 memory_mib='' racks=1 blocks=1 zones=1 cpus=128 memory=2Ti prefix=gpu product mib family
  while (($#)); do
    case $1 in
      --nodes) n=$2 ;; --gpus) gpus=$2 ;; --gpu-model) model=$2 ;; --gpu-memory) memory_mib=$2 ;; --racks) racks=$2 ;;
      --blocks) blocks=$2 ;; --zones) zones=$2 ;; --cpus) cpus=$2 ;; --memory) memory=$2 ;; --prefix) prefix=$2 ;;
      *) die "nodes: unknown option $1" ;;
    esac
    shift 2
  done
  ((n > 0)) || return 0
  model_labels "$model" "$memory_mib"
  awk -v n="$n" -v gpus="$gpus" -v product="$product" -v mib="$mib" -v family="$family" -v racks="$racks" \
    -v blocks="$blocks" -v zones="$zones" -v cpus="$cpus" -v memory="$memory" -v prefix="$prefix" \
    -f "$HERE/lib/nodes.awk" | k create -f - >/dev/null
  await 120 nodes nodes_settled
}

nodes_settled() { # all Ready, and rid of the taint that admission puts on a new node
  local waiting
  waiting=$(k get nodes --selector sim.fairlead.dev/kubelet=running --output \
    'jsonpath={range .items[*]}{.status.conditions[?(@.type=="Ready")].status}/{.spec.taints[*].key}{"\n"}{end}') || return 1
  ! grep -qv '^True/$' <<<"$waiting"
}

node() { # NODE ACTION
  case $2 in
    silent) k label node "$1" sim.fairlead.dev/kubelet=silent --overwrite ;;
    back) k label node "$1" sim.fairlead.dev/kubelet=running --overwrite ;;
    not-ready) k label node "$1" sim.fairlead.dev/fault=not-ready --overwrite ;;
    ready) k label node "$1" sim.fairlead.dev/fault- ;;
    gpus=*) k patch node "$1" --subresource=status --type=merge \
      --patch "{\"status\":{\"allocatable\":{\"nvidia.com/gpu\":\"${2#gpus=}\"}}}" ;;
    reboot) k patch node "$1" --subresource=status --type=merge \
      --patch "{\"status\":{\"nodeInfo\":{\"bootID\":\"$(</proc/sys/kernel/random/uuid)\"}}}" ;;
    *) die "node: unknown action $2" ;;
  esac
}
