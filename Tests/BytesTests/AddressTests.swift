import Glibc
import TestTraits
import Testing

@testable import Bytes

@Suite struct AddressTests {
    /// What the C library makes of a text.
    private func system(_ text: String) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &bytes) == 1 { return Array(bytes.prefix(4)) }
        return inet_pton(AF_INET6, text, &bytes) == 1 ? bytes : nil
    }

    @Test func `20,000 texts are the addresses that the C library takes them for`() {
        var random = SplitMix64(seed: 14)
        let seeds = [
            "1.2.3.4", "255.255.255.255", "::", "::1", "1::", "1:2:3:4:5:6:7:8", "1::8", "1:2:3::6:7:8",
            "::ffff:1.2.3.4",
            "1:2:3:4:5:6:1.2.3.4", "1::5:1.2.3.4", "fe80::1:2", "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8", "abcd:EF01::",
        ]
        let letters = Array("0123456789abcdefABCDEF:::....g ".utf8)
        var valid = 0
        var wrong: [String] = []
        for _ in 0..<20_000 {
            guard let seed = seeds.randomElement(using: &random) else { continue }
            var text = Array(seed.utf8)
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                let index = Int.random(in: 0...text.count, using: &random)
                let letter = letters[Int.random(in: letters.indices, using: &random)]
                switch Int.random(in: 0..<3, using: &random) {
                case 0: text.insert(letter, at: index)
                case 1 where index < text.count: text.remove(at: index)
                default: if index < text.count { text[index] = letter }
                }
            }
            let string = String(decoding: text, as: UTF8.self)
            let expected = system(string)
            if expected != nil { valid += 1 }
            if IPAddress(string)?.bytes != expected { wrong.append(string) }
        }
        #expect(wrong.isEmpty)
        #expect(valid > 200)
    }

    @Test(arguments: [
        (
            "10.0.0.0/8", ["10.0.0.0", "10.255.255.255", "::ffff:10.1.2.3"],
            ["9.255.255.255", "11.0.0.0", "::10.0.0.0"]
        ),
        ("192.0.2.7", ["192.0.2.7"], ["192.0.2.6", "192.0.2.8"]), ("192.0.2.6/31", ["192.0.2.7"], ["192.0.2.8"]),
        ("192.0.2.7/32", ["192.0.2.7"], ["192.0.2.6"]), ("128.0.0.0/1", ["255.0.0.1"], ["127.0.0.1", "::1"]),
        ("2001:db8::/32", ["2001:db8::", "2001:db8:ffff::1"], ["2001:db9::", "1.2.3.4"]),
        ("2001:db8::/64", ["2001:db8::ffff:0:0:1"], ["2001:db8:0:1::"]),
        ("2001:db8::/65", ["2001:db8::1"], ["2001:db8::8000:0:0:0"]),
        ("::1", ["::1"], ["::2", "::", "127.0.0.1"]), ("::1/128", ["::1"], ["::2"]),
        ("::ffff:10.0.0.0/104", ["10.1.1.1"], ["11.1.1.1"]),
    ])
    func `a block has its addresses and no others`(text: String, members: [String], others: [String]) throws {
        let block = try #require(AddressBlock(text))
        #expect(block.description == text && !block.isEverything)
        for (names, isMember) in [(members, true), (others, false)] {
            for name in names {
                let (high, low) = try #require(IPAddress(name)).mapped
                #expect(block.contains(high: high, low: low) == isMember, "\(name)")
            }
        }
    }

    @Test(arguments: ["0.0.0.0/0", "::/0", "::ffff:0:0/96"])
    func `a block may be everything`(text: String) throws { #expect(try #require(AddressBlock(text)).isEverything) }

    @Test(arguments: [
        "", "/", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/08", "10.0.0.0/+8", "10.0.0.0/8/8",
        "10.0.0.1/8",
        "10.0.0.0/255.0.0.0", "10/8", "10.0.0.0 /8", "::/129", "2001:db8::1/32", "::1/64", "[::1]/128", "localhost",
        "unix:",
    ])
    func `nothing else is a block`(text: String) { #expect(AddressBlock(text) == nil) }

    @Test func `a listener has an address, or the absolute path of a socket that fits`() {
        let longest = "/" + String(repeating: "a", count: 106)
        #expect(ListenAddress("unix:\(longest)") == .unix(path: longest))
        #expect(ListenAddress("unix:/run/c.sock")?.description == "unix:/run/c.sock")
        #expect(ListenAddress("unix:/run/c.sock")?.isLocal == true)
        #expect(ListenAddress("127.0.0.1:1")?.isLocal == true && ListenAddress("0.0.0.0:1")?.isLocal == false)
        for bad in [
            "unix:", "unix:c.sock", "unix:\(longest)a", "unix:/run/", "unix:/a\0b", "UNIX:/a", "unix/a", "/run/c.sock",
        ] {
            #expect(ListenAddress(bad) == nil, "\(bad)")
        }
        let (one, two) = (ListenAddress.unix(path: "/a"), ListenAddress.unix(path: "/b"))
        #expect(one.overlaps(one) && !one.overlaps(two))
        for network in [ListenAddress("127.0.0.1:1"), ListenAddress("0.0.0.0:1")] {
            guard let network else { continue }
            #expect(!network.overlaps(one) && !one.overlaps(network))
        }
    }
}
