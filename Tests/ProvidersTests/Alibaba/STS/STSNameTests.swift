import Foundation
import TestTraits
import Testing

@testable import Access
@testable import Bytes
@testable import Crypto
@testable import Providers

private func name(_ principal: Principal, _ rendered: String = "") throws -> String {
    let text = Array(rendered.utf8)
    return try SessionName(text.span, for: principal).text.text
}

private func key(_ subject: String) -> Principal {
    Principal(.apiKey, id: Array(subject.utf8), subject: Array(subject.utf8))
}

/// Whether the vendor takes a name, and it ends in a hash.
private func isName(_ name: String) -> Bool {
    name.wholeMatch(of: /[A-Za-z0-9.@_\-]{2,64}/) != nil && name.wholeMatch(of: /.*-[0-9a-f]{16}/) != nil
}

@Suite struct STSNameTests {
    @Test func `a name begins as people know the caller and ends in a hash`() throws {
        #expect(try name(key("android")).hasPrefix("android-"))
        #expect(try name(key("ann@example.com")).hasPrefix("ann@example.com-"))
        #expect(try name(.anonymous).hasPrefix("anonymous-"))
        #expect(try name(key("用户 a+b")).hasPrefix("_a_b-"))
        #expect(try name(key("用户")).hasPrefix("apiKey-"))
        #expect(try name(key("android"), "app-android").hasPrefix("app-android-"))
    }

    @Test func `the hash is over kind, id and subject, each behind its length`() throws {
        func part(_ text: String) -> [UInt8] {
            withUnsafeBytes(of: UInt64(text.utf8.count).bigEndian) { Array($0) } + Array(text.utf8)
        }
        let bytes = part("countersign session of a principal") + part("apiKey") + part("login") + part("42")
        let hash = Hex.encode(try Digest(.sha256, of: bytes.span).bytes.array).text
        let principal = Principal(.apiKey, id: Array("login".utf8), subject: Array("42".utf8))
        #expect(try name(principal) == "42-\(hash.prefix(16))")
    }

    @Test func `10,000 random principals have 10,000 names of the vendor's letters`() throws {
        var random = SplitMix64(seed: 0x2A)
        let alphabet = Array("abcXYZ019.@_-+/ :=~%\0\n\"é用".unicodeScalars)
        var names: Set<String> = []
        var principals: Set<Principal> = []
        while principals.count < 10_000 {
            func text() -> [UInt8] {
                var text = String.UnicodeScalarView()
                for _ in 0..<Int.random(in: 0...80, using: &random) {
                    text.append(alphabet.randomElement(using: &random) ?? "a")
                }
                return Array(String(text).utf8)
            }
            let principal = Principal(Bool.random(using: &random) ? .apiKey : .anonymous, id: text(), subject: text())
            guard principals.insert(principal).inserted else { continue }
            let name = try name(principal)
            names.insert(name)
            if !isName(name) { Issue.record("\(name)") }
        }
        #expect(names.count == 10_000)
    }

    @Test func `names that are nearly alike are not shared`() throws {
        let long = String(repeating: "a", count: 200)
        let near: [Principal] = [
            key("a/b"), key("a b"), key("a_b"), key("a+b"), key("a__b"), key("a\u{0}b"), key("A_b"),
            key(long), key(long + "1"), key(long + "2"), key(long + "/"), key("用户"), key("用戶"),
            key("é"), key("e\u{301}"), key(""), .anonymous,
            Principal(.apiKey, id: Array("ab".utf8), subject: Array("c".utf8)),
            Principal(.apiKey, id: Array("a".utf8), subject: Array("bc".utf8)),
            Principal(.apiKey, id: Array("abc".utf8), subject: []),
            Principal(.apiKey, id: [], subject: Array("abc".utf8)),
            Principal(.anonymous, id: Array("abc".utf8), subject: []),
            Principal(.apiKey, id: Array("a".utf8), subject: Array("same".utf8)),
            Principal(.apiKey, id: Array("b".utf8), subject: Array("same".utf8)),
        ]
        for rendered in ["", "same-for-all"] {
            let names = try near.map { try name($0, rendered) }
            #expect(Set(names).count == near.count)
            for name in names { #expect(isName(name)) }
        }
    }

    @Test func `a name is the same every time`() throws {
        #expect(try name(key("android")) == name(key("android")))
    }

    @Test func `a shared name is of the grant, and of no principal`() throws {
        let none: [UInt8] = []
        let shared = try SessionName(none.span, sharedBy: Array("oss-app".utf8)).text.text
        #expect(shared.hasPrefix("oss-app-") && isName(shared))
        #expect(try shared != name(key("oss-app")))
        #expect(try shared != SessionName(none.span, sharedBy: Array("oss app".utf8)).text.text)
        #expect(try SessionName(none.span, sharedBy: Array("授权".utf8)).text.text.hasPrefix("shared-"))
    }
}
