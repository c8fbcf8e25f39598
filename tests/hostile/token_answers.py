"""Answers of a token server that no token server should give."""

import json

from byte_changes import mutated
import http1_answers
from http1_answers import OK, Answer, with_length

# Of one that is good for a second, so that another is asked for soon.
VALID = b'{"access_token": "short-lived-token", "token_type": "Bearer", "expires_in": 1, "scope": "deliver"}'
ODD = (None, True, False, 0, -1, 1.5, 1e308, -1e308, 10 ** 400, "", " ", "\x00", "a\r\nX-Evil: 1", "a\nb", "\x1b[2J",
       "\u202e", "\ud800", "\xe9", "a b", "\x7f", [], {}, ["a"], {"a": "b"}, [[]], "null", "true", "1e999", "-1", "0",
       "00", "0x10", "1 ", "NaN", "Infinity", "9" * 400, 2 ** 31, 2 ** 53, 2 ** 63, 2 ** 64, -2 ** 63, "%s%n",
       "x" * 12287, "x" * 12288, "x" * 12289, "x" * 70000)
NAMES = ("access_token", "token_type", "expires_in", "error", "error_description", "scope")
TEXTS = (b"", b" ", b"\x00", b"null", b"true", b"1", b'"x"', b"[]", b"{}", b"{", b"}", b"{]", b'{"a"', b'{"a":}',
         b"NaN", b"[NaN]", b"\xff\xfe", b"access_token=x&token_type=bearer", b"<html>Sign in</html>",
         VALID + VALID, VALID + b"\x00", VALID + b"x", b"/**/" + VALID, b"\xef\xbb\xbf" + VALID,
         VALID.decode().encode("utf-16"), VALID.decode().encode("utf-32"), b"{'access_token': 'x'}",
         b'{"access_token": "x", "expires_in": NaN}', b'{"access_token": "x", "expires_in": Infinity}',
         b'{"access_token": "x", "expires_in": -Infinity}', b'{"access_token": "x", "expires_in": 1e99999}',
         b'{"access_token": "\xff\xfe"}', b'{"access_token": "\\ud800"}', b'{"access_token": "\\u0000"}',
         b'{"access_token": "a\\r\\nX-Evil: 1"}', b'{"access_token": "\x1b[2J"}',
         b'{"access_token": "x", "access_token": ""}',
         b'{"access_token": "", "access_token": "y", "expires_in": 1}')
ECHOES = (b"%HEAD%", b'{"error": "%PASSWORD%"}', b"%JSON%", b"%QUOTED%", b'{"error": %JSON%}', b'{"error": "%QUOTED%"}',
          b'{"error": "%LOGIN%"}', b'{"error": "invalid_client", "error_description": "%PASSWORD%"}',
          b'{"error_description": %JSON%}', b'{"access_token": %JSON%}', b'{"token_type": "%PASSWORD%"}', b"%PASSWORD%",
          b'{"access_token": "%PASSWORD%", "expires_in": 1}',
          b'{"access_token": "%PASSWORD%", "expires_in": "%PASSWORD%"}')
CODES = (200, 400, 401, 403, 500, 503, 302, 201, 204, 101)


def _member(random, turn):
    """One of another type than it has, or with another value."""
    whole = {**json.loads(VALID), NAMES[turn // len(ODD) % 6]: ODD[turn % len(ODD)]}
    code = (200, 400)[turn // len(ODD) // 6 % 2]
    return Answer(with_length(b"HTTP/1.1 %d x" % code, json.dumps(whole).encode()))


def _missing(random, turn):
    whole = json.loads(VALID)
    del whole[("access_token", "expires_in", "token_type", "scope")[turn % 4 if turn % 4 != 1 else 0]]
    whole["x" * turn] = turn
    return Answer(with_length(OK.rstrip(), json.dumps(whole).encode()))


def _text(random, turn):
    return Answer(with_length(b"HTTP/1.1 %d x" % CODES[turn // len(TEXTS) % len(CODES)], TEXTS[turn % len(TEXTS)]))


def _deep(random, turn):
    depth = 1 << turn % 16
    opening, closing = ((b"[", b"]"), (b'{"a":', b"}"), (b'{"access_token":[', b"]}"))[turn // 16 % 3]
    return Answer(with_length(b"HTTP/1.1 %d x" % CODES[turn % 2], (opening * depth)[:60_000] + b"1" + closing
                              * (depth if turn // 48 % 2 else 0)))


def _large(random, turn):
    token = b"x" * ((65536, 1 << 20, 12288, 65000, 1 << 21)[turn % 5] + turn // 5 - 20)
    return Answer(with_length(OK.rstrip(), b'{"access_token": "' + token + b'", "expires_in": 1}'))


def _echo(random, turn):
    code = CODES[(turn + turn // len(ECHOES)) % len(CODES)]
    return Answer(with_length(b"HTTP/1.1 %d x" % code, ECHOES[turn % len(ECHOES)]))


def _echo_outside(random, turn):
    echo = (b"%HEAD%", b"%JSON%", b"%QUOTED%", b"%PASSWORD%")[turn % 4]
    places = (b"HTTP/1.1 401 " + echo + b"\r\nContent-Length: 0\r\n\r\n",
              b"HTTP/1.1 302 x\r\nLocation: /?" + echo + b"\r\n\r\n",
              b"HTTP/1.1 400 x\r\nX: " + echo + b"\r\n\r\n" + echo, b"%LINES%", echo + b"\r\n\r\n",
              b"HTTP/1.1 200 x\r\n" + echo + b"\r\n\r\n")
    return Answer(places[turn // 4 % 6] + b"\r\n" * (turn // 24), end="close")


def _mutation(random, turn):
    return Answer(with_length(b"HTTP/1.1 %d x" % CODES[turn % 2], mutated(random, VALID)))


def _mutated_whole(random, turn):
    return Answer(mutated(random, with_length(OK.rstrip(), VALID)), end="close")


def _http(random, turn):
    return http1_answers.make(random, turn)


KINDS = (_echo, _member, _text, _http, _deep, _member, _echo_outside, _text, _mutation, _echo, _member, _http, _large,
         _text, _mutated_whole, _missing, _http)


def make(random, number):
    kind = KINDS[number % len(KINDS)]
    return kind(random, number // len(KINDS) * KINDS.count(kind) + KINDS[:number % len(KINDS)].count(kind))
