"""One file of an installed package, without all that the package itself imports."""

import importlib.util
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType


def alone(package: str, path: str) -> ModuleType:
    """The module in file `path` of `package`. ModuleNotFoundError if there is none."""
    found = importlib.util.find_spec(package)
    if found is None or not found.submodule_search_locations:
        raise ModuleNotFoundError(f"No module named {package!r}", name=package)
    file = Path(found.submodule_search_locations[0], path)
    name = f"{package}_alone_{file.stem}"
    spec = importlib.util.spec_from_file_location(name, file)
    if not isinstance(spec, ModuleSpec) or spec.loader is None or not file.is_file():
        raise ModuleNotFoundError(f"{package} has no file {path}", name=package)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module
