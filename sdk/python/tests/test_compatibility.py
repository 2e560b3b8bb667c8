"""Parts of the API that callers rely on are not removed without notice.

openapi/baseline.yaml is the document that was promised last. A breaking change needs a line in
openapi/breaking.txt and a line in CHANGELOG.md. Both start empty after a release.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest
from documents import DOCUMENT, document, read

BASELINE = DOCUMENT.with_name("baseline.yaml")
ANNOUNCED = DOCUMENT.with_name("breaking.txt")


def operations(whole: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {
        one["operationId"]: {**one, "where": f"{method.upper()} {path}"}
        for path, methods in whole["paths"].items()
        for method, one in methods.items()
    }


def changes(old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    now = operations(new)
    for name, before in operations(old).items():
        after = now.get(name)
        if after is None:
            yield f"{name}: the operation is gone"
            continue
        if after["where"] != before["where"]:
            yield f"{name}: moved from {before['where']} to {after['where']}"
        yield from (f"{name}: {one}" for one in parameters(before, after))
        yield from (f"{name}: {one}" for one in answers(before, after))
        if "requestBody" in after and "requestBody" not in before:
            yield f"{name}: needs a body now"
    schemas = new["components"]["schemas"]
    for name, before in old["components"]["schemas"].items():
        if name not in schemas:
            yield f"{name}: the schema is gone"
        else:
            yield from (f"{name}: {one}" for one in fields(before, schemas[name]))


def parameters(before: dict[str, Any], after: dict[str, Any]) -> Iterator[str]:
    known = {one["name"]: one for one in before.get("parameters", [])}
    present = {one["name"]: one for one in after.get("parameters", [])}
    for name in known.keys() - present.keys():
        yield f"parameter {name} is gone"
    for name, one in present.items():
        if one.get("required") and not known.get(name, {}).get("required"):
            yield f"parameter {name} is required now"


def answers(before: dict[str, Any], after: dict[str, Any]) -> Iterator[str]:
    good = {code for code in before["responses"] if code.startswith("2")}
    for code in good - set(after["responses"]):
        yield f"status {code} is gone"


def fields(before: dict[str, Any], after: dict[str, Any]) -> Iterator[str]:
    request = before.get("additionalProperties") is False
    old, new = before.get("properties", {}), after.get("properties", {})
    for name in old.keys() - new.keys():
        yield f"field {name} is gone"
    required = set(after.get("required", [])) - set(before.get("required", []))
    for name in sorted(required if request else []):
        yield f"field {name} is required now"
    for name in sorted(set(before.get("required", [])) - set(after.get("required", []))):
        if not request and name in new:
            yield f"field {name} may be missing now"
    for name in old.keys() & new.keys():
        gone = types(old[name]) - types(new[name])
        grown = types(new[name]) - types(old[name])
        if gone if request else grown:
            yield f"field {name} has another type now"
        words = set(map(str, old[name].get("enum", []))) - set(map(str, new[name].get("enum", [])))
        if request and words and "enum" in new[name]:
            yield f"field {name} does not take {', '.join(sorted(words))} any more"


def types(schema: dict[str, Any]) -> set[str]:
    said = schema.get("type", [])
    return {said} if isinstance(said, str) else set(said)


def test_no_caller_is_broken_unannounced() -> None:
    promised = read(BASELINE)
    announced = set(ANNOUNCED.read_text(encoding="utf-8").splitlines())
    assert sorted(set(changes(promised, document())) - announced) == []


@pytest.mark.parametrize(
    ("break_it", "told"),
    [
        (lambda d: d["paths"].pop("/api/v1/version"), "getVersion: the operation is gone"),
        (
            lambda d: d["components"]["schemas"]["JobResponse"]["properties"].pop("state"),
            "JobResponse: field state is gone",
        ),
        (
            lambda d: d["components"]["schemas"]["SubmitJobRequest"].update(required=["image"]),
            "SubmitJobRequest: field image is required now",
        ),
    ],
)
def test_a_break_is_seen(break_it: Any, told: str) -> None:
    changed = copy.deepcopy(document())
    break_it(changed)
    assert told in set(changes(document(), changed))
