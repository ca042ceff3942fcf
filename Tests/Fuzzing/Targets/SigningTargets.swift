import Bytes
import Crypto

/// Whatever `/oss/sign` signs is inside the grant, in a reading that has nothing in common with the service's: texts are cut as
/// OSS cuts them, and everything that the grant does not name is a fault.
extension FuzzTarget {
    /// The bytes are a string to sign of version 1.
    static let stringToSign = FuzzTarget(name: "string-to-sign") { bytes in
        guard try Fixture.standing.get().signs([("contentToSign", bytes)]) else { return }
        let lines = cut(bytes, at: "\n")
        try require(lines.count >= 5, "there are too few lines")
        try requireInside(method: lines[0])
        try requireInside(time: text(lines[3]))
        for line in lines[4..<lines.count - 1] {
            try requireInside(header: cut(line, at: ":").first ?? [], is: line, dated: "x-oss-date:" + text(lines[3]))
        }
        let resource = cut(lines[lines.count - 1], at: "?")
        try requireInside(path: resource[0])
        try require(resource.count <= 2, "there is a second question mark")
        for piece in resource.dropFirst().flatMap({ cut($0, at: "&") }) {
            try require(text(cut(piece, at: "=")[0]) == "response-content-type", "a sub-resource: \(text(piece))")
        }
    }

    /// The bytes are a canonical request of version 4, dated now.
    static let canonicalRequest = FuzzTarget(name: "canonical-request") { bytes in
        let digest = try Digest(.sha256, of: bytes.span)
        let string =
            "OSS4-HMAC-SHA256\n\(date)\n20270115/cn-hangzhou/oss/aliyun_v4_request\n"
            + text(Hex.encode(digest.bytes.array))
        let asked: [(StaticString, [UInt8])] = [
            ("version", Array("v4".utf8)), ("contentToSign", Array(string.utf8)), ("canonicalRequest", bytes),
        ]
        guard try Fixture.standing.get().signs(asked) else { return }
        let lines = cut(bytes, at: "\n")
        try require(lines.count >= 6 && text(lines[lines.count - 1]) == "UNSIGNED-PAYLOAD", "it ends otherwise")
        try requireInside(method: lines[0])
        try requireInside(path: decoded(lines[1]))
        let query = cut(lines[2], at: "&").filter { !$0.isEmpty }.map { cut($0, at: "=").map { text(decoded($0)) } }
        let carriers = [
            "x-oss-additional-headers", "x-oss-credential", "x-oss-date", "x-oss-expires", "x-oss-signature-version",
        ]
        for pair in query {
            try require(pair[0] == "response-content-type" || carriers.contains(pair[0]), "a query parameter: \(pair)")
        }
        for line in lines[3..<lines.count - 3] {
            try requireInside(header: cut(line, at: ":").first ?? [], is: line, dated: "x-oss-date:" + date)
        }
        try require(lines[lines.count - 3].isEmpty, "there is no empty line behind the headers")
        if query.contains(where: { $0[0] == "x-oss-expires" }) {
            let lives = query.filter { $0[0] == "x-oss-expires" }.compactMap { Int($0[1]) }
            try require(lives.count == 1 && (1...300).contains(lives[0]), "it holds too long")
            try require(query.contains(["x-oss-date", date]), "it has another date")
        } else {
            try require(lines.contains { text($0) == "x-oss-date:" + date }, "it has another date")
        }
    }

    private static let date = "20270115T080000Z"

    private static func requireInside(method: [UInt8]) throws {
        try require(["GET", "HEAD", "PUT"].contains(text(method)), "another method: \(text(method))")
    }

    private static func requireInside(path: [UInt8]) throws {
        let start = Array("/demo-bucket/demo/".utf8)
        try require(path.starts(with: start), "outside the prefix: \(text(path))")
        try require(path.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "a control character")
        try require(String(validating: path, as: UTF8.self) != nil, "no UTF-8")
        try require(path.count <= 1023 + "/demo-bucket/".utf8.count, "a key too long")
        for segment in cut(path, at: "/") { try require(![".", ".."].contains(text(segment)), "a segment of dots") }
    }

    /// - Parameter time: of the header form's 15 minutes and one, or of the URL form's five.
    private static func requireInside(time: String) throws {
        if let end = Int64(time) {
            return try require(end > Fixture.now && end <= Fixture.now + 300, "another end: \(time)")
        }
        let day = "Fri, 15 Jan 2027 "
        try require(time.hasPrefix(day) && time.hasSuffix(" GMT") && time.utf8.count == 29, "no date: \(time)")
        let clock = time.dropFirst(day.count).prefix(8)
        try require(clock >= "07:45:00" && clock <= "08:01:00", "another time: \(time)")
    }

    private static func requireInside(header name: [UInt8], is line: [UInt8], dated: String) throws {
        let name = text(name)
        guard name.hasPrefix("x-oss-") else { return }
        let isSigned =
            name.hasPrefix("x-oss-meta-") && name.count > 11 || text(line) == dated
            || text(line) == "x-oss-content-sha256:UNSIGNED-PAYLOAD"
        try require(isSigned, "a header: \(text(line))")
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    private static func cut(_ bytes: [UInt8], at mark: Character) -> [[UInt8]] {
        bytes.split(separator: mark.asciiValue ?? 0, omittingEmptySubsequences: false).map(Array.init)
    }

    private static func decoded(_ bytes: [UInt8]) -> [UInt8] {
        var (out, rest): ([UInt8], ArraySlice<UInt8>) = ([], bytes[...])
        while let byte = rest.popFirst() {
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            if byte == UInt8(ascii: "%"), let escaped = UInt8(digits, radix: 16) {
                out.append(escaped)
                rest = rest.dropFirst(2)
            } else {
                out.append(byte)
            }
        }
        return out
    }
}
