import Foundation
import TestPeers
import Testing

/// What the vendor, or whoever answers instead, does to a call; and what clients are told.
struct STSFault: Sendable, CustomTestStringConvertible {
    let name: String
    let status: Int
    let code: String
    var certificate: (@Sendable (ClientCertificates) -> ClientCertificates.Pair)?
    /// What is called instead of `localhost`.
    var host: String?
    let script: ClientPeer.Script

    var testDescription: String { name }

    static func credentials(
        _ key: String = "STS.e2e", date: Int64 = now, end: Int64 = now + 3600, without: String = ""
    ) -> String {
        let members = [
            "AccessKeyId": key, "AccessKeySecret": "s", "SecurityToken": "t", "Expiration": iso8601(end),
        ]
        .filter { $0.key != without }.map { "\"\($0.key)\":\"\($0.value)\"" }.joined(separator: ",")
        return "{\"RequestId\":\"1\",\"Credentials\":{\(members)}}"
    }

    static let well: ClientPeer.Script = { peer, _ in
        while true {
            let request = try peer.request()
            try peer.answer(granted(request), fields: "Date: \(httpDate(now))\r\n")
        }
    }

    /// A session, in the words of the vendor that is asked: Alibaba Cloud's, or AWS's.
    static func granted(
        _ request: String, secret: String = "s", token: String = "t", end: Int64 = now + 3600
    ) -> String {
        guard request.contains("Version=2011-06-15") else {
            return
                "{\"RequestId\":\"1\",\"Credentials\":{\"AccessKeyId\":\"STS.e2e\",\"AccessKeySecret\":\"\(secret)\","
                + "\"SecurityToken\":\"\(token)\",\"Expiration\":\"\(iso8601(end))\"}}"
        }
        return "<AssumeRoleResponse><AssumeRoleResult><Credentials><AccessKeyId>ASIAe2e</AccessKeyId>"
            + "<SecretAccessKey>\(secret)</SecretAccessKey><SessionToken>\(token)</SessionToken>"
            + "<Expiration>\(iso8601(end))</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>"
    }

    private static func always(
        _ body: String, status: String = "200 OK", fields: String = ""
    ) -> ClientPeer.Script {
        { peer, _ in
            while true {
                try peer.request()
                try peer.answer(body, status: status, fields: fields)
            }
        }
    }

    private static func refusal(_ code: String) -> String {
        "{\"RequestId\":\"1\",\"Code\":\"\(code)\",\"Message\":\"no\"}"
    }

    private static let unavailable = "upstream_unavailable"
    private static let failed = "upstream_failed"

    static let all: [STSFault] = [
        STSFault(name: "slow", status: 503, code: unavailable) { peer, _ in
            try peer.request()
            peer.pause(milliseconds: 5_000)
            try peer.answer(credentials())
        },
        STSFault(name: "hangs after connect", status: 503, code: unavailable) { peer, _ in peer.hang() },
        STSFault(name: "hangs after the head", status: 503, code: unavailable) { peer, _ in
            try peer.request()
            try peer.write("HTTP/1.1 200 OK\r\nContent-Length: 300\r\n\r\n")
            peer.hang()
        },
        STSFault(name: "resets", status: 503, code: unavailable) { peer, _ in
            try peer.request()
            peer.reset()
        },
        STSFault(name: "breaks off", status: 503, code: unavailable) { peer, _ in
            try peer.request()
            try peer.write("HTTP/1.1 200 OK\r\nContent-Length: 300\r\n\r\n{\"Cred")
        },
        STSFault(name: "10 MB", status: 502, code: failed, script: always(String(repeating: " ", count: 10_000_000))),
        STSFault(name: "HTML", status: 502, code: failed, script: always("<html>Welcome to the hotel</html>")),
        STSFault(name: "bad JSON", status: 502, code: failed, script: always("{\"Credentials\":{")),
        STSFault(
            name: "a member missing", status: 502, code: failed, script: always(credentials(without: "SecurityToken"))),
        STSFault(name: "an expired credential", status: 502, code: failed, script: always(credentials(end: now - 60))),
        STSFault(
            name: "429", status: 503, code: unavailable,
            script: always(refusal("Throttling.User"), status: "429 Too Many")),
        STSFault(
            name: "500", status: 503, code: unavailable, script: always(refusal("InternalError"), status: "500 Oh")),
        STSFault(name: "503 in HTML", status: 503, code: unavailable, script: always("<html>", status: "503 Down")),
        STSFault(
            name: "no permission", status: 502, code: failed, script: always(refusal("NoPermission"), status: "403 No")),
        STSFault(
            name: "a redirect", status: 502, code: failed,
            script: always("", status: "302 Found", fields: "Location: http://127.0.0.1:1/\r\n")),
        STSFault(
            name: "a clock 20 minutes behind", status: 503, code: unavailable,
            script: always(credentials(), fields: "Date: \(httpDate(now - 1200))\r\n")),
        STSFault(
            name: "a clock 20 minutes ahead", status: 503, code: unavailable,
            script: always(credentials(), fields: "Date: \(httpDate(now + 1200))\r\n")),
        STSFault(
            name: "a stranger's certificate", status: 503, code: unavailable, certificate: { $0.stranger }, script: well
        ),
        STSFault(
            name: "another host's certificate", status: 503, code: unavailable, certificate: { $0.other }, script: well),
        STSFault(
            name: "a certificate that has ended", status: 503, code: unavailable, certificate: { $0.expired },
            script: well),
        STSFault(
            name: "a name that does not exist", status: 503, code: unavailable, host: "sts.does-not-exist.invalid",
            script: well),
    ]
}
