"""A first engine in each language, to be made one's own: `specsim init`."""

from dataclasses import dataclass
from pathlib import Path

from specsim.errors import Bad
from specsim.roofline.fields import short_path


@dataclass(frozen=True)
class Stub:
    """A file of adapters/, how it is built, if at all, and how it is run."""

    file: str
    run: str
    build: str = ""

    @property
    def steps(self) -> list[str]:
        """What to type next, in the folder that it was written to."""
        return [*filter(None, [self.build]), f"specsim check {self.run}"]


STUBS = {
    "python": Stub("engine.py", "./engine.py"),
    "rust": Stub("engine.rs", "./engine", "rustc -O engine.rs"),
    "go": Stub("engine.go", "./engine", "go build engine.go"),
    "cpp": Stub("engine.cpp", "./engine", "g++ -O2 -o engine engine.cpp"),
    "js": Stub("engine.js", "./engine.js"),
}


def adapter(language: str) -> Path:
    """The file that ships."""
    return Path(__file__).parent / "adapters" / STUBS[language].file


def write(language: str, folder: Path) -> Path:
    """Write the engine of that language; the file. Bad: it is there already."""
    stub, source = STUBS[language], adapter(language).read_text()
    written = folder / stub.file
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with written.open("x") as file:
            file.write(source)
        if not stub.build:
            written.chmod(0o755)
    except FileExistsError:
        raise Bad(
            f"{short_path(written)} is in the way; nothing is overwritten: "
            "name another folder"
        ) from None
    except OSError as error:
        raise Bad(f"{short_path(written)}: {error.strerror}") from None
    return written
