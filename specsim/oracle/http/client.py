"""Talking to a server that may lie, stall or die: JSON over HTTP, nothing but the
standard library.

Each request has one deadline for all of it, so that a server that drips a byte a second
does not hold us up, and an answer may be so long and no longer.
"""

import json
import time
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Any
from urllib.parse import urlsplit

from specsim.errors import Bad
from specsim.roofline.fields import short

MOST_BYTES = 64 * 2**20
CHUNK = 2**16
JSON = {"Content-Type": "application/json", "Accept": "application/json"}


class Failed(Bad):
    """The server answered with a status that is no success."""


class Refused(Failed):
    """It understood, and will not: status 4xx."""


class Client:
    """One server.

    url:     http://host:port, or below a path; a final /v1 is understood.
    timeout: seconds that one request may take, all of it.
    """

    def __init__(self, url: str, timeout: float = 30.0):
        self.url, self.timeout = url, timeout
        try:
            parts = urlsplit(url)
            self._host, self._port = parts.hostname, parts.port
        except ValueError:
            raise Bad(f"server {short(url)}: no such address") from None
        if parts.scheme not in ("http", "https") or not self._host:
            raise Bad(f"server {short(url)}: give http://host:port")
        secure = parts.scheme == "https"
        self._connection = HTTPSConnection if secure else HTTPConnection
        self._path = parts.path.rstrip("/").removesuffix("/v1")

    def get(self, path: str) -> str:
        """The text at a path. Bad: no answer. Failed: a status that is no success."""
        return self._asked("GET", path, None).decode("utf-8", "replace")

    def post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """The JSON object that answers. Bad: no answer, or none that is JSON."""
        content = self._asked("POST", path, json.dumps(body).encode())
        try:
            answer = json.loads(content)
        except (ValueError, RecursionError):
            raise self.bad(path, f"no JSON in the answer: {short(content)}") from None
        if not isinstance(answer, dict):
            raise self.bad(path, f"the answer is {short(answer)}, no JSON object")
        return answer

    def bad(self, path: str, what: str) -> Bad:
        """The error to raise."""
        return Bad(f"server {short(self.url)}: {path}: {what}")

    def _asked(self, verb: str, path: str, body: bytes | None) -> bytes:
        deadline = time.monotonic() + self.timeout
        connection = self._connection(
            self._host or "", self._port, timeout=self.timeout
        )
        try:
            connection.request(verb, self._path + path, body, JSON)
            with connection.getresponse() as answer:
                content = self._read(answer, deadline, path)
        except TimeoutError:
            raise self._stalled(path) from None
        except (OSError, HTTPException) as error:
            what = str(error) or type(error).__name__
            raise self.bad(path, f"no answer ({short(what)})") from None
        finally:
            connection.close()
        if answer.status != 200:
            why = f"status {answer.status}: {short(content.decode('utf-8', 'replace'))}"
            kind = Refused if 400 <= answer.status < 500 else Failed
            raise kind(str(self.bad(path, why)))
        return content

    def _read(self, answer: HTTPResponse, deadline: float, path: str) -> bytes:
        parts, size = [], 0
        while part := answer.read1(CHUNK):
            parts.append(part)
            size += len(part)
            if size > MOST_BYTES:
                raise self.bad(path, f"an answer of over {MOST_BYTES:,} bytes")
            if time.monotonic() > deadline:
                raise self._stalled(path)
        if answer.length:
            raise self.bad(path, f"it closed {answer.length} bytes before the end")
        return b"".join(parts)

    def _stalled(self, path: str) -> Bad:
        return self.bad(path, f"it stalls: no whole answer within {self.timeout:g} s")
