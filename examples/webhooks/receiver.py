"""Receives events of Fairlead and checks their signatures. Python's standard library only.

    WEBHOOK_SECRET=whsec_... python receiver.py 8443 cert.pem key.pem
"""

import base64
import hashlib
import hmac
import json
import os
import ssl
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def verified(headers, body: bytes, secrets: str, now: float) -> bool:
    """Whether one of the secrets, separated by spaces, signed the body in the last five minutes."""
    event, sent = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not sent.isdigit() or abs(now - int(sent)) > 300:
        return False
    given = headers.get("webhook-signature", "").split()
    for secret in secrets.split():
        key = base64.b64decode(secret.removeprefix("whsec_"))
        made = hmac.new(key, f"{event}.{sent}.".encode() + body, hashlib.sha256).digest()
        expected = "v1," + base64.b64encode(made).decode()
        if any(hmac.compare_digest(expected, each) for each in given):
            return True
    return False


class Receiver(BaseHTTPRequestHandler):
    seen: set[str] = set()

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if not verified(self.headers, body, os.environ["WEBHOOK_SECRET"], time.time()):
            return self.send_error(401)
        if self.headers["webhook-id"] not in self.seen:  # an event may be delivered more than once
            event = json.loads(body)
            print(event["type"], event["subject"]["id"], flush=True)
            self.seen.add(self.headers["webhook-id"])
        self.send_response(204)
        self.end_headers()


if __name__ == "__main__":
    server = ThreadingHTTPServer(("", int(sys.argv[1])), Receiver)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(sys.argv[2], sys.argv[3])
    server.socket = tls.wrap_socket(server.socket, server_side=True)
    server.serve_forever()
