import Foundation
import Testing

@testable import Access
@testable import Bytes
@testable import Crypto
@testable import Providers

@Suite struct CredentialKeyTests {
    private static let someone = Principal(.apiKey, id: Array("a".utf8), subject: Array("b".utf8))

    private func key(
        _ account: STSAccount? = nil, _ request: AssumeRole? = nil, for principal: Principal? = someone
    ) throws -> CredentialKey {
        try CredentialKey(
            account ?? STSSample.account(), request ?? STSSample.request(policy: "{}"), for: principal)
    }

    private func endpoints(_ list: String...) throws -> STSAccount {
        try STSSample.account { $0.endpoints = list.map { STSSample.bytes($0) } }
    }

    @Test func `equal questions have equal keys`() throws {
        #expect(try key() == key())
        #expect(try key().hashValue == key().hashValue)
    }

    @Test func `R17: everything that shapes the answer is in the key`() throws {
        let base = STSSample.request
        let keys: [CredentialKey] = [
            try key(),
            // The credential.
            try key(STSSample.account(secret: "another")), try key(STSSample.account(accessKeyID: "LTAI2")),
            try key(STSSample.account { $0.identity = .environment }),
            try key(STSSample.account { $0.identity = .ecs }),
            try key(
                STSSample.account {
                    $0.identity = .ecs
                    $0.ecsRole = STSSample.bytes("r")
                }),
            // The endpoints: which, their order, their scheme and port.
            try key(endpoints("https://a.example")), try key(endpoints("https://b.example")),
            try key(endpoints("https://a.example", "https://b.example")),
            try key(endpoints("https://b.example", "https://a.example")),
            try key(endpoints("https://a.example:8443")), try key(endpoints("https://localhost")),
            try key(endpoints("http://localhost")),
            try key(STSSample.account { $0.region = STSSample.bytes("cn-shanghai") }),
            // The request.
            try key(nil, base(STSSample.bytes("acs:ram::1:role/b"), "chain", 3600, "{}", nil, nil)),
            try key(nil, base(STSSample.roleARN, "chain2", 3600, "{}", nil, nil)),
            try key(nil, base(STSSample.roleARN, "chain", 3601, "{}", nil, nil)),
            try key(nil, base(STSSample.roleARN, "chain", 3600, "{} ", nil, nil)),
            try key(nil, base(STSSample.roleARN, "chain", 3600, nil, nil, nil)),
            try key(nil, base(STSSample.roleARN, "chain", 3600, "{}", "ab", nil)),
            try key(nil, base(STSSample.roleARN, "chain", 3600, "{}", "abc", nil)),
            try key(nil, base(STSSample.roleARN, "chain", 3600, "{}", nil, "ab")),
            try key(nil, base(STSSample.roleARN, "chain", 3600, "{}", "ab", "ab")),
            // Who asks.
            try key(for: nil), try key(for: .anonymous),
            try key(for: Principal(.apiKey, id: Array("ab".utf8), subject: [])),
            try key(for: Principal(.apiKey, id: [], subject: Array("ab".utf8))),
            try key(for: Principal(.anonymous, id: Array("a".utf8), subject: Array("b".utf8))),
        ]
        #expect(Set(keys).count == keys.count)
    }

    @Test func `no byte that moves from one value to the next makes equal keys`() throws {
        var keys: Set<CredentialKey> = []
        let text = "abcdefgh"
        var count = 0
        for first in 2...4 {
            for second in 2...4 {
                let parts = Array(text)
                let request = try STSSample.request(
                    session: String(parts[(first + second)...]) + "zz", policy: String(parts[..<first]),
                    externalID: String(parts[first..<(first + second)]))
                for identity in 0...2 {
                    let principal = Principal(
                        .apiKey, id: Array("pq".utf8.prefix(identity)), subject: Array("pq".utf8.dropFirst(identity)))
                    keys.insert(try key(nil, request, for: principal))
                    count += 1
                }
            }
        }
        #expect(keys.count == count)
    }

    @Test func `a tuple's digest tells missing from empty and lists from texts`() throws {
        func digest(_ fill: (inout TupleDigest) -> Void, _ purpose: StaticString = "a") throws -> [UInt8] {
            var tuple = TupleDigest(purpose)
            fill(&tuple)
            return try tuple.digest().bytes.array
        }
        let missing: [UInt8]? = nil
        let empty: [UInt8]? = []
        let digests = [
            try digest { _ in }, try digest({ _ in }, "b"), try digest { $0.append(missing) },
            try digest { $0.append(empty) }, try digest { $0.append([[UInt8]]()) },
            try digest { $0.append([[UInt8]()]) }, try digest { $0.append([[1], [2]]) },
            try digest { $0.append([[1, 2]]) }, try digest { $0.append([1, 2]) }, try digest { $0.append(Int64(1)) },
            try digest { $0.append(Int64(-1)) }, try digest { $0.append(Int64.min) },
        ]
        // `[]` as a list of none is the number 0: lists and numbers never stand in the same field.
        #expect(Set(digests).count == digests.count)
    }
}
