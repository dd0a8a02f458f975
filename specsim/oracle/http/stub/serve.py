"""The stub behind sockets, a thread for each request."""

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from specsim.errors import Bad
from specsim.oracle.http.stub import wire
from specsim.oracle.http.stub.engine import Engine

MOST_BYTES = 10**7
DIALECTS = {
    "openai": {"/v1/completions"},
    "llama.cpp": {"/completion"},
    "both": {"/v1/completions", "/completion"},
}


class Stub(ThreadingHTTPServer):
    """Serves an engine on 127.0.0.1; port 0 is any that is free."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, engine: Engine, port: int = 0, dialect: str = "both"):
        super().__init__(("127.0.0.1", port), Handler)
        self.engine, self.paths = engine, DIALECTS[dialect]

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    """One request."""

    server: Stub

    def do_GET(self) -> None:
        """Models and counters."""
        counts = self.server.engine.counts
        if self.path == "/v1/models":
            self._say(200, {"object": "list", "data": [{"id": "probe"}]})
        elif self.path == "/metrics" and "/v1/completions" in self.server.paths:
            names = "drafts", "draft_tokens", "accepted_tokens"
            lines = [f"vllm:spec_decode_num_{n}_total {counts[n]}\n" for n in names]
            self._send(200, "text/plain", "".join(lines).encode())
        else:
            self._say(404, {"error": "no such path"})

    def do_POST(self) -> None:
        """Completions."""
        try:
            if self.path not in self.server.paths:
                self._say(404, {"error": "no such path"})
            else:
                self._say(200, self._answer(self._body()))
        except Bad as wrong:
            self._say(400, {"error": str(wrong)})

    def _answer(self, body: dict[str, Any]) -> dict[str, Any]:
        engine = self.server.engine
        if self.path == "/completion":
            ask = wire.llama_ask(body)
            (served,) = engine.serve(ask, llama=True)
            return wire.llama_answer(ask, served)
        ask = wire.openai_ask(body)
        return wire.openai_answer(ask, engine.serve(ask))

    def _body(self) -> dict[str, Any]:
        size = self.headers.get("Content-Length", "")
        if not size.isascii() or not size.isdigit() or int(size) > MOST_BYTES:
            raise Bad("a body of a known length is needed")
        try:
            body = json.loads(self.rfile.read(int(size)))
        except (ValueError, RecursionError):
            raise Bad("the body is no JSON") from None
        if not isinstance(body, dict):
            raise Bad("the body is no JSON object")
        return body

    def _say(self, status: int, answer: dict[str, Any]) -> None:
        self._send(status, "application/json", json.dumps(answer).encode())

    def _send(self, status: int, kind: str, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is logged."""
