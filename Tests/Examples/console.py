"""Looks at the console of a demonstration in Chromium, as scripts/check-console starts it.

usage: console.py CHROMIUM [FOLDER-FOR-SCREENSHOTS]
"""

import json
import os
import pathlib
import sys
import urllib.error
import urllib.parse
import urllib.request

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

PUBLIC, ADMIN = os.environ["COUNTERSIGN_PUBLIC"], os.environ["COUNTERSIGN_ADMIN"]

# Each would set window.ran if anything of it ran.
PAYLOADS = [
    f"{before}{code}{after}"
    for code in ("window.ran=1", "window['ran']=1")
    for before, after in (
        ("<script>", "</script>"), ("<img src=x onerror=", ">"), ("<svg onload=", ">"), ("\"><script>", "</script>"),
        ("'><img src=x onerror=", ">"), ("<iframe srcdoc='<script>parent.", "</script>'>"), ("<body onload=", ">"),
        ("<details open ontoggle=", ">"), ("<input autofocus onfocus=", ">"), ("javascript:", ""),
        ("<a href=javascript:", ">a</a>"), ("<math><mtext><script>", "</script>"), ("</textarea><script>", "</script>"),
        ("</title><script>", "</script>"), ("<video src=x onerror=", ">"), ("<object data=javascript:", ">"),
        ("{{constructor.constructor('", "')()}}"), ("${", "}"), ("<!--><script>", "</script>"),
        ("<style>@import 'javascript:", "'</style>"), ("<link rel=stylesheet href=javascript:", ">"),
        ("<marquee onstart=", ">"), ("<form action=javascript:", "><button>"), ("<base href=javascript:", ">"),
        ("\u202e<script>", "</script>"),
    )
]


def get(url):
    try:
        return urllib.request.urlopen(url, timeout=20).status
    except urllib.error.HTTPError as error:
        return error.code


def check(holds, claim):
    print(("ok: " if holds else "FAILED: ") + claim)
    if not holds:
        sys.exit(1)


def issue_hostile():
    """Has tokens issued whose keys are hostile, so that they are on record."""
    issued = 0
    for payload in PAYLOADS:
        issued += get(f"{PUBLIC}/qiniu/uptoken?" + urllib.parse.urlencode({"key": "photos/" + payload})) == 200
    check(len(PAYLOADS) == 50 and issued >= 40, f"{issued} of {len(PAYLOADS)} hostile keys are on record")


def audit(page, name):
    found = Axe().run(page).response["violations"]
    for violation in found:
        print(json.dumps({"id": violation["id"], "nodes": [node["html"] for node in violation["nodes"]][:3]}))
    check(not found, f"axe-core finds no violation ({name})")


def paste_hostile(page):
    for payload in PAYLOADS:
        for text in (payload, json.dumps({"policy": payload, "OSSAccessKeyId": payload, "key": payload})):
            page.fill("#text", text)
            with page.expect_response("**/console/inspect"):
                page.click("#f-inspect button")
        page.fill("#caller", "apiKey:" + payload)
        page.fill("#parameters", json.dumps({"key": payload}))
        with page.expect_response("**/explain"):
            page.click("#f-explain button")
    check(page.evaluate("window.ran") is None, "nothing hostile has run")


def explain(page):
    page.fill("#caller", "anonymous")
    page.select_option("#route", "qiniu.uptoken")
    page.fill("#parameters", '{"key": "private/a.jpg"}')
    page.click("#f-explain button")
    page.get_by_text("No: ").wait_for()
    page.fill("#parameters", '{"key": "photos/a.jpg"}')
    page.click("#f-explain button")
    page.get_by_text("Yes, by the grant photos.").wait_for()


def upload(page, folder):
    """Stores a picture in the sandbox, by the page alone, and sees it read back and shown."""
    png = page.screenshot()
    page.set_input_files("#file", {"name": "page.png", "mimeType": "image/png", "buffer": png})
    check(page.input_value("#trial-key") == "demo/page.png", "the key is the grant's prefix and the file's name")
    page.click("#f-try button")
    page.get_by_text(f"read back the same {len(png)} bytes, image/png").wait_for()
    page.locator("#tried img").wait_for()
    check(page.locator("#tried img").evaluate("e => e.naturalWidth") == 1280, "the picture that was read back is shown")
    stored = [path for path in pathlib.Path(os.environ["COUNTERSIGN_OBJECTS"]).rglob("*")
              if path.is_file() and path.read_bytes() == png]
    check(len(stored) == 1, "the sandbox has the file")
    if folder:
        page.locator("#try").screenshot(path=f"{folder}/console-sandbox.png")
    page.set_input_files("#file", {"name": "a.sh", "mimeType": "text/x-shellscript", "buffer": b"echo"})
    page.click("#f-try button")
    page.locator("#tried .bad", has_text="contentTypes").wait_for()
    for payload in PAYLOADS[:10]:
        page.set_input_files("#file", {"name": payload.replace("/", "") + ".png", "mimeType": "image/png", "buffer": png})
        page.click("#f-try button")
        page.locator("#tried .bad, #tried img").first.wait_for()


def limited(page):
    """Stores a file by a grant that limits the size, in a folder of the caller's own."""
    path = pathlib.Path(os.environ["COUNTERSIGN_OBJECTS"]).parents[2] / "config/served.json5"
    text = path.read_text()
    grant = """  grants: {
    "small": { route: "oss.presigned-url", credential: "oss", callers: ["jwt:login"], bucket: "demo-bucket",
      keyPrefix: "small/${caller.id}/", methods: ["GET", "PUT"], versions: "v4", maxSize: "1MiB" },"""
    issuer = """  authentication: { jwt: [{ id: "login", issuer: "login", audience: "uploads", algorithms: ["RS256"],
    jwksUrl: "https://login.invalid/keys" }] },"""
    path.write_text(text.replace("  grants: {", issuer + grant, 1))
    page.locator("#trial option", has_text="small").wait_for(state="attached")
    page.select_option("#trial", label="small (oss.presigned-url)")
    check(page.input_value("#trial-caller") == "jwt:login/42", "a caller of the grant is proposed")
    page.fill("#trial-caller", "jwt:login/7")
    page.set_input_files("#file", {"name": "a.txt", "mimeType": "text/plain", "buffer": b"eighteen bytes ..."})
    check(page.input_value("#trial-key") == "small/7/a.txt", "the key is in the caller's folder")
    page.click("#f-try button")
    page.get_by_text("read back the same 18 bytes").wait_for()
    page.set_input_files("#file", {"name": "b.txt", "mimeType": "text/plain", "buffer": bytes(1 << 20) + b"+"})
    page.click("#f-try button")
    page.locator("#tried .bad", has_text="maxSize").wait_for()
    path.write_text(text)
    page.locator("#trial option", has_text="small").wait_for(state="detached")


def brake(page):
    """Stops a grant by the form, and releases it by its button."""
    url = f"{PUBLIC}/qiniu/uptoken?key=photos/a.jpg"
    check(get(url) == 200, "the grant is given before it is stopped")
    page.fill("#brake-name", "photo")
    page.fill("#brake-reason", "a test")
    page.click("#f-brake button")
    page.locator("#braked .bad", has_text="did you mean photos?").wait_for()
    page.fill("#brake-name", "photos")
    page.fill("#brake-for", "1h")
    page.click("#f-brake button")
    card = page.locator("#brakes > li", has_text="photos")
    card.wait_for()
    check(get(url) == 403, "what the form has stopped is refused")
    audit(page, "with a brake")
    page.once("dialog", lambda dialog: dialog.accept("the test is over"))
    card.locator("button").click()
    page.locator("#brakes > li", has_text="nothing is stopped").wait_for()
    check(get(url) == 200, "what its button has released is given")


def verify(page):
    page.click("#verify")
    page.locator("#verified", has_text="whole: lines 1 to ").wait_for()
    page.locator("#facts", has_text="audit, last verified").wait_for()


def reload(page):
    """Breaks the configuration, and mends it."""
    path = pathlib.Path(os.environ["COUNTERSIGN_OBJECTS"]).parents[2] / "config/served.json5"
    text = path.read_text()
    line = text[:text.index("  admin:")].count("\n") + 1
    path.write_text(text.replace("  admin:", "  admn:"))
    page.locator("#problems td", has_text=f"line {line}, column 3").wait_for()
    page.locator("#problems td", has_text="did you mean admin?").wait_for()
    check(get(f"{PUBLIC}/qiniu/uptoken?key=photos/a.jpg") == 200, "the configuration before serves")
    audit(page, "with problems")
    path.write_text(text)
    page.locator("#problems table").wait_for(state="detached")


def inspect(page):
    with urllib.request.urlopen(f"{PUBLIC}/qiniu/uptoken?key=photos/a.jpg") as answer:
        page.fill("#text", json.load(answer)["token"])
    page.click("#f-inspect button")
    page.get_by_text("Qiniu upload token: genuine").wait_for()


def first_paint(browser, path):
    """The best of some first paints, in milliseconds, of a page that nothing is remembered of."""
    paints = []
    for _ in range(15):
        context = browser.new_context()
        page = context.new_page()
        page.goto(ADMIN + path)
        page.wait_for_timeout(200)
        paints += page.evaluate("performance.getEntriesByName('first-contentful-paint').map(entry => entry.startTime)")
        context.close()
    return min(paints)


def time_paint(browser):
    """A busy machine delays Chromium itself, so that a page of one line is the measure."""
    line, console = first_paint(browser, "/livez"), first_paint(browser, "/console")
    print(f"first paint after {console:.0f} ms at best; of a page of one line after {line:.0f} ms")
    check(console - line < 100, "the page adds less than 100 ms to the first paint")


def look(browser, folder):
    errors = []
    page = browser.new_page()
    page.on("pageerror", lambda error: errors.append(str(error)))
    # Refusals that were asked for are no errors of the page.
    page.on("console", lambda m: errors.append(m.text) if m.type == "error" and "status of 4" not in m.text else None)
    page.goto(ADMIN + "/console")
    page.locator("#grants > li").first.wait_for()
    page.locator("#asks > tr").nth(30).wait_for()
    check(page.evaluate("window.ran") is None, "hostile keys on record run nothing")
    check(page.locator("#login").is_hidden(), "no key is asked for where none is needed")
    explain(page)
    inspect(page)
    upload(page, folder)
    limited(page)
    brake(page)
    verify(page)
    reload(page)
    for second in range(8):
        for number in range(second * 3):
            get(f"{PUBLIC}/qiniu/uptoken?key={'photos' if number % 4 else 'private'}/{number}.jpg")
        page.wait_for_timeout(1000)
    page.locator("#clauses tr", has_text="keyPrefix").locator("rect").wait_for(state="attached")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        audit(page, scheme)
        if folder:
            page.locator("header" if scheme == "light" else "#h-inspect").evaluate("e => e.scrollIntoView()")
            page.screenshot(path=f"{folder}/console-{scheme}.png")
    page.set_viewport_size({"width": 360, "height": 740})
    check(page.evaluate("document.documentElement.scrollWidth") <= 360, "it fits on a phone")
    audit(page, "phone")
    if folder:
        page.locator("#h-grants").evaluate("e => e.scrollIntoView()")
        page.screenshot(path=f"{folder}/console-phone.png")
    paste_hostile(page)
    page.fill("#q-asks", "operator")
    page.press("#q-asks", "Enter")
    page.locator("#asks > tr", has_text="inspect").first.wait_for()
    page.fill("#q-asks", '"action":"mint"')
    page.press("#q-asks", "Enter")
    page.locator("#asks > tr", has_text="mint").first.wait_for()
    check(True, "what was inspected and tried is on record, and is found by a search")
    check(not errors, f"the browser's console has no error: {errors[:3]}")


def main():
    issue_hostile()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=sys.argv[1], args=["--no-sandbox"])
        time_paint(browser)
        look(browser, sys.argv[2] if len(sys.argv) > 2 else "")
        browser.close()


main()
