#!/usr/bin/env bash
# Runs Slurm with accounting on this machine, from Debian packages that are unpacked into the user's cache, not installed.
#   slurm.sh packages                          prints the directory of the unpacked packages; exits with 3 and prints
#                                              the reason if they cannot be obtained
#   slurm.sh run PACKAGES DIRECTORY NODES CPUS runs Slurm until its standard input ends. Prints "ready", or "ready, no
#                                              accounting: REASON" if MariaDB or slurmdbd does not start
#   slurm.sh rest PACKAGES DIRECTORY NODES CPUS  the same with two GPUs of the made-up type h100 in each node, and slurmrestd.
#                                              DIRECTORY/rest has its port, DIRECTORY/token a JWT of root
# With SLURM_SUITE=trixie, packages unpacks a whole root of that suite of Debian with a newer Slurm, which run and rest enter.
# NODES slurmd run on this host, as Slurm's documentation describes for tests. Everything listens on 127.0.0.1 only, is
# stored below DIRECTORY, and ends with its PID namespace.
set -euo pipefail
debian=(slurmctld slurmd slurmdbd slurmrestd slurm-client slurm-wlm-basic-plugins slurm-wlm-mysql-plugin slurm-wlm-jwt-plugin munge
  libmunge2 libhwloc15 libhttp-parser2.9 libjwt0 libjansson4 libb64-0d
  libjson-c5 liblua5.1-0 libnuma1 libyaml-0-2 libdbus-1-3 liblz4-1 mariadb-server-core libmariadb3 libaio1 liburing2 libpcre2-8-0)

missing() { echo "$*" >&2; exit 3; }

packages() {
  [ "$(uname -s)" = Linux ] && [ "$(id -u)" -eq 0 ] || missing "Slurm needs Linux and root here"
  for program in apt-get dpkg unshare; do command -v "$program" >/dev/null || missing "$program is missing"; done
  if [ -n "${SLURM_SUITE:-}" ]; then suite "$SLURM_SUITE"; return; fi
  home=${XDG_CACHE_HOME:-$HOME/.cache}/fairlead-slurm/$(sha256sum <<<"${debian[*]}" | cut -c1-16)
  mkdir -p "$home"
  exec 8>"$home/.lock"; flock 8
  if [ ! -e "$home/complete" ]; then
    (cd "$home" && apt-get download -qq "${debian[@]}" 2>download.log) ||
      missing "Debian's slurm-wlm could not be downloaded: $(grep -m1 '^E:' "$home/download.log")"
    for package in "$home"/*.deb; do dpkg -x "$package" "$home/root"; done
    # names as in the alternatives of Debian, because programs depend on the name by which they are called
    for program in slurmctld slurmd slurmstepd; do ln -sfn "$program-wlm" "$home/root/usr/sbin/$program"; done
    rm "$home"/*.deb && touch "$home/complete"
  fi
  echo "$home/root"
}

# Unpacks the programs of a suite with everything that they need.
suite() {
  home=${XDG_CACHE_HOME:-$HOME/.cache}/fairlead-slurm/$1
  mkdir -p "$home/lists/partial" "$home/archives/partial"
  exec 8>"$home/.lock"; flock 8
  if [ ! -e "$home/complete" ]; then
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian $1 main" >"$home/sources.list"
    : >"$home/status"
    local apt=(apt-get -qq -o "Dir::Etc::SourceList=$home/sources.list" -o Dir::Etc::SourceParts=/dev/null -o "Dir::State::Lists=$home/lists"
      -o "Dir::Cache=$home" -o "Dir::State::status=$home/status" -o APT::Sandbox::User=root)
    { "${apt[@]}" update && "${apt[@]}" install -y --no-install-recommends --download-only slurmctld slurmd slurmdbd slurmrestd \
      slurm-client slurm-wlm-basic-plugins slurm-wlm-mysql-plugin slurm-wlm-jwt-plugin munge mariadb-server-core \
      bash dash coreutils util-linux procps sed grep; } >"$home/download.log" 2>&1 ||
      missing "Debian's slurm-wlm of $1 could not be downloaded: $(grep -m1 '^E:' "$home/download.log")"
    for package in "$home"/archives/*.deb; do dpkg -x "$package" "$home/root"; done
    for program in slurmctld slurmd slurmstepd; do ln -sfn "$program-wlm" "$home/root/usr/sbin/$program"; done
    cp /etc/passwd /etc/group /etc/hosts /etc/nsswitch.conf "$home/root/etc/"
    rm "$home"/archives/*.deb && touch "$home/complete"
  fi
  echo "$home/root"
}

# Continues in a complete root, with the shared folders of this machine.
enter() {
  mkdir -p "$packages$packages" "$packages/mnt"
  for shared in /tmp /dev; do mount --rbind "$shared" "$packages$shared"; done
  mount -t proc proc "$packages/proc"
  mount --bind "$packages" "$packages$packages"
  mount --bind "${0%/*}" "$packages/mnt"
  exec chroot "$packages" /usr/bin/bash "/mnt/${0##*/}" "$@"
}

# Prints a free port above 20000 that no earlier call has returned.
port() {
  while :; do
    drawn=$((20000 + RANDOM % 10000))
    if [[ " $ports " != *" $drawn "* ]] && ! (: </dev/tcp/127.0.0.1/"$drawn") 2>/dev/null; then ports+=" $drawn"; return; fi
  done
}

# Repeats a command for up to 30 seconds until it succeeds.
await() {
  for _ in {1..150}; do if "$@" >/dev/null 2>&1; then return; fi; sleep 0.2; done
  return 1
}

config() {
  common="AuthType=auth/munge
AuthInfo=socket=$dir/munge.socket
PluginDir=$lib/slurm-wlm
SlurmUser=root"
  [ -z "$rest" ] || common+="
AuthAltTypes=auth/jwt
AuthAltParameters=jwt_key=$dir/jwt.key"
  printf '%s\n' "$common" "DbdHost=localhost" "DbdPort=$dbd" "StorageType=accounting_storage/mysql" "StorageHost=127.0.0.1" \
    "StoragePort=$sql" "StorageUser=root" "StorageLoc=slurm" "PidFile=$dir/slurmdbd.pid" "LogFile=$dir/slurmdbd.log" \
    "CommunicationParameters=NoInAddrAny" >"$dir/slurmdbd.conf"
  chmod 600 "$dir/slurmdbd.conf"
  [ "${0%/*}" != /mnt ] || echo "CgroupPlugin=disabled" >"$dir/cgroup.conf" # Slurm 22.05 does not know the value
  [ -z "$rest" ] || printf 'Name=gpu Type=h100 File=%s\n' /dev/null /dev/zero >"$dir/gres.conf"
  cat >"$dir/slurm.conf" <<CONF
$common
ClusterName=bench
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort=$ctl
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
CredType=cred/munge
MpiDefault=none
SwitchType=switch/none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
JobCompType=jobcomp/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
# settings from Slurm's guide for high throughput computing
SchedulerType=sched/backfill
SchedulerParameters=default_queue_depth=10000,sched_min_interval=0,batch_sched_delay=0
MaxJobCount=200000
MaxArraySize=100001
MessageTimeout=60
MinJobAge=300
SlurmctldDebug=error
SlurmdDebug=error
SlurmctldLogFile=$dir/slurmctld.log
SlurmctldPidFile=$dir/slurmctld.pid
StateSaveLocation=$dir/state
SlurmdLogFile=$dir/slurmd-%n.log
SlurmdPidFile=$dir/slurmd-%n.pid
SlurmdSpoolDir=$dir/spool-%n
SlurmdParameters=config_overrides
AccountingStorageType=accounting_storage/$1
AccountingStorageHost=localhost
AccountingStoragePort=$dbd
AccountingStoragePass=$dir/munge.socket
${rest:+GresTypes=gpu}
$(for ((n = 1; n <= nodes; n++)); do port; echo "NodeName=n$n NodeHostname=localhost NodeAddr=127.0.0.1 Port=$drawn CPUs=$cpus RealMemory=1000${rest:+ Gres=gpu:h100:2}"; done)
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=NO
CONF
}

# Starts MariaDB with durable commits, and slurmdbd. Prints the reason if either does not start.
accounting() {
  local tables=$packages/usr/share/mysql name=mysql
  [ -d "$tables" ] || { tables=$packages/usr/share/mariadb name=mariadb; }
  mkdir "$dir/sql" "$dir/sql-tmp"
  local server=("$packages/usr/sbin/mariadbd" --no-defaults --user=root "--datadir=$dir/sql" "--lc-messages-dir=$tables"
    "--character-sets-dir=$tables/charsets" "--tmpdir=$dir/sql-tmp" --innodb-buffer-pool-size=512M --innodb-lock-wait-timeout=900)
  { printf '%s\n' "create database mysql;" "use mysql;"
    cat "$tables/${name}_system_tables.sql" "$tables/${name}_system_tables_data.sql"
    echo "create database slurm;"; } | "${server[@]}" --bootstrap >"$dir/mariadb.log" 2>&1 || { echo "MariaDB cannot create its tables"; return; }
  "${server[@]}" --skip-grant-tables --bind-address=127.0.0.1 "--port=$sql" "--socket=$dir/sql.socket" "--pid-file=$dir/sql.pid" \
    >>"$dir/mariadb.log" 2>&1 </dev/null &
  await bash -c ": </dev/tcp/127.0.0.1/$sql" || { echo "MariaDB does not start"; return; }
  "$packages/usr/sbin/slurmdbd" -D >"$dir/slurmdbd.out" 2>&1 </dev/null &
  await bash -c ": </dev/tcp/127.0.0.1/$dbd" || { echo "slurmdbd does not start"; return; }
  "$packages/usr/bin/sacctmgr" -i add cluster bench >"$dir/sacctmgr.out" 2>&1 || echo "sacctmgr cannot add the cluster"
}

# Starts slurmrestd, which otherwise refuses to run as root.
interface() {
  port; echo "$drawn" >"$dir/rest"
  "$packages/usr/bin/scontrol" token username=root lifespan=86400 | sed 's/^SLURM_JWT=//' >"$dir/token"
  SLURM_JWT=daemon SLURMRESTD_SECURITY=disable_user_check "$packages/usr/sbin/slurmrestd" -a rest_auth/jwt "127.0.0.1:$drawn" >"$dir/slurmrestd.out" 2>&1 </dev/null &
  await bash -c ": </dev/tcp/127.0.0.1/$drawn" || { tail -n 3 "$dir/slurmrestd.out" >&2; missing "slurmrestd does not start"; }
}

rest() { rest=1 run "$@"; }

run() {
  packages=$1 dir=$2 nodes=$3 cpus=$4 ports= rest=${rest:-}
  [ "$$" -eq 1 ] || exec unshare --pid --fork --kill-child --mount-proc "$0" "$([ -n "$rest" ] && echo rest || echo run)" "$@"
  [ ! -x "$packages/usr/bin/bash" ] || [ "${0%/*}" = /mnt ] || enter "$([ -n "$rest" ] && echo rest || echo run)" "$@"
  lib=$(echo "$packages"/usr/lib/*-linux-gnu)
  export LD_LIBRARY_PATH=$lib:$lib/slurm-wlm SLURM_CONF=$dir/slurm.conf SLURMDBD_CONF=$dir/slurmdbd.conf
  chmod 755 "$dir"
  mkdir "$dir/state"
  exec 7<&0 </dev/null
  trap 'exit 0' TERM
  { cat <&7 >/dev/null; kill -TERM 1; } & # the namespace ends with standard input, also during the start
  input=$!
  port; ctl=$drawn; port; dbd=$drawn; port; sql=$drawn
  head -c 1024 /dev/urandom >"$dir/munge.key" && chmod 600 "$dir/munge.key"
  "$packages/usr/sbin/munged" --force --foreground --num-threads=10 "--socket=$dir/munge.socket" "--key-file=$dir/munge.key" \
    "--pid-file=$dir/munge.pid" "--seed-file=$dir/munge.seed" "--log-file=$dir/munge.log" >"$dir/munge.out" 2>&1 </dev/null &
  await test -S "$dir/munge.socket"
  [ -z "$rest" ] || { head -c 32 /dev/urandom >"$dir/jwt.key"; chmod 600 "$dir/jwt.key"; }
  config slurmdbd
  why=$(accounting 8>&-)
  [ -z "$why" ] || config none
  "$packages/usr/sbin/slurmctld" -D >"$dir/slurmctld.out" 2>&1 </dev/null &
  for ((n = 1; n <= nodes; n++)); do
    mkdir "$dir/spool-n$n"
    "$packages/usr/sbin/slurmd" -D -N "n$n" -d "$packages/usr/sbin/slurmstepd" >"$dir/slurmd-n$n.out" 2>&1 </dev/null &
  done
  await idle || { tail -n 3 "$dir"/slurm*.log "$dir"/slurm*.out >&2; missing "Slurm's nodes did not become idle"; }
  [ -z "$rest" ] || interface
  echo "ready${why:+, no accounting: $why}"
  wait "$input"
}

idle() { [ "$(timeout 5 "$packages/usr/bin/sinfo" -h -o '%D %t' -N -t idle | wc -l)" -eq "$nodes" ]; }

"$@"
