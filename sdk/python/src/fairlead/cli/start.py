"""Entry point. Prints the version and the names of commands without loading the rest."""

from __future__ import annotations

import os
import sys


def main() -> int:
    if sys.argv[1:] == ["--version"]:
        from fairlead import __version__

        print(f"fairlead {__version__}")
        return 0
    if os.environ.get("_FAIRLEAD_COMPLETE") == "complete_bash":
        found = verbs(os.environ.get("COMP_WORDS", ""), os.environ.get("COMP_CWORD", ""))
        if found is not None:
            print("\n".join(found))
            return 0
    from fairlead.cli import main as whole

    return whole.main()


def verbs(words: str, at: str) -> list[str] | None:
    """Commands that start with the word at the cursor; None if something else is completed."""
    from fairlead.cli.verbs import VERBS

    given = words.split()
    number = int(at) if at.isdecimal() else 0
    before, word = given[1:number], "".join(given[number : number + 1])
    if word.startswith("-") or any(not one.isprintable() for one in given):
        return None
    below = VERBS.get(" ".join(before))
    return None if below is None else [one for one in below.split() if one.startswith(word)]


if __name__ == "__main__":
    sys.exit(main())
