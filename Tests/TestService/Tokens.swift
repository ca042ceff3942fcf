import Foundation

/// Reads what the service has issued as the vendor would, by code that shares nothing with the service.
struct UploadTokenReading {
    let accessKey: String
    /// The policy as it stands in the token.
    let text: String
    let policy: JSON

    /// Qiniu: `AK:sign:policy`, url-safe base64 with padding, HMAC-SHA1 over the encoded text.
    init(qiniu token: String?, secret: String) throws {
        try self.init(token, urlSafe: true) { Digests.hmacSHA1(key: Array(secret.utf8), $0) }
    }

    /// NOS: `UPLOAD AK:sign:policy`, standard base64, HMAC-SHA256 over the encoded text.
    init(nos token: String?, secret: String) throws {
        guard let token, token.hasPrefix("UPLOAD ") else {
            throw Program.Failure(description: "the token does not begin with UPLOAD and a space: \(token ?? "none")")
        }
        try self.init(String(token.dropFirst(7)), urlSafe: false) { Digests.hmacSHA256(key: Array(secret.utf8), $0) }
    }

    private init(_ token: String?, urlSafe: Bool, _ sign: ([UInt8]) -> [UInt8]) throws {
        let parts = (token ?? "").split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3 else {
            throw Program.Failure(description: "a token has three parts: \(token ?? "none")")
        }
        accessKey = parts[0]
        let expected = Base64Text.encode(sign(Array(parts[2].utf8)), urlSafe: urlSafe)
        guard parts[1] == expected else {
            throw Program.Failure(description: "the signature is \(parts[1]) instead of \(expected)")
        }
        text = String(decoding: try Base64Text.decode(parts[2], urlSafe: urlSafe), as: UTF8.self)
        policy = try JSON(text)
        guard !text.contains(": "), !text.contains(", "), !text.contains("\n") else {
            throw Program.Failure(description: "the policy is not compact: \(text)")
        }
    }
}

/// `OSS AK:base64(HMAC-SHA1(secret, string))`
enum OSSAuthorization {
    static func expected(_ string: String, accessKey: String = Setup.ossAccessKey) -> String {
        "OSS \(accessKey):\(signature(string))"
    }

    static func signature(_ string: String, secret: String = Setup.ossSecret) -> String {
        let code = Digests.hmacSHA1(key: Array(secret.utf8), Array(string.utf8))
        return Base64Text.encode(code, urlSafe: false)
    }
}

/// Base64 (RFC 4648) with its padding, of one spelling only.
enum Base64Text {
    static func encode(_ bytes: [UInt8], urlSafe: Bool) -> String {
        let text = Data(bytes).base64EncodedString()
        guard urlSafe else { return text }
        return String(text.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
    }

    static func decode(_ text: String, urlSafe: Bool) throws -> [UInt8] {
        let standard = urlSafe ? String(text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }) : text
        guard let data = Data(base64Encoded: standard), encode(Array(data), urlSafe: urlSafe) == text else {
            throw Program.Failure(description: "no base64 of the right alphabet, with padding: \(text)")
        }
        return Array(data)
    }
}

/// Puts a V1 string to sign together.
struct Signable {
    var verb = "PUT"
    var md5 = ""
    var type = "image/jpeg"
    var date = httpDate(now)
    var headers: [String] = []
    var resource = "/demo-bucket/demo/a.jpg"

    var text: String { ([verb, md5, type, date] + headers + [resource]).joined(separator: "\n") }
}
