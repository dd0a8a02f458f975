"""What the operating system says of this machine."""

from specsim.roofline.calibration import machine

GIB = 2**30


def test_the_processor_has_a_name_and_memory() -> None:
    assert machine.processor().strip()
    assert machine.memory_bytes() >= 0
    assert all(level in range(1, 6) for level in machine.cache_bytes())


def test_makers() -> None:
    assert machine.vendor("AMD EPYC 9654") == "AMD"
    assert machine.vendor("Intel(R) Xeon(R)") == "Intel"
    assert machine.vendor("something else") == "unknown"


def test_the_pool_is_beyond_every_cache_and_within_memory() -> None:
    assert machine.pool_bytes(0, 64 * GIB) == machine.POOL_BYTES
    assert machine.pool_bytes(GIB, 100 * GIB) == 8 * GIB
    assert machine.pool_bytes(GIB, GIB) == GIB // 8
    assert machine.pool_bytes(0, 0) == machine.POOL_BYTES
