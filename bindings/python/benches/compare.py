"""Compares our emit with Amplifier's two, with pluggy and with a bare loop: each in a virtual environment of its own, all of
them in turn, so that whatever else the machine does is done to all.

    python benches/compare.py --wheel WHEEL [--rounds 15] [--check] [--json FILE]
"""

from __future__ import annotations

import argparse
import itertools
import json
import statistics
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

WORKER = Path(__file__).with_name("worker.py")
OURS, OLD, NEW, PLUGGY, BARE = "anyhook", "amplifier 1.0.0", "amplifier newest", "pluggy", "bare loop"
CASES = [
    {"handlers": handlers, "payload": payload, "result": result}
    for payload, handlers, result in itertools.product(
        ("small", "64 KiB", "500 messages"), (0, 1, 10), ("built", "prebuilt", "suspends")
    )
    if handlers or result == "built"
]


def environment(folder: Path, *packages: str) -> Path | None:
    """Makes an environment with packages in it; nothing where they cannot be had for this Python."""
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
    command = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        return None
    return python


class Subject:
    """A process that times what it is told to."""

    def __init__(self, python: Path, kind: str) -> None:
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self._process = subprocess.Popen([python, str(WORKER), kind], **pipes)
        assert self._process.stdout.readline() == "ready\n"

    def time(self, case: dict) -> float:
        """Returns nanoseconds per emit."""
        self._process.stdin.write(json.dumps(case) + "\n")
        self._process.stdin.flush()
        return float(self._process.stdout.readline())

    def end(self) -> None:
        """Ends the process. How it exits is its own business."""
        self._process.kill()
        self._process.wait()


def subjects(wheel: str, folder: Path) -> dict[str, Subject]:
    """Starts all subjects that there are."""
    wanted = {
        OURS: ("anyhook", [wheel]),
        OLD: ("amplifier", ["amplifier-core==1.0.0"]),
        NEW: ("amplifier", ["amplifier-core"]),
        PLUGGY: ("pluggy", ["pluggy"]),
        BARE: ("bare", []),
    }
    started = {}
    for at, (name, (kind, packages)) in enumerate(wanted.items()):
        python = environment(folder / f"env-{at}", *packages or ["pip"])
        if python is None:
            print(f"{name}: not available for Python {sys.version_info.major}.{sys.version_info.minor}")
            continue
        started[name] = Subject(python, kind)
    return started


def measured(started: dict[str, Subject], rounds: int) -> list[dict]:
    """Times every case by every subject, round by round."""
    rows = []
    for case in CASES:
        times: dict[str, list[float]] = {name: [] for name in started}
        for _ in range(rounds):
            for name, subject in started.items():
                times[name].append(subject.time(case))
        ratio = {
            name: statistics.median(o / t for o, t in zip(times[OURS], their, strict=True))
            for name, their in times.items()
        }
        median = {name: statistics.median(their) for name, their in times.items()}
        rows.append({"case": case, "median_ns": median, "ours_by_theirs": ratio})
        print(line(case, median, ratio), flush=True)
    return rows


def line(case: dict, median: dict[str, float], ratio: dict[str, float]) -> str:
    """Writes a row of the table."""
    what = f"{case['payload']:>12} {case['handlers']:>2} {case['result']:>8}"
    cells = [f"{median[OURS] / 1000:9.2f} µs"]
    cells += [f"{median[n] / 1000:10.2f} µs ({ratio[n]:5.3f})" for n in median if n != OURS]
    return what + " | " + " | ".join(cells)


def broken(rows: list[dict]) -> list[str]:
    """Lists the bounds that do not hold."""
    wrong = []
    for row in rows:
        case, ratio = row["case"], row["ours_by_theirs"]
        bounds = [(OLD, 1.0), (NEW, 1 / 40)]
        if case["handlers"] == 10 and case["result"] == "prebuilt":
            bounds.append((PLUGGY, 2.0))
        for name, most in bounds:
            if name in ratio and ratio[name] > most:
                wrong.append(f"{case}: {ratio[name]:.3f} × {name}, and {most:.3f} × is the most")
    return wrong


def main() -> int:
    """Runs the comparison; with --check the exit code says whether the bounds hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wheel", required=True)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        started = subjects(given.wheel, given.folder or Path(scratch))
        if OURS not in started:
            return 1
        print(" " * 26 + " | " + " | ".join(started) + "  (median of ours by theirs)")
        try:
            rows = measured(started, given.rounds)
        finally:
            for subject in started.values():
                subject.end()
    if given.json:
        given.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    wrong = broken(rows)
    print("\n".join(wrong) or "every bound holds")
    return 1 if given.check and wrong else 0


if __name__ == "__main__":
    sys.exit(main())
