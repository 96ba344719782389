"""A service whose answers a test writes down beforehand."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class ScriptedService:
    """Answers requests in order with ``(status, headers, body)``; None hangs up."""

    def __init__(self, *answers):
        self.requests = []
        self._answers = list(answers)
        script = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self):
                length = int(self.headers.get("Content-Length", 0))
                script.requests.append((self.command, self.path, dict(self.headers), self.rfile.read(length)))
                answer = script._answers.pop(0)
                if answer is None:
                    self.close_connection = True
                    return
                status, headers, body = answer
                data = body if isinstance(body, bytes) else json.dumps(body).encode()
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(data)

            do_GET = do_HEAD = do_POST = answer

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()


def failure(status, code, **headers):
    body = {"error": f"A sentence about {code}.", "data": [], "meta": {"code": code, "source": "crosstape"}}
    return (status, {name.replace("_", "-"): value for name, value in headers.items()}, body)


def good(data, **meta):
    return (200, {}, {"data": data, "meta": {"source": "sim:hyperliquid", **meta}})
