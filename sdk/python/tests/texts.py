"""Messages of the programs, in files: a test has the names and numbers, the file has
the text. A line of a file is `key: text` with {0}, {1} instead of the values. With
FAIRLEAD_UPDATE=true a test writes a line that does not fit again, from the most similar lines of
the output, and still fails when a value is missing.
"""

import difflib
import os
import pathlib
import re

FOLDER = pathlib.Path(__file__).parent / "texts"


def printed(output: object, key: str, *values: object) -> bool:
    """The output of a command has this text with these values."""
    return _check("outputs", str(output), key, values)


def noted(notes: object, key: str, *values: object) -> bool:
    """The notes of a converter have this text with these values."""
    return _check("converters", str(notes), key, values)


def planned(output: object, key: str, *values: object) -> bool:
    """The output of `apply` and `export` has this text with these values."""
    return _check("platform", str(output), key, values)


def _check(surface: str, output: str, key: str, values: tuple[object, ...]) -> bool:
    path = FOLDER / f"{surface}.txt"
    texts = dict(line.split(": ", 1) for line in path.read_text().splitlines())
    if _filled(texts.get(key), values) not in output and os.environ.get("FAIRLEAD_UPDATE"):
        texts[key] = _template(_most_similar(output, texts.get(key, "")), values)
        path.write_text("".join(f"{k}: {texts[k]}\n" for k in sorted(texts)))
    for i in range(len(values)):
        assert f"{{{i}}}" in texts[key], f"{path}: {key} lacks {{{i}}}"
    text = _filled(texts[key], values)
    assert text in output, f"{path}, {key}: {text!r} is not in\n{output}"
    return True


def _filled(template: str | None, values: tuple[object, ...]) -> str:
    words = re.sub(r"\{(\d+)}", lambda found: str(values[int(found.group(1))]), template or "\0")
    return words.replace("\\n", "\n")


def _most_similar(output: str, template: str) -> str:
    lines = output.splitlines() or [""]
    many = template.rstrip("\\n").count("\\n") + 1
    spans = ["\\n".join(lines[i : i + many]) for i in range(max(1, len(lines) - many + 1))]
    return max(spans, key=lambda s: difflib.SequenceMatcher(None, s, template).ratio())


def _template(text: str, values: tuple[object, ...]) -> str:
    """The longest value is replaced first, each once, and only as a whole word."""
    for i in sorted(range(len(values)), key=lambda i: -len(str(values[i]))):
        value = re.escape(str(values[i]))
        word = rf"(?<![\w{{])(?<!\w[.-]){value}(?!\w|}}|[.-]\w)"
        text, found = re.subn(word, f"{{{i}}}", text, count=1)
        assert found, f"{text!r} does not name {values[i]}"
    return text
