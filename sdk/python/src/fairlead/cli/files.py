"""Job files: read, split into documents, changed by options of the command line."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fairlead._errors import ApiError
from fairlead.cli.session import UsageProblem
from fairlead.cli.slurm.directives import foreign

LARGEST_FILE = 1024 * 1024
Spec = Mapping[str, Any] | str
SBATCH = re.compile(r"^#SBATCH\b", re.MULTILINE)
MARK = re.compile(r"^(?:---[ \t]*(?:#.*)?|\.\.\.[ \t]*)\r?$", re.MULTILINE)
# scalars of YAML 1.2, as the service reads them: tag, first characters, form
SCALARS = (
    ("null", ["~", "n", "N", ""], r"^(?:~|null|Null|NULL|)$"),
    ("bool", list("tTfF"), r"^(?:true|True|TRUE|false|False|FALSE)$"),
    ("int", list("-+0123456789"), r"^[-+]?(?:0|[1-9][0-9]*)$"),
    ("float", list("-+0123456789"), r"^[-+]?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$"),
)
CONTENT = re.compile(r"^\s*[^#\s]", re.MULTILINE)
TOP = re.compile(r"^(\w+)\s*:", re.MULTILINE)
WORDS = {
    "Kubernetes manifest": "containers[0].image is image, command and args are run, the limit of "
    "nvidia.com/gpu is gpu, parallelism is workers",
    "SkyPilot task": "resources.accelerators is gpu, num_nodes is workers, envs is env, and setup "
    "and run stay",
    "dstack configuration": "commands is run, resources.gpu is gpu, nodes is workers",
}
OF_KUBERNETES = frozenset(("apiVersion", "kind"))
OF_SKYPILOT = frozenset(("resources", "num_nodes", "file_mounts", "envs"))
OF_DSTACK = frozenset(("type", "commands", "python", "ide", "nodes"))


@dataclass(frozen=True)
class Changes:
    """Job fields from the command line. `arguments` follow the words of `run`."""

    fields: Mapping[str, Any] = field(default_factory=dict)
    paths: Sequence[str] = ()
    arguments: Sequence[str] = ()

    def __bool__(self) -> bool:
        return bool(self.fields or self.paths or self.arguments)


@dataclass(frozen=True)
class Document:
    """One job of a file. `where` is the file, with the number of the document if it has several."""

    where: str
    spec: Spec


def text_of(file: str) -> str:
    """The unchanged text: the service reads YAML, and its errors have line and column."""
    try:
        data = sys.stdin.buffer.read(LARGEST_FILE + 1) if file == "-" else read_file(Path(file))
    except OSError as broken:
        raise UsageProblem(f"{file}: {broken.strerror or broken}") from broken
    if len(data) > LARGEST_FILE:
        raise UsageProblem(f"{file} is larger than 1 MiB")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as wrong:
        raise UsageProblem(f"{file} is not UTF-8 at byte {wrong.start}") from wrong


def read_file(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(LARGEST_FILE + 1)


def documents(files: Sequence[str], changes: Changes) -> list[Document]:
    """The jobs of all files, in order. Raises UsageProblem for a file of another tool."""
    if files.count("-") > 1:
        raise UsageProblem("standard input can be read once: give - once")
    found = [one for file in files for one in _of_file(file)]
    if not found:
        raise UsageProblem(f"{', '.join(files)}: no job in it")
    if len(found) > 1 and "name" in changes.fields:
        raise UsageProblem(f"--name applies to a single job, but you gave {len(found)}")
    return [Document(one.where, changed(one, changes)) for one in found] if changes else found


def _of_file(file: str) -> Iterator[Document]:
    text = text_of(file)
    refuse_foreign(text, file)
    parts = list(_parts(text)) or [text]
    for number, part in enumerate(parts, 1):
        yield Document(file if len(parts) == 1 else f"{file}, document {number}", part)


def _parts(text: str) -> Iterator[str]:
    """The non-empty documents, each padded with line ends so that error lines match the lines of
    the file."""
    marks = list(MARK.finditer(text))
    starts = [0, *(mark.end() for mark in marks)]
    ends = [*(mark.start() for mark in marks), len(text)]
    for start, end in zip(starts, ends, strict=True):
        part = text[start:end]
        at = text.count("\n", 0, start)
        if CONTENT.search(part):
            yield "\n" * at + part


def refuse_foreign(text: str, file: str) -> None:
    text = text.removeprefix("\ufeff")
    system = next((found for line in text.splitlines() if (found := foreign(line))), None)
    if system and not SBATCH.search(text):
        raise UsageProblem(
            f"{file} is a batch script of {system}, not a job file. Write a job file with its command "
            "in run, and its resources in workers, gpu, cpu, memory and maxRuntime."
        )
    if SBATCH.search(text) or text.startswith("#!"):
        kind = "a Slurm batch script" if SBATCH.search(text) else "a script"
        to = f"fairlead job convert sbatch {shlex.quote(file)} --image IMAGE > job.yaml"
        raise UsageProblem(f"{file} is {kind}, not a job file. Convert it first:\n{to}")
    kind = _kind(frozenset(TOP.findall(text)))
    if kind:
        words = WORDS[kind]
        raise UsageProblem(f"{file} is a {kind}, not a job file. In a job file {words}.")


def _kind(names: frozenset[str]) -> str:
    if names >= OF_KUBERNETES:
        return "Kubernetes manifest"
    if "image" in names:
        return ""
    if "type" in names and len(names & OF_DSTACK) > 1:
        return "dstack configuration"
    return "SkyPilot task" if names & OF_SKYPILOT else ""


def of_changes(where: str, changes: Changes) -> Document:
    """A job that is defined only by the command line."""
    return Document(where, changed(Document(where, {}), changes))


def request_of(file: str, one: str, shown_only: Collection[str]) -> dict[str, Any]:
    """The request of a file that describes `one`, such as "a policy", without the fields of a
    response that a request does not have."""
    given = _object(file, text_of(file), one)
    return {name: value for name, value in given.items() if name not in shown_only}


def changed(one: Document, changes: Changes) -> dict[str, Any]:
    """The spec with the changes of the command line."""
    spec = _object(one.where, one.spec, "a job") if isinstance(one.spec, str) else one.spec
    found = _merged(spec, changes.fields)
    for pair in changes.paths:
        set_path(found, pair)
    if changes.arguments:
        _append(found, one.where, changes.arguments)
    return found


def _object(where: str, text: str, one: str) -> Mapping[str, Any]:
    import yaml

    try:
        found = yaml.load(text, Loader=_unique_keys())
    except yaml.YAMLError as broken:
        raise UsageProblem(f"{where}: {' '.join(str(broken).split())}") from broken
    if not isinstance(found, Mapping):
        raise UsageProblem(f"{where}: {one} is an object with named fields")
    return found


def _merged(spec: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    found = dict(spec)
    for name, value in fields.items():
        old = found.get(name)
        merge = isinstance(value, Mapping) and isinstance(old, Mapping)
        found[name] = _merged(old, value) if merge else value  # type: ignore[arg-type]
    return found


SETTINGS_HELP = "Set a field, such as weight=2. VALUE is YAML. Repeatable."


def settings(pairs: Sequence[str] | None) -> dict[str, Any]:
    """The request fields that --set options name."""
    found: dict[str, Any] = {}
    for pair in pairs or ():
        set_path(found, pair)
    return found


def set_path(spec: dict[str, Any], pair: str) -> None:
    """PATH=VALUE: names between dots, or indices of a list. VALUE is YAML, or a string for env."""
    import yaml

    path, equals, text = pair.partition("=")
    names = path.split(".")
    if not equals or not all(names):
        raise UsageProblem(f"--set {pair!r} is not PATH=VALUE, such as placement.clusters=[eu-1]")
    try:
        value = text if names[0] == "env" else yaml.load(text, Loader=_unique_keys())
    except yaml.YAMLError as broken:
        raise UsageProblem(f"--set {pair!r}: the value is not valid YAML") from broken
    at: Any = spec
    for name in names[:-1]:
        at = _below(at, name, pair)
    _below(at, names[-1], pair, lambda: value)


def _below(at: Any, name: str, pair: str, value: Callable[[], Any] | None = None) -> Any:
    if isinstance(at, list) and name.isdecimal() and int(name) < len(at):
        if value is not None:
            at[int(name)] = value()
        return at[int(name)]
    if not isinstance(at, dict):
        raise UsageProblem(
            f"--set {pair!r}: {name} is not a field of an object or an index of a list there"
        )
    if value is not None:
        at[name] = value()
    elif at.get(name) is None:
        at[name] = {}
    return at[name]


def _append(spec: dict[str, Any], where: str, arguments: Sequence[str]) -> None:
    """Arguments of a script become its "$@"."""
    run = spec.get("run")
    if "command" in spec or "args" in spec:
        spec["args"] = [*(spec.get("args") or ()), *arguments]
    elif isinstance(run, str) and spec.get("launcher") in (None, "none"):
        spec["run"] = ["/bin/sh", "-c", run, str(spec.get("name") or "job"), *arguments]
    elif isinstance(run, str):
        spec["run"] = " ".join([run, *map(shlex.quote, arguments)])
    elif isinstance(run, list):
        script = len(run) > 2 and run[-2] == "-c"
        spec["run"] = [*run, *([str(spec.get("name") or "job")] if script else []), *arguments]
    else:
        raise UsageProblem(f"{where}: there is no run field to append arguments to")


def _unique_keys() -> Any:
    """A loader of YAML 1.2 that refuses duplicate keys, like the service."""
    import yaml

    class Loader(yaml.SafeLoader):
        pass

    def mapping(loader: Any, node: Any) -> Any:
        keys = [key.value for key, _ in node.value]
        twice = next((key for key in keys if keys.count(key) > 1), None)
        if twice is not None:
            raise yaml.YAMLError(f"line {node.start_mark.line + 1}: duplicate key {twice!r}")
        loader.flatten_mapping(node)
        return loader.construct_mapping(node, deep=True)

    Loader.add_constructor("tag:yaml.org,2002:map", mapping)
    Loader.yaml_implicit_resolvers = {}
    for tag, first, form in SCALARS:
        Loader.add_implicit_resolver("tag:yaml.org,2002:" + tag, re.compile(form), first)
    return Loader


def yaml_of(value: Any) -> str:
    """YAML that parsers of 1.1 and 1.2 read in the same way: a string such as 1e3 is quoted."""
    import yaml

    class Dumper(yaml.SafeDumper):
        pass

    for tag, first, form in SCALARS:
        Dumper.add_implicit_resolver("tag:yaml.org,2002:" + tag, re.compile(form), first)
    found: str = yaml.dump(value, Dumper=Dumper, sort_keys=False, allow_unicode=True)
    return found


@contextmanager
def named(where: str) -> Iterator[None]:
    """Prefixes refusals of the service with the file name."""
    try:
        yield
    except ApiError as refused:
        if refused.status in (400, 413, 422) and where != "-":
            refused.title = f"{where}: {refused.title or refused.code}"
            refused.detail = f"{where}: {refused.detail}"
        raise
