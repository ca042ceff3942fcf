import Bytes
import TestTraits
import Testing

@testable import HTTP

/// The first bytes of a connection, and whom a proxy names in them.
struct ProxyHeaderCase: Sendable, CustomStringConvertible {
    enum Outcome: Sendable, Equatable {
        /// Nil for nobody in particular.
        case client(String?)
        case malformed
    }

    let name: String
    let raw: [UInt8]
    let outcome: Outcome

    var description: String { name }

    private static func text(_ raw: String, _ outcome: Outcome) -> ProxyHeaderCase {
        ProxyHeaderCase(name: raw.debugDescription, raw: octets(raw), outcome: outcome)
    }

    private static let signature: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A, 0, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A]
    private static let v4: [UInt8] = [203, 0, 113, 9, 10, 0, 0, 1, 0x12, 0x34, 0, 80]
    private static let v6 = [UInt8](1...32) + [0x12, 0x34, 0, 80]

    private static func binary(
        _ name: String, _ command: UInt8, _ family: UInt8, _ content: [UInt8], said length: Int? = nil,
        _ outcome: Outcome
    ) -> ProxyHeaderCase {
        let length = length ?? content.count
        let start = [command, family, UInt8(length >> 8), UInt8(length & 0xFF)]
        return ProxyHeaderCase(name: name, raw: signature + start + content, outcome: outcome)
    }

    static let all: [ProxyHeaderCase] = [
        text("PROXY TCP4 203.0.113.9 10.0.0.1 4660 80\r\n", .client("203.0.113.9")),
        text("PROXY TCP4 255.255.255.255 255.255.255.255 65535 65535\r\n", .client("255.255.255.255")),
        text("PROXY TCP6 2001:db8::9 ::1 0 65535\r\n", .client("2001:db8::9")),
        text(
            "PROXY TCP6 ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff 65535 65535\r\n",
            .client("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff")),
        // Nobody has these; they are addresses all the same.
        text("PROXY TCP6 :: ::1 1 2\r\n", .client("::")),
        text("PROXY TCP4 0.0.0.0 1.1.1.1 1 2\r\n", .client("0.0.0.0")),
        text("PROXY TCP6 ::ffff:203.0.113.9 ::1 1 2\r\n", .client("203.0.113.9")),
        text("PROXY UNKNOWN\r\n", .client(nil)),
        text("PROXY UNKNOWN ffff::1 anything at all \r\n", .client(nil)),
        text("GET / HTTP/1.1\r\n", .malformed), text("PROXX TCP4 1.1.1.1 2.2.2.2 1 2\r\n", .malformed),
        text("proxy TCP4 1.1.1.1 2.2.2.2 1 2\r\n", .malformed), text("PROXY\r\n", .malformed),
        text("PROXY \r\n", .malformed), text("PROXY TCP4\r\n", .malformed), text("PROXY TCP4 \r\n", .malformed),
        text("PROXY UNKNOWN\n", .malformed), text("PROXY UNKNOWNS\r\n", .malformed),
        text("PROXY TCP4 1.1.1.1 2.2.2.2 1 2\n", .malformed), text("PROXY TCP4 1.1.1.1 2.2.2.2 1\r\n", .malformed),
        text("PROXY TCP4 1.1.1.1 2.2.2.2 1 2 3\r\n", .malformed), text("PROXY TCP4 1.1.1.1 2.2.2.2 1 \r\n", .malformed),
        text("PROXY TCP4 1.1.1.1 2.2.2.2 1 65536\r\n", .malformed),
        text("PROXY TCP4 1.1.1.1 2.2.2.2 -1 2\r\n", .malformed),
        text("PROXY TCP4 1.1.1.1 2.2.2.2 +1 2\r\n", .malformed),
        text("PROXY TCP4 1.1.1.1 2.2.2.2 01 2\r\n", .malformed),
        text("PROXY TCP4 1.1.1.1  2.2.2.2 1 2\r\n", .malformed), text("PROXY TCP4 1.1.1 2.2.2.2 1 2\r\n", .malformed),
        text("PROXY TCP4 1.1.1.01 2.2.2.2 1 2\r\n", .malformed), text("PROXY TCP4 ::1 ::1 1 2\r\n", .malformed),
        text("PROXY TCP6 1.1.1.1 2.2.2.2 1 2\r\n", .malformed), text("PROXY TCP6 ::1 1.1.1.1 1 2\r\n", .malformed),
        text("PROXY TCP6 [::1] ::1 1 2\r\n", .malformed), text("PROXY UDP4 1.1.1.1 2.2.2.2 1 2\r\n", .malformed),
        text("PROXY tcp4 1.1.1.1 2.2.2.2 1 2\r\n", .malformed), text("PROXY\tTCP4 1.1.1.1 2.2.2.2 1 2\r\n", .malformed),
        text("PROXY TCP4 h 2.2.2.2 1 2\r\n", .malformed), text("PROXY TCP4 1.1.1.1\0 2.2.2.2 1 2\r\n", .malformed),
        text("PROXY UNKNOWN \(String(repeating: "a", count: 91))\r\n", .client(nil)),
        text("PROXY UNKNOWN \(String(repeating: "a", count: 92))\r\n", .malformed),
        text("PROXY UNKNOWN \(String(repeating: "a", count: 200))", .malformed),
        binary("v2 over IPv4", 0x21, 0x11, v4, .client("203.0.113.9")),
        binary("v2 over IPv6", 0x21, 0x21, v6, .client("102:304:506:708:90a:b0c:d0e:f10")),
        binary("v2 of ::", 0x21, 0x21, [UInt8](repeating: 0, count: 36), .client("::")),
        binary("v2 of 0.0.0.0", 0x21, 0x11, [UInt8](repeating: 0, count: 12), .client("0.0.0.0")),
        binary(
            "v2 of IPv4 within IPv6", 0x21, 0x21,
            [UInt8](repeating: 0, count: 10) + [255, 255, 203, 0, 113, 9] + [UInt8](repeating: 1, count: 20),
            .client("203.0.113.9")),
        binary("v2 with more behind the addresses", 0x21, 0x11, v4 + [0x04, 0, 2, 1, 2], .client("203.0.113.9")),
        binary("v2 of the longest", 0x21, 0x11, v4 + [UInt8](repeating: 4, count: 4068), .client("203.0.113.9")),
        binary("v2 LOCAL", 0x20, 0x00, [], .client(nil)),
        binary("v2 LOCAL with addresses", 0x20, 0x11, v4, .client(nil)),
        binary("v2 LOCAL of no family", 0x20, 0xFF, [1, 2, 3], .client(nil)),
        binary("v2 of nobody", 0x21, 0x00, [], .client(nil)),
        binary("v2 of nobody, with more", 0x21, 0x00, v4, .client(nil)),
        binary("v2 of a Unix socket", 0x21, 0x31, [UInt8](repeating: 65, count: 216), .client(nil)),
        binary("v2 IPv4 that is short", 0x21, 0x11, Array(v4.dropLast()), .malformed),
        binary("v2 IPv6 that is short", 0x21, 0x21, v4, .malformed),
        binary("v2 IPv4 empty", 0x21, 0x11, [], .malformed),
        binary("v2 datagrams", 0x21, 0x12, v4, .malformed), binary("v2 datagrams of IPv6", 0x21, 0x22, v6, .malformed),
        binary("v2 of an unknown family", 0x21, 0x41, v4, .malformed),
        binary("v2 of an unknown kind", 0x21, 0x13, v4, .malformed),
        binary("v2 of an unknown command", 0x22, 0x11, v4, .malformed), binary("v3", 0x31, 0x11, v4, .malformed),
        binary("v1 in binary", 0x11, 0x11, v4, .malformed),
        binary("v2 too long", 0x21, 0x11, v4, said: 4081, .malformed),
        binary("v2 of 64 KiB", 0x20, 0x00, [], said: 65535, .malformed),
        ProxyHeaderCase(
            name: "another signature", raw: Array(signature.dropLast()) + [0x0D, 0x21, 0x11, 0, 0], outcome: .malformed),
        ProxyHeaderCase(name: "an empty line", raw: octets("\r\nGET / HTTP/1.1\r\n"), outcome: .malformed),
        ProxyHeaderCase(name: "a ClientHello", raw: [0x16, 3, 1], outcome: .malformed),
    ]
}

@Suite struct ProxyHeaderTests {
    @Test(arguments: ProxyHeaderCase.all)
    func `is read to its last byte and no further, and not before that`(header: ProxyHeaderCase) {
        let raw = header.raw
        switch header.outcome {
        case .client(let text):
            let client = text.flatMap { IPAddress($0) }.map { ClientAddress($0) }
            let whole = ProxyHeader.Reading.complete(length: raw.count, client: client)
            for cut in raw.indices {
                #expect(ProxyHeader.read(raw.span.extracting(0..<cut)) == .incomplete, "cut at \(cut)")
            }
            #expect(ProxyHeader.read(raw.span) == whole)
            for rest in ["GET / HTTP/1.1\r\n", "\r\n", "PROXY UNKNOWN\r\n", "\u{16}"] {
                let more = raw + octets(rest)
                #expect(ProxyHeader.read(more.span) == whole)
            }
        case .malformed:
            #expect(ProxyHeader.read(raw.span) == .malformed)
            // However it comes in, it is never anybody's word.
            for cut in raw.indices {
                let reading = ProxyHeader.read(raw.span.extracting(0..<cut))
                #expect(reading == .incomplete || reading == .malformed, "cut at \(cut)")
            }
        }
    }

    @Test func `nothing happens to 20,000 mutated ones, and none keeps the server waiting beyond its bound`() {
        var random = SplitMix64(seed: 4)
        for _ in 0..<20_000 {
            guard var raw = ProxyHeaderCase.all.randomElement(using: &random)?.raw, !raw.isEmpty else { continue }
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                raw[Int.random(in: raw.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            switch ProxyHeader.read(raw.span) {
            case .incomplete: #expect(raw.count < ProxyHeader.longest)
            case .complete(let length, _): #expect(length <= raw.count)
            case .malformed: break
            }
        }
    }
}
