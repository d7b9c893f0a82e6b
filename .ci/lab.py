"""Asks the agents themselves, in the versions that are pinned, and keeps what they did.

    python3 .ci/lab.py PROGRAM FOLDER [HOST...]            asks them, or all of them
    python3 .ci/lab.py PROGRAM FOLDER --fetch [NAME...]    only installs them

The agents come from npm into the folder, with a Node from there where the machine's is too old. `anyhook verify` asks each one
under a scripted model, and `crates/truth/seen/<host>-<version>.json` is what it did. It ends with 1 where an agent did
something else than it was last seen to do; the file is written all the same, for the developer who corrects the wire.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

TRUTHS = Path("crates/truth/seen")
# The first Node that every agent runs on.
NODE = 22
# Agents that ask a server by a plugin of ours, and what one of them runs on.
OTHERS = {"kilo": ("@kilocode/cli", "7.7.7"), "pi": ("@earendil-works/pi-coding-agent", "1.5.2"),
          "omp": ("@oh-my-pi/pi-coding-agent", "18.2.3"), "bun": ("bun", "1")}


class Lab:
    def __init__(self, program: str, folder: str):
        self.folder = Path(folder).resolve()
        (self.folder / "home").mkdir(parents=True, exist_ok=True)
        # A copy: another build may replace the program while an agent is asked for minutes.
        self.program = shutil.copy(program, self.folder / "anyhook")

    def anyhook(self, *words: str, path: str = os.environ["PATH"]):
        surroundings = {**os.environ, "PATH": path, "HOME": str(self.folder / "home")}
        return subprocess.run([self.program, *words], env=surroundings, capture_output=True, text=True)

    def package(self, name: str, package: str, version: str) -> Path:
        """Installs a package of npm, unless it is here, and gives the folder of its programs."""
        folder = self.folder / name
        about = folder / "node_modules" / package / "package.json"
        here = json.loads(about.read_text())["version"] if about.is_file() else ""
        if version not in (here, here.split(".")[0]):
            print(f"installing {package} {version}", flush=True)
            folder.mkdir(exist_ok=True)
            quiet = ["--no-audit", "--no-fund", "--loglevel=error"]
            subprocess.run(["npm", "install", *quiet, "--prefix", folder, f"{package}@{version}"], check=True)
        return folder / "node_modules/.bin"

    def path(self, agent: dict) -> str:
        folders = [self.package(agent["host"], agent["package"], agent["version"])]
        node = subprocess.run(["node", "--version"], capture_output=True, text=True).stdout
        if int(node.strip().lstrip("v").split(".")[0] or 0) < NODE:
            folders.append(self.package("node", "node", str(NODE)))
        return os.pathsep.join([*map(str, folders), os.environ["PATH"]])

    def fetch(self, name: str, agents: dict) -> None:
        if name in OTHERS:
            self.package(name, *OTHERS[name])
        else:
            self.path(agents[name])

    def ask(self, agent: dict) -> bool:
        """Asks an agent everything, keeps what it did, and tells whether all of it was expected."""
        print(f"asking {agent['host']} {agent['version']}", flush=True)
        words = ["verify", "--json", "--host", agent["host"]]
        done = self.anyhook(*words, path=self.path(agent))
        if not done.stdout.startswith("{"):
            print(f"  it was not asked: {done.stderr.strip()}")
            return False
        found = json.loads(done.stdout)
        keep(found["truth"])
        print(f"  {len(found['truth']['rows'])} answers; verify ended with {done.returncode}")
        if done.returncode:
            print(done.stderr.strip())
        return done.returncode == 0


def pinned() -> list[dict]:
    """The agents that can be asked, with the package of each and its version."""
    row = r'^- host: (\S+)$.*?^  package: \{name: "?([^",]+)"?, version: ([^}]+)\}$'
    found = re.findall(row, Path("crates/verify/src/agents.yaml").read_text(), re.M | re.S)
    return [dict(zip(("host", "package", "version"), row)) for row in found]


def keep(truth: dict) -> None:
    """Writes the truth file, with a line for each payload and each row, so that a difference is read line by line."""

    def short(value):
        return json.dumps(value, separators=(",", ":"), ensure_ascii=False)

    parts = [f'"{name}": {short(truth[name])}' for name in ("host", "version", "date", "fired", "modes")]
    payloads = ",\n".join(f'"{name}": {short(value)}' for name, value in truth["payloads"].items())
    rows = ",\n".join(short(row) for row in truth["rows"])
    text = "{\n" + ",\n".join([*parts, f'"payloads": {{\n{payloads}\n}}', f'"rows": [\n{rows}\n]']) + "\n}\n"
    (TRUTHS / f"{truth['host']}-{truth['version']}.json").write_text(text)


def main(program: str, folder: str, *words: str) -> int:
    lab = Lab(program, folder)
    agents = {agent["host"]: agent for agent in pinned()}
    fetches, names = words[:1] == ("--fetch",), [word for word in words if word != "--fetch"]
    if odd := set(names) - set(agents) - set(OTHERS):
        print(f"no agent of the lab: {', '.join(odd)}; it has {', '.join(agents)}", file=sys.stderr)
        return 2
    if fetches:
        for name in names:
            lab.fetch(name, agents)
        return 0
    return 0 if all([lab.ask(agents[name]) for name in names or agents]) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
