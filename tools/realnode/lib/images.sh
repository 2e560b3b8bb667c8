# shellcheck shell=bash
# Container images without a registry: each is a separate Debian, as one layer in a docker archive.

image() { # NAME [--packages A,B]
  local name=${1:?which image?} packages=python3,procps; shift
  while (($#)); do
    case $1 in --packages) packages=$2 ;; *) die "image: unknown option $1" ;; esac
    shift 2
  done
  mkdir -p "$IMAGES"
  exec 7>"$IMAGES/.lock"; flock 7
  local recipe="${FAIRLEAD_K8S_SUITE:-bookworm} $packages"
  [[ ! -f $IMAGES/$name.tar || $(cat "$IMAGES/$name.recipe" 2>/dev/null) != "$recipe" ]] || return 0
  command -v debootstrap >/dev/null || die "debootstrap is missing (package debootstrap)"
  echo "node.sh: making image $name of $packages" >&2
  local root log=$IMAGES/$name.log
  root=$(mktemp -d "$IMAGES/.root.XXXXXX"); chmod 755 "$root"
  # shellcheck disable=SC2064
  trap "rm -rf '$root'" EXIT
  # Builds a minimal system first, because apt inside it resolves dependencies better than debootstrap.
  debootstrap --variant=minbase "${FAIRLEAD_K8S_SUITE:-bookworm}" "$root" \
    ${FAIRLEAD_K8S_MIRROR:+"$FAIRLEAD_K8S_MIRROR"} >"$log" 2>&1 || die "image $name failed, see $log"
  cp /etc/resolv.conf /etc/hosts "$root/etc/"
  DEBIAN_FRONTEND=noninteractive chroot "$root" \
    sh -c "apt-get install -y --no-install-recommends ${packages//,/ } && apt-get clean" >>"$log" 2>&1 ||
    die "image $name failed, see $log"
  rm -rf "$root"/etc/resolv.conf "$root"/etc/hosts "$root"/var/lib/apt/lists/* "$root"/usr/share/{doc,man,locale}/*
  archive "$name" "$root" '["python3"]'
  echo "$recipe" >"$IMAGES/$name.recipe"
}

pause_image() { # the process of a pod's sandbox, alone in its image
  [[ $IMAGES/pause.tar -nt $BIN/pause ]] && return 0
  local root; root=$(mktemp -d "$IMAGES/.root.XXXXXX")
  cp "$BIN/pause" "$root/pause"
  archive pause "$root" '["/pause"]'
  rm -rf "$root"
}

archive() { # NAME ROOT_FOLDER COMMAND_JSON -> $IMAGES/NAME.tar
  local tmp id arch; tmp=$(mktemp -d "$IMAGES/.archive.XXXXXX")
  case $(uname -m) in
    x86_64) arch=amd64 ;;
    aarch64) arch=arm64 ;;
    *) die "no image for architecture $(uname -m)" ;;
  esac
  tar -C "$2" --numeric-owner --one-file-system --exclude='./proc/*' --exclude='./sys/*' --exclude='./dev/*' \
    -cf "$tmp/layer.tar" .
  id=$(sha256sum "$tmp/layer.tar"); id=${id%% *}
  cat >"$tmp/config.json" <<K
{"architecture": "$arch", "os": "linux", "rootfs": {"type": "layers", "diff_ids": ["sha256:$id"]},
 "config": {"Env": ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"], "Cmd": $3}}
K
  echo "[{\"Config\": \"config.json\", \"RepoTags\": [\"localhost/$1:1\"], \"Layers\": [\"layer.tar\"]}]" >"$tmp/manifest.json"
  tar -C "$tmp" -cf "$tmp/image.tar" manifest.json config.json layer.tar
  mv "$tmp/image.tar" "$IMAGES/$1.tar"
  rm -rf "$tmp"
}

load() { # FILE: into the node's containerd
  inside ctr -n k8s.io images import --local - <"$1" 2>&1 >/dev/null | { grep -v DEPRECATION >&2 || true; }
}
