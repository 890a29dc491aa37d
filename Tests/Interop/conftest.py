"""Set-up that only the interop tests need."""

import os
from collections.abc import Iterator

import pytest
from chromium import DESKTOP, PHONE, Chromium, chromium

from support import Callback, Client, Dev, register

# pyoidc and others would take a proxy from the environment for loopback addresses.
os.environ["NO_PROXY"] = "127.0.0.1,localhost,::1"


@pytest.fixture(scope="session")
def _chromium() -> Iterator[Chromium]:
    with chromium() as browser:
        yield browser


@pytest.fixture
def chrome(_chromium: Chromium) -> Chromium:
    """Chromium without cookies, with one empty tab."""
    _chromium.fresh()
    return _chromium


@pytest.fixture(params=[PHONE, DESKTOP], ids=["phone", "desktop"])
def sized(chrome: Chromium, request) -> Chromium:
    """`chrome` at the width of a phone and of a desk."""
    chrome.resize(request.param)
    return chrome


@pytest.fixture
def callback() -> Iterator[Callback]:
    """A relying party's callback on a free loopback port."""
    with Callback() as listener:
        yield listener


@pytest.fixture
def web(server: Dev, callback: Callback) -> Client:
    """A confidential client of its own for each test, so that nobody has consented to it yet."""
    return register(server, f"web-{callback.port}", [callback.redirect_uri], client_name="Paper Boats")
