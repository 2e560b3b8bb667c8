"""Fetches the code of an attempt and unpacks it into the working directory of the program.

It needs Python 3.12, or an older version with the extraction filters of its security fixes. Exit
codes: 44 the code is not stored, 45 the code cannot be unpacked, 46 the code could not be fetched.
"""

import hashlib
import os
import sys
import tarfile
import tempfile
import time
import urllib.error
import urllib.request

MISSING, BROKEN, UNREACHABLE = 44, 45, 46
PATIENCE = float(os.environ.get("FAIRLEAD_WORKDIR_PATIENCE", 600))
LONGEST_PAUSE = 30.0
SILENCE = 60
BLOCK = 1 << 20
MOST_BYTES = 10 << 30
MOST_ENTRIES = 200_000


def end(code, message):
    print("fairlead: " + message, file=sys.stderr, flush=True)
    try:
        with open("/dev/termination-log", "w", encoding="utf-8") as log:
            log.write(message)
    except OSError:
        pass  # outside a container
    sys.exit(code)


def fetch(url, token, digest, file):
    """Returns an error that may not recur on a later try, or None."""
    request = urllib.request.Request(url, headers={"Authorization": "Bearer " + token})
    file.seek(0)
    file.truncate()
    sha = hashlib.sha256()
    with urllib.request.urlopen(request, timeout=SILENCE) as answer:
        for block in iter(lambda: answer.read(BLOCK), b""):
            sha.update(block)
            file.write(block)
        length = answer.headers.get("Content-Length")
    if length is not None and int(length) != file.tell():
        return "the answer ended after %d of %s bytes" % (file.tell(), length)
    if "sha256:" + sha.hexdigest() != digest:
        end(BROKEN, "the code has the digest sha256:%s, not %s" % (sha.hexdigest(), digest))
    return None


def fetched(url, token, digest, file):
    until, pause = time.monotonic() + PATIENCE, 1.0
    while True:
        wait = pause
        try:
            trouble = fetch(url, token, digest, file)
            if trouble is None:
                return
        except urllib.error.HTTPError as refused:
            trouble = "HTTP %d" % refused.code
            if refused.code in (401, 403, 404, 410):
                end(MISSING, "the code %s is no longer stored (%s)" % (digest, trouble))
            after = refused.headers.get("Retry-After", "")
            wait = max(pause, float(after)) if after.isdigit() else pause
        except (OSError, ValueError) as broken:
            trouble = str(broken)
        if time.monotonic() + wait > until:
            end(UNREACHABLE, "the code could not be fetched from %s: %s" % (url, trouble))
        time.sleep(wait)
        pause = min(LONGEST_PAUSE, pause * 2)


def unpack(file, directory):
    size, entries = 0, 0
    with tarfile.open(fileobj=file, mode="r:gz") as archive:
        for entry in archive:
            size, entries = size + max(0, entry.size), entries + 1
            if size > MOST_BYTES or entries > MOST_ENTRIES:
                raise tarfile.TarError("more than 10 GiB or 200000 files")
            # refuses paths and links that leave the directory, and devices
            archive.extract(entry, directory, filter="data")


def main():
    digest, directory = os.environ["FAIRLEAD_WORKDIR_DIGEST"], os.environ["FAIRLEAD_WORKDIR"]
    with tempfile.TemporaryFile(dir=directory) as file:
        fetched(
            os.environ["FAIRLEAD_WORKDIR_URL"], os.environ["FAIRLEAD_WORKDIR_TOKEN"], digest, file
        )
        file.seek(0)
        try:
            unpack(file, directory)
        except (tarfile.TarError, EOFError, OSError) as broken:
            end(BROKEN, "the code %s cannot be unpacked: %s" % (digest, broken))


if __name__ == "__main__":
    main()
