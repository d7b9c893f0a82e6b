"""What the tests share."""

from __future__ import annotations

import pytest

from anyhook import HookRegistry


@pytest.fixture
def registry() -> HookRegistry:
    """An empty registry."""
    return HookRegistry()


@pytest.fixture(params=["asyncio", "uvloop"])
def anyio_backend(request):
    """The event loops that tests marked `anyio` run on."""
    if request.param == "uvloop":
        pytest.importorskip("uvloop")
        return "asyncio", {"use_uvloop": True}
    return "asyncio", {"use_uvloop": False}
