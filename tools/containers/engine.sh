#!/usr/bin/env bash
# Provides a container engine: Docker if it responds, otherwise podman with a Docker-compatible API. See README.md.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
state=${FAIRLEAD_CONTAINERS:-${XDG_CACHE_HOME:-$HOME/.cache}/fairlead-containers}
socket=$state/podman.sock
mirror=${FAIRLEAD_DEBIAN_MIRROR:-http://deb.debian.org/debian}
packages=(podman runc netavark aardvark-dns catatonit iptables debootstrap debian-archive-keyring python3-venv)

say() { echo "containers: $*" >&2; }
die() { say "$@"; exit 1; }

usage() {
  cat <<'U'
usage: engine.sh COMMAND
  kind             docker, podman or none: what would be used
  install          podman and its parts by apt, unless Docker answers or they are there (root on Debian or Ubuntu)
  up               start the engine; prints the environment of its clients: eval "$(engine.sh up)"
  down             stop it and remove its containers; images stay
  postgres         makes sure of a PostgreSQL 17 image and prints its name
  jdk              makes sure of a base image with Java 25 and prints its name
  python           makes sure of a base image with Python 3.10 or newer and prints its name
  cli ARG...       docker ARG... or podman ARG...
  compose ARG...   docker compose ARG... or podman-compose ARG...
environment: FAIRLEAD_CONTAINERS (state; default: fairlead-containers in the user's cache),
  FAIRLEAD_DEBIAN_MIRROR (default: deb.debian.org)
U
}

# A client on the PATH does not prove that an engine runs, and our own podman behind DOCKER_HOST is not Docker.
docker_answers() {
  [ "${DOCKER_HOST:-}" != "unix://$socket" ] && command -v docker >/dev/null && docker info >/dev/null 2>&1
}

podman_installed() {
  [ "$(id -u)" -eq 0 ] || return 1
  local program
  for program in podman runc debootstrap; do command -v "$program" >/dev/null || return 1; done
}

kind() {
  if docker_answers; then echo docker
  elif podman_installed; then echo podman
  else echo none; fi
}

install_engine() {
  [ "$(kind)" = none ] || return 0
  [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null || die "needs root on Debian or Ubuntu; or install Docker"
  say "installing podman"
  apt-get update -qq >&2
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null
}

. "$here/podman.sh"
. "$here/images.sh"

up() {
  case $(kind) in
    docker) echo "# Docker answers: nothing to set" ;;
    podman) podman_up ;;
    none) die "no engine: run 'engine.sh install', or install Docker" ;;
  esac
}

cli() {
  case $(kind) in
    docker) exec docker "$@" ;;
    podman) podman_configure; exec podman "$@" ;;
    none) die "no engine: run 'engine.sh install', or install Docker" ;;
  esac
}

compose() {
  case $(kind) in
    docker)
      docker compose version >/dev/null 2>&1 || die "Docker is here, its compose plugin is not"
      exec docker compose "$@"
      ;;
    podman) podman_configure; podman_compose_install; exec "$state/compose/bin/podman-compose" "$@" ;;
    none) die "no engine: run 'engine.sh install', or install Docker" ;;
  esac
}

command=${1:-help}
shift || true
case $command in
  kind) kind ;;
  install) install_engine ;;
  up) up ;;
  down) [ "$(kind)" != podman ] || podman_down ;;
  postgres) postgres_image ;;
  jdk) jdk_image ;;
  python) python_image ;;
  cli) cli "$@" ;;
  compose) compose "$@" ;;
  help | --help | -h) usage ;;
  *) usage >&2; exit 2 ;;
esac
