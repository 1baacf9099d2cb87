"""A page of HTML as a strict reader has it: its elements, their attributes, and its text."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

_VOID = {"meta", "hr", "br", "img", "input", "link"}


@dataclass
class Page(HTMLParser):
    """What was read. `open` is empty at the end of a page whose tags are balanced."""

    open: list[str] = field(default_factory=list)
    tags: list[tuple[str, dict[str, str | None]]] = field(default_factory=list)
    text: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in _VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag, f"</{tag}> is crossed"

    def handle_data(self, data: str) -> None:
        if not self.open or self.open[-1] != "style":
            self.text.append(data)

    @property
    def told(self) -> str:
        """All that is to be read, titles of things pointed at included."""
        titles = [attrs.get("title") or "" for _, attrs in self.tags]
        return " ".join(" ".join([*self.text, *titles]).split())


def read_page(html: str) -> Page:
    """The page, held to what every page of ours is: balanced, with no script, handler or address, and a policy that
    forbids loading."""
    page = Page()
    page.feed(html)
    page.close()
    assert page.open == []
    assert html.startswith("<!doctype html>")
    names = {name for _, attrs in page.tags for name in attrs}
    assert not {name for name in names if name.startswith("on")}
    assert not names & {"src", "href", "srcset", "action", "data", "xlink:href"}
    assert not {tag for tag, _ in page.tags} & {"script", "iframe", "object", "embed", "link", "img", "base", "form"}
    (policy,) = [attrs["content"] for tag, attrs in page.tags if attrs.get("http-equiv") == "Content-Security-Policy"]
    assert policy is not None
    assert policy.startswith("default-src 'none'")
    style = html.partition("<style>")[2].partition("</style>")[0]
    assert "url(" not in style
    assert "@import" not in style
    return page
