"""Types the commands of pages as a person would, and compares what they print.

    python3 .ci/tour.py PROGRAM PAGE...

The `sh` blocks between `<!-- tour:start -->` and `<!-- tour:end -->` run in one shell, in an empty folder with an empty home, one
after the other. Each line of a `text` block behind one has to be printed, in this order; `…` stands for anything.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

BEHIND = "-- the block behind this line is the next one --"


def blocks(page: str):
    tour = re.search(r"<!-- tour:start -->(.*?)<!-- tour:end -->", Path(page).read_text(), re.S)
    if not tour:
        sys.exit(f"{page}: there is no tour between <!-- tour:start --> and <!-- tour:end -->")
    found = re.findall(r"^```sh\n(.*?)^```$(?:\s*^```text\n(.*?)^```$)?", tour[1], re.S | re.M)
    if not found:
        sys.exit(f"{page}: the tour has no `sh` block")
    return found


def typed(scripts: list[str], program: Path, place: Path) -> tuple[list[str], int]:
    for folder in ("home", "work", "tmp"):
        (place / folder).mkdir()
    script = "".join(f"{script}echo '{BEHIND}'\n" for script in scripts)
    surroundings = {
        "PATH": f"{program.parent}:{os.environ['PATH']}",
        "HOME": str(place / "home"),
        "TMPDIR": str(place / "tmp"),
        "NO_COLOR": "1",
        "LANG": "C.UTF-8",
    }
    done = subprocess.run(
        ["sh", "-eu", "-c", script], cwd=place / "work", env=surroundings, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
    )  # fmt: skip
    return done.stdout.split(BEHIND), done.returncode


def missing(expected: str, printed: str) -> str | None:
    lines = iter(line.strip() for line in printed.splitlines())
    for wanted in filter(None, map(str.strip, expected.splitlines())):
        pattern = re.compile(".*".join(map(re.escape, wanted.split("…"))))
        if not any(pattern.fullmatch(line) for line in lines):
            return wanted
    return None


def tour(program: Path, page: str) -> None:
    found = blocks(page)
    with tempfile.TemporaryDirectory(prefix="anyhook-tour-") as place:
        printed, code = typed([script for script, _ in found], program, Path(place))
    if code != 0 or len(printed) <= len(found):
        sys.exit(f"{printed[-1]}\n{page}: block {len(printed)} ended with {code}: {found[len(printed) - 1][0]}")
    for (script, expected), text in zip(found, printed):
        if wanted := missing(expected, text):
            sys.exit(f"{text}\n{page}: the output lacks `{wanted}`, or has it too early, after: {script}")
    print(f"{page}: {len(found)} blocks do what the page says")


if __name__ == "__main__":
    for name in sys.argv[2:]:
        tour(Path(sys.argv[1]).resolve(), name)
