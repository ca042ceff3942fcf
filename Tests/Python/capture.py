"""A server on a free loopback port that keeps every request as it was received, and answers as a vendor would."""

import http.client
import http.server
import os
import sys
import tempfile
import threading
from dataclasses import dataclass, field, replace
from urllib.parse import unquote_to_bytes

# What goes to loopback must not go through a proxy that the environment names.
os.environ["no_proxy"] = os.environ["NO_PROXY"] = "*"
# Qiniu's SDK, which is imported later, writes down which hosts it has found; the next run has others.
_folder = tempfile.TemporaryDirectory(prefix="countersign-sdk-")
tempfile.tempdir = _folder.name


def decoded(text):
    """Percent-decoded UTF-8; `+` is a plus."""
    return unquote_to_bytes(text).decode()


def altered(text):
    """Another text of the same length, which base64 and tokens could be as well."""
    return text[:-3] + ("A" if text[-3] != "A" else "B") + text[-2:]


@dataclass(frozen=True)
class Request:
    """A request with its target and fields as they were on the wire."""

    method: str
    target: str
    fields: tuple  # of (name, value), in order
    body: bytes = b""

    def values(self, name):
        return [value for found, value in self.fields if found.lower() == name.lower()]

    def value(self, name):
        """The value of a field that is there once; None where it is not."""
        values = self.values(name)
        if len(values) > 1:
            raise Refusal(400, "InvalidArgument", f"{name} is there {len(values)} times")
        return values[0] if values else None

    @property
    def path(self):
        return decoded(self.target.partition("?")[0])

    @property
    def query(self):
        """Decoded names and values, in order; a name without `=` has an empty value."""
        pairs = self.target.partition("?")[2].split("&")
        return [tuple(map(decoded, pair.partition("=")[::2])) for pair in pairs if pair]

    def changed(self, **values):
        return replace(self, **values)

    def with_field(self, name, value):
        """This request with another value of a field, or with None without it."""
        kept = [pair for pair in self.fields if pair[0].lower() != name.lower()]
        return self.changed(fields=(*kept, *([] if value is None else [(name, value)])))


@dataclass
class Answer:
    status: int
    body: bytes = b""
    fields: dict = field(default_factory=dict)


class Refusal(Exception):
    """What the vendor would refuse, and how."""

    def __init__(self, status, code, message=""):
        super().__init__(f"{status} {code}: {message}")
        self.status, self.code, self.message = status, code, message


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        # A client may leave an answer unread; anything else is a fault of the tests.
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class Capture:
    """Its heirs say by `answer` what they accept, and by `refuse` how they refuse."""

    def __init__(self):
        #: (request, how it was judged), oldest first; the latter is what `answer` said, or a Refusal.
        self.verdicts = []
        self._lock = threading.Lock()
        capture = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            timeout = 30
            disable_nagle_algorithm = True

            def handle_any(self):
                capture._handle(self)

            do_GET = do_PUT = do_POST = do_HEAD = do_DELETE = handle_any

            def log_message(self, *_):
                pass

        self._server = Server(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    @property
    def address(self):
        return f"127.0.0.1:{self._server.server_port}"

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()

    def answer(self, request):
        """What the request is judged as, and the Answer; raises a Refusal."""
        raise NotImplementedError

    def refuse(self, refusal):
        raise NotImplementedError

    def _handle(self, handler):
        request = self._read(handler)
        try:
            with self._lock:
                verdict, answer = self.answer(request)
        except Refusal as refusal:
            verdict, answer = refusal, self.refuse(refusal)
        self.verdicts.append((request, verdict))
        handler.send_response_only(answer.status)
        fields = {"Date": handler.date_time_string(), "Content-Length": str(len(answer.body)), **answer.fields}
        for name, value in fields.items():
            handler.send_header(name, value)
        handler.end_headers()
        if handler.command != "HEAD":
            handler.wfile.write(answer.body)

    @staticmethod
    def _read(handler):
        # Not handler.path, which has lost slashes; and fields are UTF-8, which http.server reads as Latin-1.
        fields = tuple((name, value.encode("latin-1").decode()) for name, value in handler.headers.items())
        body = b""
        if handler.headers["Transfer-Encoding"]:
            while size := int(handler.rfile.readline(), 16):
                body += handler.rfile.read(size)
                handler.rfile.readline()
            handler.rfile.readline()
        else:
            body = handler.rfile.read(int(handler.headers["Content-Length"] or 0))
        return Request(handler.command, handler.requestline.split(" ")[1], fields, body)

    def send(self, request):
        """Sends a request as it is, and returns how it was judged."""
        connection = http.client.HTTPConnection(self.address, timeout=30)
        try:
            connection.putrequest(request.method, request.target, skip_host=True, skip_accept_encoding=True)
            for name, value in request.fields:
                connection.putheader(name, value.encode())
            connection.endheaders(request.body)
            connection.getresponse().read()
        finally:
            connection.close()
        return self.verdicts[-1][1]
