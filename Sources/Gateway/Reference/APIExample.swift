import Access
import Providers

/// Values that the API reference shows. A name means the same in every route, so each has one value.
enum APIExample {
    /// A member of an answer; nil where there is no example of it.
    static func value(of field: AnswerField) -> JSONDocument? { answers[field.name] }

    /// Members that an answer about one key does not have.
    static let absent: Set = ["keyPrefix"]

    /// A parameter, as it stands in a query without escapes; nil where there is none.
    static func value(of parameter: ParameterDescription) -> String? {
        switch parameter.kind {
        case .grant: "photos"
        case .bucket: "media"
        case .key: "photos/a.jpg"
        case .keyPrefix: "photos/"
        case .keyName: "a.jpg"
        case .fileExtension: "jpg"
        case .lifetime(let least): "\(max(600, least))"
        case .integer(let bounds): "\(max(bounds.lowerBound, min(100, bounds.upperBound)))"
        case .text, .pairs, .json, .ignored: parameters[parameter.name]
        }
    }

    private static let parameters = [
        "contentToSign": "PUT\n\nimage/jpeg\nTue, 24 Nov 2026 10:00:00 GMT\n/media/photos/a.jpg",
        "canonicalRequest": "PUT\n/media/photos/a.jpg\n…", "version": "v4", "method": "GET", "accessKeyId": "LTAI5t…",
        "region": "cn-hangzhou", "product": "oss", "date": "20261124", "contentType": "image/jpeg",
        "contentMd5": "1B2M2Y8AsgTpgAmY7PhCfg==", "channel": "live-1", "playlist": "live.m3u8",
        "uri": "https://media.s3.eu-west-1.amazonaws.com/photos/a.jpg", "header": "x-oss-meta-a:1", "query": "uploads",
        "operation": "list", "delimiter": "/", "marker": "eyJj…",
    ]

    private static let answers: [String: JSONDocument] = [
        // What is about every credential.
        "bucket": "media", "key": "photos/a.jpg", "object": "photos/a.jpg", "prefix": .null,
        "grant": "photos", "expiresAt": "2026-11-24T10:10:00Z", "expiresIn": 600, "limitedBy": "grant",
        "serverTime": "2026-11-24T10:00:00Z", "deadline": 1_795_515_000, "id": "20df7811-132d-470d-8399-bb356d6bd2c8",
        // Tokens and signatures.
        "uptoken": "AK:MNQ549Ca7dakcBGx-NoZLKEGI2Y=:eyJzY29wZSI6…",
        "token": "AK:MNQ549Ca7dakcBGx-NoZLKEGI2Y=:eyJzY29wZSI6…",
        "ticket": "DU4QTQEAJDIw…", "signature": "nXnMqbWt4fO4VDikRSWwIw4OD8w=",
        "authorization": "OSS AK:nXnMqbWt4fO4VDikRSWwIw4OD8w=", "accessKeyId": "AK", "accessid": "AK",
        // Requests, URLs and forms.
        "method": "GET", "url": "https://media.example.com/photos/a.jpg?…", "operation": "list", "channel": "live-1",
        "headers": ["Authorization": "…", "Content-Type": "image/jpeg"], "domain": "media.example.com",
        "fields": ["key": "photos/a.jpg", "policy": "eyJleHBp…", "x-oss-signature": "…"],
        "host": "https://media.oss-cn-hangzhou.aliyuncs.com", "policy": "eyJleHBp…", "expire": 1_795_515_000,
        "dir": "photos/", "x_oss_signature_version": "OSS4-HMAC-SHA256",
        "x_oss_credential": "AK/20261124/cn-hangzhou/oss/aliyun_v4_request", "x_oss_date": "20261124T100000Z",
        "callback": "eyJjYWxs…",
        // Uploads in parts, and Iceberg.
        "uploadId": "SAjejHbpsNYXqamSKzx1OTJ-aWQ", "presignedUrls": ["1": "https://media.example.com/photos/a.jpg?…"],
        "expires": 600, "location": "https://media.example.com/photos/a.jpg", "PartNumber": 1,
        "ETag": "\"9b2cf535f27731c974343645a3985328\"", "Size": 5_242_880,
        "uri": "https://media.s3.eu-west-1.amazonaws.com/photos/a.jpg",
        // Alibaba's sessions.
        "StatusCode": 200, "Code": "Success", "AccessKeyId": "STS.NUgY…", "AccessKeySecret": "5ddzIa26…",
        "SecurityToken": "CAIScGkw…", "Expiration": "2026-11-24T10:10:00Z",
        "Scope": [
            "Bucket": "media", "Prefix": "photos/", "Region": "cn-hangzhou", "Endpoint": "oss-cn-hangzhou.aliyuncs.com",
        ],
        // Sessions of AWS.
        "Version": 1, "SecretAccessKey": "wJalrXUt…", "SessionToken": "FwoGZXIv…", "Token": "FwoGZXIv…",
        "credentials": [
            "AccessKeyId": "ASIAIOSF…", "SecretAccessKey": "wJalrXUt…", "SessionToken": "FwoGZXIv…",
            "Expiration": "2026-11-24T10:10:00Z", "accessKeyId": "ASIAIOSF…", "secretAccessKey": "wJalrXUt…",
            "sessionToken": "FwoGZXIv…", "expiration": "2026-11-24T10:10:00Z",
        ],
        "keyPrefix": "photos/", "region": "eu-west-1", "endpoint": "s3.example.com",
        // What Kodo knows.
        "items": [["key": "photos/a.jpg", "hash": "FpHy…", "fsize": 5120]], "commonPrefixes": ["photos/2026/"],
        "marker": "", "fsize": 5120, "hash": "FpHy…", "mimeType": "image/jpeg", "putTime": 17_955_144_000_000_000,
        // The service's own routes.
        "status": "ok", "verdict": "allow", "caller": "apiKey:app", "route": "qiniu.uptoken",
        "at": "2026-11-24T10:00:00Z",
        "refusal": .null,
        "permitted": [
            "grant": "photos", "bucket": "media", "key": "photos/a.jpg", "expiresAt": "2026-11-24T10:10:00Z",
        ],
        "brake": .null,
        "brakes": [
            [
                "kind": "caller", "name": "apiKey:app", "state": "inForce", "reason": "its key has leaked",
                "by": "apiKey:operator",
            ]
        ],
        "recorded": true, "complete": true,
        "issuedBefore": [["credential": "media", "provider": "qiniu", "count": 41, "endless": 0]],
        "grants": [["name": "photos", "route": "qiniu.uptoken"]],
        "signed": [["name": "bucket", "value": "media"]],
        "enforcement": [["subject": "bucket and key", "keeper": "vendor", "means": "scope of the put policy"]],
    ]
}
