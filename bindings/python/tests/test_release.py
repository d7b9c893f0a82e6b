"""What makes a wheel one that can be published."""

from __future__ import annotations

import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1]
sys.path.insert(0, str(PACKAGE))
release = pytest.importorskip("release", reason="the tests do not lie in a checkout")

ABOUT = """\
Metadata-Version: 2.4
Name: anyhook
Version: 0.1.0
Summary: Hooks.
Keywords: agent
Author: The Anyhook authors
License-Expression: MIT OR Apache-2.0
License-File: LICENSE-MIT
Requires-Python: >=3.11
Project-URL: Repository, https://example.com/x
"""
PROGRAM = "anyhook-0.1.0.data/scripts/anyhook"
FILES = [
    "anyhook/py.typed",
    "anyhook/amplifier/tree/amplifier_core/py.typed",
    "anyhook-0.1.0.dist-info/entry_points.txt",
    PROGRAM,
]
LINUX = "manylinux_2_17_x86_64.manylinux2014_x86_64"


def wheel(folder, tag=LINUX, about=ABOUT, files=FILES, abi="abi3", program="GLIBC_2.2.5 GLIBC_2.17"):
    path = folder / f"anyhook-0.1.0-cp311-{abi}-{tag}.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("anyhook-0.1.0.dist-info/METADATA", about)
        for file in files:
            archive.writestr(file, program if file == PROGRAM else "")
    return path


@pytest.mark.parametrize(
    "tag", [LINUX, "macosx_11_0_arm64", "win_amd64"]
)
def test_a_whole_wheel_can_be_published(tmp_path, tag):
    assert release.problems(wheel(tmp_path, tag)) == []


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"tag": "linux_x86_64"}, "`linux_x86_64` is no platform that an index takes"),
        ({"abi": "cp311"}, "not for the stable ABI"),
        ({"about": ABOUT.replace("Author: ", "Auhtor: ")}, "nothing as `Author`"),
        ({"about": ABOUT.replace("0.1.0", "0.2.0")}, "it says that it is 0.2.0"),
        ({"files": FILES[1:]}, "`anyhook/py.typed` is not in it"),
        ({"files": FILES[:-1]}, "the program `anyhook` is not in it"),
        ({"program": "GLIBC_2.17 GLIBC_2.34"}, "needs glibc 2.34, and it promises 2.17"),
    ],
)
def test_what_keeps_a_wheel_from_being_published_is_said(tmp_path, given, text):
    (found,) = release.problems(wheel(tmp_path, **given))
    assert text in found
    assert release.main(["check", str(wheel(tmp_path, **given))]) == 1


def test_a_wheel_for_windows_has_no_program(tmp_path):
    assert release.problems(wheel(tmp_path, "win_amd64", files=FILES[:-1])) == []


def test_the_addresses_of_a_release_replace_those_before(tmp_path):
    copy = tmp_path / "pyproject.toml"
    copy.write_text((PACKAGE / "pyproject.toml").read_text("utf-8"), "utf-8")
    for of in ("https://example.com/a", "https://example.com/b"):
        release.address(of, copy)
    project = tomllib.loads(copy.read_text("utf-8"))
    assert project["project"]["urls"]["Repository"] == "https://example.com/b"
    before = tomllib.loads((PACKAGE / "pyproject.toml").read_text("utf-8"))
    assert project["tool"] == before["tool"]


def test_the_project_says_what_an_index_shows():
    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["authors"] and project["keywords"] and project["license-files"]
    assert project["scripts"] == {"anyhook-python": "anyhook.__main__:main"}
    kinds = {line.partition(" :: ")[0] for line in project["classifiers"]}
    assert kinds >= {"Development Status", "Intended Audience", "Operating System", "Topic", "Typing"}
    assert {f"Programming Language :: Python :: 3.{minor}" for minor in range(11, 14)} <= set(project["classifiers"])
