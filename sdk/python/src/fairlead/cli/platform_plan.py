"""The steps from the current configuration to the platform files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from difflib import unified_diff
from typing import Any

from fairlead import ApiError, Fairlead, NotFound
from fairlead._call import get, write
from fairlead._sync_client import Nothing
from fairlead._time import iso
from fairlead.cli import text
from fairlead.cli.files import yaml_of
from fairlead.cli.platform_files import Entry, Platform
from fairlead.cli.platform_kinds import (
    CLUSTERS,
    KINDS,
    LIMITS,
    PRICES,
    PROJECTS,
    QUEUES,
    QUOTAS,
    UNSEEN,
    Kind,
    Object,
    brief,
    completed,
    configured,
    fields_of,
    keyed,
    patch,
    stuck,
)
from fairlead.cli.session import UsageProblem

Key = tuple[str, ...]
ORDER = {name: number for number, name in enumerate(KINDS)}
# responses that may be due to an object that an earlier step creates
DUE_TO_ORDER = (400, 404, 409, 422)


@dataclass(frozen=True)
class Seen:
    """An object of the service. `version` is its ETag."""

    kind: Kind
    key: Key
    now: Object
    answer: Mapping[str, Any]
    version: int | None = None


@dataclass
class Step:
    """One write. `follows` is the creation step that must precede it. `after` is None for a deletion."""

    verb: str
    kind: Kind
    key: Key
    where: str
    method: str
    form: str
    parts: dict[str, str]
    body: Object | None = None
    version: int | None = None
    before: Object | None = None
    after: Object | None = None
    follows: Step | None = None
    note: str = ""
    made: int | None = field(default=None, repr=False)

    @property
    def title(self) -> str:
        return self.kind.title(self.key)

    @property
    def rank(self) -> float:
        """A project names queues, so it is changed or deleted while these queues exist."""
        late = self.kind is PROJECTS and self.verb != "create"
        made = ORDER[QUEUES.name] + 0.5 if late else ORDER[self.kind.name]
        return 2 * len(ORDER) - made if self.verb == "delete" else made

    def send(self, fl: Fairlead, *, validate_only: bool = False) -> Object:
        version = self.version
        if self.follows is not None:  # not every creation is answered with an ETag
            made = self.follows.made
            version = made or fl.versioned(get(self.form, Nothing, None, **self.parts))[1]
        call = write(
            self.method,
            self.form,
            Nothing,
            self.body,
            if_match=version,
            validate_only=validate_only,
            replayable=self.method != "DELETE",
            params=None,
            **self.parts,
        )
        answer, self.made = fl.versioned(call)
        found = dict(answer.model_extra or {})
        return found.get("set", found) if self.kind is LIMITS else found

    def diff(self) -> str:
        """Returns a unified diff of the YAML forms."""
        old, new = (yaml_lines(one) for one in (self.before, self.after))
        title = text.safe(self.title)
        names = [f"{title}{'' if one else ' (absent)'}" for one in (self.before, self.after)]
        lines = unified_diff(old, new, names[0], names[1], lineterm="")
        found = "".join(f"{line}\n" for line in lines)
        return text.UNPRINTABLE.sub(lambda mark: mark[0] if mark[0] == "\n" else "\ufffd", found)


def yaml_lines(one: Object | None) -> list[str]:
    return [] if one is None else yaml_of(one).splitlines()


class Live:
    """The configuration of the service, read on demand."""

    def __init__(self, fl: Fairlead, tenant: str | None) -> None:
        self.fl = fl
        self._tenant = tenant

    @property
    def tenant(self) -> str:
        self._tenant = self._tenant or self.fl.me().tenant
        return self._tenant

    def path(self, kind: Kind, key: Key, item: str | None = None) -> tuple[str, dict[str, str]]:
        """The path of the object's list, or with `item` the path of the object itself."""
        form, parts = kind.path, {}
        if kind.scoped:
            project = key[-1]
            scope = "project" if project else "tenant"
            form = form.replace("{scope}", f"{scope}s/{{{scope}}}")
            parts[scope] = project or self.tenant
        if item is not None and kind is not LIMITS:
            form, parts["item"] = form + "/{item}", item
        return form, parts

    def all(self, kind: Kind, projects: list[str] | None = None) -> dict[Key, Seen]:
        """Returns all objects by key. `projects` contains the scopes of members and limits, and is
        empty for the tenant."""
        if not kind.scoped:
            found = [self._seen(kind, one) for one in self._list(kind, *self.path(kind, ()))]
            wanted = [one for one in found if one is not None]
            return {one.key: one for one in wanted}
        seen = {}
        for project in projects or []:
            form, parts = self.path(kind, (project,))
            try:
                answers = (
                    [self._read(form, parts)[0]]
                    if kind is LIMITS
                    else list(self._list(kind, form, parts))
                )
            except NotFound:  # a later step creates the project
                continue
            for answer in answers:
                one = self._seen(kind, {**answer, "project": project or None})
                if one is not None:
                    seen[one.key] = one
        return seen

    def one(self, seen: Seen) -> Seen:
        """Reads the object again, with its version."""
        item = str(seen.answer.get(seen.kind.item, ""))
        answer, version = self._read(*self.path(seen.kind, seen.key, item))
        if seen.kind.scoped:
            answer = {**answer, "project": seen.key[-1] or None}
        again = self._seen(seen.kind, answer)
        if again is None or again.key != seen.key:
            raise UsageProblem(f"{seen.kind.title(seen.key)} changed while it was read. Try again")
        return Seen(seen.kind, seen.key, again.now, answer, version)

    def _seen(self, kind: Kind, answer: Mapping[str, Any]) -> Seen | None:
        if kind in (QUOTAS, QUEUES) and (answer.get("queue") is None) is (kind is QUEUES):
            return None
        spec = {**answer["set"], "project": answer["project"]} if kind is LIMITS else answer
        return Seen(kind, keyed(kind, spec), configured(kind, spec), answer)

    def _read(self, form: str, parts: dict[str, str]) -> tuple[Object, int | None]:
        answer, version = self.fl.versioned(get(form, Nothing, None, **parts))
        found = dict(answer.model_extra or {})
        given = found.get("version")
        return found, given if version is None and isinstance(given, int) else version

    def _list(self, kind: Kind, form: str, parts: dict[str, str]) -> Iterator[Object]:
        params: dict[str, Any] = {}
        if kind is PRICES:
            newest = self.fl.send(get(form, Nothing, {"pageSize": 1}, **parts)).model_extra or {}
            times = [text.now().isoformat(), *(one["recordedAt"] for one in newest["items"])]
            # a clock here that is behind would miss the newest price
            params["at"] = iso(max(text.instant(one) for one in times))
        while True:
            page = self.fl.send(get(form, Nothing, params, **parts)).model_extra or {}
            yield from page.get("items", [])
            token = page.get("nextPageToken")
            if not token:
                return
            params["pageToken"] = token


def plan(live: Live, platform: Platform, *, prune: bool) -> list[Step]:
    """The steps in the order of their execution. Asks the service to check each write."""
    steps: list[Step] = []
    for kind in platform.named:
        entries = parents_first(platform.of(kind))
        projects = sorted({one.key[-1] for one in entries})
        present = live.all(kind, projects)
        for entry in entries:
            seen = present.get(entry.key)
            if seen is None and kind.make is not None:
                steps += created(live, entry, platform, steps)
            else:
                steps += changed(live, entry, seen, platform, steps)
        if prune and kind.prunable:
            steps += deleted(live, kind, [present[key] for key in surplus(entries, present)])
    return sorted(steps, key=lambda step: step.rank)


def surplus(entries: list[Entry], present: dict[Key, Seen]) -> list[Key]:
    given = {one.key for one in entries}
    return sorted(key for key in present if key not in given)


def parents_first(entries: list[Entry]) -> list[Entry]:
    above = {one.key[0]: one.spec.get("parent") for one in entries if one.kind in (QUOTAS, QUEUES)}
    return sorted(entries, key=lambda one: depth(one.key[0], above))


def depth(name: Any, above: Mapping[str, Any]) -> int:
    seen = [name]
    while above.get(seen[-1]) is not None and above[seen[-1]] not in seen:
        seen.append(above[seen[-1]])
    return len(seen)


def created(live: Live, entry: Entry, platform: Platform, steps: list[Step]) -> Iterator[Step]:
    kind, wanted = entry.kind, completed(entry.kind, entry.spec)
    if kind is CLUSTERS and "fleet" not in entry.spec:
        raise UsageProblem(
            f"{entry.where}: {entry.title} is not registered, and a platform file has no credentials. "
            f"Use fairlead cluster add {entry.key[0]}"
        )
    body = {name: one for name, one in entry.spec.items() if name in fields_of(kind.make)}
    body = {name: one for name, one in body.items() if one is not None}
    later = {name: wanted[name] for name in wanted if name not in kind.key}
    later = {name: one for name, one in later.items() if name not in fields_of(kind.make)}
    later = {name: one for name, one in later.items() if one != kind.defaults.get(name)}
    if new_queue(entry, platform):
        later["defaultQueue"] = body.pop("defaultQueue")  # the queue may not exist yet
    put = kind.change is kind.make
    form, parts = live.path(kind, entry.key, entry.key[0] if put else None)
    step = Step(
        "create", kind, entry.key, entry.where, "PUT" if put else "POST", form, parts, body,
        after=brief(kind, wanted),
    )  # fmt: skip
    checked(live.fl, step, steps)
    yield step
    if later:
        form, parts = live.path(kind, entry.key, entry.key[0])
        yield Step(
            "change", kind, entry.key, entry.where, "PATCH", form, parts, later,
            before=step.after, after=step.after, follows=step,
        )  # fmt: skip


def new_queue(entry: Entry, platform: Platform) -> bool:
    """Whether the object is a project whose queue is in the files and can be written before the project."""
    queues = [one.key[0] for one in platform.of(QUEUES)]
    return entry.kind is PROJECTS and entry.spec.get("defaultQueue") in queues


def changed(
    live: Live, entry: Entry, seen: Seen | None, platform: Platform, steps: list[Step]
) -> Iterator[Step]:
    kind = entry.kind
    if seen is not None and differs(entry, seen):
        seen = live.one(seen) if kind is not PRICES else seen
    if seen is not None and not differs(entry, seen):
        return
    given = {name: entry.spec.get(name) for name in kind.key}
    now = seen.now if seen is not None else completed(kind, given)
    wanted = stuck(kind, now, completed(kind, entry.spec))
    for name in sorted(kind.fixed - UNSEEN.get(kind.name, set())) if kind is not PRICES else []:
        if now.get(name) != wanted.get(name):
            raise UsageProblem(
                f"{entry.where}: {name} of {entry.title} is {shown(now.get(name))} and cannot change "
                f"to {shown(wanted.get(name))}. {kept(name, now.get(name))}"
            )
    item = "" if seen is None else str(seen.answer.get(kind.item, ""))
    form, parts = live.path(kind, entry.key, None if kind is PRICES else item)
    method, body = "PATCH", patch(kind, now, wanted)
    if kind is PRICES:
        method, body = "POST", {**entry.spec, "replaces": item}
    elif kind.change is kind.make:
        method = "PUT"
        body = {name: wanted[name] for name in fields_of(kind.change) if name in wanted}
    step = Step(
        "change", kind, entry.key, entry.where, method, form, parts, body,
        None if seen is None else seen.version, brief(kind, now),
    )  # fmt: skip
    answer = checked(live.fl, step, steps, late=new_queue(entry, platform))
    if answer is not None:
        if kind.scoped:
            answer = {**answer, "project": entry.key[-1] or None}
        wanted = configured(kind, answer)
    step.after = brief(kind, wanted)
    if step.after != step.before:
        yield step


def differs(entry: Entry, seen: Seen) -> bool:
    wanted = stuck(entry.kind, seen.now, completed(entry.kind, entry.spec))
    for name in UNSEEN.get(entry.kind.name, set()):
        wanted.pop(name, None)
    return wanted != seen.now


def kept(name: str, value: Any) -> str:
    """The next step after a field that cannot change."""
    line = f"Omit {name}" if value is None else f"Write {name}: {shown(value)}"
    return f"{line}, or delete the object first"


def shown(value: Any) -> str:
    return "absent" if value is None else str(value)


def checked(fl: Fairlead, step: Step, steps: list[Step], *, late: bool = False) -> Object | None:
    """The response of the service to a dry run of the write. None if it may need an object from
    an earlier step: `steps` creates an object, or `late` is set."""
    try:
        return step.send(fl, validate_only=True)
    except ApiError as refused:
        early = late or any(one.verb == "create" for one in steps)
        if early and refused.status in DUE_TO_ORDER:
            step.note = "not checked, because it may need an object that is written first"
            return None
        refused.title = f"{step.where}: {step.title}: {refused.title or refused.code}"
        refused.detail = f"{step.where}: {step.title}: {refused.detail}"
        raise


def deleted(live: Live, kind: Kind, surplus: list[Seen]) -> Iterator[Step]:
    """Deletes children before their parents, and never the membership of the caller."""
    me = live.fl.me().user if kind.scoped and surplus else None
    above = {one.key[0]: one.answer.get("parent") for one in surplus if kind in (QUOTAS, QUEUES)}
    for seen in sorted(surplus, key=lambda one: -depth(one.key[0], above)):
        if me is not None and seen.key[0] == me:
            continue
        again = live.one(seen)
        form, parts = live.path(kind, seen.key, seen.key[0])
        yield Step(
            "delete", kind, seen.key, "", "DELETE", form, parts, None, again.version,
            brief(kind, again.now),
        )  # fmt: skip
