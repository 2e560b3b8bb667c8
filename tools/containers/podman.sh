# shellcheck shell=bash
# Sourced by engine.sh: podman with separate storage, network state and configuration, so that it does not affect any other
# podman on the machine.

runroot=/run/fairlead-containers-$(printf %s "$state" | cksum | cut -d' ' -f1) # of this boot only, as podman wants it

podman_locked() { # COMMAND...: one at a time on this state; the lock is not handed on to daemons (they close 9)
  mkdir -p "$state"
  (
    flock 9
    "$@"
  ) 9>"$state/lock"
}

podman_configure() {
  export CONTAINERS_CONF=$state/containers.conf CONTAINERS_STORAGE_CONF=$state/storage.conf
  podman_locked podman_write_configuration
}

podman_write_configuration() {
  local files procs
  files=$(ulimit -Hn)
  procs=$(ulimit -Hu)
  { [ "$procs" = unlimited ] || [ "$procs" -gt 10000 ]; } && procs=10000
  # Limits above the machine's hard limits are refused. Soft and hard limits are equal because the Docker API swaps them.
  # runc, because crun refuses machines that mount both versions of cgroups.
  cat >"$CONTAINERS_CONF.new" <<CONF
[containers]
default_ulimits = ["nofile=$files:$files", "nproc=$procs:$procs"]
log_driver = "k8s-file"
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
tmp_dir = "$runroot/libpod"
[network]
network_config_dir = "$state/networks"
CONF
  mv "$CONTAINERS_CONF.new" "$CONTAINERS_CONF"
  [ -f "$CONTAINERS_STORAGE_CONF" ] || podman_write_storage
}

podman_write_storage() {
  cat >"$CONTAINERS_STORAGE_CONF" <<CONF
[storage]
driver = "$(overlay_works && echo overlay || echo vfs)"
graphroot = "$state/storage"
runroot = "$runroot"
CONF
}

overlay_works() { # false where the state lies on an overlay itself, as inside of a container
  local probe works=1
  probe=$(mktemp -d "$state/overlay.XXXX")
  mkdir "$probe"/{lower,upper,work,merged}
  if mount -t overlay overlay -o "lowerdir=$probe/lower,upperdir=$probe/upper,workdir=$probe/work" "$probe/merged" 2>/dev/null; then
    works=0
    umount "$probe/merged"
  fi
  rm -rf "$probe"
  return $works
}

podman_serving() { # the process that we started, not another one with its number
  local pid
  pid=$(cat "$state/pid" 2>/dev/null) && tr '\0' ' ' 2>/dev/null <"/proc/$pid/cmdline" | grep -qF "unix://$socket"
}

podman_up() {
  podman_configure
  podman_locked podman_serve
  # Without the reaper of Testcontainers (its image is in a registry), containers of a killed test remain.
  podman ps -aq --filter label=org.testcontainers=true --filter until=2h | xargs -r podman rm -fv >/dev/null
  podman image prune -f --filter until=24h >/dev/null # layers of builds, and images that lost their name
  echo "export DOCKER_HOST=unix://$socket TESTCONTAINERS_RYUK_DISABLED=true"
}

podman_serve() {
  # Each call restarts the idle timer. Otherwise podman could stop during the suite that has just found it.
  podman_serving && podman --url "unix://$socket" version >/dev/null 2>&1 && return
  rm -f "$socket"
  # Stops after two idle hours. Its working directory is permanent: a work tree may be deleted while podman runs, and no
  # container starts from a deleted directory.
  cd "$state"
  setsid podman system service --time=7200 "unix://$socket" >"$state/engine.log" 2>&1 </dev/null 9>&- &
  echo $! >"$state/pid"
  local _
  for _ in $(seq 600); do
    [ ! -S "$socket" ] || return 0
    sleep 0.1
  done
  die "podman did not start: $(tail -n 3 "$state/engine.log")"
}

podman_down() {
  podman_configure
  if podman_serving; then kill "$(cat "$state/pid")"; fi
  rm -f "$state/pid" "$socket"
  podman rm -afv >/dev/null
}

podman_compose_install() {
  local wanted
  wanted=$(cksum <"$here/requirements.txt")
  [ -x "$state/compose/bin/python" ] && [ "$(cat "$state/compose/installed" 2>/dev/null)" = "$wanted" ] && return
  podman_locked podman_compose_venv "$wanted"
}

podman_compose_venv() {
  say "installing podman-compose"
  rm -rf "$state/compose"
  python3 -m venv "$state/compose"
  "$state/compose/bin/pip" install -q --disable-pip-version-check -r "$here/requirements.txt" >&2
  printf %s "$1" >"$state/compose/installed"
}
