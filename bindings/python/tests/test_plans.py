"""Mount plans in files, and modules that come from folders, packages and repositories."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import textwrap

import pytest

from anyhook import HookResult, ModuleLoader, Session
from anyhook.loader import load_plan

MODULE = """
from anyhook import HookResult

async def {mount}(coordinator, config=None):
    async def refuse(event, data):
        return HookResult(action="deny", reason="{reason}, and " + (config or {{}}).get("why", "no why"))
    coordinator.hooks.register("tool:pre", refuse)
"""


def module(folder, name, reason, *, mount="mount", points=""):
    """Writes a project with one module."""
    package = folder / name
    package.mkdir(parents=True)
    package.joinpath("__init__.py").write_text(MODULE.format(reason=reason, mount=mount), "utf-8")
    if points:
        text = f'[project]\nname = "x"\n[project.entry-points."amplifier.modules"]\n{points}\n'
        folder.joinpath("pyproject.toml").write_text(text, "utf-8")
    return folder


def plan(folder, source, **more):
    """Writes a plan in YAML with one hook."""
    hook = {"module": "my-hook", "source": source, "config": {"why": "why not"}, **more}
    file = folder / "plan.yaml"
    file.write_text("hooks:\n  - " + json.dumps(hook), "utf-8")
    return file


def said(file, **given):
    """Returns the reason of a refusal in the session of a plan, or why its module was not mounted."""

    async def main():
        async with Session.from_plan(file, **given) as session:
            if session.failures:
                return str(session.failures["my-hook"])
            return (await session.emit("tool:pre", {"tool_name": "Bash"})).reason

    return asyncio.run(main())


@pytest.fixture(autouse=True)
def a_clean_table_of_modules():
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        sys.modules.pop(name, None)


def test_a_folder_counts_from_the_plan(tmp_path):
    module(tmp_path / "rules", "folder_rules", "folder")
    assert said(plan(tmp_path, "./rules")) == "folder, and why not"


def test_the_folder_of_a_package_is_a_source_too(tmp_path):
    module(tmp_path, "amplifier_module_hooks_x", "package folder")
    assert said(plan(tmp_path, f"file://{tmp_path}/amplifier_module_hooks_x")) == "package folder, and why not"


def test_the_entry_point_of_a_folder_names_the_module_and_its_function(tmp_path):
    points = 'other = "nothing:mount"\nmy-hook = "inner.deep:begin"'
    folder = module(tmp_path / "rules", "inner", "entry point", points=points)
    inner = folder / "inner"
    inner.joinpath("deep.py").write_text("from . import helper\n" + MODULE.format(mount="begin", reason="deep"))
    inner.joinpath("helper.py").write_text("", "utf-8")
    assert said(plan(tmp_path, {"type": "file", "path": "rules"})) == "deep, and why not"


def test_two_modules_of_one_name_are_never_taken_for_each_other(tmp_path):
    module(tmp_path / "a", "same_name", "first")
    module(tmp_path / "b", "same_name", "second")
    (tmp_path / "1").mkdir(), (tmp_path / "2").mkdir()
    assert said(plan(tmp_path / "1", "../a")) == said(plan(tmp_path / "1", "../a")) == "first, and why not"
    assert "cannot be loaded beside the one of" in said(plan(tmp_path / "2", "../b"))


def test_an_installed_package_is_named_and_only_its_own_module_is_taken(tmp_path, monkeypatch):
    for package, reason in (("right", "right"), ("wrong", "wrong")):
        module(tmp_path, package, reason)
        about = tmp_path / f"the_{package}-1.0.dist-info"
        about.mkdir()
        about.joinpath("METADATA").write_text(f"Metadata-Version: 2.1\nName: the-{package}\nVersion: 1.0\n")
        points = f"[amplifier.modules]\nmy-hook = {package}:mount\n"
        about.joinpath("entry_points.txt").write_text(points, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    assert said(plan(tmp_path, "the-right")) == "right, and why not"
    assert said(plan(tmp_path, {"type": "package", "name": "the_wrong"})) == "wrong, and why not"
    assert said(plan(tmp_path, "the-third")) == "no installed package is called `the-third`"


def git(folder, *arguments):
    settings = ["-c", "user.name=x", "-c", "user.email=x@example.com", "-c", "init.defaultBranch=main"]
    ran = subprocess.run(["git", *settings, *arguments], cwd=folder, capture_output=True, text=True, check=True)
    return ran.stdout.strip()


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A repository on this disk, and an empty cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = module(tmp_path / "repository", "from_git", "first commit")
    git(folder, "init", "--quiet")
    git(folder, "add", "-A")
    git(folder, "commit", "--quiet", "-m", "first")
    return folder


def test_a_branch_is_pinned_to_its_commit_beside_the_plan(repository, tmp_path):
    first = git(repository, "rev-parse", "HEAD")
    file = plan(tmp_path, f"git+file://{repository}@main")
    assert said(file) == "first commit, and why not"
    lock = json.loads((tmp_path / "anyhook.lock").read_text("utf-8"))
    assert first in json.dumps(lock)

    (repository / "from_git" / "__init__.py").write_text(MODULE.format(reason="second commit", mount="mount"))
    git(repository, "commit", "--quiet", "-am", "second")
    assert said(file) == "first commit, and why not"


def test_a_commit_that_is_kept_needs_no_repository_any_more(repository, tmp_path):
    first = git(repository, "rev-parse", "HEAD")
    file = plan(tmp_path, {"type": "git", "url": f"file://{repository}", "ref": first})
    assert said(file) == "first commit, and why not"
    repository.rename(tmp_path / "gone")
    assert said(file) == "first commit, and why not"


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("git+ext::sh -c id", "cannot be fetched"),
        ("https://example.com/x", "cannot be fetched"),
        ("./nowhere", "is no folder"),
        ({"type": "svn"}, "is no source"),
        (7, "is no source"),
    ],
)
def test_a_source_that_is_none_is_a_failure_with_its_reason(tmp_path, source, text):
    assert text in said(plan(tmp_path, source))


def test_a_resolver_that_is_mounted_finds_the_sources(tmp_path):
    module(tmp_path / "elsewhere", "resolved", "resolver")

    class Resolver:
        def resolve(self, module_id, source_hint=None):
            assert (module_id, source_hint) == ("my-hook", "hint")
            return self.Source()

        class Source:
            def resolve(self):
                return tmp_path / "elsewhere"

    async def main():
        session = Session({"hooks": [{"module": "my-hook", "source": "hint"}]})
        await session.coordinator.mount("module-source-resolver", Resolver())
        async with session:
            return (await session.emit("tool:pre", {})).reason

    assert asyncio.run(main()) == "resolver, and no why"


def test_a_plan_is_read_by_the_end_of_its_name(tmp_path):
    (tmp_path / "plan.json").write_text('{"hooks": []}', "utf-8")
    (tmp_path / "plan.yml").write_text("hooks: []\n", "utf-8")
    (tmp_path / "list.yaml").write_text("- a\n", "utf-8")
    (tmp_path / "plan.toml").write_text("", "utf-8")
    assert load_plan(tmp_path / "plan.json") == load_plan(tmp_path / "plan.yml") == {"hooks": []}
    for name in ("list.yaml", "plan.toml"):
        with pytest.raises(ValueError, match="is no mount plan"):
            load_plan(tmp_path / name)


def test_a_plan_in_yaml_without_pyyaml_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(ImportError, match="pip install pyyaml"):
        load_plan(plan(tmp_path, "./x"))


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("hooks:\n  - module: my-hook\n", 0, "PASSED"),
        ("hooks:\n  - source: ./x\n", 1, "`hooks[0]` names no module"),
        ("- 1\n", 2, "a mount plan is a mapping"),
        ("a: [\n", 2, "error: "),
    ],
)
def test_the_command_validates_a_plan_in_yaml(tmp_path, text, code, words):
    file = tmp_path / "plan.yaml"
    file.write_text(textwrap.dedent(text), "utf-8")
    command = [sys.executable, "-m", "anyhook", "module", "validate", str(file), "--type", "mount_plan"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == code and words in ran.stdout + ran.stderr


def test_a_module_without_a_source_is_the_programs_own_or_an_error_that_says_what_to_write():
    assert ModuleLoader({"x": print}).find("x") is print
    with pytest.raises(LookupError, match="say with `source` where it comes from"):
        ModuleLoader().find("no-such-module")


def talkative(heard):
    """Returns the `mount` of a module that hears everything, refuses prompts, and tells the person of each event."""

    async def mount(coordinator, config=None):
        async def everything(event, data):
            heard.append(event)
            return HookResult(action="continue", user_message=event)

        coordinator.hooks.register("*", everything)
        coordinator.hooks.register("prompt:submit", lambda event, data: HookResult(action="deny"), name="refuse")

    return mount


def of_a_module(config, heard):
    """Returns the session of a plan with one such module."""
    plan = {"hooks": [{"module": "talks", "config": config}]}
    return Session(plan, modules={"talks": talkative(heard)})


def test_a_module_hears_the_enabled_events_alone():
    heard = []

    async def main():
        async with of_a_module({"enabled_events": ["PreToolUse", "tool:p*st"]}, heard) as session:
            for event in ("tool:pre", "tool:post", "prompt:submit"):
                assert (await session.emit(event, {})).action == "continue"

    asyncio.run(main())
    assert heard == ["tool:pre", "tool:post"]


@pytest.mark.parametrize(("level", "shown"), [("info", "tool:pre"), ("WARNING", None)])
def test_a_log_level_hides_what_is_less(level, shown):
    async def main():
        async with of_a_module({"log_level": level}, []) as session:
            return (await session.hooks.emit("tool:pre", {})).user_message

    assert asyncio.run(main()) == shown


@pytest.mark.parametrize("config", [{"enabled_events": "tool:pre"}, {"log_level": "loud"}])
def test_a_rule_that_cannot_be_read_is_a_failure_and_the_module_is_left_out(config):
    async def main():
        async with of_a_module(config, []) as session:
            return list(session.failures), session.hooks.list_handlers().get("tool:pre", [])

    assert asyncio.run(main()) == (["talks"], [])
