import Foundation
import Testing

/// What must not be signed for a client, each one edit away from a twin that is: `Fixtures/oss-sign-attacks.json` for `/oss/sign`, and
/// `Fixtures/s3-sign-attacks.json` for `/s3/sign`.
///
/// Texts are templates, filled in when they are sent: `{date}` in HTTP's form, `{basic}` and `{day}` in ISO 8601's, `{seconds}` since
/// 1970, each with seconds to add or take away (`{date-960}`), `{region}`, `{accessKey}`, `{scope}`, `{escapedScope}`, `{endpoint}`, `{names}` of the headers that a canonical request has, and in the string
/// of version 4 `{hash}` and `{HASH}` of the canonical request.
struct AttackCorpus: Decodable {
    let twins: [String: AttackTwin]
    let classes: [AttackClass]

    static let oss = Result { try AttackCorpus(named: "oss-sign-attacks") }
    static let s3 = Result { try AttackCorpus(named: "s3-sign-attacks") }

    private init(named name: String) throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let data = try Data(contentsOf: folder.appending(path: "../PipelineTests/Fixtures/\(name).json"))
        self = try JSONDecoder().decode(AttackCorpus.self, from: data)
    }
}

/// Whose strings they are.
struct AttackVendor: Equatable, Sendable {
    /// The route that is asked.
    let path: String
    let region, service, ending, keyPrefix, accessKey, secret, endpoint: String
    /// What says in a form that the string is of version 4.
    let version: String

    static let oss = AttackVendor(
        path: "/oss/sign", region: "cn-hangzhou", service: "oss", ending: "aliyun_v4_request", keyPrefix: "aliyun_v4",
        accessKey: Setup.ossAccessKey, secret: Setup.ossSecret, endpoint: "", version: "version=v4&")
    static let s3 = AttackVendor(
        path: "/s3/sign", region: Setup.s3Region, service: "s3", ending: "aws4_request", keyPrefix: "AWS4",
        accessKey: Setup.s3AccessKey, secret: Setup.s3Secret, endpoint: Setup.s3Endpoint, version: "")
}

/// Something that is signed.
struct AttackTwin: Decodable, Sendable {
    let string: String
    /// The canonical request; nil in version 1.
    let request: String?
    /// Where it has the bucket, if that is not the vendor's usual place.
    let style: String?
    /// The credential's region, if that is not the vendor's usual one.
    let region: String?
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

    func fill(_ template: String, for vendor: AttackVendor, at moment: Int64, hash: String = "") -> String {
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
            case "region": return region ?? vendor.region
            case "accessKey": return accessKey ?? vendor.accessKey
            case "endpoint": return vendor.endpoint
            case "names": return AttackScene.names(in: template)
            case "scope": return scope(for: vendor, at: moment)
            case "escapedScope": return scope(for: vendor, at: moment).replacing("/", with: "%2F")
            default: return String(match.0)
            }
        }
    }

    private func scope(for vendor: AttackVendor, at moment: Int64) -> String {
        let day = fill("{day}/{region}", for: vendor, at: moment - (seconds ?? 0))
        return "\(day)/\(product ?? vendor.service)/\(vendor.ending)"
    }

    /// The names of the headers of a canonical request, which begin in its fourth line.
    private static func names(in request: String) -> String {
        let lines = request.components(separatedBy: "\n").dropFirst(3).prefix { !$0.isEmpty }
        return lines.map { String($0.prefix { $0 != ":" }) }.joined(separator: ";")
    }
}

/// What the vendor's route is sent.
struct Submission: Equatable {
    let string: String
    /// Nil in version 1.
    let request: String?
    private let style: String?
    private let vendor: AttackVendor
    private let moment: Int64

    init(_ twin: AttackTwin, for vendor: AttackVendor, at moment: Int64) {
        self.init(twin, (twin.string, twin.request, hashed: twin.request), AttackScene(), for: vendor, at: moment)
    }

    init(_ attack: Attack, of twin: AttackTwin, for vendor: AttackVendor, at moment: Int64) throws {
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
        self.init(
            twin, (attack.instead ?? string, request, hashed: hashed), attack.with ?? AttackScene(), for: vendor,
            at: moment)
    }

    private init(
        _ twin: AttackTwin, _ texts: (string: String, request: String?, hashed: String?), _ scene: AttackScene,
        for vendor: AttackVendor, at moment: Int64
    ) {
        var scene = scene
        scene.region = scene.region ?? twin.region
        let text = texts.hashed.map { scene.fill($0, for: vendor, at: moment) } ?? ""
        let hash = Digests.hex(Digests.sha256(Array(text.utf8)))
        string = scene.fill(texts.string, for: vendor, at: moment, hash: hash)
        request = texts.request.map { scene.fill($0, for: vendor, at: moment) }
        style = twin.style
        self.vendor = vendor
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
        let style = style.map { "&style=\($0)" } ?? ""
        return request.map { "\(vendor.version)\(string)&canonicalRequest=\(percent($0))\(style)" } ?? string
    }

    /// The same as EvaporateJS asks it, which gives the string's date once more.
    var evaporate: String {
        let lines = string.components(separatedBy: "\n")
        let canonical = request.map { "&canonical_request=\(percent($0))" } ?? ""
        return "to_sign=\(percent(string))&datetime=\(percent(lines.count > 1 ? lines[1] : "-"))\(canonical)"
            + (style.map { "&style=\($0)" } ?? "")
    }

    /// The signature of the string.
    var signature: String {
        guard request != nil else { return OSSAuthorization.signature(string) }
        return Digests.hex(Digests.hmacSHA256(key: scopedKey, Array(string.utf8)))
    }

    private var scopedKey: [UInt8] {
        let lines = string.components(separatedBy: "\n")
        let scope = lines.count > 2 ? lines[2] : AttackScene().fill("{scope}", for: vendor, at: moment)
        return scope.components(separatedBy: "/").reduce(Array("\(vendor.keyPrefix)\(vendor.secret)".utf8)) {
            Digests.hmacSHA256(key: $0, Array($1.utf8))
        }
    }
}
