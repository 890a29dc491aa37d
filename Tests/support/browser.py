"""A browser without JavaScript: cookies, redirects, forms, meta refresh. It stops where a real one leaves our pages."""

from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

import requests
from bs4 import BeautifulSoup

from .fixtures import ALICE, Account

LIMIT = 12


@dataclass
class Page:
    """One answer that is not a redirect, or the address outside the provider to which the browser was sent."""

    url: str
    response: requests.Response | None
    left: bool = False

    @property
    def status(self) -> int:
        assert self.response is not None
        return self.response.status_code

    @property
    def text(self) -> str:
        return self.response.text if self.response is not None else ""

    @property
    def soup(self) -> BeautifulSoup:
        return BeautifulSoup(self.text, "html.parser")

    @property
    def has_password(self) -> bool:
        return self.soup.find("input", attrs={"name": "password"}) is not None

    def buttons(self, name: str = "decision") -> set[str]:
        """Values of the submit buttons called `name`."""
        return {tag.get("value", "") for tag in self.soup.find_all(["button", "input"], attrs={"name": name})}

    def form(self, *, having: str | None = None) -> tuple[str, str, dict[str, str]]:
        """Method, action and fields of the form that has a control named `having` (of the first form otherwise)."""
        forms = self.soup.find_all("form")
        if having is not None:
            forms = [form for form in forms if form.find(attrs={"name": having})]
        assert forms, f"no form with {having!r} at {self.url.split('?')[0]}:\n{self.soup.get_text(' ', strip=True)[:500]}"
        form = forms[0]
        fields = {tag["name"]: tag.get("value", "") for tag in form.find_all("input")
                  if tag.get("name") and tag.get("type", "text") not in ("submit", "button", "image")}
        action = urljoin(self.url, form.get("action") or self.url)
        return (form.get("method", "get").lower(), action, fields)

    @property
    def meta_refresh(self) -> str | None:
        """The target of `<meta http-equiv=refresh>`, to the letter."""
        for tag in self.soup.find_all("meta"):
            if (tag.get("http-equiv") or "").lower() == "refresh":
                _, _, rest = tag["content"].partition(";")
                name, _, target = rest.strip().partition("=")
                assert name.strip().lower() == "url", tag["content"]
                return target.strip().strip("'\"")
        return None


class Browser:
    """Follows the provider's own pages; any address elsewhere ends the walk as `Page.left`."""

    def __init__(self, issuer: str, verify: str | bool = True, headers: dict[str, str] | None = None) -> None:
        self.origin = self._origin_of(issuer)
        self.session = requests.Session()
        self.session.trust_env = False
        self.session.verify = verify
        self.session.headers.update({"Accept": "text/html,application/xhtml+xml", "Accept-Language": "en"})
        self.session.headers.update(headers or {})
        self.history: list[requests.Response] = []

    @staticmethod
    def _origin_of(url: str) -> tuple[str, str]:
        parts = urlsplit(url)
        return (parts.scheme, parts.netloc)

    def get(self, url: str) -> Page:
        return self._walk("GET", url, None)

    def post(self, url: str, data: dict[str, str]) -> Page:
        return self._walk("POST", url, data)

    def submit(self, page: Page, *, having: str | None = None, **values: str) -> Page:
        """Sends the form that has `having` (the first of `values` otherwise), hidden fields as they stand."""
        method, action, fields = page.form(having=having or next(iter(values), None))
        fields.update(values)
        if method == "get":
            return self.get(requests.Request("GET", action, params=fields).prepare().url or action)
        return self.post(action, fields)

    def sign_in(self, page: Page, account: Account = ALICE) -> Page:
        """Fills the sign-in page and presses its button."""
        assert page.has_password, f"not a sign-in page: {page.status} {page.soup.get_text(' ', strip=True)[:300]}"
        return self.submit(page, username=account.username, password=account.password)

    def decide(self, page: Page, decision: str = "allow") -> Page:
        assert decision in page.buttons(), f"no button {decision!r}: {page.soup.get_text(' ', strip=True)[:300]}"
        return self.submit(page, decision=decision)

    def authorize(self, url: str, account: Account = ALICE, decision: str = "allow") -> str:
        """Goes the whole way a person would: sign-in and consent where asked; gives the URL the app is handed."""
        page = self.get(url)
        for _ in range(4):
            if page.left:
                return page.url
            if page.has_password:
                page = self.sign_in(page, account)
            elif decision in page.buttons():
                page = self.decide(page, decision)
            elif "continue" in page.buttons():
                page = self.decide(page, "continue")
            else:
                break
        assert page.left, f"stuck on a page: {page.status} {page.soup.get_text(' ', strip=True)[:500]}"
        return page.url

    def _walk(self, method: str, url: str, data: dict[str, str] | None) -> Page:
        for _ in range(LIMIT):
            if self._origin_of(url) != self.origin:
                return Page(url, None, left=True)
            headers = {}
            if method == "POST":
                headers["Origin"] = "{}://{}".format(*self.origin)
            response = self.session.request(method, url, data=data, headers=headers, allow_redirects=False, timeout=30)
            self.history.append(response)
            if response.status_code in (301, 302, 303, 307, 308):
                if response.status_code in (301, 302, 303):
                    method, data = "GET", None
                url = self._resolve(url, response.headers["Location"])
                continue
            page = Page(url, response)
            target = page.meta_refresh
            if target is not None:
                method, data, url = "GET", None, self._resolve(url, target)
                continue
            return page
        raise AssertionError(f"more than {LIMIT} redirects, last to {url.split('?')[0]}")

    @staticmethod
    def _resolve(base: str, target: str) -> str:
        # An absolute target is taken to the letter; urljoin rewrites those of schemes it does not know.
        head = target.split("/", 1)[0].split("?", 1)[0]
        return target if ":" in head else urljoin(base, target)
