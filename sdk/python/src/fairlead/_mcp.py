"""A Model Context Protocol server: one tool for each API read, with the caller's own permissions.

No tool writes. A response contains no credentials and at most LARGEST bytes of JSON."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from importlib.resources import files
from typing import Any

import anyio
import mcp_types as types
from mcp.server import Server
from mcp.server.stdio import stdio_server

from fairlead import AsyncFairlead, FairleadError, _secrets, _signin
from fairlead._call import Call, path, refusal
from fairlead._time import JOB_ID

# bytes of the text of an answer as JSON, below 16 kB with the envelope
LARGEST = 15_000
# seconds for an answer, with its retries
TIME = 120
# lines of a log without `tail`
TAIL = 200
# parameters of this server and not of the API
FIELDS: dict[str, Any] = {
    "type": "array",
    "items": {"type": "string"},
    "description": "Only these fields of the object or of each item, such as name or pending.message.",
}
SKIP: dict[str, Any] = {
    "type": "integer",
    "minimum": 0,
    "description": "Number of items of a page, or characters of another answer, to skip."
    " Reads the rest of a truncated answer.",
}
INSTRUCTIONS = (
    "Reads Fairlead, a control plane for AI compute, with the rights of the user. Begin with whyJobWaits "
    "for a job that waits, listJobs for jobs, getMe for the user's roles. Long answers are cut and say how "
    "to read the rest. Nothing can be changed here: for a change, show the user a line of cliCommand."
)


class Refused(Exception):
    """The arguments are wrong."""


@dataclass(frozen=True)
class Tool:
    """`run` returns text or a JSON value."""

    name: str
    description: str
    properties: Mapping[str, Any]
    required: Sequence[str]
    run: Callable[[dict[str, Any]], Awaitable[Any]]

    def shown(self) -> types.Tool:
        schema = {
            "type": "object",
            "properties": {**self.properties, "fields": FIELDS, "skip": SKIP},
            "required": list(self.required),
            "additionalProperties": False,
        }
        hints = types.ToolAnnotations(read_only_hint=True, open_world_hint=False)
        return types.Tool(
            name=self.name, description=self.description, input_schema=schema, annotations=hints
        )


class Tools:
    """The tools of `areas`, which are tags of the API, or all tools."""

    def __init__(
        self,
        client: AsyncFairlead,
        help_of: Callable[[str], str],
        areas: Iterable[str] = (),
        tokens: Iterable[str | None] = (),
    ) -> None:
        self._client = client
        self._help_of = help_of
        self._tokens = {*tokens}
        wanted = {area.lower() for area in areas}
        known = {one["area"].lower() for one in reads()}
        if unknown := sorted(wanted - known):
            raise Refused(f"no area {', '.join(unknown)}. Areas are {', '.join(sorted(known))}")
        found = [self._of(one) for one in reads() if not wanted or one["area"].lower() in wanted]
        self.by_name = {one.name: one for one in [self._why(), self._command(), *found]}

    def server(self) -> Server[Any]:
        async def listed(context: Any, page: Any) -> types.ListToolsResult:
            return types.ListToolsResult(tools=[one.shown() for one in self.by_name.values()])

        async def called(context: Any, asked: types.CallToolRequestParams) -> types.CallToolResult:
            text, failed = await self.call(asked.name, asked.arguments or {})
            return types.CallToolResult(content=[types.TextContent(text=text)], is_error=failed)

        return Server(
            "fairlead",
            instructions=INSTRUCTIONS,
            on_list_tools=listed,
            on_call_tool=called,
        )

    async def call(self, name: str, arguments: Mapping[str, Any]) -> tuple[str, bool]:
        """The text of the result, and whether it is an error."""
        try:
            self._hidden()
            with anyio.fail_after(TIME):
                answer, failed = await self._answer(name, dict(arguments)), False
        except (FairleadError, Refused) as wrong:
            answer, failed = cut(_secrets.hide(str(wrong), self._hidden()), 0), True
        except TimeoutError:
            answer, failed = f"no answer within {TIME} s", True
        except Exception as unexpected:  # the type alone: its text may have anything
            answer, failed = f"unexpected {type(unexpected).__name__} in the MCP server", True
        return answer, failed

    def _hidden(self) -> list[str]:
        """The tokens of this process. A call may renew the sign-in, and a response may contain an
        earlier token."""
        if signed_in := _signin.load(self._client.url):
            self._tokens |= {signed_in.access_token, signed_in.refresh_token}
        return _secrets.known(self._tokens)

    async def _answer(self, name: str, arguments: dict[str, Any]) -> str:
        tool = self.by_name.get(name)
        if tool is None:
            near = get_close_matches(name, self.by_name, n=3)
            raise Refused(
                f"no tool {name}" + (f". Did you mean {', '.join(near)}?" if near else "")
            )
        fields, skip = arguments.pop("fields", None) or [], arguments.pop("skip", None) or 0
        if not isinstance(fields, list) or not all(isinstance(one, str) for one in fields):
            raise Refused("fields is a list of texts")
        if isinstance(skip, bool) or not isinstance(skip, int) or skip < 0:
            raise Refused("skip is a whole number from 0")
        if unknown := sorted(arguments.keys() - tool.properties.keys()):
            takes = ", ".join([*tool.properties, "fields", "skip"])
            raise Refused(f"{name} has no {', '.join(unknown)}. It takes {takes}")
        if missing := [one for one in tool.required if arguments.get(one) in (None, "")]:
            raise Refused(f"{name} needs {', '.join(missing)}")
        answer = await tool.run(arguments)
        found = _secrets.hide_in(answer, self._hidden())
        if isinstance(found, dict) and isinstance(found.get("items"), list):
            for one in found["items"][:1]:
                has(one, fields)
            items = [picked(one, fields) for one in found["items"]]
            return cut_items({**found, "items": items}, skip)
        if isinstance(found, str):
            return cut(found, skip, end=name == "getJobLogs")
        has(found, fields)
        return cut(as_json(picked(found, fields)), skip)

    def _of(self, read: Mapping[str, Any]) -> Tool:
        parameters: dict[str, Any] = read["parameters"]
        needed = [one for one, of in parameters.items() if of["path"] and one != "project"]

        async def run(arguments: dict[str, Any]) -> Any:
            if "tail" in parameters and arguments.get("tail") is None:
                arguments["tail"] = TAIL
            if arguments.get("project") is None and parameters.get("project", {}).get("path"):
                arguments["project"] = self._client.project
            parts = {
                one: plain(one, arguments.pop(one)) for one, of in parameters.items() if of["path"]
            }
            params = {
                one: [plain(one, part) for part in value]
                if isinstance(value, list)
                else plain(one, value)
                for one, value in arguments.items()
                if value is not None
            }
            return await self._read(read["path"], params, **parts)

        shown = {one: of["schema"] for one, of in parameters.items()}
        return Tool(read["name"], read["description"], shown, needed, run)

    async def _read(self, form: str, params: Mapping[str, Any], **parts: str) -> Any:
        headers = {"Accept": "application/json, text/plain"}
        call = Call("GET", path(form, **parts), types.EmptyResult, params, headers=headers)
        response = await self._client._answer(call)
        if not response.is_success:
            raise refusal(response)
        is_json = "json" in response.headers.get("Content-Type", "")
        return response.json() if is_json else response.text

    def _why(self) -> Tool:
        async def run(arguments: dict[str, Any]) -> Any:
            job = plain("job", arguments["job"])
            if JOB_ID.fullmatch(job):
                found = await self._read("/jobs/{job}", {}, job=job)
            else:
                project = plain("project", arguments.get("project") or self._client.project)
                form = "/projects/{project}/jobs/{name}"
                found = await self._read(form, {}, project=project, name=job)
            why = await self._read("/jobs/{job}/explanation", {}, job=str(found["id"]))
            told = ("id", "name", "project", "queue", "user", "state", "createdAt", "pending")
            return {"job": {one: found.get(one) for one in told}, "explanation": why}

        what = (
            "Why a job waits: its state with the explanation of the scheduler (cause, numbers, near misses, "
            "estimate of the start). Takes the id, or the name in a project."
        )
        shown = {
            "job": {"type": "string", "description": "Id or name of the job."},
            "project": {"type": "string", "description": "Project of a name."},
        }
        return Tool("whyJobWaits", what, shown, ["job"], run)

    def _command(self) -> Tool:
        async def run(arguments: dict[str, Any]) -> Any:
            return self._help_of(plain("command", arguments["command"]))

        what = (
            "Checks a command line of fairlead and shows its help, for changes such as submit, cancel or "
            "cordon. Does not run it. 'fairlead' without arguments lists the commands."
        )
        shown = {"command": {"type": "string", "description": "Such as: fairlead cancel llama-sft"}}
        return Tool("cliCommand", what, shown, ["command"], run)


def reads() -> list[dict[str, Any]]:
    """The reads of the API, generated from its OpenAPI document."""
    text = files("fairlead").joinpath("_reads.json").read_text(encoding="utf-8")
    found: list[dict[str, Any]] = json.loads(text)
    return found


def plain(name: str, value: Any) -> str:
    """A value in the form of a URL."""
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, (str, int, float)):
        raise Refused(f"{name} is a text or a number")
    return str(value).encode("utf-8", "replace").decode()


def picked(value: Any, fields: Sequence[str]) -> Any:
    """Only the given fields. A dot selects a field of an object, or of each object in a list."""
    if not fields or not isinstance(value, (dict, list)):
        return value
    if isinstance(value, list):
        return [picked(one, fields) for one in value]
    below: dict[str, list[str]] = {}
    for one in fields:
        first, _, rest = one.partition(".")
        below.setdefault(first, []).append(rest)
    return {
        first: picked(value[first], rest if all(rest) else [])
        for first, rest in below.items()
        if first in value
    }


def has(value: Any, fields: Sequence[str]) -> None:
    """Refuses unknown fields, because the result would look empty."""
    if isinstance(value, dict) and value and not picked(value, fields):
        raise Refused(f"no field {', '.join(fields)}. There are {', '.join(value)}")


def as_json(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "replace").decode()


def size(text: str) -> int:
    """Bytes of the text as JSON."""
    return len(json.dumps(text, ensure_ascii=False).encode("utf-8", "replace"))


def most(count: int, fits: Callable[[int], bool]) -> int:
    """The largest number up to `count` that fits, 0 if none does."""
    low, high = 0, count
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return low


def cut(text: str, skip: int, *, end: bool = False) -> str:
    """The text after `skip` characters, or before them with `end`, with a note on how to read the rest."""
    text = text.encode("utf-8", "replace").decode()
    left = text[: max(0, len(text) - skip)] if end else text[skip:]
    if size(left) <= LARGEST:
        return left
    room = LARGEST - 300
    if end:
        shown = most(len(left), lambda count: size(left[len(left) - count :]) <= room)
        how = f"[cut: earlier lines are left out. skip={skip + shown} reads them, tail asks for fewer]"
        return f"{how}\n{left[len(left) - shown :]}"
    shown = most(len(left), lambda count: size(left[:count]) <= room)
    how = f"[cut at {skip + shown} of {len(text)} characters. skip={skip + shown} reads the rest, "
    return f"{left[:shown]}\n{how}fields=[...] only some fields]"


def cut_items(page: dict[str, Any], skip: int) -> str:
    """As many items after `skip` as fit, with a note on how to read the others."""
    items = page["items"][skip:]
    whole = as_json({**page, "items": items})
    if size(whole) <= LARGEST:
        return whole

    def part(count: int) -> str:
        at = skip + count
        how = (
            f"items {skip} to {at} of {len(page['items'])} on this page. The same call with skip={at} reads "
            "the next ones, before pageToken; fields=[...] and a smaller pageSize make answers shorter"
        )
        return as_json({"cut": how, **page, "items": items[:count]})

    shown = most(len(items), lambda count: size(part(count)) <= LARGEST)
    if shown:
        return part(shown)
    if size(part(0)) > LARGEST:
        return cut(whole, 0)
    names = ", ".join(items[0]) if items and isinstance(items[0], dict) else ""
    return cut(f"[cut: item {skip} alone is too long; name some of its fields: {names}]", 0)


async def serve(tools: Tools) -> None:
    """Serves requests on stdin and stdout until stdin ends."""
    server = tools.server()
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())
