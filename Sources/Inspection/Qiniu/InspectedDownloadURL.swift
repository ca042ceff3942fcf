import Access
import Bytes
import Crypto
import Providers

/// A URL of a private bucket or of the CDN, as anybody may have made it.
enum InspectedDownloadURL {
    static let privateURL = Inspector(
        "Qiniu download URL", "The URL, with `e` and `token`.",
        read: { input, keyring, now in
            guard case .request(let request) = input.content, let end = request.parameter("e"),
                let token = request.parameter("token")
            else { return nil }
            return inspect(request, end, token, keyring, now)
        })

    static let cdnURL = Inspector(
        "Qiniu CDN URL", "The URL, with `sign` and `t`.",
        read: { input, keyring, now in
            guard case .request(let request) = input.content, let end = request.parameter("t"),
                let sign = request.parameter("sign"), sign.count == 32
            else { return nil }
            return inspectCDN(request, end, sign, keyring, now)
        })

    // MARK: Private buckets

    private static func inspect(
        _ request: InspectedRequest, _ end: [UInt8], _ token: [UInt8], _ keyring: Keyring, _ now: Int64
    ) -> Inspection {
        var inspection = Inspection(privateURL.kind)
        tellObject(of: request, in: &inspection)
        if let method = request.method, !["GET", "HEAD"].contains(method.text) {
            inspection.fails("method", "it must be GET or HEAD")
        }
        guard let colon = token.firstIndex(of: UInt8(ascii: ":")), let query = request.query else {
            inspection.fails("form", "token must be access key and signature, joined by :")
            return inspection
        }
        let parts = query.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
        guard let last = parts.last, last.starts(with: "token=".utf8) else {
            inspection.fails("form", "token must be the last parameter, since it signs what stands before it")
            return inspection
        }
        guard let deadline = Decimal.parse(end.span) else {
            inspection.fails("form", "e must be the URL's end in seconds since 1970, in digits")
            return inspection
        }
        if let entry = inspection.key(Array(token[..<colon]), of: keyring) {
            let signed = Array(request.target.dropLast(last.count + 1))
            let claimed = Array(token[(colon + 1)...])
            do throws(IssueError) {
                var computed: [[UInt8]] = []
                for scheme in request.schemes {
                    let code = try entry.key.sha1.code(of: (scheme + request.authority + signed).span)
                    computed.append(Base64.urlSafe.encode(code.bytes.array))
                }
                inspection.isSigned(claimed, as: computed, otherwise: "it is not that of this very URL, byte for byte")
            } catch {
                inspection.isUnsignable(error)
            }
        }
        inspection.ends(at: deadline, now: now)
        return inspection
    }

    private static func tellObject(of request: InspectedRequest, in inspection: inout Inspection) {
        inspection.tell("host", request.authority)
        if let key = request.decodedPath {
            inspection.tell("key", key)
        } else {
            inspection.fails("form", "a % in the path must begin %XX")
        }
    }

    // MARK: The CDN

    private static func inspectCDN(
        _ request: InspectedRequest, _ end: [UInt8], _ sign: [UInt8], _ keyring: Keyring, _ now: Int64
    ) -> Inspection {
        var inspection = Inspection(cdnURL.kind)
        tellObject(of: request, in: &inspection)
        guard let deadline = deadline(end) else {
            inspection.fails("form", "t must be the URL's end in seconds since 1970, in up to eight hex digits")
            return inspection
        }
        judge(sign, of: request.path + end, keyring, in: &inspection)
        inspection.ends(at: deadline, now: now)
        return inspection
    }

    private static func judge(
        _ sign: [UInt8], of text: [UInt8], _ keyring: Keyring, in inspection: inout Inspection
    ) {
        guard keyring.entries != nil else {
            return inspection.leavesOpen("signature", "no configuration was given to check it by")
        }
        let secrets = keyring.values(of: Qiniu.credential.cdnKey)
        guard !secrets.isEmpty else {
            return inspection.leavesOpen("signature", "no credential of the configuration has a cdnKey")
        }
        do throws(CryptoError) {
            var computed: [[UInt8]] = []
            for secret in secrets {
                computed.append(Hex.encode(try Digest(.md5, of: secret, followedBy: text.span).bytes.array))
            }
            inspection.isSigned(
                sign, as: computed, otherwise: "it is not that of this path and end by any cdnKey of the configuration")
        } catch {
            inspection.isUnsignable(.crypto(error))
        }
    }

    private static func deadline(_ digits: [UInt8]) -> Int64? {
        guard (1...8).contains(digits.count) else { return nil }
        var deadline: Int64 = 0
        for digit in digits {
            guard let value = Hex.value(of: digit) else { return nil }
            deadline = deadline << 4 | Int64(value)
        }
        return deadline
    }
}

extension InspectedRequest {
    /// What the URL may begin with.
    fileprivate var schemes: [[UInt8]] {
        (scheme.map { [$0] } ?? ["https", "http"].map { Array(text: $0) }).map { $0 + Array("://".utf8) }
    }
}
