"""What holds for every test: a property is judged by its law, not by how busy the machine is; packs are found by words
alone unless a test says otherwise, for embedding them all would take an hour; and the user's own folders, where every
yes is kept, are empty ones of the moment, never those of whoever runs the tests."""

import atexit
import os
import shutil
import tempfile
from collections.abc import Iterator

import pytest
from hypothesis import find, settings
from hypothesis import strategies as st

from support.imports import import_everything
from support.postgres_server import require_postgres, running_server
from support.scale import scaled

pytest_plugins = ["support.cpu_limit", "support.same_environment"]

# A hundred examples of each law are tried with CAMPAIGN_SCALE=4.
settings.register_profile("untimed", deadline=None, max_examples=scaled(30))
settings.load_profile("untimed")

os.environ.setdefault("LOREWRIGHT_EMBEDDER", "none")
os.environ.setdefault("LOREWRIGHT_CHROMA", "never")

OWN_FOLDERS = tempfile.mkdtemp(prefix="lorewright-own-")
atexit.register(shutil.rmtree, OWN_FOLDERS, ignore_errors=True)
for _name in ("CONFIG", "DATA"):
    os.environ[f"XDG_{_name}_HOME"] = os.path.join(OWN_FOLDERS, _name.lower())  # noqa: PTH118 (before anything else)
os.environ.pop("LOREWRIGHT_TRUSTED", None)
os.environ.pop("SUDO_UID", None)


# So few tests are run sooner without all that.
_FEW = 20


@pytest.fixture(scope="session", autouse=True)
def warm_process(request: pytest.FixtureRequest) -> None:
    """What only the first test of a process would pay for is paid before it: hypothesis' table of characters, and where
    many tests share a process, the imports of every command and the models that build when they are first used."""
    find(st.text(min_size=1), lambda _: True)
    if request.session.testscollected > _FEW:
        import_everything()


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of a PostgreSQL server that is started once a run."""
    require_postgres()
    with running_server() as address:
        yield address
