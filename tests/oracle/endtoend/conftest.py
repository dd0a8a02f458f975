"""The probe pair on disk, as every engine here reads it."""

from pathlib import Path

import pytest

from specsim.oracle.probe import export


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return export.export("hf", tmp_path_factory.mktemp("probe"))
