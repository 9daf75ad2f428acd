#!/usr/bin/env python3
"""Receives the journal feed from a hub's webhook. Python's standard library is all it needs.

    webhook-receiver.py PORT FILE    listens on 127.0.0.1:PORT and appends each document to FILE, once, one a line

WEBHOOK_SECRET_FILE: a file with the secret that `pos-hub webhook add` printed.
A delivery counts when its response has a status from 200 to 299, so the documents are on disk before that. One that was written and
whose response was lost comes again: a document is known by its type, terminal and id.
"""
import hashlib
import hmac
import http.server
import json
import os
import sys
import time

# A signature that is older was recorded by somebody who sends it again. In seconds; clocks differ by less.
OLDEST = 300
# The contract's bound of documents is 1 MiB; a single one can be longer.
LARGEST = 8 << 20


def is_signed(header, body, secret):
    """Whether `t=<seconds>,v1=<hex HMAC-SHA256 of "<t>.<body>">` is of this body and of now."""
    parts = dict(part.split("=", 1) for part in header.split(",") if "=" in part)
    seconds = parts.get("t", "")
    if not seconds.isdigit() or abs(time.time() - int(seconds)) > OLDEST:
        return False
    code = hmac.new(secret, seconds.encode() + b"." + body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(code, parts.get("v1", ""))


class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        length = int(self.headers.get("Content-Length", 0))
        if length > LARGEST:
            return self.respond(413)
        body = self.rfile.read(length)
        if not is_signed(self.headers.get("Pos-Webhook-Signature", ""), body, self.server.secret):
            return self.respond(401)
        delivery = json.loads(body)
        if "restored" in delivery:
            # The hub lost what came behind this number: a ledger takes it back before it books on.
            print("restored:", delivery["restored"], file=sys.stderr, flush=True)
        with open(self.server.file, "a", encoding="utf-8") as file:
            for document in delivery["documents"]:
                key = (document["type"], document.get("terminalId"), document["id"])
                if key not in self.server.known:
                    self.server.known.add(key)
                    file.write(json.dumps(document, ensure_ascii=False, sort_keys=True) + "\n")
            file.flush()
            os.fsync(file.fileno())
        self.respond(204)

    def respond(self, status):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *arguments):
        pass


def main():
    port, file = int(sys.argv[1]), sys.argv[2]
    server = http.server.HTTPServer(("127.0.0.1", port), Receiver)
    server.file = file
    with open(os.environ["WEBHOOK_SECRET_FILE"], encoding="utf-8") as secret:
        server.secret = secret.read().strip().encode()
    server.known = set()
    if os.path.exists(file):
        with open(file, encoding="utf-8") as lines:
            for document in map(json.loads, lines):
                server.known.add((document["type"], document.get("terminalId"), document["id"]))
    server.serve_forever()


main()
