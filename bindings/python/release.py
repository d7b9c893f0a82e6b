"""What a release of the Python package needs beside `maturin build`.

    python release.py address https://example.com/org/anyhook    # before: writes the addresses into pyproject.toml
    python release.py check dist/*.whl                           # after: says what keeps a wheel from being published

The wheels themselves are made by `maturin build --release --zig --compatibility manylinux2014` on Linux (`pip install
ziglang`), and by `maturin build --release` elsewhere. `packaging/build --wheel` puts the program `anyhook` into them.
"""

from __future__ import annotations

import re
import sys
import zipfile
from email.parser import Parser
from pathlib import Path

PROJECT = Path(__file__).parent / "pyproject.toml"
NAME = re.compile(r"anyhook-(?P<version>[^-]+)-cp311-abi3-(?P<tag>.+)\.whl")
TAG = re.compile(r"manylinux|musllinux|macosx|win")
FIELDS = ("Author", "Keywords", "License-Expression", "License-File", "Project-URL", "Requires-Python", "Summary")


def address(of: str, project: Path = PROJECT) -> None:
    """Writes the addresses of a repository into the project's file, in place of those that are there."""
    names = {"Repository": of, "Documentation": f"{of}/blob/main/docs/python.md", "Issues": f"{of}/issues"}
    lines = "".join(f'{name} = "{value}"\n' for name, value in names.items())
    text = project.read_text(encoding="utf-8")
    head, _, rest = text.partition("[project.urls]\n")
    project.write_text(f"{head}[project.urls]\n{lines}\n{rest[rest.index('[') :]}", encoding="utf-8")


def problems(wheel: Path) -> list[str]:
    """Lists what keeps a wheel from being published."""
    found = []
    name = NAME.fullmatch(wheel.name)
    if name is None:
        return [f"{wheel.name}: it is not for the stable ABI of Python 3.11"]
    if not TAG.match(name["tag"]):
        found.append(f"{wheel.name}: `{name['tag']}` is no platform that an index takes")
    with zipfile.ZipFile(wheel) as archive:
        files = archive.namelist()
        (file,) = [file for file in files if file.endswith(".dist-info/METADATA")]
        about = Parser().parsestr(archive.read(file).decode())
    found += [f"{wheel.name}: it says nothing as `{field}`" for field in FIELDS if not about.get(field)]
    if name["version"] != about["Version"]:
        found.append(f"{wheel.name}: it says that it is {about['Version']}")
    for needed in ("anyhook/py.typed", "anyhook/amplifier/tree/amplifier_core/py.typed", "/entry_points.txt"):
        if not any(file.endswith(needed) for file in files):
            found.append(f"{wheel.name}: `{needed}` is not in it")
    found += [f"{wheel.name}: {text}" for text in _of_the_program(wheel, name["tag"])]
    return found


def _of_the_program(wheel: Path, tag: str) -> list[str]:
    """Lists what is wrong with the program `anyhook` that a wheel brings. There is none for Windows."""
    if tag.startswith("win"):
        return []
    with zipfile.ZipFile(wheel) as archive:
        programs = [archive.read(file) for file in archive.namelist() if file.endswith(".data/scripts/anyhook")]
    if not programs:
        return ["the program `anyhook` is not in it: `packaging/build --wheel` puts it there"]
    promised = re.match(r"manylinux_2_(\d+)_", tag)
    needed = max((int(minor) for minor in re.findall(rb"GLIBC_2\.(\d+)", programs[0])), default=0)
    if promised and needed > int(promised[1]):
        return [f"its program needs glibc 2.{needed}, and it promises 2.{promised[1]}"]
    return []


def main(arguments: list[str]) -> int:
    """Does what is asked; ends with 1 where a wheel cannot be published."""
    match arguments:
        case ["address", of]:
            address(of)
            return 0
        case ["check", *wheels] if wheels:
            found = [text for wheel in wheels for text in problems(Path(wheel))]
            print("\n".join(found) or f"{len(wheels)} wheels can be published")
            return 1 if found else 0
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
