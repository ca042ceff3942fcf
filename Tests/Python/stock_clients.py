"""What Alibaba's stock clients for iOS, Android and JavaScript make of an answer of /distribute-token.json.

They cannot run here; these are their rules, read in their sources. The first two return the credentials and when these
end.
"""

import calendar
import json
import time


def ios(body):
    """OSSAuthCredentialProvider: it looks at no HTTP status, and gives up silently unless StatusCode is 200."""
    value = json.loads(body)
    if int(value.get("StatusCode") or 0) != 200:
        return None
    # A date in any other format counts as none, and then every request fetches new credentials.
    end = calendar.timegm(time.strptime(value["Expiration"], "%Y-%m-%dT%H:%M:%SZ"))
    return value["AccessKeyId"], value["AccessKeySecret"], value["SecurityToken"], end


class AndroidError(Exception):
    """ErrorCode and ErrorMessage."""


def android(status, body):
    """OSSAuthCredentialsProvider: HttpURLConnection hides the body of a status from 400 on."""
    if status >= 400:
        raise OSError(f"HTTP {status}")
    value = json.loads(body)
    if int(value["StatusCode"]) != 200:
        raise AndroidError(value["ErrorCode"], value["ErrorMessage"])
    # SimpleDateFormat reads as far as its pattern goes, and takes that for UTC.
    end = calendar.timegm(time.strptime(value["Expiration"][:19], "%Y-%m-%dT%H:%M:%S"))
    return value["AccessKeyId"], value["AccessKeySecret"], value["SecurityToken"], end


def ali_oss(body):
    """ali-oss, where refreshSTSToken returns the answer as it is: all that it assigns to the client's options."""
    options = {name[:1].lower() + name[1:]: value for name, value in json.loads(body).items()}
    if options.get("securityToken"):
        options["stsToken"] = options["securityToken"]
    if not options.keys() >= {"accessKeyId", "accessKeySecret", "stsToken"}:
        raise KeyError("refreshSTSToken must return accessKeyId, accessKeySecret and stsToken")
    return options
