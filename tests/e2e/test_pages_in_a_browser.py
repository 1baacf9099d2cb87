"""Every page that a command writes, in Chromium: axe-core finds nothing, and nothing scrolls sideways on a telephone."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from support import harbour as h
from support import playing_models as mp
from support.browser import Browser, find_axe, find_chromium
from support.command_line import run_command, workspace_environment

pytestmark = pytest.mark.server

# One grey pixel.
_PNG = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==")
_LONG = "x" * 300
# What has been too wide for a telephone: a long word, an address, a table, code, long names; and levels left out.
WIDE = {
    "pack.yaml": "id: wide\nname: A Pack of Wide Things\nversion: 1.0.0\nlicense: {type: CC0}\n",
    "npcs/mara.md": f"""
        ---
        id: mara
        type: npc
        image: mara.png
        aliases: [{_LONG[:80]}]
        ---
        # Mara Coil

        Mara knows [[Quay]] and the word {_LONG}. See https://example.com/{_LONG}.

        ## Table

        | {" | ".join(f"column{n}" for n in range(20))} |
        |{"---|" * 20}
        | {" | ".join(f"value{n}" for n in range(20))} |

        ### Below

        ##### Far below

        ```
        {_LONG}
        ```

        ## Secrets

        - {{#oil}} Mara sold the oil.
    """,
    "places/quay.md": f"---\nid: quay\ntype: location\n---\n# Quay\n\n[[Mara Coil]] is here.\n\n## {_LONG}\n\nStone.\n",
    "places/pier.md": "---\nid: pier\ntype: location\n---\n# Pier\n\nBeside the [[Quay]].\n",
    "tests/golden.yaml": "- {id: who, query: who sold the oil, include: [wide:mara:overview]}\n",
}
PAGES = (
    "query", "query_player", "nothing", "scene", "scene_player", "stats", "stats_wide", "metrics", "no_turns",
    "handout", "handout_gm", "map", "pages/index", "pages/pages/mara", "pages/pages/quay",
)  # fmt: skip


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    chromium, axe = find_chromium(), find_axe()
    if chromium is None or axe is None:
        without_axe = "axe-core is missing: pip install --no-deps axe-playwright-python"
        pytest.skip("no Chromium here: install chromium, or name one in LOREWRIGHT_CHROMIUM" if axe else without_axe)
    shown = Browser(chromium, axe)
    yield shown
    shown.close()


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All pages, written by the commands that write them, under the names in `PAGES`."""
    out, root = tmp_path_factory.mktemp("pages"), tmp_path_factory.mktemp("played")
    app = h.harbour(root, models=mp.models())
    h.say(app, *mp.lines(8))
    app.campaigns.new("night_boat", campaign_id="unplayed", seed=1)
    folder = h.write_pack(app.workspace.content_packs / "wide", WIDE)
    (folder / "npcs" / "mara.png").write_bytes(_PNG)

    def run(*words: str) -> None:
        done = run_command(*words, environment=workspace_environment(app.workspace.root), cwd=app.workspace.root)
        assert done.returncode == 0, (words, done.stderr)

    run("pack", "install", str(folder))
    run("lore", "query", "who knows the oil", "--html", str(out / "query.html"), "--vscode")
    run("lore", "query", "Mara table", "--as", "player", "--html", str(out / "query_player.html"))
    run("lore", "query", "zygodactyl", "--html", str(out / "nothing.html"))
    run("lore", "scene", "--location", "quay", "--pack", "wide", "--html", str(out / "scene.html"), "--vscode")
    run("lore", "scene", "--location", "tavern", "--as", "player", "--html", str(out / "scene_player.html"))
    run("pack", "stats", "harbour", "--html", str(out / "stats.html"))
    run("pack", "stats", "wide", "--html", str(out / "stats_wide.html"))
    run("metrics", "game", "--html", str(out / "metrics.html"))
    run("metrics", "unplayed", "--html", str(out / "no_turns.html"))
    run("pack", "export", "wide", str(out / "handout.html"), "--format", "player-handout")
    run("pack", "export", "wide", str(out / "handout_gm.html"), "--format", "player-handout", "--as", "gm")
    run("pack", "export", "wide", str(out / "pages"), "--format", "player-handout")
    run("scenario", "map", "night_boat", "--svg", str(out / "map.svg"))
    drawn = (out / "map.svg").read_text(encoding="utf-8")
    head = '<meta name="viewport" content="width=device-width"><style>svg{max-width:100%;height:auto}</style>'
    page = f'<!doctype html><html lang="en"><title>Map</title>{head}<main><h1>Map</h1>{drawn}</main></html>'
    (out / "map.html").write_text(page, encoding="utf-8")
    return out


@pytest.mark.parametrize("name", PAGES)
def test_a_page_passes_axe_and_fits_a_telephone_in_light_and_in_dark(browser: Browser, pages: Path, name: str) -> None:
    for dark in (False, True):
        look = browser.look_at(pages / f"{name}.html", width=390, dark=dark)
        assert look.violations == ()
        assert (look.width, look.wide) == (390, ())


def test_every_page_that_is_written_is_looked_at(pages: Path) -> None:
    written = {path.relative_to(pages).with_suffix("").as_posix() for path in pages.rglob("*.html")}
    assert written - set(PAGES) == {"pages/pages/pier"}


def test_a_wide_screen_has_them_without_faults_too(browser: Browser, pages: Path) -> None:
    for name in ("query", "scene", "stats_wide", "metrics", "handout"):
        look = browser.look_at(pages / f"{name}.html", width=1280)
        assert (look.violations, look.wide) == ((), ())


def test_faults_are_found_where_there_are_any(browser: Browser, tmp_path: Path) -> None:
    page = tmp_path / "bad.html"
    page.write_text("<!doctype html><html><body><img src='a.png'><pre>" + "wide " * 200 + "</pre></body></html>")
    look = browser.look_at(page, width=390)
    assert look.width > 390
    assert "<pre>" in "".join(look.wide)
    assert {"html-has-lang", "image-alt"} <= {told.partition(":")[0] for told in look.violations}


def test_a_section_names_its_file_and_line_and_opens_in_an_editor_if_asked(pages: Path) -> None:
    page = (pages / "query.html").read_text(encoding="utf-8")
    (place,) = set(
        re.findall(r'<a href="vscode://file(/[^"]+/wide/npcs/mara\.md:\d+)">npcs/mara\.md:\d+</a>', page)[:1]
    )
    path, _, line = place.rpartition(":")
    assert Path(path).read_text(encoding="utf-8").splitlines()[int(line) - 1].startswith("#")
    assert "mara.md" not in (pages / "query_player.html").read_text(encoding="utf-8")
    assert "vscode:" not in (pages / "scene_player.html").read_text(encoding="utf-8")
