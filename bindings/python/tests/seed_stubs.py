"""The names that the documents use without saying what they are. None of them is ours."""

import fnmatch  # noqa: F401
import logging
import re  # noqa: F401
import time  # noqa: F401
from collections.abc import Awaitable, Callable  # noqa: F401
from types import SimpleNamespace
from typing import Any, Literal, Protocol, runtime_checkable  # noqa: F401

import pytest  # noqa: F401
from pydantic import BaseModel  # noqa: F401

logger = logging.getLogger("seeds")
original_data = {"tool_name": "Write"}
linter_found_errors = True


class subprocess:
    """A linter that finds something."""

    @staticmethod
    def run(command, capture_output):
        return SimpleNamespace(returncode=1, stderr=f"E501 in {command[-1]}".encode())


def get_active_todos():
    return ["write the tests"]


def validate(tool_result):
    return tool_result["errors"]


def format_errors(errors):
    return "\n".join(errors)


format_issues = format_errors


def check_for_issues(data):
    return data["issues"]


def do_something(data):
    return SimpleNamespace(has_issues=True, issues=data["issues"])


async def process_event(event, data):
    raise RuntimeError("the disk is full")


async def my_validation_hook(event, data):
    return SimpleNamespace(action="deny", reason="Access denied")


my_feedback_hook = my_handler = session_logger = my_validation_hook
