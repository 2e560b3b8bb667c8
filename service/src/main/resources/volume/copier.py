"""Copies a volume into a bucket and out of it, or a prefix of a bucket into a volume.

A job of Fairlead's own runs it with the volume mounted: `copier.py upload|download|verify|import|
remove`. Every mode may be killed at any moment and started again: it resumes from the objects and
files of the killed one.
It needs only Python 3.9 and its standard library.

In the bucket, below the prefix of one transfer, are `parts/<sha256>` (64 MiB of a file, or less)
and `manifest`: a line for each file, directory and link, with the hashes of its parts. It is
written last, so an existing manifest is complete.
"""

import concurrent.futures
import contextlib
import datetime
import hashlib
import hmac
import http.client
import json
import os
import stat
import sys
import threading
import time
import urllib.parse
import xml.etree.ElementTree as xml

PART = int(os.environ.get("FAIRLEAD_TRANSFER_PART", 64 << 20))
THREADS = 4
TRIES = 8
MOST_ENTRIES = 1_000_000  # about 1.5 kB each of the 2 GiB that its job has
MOST_TOLD = 10
STATE = ".fairlead-transfer"
DONE = ".fairlead-transfer.json"
IMPORTED = STATE + "/imported"
NOT_OURS = {"lost+found"}
NOFOLLOW = os.O_NOFOLLOW | os.O_CLOEXEC
RETRIED = {408, 429, 500, 502, 503, 504}


class Failure(Exception):
    """Error that stops the transfer, with a message for people."""


class Missing(Failure):
    """The bucket has no such object."""


class Bucket:
    """A bucket of S3, or of a server that speaks its protocol, with signature version 4."""

    def __init__(self, endpoint, region, name, path_style):
        at = urllib.parse.urlsplit(endpoint)
        self.secure = at.scheme == "https"
        self.name = name
        self.region = region
        self.path = "/" + name if path_style else ""
        self.host = at.netloc if path_style else name + "." + at.netloc
        self.key = os.environ["AWS_ACCESS_KEY_ID"]
        self.secret = os.environ["AWS_SECRET_ACCESS_KEY"]
        self.token = os.environ.get("AWS_SESSION_TOKEN")
        self.local = threading.local()

    def call(self, method, key="", query=None, body=b"", headers=None):
        """The body and the headers of the answer. Transient errors are retried for a minute."""
        for tried in range(TRIES):
            if tried:
                time.sleep(min(0.25 * 2**tried, 20))
            try:
                status, answer, got = self.once(method, key, query or {}, body, headers or {})
            except (OSError, http.client.HTTPException) as broken:
                self.local.line = None
                told = str(broken) or type(broken).__name__
                continue
            if 200 <= status < 300:
                return answer, got
            told = self.told(status, answer)
            if status == 404:
                raise Missing(self.uri(key) + ": " + told)
            if status not in RETRIED:
                break
        raise Failure("%s %s: %s" % (method, self.uri(key), told))

    def uri(self, key):
        return "s3://%s/%s" % (self.name, key)

    @staticmethod
    def told(status, answer):
        try:
            parts = {each.tag.rpartition("}")[2]: each.text for each in xml.fromstring(answer)}
            return "%s: %s" % (parts.get("Code", status), parts.get("Message", ""))
        except xml.ParseError:
            return "HTTP status %d" % status

    def once(self, method, key, query, body, headers):
        path = urllib.parse.quote(self.path + "/" + key, safe="/-_.~")
        asked = "&".join(
            "%s=%s" % (urllib.parse.quote(k, safe="-_.~"), urllib.parse.quote(v, safe="-_.~"))
            for k, v in sorted(query.items())
        )
        signed = self.signed(method, path, asked, hashlib.sha256(body).hexdigest())
        line = getattr(self.local, "line", None)
        if line is None:
            kind = http.client.HTTPSConnection if self.secure else http.client.HTTPConnection
            line = self.local.line = kind(self.host, timeout=60)
        line.request(method, path + ("?" + asked if asked else ""), body, {**headers, **signed})
        answer = line.getresponse()
        return answer.status, answer.read(), answer.headers

    def signed(self, method, path, query, payload):
        now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%dT%H%M%SZ")
        headers = {"host": self.host, "x-amz-content-sha256": payload, "x-amz-date": now}
        if self.token:
            headers["x-amz-security-token"] = self.token
        names = ";".join(sorted(headers))
        lines = "".join("%s:%s\n" % (name, headers[name]) for name in sorted(headers))
        request = "\n".join([method, path, query, lines, names, payload])
        scope = "%s/%s/s3/aws4_request" % (now[:8], self.region)
        digest = hashlib.sha256(request.encode()).hexdigest()
        text = "\n".join(["AWS4-HMAC-SHA256", now, scope, digest])
        key = ("AWS4" + self.secret).encode()
        for part in [now[:8], self.region, "s3", "aws4_request", text]:
            key = hmac.new(key, part.encode(), hashlib.sha256).digest()
        headers["authorization"] = (
            "AWS4-HMAC-SHA256 Credential=%s/%s, SignedHeaders=%s, Signature=%s"
            % (self.key, scope, names, key.hex())
        )
        return headers

    def list(self, prefix):
        """(key, size, tag, time in nanoseconds) of each object, in the order of keys."""
        query = {"list-type": "2", "prefix": prefix, "max-keys": "1000"}
        while True:
            page = xml.fromstring(self.call("GET", query=query)[0])
            space = page.tag.rpartition("}")[0] + "}" if "}" in page.tag else ""
            for each in page.findall(space + "Contents"):
                yield (
                    each.findtext(space + "Key"),
                    int(each.findtext(space + "Size")),
                    each.findtext(space + "ETag"),
                    moment(each.findtext(space + "LastModified")),
                )
            if page.findtext(space + "IsTruncated") != "true":
                return
            query["continuation-token"] = page.findtext(space + "NextContinuationToken")


def moment(text):
    """Of 2026-03-01T12:00:00.123Z; 0 if the server sends none."""
    if not text:
        return 0
    whole, _, part = text.rstrip("Z").partition(".")
    at = datetime.datetime.strptime(whole, "%Y-%m-%dT%H:%M:%S")
    seconds = int(at.replace(tzinfo=datetime.timezone.utc).timestamp())
    return seconds * 10**9 + int((part + "0" * 9)[:9])


class Progress:
    """Reports its progress, every two seconds at most, as a line of JSON."""

    def __init__(self):
        self.lock = threading.Lock()
        self.done = self.total = 0
        self.next = 0.0

    def add(self, done):
        with self.lock:
            self.done += done
            if time.monotonic() >= self.next:
                self.tell()

    def tell(self):
        self.next = time.monotonic() + 2
        print(
            json.dumps({"fairlead": "transfer", "done": self.done, "total": self.total}), flush=True
        )


class Tree:
    """The mounted volume. Links are not followed, so no outside file is read or written."""

    def __init__(self, root):
        self.fd = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)

    @contextlib.contextmanager
    def at(self, path):
        """The open directory of that path's last name, and the name."""
        *folders, name = clean(path)
        opened = os.dup(self.fd)
        try:
            for folder in folders:
                inner = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | NOFOLLOW, dir_fd=opened)
                os.close(opened)
                opened = inner
            yield opened, name
        finally:
            os.close(opened)

    @contextlib.contextmanager
    def open(self, path, flags, mode=0o600):
        with self.at(path) as (folder, name):
            fd = os.open(name, flags | NOFOLLOW, mode, dir_fd=folder)
        try:
            yield fd
        finally:
            os.close(fd)

    def look(self, path):
        """The entry itself, None if there is none."""
        try:
            with self.at(path) as (folder, name):
                return os.stat(name, dir_fd=folder, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def make(self, path):
        with self.at(path) as (folder, name), contextlib.suppress(FileExistsError):
            os.mkdir(name, 0o700, dir_fd=folder)

    def make_open(self, path):
        """A directory that an earlier try settled to its own mode may refuse new names."""
        self.make(path)
        with self.open(path, os.O_RDONLY | os.O_DIRECTORY) as fd:
            os.fchmod(fd, 0o700)

    def drop_settled(self, path):
        """Removes a file that a try settled and did not move: its mode may refuse writes."""
        seen = self.look(path)
        if seen and seen.st_mode & 0o600 != 0o600:
            with self.at(path) as (folder, name):
                os.unlink(name, dir_fd=folder)

    def read(self, path):
        with self.open(path, os.O_RDONLY) as fd:
            return os.pread(fd, 1 << 20, 0)

    def write(self, path, data):
        """Completely or not at all."""
        self.make(STATE)
        with self.open(STATE + "/new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC) as fd:
            os.write(fd, data)
            os.fsync(fd)
        self.move(STATE + "/new", path)

    def move(self, old, new):
        with self.at(old) as (here, name), self.at(new) as (there, other):
            os.rename(name, other, src_dir_fd=here, dst_dir_fd=there)

    def entries(self):
        """Every entry as in the manifest, without parts and without the copier's own files."""
        found = []

        def failed(error):
            raise error

        for where, folders, files, fd in os.fwalk(
            ".", onerror=failed, follow_symlinks=False, dir_fd=self.fd
        ):
            base = where[2:] + "/" if where != "." else ""
            if not base:
                folders[:] = [name for name in folders if name not in NOT_OURS | {STATE}]
                files = [name for name in files if name != DONE]
            links = [name for name in folders if is_link(name, fd)]
            folders[:] = [name for name in folders if name not in links]  # fwalk would open them
            files += links
            for name in sorted(folders + files):
                found.append(entry(base + name, fd, name))
                if len(found) > MOST_ENTRIES:
                    raise Failure("the volume has more than %d files" % MOST_ENTRIES)
        return found


def is_link(name, folder):
    return stat.S_ISLNK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)


def entry(path, folder, name):
    seen = os.stat(name, dir_fd=folder, follow_symlinks=False)
    own = {"path": path, "mode": seen.st_mode & 0o777, "time": seen.st_mtime_ns}
    if stat.S_ISDIR(seen.st_mode):
        return {**own, "type": "directory"}
    if stat.S_ISLNK(seen.st_mode):
        return {"path": path, "type": "link", "to": os.readlink(name, dir_fd=folder)}
    if stat.S_ISREG(seen.st_mode):
        return {**own, "type": "file", "size": seen.st_size}
    raise Failure("%s is a socket, a pipe or a device, which cannot be copied: remove it" % path)


def clean(path):
    """Its names, if it remains inside the volume."""
    names = path.split("/")
    if any(name in ("", ".", "..") or "\0" in name for name in names):
        raise Failure("%r is not a path inside a volume" % path)
    return names


def spans(size):
    return [(start, min(PART, size - start)) for start in range(0, size, PART)]


def piece(fd, start, length):
    data = bytearray()
    while len(data) < length:
        more = os.pread(fd, length - len(data), start + len(data))
        if not more:
            break
        data += more
    return bytes(data)


def sha(data):
    return hashlib.sha256(data).hexdigest()


class Pool:
    """Runs work on a few threads, holding no more than twice as many pieces."""

    def __init__(self):
        self.threads = concurrent.futures.ThreadPoolExecutor(THREADS)
        self.room = threading.Semaphore(2 * THREADS)

    def submit(self, work, *args):
        self.room.acquire()
        future = self.threads.submit(work, *args)
        future.add_done_callback(lambda _: self.room.release())
        return future

    def each(self, work, items):
        """Ends with the first failure and starts no further work."""
        running = []
        try:
            for item in items:
                running.append(self.submit(work, item))
                while len(running) > 4 * THREADS:
                    running.pop(0).result()
            for future in running:
                future.result()
        finally:
            for future in running:
                future.cancel()


class Transfer:
    def __init__(self):
        env = os.environ
        self.id = env["FAIRLEAD_TRANSFER_ID"]
        self.place = (
            env["FAIRLEAD_TRANSFER_ENDPOINT"],
            env["FAIRLEAD_TRANSFER_REGION"],
        )
        self.path_style = env.get("FAIRLEAD_TRANSFER_PATH_STYLE") == "true"
        self.bucket = self.of(env["FAIRLEAD_TRANSFER_BUCKET"])
        self.prefix = env["FAIRLEAD_TRANSFER_PREFIX"].strip("/") + "/" + self.id + "/"
        self.round = int(env.get("FAIRLEAD_TRANSFER_ROUND") or 0)
        self.progress = Progress()
        self.pool = Pool()

    def of(self, bucket):
        return Bucket(*self.place, bucket, self.path_style)

    @property
    def tree(self):
        if not hasattr(self, "mounted"):
            self.mounted = Tree(os.environ["FAIRLEAD_TRANSFER_ROOT"])
        return self.mounted

    # volume -> bucket

    def upload(self):
        """A manifest of an earlier round describes an older volume: everything is read again."""
        with contextlib.suppress(Missing):
            entries = self.manifest()
            if self.staged == self.round:
                return self.ended(entries)
        entries = self.tree.entries()
        self.progress.total = sum(each.get("size", 0) for each in entries)
        self.progress.tell()
        there = {
            key.rpartition("/")[2]: size
            for key, size, *_ in self.bucket.list(self.prefix + "parts/")
        }
        files = [each for each in entries if each["type"] == "file"]
        self.pool.each(
            lambda each: self.stage(each, there), [each for each in files if each["size"] <= PART]
        )
        for each in files:
            if each["size"] > PART:
                self.stage(each, there, wide=True)
        head = {"format": 1, "part": PART, "bytes": self.progress.total, "round": self.round}
        lines = [head, *entries]
        text = "".join(json.dumps(line) + "\n" for line in lines).encode()
        text += (json.dumps({"sha256": sha(text)}) + "\n").encode()
        self.bucket.call("PUT", self.prefix + "manifest", body=text)
        return self.ended(entries)

    def stage(self, each, there, wide=False):
        with self.tree.open(each["path"], os.O_RDONLY) as fd:

            def send(item):
                number, (start, length) = item
                data = piece(fd, start, length)
                parts[number] = name = sha(data)
                if there.get(name) != len(data):
                    self.bucket.call("PUT", self.prefix + "parts/" + name, body=data)
                self.progress.add(len(data))

            work = list(enumerate(spans(each["size"])))
            parts = [""] * len(work)
            self.run(send, work, wide)
            now = os.fstat(fd)
        if (now.st_size, now.st_mtime_ns) != (each["size"], each["time"]):
            raise Failure(
                "%s was changed while it was copied: stop what writes to the volume" % each["path"]
            )
        each["parts"] = parts

    def run(self, work, items, wide):
        if wide:
            self.pool.each(work, items)
        else:
            for item in items:
                work(item)

    def manifest(self):
        """Yields each entry of the volume, with paths inside the volume and folders before their content."""
        text = self.bucket.call("GET", self.prefix + "manifest")[0]
        body, _, last = text.rstrip(b"\n").rpartition(b"\n")
        if last.decode("ascii", "replace") != json.dumps({"sha256": sha(body + b"\n")}):
            raise Failure("the manifest was changed in the bucket: copy the volume again")
        head, *entries = [json.loads(line) for line in body.split(b"\n")]
        if head["format"] != 1 or head["part"] != PART:
            raise Failure("the manifest is of another version: copy the volume again")
        folders = {""}
        for each in entries:
            above = "/".join(clean(each["path"])[:-1])
            if above not in folders:
                raise Failure("%s is in no directory of the manifest" % each["path"])
            if each["type"] == "directory":
                folders.add(each["path"])
        self.progress.total = head["bytes"]
        self.staged = head.get("round", 0)
        return entries

    # bucket -> volume

    def begin(self):
        """Whether this transfer has work left in its own volume."""
        if self.tree.look(DONE) and json.loads(self.tree.read(DONE))["transfer"] == self.id:
            self.tidy()
            return False
        owner = STATE + "/" + self.id
        if not self.tree.look(owner):
            held = [name for name in os.listdir(self.tree.fd) if name not in NOT_OURS]
            if held and held != [STATE]:
                raise Failure("the volume is not empty: it has %s" % sorted(held)[0])
            self.tree.make(STATE)
            self.tree.make(owner)
        return True

    def download(self):
        if not self.begin():
            return None
        entries = self.manifest()
        for each in entries:
            if each["type"] == "directory":
                self.tree.make_open(each["path"])
        for each in entries:
            if each["type"] == "link" and not self.tree.look(each["path"]):
                with self.tree.at(each["path"]) as (folder, name):
                    os.symlink(each["to"], name, dir_fd=folder)
        files = [each for each in entries if each["type"] == "file"]
        self.pool.each(self.fetch, [each for each in files if len(each["parts"]) < 2])
        for each in files:
            if len(each["parts"]) > 1:
                self.fetch(each, wide=True)
        for each in reversed(entries):
            if each["type"] == "directory":
                with self.tree.open(each["path"], os.O_RDONLY | os.O_DIRECTORY) as fd:
                    self.settle(fd, each)
        return self.ended(entries)

    def fetch(self, each, wide=False):
        seen = self.tree.look(each["path"])
        if seen and (not self.round or self.kept(each)):  # moved there whole
            return self.progress.add(each["size"])
        new = STATE + "/" + sha(each["path"].encode("utf-8", "surrogateescape"))
        self.tree.drop_settled(new)
        with self.tree.open(new, os.O_RDWR | os.O_CREAT) as fd:
            os.ftruncate(fd, each["size"])

            def fill(item):
                (start, length), name = item
                if sha(piece(fd, start, length)) != name:
                    data = self.bucket.call("GET", self.prefix + "parts/" + name)[0]
                    if sha(data) != name or len(data) != length:
                        raise Failure(
                            "%s was changed in the bucket: it is not what was copied of %s"
                            % (self.bucket.uri(self.prefix + "parts/" + name), each["path"])
                        )
                    put(fd, data, start)
                self.progress.add(length)

            self.run(fill, list(zip(spans(each["size"]), each["parts"])), wide)
            self.settle(fd, each)
        return self.tree.move(new, each["path"])

    def kept(self, each):
        """Whether the file equals the copied one. Checked when a failed copy is resumed."""
        with self.tree.at(each["path"]) as (folder, name):
            found = entry(each["path"], folder, name)
        return self.same(found, each)

    @staticmethod
    def settle(fd, each):
        """The data are synced first, so that a kill rarely hits between the mode and the move."""
        os.fsync(fd)
        os.utime(fd, ns=(each["time"], each["time"]))
        os.fchmod(fd, each["mode"])
        os.fsync(fd)

    def verify(self):
        """Reads the whole copy again and compares it."""
        if not self.begin():
            return None
        wanted = {each["path"]: each for each in self.manifest()}
        wrong = []
        for each in self.tree.entries():
            other = wanted.pop(each["path"], None)
            if other is None:
                wrong.append(each["path"] + " is not of the copy")
            elif not self.same(each, other, self.progress.add):
                wrong.append(each["path"] + " differs from the copied one")
        wrong += [path + " is missing" for path in wanted]
        if wrong:
            more = len(wrong) - MOST_TOLD
            told = "; ".join(wrong[:MOST_TOLD]) + (" and %d more" % more if more > 0 else "")
            raise Failure("the copy differs: " + told)
        return self.close({"prefix": self.bucket.uri(self.prefix)})

    def same(self, each, other, told=lambda length: None):
        names = ("type", "mode", "size", "to")
        if [each.get(name) for name in names] != [other.get(name) for name in names]:
            return False
        if each["type"] != "file":
            return True
        with self.tree.open(each["path"], os.O_RDONLY) as fd:
            for (start, length), name in zip(spans(each["size"]), other["parts"]):
                if sha(piece(fd, start, length)) != name:
                    return False
                told(length)
        return True

    def close(self, origin):
        told = {"transfer": self.id, "bytes": self.progress.total, **origin}
        self.tree.write(DONE, (json.dumps(told) + "\n").encode())
        self.tidy()
        return self.ended(None)

    def tidy(self):
        if not self.tree.look(STATE):
            return
        with self.tree.open(STATE, os.O_RDONLY | os.O_DIRECTORY) as fd:
            for name in os.listdir(fd):
                if stat.S_ISDIR(os.stat(name, dir_fd=fd, follow_symlinks=False).st_mode):
                    os.rmdir(name, dir_fd=fd)
                else:
                    os.unlink(name, dir_fd=fd)
        os.rmdir(STATE, dir_fd=self.tree.fd)

    # a prefix of others -> volume

    def take(self):
        if not self.begin():
            return None
        bucket, _, prefix = os.environ["FAIRLEAD_TRANSFER_SOURCE"][len("s3://") :].partition("/")
        prefix = prefix if not prefix or prefix.endswith("/") else prefix + "/"
        source = self.of(bucket)
        objects = [each for each in source.list(prefix) if each[0] != prefix]
        if not objects:
            raise Failure("%s has no objects" % source.uri(prefix))
        if len(objects) > MOST_ENTRIES:
            raise Failure("%s has more than %d objects" % (source.uri(prefix), MOST_ENTRIES))
        self.progress.total = sum(size for _, size, *_ in objects)
        self.progress.tell()
        self.shaped(source, prefix, [key for key, *_ in objects])
        files = [each for each in objects if not each[0].endswith("/")]
        before = self.imported()
        self.pool.each(lambda each: self.got(source, prefix, each, before), files)
        named = {key[len(prefix) :] for key, *_ in files}
        for each in self.tree.entries():
            if each["type"] != "directory" and each["path"] not in named:
                raise Failure(
                    "the volume has %s, which is not, or no more, below %s: remove it"
                    % (each["path"], source.uri(prefix))
                )
        return self.close({"source": source.uri(prefix)})

    def shaped(self, source, prefix, keys):
        folders, files = set(), set()
        for key in keys:
            names = clean(
                key[len(prefix) :].rstrip("/") if key.endswith("/") else key[len(prefix) :]
            )
            if names[0] in (STATE, DONE):
                raise Failure("%s has the name of a file of Fairlead's own" % source.uri(key))
            (folders if key.endswith("/") else files).add("/".join(names))
            folders.update("/".join(names[:count]) for count in range(1, len(names)))
        for path in sorted(folders & files):
            raise Failure(
                "%s is an object, and others are below it: no file can be both"
                % source.uri(prefix + path)
            )
        for path in sorted(folders):
            self.tree.make(path)
            with self.tree.open(path, os.O_RDONLY | os.O_DIRECTORY) as fd:
                os.fchmod(fd, 0o755)

    def imported(self):
        """The object of each file, both hashed: object times have a resolution of one second, in
        which an object can change twice. The last complete line of a file counts. A line cut off by
        a kill does not match."""
        begun = os.O_RDONLY | os.O_CREAT
        with self.tree.open(IMPORTED, begun) as fd, os.fdopen(os.dup(fd), "rb") as lines:
            words = (line.split() for line in lines)
            return dict(each for each in words if len(each) == 2)

    def got(self, source, prefix, item, before):
        key, size, tag, time_ns = item
        path = key[len(prefix) :]
        own = sha(path.encode() + b"\0" + tag.encode())
        file = sha(path.encode())
        mark = STATE + "/" + own
        seen = self.tree.look(path)
        there = seen and (seen.st_size, seen.st_mtime_ns) == (size, time_ns)
        if there and before.get(file.encode()) == own.encode():  # moved there whole
            return self.progress.add(size)
        digest = hashlib.md5(usedforsecurity=False)
        with self.tree.open(mark, os.O_RDWR | os.O_CREAT) as fd:
            kept = os.fstat(fd).st_size
            for start, length in spans(size):
                if kept >= start + length:
                    data = piece(fd, start, length)
                else:
                    span = "bytes=%d-%d" % (start, start + length - 1)
                    asked = {"Range": span, "If-Match": tag}
                    data, got = source.call("GET", key, headers=asked)
                    if len(data) != length:
                        raise Failure("%s gave a different size than it listed" % source.uri(key))
                    put(fd, data, start)
                digest.update(data)
                self.progress.add(length)
            plain = tag.strip('"')
            hashed = len(plain) == 32 and all(letter in "0123456789abcdef" for letter in plain)
            if hashed and plain != digest.hexdigest():
                sealed = source.call("HEAD", key)[1].get("x-amz-server-side-encryption", "")
                if not sealed.startswith("aws:kms"):
                    os.ftruncate(fd, 0)
                    raise Failure("%s is not what its ETag says" % source.uri(key))
            self.settle(fd, {"time": time_ns, "mode": 0o644})
        self.tree.move(mark, path)
        with self.tree.open(IMPORTED, os.O_WRONLY | os.O_APPEND) as fd:
            os.write(fd, ("%s %s\n" % (file, own)).encode())

    def remove(self):
        """The objects staged in the bucket, the manifest first, so no part appears complete."""
        keys = [key for key, *_ in self.bucket.list(self.prefix)]
        for key in [key for key in keys if key.endswith("/manifest")]:
            self.bucket.call("DELETE", key)
        self.pool.each(
            lambda key: self.bucket.call("DELETE", key),
            [key for key in keys if not key.endswith("/manifest")],
        )

    def ended(self, entries):
        self.progress.done = self.progress.total
        self.progress.tell()
        return entries


def put(fd, data, start):
    view = memoryview(data)
    while view:
        wrote = os.pwrite(fd, view, start)
        view, start = view[wrote:], start + wrote


def main():
    if len(sys.argv) != 2 or sys.argv[1] not in MODES:
        sys.exit("usage: copier.py " + "|".join(MODES))
    try:
        MODES[sys.argv[1]](Transfer())
    except Failure as why:
        print("transfer: %s" % why, file=sys.stderr, flush=True)
        os._exit(3)
    except OSError as why:
        print("transfer: %s" % why, file=sys.stderr, flush=True)
        os._exit(4)


MODES = {
    "upload": Transfer.upload,
    "download": Transfer.download,
    "verify": Transfer.verify,
    "import": Transfer.take,
    "remove": Transfer.remove,
}

if __name__ == "__main__":
    main()
