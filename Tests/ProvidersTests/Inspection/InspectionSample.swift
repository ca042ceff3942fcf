import Testing

@testable import Access
@testable import Bytes
@testable import Crypto
@testable import Inspection
@testable import Providers

/// Things to inspect, and keys to inspect them by.
struct InspectionSample {
    /// 2026-11-18T11:06:40Z, which is no sandbox of a day's borders.
    static let now: Int64 = 1_795_000_000
    static let secret = "a-secret-of-the-inspected"
    static let cdnKey = "a-cdn-key-of-the-inspected"

    static func key(_ accessKey: String = "AKID", _ secret: String = secret) throws -> SigningKey {
        try SigningKey(accessKey: Array(accessKey.utf8), secret: Secret(Array(secret.utf8)))
    }

    /// One credential of each provider, all with the same key.
    static func keyring() throws -> Keyring {
        var fields = FieldValues()
        fields[Qiniu.credential.cdnKey] = Secret(Array(cdnKey.utf8))
        return Keyring([Keyring.Entry(credential: "main", key: try key(), fields: fields)])
    }

    /// What is told of a text, with the configured key unless another keyring is given.
    static func inspect(
        _ text: String, by keyring: Keyring? = nil, at now: Int64 = now,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Inspection {
        let input = try InspectionInput(reading: Array(text.utf8))
        let keyring = try keyring ?? InspectionSample.keyring()
        for (_, inspector) in Inspectors.all {
            if let inspection = inspector.inspect(input, with: keyring, at: now) { return inspection }
        }
        return try #require(nil as Inspection?, "nobody knows \(text)", sourceLocation: sourceLocation)
    }

    /// Expects that the text would be refused, and by this check for this reason.
    static func expectRefusal(
        _ text: String, _ check: String, _ reason: String, at now: Int64 = now,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let inspection = try inspect(text, at: now, sourceLocation: sourceLocation)
        #expect(inspection.verdict == .refused, "\(inspection)", sourceLocation: sourceLocation)
        let failing = inspection.checks.filter { $0.outcome == .fails }
        #expect(
            failing.contains { $0.name == check && $0.reason.contains(reason) }, "\(failing)",
            sourceLocation: sourceLocation)
    }

    /// Expects that the text is genuine by the configured key, as good as it is without one, and refused by another.
    static func expectGenuine(
        _ text: String, _ kind: String, until end: Int64, at now: Int64 = now,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let inspection = try inspect(text, at: now, sourceLocation: sourceLocation)
        #expect(inspection.verdict == .genuine, "\(inspection)", sourceLocation: sourceLocation)
        #expect(inspection.kind == kind, sourceLocation: sourceLocation)
        #expect(inspection.endsAt == end, sourceLocation: sourceLocation)
        let alone = try inspect(text, by: Keyring(nil), at: now, sourceLocation: sourceLocation)
        #expect(alone.verdict == .unverified, "\(alone)", sourceLocation: sourceLocation)
        #expect(alone.checks.contains { $0.name == "signature" && $0.outcome == .open }, sourceLocation: sourceLocation)
        // By which method a URL is asked, the signature tells.
        let facts = inspection.facts.filter { $0.name != "method" }
        #expect(alone.facts.filter { $0.name != "method" } == facts, sourceLocation: sourceLocation)
        var fields = FieldValues()
        fields[Qiniu.credential.cdnKey] = Secret(Array("another".utf8))
        let entry = Keyring.Entry(credential: "other", key: try key("AKID", "another-secret"), fields: fields)
        let other = try inspect(text, by: Keyring([entry]), at: now, sourceLocation: sourceLocation)
        #expect(
            other.checks.contains { $0.name == "signature" && $0.outcome == .fails }, "\(other)",
            sourceLocation: sourceLocation)
        let ended = try inspect(text, at: end, sourceLocation: sourceLocation)
        #expect(ended.checks.contains { $0.name == "expiry" && $0.outcome == .fails }, sourceLocation: sourceLocation)
        let shown = "\(inspection)\(alone)\(other)\(ended)"
        #expect(!shown.contains(secret) && !shown.contains(cdnKey), sourceLocation: sourceLocation)
    }

    static func written(_ write: (inout ByteWriter, inout ByteWriter) throws -> Void) rethrows -> String {
        var out = ByteWriter()
        var scratch = ByteWriter()
        try write(&out, &scratch)
        return out.array.text
    }
}

extension Inspection {
    subscript(fact name: String) -> String? { facts.first { $0.name == name }?.value.text }
}
