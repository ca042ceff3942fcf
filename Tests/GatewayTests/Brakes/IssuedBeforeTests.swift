import Foundation
import Testing

@testable import Access
@testable import Audit
@testable import Bytes
@testable import Configuration
@testable import Gateway
@testable import Providers
@testable import TestSamples

@Suite struct IssuedBeforeTests {
    private static let now: Int64 = 1_795_158_947

    /// A folder with an audit of some lines, of which nobody verifies the codes.
    private final class Trail {
        let folder: String

        init(_ files: [String: [String]]) throws {
            folder = FileManager.default.temporaryDirectory.path + "/countersign-issued-\(UUID().uuidString)"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
            for (name, lines) in files {
                let text = lines.map { $0 + "\n" }.joined()
                try text.write(toFile: "\(folder)/\(name)", atomically: false, encoding: .utf8)
            }
        }

        deinit { try? FileManager.default.removeItem(atPath: folder) }

        func before(_ kind: Brake.Kind, _ name: String = "") throws -> IssuedBefore {
            let configuration = try SampleConfiguration.load(
                """
                { version: 1, credentials: { q: { provider: "qiniu", accessKey: "AK", secretKey: { env: "SK" } } }, grants: {},
                  audit: { file: "\(folder)/a.jsonl", key: "an-audit-key-for-tests-of-32-bytes-or-more" } }
                """)
            return try IssuedBefore(Brake.Subject(kind, Array(name.utf8)), of: configuration.brakeTarget, at: now)
        }
    }

    /// - Parameter age: seconds since it was issued.
    private static func line(_ principal: String, age: Int64, lifetime: Int64?, _ more: String = "") -> String {
        let end = lifetime.map { ",\"lifetime\":\($0)" } ?? ""
        return
            #"{"seq":1,"time":"\#(ISO8601.write(now - age).text)","event":"issued","requestId":"r","principal":"\#(principal)","#
            + #""grant":"photos","route":"qiniu.uptoken","provider":"qiniu","credential":"q"\#(end)\#(more),"mac":"00"}"#
    }

    private static let files = [
        "a.jsonl": [
            line("apiKey:app", age: 10, lifetime: 60), line("apiKey:app", age: 60, lifetime: 60),
            line("jwt:login/1", age: 0, lifetime: 3600), line("jwt:login/1", age: 5, lifetime: nil),
            line("jwt:login/2", age: 5, lifetime: 100, #","by":"ticket","ticket":"t-1""#),
            line("jwt:login2/2", age: 5, lifetime: 7),
            #"{"seq":2,"time":"2026-11-20T07:15:47Z","event":"denied","principal":"apiKey:app","grant":"photos","mac":"00"}"#,
        ],
        "a.jsonl.20261120T000000Z-000000000009": [line("apiKey:app", age: 86_400, lifetime: 86_500)],
        "a.jsonl-torn.20261120T000000Z": ["nonsense"], "b.jsonl": ["nonsense"],
    ]

    @Test(
        arguments: [
            (.all, "", 6, 1, 3600), (.grant, "photos", 6, 1, 3600), (.grant, "photo", 0, 0, nil),
            (.credential, "q", 6, 1, 3600),
            (.credential, "other", 0, 0, nil), (.caller, "apiKey:app", 2, 0, 100), (.caller, "jwt:login/1", 2, 1, 3600),
            (.caller, "ticket:t-1", 1, 0, 95), (.caller, "ticket:t", 0, 0, nil), (.issuer, "login", 3, 1, 3600),
            (.issuer, "login2", 1, 0, 2),
        ] as [(Brake.Kind, String, Int, Int, Int64?)])
    func `what a brake covers and holds still is counted, in all files of the audit`(
        _ kind: Brake.Kind, _ name: String, _ count: Int, _ endless: Int, _ end: Int64?
    ) throws {
        let before = try Trail(IssuedBeforeTests.files).before(kind, name)
        #expect(before.isRecorded && before.isComplete)
        #expect(before.credentials.reduce(0) { $0 + $1.count } == count)
        #expect(before.credentials.reduce(0) { $0 + $1.endless } == endless)
        #expect(before.credentials.first?.until == end.map { IssuedBeforeTests.now + $0 })
    }

    @Test func `it is said how many, until when, and what at the vendor ends them`() throws {
        let text = try Trail(IssuedBeforeTests.files).before(.all).text
        #expect(
            text.contains(
                "credential q (Qiniu Kodo): 6, the last until \(ISO8601.write(IssuedBeforeTests.now + 3600).text); 1 of them never end"
            ))
        #expect(text.contains("    the access key AK: disable it at "))
        let none = try Trail(["a.jsonl": []]).before(.credential, "q").text
        #expect(none.hasPrefix("nothing that was issued before is still out") && none.contains("the access key AK"))
    }

    @Test func `without an audit it is said that nobody knows, and what ends what`() throws {
        let configuration = try SampleConfiguration.configuration()
        let before = try IssuedBefore(Brake.Subject(.all), of: configuration.brakeTarget, at: IssuedBeforeTests.now)
        #expect(!before.isRecorded && before.text.contains("is not known") && before.text.contains("the access key AK"))
    }

    @Test(arguments: Registry.providers.map(\.name)) func `every vendor says what ends what was issued by it`(
        _ name: String
    ) throws {
        let provider = try #require(Registry.provider(named: name))
        var fields = FieldValues()
        fields[CredentialFields().accessKey] = Array("AKIDTEST".utf8)
        let revocations = provider.revocations(fields)
        let first = try #require(revocations.first)
        for revocation in revocations {
            #expect(!revocation.subject.isEmpty && !revocation.means.isEmpty && !revocation.effect.isEmpty)
        }
        #expect(provider.sessions != nil || first.subject.contains("AKIDTEST"))
    }
}
