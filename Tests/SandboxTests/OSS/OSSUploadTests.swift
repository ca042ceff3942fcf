import Testing

@testable import Bytes
@testable import Crypto
@testable import Sandbox

/// Uploads in parts.
@Suite struct OSSUploadTests {
    private let fixture: OSSFixture

    init() throws { fixture = try OSSFixture() }

    private func begin(_ key: String = "k", _ fields: [(String, String)] = []) throws -> String {
        let answer = try fixture.send(
            OSSTestCall("POST", key) {
                $0.query = [("uploads", "")]
                $0.fields = fields
            })
        return try #require(answer.texts("UploadId").first)
    }

    private func part(_ id: String, _ number: String, _ body: String, key: String = "k") throws -> OSSAnswer {
        try fixture.send(OSSTestCall("PUT", key, body) { $0.query = [("partNumber", number), ("uploadId", id)] })
    }

    private func complete(
        _ id: String, _ parts: [(String, String)], _ fields: [(String, String)] = []
    ) throws -> OSSAnswer {
        let list = parts.map { "<Part><PartNumber>\($0.0)</PartNumber><ETag>\($0.1)</ETag></Part>" }.joined()
        let body = parts.isEmpty ? "" : "<CompleteMultipartUpload>\(list)</CompleteMultipartUpload>"
        return try fixture.send(
            OSSTestCall("POST", "k", body) {
                $0.query = [("uploadId", id)]
                $0.fields = fields
            })
    }

    private static let large = String(repeating: "0123456789abcdef", count: 6400)

    @Test func `parts become an object, whose checksum is that of the whole`() throws {
        let id = try begin("k", [("Content-Type", "text/x"), ("x-oss-meta-a", "1")])
        let first = try #require(try part(id, "1", OSSUploadTests.large).field("ETag"))
        _ = try part(id, "3", "wrong")
        let last = try #require(try part(id, "3", "end").field("ETag"))
        #expect(try fixture.outcome(OSSTestCall("GET", "k")) == "404 NoSuchKey")
        let listed = try fixture.send(
            OSSTestCall("GET", "k") { $0.query = [("uploadId", id), ("max-parts", "1"), ("part-number-marker", "")] })
        #expect(listed.texts("PartNumber") == ["1"] && listed.texts("IsTruncated") == ["true"])
        let rest = try fixture.send(
            OSSTestCall("GET", "k") { $0.query = [("uploadId", id), ("part-number-marker", "1")] })
        #expect(rest.texts("PartNumber") == ["3"] && rest.texts("Size") == ["3"])
        let done = try complete(id, [("1", first), ("3", last)])
        #expect(done.outcome == "200" && done.texts("Key") == ["k"] && done.field("ETag")?.hasSuffix("-2\"") == true)
        let object = try fixture.send(OSSTestCall("GET", "k"))
        #expect(object.text == OSSUploadTests.large + "end" && object.field("Content-Type") == "text/x")
        #expect(object.field("x-oss-object-type") == "Multipart" && object.field("x-oss-meta-a") == "1")
        var crc = CRC64()
        crc.update(object.bytes.span)
        #expect(object.field("x-oss-hash-crc64ecma") == "\(crc.value)")
        #expect(try complete(id, [("1", first)]).outcome == "404 NoSuchUpload")
    }

    @Test func `wrong parts and wrong lists are refused, and the upload goes on`() throws {
        let id = try begin()
        for number in ["0", "10001", "x", "", "01"] {
            #expect(try part(id, number, "x").outcome == "400 InvalidArgument", "\(number)")
        }
        #expect(try part("none", "1", "x").outcome == "404 NoSuchUpload")
        #expect(try part(id, "1", "x", key: "other").outcome == "404 NoSuchUpload")
        let first = try #require(try part(id, "1", "small").field("ETag"))
        let second = try #require(try part(id, "2", "x").field("ETag"))
        let zeros = String(repeating: "0", count: 32)
        for (parts, expected) in [
            ([("1", zeros)], "400 InvalidPart"), ([("3", first)], "400 InvalidPart"),
            ([("2", second), ("1", first)], "400 InvalidPartOrder"),
            ([("1", first), ("1", first)], "400 InvalidPartOrder"),
            ([("1", first), ("2", second)], "400 EntityTooSmall"), ([("x", first)], "400 MalformedXML"),
            ([], "400 MalformedXML"),
        ] {
            #expect(try complete(id, parts).outcome == expected)
        }
        #expect(try fixture.outcome(OSSTestCall("PUT", "k") { $0.query = [("uploadId", id)] }) == "400 InvalidArgument")
        #expect(try complete(id, [("1", first)], [("x-oss-complete-all", "yes")]).outcome == "400 InvalidArgument")
        #expect(try complete(id, [("2", "\"" + second.filter { $0 != "\"" }.lowercased() + "\"")]).outcome == "200")
    }

    @Test func `all parts can be taken without a list, and nothing overwritten`() throws {
        let id = try begin()
        #expect(try complete(id, [], [("x-oss-complete-all", "yes")]).outcome == "400 InvalidPart")
        _ = try part(id, "2", "b")
        _ = try part(id, "1", OSSUploadTests.large)
        #expect(try fixture.outcome(OSSTestCall("PUT", "k", "old")) == "200")
        let all = ("x-oss-complete-all", "yes")
        #expect(try complete(id, [], [all, ("x-oss-forbid-overwrite", "true")]).outcome == "409 FileAlreadyExists")
        #expect(try complete(id, [], [all]).outcome == "200")
        #expect(try fixture.send(OSSTestCall("GET", "k")).text == OSSUploadTests.large + "b")
    }

    @Test func `uploads are listed and aborted`() throws {
        let ids = try [begin("a"), begin("b"), begin("b"), begin("c")]
        func list(_ query: [(String, String)]) throws -> OSSAnswer {
            try fixture.send(OSSTestCall("GET") { $0.query = [("uploads", "")] + query })
        }
        #expect(try list([]).texts("Key") == ["a", "b", "b", "c"])
        let page = try list([("max-uploads", "2")])
        #expect(page.texts("UploadId") == Array(ids[..<2]) && page.texts("NextKeyMarker") == ["b"])
        #expect(try list([("key-marker", "b"), ("upload-id-marker", ids[1])]).texts("UploadId") == Array(ids[2...]))
        #expect(try list([("key-marker", "b")]).texts("Key") == ["c"])
        #expect(try list([("prefix", "b")]).texts("Key") == ["b", "b"])
        let abort = OSSTestCall("DELETE", "a") { $0.query = [("uploadId", ids[0])] }
        #expect(try fixture.outcome(abort) == "204")
        #expect(try fixture.outcome(abort) == "404 NoSuchUpload")
        #expect(try list([]).texts("Key") == ["b", "b", "c"])
    }

    @Test func `a part is copied from an object`() throws {
        #expect(try fixture.outcome(OSSTestCall("PUT", "source", "0123456789")) == "200")
        let id = try begin()
        func copy(_ range: String?) throws -> OSSAnswer {
            try fixture.send(
                OSSTestCall("PUT", "k") {
                    $0.query = [("partNumber", "1"), ("uploadId", id)]
                    $0.fields = [("x-oss-copy-source", "/demo-bucket/source")]
                    if let range { $0.fields.append(("x-oss-copy-source-range", range)) }
                })
        }
        #expect(try copy(nil).outcome == "200")
        #expect(try copy("bytes=20-").outcome == "416 InvalidRange")
        let tag = try #require(try copy("bytes=2-4").texts("ETag").first).replacing("&quot;", with: "")
        #expect(try complete(id, [("1", tag)]).outcome == "200")
        #expect(try fixture.send(OSSTestCall("GET", "k")).text == "234")
    }

    @Test(arguments: [[], [0], [5], [1, 2], [8, 8], [1000, 1, 7], [3, 0, 4]])
    func `checksums of parts come to that of the whole`(counts: [Int]) {
        var (whole, joined) = (CRC64(), CRC64().value)
        for (index, count) in counts.enumerated() {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 31 + index * 7) }
            whole.update(bytes.span)
            var part = CRC64()
            part.update(bytes.span)
            joined = CRC64.joined(joined, part.value, count: count)
        }
        #expect(joined == whole.value)
    }
}
