"""A webhook receiver on Python's standard library."""

import hashlib
import hmac
import json
import os
import queue
import re
import ssl
import threading
import time
from collections import OrderedDict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PORT = int(os.environ.get("PORT", "3000"))
SECRET = os.environ.get("WEBHOOK_SECRET", "")
TLS_CERT = os.environ.get("TLS_CERT")
TLS_KEY = os.environ.get("TLS_KEY")

# "Service" is the deployment's setting `serviceName`.
HEADER_PREFIX = "X-Service"
TOLERANCE_SECONDS = 300
MAX_BODY_BYTES = 1024 * 1024
MAX_REMEMBERED_IDS = 10_000


def is_genuine(header: "str | None", body: bytes, secret: str) -> bool:
    """Check the signature over the raw body.

    Accepts any matching `v1`: during a rotation overlap there are two. To verify the `webhook-…` headers of
    Standard Webhooks instead, use the package `standardwebhooks`.
    """
    parts = [part.partition("=")[::2] for part in (header or "").split(",")]
    sent_at = next((value for name, value in parts if name == "t"), "")
    if not secret or not re.fullmatch(r"[0-9]{1,15}", sent_at):
        return False
    if abs(time.time() - int(sent_at)) > TOLERANCE_SECONDS:
        return False
    signed = sent_at.encode() + b"." + body
    expected = hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest().encode()
    given = [value.encode() for name, value in parts if name == "v1"]
    return any(hmac.compare_digest(value, expected) for value in given)


class SeenIds:
    """In production, use a table with a unique key on the event id: this set is empty after a restart."""

    def __init__(self) -> None:
        self._ids: OrderedDict[str, None] = OrderedDict()
        self._lock = threading.Lock()

    def is_new(self, event_id: str) -> bool:
        with self._lock:
            if event_id in self._ids:
                return False
            self._ids[event_id] = None
            if len(self._ids) > MAX_REMEMBERED_IDS:
                self._ids.popitem(last=False)
            return True


seen_ids = SeenIds()
events: queue.Queue = queue.Queue()


def handle(event: dict) -> None:
    """Your code goes here. In production, store the event before you respond, so that a crash cannot lose it."""
    if event["type"] == "run.completed":
        print(f"Run {event.get('run_id')} ended as {event.get('status')} ({event['id']})", flush=True)
    elif event["type"] == "tracker.changed":
        print(
            f"Tracker {event.get('tracker_id')} wrote {event.get('change_report_id')} ({event['id']})",
            flush=True,
        )
    else:
        print(f"Ignored {event['type']} ({event['id']})", flush=True)


def work() -> None:
    while True:
        event = events.get()
        try:
            handle(event)
        except Exception as error:
            print(f"Failed {event['id']}: {error!r}", flush=True)


def read_body(headers, stream) -> "bytes | int":
    """Read the raw body, which a proxy or a tunnel may send in chunks. Return the status if it is refused."""
    lengths, codings = (",".join(headers.get_all(name, [])) for name in ("Content-Length", "Transfer-Encoding"))
    if codings:
        return 400 if lengths or codings.lower() != "chunked" else read_chunks(stream)
    if not re.fullmatch(r"[0-9]{1,15}", lengths):
        return 400 if lengths else 411
    return stream.read(int(lengths)) if int(lengths) <= MAX_BODY_BYTES else 413


def read_chunks(stream) -> "bytes | int":
    body = bytearray()
    while size := re.fullmatch(rb"([0-9A-Fa-f]{1,8})[ \t]*(;.*)?\r\n", stream.readline(1024)):
        length = int(size[1], 16)
        if length == 0:
            is_complete = b"\r\n" in (stream.readline(1024) for _ in range(100))  # After the trailers
            return bytes(body) if is_complete else 400
        if len(body) + length > MAX_BODY_BYTES:
            return 413
        body += stream.read(length)
        if stream.read(2) != b"\r\n":
            break
    return 400


def parse_event(body: bytes):
    try:
        event = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if not isinstance(event, dict):
        return None
    return event if isinstance(event.get("id"), str) and isinstance(event.get("type"), str) else None


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 10

    def do_POST(self) -> None:
        body = read_body(self.headers, self.rfile)
        if isinstance(body, int):
            return self.refuse(body)
        if not is_genuine(self.headers.get(f"{HEADER_PREFIX}-Signature"), body, SECRET):
            # The handshake arrives before the API returns the secret. It needs only a 2xx, and nothing is done with it.
            is_handshake = self.headers.get(f"{HEADER_PREFIX}-Event-Type") == "webhook.test"
            return self.respond(204 if is_handshake else 401)
        event = parse_event(body)
        if event is None:
            return self.respond(400)
        if seen_ids.is_new(event["id"]):
            events.put(event)
        self.respond(204)

    def do_GET(self) -> None:
        self.refuse(405)

    def refuse(self, status: int) -> None:
        """Respond without reading the body, so the connection cannot be reused."""
        self.close_connection = True
        self.respond(status)

    def respond(self, status: int) -> None:
        self.send_response(status)
        if status != 204:
            self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args) -> None:
        pass


def main() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", PORT), Receiver)
    if TLS_CERT and TLS_KEY:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(TLS_CERT, TLS_KEY)
        # The TLS handshake runs in the thread of the connection, so a slow client does not block the others.
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    threading.Thread(target=work, daemon=True).start()
    print(f"Listening on port {server.server_port}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
