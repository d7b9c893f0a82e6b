"""Amplifier's names: what can be imported, in which processes, and beside an installed Amplifier."""

from __future__ import annotations

import importlib
import inspect
import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

import anyhook.amplifier

TREE = Path(anyhook.amplifier.TREE)
NAMES = sorted(
    ".".join(file.relative_to(TREE).with_suffix("").parts).removesuffix(".__init__")
    for file in TREE.glob("amplifier_core/**/*.py")
)


def run(program, *arguments, **given):
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    given = {"capture_output": True, "text": True, "check": False, "env": environment} | given
    return subprocess.run([program, *map(str, arguments)], **given)


def python(*arguments, path=()):
    """Runs a Python that finds what this one finds, and before it what is given."""
    search = os.pathsep.join([*map(str, path), *(one for one in sys.path if one != str(TREE))])
    return run(sys.executable, *arguments, env=os.environ | {"PYTHONPATH": search})


def theirs(folder: Path) -> Path:
    """Writes a package that stands for the original."""
    (folder / "amplifier_core").mkdir(parents=True)
    (folder / "amplifier_core" / "__init__.py").write_text("", encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """An environment of its own that finds what this one finds."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=False, symlinks=os.name != "nt")
    program = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    told = run(program, "-c", "import sysconfig; print(sysconfig.get_paths()['purelib'])")
    site = Path(told.stdout.strip())
    found = [path for path in sys.path if path.endswith("site-packages") or (Path(path) / "anyhook").is_dir()]
    (site / "deps.pth").write_text("\n".join(found), encoding="utf-8")
    return program, site


@pytest.mark.parametrize("name", NAMES)
def test_every_module_of_amplifiers_tree_has_what_it_says(name):
    module = importlib.import_module(name)
    assert Path(inspect.getfile(module)).is_relative_to(TREE)
    missing = [one for one in getattr(module, "__all__", ()) if not hasattr(module, one)]
    assert missing == []


def test_the_classes_of_the_tree_are_the_packages_own():
    import amplifier_core
    from amplifier_core import _engine, events

    assert amplifier_core.HookRegistry is anyhook.HookRegistry is _engine.RustHookRegistry
    assert amplifier_core.ModuleCoordinator is anyhook.ModuleCoordinator is _engine.RustCoordinator
    assert amplifier_core.HookResult is anyhook.HookResult
    assert events.ALL_EVENTS is _engine.ALL_EVENTS
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("amplifier_core.nothing")


def test_the_module_of_the_registry_lists_the_names_of_release_1_6_and_has_the_one_of_2_0():
    from amplifier_core import hooks, models

    assert sorted(hooks.__all__) == ["HookRegistry", "HookResult"]
    assert hooks.ContextInjection is models.ContextInjection


def test_the_native_names_are_second_names_of_the_classes():
    from amplifier_core import _engine

    names = ("RustHookRegistry", "RustCoordinator", "RustSession", "RustCancellationToken")
    called = ["HookRegistry", "ModuleCoordinator", "AmplifierSession", "CancellationToken"]
    assert [getattr(_engine, name).__name__ for name in names] == called


def test_the_catalogue_has_the_events_of_the_documents_and_of_the_code():
    from amplifier_core import events

    assert len(events.ALL_EVENTS) == len(set(events.ALL_EVENTS)) == 55


def test_second_names_of_events_are_imported_and_not_listed_twice():
    from amplifier_core import events

    assert (events.ERROR_TOOL, events.ERROR_PROVIDER) == ("tool:error", "provider:error")
    listed = [getattr(events, name) for name in dir(events) if name.isupper() and name != "ALL_EVENTS"]
    assert sorted(listed) == sorted(events.ALL_EVENTS)
    with pytest.raises(AttributeError):
        events.ERROR_NOTHING  # noqa: B018


def test_a_script_written_for_amplifier_runs_unchanged(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import sys\nfrom amplifier_core.hooks import HookRegistry\n"
        "print(HookRegistry.TOOL_PRE, sys.argv[1:], __name__)\n",
        encoding="utf-8",
    )
    ran = python("-m", "anyhook.amplifier", "run", script, "--flag", "x")
    assert (ran.stdout, ran.stderr) == ("tool:pre ['--flag', 'x'] __main__\n", "")


# Beside an installed Amplifier


@pytest.mark.parametrize(("shadow", "whose"), [((), "theirs"), (("--shadow",), "ours")])
def test_an_installed_amplifier_is_not_shadowed_unless_asked_and_either_is_said_once(tmp_path, shadow, whose):
    script = tmp_path / "script.py"
    script.write_text(
        "import amplifier_core, anyhook.amplifier, amplifier_core\n"
        "print('ours' if hasattr(amplifier_core, 'HookRegistry') else 'theirs')\n",
        encoding="utf-8",
    )
    ran = python("-m", "anyhook.amplifier", "run", *shadow, script, path=[theirs(tmp_path)])
    said = "is the installed one" if whose == "theirs" else "is Anyhook's here, and not the installed one"
    assert ran.stdout == f"{whose}\n"
    assert ran.stderr.count("RuntimeWarning") == 1 and said in ran.stderr


@pytest.mark.parametrize("first", ["import amplifier_core; ", ""])
def test_importing_the_names_beside_an_installed_amplifier_is_never_silent(tmp_path, first):
    program = f"{first}import anyhook.amplifier as it; print(it.is_ours(), it.which())"
    ran = python("-c", program, path=[theirs(tmp_path)])
    assert ran.stdout == f"False Amplifier's in {tmp_path / 'amplifier_core' / '__init__.py'}\n"
    assert ran.stderr.count("RuntimeWarning") == 1 and "none of Anyhook's guarantees" in ran.stderr


def test_shadowing_replaces_what_was_imported_before(tmp_path):
    program = (
        "import amplifier_core; from anyhook.amplifier import install; assert install(shadow=True)\n"
        "from amplifier_core.hooks import HookRegistry; import anyhook; assert HookRegistry is anyhook.HookRegistry"
    )
    ran = python("-W", "ignore", "-c", program, path=[theirs(tmp_path)])
    assert (ran.returncode, ran.stderr) == (0, "")


# In every process of an environment


def test_an_enabled_environment_imports_the_names_in_every_process(environment, tmp_path):
    program, site = environment
    before = run(program, "-c", "import amplifier_core")
    assert "No module named 'amplifier_core'" in before.stderr
    enabled = run(program, "-m", "anyhook.amplifier", "enable")
    assert enabled.returncode == 0 and "amplifier_core is Anyhook's in" in enabled.stdout

    inner = "import amplifier_core; print(amplifier_core.__file__)"
    ran = run(program, "-c", f"import subprocess, sys; subprocess.run([sys.executable, '-c', {inner!r}])")
    assert (ran.stdout, ran.stderr) == (f"{TREE / 'amplifier_core' / '__init__.py'}\n", "")

    test = tmp_path / "test_it.py"
    test.write_text("from amplifier_core.hooks import HookRegistry\ndef test_it(): HookRegistry()\n", "utf-8")
    ran = run(program, "-m", "pytest", "-q", "-p", "no:cacheprovider", test)
    assert "1 passed" in ran.stdout, ran.stdout

    code = tmp_path / "code.py"
    code.write_text(
        "from amplifier_core.hooks import HookRegistry\nreveal_type(HookRegistry().list_handlers())\n", "utf-8"
    )
    ran = run(program, "-m", "mypy", "--strict", "--cache-dir", tmp_path / "cache", code)
    assert 'Revealed type is "dict[str, list[str]]"' in ran.stdout.replace("builtins.", ""), ran.stdout

    assert run(program, "-m", "anyhook.amplifier", "which").returncode == 0
    assert run(program, "-m", "anyhook.amplifier", "disable").returncode == 0
    assert "No module named" in run(program, "-c", "import amplifier_core").stderr


def test_enabling_beside_an_installed_amplifier_asks_for_the_shadow_and_then_says_so(environment):
    program, site = environment
    theirs(site)
    try:
        refused = run(program, "-W", "ignore", "-m", "anyhook.amplifier", "enable")
        assert refused.returncode == 1 and "`enable --shadow` takes its place" in refused.stderr
        assert not (site / "anyhook-amplifier.pth").exists()
        assert run(program, "-W", "ignore", "-m", "anyhook.amplifier", "enable", "--shadow").returncode == 0
        ran = run(program, "-c", "import amplifier_core; print(amplifier_core.HookRegistry.__name__)")
        assert ran.stdout == "HookRegistry\n" and ran.stderr.count("RuntimeWarning") == 1
        assert run(program, "-c", "pass").stderr == ""
        run(program, "-m", "anyhook.amplifier", "disable")
        assert run(program, "-W", "ignore", "-m", "anyhook.amplifier", "which").returncode == 1
    finally:
        (site / "amplifier_core" / "__init__.py").unlink()
        (site / "amplifier_core").rmdir()


def test_an_amplifier_that_is_installed_after_enabling_is_used_and_named(environment):
    program, site = environment
    run(program, "-m", "anyhook.amplifier", "enable")
    theirs(site)
    try:
        ran = run(program, "-c", "import amplifier_core; print(hasattr(amplifier_core, 'HookRegistry'))")
        assert ran.stdout == "False\n" and "is the installed one" in ran.stderr
    finally:
        (site / "amplifier_core" / "__init__.py").unlink()
        (site / "amplifier_core").rmdir()
        run(program, "-m", "anyhook.amplifier", "disable")
