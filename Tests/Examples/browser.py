"""Holds the web page of examples/ to what its README says, in Chromium, beside a service and a sandbox.

usage: browser.py CHROMIUM     (scripts/with-demonstration sets the environment)
"""

import base64
import functools
import hmac
import http.server
import os
import pathlib
import re
import shutil
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request
from email.utils import formatdate

from playwright.sync_api import TimeoutError, sync_playwright

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
from service import Claims

PUBLIC = os.environ["COUNTERSIGN_PUBLIC"]
SANDBOX_PORT = os.environ["COUNTERSIGN_SANDBOX"].rpartition(":")[2]
OBJECTS = pathlib.Path(os.environ["COUNTERSIGN_OBJECTS"])
PAGE = os.environ["COUNTERSIGN_PAGE"]
MIB = 1 << 20
# A picture of one point, and whatever behind it: the type is found by the first bytes.
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360000000020001e221bc33"
    "0000000049454e44ae426082")

# Changes of settings.js: each page is below a path of its own.
VARIANTS = {
    "plain": {},
    "short": {"lifetime: null": "lifetime: 2"},
    "stranger": {"example-app-": "example-nobody-"},
    "lost": {PUBLIC: "http://127.0.0.1:9"},
}


class Files(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def write_pages(folder):
    for name, changes in VARIANTS.items():
        shutil.copytree(ROOT / "examples/web", folder / name)
        settings = folder / name / "settings.js"
        text = settings.read_text()
        for old, new in {"http://127.0.0.1:8080": PUBLIC, ":8090": f":{SANDBOX_PORT}", **changes}.items():
            if old not in text:
                sys.exit(f"settings.js has no {old}")
            text = text.replace(old, new)
        settings.write_text(text)


class Page:
    """One page, its requests to the service and the vendors, and their answers."""

    def __init__(self, browser, variant="plain", script=None):
        self.context = browser.new_context()
        self.page = self.context.new_page()
        self.answers = []
        self.page.on("response", lambda answer: self.answers.append((answer.request.method, answer.url, answer.status)))
        self.errors = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        if script:
            self.page.add_init_script(script)
        self.page.goto(f"{PAGE}/{variant}/")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.context.close()

    def pick(self, way, *files):
        self.page.select_option("#way", way)
        self.page.set_input_files("#files", [str(file) for file in files])

    def row(self, number=0):
        return self.page.locator("#uploads > li").nth(number)

    def wait(self, state, number=0):
        """The row's words, when it is in a state, or has failed."""
        row = f"#uploads > li:nth-child({number + 1})"
        try:
            self.page.wait_for_selector(f"{row}[data-state={state}], {row}[data-state=failed]", timeout=30_000)
        except TimeoutError:
            print(f"the page's answers were {self.answers}, its errors {self.errors}", file=sys.stderr)
            raise
        return self.row(number).locator("output").text_content()

    def progress(self, number=0):
        return self.row(number).locator("progress").evaluate("bar => bar.value")

    def wait_for_progress(self, least, number=0):
        script = f"document.querySelectorAll('#uploads > li progress')[{number}]?.value > {least}"
        self.page.wait_for_function(script, timeout=30_000)

    def click(self, number=0):
        self.row(number).locator("button").click()

    def slow_down(self, bytes_per_second):
        session = self.context.new_cdp_session(self.page)
        session.send("Network.enable")
        session.send("Network.emulateNetworkConditions", {
            "offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": bytes_per_second})

    def count(self, method, pattern, status=200):
        return sum(m == method and s == status and re.search(pattern, url) is not None for m, url, s in self.answers)


def stored(words):
    """The content of the object that a row says is stored."""
    key = words.removeprefix("Stored as ")
    found = [path for path in OBJECTS.glob(f"*/*/{key}")]
    return found[0].read_bytes() if len(found) == 1 else None


def make_file(folder, name, size, start=PNG):
    path = folder / name
    path.write_bytes((start + os.urandom(size))[:size])
    return path


def check_ways(claims, browser, folder):
    pictures = [make_file(folder, f"{number}.png", 200_000 + number) for number in range(2)]
    film = make_file(folder, "film.mp4", 3 * MIB + 5)
    with Page(browser) as page:
        for way in ["oss-form", "oss-put", "oss-parts", "qiniu-form"]:
            files = [film] if way == "oss-parts" else pictures
            first = page.page.locator("#uploads > li").count()
            page.pick(way, *files)
            for number, file in enumerate(files):
                page.page.wait_for_selector(f"#uploads > li:nth-child({first + number + 1})", timeout=30_000)
                words = page.wait("done", first + number)
                claims.check(
                    f"{way}: {file.name} is stored as it is ({words})",
                    stored(words) == file.read_bytes() and page.progress(first + number) == 1)
        claims.check("one upload token of Kodo serves both files", page.count("POST", "/qiniu/uptoken") == 1)
        claims.check(f"no error in the page {page.errors}", not page.errors)


def check_pause(claims, browser, folder):
    film = make_file(folder, "long.mp4", 8 * MIB + 5)
    with Page(browser) as page:
        page.slow_down(2 * MIB)
        page.pick("oss-parts", film)
        page.wait_for_progress(0.2)
        seen = [page.progress()]
        page.wait_for_progress(seen[0] + 0.05)
        seen.append(page.progress())
        page.click()
        words = page.wait("paused")
        claims.check(f"progress is seen {seen}, and the pause ({words})", 0 < seen[0] < seen[1] < 1 and words == "Paused")
        before = page.progress(), len(page.answers)
        time.sleep(1)
        claims.check("nothing is sent during the pause", (page.progress(), len(page.answers)) == before)
        parts_before = page.count("PUT", "partNumber=")
        claims.check(f"{parts_before} parts had arrived", 0 < parts_before < 9)
        page.slow_down(-1)
        page.click()
        words = page.wait("done")
        claims.check("it goes on, and the file is stored as it is", stored(words) == film.read_bytes())
        claims.check(
            "the upload was begun once, and each part arrived once",
            page.count("POST", r"[?&]uploads(&|=|$)") == 1 and page.count("PUT", "partNumber=") == 9)

    picture = make_file(folder, "slow.png", 4 * MIB)
    with Page(browser) as page:
        page.slow_down(MIB)
        page.pick("oss-put", picture)
        page.wait_for_progress(0.1)
        page.click()
        page.wait("paused")
        page.slow_down(-1)
        page.click()
        words = page.wait("done")
        claims.check("a paused PUT begins again, and is stored as it is", stored(words) == picture.read_bytes())


def abort(url):
    """Has OSS forget the upload in parts that a URL is of, by the account's own key."""
    parts = urllib.parse.urlsplit(url)
    upload = urllib.parse.parse_qs(parts.query)["uploadId"][0]
    access_key, bucket = "demo-oss-access-key", parts.hostname.removesuffix(".oss.localhost")
    secret = (OBJECTS.parent / "keys/alibaba" / access_key).read_bytes().strip()
    date = formatdate(usegmt=True)
    text = f"DELETE\n\n\n{date}\n/{bucket}{urllib.parse.unquote(parts.path)}?uploadId={upload}"
    signature = base64.b64encode(hmac.digest(secret, text.encode(), "sha1")).decode()
    request = urllib.request.Request(
        f"http://127.0.0.1:{SANDBOX_PORT}/{bucket}{parts.path}?uploadId={upload}", method="DELETE",
        headers={"Date": date, "Authorization": f"OSS {access_key}:{signature}"})
    urllib.request.urlopen(request, timeout=30).close()


def check_forgotten(claims, browser, folder):
    film = make_file(folder, "forgotten.mp4", 4 * MIB + 5)
    with Page(browser) as page:
        page.slow_down(2 * MIB)
        page.pick("oss-parts", film)
        page.wait_for_progress(0.5)
        page.click()
        page.wait("paused")
        abort(next(url for method, url, _ in page.answers if method == "PUT"))
        page.slow_down(-1)
        page.click()
        words = page.wait("done")
        claims.check(
            f"an upload that OSS has forgotten begins anew: {words}",
            stored(words) == film.read_bytes() and page.count("POST", r"[?&]uploads(&|=|$)") == 2
            and page.count("PUT", "partNumber=", status=404) == 1)
        claims.check(f"no error in the page {page.errors}", not page.errors)


def check_expiry(claims, browser, folder):
    picture = make_file(folder, "kept.png", 1000)
    # As on a device that slept: the page's clock stood still, so the page takes its token for valid.
    with Page(browser, "short", script="performance.now = () => 0") as page:
        page.pick("qiniu-form", picture)
        page.wait("done")
        time.sleep(4)
        page.pick("qiniu-form", picture)
        page.page.wait_for_selector("#uploads > li:nth-child(2)")
        words = page.wait("done", 1)
        refusals = page.count("POST", f":{SANDBOX_PORT}/", status=401)
        claims.check(
            f"Kodo refuses a token that has ended {refusals} time, and the page asks for another: {words}",
            refusals == 1 and page.count("POST", "/qiniu/uptoken") == 2 and stored(words) == picture.read_bytes())

    film = make_file(folder, "late.mp4", 2 * MIB + 1)
    with Page(browser, "short") as page:
        held = []

        def hold(route):
            # Until its URL has ended.
            if not held:
                held.append(route.request.url)
                time.sleep(4)
            route.continue_()

        page.page.route("**/*partNumber=2*", hold)
        page.pick("oss-parts", film)
        words = page.wait("done")
        refusals = page.count("PUT", "partNumber=2", status=403)
        claims.check(
            f"OSS refuses a URL that has ended {refusals} time, and the page asks for another: {words}",
            len(held) == 1 and refusals == 1 and stored(words) == film.read_bytes())


def check_refusals(claims, browser, folder):
    page_file = make_file(folder, "a.html", 100, b"<!doctype html>")
    large = make_file(folder, "large.png", 10 * MIB + 1)
    words_file = make_file(folder, "words.png", 100, b"not a picture at all, only words " * 4)
    with Page(browser) as page:
        cases = [
            ("oss-form", page_file, "The service refuses this (not_in_grant): ", "contentType"),
            ("oss-put", large, "The service refuses this (not_in_grant): ", "maxSize"),
            ("oss-form", large, "The storage refuses this (EntityTooLarge): ", ""),
            ("qiniu-form", words_file, "The storage refuses this (status 403): ", ""),
        ]
        for number, (way, file, start, part) in enumerate(cases):
            page.pick(way, file)
            page.page.wait_for_selector(f"#uploads > li:nth-child({number + 1})")
            words = page.wait("failed", number)
            claims.check(f"{way}, {file.name}: {words}", words.startswith(start) and part in words and len(words) > len(start))
            claims.check("it can be tried again", page.row(number).locator("button").text_content() == "Try again")
        claims.check(f"no error in the page {page.errors}", not page.errors)
    for variant, part in [("stranger", "You are not logged in"), ("lost", "cannot be reached")]:
        with Page(browser, variant) as page:
            page.pick("oss-form", page_file)
            page.page.wait_for_function("document.querySelector('#notice').textContent !== ''", timeout=30_000)
            words = page.page.text_content("#notice")
            claims.check(f"{variant}: {words}", part in words and page.page.locator("#uploads > li").count() == 0)


def main():
    claims = Claims()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        pages = folder / "pages"
        write_pages(pages)
        handler = functools.partial(Files, directory=str(pages))
        server = http.server.ThreadingHTTPServer(("127.0.0.1", int(PAGE.rpartition(":")[2])), handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with sync_playwright() as playwright:
            # Its own sandbox needs rights that a container does not give.
            browser = playwright.chromium.launch(executable_path=sys.argv[1], args=["--no-sandbox"])
            print(f"Chromium {browser.version}", flush=True)
            for check in [check_ways, check_pause, check_forgotten, check_expiry, check_refusals]:
                check(claims, browser, folder)
            browser.close()
        server.shutdown()
    claims.finish()


main()
