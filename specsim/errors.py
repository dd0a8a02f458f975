"""The one error a person may see: it names the thing and the mend."""


class Bad(ValueError):
    """Bad usage or input, or a broken engine; the command line exits with 2."""
