import Bytes
import Crypto

/// Kodo's signatures: HMAC-SHA1 under the secret key, in url-safe base64, behind the access key and a colon.
struct KodoSignatures: Sendable {
    /// How far the date of a management request may be from the clock, in seconds.
    private static let tolerance: Int64 = 15 * 60
    private static let longestToken = 64 * 1024
    private static let colon = UInt8(ascii: ":")

    private let accounts: VendorAccounts

    init(_ accounts: VendorAccounts) { self.accounts = accounts }

    func knows(_ accessKey: [UInt8]) -> Bool { accounts.secret(of: accessKey) != nil }

    // MARK: Uploads

    /// The policy of an upload token, `<access key>:<signature>:<policy in base64>`.
    func policy(of token: [UInt8]) throws -> KodoUploadToken {
        let parts = token.split(separator: KodoSignatures.colon, omittingEmptySubsequences: false).map(Array.init)
        guard parts.count == 3, token.count <= KodoSignatures.longestToken,
            try isSigned(by: parts[0], parts[1], over: parts[2])
        else { throw KodoRefusal.badToken }
        let encoded = parts[2]
        guard let text = Base64.urlSafe.decode(encoded.span) else { throw KodoRefusal.badToken }
        return KodoUploadToken(text: token, accessKey: parts[0], policy: try KodoPutPolicy(text))
    }

    /// The policy of a request's `Authorization: UpToken <token>`.
    func policy(of request: SandboxRequest) throws -> KodoUploadToken {
        guard let authorization = request.value(of: "authorization") else { throw KodoRefusal.noToken }
        guard let token = KodoSignatures.credentials("UpToken", authorization) else { throw KodoRefusal.badToken }
        return try policy(of: token)
    }

    // MARK: Management

    /// Refuses what is not signed by `Authorization: Qiniu` or `QBox`.
    /// - Parameters:
    ///   - request: with its body.
    ///   - now: seconds since 1970.
    func checkManagement(_ request: SandboxRequest, at now: Int64) throws {
        guard let authorization = request.value(of: "authorization") else { throw KodoRefusal.noToken }
        let signed: (credentials: [UInt8], text: [UInt8])
        if let credentials = KodoSignatures.credentials("Qiniu", authorization) {
            signed = (credentials, KodoSignatures.qiniuText(request))
        } else if let credentials = KodoSignatures.credentials("QBox", authorization) {
            signed = (credentials, KodoSignatures.qboxText(request))
        } else {
            throw KodoRefusal.badToken
        }
        let parts = signed.credentials.split(separator: KodoSignatures.colon, omittingEmptySubsequences: false)
        guard parts.count == 2, try isSigned(by: Array(parts[0]), Array(parts[1]), over: signed.text) else {
            throw KodoRefusal.badToken
        }
        guard request.has("x-qiniu-date") else { return }
        guard let date = request.value(of: "x-qiniu-date"), let time = ISO8601.parseBasic(date.span),
            (now - KodoSignatures.tolerance...now + KodoSignatures.tolerance).contains(time)
        else { throw KodoRefusal.expiredToken }
    }

    /// What `QBox` signs: the target, and the body of a form. Neither method nor host.
    private static func qboxText(_ request: SandboxRequest) -> [UInt8] {
        let query = request.query
        var text = request.path + (query.isEmpty ? [] : [UInt8(ascii: "?")] + query) + [UInt8(ascii: "\n")]
        if request.value(of: "content-type")?.elementsEqual(KodoCallback.form) ?? false { text += request.body }
        return text
    }

    /// What `Qiniu` signs: method, target, host, type, the fields `X-Qiniu-*`, and the body unless it is of no known type.
    private static func qiniuText(_ request: SandboxRequest) -> [UInt8] {
        let query = request.query
        var text = request.method + [UInt8(ascii: " ")] + request.path
        if !query.isEmpty { text += [UInt8(ascii: "?")] + query }
        text += Array("\nHost: ".utf8) + request.host
        let type = request.value(of: "content-type").flatMap { $0.isEmpty ? nil : $0 }
        if let type { text += Array("\nContent-Type: ".utf8) + type }
        for (name, value) in signedFields(request) { text += Array("\n\(name): ".utf8) + value }
        text += Array("\n\n".utf8)
        if let type, type != KodoMediaType.unknown { text += request.body }
        return text
    }

    /// The fields `X-Qiniu-<something>` in the order of their names, which begin each word with a capital.
    private static func signedFields(_ request: SandboxRequest) -> [(String, [UInt8])] {
        let prefix = "x-qiniu-"
        var fields: [(String, [UInt8])] = []
        for field in request.fields {
            let name = field.name.map(\.lowercasedASCII).text
            guard name.hasPrefix(prefix), name.utf8.count > prefix.utf8.count else { continue }
            let words = name.split(separator: "-", omittingEmptySubsequences: false)
            let canonical = words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined(separator: "-")
            fields.append((canonical, field.value))
        }
        return fields.sorted { $0.0 < $1.0 }
    }

    // MARK: Downloads

    /// Refuses a URL that is not signed for its host: `<url>?e=<deadline>&token=<access key>:<signature>`.
    ///
    /// The sandbox speaks no TLS, so that a URL that was signed with `https` is asked for without it.
    func checkDownload(_ request: SandboxRequest, at now: Int64) throws {
        let mark = Array("token=".utf8)
        guard let start = request.target.ranges(of: mark).last?.lowerBound, start > 0,
            [UInt8(ascii: "?"), UInt8(ascii: "&")].contains(request.target[start - 1])
        else { throw KodoRefusal.downloadTokenMissing }
        let target = request.target[..<(start - 1)]
        let parts = request.target[(start + mark.count)...].split(
            separator: KodoSignatures.colon, omittingEmptySubsequences: false)
        guard parts.count == 2, let deadline = KodoSignatures.deadline(of: Array(target)) else {
            throw KodoRefusal.downloadTokenWrong
        }
        let isSigned = try ["http://", "https://"].contains { scheme in
            try self.isSigned(
                by: Array(parts[0]), Array(parts[1]), over: Array(scheme.utf8) + request.host + Array(target))
        }
        guard isSigned else { throw KodoRefusal.downloadTokenWrong }
        guard now <= deadline else { throw KodoRefusal.downloadTokenExpired }
    }

    private static func deadline(of target: [UInt8]) -> Int64? {
        let query = target.drop { $0 != UInt8(ascii: "?") }.dropFirst()
        let items = query.split(separator: UInt8(ascii: "&"))
        guard let item = items.last(where: { $0.starts(with: "e=".utf8) }) else { return nil }
        return Decimal.parse(Array(item.dropFirst(2)).span)
    }

    // MARK: Callbacks

    /// The Authorization field of a callback: forms are signed as `QBox`; JSON, which that does not cover, as `Qiniu`.
    func authorization(of callback: SandboxRequest, by accessKey: [UInt8]) throws -> [UInt8] {
        let isForm = callback.value(of: "content-type")?.elementsEqual(KodoCallback.form) ?? false
        let text = isForm ? KodoSignatures.qboxText(callback) : KodoSignatures.qiniuText(callback)
        guard let signature = try signature(by: accessKey, over: text) else { throw KodoRefusal.badToken }
        return Array((isForm ? "QBox " : "Qiniu ").utf8) + accessKey + [KodoSignatures.colon] + signature
    }

    // MARK: Signing

    private func isSigned(by accessKey: [UInt8], _ signature: [UInt8], over text: [UInt8]) throws -> Bool {
        guard let expected = try self.signature(by: accessKey, over: text) else { return false }
        // As text, so that no second spelling of the same signature passes.
        return expected.span.constantTimeEquals(signature.span)
    }

    /// nil where nobody has the access key.
    private func signature(by accessKey: [UInt8], over text: [UInt8]) throws -> [UInt8]? {
        guard let secret = accounts.secret(of: accessKey) else { return nil }
        return Base64.urlSafe.encode(try HMACKey(.sha1, secret).sign(text.span).bytes.array)
    }

    /// What stands behind the name of a scheme and a space.
    private static func credentials(_ scheme: StaticString, _ authorization: [UInt8]) -> [UInt8]? {
        let name = scheme.array + [UInt8(ascii: " ")]
        return authorization.starts(with: name) ? Array(authorization.dropFirst(name.count)) : nil
    }
}

/// An upload token that is genuine; what it allows has still to be judged.
struct KodoUploadToken: Sendable {
    let text: [UInt8]
    let accessKey: [UInt8]
    let policy: KodoPutPolicy
}
