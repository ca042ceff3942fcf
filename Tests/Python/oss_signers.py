"""Signers for Alibaba's SDKs that have no secret key: what they send is signed by whom they ask.

The remote ones hand over what the vendors' remote signers for Swift and Kotlin do, and in version 4 the canonical request; `ask` gives
the signature. The requested ones tell what the request is, and `ask` gives all of its header fields.
"""

import datetime
import urllib.parse

import oss2
from alibabacloud_oss_v2.signer import SignerV1, SignerV4


class RemoteV1(SignerV1):
    """alibabacloud-oss-v2, version 1."""

    def __init__(self, ask):
        self.ask = ask

    def sign(self, signing_ctx):
        self.context = signing_ctx
        super().sign(signing_ctx)

    def _calc_signature(self, access_key_secrect, string_to_sign):
        context = self.context
        return self.ask(
            version="v1", method=context.request.method, bucket=context.bucket, key=context.key,
            stringToSign=string_to_sign,
        )


class RemoteV4(SignerV4):
    """alibabacloud-oss-v2, version 4."""

    def __init__(self, ask):
        self.ask = ask

    def _calc_canonical_request(self, signing_ctx, additional_headers=None):
        self.context = signing_ctx
        self.canonical = super()._calc_canonical_request(signing_ctx, additional_headers)
        return self.canonical

    def _calc_signature(self, access_key_secrect, date, region, product, string_to_sign):
        context = self.context
        return self.ask(
            version="v4", method=context.request.method, bucket=context.bucket, key=context.key, region=region,
            product=product, date=date, stringToSign=string_to_sign, canonicalRequest=self.canonical,
        )


class RemoteAuthV1(oss2.ProviderAuth):
    """oss2, version 1."""

    def __init__(self, ask, provider):
        super().__init__(provider)
        self.ask = ask

    def _ProviderAuth__make_signature(self, req, bucket_name, key, credentials):
        text = self._ProviderAuth__get_bytes_to_sign(req, bucket_name, key).decode()
        return self.ask(version="v1", method=req.method, bucket=bucket_name, key=key, stringToSign=text)


class RemoteAuthV4(oss2.ProviderAuthV4):
    """oss2, version 4."""

    def __init__(self, ask, provider):
        super().__init__(provider)
        self.ask = ask

    def _ProviderAuthV4__make_signature(self, req, bucket_name, key, additional, credentials, date_time):
        canonical = self._ProviderAuthV4__get_canonical_request_bytes(req, bucket_name, key, additional)
        text = self._ProviderAuthV4__get_string_to_sign_bytes(req, canonical, date_time)
        return self.ask(
            version="v4", method=req.method, bucket=bucket_name, key=key, region=req.region, product="oss",
            date=date_time[:8], stringToSign=text, canonicalRequest=canonical.decode(),
        )


def described(method, headers, query):
    """A request as the service wants to know it: what it signs of the fields, and the query."""
    names = [name for name in headers if name.lower() in ("content-type", "content-md5") or name.lower().startswith("x-oss-")]
    return {
        "method": method, "header": [f"{name.lower()}:{headers[name]}" for name in names],
        "query": [f"{name}={value}" if value not in (None, "") else name for name, value in query]}


class RequestedAuth(oss2.ProviderAuth):
    """oss2."""

    def __init__(self, ask, provider):
        super().__init__(provider)
        self.ask = ask

    def _sign_request(self, req, bucket_name, key):
        asked = described(req.method, req.headers, req.params.items())
        req.headers.update(self.ask(bucket=bucket_name, key=key, **asked))


class RequestedV2:
    """alibabacloud-oss-v2."""

    def __init__(self, ask):
        self.ask = ask

    def sign(self, signing_ctx):
        request = signing_ctx.request
        query = urllib.parse.parse_qsl(urllib.parse.urlsplit(request.url).query, keep_blank_values=True)
        asked = described(request.method, request.headers, query)
        request.headers.update(self.ask(bucket=signing_ctx.bucket, key=signing_ctx.key, **asked))
        signing_ctx.signing_time = datetime.datetime.now(datetime.timezone.utc)
