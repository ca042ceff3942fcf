"""What the uses of clients.py share: how the service is asked, files, curl, and the lines of the output."""

import base64
import json
import re
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

SERVICE, API_KEY, SANDBOX, DATA, OSS_ACCESS_KEY = sys.argv[1:6]
PNG = b"\x89PNG\r\n\x1a\n" + bytes(90)
LARGE = PNG + bytes(2_900_000)
MEBI = 1 << 20
OSS = f"http://oss.localhost:{SANDBOX.rpartition(':')[2]}"


class Refused(Exception):
    """What the service does not issue."""

    def __init__(self, problem):
        super().__init__(f"{problem['status']} {problem['code']} of the service: {problem.get('clause', problem['detail'])}")


def ask(path, **parameters):
    """An answer of the service."""
    query = urllib.parse.urlencode(parameters, doseq=True)
    request = urllib.request.Request(f"{SERVICE}{path}?{query}", headers={"X-API-Key": API_KEY})
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            return json.load(response)
    except urllib.error.HTTPError as error:
        with error:
            raise Refused(json.load(error)) from None


def tell(vendor, client, **outcomes):
    for operation, outcome in outcomes.items():
        line = dict(vendor=vendor, client=client, operation=operation.replace("_", " "), outcome=outcome)
        print(json.dumps(line), flush=True)


def same(found, expected):
    return "the same" if found == expected else "DIFFERENT"


def until_refused(attempt):
    """The outcome once what ends after a second has ended; until then it uploads, and may not replace what it has uploaded."""
    end = time.monotonic() + 20
    while re.search("^20|FileAlreadyExists|must not be replaced", found := attempt()) and time.monotonic() < end:
        time.sleep(0.1)
    return found


def tampered(text):
    """The text with another first character."""
    return ("0" if text[0] != "0" else "1") + text[1:]


def changed(encoded, change, codec=base64.urlsafe_b64encode):
    """A policy with another value of its fields."""
    policy = json.loads(base64.urlsafe_b64decode(encoded.replace("+", "-").replace("/", "_")))
    change(policy)
    return codec(json.dumps(policy).encode()).decode()


def curl(url, *options):
    """The status with the vendor's code, and the body."""
    run = subprocess.run(
        ["curl", "-sS", "--max-time", "30", "--noproxy", "*", "-w", "\n%{http_code}", *options, url],
        capture_output=True, check=True)
    body, _, status = run.stdout.rpartition(b"\n")
    code = re.search(rb'(?:<Code>|"errMsg": ?"|"error": ?")([^<"]*)', body) if status >= b"300" else None
    return (status + b" " + code[1] if code else status).decode(), body


FOLDER = tempfile.TemporaryDirectory()


def saved(content):
    """The path of a file with these bytes."""
    with tempfile.NamedTemporaryFile(dir=FOLDER.name, delete=False) as file:
        file.write(content)
    return file.name


class Interrupted(Exception):
    """Ends an upload in the middle, as the end of its process would."""

    @staticmethod
    def twice(upload, start):
        """The outcome of an upload that is interrupted by its first progress and made again, and whether it went on.

        `upload` takes what is told of progress, and `start` makes of the first that is told where it began.
        """

        def interrupt(*told):
            if start(*told) >= 0 and told[0] > 0:
                raise Interrupted

        starts = []
        try:
            raise SystemExit(f"the upload was not interrupted: {upload(interrupt)}")
        except Interrupted:
            pass
        result = upload(lambda *told: starts.append(start(*told)))
        # How much was there is not told: some SDKs send several parts at once.
        return f"{result}, from what was there" if starts[0] > 0 else f"{result}, from the beginning"
