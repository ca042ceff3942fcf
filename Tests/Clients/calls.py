"""Asks a running demonstration by the client that openapi-python-client has generated."""

import os

from countersign_client import AuthenticatedClient, Client
from countersign_client.api.alibaba_cloud_sts import distribute_token
from countersign_client.api.countersign import explain, grants, livez
from countersign_client.api.qiniu_kodo import qiniu_uptoken, qiniu_uptoken_post
from countersign_client.models import ExplainBody, Problem, QiniuUptokenPostJsonBody, QiniuUptokenResponse200

public = Client(base_url=os.environ["COUNTERSIGN_PUBLIC"])
admin = Client(base_url=os.environ["COUNTERSIGN_ADMIN"])

assert livez.sync(client=public).status == "ok"

given = qiniu_uptoken.sync(client=public, key="photos/a.jpg", expires=600)
assert isinstance(given, QiniuUptokenResponse200), given
assert (given.key, given.grant, given.expires_in) == ("photos/a.jpg", "photos", 600) and given.uptoken, given

posted = qiniu_uptoken_post.sync(client=public, body=QiniuUptokenPostJsonBody(key="photos/b.jpg"))
assert posted.key == "photos/b.jpg", posted

refused = qiniu_uptoken.sync_detailed(client=public, key="private/a.jpg")
assert refused.status_code == 403 and isinstance(refused.parsed, Problem), refused
assert (refused.parsed.code, refused.parsed.clause) == ("not_in_grant", "keyPrefix"), refused.parsed

wrong = AuthenticatedClient(base_url=os.environ["COUNTERSIGN_PUBLIC"], token="no-such-key")
assert grants.sync(client=wrong).code == "unauthenticated"
assert "photos" in [grant.name for grant in grants.sync(client=public).grants]

session = distribute_token.sync(client=public)
assert session.status_code == 200 and session.security_token, session

told = explain.sync(client=admin, body=ExplainBody(caller="anonymous", route="qiniu.uptoken"))
assert told.verdict in ("allow", "deny"), told

print("Python: 8 calls")
