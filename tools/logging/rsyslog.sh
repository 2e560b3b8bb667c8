#!/usr/bin/env bash
# rsyslog.sh: unpacks Debian's rsyslog with its module for Kubernetes into the user's cache
# and prints the directory, without an installation. Exits with 3 and prints the reason if the packages cannot be obtained.
set -euo pipefail
debian=(rsyslog rsyslog-kubernetes rsyslog-elasticsearch libestr0 libfastjson4 liblognorm5)

missing() { echo "rsyslog: $*" >&2; exit 3; }

[ "$(uname -s)" = Linux ] || missing "it needs Linux"
for program in apt-get dpkg; do command -v "$program" >/dev/null || missing "$program is missing"; done
home=${XDG_CACHE_HOME:-$HOME/.cache}/fairlead-rsyslog/$(sha256sum <<<"${debian[*]}" | cut -c1-16)
mkdir -p "$home"
exec 8>"$home/.lock"; flock 8
if [ ! -e "$home/complete" ]; then
  (cd "$home" && apt-get download -qq "${debian[@]}" 2>download.log) ||
    missing "Debian's packages could not be downloaded: $(grep -m1 '^E:' "$home/download.log")"
  for package in "$home"/*.deb; do dpkg -x "$package" "$home/root"; done
  rm "$home"/*.deb && touch "$home/complete"
fi
echo "$home/root"
