"""Every request of Tests/EndToEndTests/Fixtures/raw-requests.json, sent as it stands over a raw socket, over TLS where an
authority is named; each answer must be the one that the case names, and the connection be kept or closed as it says.

usage: raw_requests.py PORT [AUTHORITY]
"""

import json
import pathlib
import re
import socket
import ssl
import sys

CASES = pathlib.Path(__file__).parent.parent / "EndToEndTests" / "Fixtures" / "raw-requests.json"
# What follows a request that closes, and must not be answered.
NEXT = b"GET /livez HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: next\r\n\r\n"


def expand(text):
    """`{{a:9}}` is nine a, `{{A:*9}}` nine times `A:`; each character stands for a byte."""
    text = re.sub(r"\{\{(.):(\d+)\}\}", lambda m: m[1] * int(m[2]), text)
    text = re.sub(r"\{\{(.+?)\*(\d+)\}\}", lambda m: m[1] * int(m[2]), text, flags=re.DOTALL)
    return text.encode("latin-1")


class Connection:
    def __init__(self, port, context):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        if context:
            self.socket = context.wrap_socket(self.socket, server_hostname="localhost", suppress_ragged_eofs=False)
        self.held = b""

    def send(self, data):
        try:
            self.socket.sendall(data)
        except (BrokenPipeError, ConnectionResetError, ssl.SSLError):
            pass  # It has refused and closed before all was sent.

    def finish(self):
        if isinstance(self.socket, ssl.SSLSocket):
            self.socket = self.socket.unwrap()
        else:
            self.socket.shutdown(socket.SHUT_WR)

    def more(self):
        try:
            data = self.socket.recv(65536)
        except (ConnectionResetError, ssl.SSLError):
            data = b""
        self.held += data
        return data

    def answer(self, to_head=False):
        """Status and fields of the next answer; its body is taken off. None at the end."""
        while b"\r\n\r\n" not in self.held:
            if not self.more():
                assert not self.held, f"half an answer: {self.held!r}"
                return None
        head, self.held = self.held.split(b"\r\n\r\n", 1)
        line, *fields = head.decode("ascii").split("\r\n")
        status = re.fullmatch(r"HTTP/1\.1 (\d\d\d) [A-Za-z ]+", line)
        assert status, f"no status line: {line!r}"
        fields = {name.lower(): value for name, value in (field.split(": ", 1) for field in fields)}
        length = 0 if to_head else int(fields.get("content-length", 0))
        while len(self.held) < length:
            assert self.more(), "half a body"
        self.held = self.held[length:]
        return int(status[1]), fields


def check(case, port, context):
    connection = Connection(port, context)
    parts = [case["send"]] if isinstance(case["send"], str) else case["send"]
    to_head = case.get("head", False)
    expected = list(case["status"])
    last = None
    for index, part in enumerate(parts):
        is_last = index + 1 == len(parts)
        closes = is_last and not case["keeps"] and not case.get("ends")
        connection.send(expand(part) + (NEXT if closes else b""))
        if case.get("ends"):
            connection.finish()
        for status in expected if is_last else [expected.pop(0)]:
            last = connection.answer(to_head)
            assert last, f"no answer instead of {status}"
            assert last[0] == status, f"{last[0]} instead of {status}"
            assert status != 405 or last[1].get("allow"), "no Allow"
    if case["keeps"]:
        assert last[1].get("connection") != "close", "it says close"
        connection.send(NEXT)
        status, fields = connection.answer() or (0, {})
        assert (status, fields.get("x-request-id")) == (200, "next"), f"{status} to the next request"
        return
    assert case.get("ends") or last[1].get("connection") == "close", "it does not say close"
    more = connection.answer()
    assert more is None, f"{more[0]} after the last answer"


def main():
    port = int(sys.argv[1])
    context = ssl.create_default_context(cafile=sys.argv[2]) if len(sys.argv) > 2 else None
    cases = json.loads(CASES.read_text())
    faults = 0
    for case in cases:
        try:
            check(case, port, context)
        except (AssertionError, OSError) as fault:
            faults += 1
            print(f"{case['section']} {case['name']}: {fault}")
    print(f"{len(cases)} requests, {faults} faults")
    if not faults:
        print("everything is as it should be")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
