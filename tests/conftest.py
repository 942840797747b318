"""What many tests begin with. Commands search by words alone here, also in processes of their own and
whatever is installed.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers import Shell, fixed_store

from enishi.host import Relationship, Store

os.environ.setdefault("ENISHI_EMBEDDER", "none")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with fixed_store(tmp_path / "s.db") as opened:
        yield opened


@pytest.fixture
def bond(store: Store) -> Relationship:
    return store.relationship("lumi", "chen")


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    return Shell(capsys, monkeypatch)
