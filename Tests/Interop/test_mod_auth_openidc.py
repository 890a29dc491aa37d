"""mod_auth_openidc, a certified relying party in C with a JOSE stack of its own, protects a page."""

from collections.abc import Iterator
from urllib.parse import quote

import pytest
from apache import Apache

from support import ALICE, Browser, Dev, Page, register


@pytest.fixture(scope="module", params=["client_secret_basic", "client_secret_post"])
def apache(server: Dev, request) -> Iterator[Apache]:
    apache = Apache()
    client = register(server, f"apache-{request.param.rsplit('_')[-1]}", [apache.redirect_uri], method=request.param)
    apache.start(server.issuer, client)
    yield apache
    apache.stop()


class Visitor:
    """One person's browser; it goes to and fro between Apache and the provider."""

    def __init__(self, apache: Apache, issuer: str) -> None:
        self.apache = apache
        self.provider = Browser(issuer)
        self.site = Browser(apache.origin)

    def open(self, url: str) -> Page:
        for _ in range(4):
            page = self.site.get(url)
            if not page.left:
                return page
            url = self.provider.authorize(page.url, ALICE)
        raise AssertionError("sent to and fro without end")


def shown(page: Page, name: str) -> str:
    tag = page.soup.find(id=name)
    assert tag is not None, f"{page.status} {page.text[:500]}"
    return tag.get_text(strip=True)


def test_protects_a_page_shows_the_person_and_keeps_the_session(apache: Apache, issuer: str) -> None:
    visitor = Visitor(apache, issuer)
    url = apache.origin + "/app/page.html"

    page = visitor.open(url)

    assert page.status == 200, apache.log
    sub = shown(page, "user")
    assert sub and sub != "(none)" and shown(page, "iss") == issuer
    again = visitor.site.get(url)
    assert not again.left and shown(again, "user") == sub
    stranger = Visitor(apache, issuer)
    assert stranger.site.get(url).left, "another browser must not be in the session"


def test_refreshes_three_times_through_its_own_hook(apache: Apache, issuer: str) -> None:
    visitor = Visitor(apache, issuer)
    url = apache.origin + "/app/page.html"
    page = visitor.open(url)
    seen = {shown(page, "refresh")}

    for count in range(1, 4):
        token = shown(page, "access")
        page = visitor.site.get(
            f"{apache.redirect_uri}?refresh={quote(url, safe='')}&access_token={quote(token, safe='')}")
        assert page.status == 200 and "error" not in page.url, apache.log
        assert shown(page, "access") != token
        seen.add(shown(page, "refresh"))
        assert len(seen) == count + 1, "each refresh gives a new refresh token"
