"""A signer for boto3, s3fs, minio-py and the AWS CLI that knows no secret: it asks /s3/sign of the service that the environment
variable COUNTERSIGN_URL names. It is a plug-in of the CLI, too."""

import hashlib
import json
import os
import urllib.error
import urllib.parse
import urllib.request

import botocore.auth


def ask(route, base=None, **parameters):
    """The service's answer, and its status."""
    query = urllib.parse.urlencode(parameters, doseq=True)
    try:
        with urllib.request.urlopen(f"{base or os.environ['COUNTERSIGN_URL']}/s3/{route}?{query}") as answer:
            return json.load(answer), answer.status
    except urllib.error.HTTPError as error:
        return json.load(error), error.code


def issued(route, **parameters):
    answer, status = ask(route, **parameters)
    if status != 200:
        raise PermissionError(
            f"{status} {answer['code']} of the service: {answer.get('clause') or answer.get('parameter')} ({answer['detail']})")
    return answer


def sign(string, canonical):
    return issued("sign", contentToSign=string, canonicalRequest=canonical, style="path")["signature"]


def signed_url(method, key, query):
    header = ["content-type:application/octet-stream"] if method in ("PUT", "POST") else []
    return issued("presigned-url", method=method, key=key, query=query, header=header)["url"]


class RemoteSigner(botocore.auth.S3SigV4Auth):
    def signature(self, string_to_sign, request):
        return sign(string_to_sign, self.canonical_request(request))


def sign_for_minio(*, method, url, region, headers, credentials, content_sha256, date):
    """Stands for minio.signer.sign_v4_s3."""
    from minio import signer

    lines, names = signer._get_canonical_headers(headers)
    query = signer._get_canonical_query_string(url.query)
    canonical = f"{method}\n{url.path or '/'}\n{query}\n{lines}\n\n{names}\n{content_sha256}"
    scope = signer._get_scope(date, region, "s3")
    digest = hashlib.sha256(canonical.encode()).hexdigest()
    signature = sign(signer._get_string_to_sign(date, scope, digest), canonical)
    headers["Authorization"] = signer._get_authorization(credentials.access_key, scope, names, signature)
    return headers


def awscli_initialize(_):
    """What the CLI calls of its plug-ins."""
    botocore.auth.AUTH_TYPE_MAPS["s3v4"] = RemoteSigner
