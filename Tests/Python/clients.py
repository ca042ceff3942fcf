"""Uses what the service issues at a sandbox, by the vendors' SDKs and curl, and says how each use ends.

    python clients.py SERVICE API_KEY SANDBOX DATA OSS_ACCESS_KEY

SERVICE is http://host:port, SANDBOX host:port, and DATA its folder. OSS_ACCESS_KEY is the one that the service has. Each line of the output is one use: vendor, client, operation,
outcome.
"""

import base64
import json
import logging
import re
import tempfile
import urllib.parse
import warnings

import localhost_names  # noqa: F401

import nos
import qiniu
from nos.client.auth import RequestMetaData
from nos.exceptions import ServiceException

import clients_oss
from client_uses import (
    API_KEY, LARGE, MEBI, PNG, SANDBOX, SERVICE, Interrupted, Refused, ask, changed, curl, same, saved, tampered, tell,
    until_refused)

warnings.simplefilter("ignore")
logging.disable(logging.CRITICAL)


# MARK: Qiniu


def use_qiniu():
    # By a form goes only what is smaller.
    qiniu.set_default(
        default_upload_threshold=MEBI, default_uc_host=f"http://{SANDBOX}", default_query_region_host=f"http://{SANDBOX}",
        default_query_region_backup_hosts=[SANDBOX], default_uc_backup_hosts=[SANDBOX])
    zone = qiniu.Zone(up_host=f"http://{SANDBOX}", up_host_backup=f"http://{SANDBOX}", scheme="http")

    def issue(key, **more):
        return ask("/qiniu/uptoken", key=key, **more)["uptoken"]

    def outcome(result, info):
        value = json.loads(info.text_body)
        return f"{info.status_code} {value['error']}" if "error" in value else str(info.status_code)

    def put(token, key, content=PNG):
        return outcome(*qiniu.put_data(token, key, content, mime_type="image/png", regions=[zone]))

    # A block of version 1 has 4 MiB, always.
    parts = {"v1": {"version": "v1"}, "v2": {"version": "v2", "part_size": MEBI}}

    def put_parts(token, key, content, version):
        return outcome(*qiniu.put_file(token, key, saved(content), regions=[zone], **parts[version]))

    def resume(token, key, content, version):
        """Behind the first part an upload is cut; the SDK goes on by what it has noted."""
        with tempfile.TemporaryDirectory() as folder:
            recorder, file = qiniu.UploadProgressRecorder(folder), saved(content)

            def put(progress):
                return outcome(*qiniu.put_file(
                    token, key, file, regions=[zone], upload_progress_recorder=recorder, progress_handler=progress,
                    **parts[version]))

            return Interrupted.twice(put, lambda uploaded, _: uploaded - parts[version].get("part_size", 4 * MEBI))

    def scoped(token, scope):
        access_key, signature, encoded = token.split(":")
        return ":".join([access_key, signature, changed(encoded, lambda policy: policy.update(scope=scope))])

    def get(key):
        return curl(ask("/qiniu/download-url", key=key)["url"])

    def list_keys():
        """By a signed request, which is for Kodo's host and goes to the sandbox."""
        request = ask("/qiniu/authorization", operation="list")
        fields = [option for name, value in request["headers"].items() for option in ["-H", f"{name}: {value}"]]
        url = request["url"].replace("https://", "http://")
        status, body = curl(url, "--connect-to", f"::{SANDBOX}", "-X", request["method"], *fields)
        return ", ".join(item["key"] for item in json.loads(body)["items"]) if status == "200" else status

    key = "up/qiniu.png"
    # The last one is of three blocks: the SDK sends all at once, and one must be left when another is told of.
    contents = {
        key: PNG, "up/v1.png": LARGE, "up/v2.png": LARGE, "up/resumed.png": LARGE,
        "up/resumed-v1.png": PNG + bytes(9_000_000)}
    token = issue(key)
    short = issue("up/short.png", expires=1)
    access_key, signature, policy = token.split(":")
    tell(
        "Qiniu Kodo", "`qiniu`, upload token", upload=put(token, key),
        upload_in_parts_v1=put_parts(issue("up/v1.png"), "up/v1.png", LARGE, "v1"),
        upload_in_parts_v2=put_parts(issue("up/v2.png"), "up/v2.png", LARGE, "v2"),
        upload_resumed=resume(issue("up/resumed.png"), "up/resumed.png", LARGE, "v2"),
        upload_resumed_v1=resume(issue("up/resumed-v1.png"), "up/resumed-v1.png", contents["up/resumed-v1.png"], "v1"),
        read_back=same({name: get(name)[1] for name in contents}, contents),
        list=list_keys(),
        expired=until_refused(lambda: put(short, "up/short.png")),
        other_bucket=put(scoped(token, f"other-media:{key}"), key),
        other_prefix=put(token, "down/qiniu.png"),
        too_large=put(issue("up/large.png"), "up/large.png", PNG + bytes(10_000_000)),
        wrong_type=put(issue("up/text.png"), "up/text.png", b"plain text"),
        tampered=put(":".join([access_key, tampered(signature), policy]), key),
        key_of_one_byte_more=put(token, key + "x"),
        widened_by_one_byte=put(scoped(token, f"demo-media:{key}x"), key + "x"))


# MARK: NOS


def use_nos():
    key = "up/nos.png"

    def issue(key, **more):
        return ask("/nos/token", object=key, **more)["token"]

    def piece(token, key, content=PNG, kind="image/png", bucket="demo-files", offset=0, complete="true", context=""):
        url = f"http://{SANDBOX}/{bucket}/{urllib.parse.quote(key, safe='')}?offset={offset}&complete={complete}&version=1.0"
        url += f"&context={context}" if context else ""
        file = saved(content)
        return curl(
            url, "-H", f"x-nos-token: {token}", "-H", f"Content-Type: {kind}", "--data-binary", f"@{file}")

    def resume():
        token = issue("up/resumed.png")
        _, body = piece(token, "up/resumed.png", LARGE[:MEBI], complete="false")
        begun = json.loads(body)
        return piece(token, "up/resumed.png", LARGE[begun["offset"]:], offset=begun["offset"], context=begun["context"])[0]

    def get(key):
        return curl(ask("/nos/presigned-url", object=key)["url"])

    token = issue(key)
    head, signature, policy = token.split(":")
    wider = changed(policy, lambda policy: policy.update(Object=key + "x"), base64.b64encode)
    short = issue("up/short/nos.png", expires=1)
    url = ask("/nos/presigned-url", object=key, expires=1)["url"]
    tell(
        "NetEase NOS", "curl, upload token", upload=piece(token, key)[0], upload_resumed=resume(),
        read_back=same((get(key)[1], get("up/resumed.png")[1]), (PNG, LARGE)),
        expired=until_refused(lambda: piece(short, "up/short/nos.png")[0]),
        other_bucket=piece(token, key, bucket="other-files")[0],
        other_prefix=piece(token, "down/nos.png")[0],
        too_large=piece(issue("up/large.png"), "up/large.png", PNG + bytes(3_000_000))[0],
        wrong_type=piece(issue("up/text.png"), "up/text.png", kind="text/html")[0],
        tampered=piece(":".join([head, tampered(signature), policy]), key)[0],
        key_of_one_byte_more=piece(token, key + "x")[0],
        widened_by_one_byte=piece(":".join([head, signature, wider]), key + "x")[0])
    fresh = ask("/nos/presigned-url", object=key)["url"]
    tell(
        "NetEase NOS", "curl, presigned URL", read_back=same(curl(fresh)[1], PNG),
        expired=until_refused(lambda: curl(url)[0]),
        other_bucket=curl(fresh.replace("demo-files", "other-files"))[0],
        other_prefix=curl(fresh.replace("up%2F", "down%2F").replace("/up/", "/down/"))[0],
        tampered=curl(re.sub("Expires=", "Expires=9", fresh))[0],
        widened_by_one_byte=curl(fresh.replace("nos.png", "nos.pngx"))[0])


class Remote(RequestMetaData):
    """Has the service sign what NetEase's SDK sends; `change` is what is done to it afterwards."""

    change = None

    def _complete_headers(self):
        super()._complete_headers()
        fields = [f"{name}:{self.headers[name]}" for name in ["Content-MD5", "Content-Type"] if name in self.headers]
        signed = ask("/nos/authorization", object=self.key, method=self.method, header=fields)
        names = {name.lower() for name in signed["headers"]}
        kept = {name: value for name, value in self.headers.items() if name.lower() not in names}
        self.headers = {**kept, **signed["headers"]}
        if Remote.change:
            Remote.change(self)


def use_nos_sdk():
    nos.transport.RequestMetaData = Remote
    client = nos.Client(end_point=f"nos.localhost:{SANDBOX.rpartition(':')[2]}", max_retries=0, timeout=60)

    def put(change=None, content=PNG):
        Remote.change = change
        try:
            client.put_object("demo-files", "up/sdk.png", content, meta_data={"Content-Type": "image/png"})
            return "200"
        except ServiceException as error:
            return f"{error.status_code} {error.error_code}"
        finally:
            Remote.change = None

    def retype(request):
        kept = {name: value for name, value in request.headers.items() if name.lower() != "content-type"}
        request.headers = {**kept, "Content-Type": "text/html"}

    def tamper(request):
        head, _, signature = request.headers["Authorization"].rpartition(":")
        request.headers["Authorization"] = f"{head}:{tampered(signature)}"

    tell(
        "NetEase NOS", "`nos-python3-sdk`, signed request", upload=put(),
        read_back=same(client.get_object("demo-files", "up/sdk.png")["body"].read(), PNG),
        other_bucket=put(lambda request: setattr(request, "bucket", "other-files")),
        other_prefix=put(lambda request: setattr(request, "key", "down/sdk.png")),
        wrong_type=put(lambda request: retype(request)),
        tampered=put(tamper), widened_by_one_byte=put(lambda request: setattr(request, "key", "up/sdk.pngx")))


def use_nos_listing():
    """NOS's signatures do not cover the prefix, so that the service itself asks NOS."""

    def page(**parameters):
        query = urllib.parse.urlencode({"grant": "nos-list", **parameters})
        answer = json.loads(curl(f"{SERVICE}/nos/files?{query}", "-H", f"X-API-Key: {API_KEY}")[1])
        if "items" not in answer:
            raise Refused(answer)
        return answer

    def list_keys():
        """By pages, without the folders."""
        found, marker = [], {}
        for _ in range(100):
            answer = page(delimiter="/", limit=2, **marker)
            found += [item["key"] for item in answer["items"]]
            if "marker" not in answer:
                return ", ".join(found)
            marker = {"marker": answer["marker"]}
        return "no end"

    def refusal(**parameters):
        try:
            return f"200 {page(**parameters)}"
        except Refused as error:
            return str(error)

    tell(
        "NetEase NOS", "curl, `/nos/files`", list=list_keys(), other_bucket=refusal(bucket="other-files"),
        other_prefix=refusal(prefix="down/"), list_of_the_whole_bucket=refusal(prefix="u"))


# MARK: OSS without an SDK


def use_presigned():
    key = "up/url.png"

    def issue(method="PUT", key=key, **more):
        if method == "PUT":
            more["header"] = ["content-type:image/png", f"content-length:{len(PNG)}"]
        return ask("/oss/presigned-url", key=key, method=method, **more)

    def put(url, content=PNG, kind="image/png"):
        file = saved(content)
        return curl(url, "-X", "PUT", "-H", f"Content-Type: {kind}", "--data-binary", f"@{file}")[0]

    url = issue()["url"]
    short = issue(expires=1)["url"]
    upload = put(url)
    listing = re.findall(r"<Key>(.*?)<", curl(ask("/oss/list-url")["url"])[1].decode())
    tell(
        "Alibaba Cloud OSS", "curl, presigned URL", upload=upload,
        read_back=same(curl(issue("GET")["url"])[1], PNG), list=", ".join(listing),
        list_of_the_whole_bucket=curl(ask("/oss/list-url")["url"].replace("prefix=up%2F", "prefix="))[0],
        expired=until_refused(lambda: put(short)),
        other_bucket=put(url.replace("demo-bucket", "other-bucket")),
        other_prefix=put(url.replace("/up/", "/down/")), too_large=put(url, PNG + b"x"), wrong_type=put(url, kind="text/html"),
        tampered=put(re.sub("(?<=x-oss-signature=).", lambda first: tampered(first[0]), url)),
        widened_by_one_byte=put(url.replace("url.png", "url.pngx")))


def use_callbacks():
    """The service verifies what the sandbox signs, and the uploader gets the service's reply; others it refuses."""
    token = ask("/qiniu/uptoken", key="called/a.png")["uptoken"]
    status, body = curl(f"http://{SANDBOX}", *form_options({"token": token, "key": "called/a.png"}, PNG))
    forged = curl(f"{SERVICE}/qiniu/callback", "-d", "key=called/a.png", "-H", "Authorization: QBox a:b")[0]
    tell("Qiniu Kodo", "curl, form with a callback", callback=f"{status} `{body.decode().strip()}`", callback_forged=forged)
    form = ask("/oss/post-policy", key="called/a.png", contentType="image/png")
    status, body = curl(form["url"], *form_options(form["fields"], PNG))
    forged = curl(f"{SERVICE}/oss/callback", "-d", "object=called/a.png", "-H", "Authorization: AAAA")[0]
    tell(
        "Alibaba Cloud OSS", "curl, form with a callback", callback=f"{status} `{body.decode().strip()}`", callback_forged=forged)


def form_options(fields, content):
    """What makes curl send a form with a file."""
    options = [option for name, value in fields.items() for option in ["--form-string", f"{name}={value}"]]
    return [*options, "-F", f"file=@{saved(content)}"]


def use_form():
    key = "up/form.png"

    def issue(**more):
        return ask("/oss/post-policy", key=key, contentType="image/png", **more)

    def post(form, content=PNG, host=None, **changes):
        return curl(host or form["url"], *form_options({**form["fields"], **changes}, content))[0]

    form, short = issue(), issue(expires=1)
    later = changed(
        form["fields"]["policy"], lambda policy: policy.update(expiration="2099-01-01T00:00:00Z"), base64.b64encode)
    tell(
        "Alibaba Cloud OSS", "curl, form", too_large=post(form, PNG + bytes(100)),
        wrong_type=post(form, **{"x-oss-content-type": "text/html"}),
        other_bucket=post(form, host=form["url"].replace("demo-bucket", "other-bucket")),
        other_prefix=post(form, key="down/form.png"), tampered=post(form, policy=later),
        widened_by_one_byte=post(form, key=key + "x"), upload=post(form),
        read_back=same(curl(ask("/oss/presigned-url", key=key, method="GET")["url"])[1], PNG),
        expired=until_refused(lambda: post(short)))


use_qiniu()
use_nos()
use_nos_sdk()
use_nos_listing()
clients_oss.use()
use_presigned()
use_form()
use_callbacks()
