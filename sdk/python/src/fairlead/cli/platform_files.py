"""Reads, checks and merges platform files, with the source line of each object."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from fairlead.cli.files import _unique_keys, text_of
from fairlead.cli.platform_kinds import (
    HIDDEN,
    KINDS,
    QUEUES,
    SECRETS,
    Kind,
    Object,
    fields_of,
    keyed,
    known_fields,
)
from fairlead.cli.session import UsageProblem

SUFFIXES = (".yaml", ".yml")


@dataclass(frozen=True)
class Entry:
    """One object of a file. `where` is its file and line."""

    kind: Kind
    key: tuple[str, ...]
    spec: Object
    where: str

    @property
    def title(self) -> str:
        return self.kind.title(self.key)


@dataclass(frozen=True)
class Platform:
    """`named` contains the kinds that the files name, even with an empty list."""

    named: tuple[Kind, ...]
    entries: tuple[Entry, ...]

    def of(self, kind: Kind) -> list[Entry]:
        return [one for one in self.entries if one.kind is kind]


def read(paths: Sequence[str]) -> Platform:
    """The union of files, and of the YAML files of folders. Raises UsageProblem with file and line."""
    if list(paths).count("-") > 1:
        raise UsageProblem("standard input can be read once: give - once")
    named: set[str] = set()
    entries: dict[tuple[str, tuple[str, ...]], Entry] = {}
    for file in [one for path in paths for one in files(path)]:
        for kind, found in _of_file(file):
            named.add(kind.name)
            for entry in found:
                before = entries.setdefault((kind.name, entry.key), entry)
                if before is not entry:
                    raise UsageProblem(f"{entry.where}: {entry.title} is also in {before.where}")
    if not named:
        raise UsageProblem(f"{', '.join(paths)}: no kind in it. Known: {', '.join(KINDS)}")
    return Platform(
        tuple(kind for kind in KINDS.values() if kind.name in named), tuple(entries.values())
    )


def files(path: str) -> list[str]:
    if path == "-" or not Path(path).is_dir():
        return [path]
    found: list[str] = []
    for folder, inner, names in os.walk(path, onerror=_unreadable):
        inner[:] = [one for one in inner if not one.startswith(".")]
        for link in (os.path.join(folder, one) for one in inner):
            if os.path.islink(link):
                raise UsageProblem(f"{link} is a link to a folder. Name its target with -f")
        visible = (one for one in names if not one.startswith("."))
        found += [os.path.join(folder, one) for one in visible if Path(one).suffix in SUFFIXES]
    if not found:
        raise UsageProblem(f"{path} has no YAML files")
    return sorted(found)


def _unreadable(broken: OSError) -> None:
    """If files of a folder were skipped, --prune would delete their objects."""
    raise UsageProblem(f"{broken.filename}: {broken.strerror}") from broken


def _of_file(file: str) -> list[tuple[Kind, list[Entry]]]:
    import yaml

    text = text_of(file)
    try:
        loader = _unique_keys()(text)
        nodes = []
        while loader.check_node():
            nodes.append(loader.get_node())
        whole = [(node, loader.construct_document(node)) for node in nodes]
    except yaml.YAMLError as broken:
        raise UsageProblem(f"{file}: {' '.join(str(broken).split())}") from broken
    found: list[tuple[Kind, list[Entry]]] = []
    for node, data in whole:
        if data is None:
            continue
        if not isinstance(data, Mapping):
            raise UsageProblem(f"{place(file, node)}: expected kinds such as pools, with lists")
        for key, value in node.value:
            kind = KINDS.get(str(key.value))
            if kind is None:
                unknown = f"{place(file, key)}: unknown kind {key.value!r}"
                raise UsageProblem(unknown + near(str(key.value), KINDS))
            found.append((kind, _objects(file, kind, value, data[kind.name])))
    return found


def _objects(file: str, kind: Kind, node: Any, data: Any) -> list[Entry]:
    if not isinstance(data, list):
        raise UsageProblem(
            f"{place(file, node)}: {kind.name} is a list. Write [] for an empty list"
        )
    entries = []
    for below, one in zip(node.value, data, strict=True):
        where = place(file, below)
        if not isinstance(one, Mapping):
            raise UsageProblem(f"{where}: {kind.one} is an object with named fields")
        spec = dict(one)
        _checked(file, kind, below, spec)
        if kind is QUEUES:
            spec["queue"] = spec.get("queue") or {}
        entries.append(Entry(kind, keyed(kind, spec), spec, where))
    return entries


def _checked(file: str, kind: Kind, node: Any, spec: Object) -> None:
    known = known_fields(kind) - ({"queue"} if kind.name == "quotas" else set())
    for key, _ in node.value:
        name = str(key.value)
        if name in SECRETS and kind.name == "clusters":
            raise UsageProblem(
                f"{place(file, key)}: {name} has credentials, which a platform file never has. "
                "Use fairlead cluster add"
            )
        if name in HIDDEN.get(kind.name, ()):
            raise UsageProblem(
                f"{place(file, key)}: {name} is not a field of a platform file, because a changed "
                "price applies immediately. Use fairlead price add"
            )
        if name not in known:
            unknown = f"{place(file, key)}: {kind.one} has no field {name!r}"
            raise UsageProblem(unknown + near(name, known))
    for needed in (kind.item,) if kind.item in kind.key else ():
        if not isinstance(spec.get(needed), str) or not spec[needed]:
            raise UsageProblem(f"{place(file, node)}: {kind.one} needs {needed}")
    if kind.scoped and not _scope(spec.get("project")):
        raise UsageProblem(
            f"{place(file, node)}: project of {kind.one} is a name. Omit it for the tenant"
        )
    for model in (kind.make, kind.change):
        if model is not None:
            _valid(file, kind, model, node, spec)


def _scope(project: Any) -> bool:
    """Checks the scope. An empty string is not a tenant, because a template without a value may
    have produced it."""
    return project is None or (isinstance(project, str) and project != "")


def _valid(file: str, kind: Kind, model: type[BaseModel], node: Any, spec: Object) -> None:
    """Checks a file. The service checks all other rules."""
    given = {name: value for name, value in spec.items() if name in fields_of(model)}
    try:
        model.model_validate(given)
    except ValidationError as wrong:
        first = wrong.errors(include_url=False)[0]
        path = [part for part in first["loc"] if isinstance(part, int) or _in(spec, part)]
        where = place(file, _below(node, path))
        name = ".".join(str(part) for part in first["loc"])
        if first["type"] == "extra_forbidden":
            raise UsageProblem(f"{where}: {kind.one} has no field {name!r}") from wrong
        raise UsageProblem(f"{where}: {name} of {kind.one} {refusal(first)}") from wrong


TYPES = {
    "bool": "true or false",
    "dict": "an object",
    "float": "a number",
    "int": "a whole number",
    "list": "a list",
    "model": "an object",
    "string": "a text",
}


def refusal(wrong: Any) -> str:
    """The rule that a value violates, without the wording of the validation library."""
    kind = TYPES.get(str(wrong["type"]).partition("_")[0])
    rule = wrong["msg"].partition("should ")[2] or wrong["msg"]
    if kind is not None and wrong["type"].endswith(("_type", "_parsing")):
        rule = f"be {kind}"
    given = wrong["input"]
    return f"must {rule}, not {given}" if isinstance(given, (str, int, float)) else f"must {rule}"


def _in(spec: Any, name: str) -> bool:
    """Whether a part of the location of a problem is a name in the file, and not a member of a union."""
    if isinstance(spec, Mapping):
        return name in spec or any(_in(one, name) for one in spec.values())
    return isinstance(spec, list) and any(_in(one, name) for one in spec)


def _below(node: Any, path: Sequence[str | int]) -> Any:
    """The key of a field, or the item of a list, at the path. Otherwise its deepest existing parent."""
    found = at = node
    for part in path:
        if isinstance(part, int):
            if not isinstance(at.value, list) or part >= len(at.value):
                return found
            found = at = at.value[part]
            continue
        pair = next((pair for pair in at.value if pair[0].value == part), None)
        if pair is None:
            return found
        found, at = pair
    return found


def place(file: str, node: Any) -> str:
    return f"{file}:{node.start_mark.line + 1}"


def near(name: str, known: Any) -> str:
    close = get_close_matches(name, sorted(known), n=1, cutoff=0.5)
    return f". Did you mean {close[0]}?" if close else f". Known: {', '.join(sorted(known))}"
