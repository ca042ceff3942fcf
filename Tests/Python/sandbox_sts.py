"""Calls a running sandbox with the vendor's own SDKs.

    python sandbox_sts.py HOST:PORT ACCESS_KEY_ID ACCESS_KEY_SECRET ROLE_ARN
"""

import json
import logging
import sys

from checking import check

from alibabacloud_sts20150401 import models
from alibabacloud_sts20150401.client import Client
from alibabacloud_tea_openapi.models import Config
from aliyunsdkcore.acs_exception.exceptions import ServerException
from aliyunsdkcore.auth.credentials import StsTokenCredential
from aliyunsdkcore.client import AcsClient
from aliyunsdksts.request.v20150401.AssumeRoleRequest import AssumeRoleRequest

ENDPOINT, KEY_ID, SECRET, ROLE = sys.argv[1:5]
POLICY = json.dumps(
    {
        "Version": "1",
        "Statement": [
            {
                "Effect": "Allow",
                "Action": ["oss:PutObject", "oss:AbortMultipartUpload"],
                "Resource": ["acs:oss:*:*:examplebucket/用户/é *~'()!+/*"],
            }
        ],
    },
    ensure_ascii=False,
)
# The old SDK reports every refusal on a logger, which would hide what is printed here.
logging.disable(logging.CRITICAL)
# Seconds that it may take to answer: a busy machine is no refusal.
PATIENCE = 120


def rpc(key_id=KEY_ID, secret=SECRET, token=None, method="POST", session="alice", **parameters):
    """aliyun-python-sdk-sts, which signs RPC 1.0: the credentials, or the code of the refusal."""
    if token:
        who = {"credential": StsTokenCredential(key_id, secret, token)}
    else:
        who = {"ak": key_id, "secret": secret}
    client = AcsClient(region_id="cn-hangzhou", timeout=PATIENCE, connect_timeout=PATIENCE, **who)
    request = AssumeRoleRequest()
    request.set_protocol_type("http")
    request.set_endpoint(ENDPOINT)
    request.set_accept_format("json")
    request.set_method(method)
    request.set_RoleArn(ROLE)
    request.set_RoleSessionName(session)
    for name, value in parameters.items():
        getattr(request, "set_" + name)(value)
    try:
        return json.loads(client.do_action_with_exception(request))["Credentials"]
    except ServerException as error:
        return error.http_status, error.error_code


def acs3(key_id=KEY_ID, secret=SECRET, token=None, session="alice", **parameters):
    """alibabacloud_sts20150401, which signs ACS3-HMAC-SHA256."""
    client = Client(
        Config(
            access_key_id=key_id, access_key_secret=secret, security_token=token, endpoint=ENDPOINT, protocol="http",
            type="sts" if token else "access_key", read_timeout=PATIENCE * 1000, connect_timeout=PATIENCE * 1000,
        )
    )
    request = models.AssumeRoleRequest(role_arn=ROLE, role_session_name=session, **parameters)
    try:
        return client.assume_role(request).body.credentials.to_map()
    except Exception as error:  # its class differs between the versions of the SDK
        return getattr(error, "status_code", None) or error.data["statusCode"], error.code


# The old SDK finds its own string to sign in the sandbox's message, and concludes that only the secret can be wrong.
for name, call, names, wrong in [
    ("aliyun-python-sdk-sts, RPC", rpc, ("DurationSeconds", "Policy", "ExternalId"), "InvalidAccessKeySecret"),
    ("alibabacloud_sts20150401, ACS3", acs3, ("duration_seconds", "policy", "external_id"), "SignatureDoesNotMatch"),
]:
    credentials = call()
    check(f"{name}, accepted", type(credentials) is dict or credentials, True)
    check(f"{name}, members", sorted(credentials), ["AccessKeyId", "AccessKeySecret", "Expiration", "SecurityToken"])
    check(f"{name}, marked", credentials["AccessKeyId"].startswith("STS.SANDBOX"), True)
    full = call(**dict(zip(names, (900, POLICY, "a+b=c,d@e:f/g-h"))))
    check(f"{name}, every parameter", "SecurityToken" in full, True)
    check(f"{name}, wrong secret", call(secret="wrong"), (400, wrong))
    check(f"{name}, unknown key", call(key_id="LTAIunknown"), (404, "InvalidAccessKeyId.NotFound"))
    check(f"{name}, short session name", call(session="a"), (400, "InvalidParameter.RoleSessionName"))
    check(f"{name}, duration", call(**{names[0]: 899}), (400, "InvalidParameter.DurationSeconds"))
    check(f"{name}, policy", call(**{names[1]: "{}"}), (400, "InvalidParameter.PolicyGrammar"))
    session = (credentials["AccessKeyId"], credentials["AccessKeySecret"], credentials["SecurityToken"])
    check(f"{name}, with credentials of a session", call(*session), (403, "NoPermission"))
    check(f"{name}, with another token", call(*session[:2], "x"), (400, "InvalidSecurityToken.MismatchWithAccessKey"))
check("aliyun-python-sdk-sts, GET", "SecurityToken" in rpc(method="GET"), True)
print("all SDK checks passed")
