"""Servers that answer as told, wrongly for the most part."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Say = Callable[["Hostile", dict[str, Any]], None]


class Hostile(BaseHTTPRequestHandler):
    """One request, answered by the server's `say`."""

    server: "Liar"

    def do_GET(self) -> None:
        self.send_error(404)

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path != "/v1/completions":
            self.send_error(404)
        else:
            self.server.asked += 1
            self.server.say(self, body)

    def answer(self, content: bytes, size: int | None = None) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(content) if size is None else size))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        pass


class Liar(ThreadingHTTPServer):
    daemon_threads = False
    request_queue_size = 64

    def __init__(self, say: Say):
        super().__init__(("127.0.0.1", 0), Hostile)
        self.say, self.asked, self.released = say, 0, threading.Event()


@contextmanager
def lying(say: Say) -> Iterator[str]:
    """Where it is."""
    with Liar(say) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.released.set()
            server.shutdown()
            thread.join()


def choice(tokens: Any, **also: Any) -> dict[str, Any]:
    """One answer."""
    return {"text": "abc", "finish_reason": "length", "token_ids": tokens, **also}


def completion(*choices: Any) -> bytes:
    return json.dumps({"choices": [*choices]}).encode()


def saying(content: bytes) -> Say:
    """The same whatever is asked."""
    return lambda handler, body: handler.answer(content)


def status(code: int) -> Say:
    return lambda handler, body: handler.send_error(code)


def stalls(handler: Hostile, body: dict[str, Any]) -> None:
    handler.server.released.wait(10)


def drips(handler: Hostile, body: dict[str, Any]) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", "100000")
    handler.end_headers()
    while not handler.server.released.wait(0.02):
        try:
            handler.wfile.write(b" ")
        except OSError:
            return


def closes(handler: Hostile, body: dict[str, Any]) -> None:
    handler.answer(b'{"choices"', size=500)


def dies(handler: Hostile, body: dict[str, Any]) -> None:
    handler.wfile.write(b"not http at all\r\n\r\n")


def right_then(wrong: Say, after: int) -> Say:
    """Right for so many requests."""

    def say(handler: Hostile, body: dict[str, Any]) -> None:
        if handler.server.asked > after:
            return wrong(handler, body)
        given = body["max_tokens"]
        if any(isinstance(value, dict) and value for value in body.values()):
            return handler.send_error(400)
        made = choice([5] * given, logprobs=None)
        return handler.answer(completion(*[made] * body["n"]))

    return say
