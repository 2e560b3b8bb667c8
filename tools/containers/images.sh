# shellcheck shell=bash
# Sourced by engine.sh: base images. Docker pulls the well-known images. For podman they are built here once, from Debian
# packages and the JDK of this machine, and labelled with a digest of their recipe.

postgres_image() {
  case $(kind) in
    docker) pulled "${FAIRLEAD_POSTGRES_IMAGE:-postgres:17}" ;;
    podman) podman_configure; podman_locked make_postgres localhost/fairlead/postgres:17 ;;
    none) die "no engine: run 'engine.sh install', or install Docker" ;;
  esac
}

jdk_image() {
  case $(kind) in
    docker) pulled eclipse-temurin:25-jre ;;
    podman) podman_configure; podman_locked make_jdk localhost/fairlead/jdk:25 ;;
    none) die "no engine: run 'engine.sh install', or install Docker" ;;
  esac
}

python_image() {
  case $(kind) in
    docker) pulled python:3.13-slim ;;
    podman) podman_configure; podman_locked make_python localhost/fairlead/python:3 ;;
    none) die "no engine: run 'engine.sh install', or install Docker" ;;
  esac
}

pulled() { # IMAGE
  docker image inspect "$1" >/dev/null 2>&1 || docker pull -q "$1" >&2
  echo "$1"
}

digest() { sha256sum | cut -c1-16; }

made() { # IMAGE RECIPE: the image is there, and of this recipe
  [ "$(podman image inspect --format '{{index .Labels "dev.fairlead.recipe"}}' "$1" 2>/dev/null)" = "$2" ]
}

rootfs() { # DIRECTORY PACKAGES: a minimal Debian
  rm -rf "$1"
  debootstrap --variant=minbase --include="$2" trixie "$1" "$mirror" >"$state/debootstrap.log" 2>&1 9>&- ||
    die "debootstrap failed: $(tail -n 3 "$state/debootstrap.log")"
  rm -rf "$1"/var/cache/apt/* "$1"/var/lib/apt/lists/* "$1"/usr/share/{doc,man}/*
}

imported() { # DIRECTORY IMAGE RECIPE CHANGE...: the directory becomes the image, and goes
  local dir=$1 image=$2 changes=(-c "LABEL dev.fairlead.recipe=$3") change before
  shift 3
  before=$(podman image inspect --format '{{.Id}}' "$image" 2>/dev/null) || true
  for change in "$@"; do changes+=(-c "$change"); done
  tar -C "$dir" -c . | podman import -q "${changes[@]}" - "$image" >/dev/null 2>"$state/import.log" ||
    die "import failed: $(cat "$state/import.log")"
  rm -rf "$dir"
  [ -z "$before" ] || podman rmi "$before" >/dev/null 2>&1 || true # one that a container uses stays
  echo "$image"
}

make_postgres() { # IMAGE
  local recipe dir=$state/rootfs-postgres
  recipe=$(cat "$here/images.sh" "$here/postgres-entrypoint" | digest)
  if made "$1" "$recipe"; then echo "$1"; return; fi
  say "making $1 (a minute, once)"
  rootfs "$dir" postgresql-17,locales
  chroot "$dir" localedef -i en_US -c -f UTF-8 -A /usr/share/locale/locale.alias en_US.UTF-8
  install -m 755 "$here/postgres-entrypoint" "$dir/usr/local/bin/entrypoint"
  imported "$dir" "$1" "$recipe" 'ENTRYPOINT ["/usr/local/bin/entrypoint"]' 'CMD ["postgres"]' \
    'ENV LANG=en_US.utf8' 'VOLUME /var/lib/postgresql/data' 'EXPOSE 5432' 'STOPSIGNAL SIGINT'
}

make_python() { # IMAGE
  local recipe dir=$state/rootfs-python
  recipe=$(digest <"$here/images.sh")
  if made "$1" "$recipe"; then echo "$1"; return; fi
  say "making $1 (a minute, once)"
  rootfs "$dir" python3,ca-certificates
  imported "$dir" "$1" "$recipe" 'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
}

make_jdk() { # IMAGE: what runs Java programs, without compiler and packagers
  local home recipe modules dir=$state/rootfs-jdk
  home=$("$here/../jdk25")
  recipe=$(cat "$here/images.sh" "$home/release" | digest)
  if made "$1" "$recipe"; then echo "$1"; return; fi
  say "making $1 (a minute, once)"
  rootfs "$dir" ca-certificates
  modules=$("$home/bin/java" --list-modules | cut -d@ -f1 | grep -vE '^jdk\.(jlink|compiler|javadoc|jpackage|jshell|incubator\..*)$' | paste -sd,)
  # The class data archive of an application extends the archive of the JDK's own classes.
  "$home/bin/jlink" --add-modules "$modules" --generate-cds-archive --strip-debug --no-man-pages --no-header-files \
    --output "$dir/opt/java" >&2
  imported "$dir" "$1" "$recipe" 'ENV JAVA_HOME=/opt/java' \
    'ENV PATH=/opt/java/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
}
