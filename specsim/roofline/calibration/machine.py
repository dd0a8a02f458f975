"""What this machine is: processor, memory, caches, as the operating system says."""

import os
import platform
import re
from pathlib import Path

POOL_BYTES = 256 * 2**20
CACHES = 8
MEMORY_SHARE = 8


def processor() -> str:
    """Its name, as in /proc/cpuinfo, or else what Python knows."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        text = ""
    found = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    return found[1].strip() if found else platform.processor() or platform.machine()


def vendor(name: str) -> str:
    """The maker, where the name says it."""
    makers = "AMD", "Intel", "Apple", "NVIDIA", "Ampere"
    return next((maker for maker in makers if maker.lower() in name.lower()), "unknown")


def memory_bytes() -> int:
    """All of the host's memory, 0 where the system does not say."""
    names = os.sysconf_names if hasattr(os, "sysconf") else {}
    if not {"SC_PAGE_SIZE", "SC_PHYS_PAGES"} <= set(names):
        return 0
    return max(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"), 0)


def cache_bytes() -> dict[int, int]:
    """Level to size of the first core's data caches; empty where not said."""
    found = {}
    for folder in Path("/sys/devices/system/cpu/cpu0/cache").glob("index*"):
        try:
            level = int((folder / "level").read_text())
            size = re.fullmatch(r"(\d+)K\n?", (folder / "size").read_text())
        except (OSError, ValueError):
            continue
        if size and (folder / "type").read_text().strip() != "Instruction":
            found[level] = int(size[1]) * 1024
    return found


def pool_bytes(cache: int, memory: int) -> int:
    """Memory to read from: several times the largest cache, a part of all there is.

    >>> pool_bytes(32 * 2**20, 64 * 2**30) // 2**20, pool_bytes(2**30, 2**34) // 2**20
    (256, 2048)
    """
    wanted = max(POOL_BYTES, CACHES * cache)
    return min(wanted, memory // MEMORY_SHARE) if memory else wanted
