"""Many checks, of many engines from many seeds, kept in a store and put together."""
