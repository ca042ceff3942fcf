"""Prints vectors of OSS signatures that Alibaba's SDKs for Python have just made of random requests: a JSON array in the form
of Tests/ProvidersTests/Fixtures/vectors.

    python oss_vectors.py COUNT [SEED]
"""

import datetime
import json
import random
import sys
from types import SimpleNamespace
from urllib.parse import quote, unquote

import alibabacloud_oss_v2 as oss_v2
import oss2
from alibabacloud_oss_v2.signer import SignerV1, SignerV4
from alibabacloud_oss_v2.types import HttpRequest, SigningContext
from oss2.credentials import StaticCredentialsProvider

PLAIN = "abcxyzABCXYZ0189"
MARKS = "-._~/+%*'\"& =;:@$()!,|\\^`<>[]{}#"
# Without a byte order mark, which Foundation's reader of JSON sometimes leaves out.
WIDE = "éßñЖ中文图片e\u0301\u2028\u200d𝒳🦊"
# What both versions sign, and one parameter that version 1 does not.
SUB_RESOURCES = (
    "acl append callback callback-var objectMeta partNumber position response-cache-control response-content-disposition"
    " response-content-encoding response-content-language response-content-type response-expires restore symlink tagging"
    " uploadId uploads versionId x-oss-process x-oss-traffic-limit"
).split()
UNSIGNED = ["prefix", "max-keys", "list-type", "encoding-type", "delimiter", "marker"]
OTHER_FIELDS = ["Host", "Range", "Content-Disposition", "If-None-Match", "Expires", "Cache-Control", "Zone"]


def text(rng, pools, length):
    """At most `length` bytes, at least one."""
    made = ""
    while not made or rng.random() > 1 / length:
        longer = made + rng.choice(rng.choice(pools))
        if len(longer.encode()) > length:
            break
        made = longer
    return made


def value(rng, pools, length=40):
    """Without white space around it: what HTTP strips, the SDKs for Python do not."""
    return text(rng, pools, length).strip(" \u2028") or "v"


def request(rng, version):
    """A random request that each of the SDKs signs as its documents say; see the notes in Sources/Providers/Alibaba/Requests."""
    bucket = rng.choice(["examplebucket", "b-1", "0" * 63])
    key = text(rng, [PLAIN, MARKS, WIDE, ["%2F", "%20", "+ ~", "//", "/./", "/../", "?.", "? "]], rng.choice([8, 60, 1023]))
    names = rng.sample(SUB_RESOURCES, rng.choice([0, 0, 1, 2, 5])) + rng.sample(UNSIGNED, rng.choice([0, 0, 1, 3]))
    if version == 4:
        names += {text(rng, [PLAIN, MARKS, WIDE], 12) for _ in range(rng.choice([0, 1, 4]))} - set(names)
    rng.shuffle(names)
    # In version 1, an & in a value may look like the next parameter.
    marks = MARKS if version == 4 else MARKS.replace("&", "")
    query = [(name, rng.choice(["", text(rng, [PLAIN, marks, WIDE], 60)])) for name in names]
    fields = {}
    if rng.random() < 0.5:
        fields["Content-Type"] = rng.choice(["text/plain; charset=utf-8", "image/png", "application/x-www-form-urlencoded"])
    if rng.random() < 0.3:
        fields["Content-MD5"] = "XrY7u+Ae7tCTyVK7j1rNww=="
    taken = set()
    for _ in range(rng.choice([0, 1, 2, 6])):
        name = rng.choice(["x-oss-meta-", "X-Oss-Meta-", "x-oss-", "X-OSS-"]) + text(rng, [PLAIN, "-_"], 12)
        if name.lower() not in taken:
            taken.add(name.lower())
            fields[name] = value(rng, [PLAIN, MARKS, "  ", WIDE])
    for name in rng.sample(OTHER_FIELDS, rng.choice([0, 1, 3])):
        fields[name] = value(rng, [PLAIN, MARKS, " "])
    rng.shuffle(order := list(fields))
    return SimpleNamespace(
        method=rng.choice(["GET", "PUT", "HEAD", "POST", "DELETE"]), bucket=bucket, key=key, query=query,
        fields={name: fields[name] for name in order}, scheme=rng.choice(["http", "https"]),
        # One SDK puts these in order of their first letters only, which all differ here.
        additional=[name for name in order if name in OTHER_FIELDS and name[0] not in "CE"] if version == 4 else [],
        now=rng.randrange(1_600_000_000, 1_900_000_000), lifetime=rng.choice([1, 60, 3600, 604800]),
        region=rng.choice(["cn-hangzhou", "ap-southeast-1", "cb-123"]), access_key="LTAI5tRandom" + text(rng, [PLAIN], 8),
        secret=text(rng, [PLAIN, "+/="], 60), token=rng.choice([None, "CAIS+wF1q6Ft/5B2=" + text(rng, [PLAIN, "+/="], 300)]),
    )


def host(made):
    return f"{made.bucket}.oss-{made.region}.aliyuncs.com"


def url(made):
    pairs = [quote(name, safe="") + (f"={quote(value, safe='')}" if value else "") for name, value in made.query]
    return f"{made.scheme}://{host(made)}/{quote(made.key)}" + ("?" + "&".join(pairs) if pairs else "")


class OSS2:
    """oss2 at a time of our choice."""

    name = "oss2"

    def __init__(self, made):
        moment = datetime.datetime.fromtimestamp(made.now, datetime.timezone.utc)
        oss2.auth.time = SimpleNamespace(time=lambda: made.now)
        oss2.auth.datetime = SimpleNamespace(utcnow=lambda: moment)
        oss2.utils.http_date = lambda: oss2.utils.formatdate(made.now, usegmt=True)
        self.made = made
        self.provider = StaticCredentialsProvider(made.access_key, made.secret, made.token)

    def request(self):
        path = f"{self.made.scheme}://{host(self.made)}/{quote(self.made.key)}"
        return oss2.http.Request(
            self.made.method, path, params=dict(self.made.query), headers=dict(self.made.fields),
            region=self.made.region, product="oss",
        )

    def header(self, version):
        signed = self.request()
        if version == 1:
            oss2.ProviderAuth(self.provider)._sign_request(signed, self.made.bucket, self.made.key)
        else:
            oss2.ProviderAuthV4(self.provider)._sign_request(
                signed, self.made.bucket, self.made.key, set(self.made.additional)
            )
        return signed.headers

    def url(self, version):
        arguments = [self.request(), self.made.bucket, self.made.key]
        if version == 1:
            return oss2.ProviderAuth(self.provider)._sign_url(*arguments, self.made.lifetime)
        return oss2.ProviderAuthV4(self.provider)._sign_url(*arguments, self.made.lifetime, set(self.made.additional))

    def stream(self):
        endpoint = f"{self.made.scheme}://oss-{self.made.region}.aliyuncs.com"
        bucket = oss2.Bucket(oss2.ProviderAuth(self.provider), endpoint, self.made.bucket)
        return bucket.sign_rtmp_url("live-1~", self.made.key, self.made.lifetime)


class OSSV2:
    """alibabacloud-oss-v2; the 2 is the SDK's version, and not the signature's."""

    name = "alibabacloud-oss-v2-python"

    def __init__(self, made):
        self.made = made

    def signed(self, version, is_url):
        made = self.made
        moment = datetime.datetime.fromtimestamp(made.now, datetime.timezone.utc)
        context = SigningContext(
            "oss", made.region, made.bucket, made.key, HttpRequest(made.method, url(made), dict(made.fields)),
            oss_v2.credentials.Credentials(made.access_key, made.secret, made.token), moment,
            additional_headers=set(made.additional),
        )
        context.auth_method_query = is_url
        context.expiration_time = moment + datetime.timedelta(seconds=made.lifetime)
        # Its own list is short.
        context.sub_resource = SUB_RESOURCES
        (SignerV1 if version == 1 else SignerV4)().sign(context)
        return context

    def header(self, version):
        return self.signed(version, False).request.headers

    def url(self, version):
        return self.signed(version, True).request.url


def in_order(url):
    """With its parameters in the order in which the vendor's SDK for Go has them, and in its spelling: as our URLs of version 1."""
    path, _, query = url.partition("?")
    pairs = [pair if "=" in pair else pair + "=" for pair in query.split("&")]
    return path + "?" + "&".join(sorted(pairs, key=lambda pair: unquote(pair.partition("=")[0]).encode()))


def vector(rng, index):
    kind = rng.choice(["v1.header", "v4.header", "v1.presign", "v4.presign", "rtmp.v1"])
    version = 4 if "v4" in kind else 1
    made = request(rng, version)
    sdk = (OSS2 if kind == "rtmp.v1" else rng.choice([OSS2, OSSV2]))(made)
    if kind == "v1.header" and sdk.name != OSS2.name:
        # Its version 1.4.1 sends a token in a field that version 1 does not have.
        made.token = None
    given = {
        "method": made.method, "bucket": made.bucket, "key": made.key, "query": made.query,
        "headers": list(made.fields.items()), "additionalHeaders": made.additional, "region": made.region, "product": "oss",
        "accessKeyId": made.access_key, "accessKeySecret": made.secret, "securityToken": made.token,
        "timestamp": datetime.datetime.fromtimestamp(made.now, datetime.timezone.utc).strftime("%Y%m%dT%H%M%SZ"),
        "now": made.now, "expiresIn": made.lifetime, "expires": made.now + made.lifetime, "scheme": made.scheme,
        "host": host(made),
    }
    if kind == "v1.header":
        fields = sdk.header(1)
        given["headers"] = [
            (name, value) for name, value in fields.items() if value is not None and name.lower() != "authorization"
        ]
        expected = {"authorization": fields["Authorization"], "signature": fields["Authorization"].partition(":")[2]}
    elif kind == "v4.header":
        authorization = sdk.header(4)["Authorization"]
        parts = dict(part.strip().partition("=")[::2] for part in authorization.partition(" ")[2].split(","))
        expected = {"signature": parts["Signature"]}
        if sdk.name != OSS2.name:
            expected["authorization"] = authorization
    elif kind == "rtmp.v1":
        given |= {"channel": "live-1~", "playlistName": made.key}
        expected = {"url": sdk.stream()}
    else:
        signed = sdk.url(version)
        name = "Signature" if version == 1 else "x-oss-signature"
        url = in_order(signed) if version == 1 else signed
        expected = {"signature": unquote(signed.rpartition(f"&{name}=")[2]), "urls": {sdk.name: url}}
    return {
        "id": f"random/{index}", "operation": f"oss.{kind}", "input": given, "expected": expected, "source": sdk.name,
    }


def main():
    rng = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    json.dump([vector(rng, index) for index in range(int(sys.argv[1]))], sys.stdout, ensure_ascii=False)


if __name__ == "__main__":
    main()
