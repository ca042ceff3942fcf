import Foundation
import Testing

/// What must not be signed by `/oss/sign`, each one edit away from a twin that is: `Fixtures/oss-sign-attacks.json`.
///
/// Texts are templates, filled in when they are sent: `{date}` in HTTP's form, `{basic}` and `{day}` in ISO 8601's, `{seconds}` since
/// 1970, each with seconds to add or take away (`{date-960}`), `{region}`, `{accessKey}`, `{scope}`, `{escapedScope}`, and in the string
/// of version 4 `{hash}` and `{HASH}` of the canonical request.
struct AttackCorpus: Decodable {
    let twins: [String: AttackTwin]
    let classes: [AttackClass]

    static let whole = Result {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let data = try Data(contentsOf: folder.appending(path: "../PipelineTests/Fixtures/oss-sign-attacks.json"))
        return try JSONDecoder().decode(AttackCorpus.self, from: data)
    }
}

/// Something that is signed.
struct AttackTwin: Decodable, Sendable {
    let string: String
    /// The canonical request; nil in version 1.
    let request: String?
}

struct AttackClass: Decodable, Sendable, CustomTestStringConvertible {
    let name: String
    let attacks: [Attack]
    var testDescription: String { name }
}

/// One edit of a twin, and why it is refused.
struct Attack: Decodable, Sendable {
    let name: String
    /// The twin.
    let of: String
    /// A text that is there once, and what stands there instead.
    let replace: [String]?
    /// Where that is: `string`; or `hash`, only in the request whose hash the string has. Otherwise in the canonical request, or
    /// in the string of version 1.
    let `in`: String?
    /// What stands instead of the whole string.
    let instead: String?
    /// What is filled in otherwise, wherever it stands.
    let with: AttackScene?
    /// A part of the detail of a 422.
    let unreadable: String?
    /// The clause of a 403.
    let clause: String?
}

/// What templates are filled in with.
struct AttackScene: Decodable, Sendable {
    /// From now.
    var seconds: Int64?
    var region, product, accessKey: String?

    func fill(_ template: String, at moment: Int64, hash: String = "") -> String {
        template.replacing(/\{([a-zA-Z]+)([+-][0-9]+)?\}/) { match in
            let name = String(match.1)
            guard !hash.isEmpty || name.lowercased() != "hash" else { return String(match.0) }
            let moment = moment + (seconds ?? 0) + (match.2.flatMap { Int64($0) } ?? 0)
            switch name {
            case "hash": return hash
            case "HASH": return hash.uppercased()
            case "date": return httpDate(moment)
            case "basic": return iso8601(moment).filter { $0 != "-" && $0 != ":" }
            case "day": return String(iso8601(moment).filter { $0 != "-" }.prefix(8))
            case "seconds": return "\(moment)"
            case "region": return region ?? "cn-hangzhou"
            case "accessKey": return accessKey ?? Setup.ossAccessKey
            case "scope": return scope(at: moment)
            case "escapedScope": return scope(at: moment).replacing("/", with: "%2F")
            default: return String(match.0)
            }
        }
    }

    private func scope(at moment: Int64) -> String {
        "\(fill("{day}/{region}", at: moment - (seconds ?? 0)))/\(product ?? "oss")/aliyun_v4_request"
    }
}

/// What `/oss/sign` is sent.
struct Submission: Equatable {
    let string: String
    /// Nil in version 1.
    let request: String?
    private let moment: Int64

    init(_ twin: AttackTwin, at moment: Int64) {
        self.init(twin.string, twin.request, hashed: twin.request, AttackScene(), at: moment)
    }

    init(_ attack: Attack, of twin: AttackTwin, at moment: Int64) throws {
        var (string, request, hashed) = (twin.string, twin.request, twin.request)
        if let edit = attack.replace {
            try #require(edit.count == 2)
            let part = attack.in ?? (request == nil ? "string" : "request")
            let edited = try Submission.edit(part == "string" ? string : try #require(request), edit)
            switch part {
            case "string": string = edited
            case "hash": hashed = edited
            default: (request, hashed) = (edited, edited)
            }
        }
        self.init(attack.instead ?? string, request, hashed: hashed, attack.with ?? AttackScene(), at: moment)
    }

    private init(_ string: String, _ request: String?, hashed: String?, _ scene: AttackScene, at moment: Int64) {
        let text = hashed.map { scene.fill($0, at: moment) } ?? ""
        let hash = Digests.hex(Digests.sha256(Array(text.utf8)))
        self.string = scene.fill(string, at: moment, hash: hash)
        self.request = request.map { scene.fill($0, at: moment) }
        self.moment = moment
    }

    /// Bytes are compared, since a `String` takes CR and LF for one character.
    private static func edit(_ text: String, _ edit: [String]) throws -> String {
        let parts = Data(text.utf8).ranges(of: Data(edit[0].utf8))
        let range = try #require(parts.count == 1 ? parts.first : nil, "\(edit[0]) is not there once")
        var bytes = Data(text.utf8)
        bytes.replaceSubrange(range, with: Data(edit[1].utf8))
        return String(decoding: bytes, as: UTF8.self)
    }

    var form: String {
        let string = "contentToSign=" + percent(string)
        return request.map { "version=v4&\(string)&canonicalRequest=\(percent($0))" } ?? string
    }

    /// The signature of the string.
    var signature: String {
        guard request != nil else { return OSSAuthorization.signature(string) }
        return Digests.hex(Digests.hmacSHA256(key: scopedKey, Array(string.utf8)))
    }

    private var scopedKey: [UInt8] {
        let lines = string.components(separatedBy: "\n")
        let scope = lines.count > 2 ? lines[2] : AttackScene().fill("{scope}", at: moment)
        return scope.components(separatedBy: "/").reduce(Array("aliyun_v4\(Setup.ossSecret)".utf8)) {
            Digests.hmacSHA256(key: $0, Array($1.utf8))
        }
    }
}
