"""check.sh passes as it stands, and fails when somebody cheats."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

PROOFS = Path(__file__).parents[2] / "proofs"
WHY = "Coq is not installed (apt-get install coq): no proof was checked"

pytestmark = [
    pytest.mark.proof,
    pytest.mark.slow,
    pytest.mark.skipif(not shutil.which("coqc"), reason=WHY),
]

Edit = Callable[[Path], None]


def check(proofs: Path, build: Path) -> subprocess.CompletedProcess[str]:
    command = ["bash", str(proofs / "check.sh")]
    environment = os.environ | {"BUILD": str(build)}
    return subprocess.run(command, env=environment, capture_output=True, text=True)


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the proofs and what was compiled of them."""
    folder = tmp_path_factory.mktemp("checked")
    shutil.copytree(PROOFS, folder / "proofs")
    result = check(folder / "proofs", folder / "build")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "0 failed" in result.stdout
    return folder


def test_every_proof_checks(checked: Path) -> None:
    assert (checked / "build" / "statements.txt").stat().st_size


def replaced(file: str, *changes: tuple[str, str]) -> Edit:
    def edit(proofs: Path) -> None:
        path = proofs / file
        text = path.read_text()
        for old, new in changes:
            assert text.count(old) == 1, f"{old!r}: {text.count(old)} times in {file}"
            text = text.replace(old, new)
        path.write_text(text)

    return edit


POSTULATED = replaced(
    "coq/Mistakes.v", ("Section Mistakes.", "Axiom cheat : False.\nSection Mistakes.")
)
SLIPPED_IN = replaced(
    "coq/Mistakes.v",
    ("Section Mistakes.", "Variable cheat : False.\nSection Mistakes."),
    (
        "(residual p q)) is0 == p 0%nat.\nProof. vm_compute. reflexivity. Qed.",
        "(residual p q)) is0 == p 0%nat.\nProof. case cheat. Qed.",
    ),
)
WEAKENED = replaced(
    "coq/Golden.v",
    (
        "Theorem collected_same d : collected d =d= d.\nProof.\n",
        "Theorem collected_same d : d = [] -> collected d =d= d.\n"
        "Proof.\n  intros _.\n",
    ),
)
REDEFINED = replaced(
    "coq/Golden.v",
    (
        "Definition law_plain N := law (gen V P N []).",
        "Definition law_plain N := law (gen V P (N - 0) []).",
    ),
)
UNTOLD = replaced("THEOREMS.md", ("| `collected_same` |", "| it |"))
A_NUMBER = replaced(
    "golden/golden.json",
    (
        '"law": {"0": "1/3", "1": "1/2", "2": "1/6"}',
        '"law": {"0": "1/3", "1": "1/3", "2": "1/3"}',
    ),
)


@pytest.mark.parametrize(
    ("cheat", "sentence"),
    [
        pytest.param(POSTULATED, "nothing is admitted or postulated", id="axiom"),
        pytest.param(SLIPPED_IN, "no theorem rests on an axiom", id="hidden-axiom"),
        pytest.param(WEAKENED, "statements and definitions", id="weakened"),
        pytest.param(REDEFINED, "statements and definitions", id="redefined"),
        pytest.param(UNTOLD, "THEOREMS.md names every theorem", id="untold"),
        pytest.param(A_NUMBER, "Coq computes the golden laws", id="golden-number"),
    ],
)
def test_a_cheat_is_caught(
    checked: Path, tmp_path: Path, cheat: Edit, sentence: str
) -> None:
    for folder in ("proofs", "build"):
        shutil.copytree(checked / folder, tmp_path / folder)
    cheat(tmp_path / "proofs")
    result = check(tmp_path / "proofs", tmp_path / "build")
    wrong = [line for line in result.stdout.splitlines() if line.startswith("WRONG")]
    assert result.returncode == 1, result.stdout + result.stderr
    assert any(sentence in line for line in wrong), result.stdout
