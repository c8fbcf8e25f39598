"""A server of HTTP/1.1 that gives each request the next hostile answer, and good ones when there are no more."""

import base64
import json
import re
import urllib.parse

from harness.raw_server import RawServer, finish, send
from http1_answers import Answer

GOOD = Answer(b"HTTP/1.1 204 No Content\r\n\r\n")


def read_request(connection):
    """Its head and its body; nothing if the other side hung up."""
    data = b""
    while b"\r\n\r\n" not in data:
        more = connection.recv(65536)
        if not more:
            return b"", b""
        data += more
    head, body = data.split(b"\r\n\r\n", 1)
    length = re.search(rb"\r\nContent-Length: (\d+)", head)
    while length and len(body) < int(length.group(1)):
        body += connection.recv(65536)
    return head, body


def login_of(head):
    """The name and the password of Basic, as whoever checks them has them."""
    shown = re.search(r"\r\nAuthorization: Basic (\S+)", head)
    return urllib.parse.unquote(base64.b64decode(shown.group(1)).decode()) if shown else ""


def with_echo(data, head):
    """What an answer sends back of the request, as servers do that show what they were sent."""
    if b"%" not in data:
        return data
    text = head.decode("latin-1")
    login = login_of(text)
    echoes = {b"%HEAD%": text.replace("\r\n", " "), b"%LINES%": text, b"%JSON%": json.dumps(text), b"%LOGIN%": login,
              b"%QUOTED%": urllib.parse.quote(text), b"%PASSWORD%": login.partition(":")[2]}
    first, gap, body = data.partition(b"\r\n\r\n")
    length = len(body)
    for place, echo in echoes.items():
        first, body = (part.replace(place, echo.encode("latin-1")) for part in (first, body))
    return first.replace(b"Content-Length: %d" % length, b"Content-Length: %d" % len(body)) + gap + body


class Http1Server:
    """`hostile`: whether it is so by now."""

    def __init__(self, inputs, good=GOOD, hostile=True, **options):
        self.inputs, self.good, self.hostile = inputs, good, hostile
        self._server = RawServer(self._talk, **options)
        self.port, self.stop = self._server.port, self._server.stop

    def _next(self):
        return self.inputs.next() if self.hostile and not self.inputs.all_used() else self.good

    def _talk(self, connection):
        # Of a new connection it is certain that a request comes.
        answer = self._next()
        if answer.before:
            send(connection, answer.data, answer.piece)
        kept = False
        while True:
            head, _ = read_request(connection)
            if not head:
                return
            answer = self._next() if kept else answer
            if kept or not answer.before:
                send(connection, with_echo(answer.data, head), answer.piece)
            if not finish(connection, answer.end, answer.again):
                return
            kept = True
