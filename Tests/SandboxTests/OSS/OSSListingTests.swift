import Testing

@testable import Bytes
@testable import Crypto
@testable import Sandbox

/// Listings of both versions, and deletions together.
@Suite struct OSSListingTests {
    private func fixture(_ keys: [String]) throws -> OSSFixture {
        let fixture = try OSSFixture()
        for key in keys { #expect(try fixture.outcome(OSSTestCall("PUT", key, "x")) == "200") }
        return fixture
    }

    private func list(_ fixture: OSSFixture, _ query: [(String, String)]) throws -> OSSAnswer {
        try fixture.send(OSSTestCall("GET") { $0.query = query })
    }

    private static let keys = ["a", "dir/1", "dir/2", "dir/sub/3", "z/4"]

    @Test(arguments: [false, true])
    func `a listing tells keys and common prefixes, page by page`(isV2: Bool) throws {
        let fixture = try fixture(OSSListingTests.keys)
        for (prefix, delimiter, expected) in [
            ("", "", OSSListingTests.keys), ("dir/", "", Array(OSSListingTests.keys[1...3])),
            ("", "/", ["a", "dir/", "z/"]), ("dir/", "/", ["dir/1", "dir/2", "dir/sub/"]), ("none", "", []),
        ] {
            var found: [String] = []
            var marker: (String, String)?
            for page in 0..<10 {
                var query = [("max-keys", "2"), ("prefix", prefix), ("delimiter", delimiter)]
                if isV2 { query.append(("list-type", "2")) }
                if let marker { query.append(marker) }
                let answer = try list(fixture, query)
                #expect(answer.outcome == "200")
                found +=
                    answer.texts("Key")
                    + answer.texts("CommonPrefixes").map {
                        $0.replacing("<Prefix>", with: "").replacing("</Prefix>", with: "")
                    }
                guard answer.texts("IsTruncated") == ["true"] else {
                    #expect(page == max(0, (expected.count - 1) / 2))
                    break
                }
                let next = try #require(answer.texts(isV2 ? "NextContinuationToken" : "NextMarker").first)
                marker = (isV2 ? "continuation-token" : "marker", next)
            }
            #expect(found.sorted() == expected)
        }
    }

    @Test func `version 2 begins behind a name, counts, and tells owners when asked`() throws {
        let fixture = try fixture(OSSListingTests.keys)
        let answer = try list(fixture, [("list-type", "2"), ("start-after", "dir/1")])
        #expect(answer.texts("Key") == ["dir/2", "dir/sub/3", "z/4"] && answer.texts("KeyCount") == ["3"])
        #expect(answer.texts("Owner").isEmpty)
        #expect(try list(fixture, [("list-type", "2"), ("fetch-owner", "true")]).texts("Owner").count == 5)
        #expect(try list(fixture, []).texts("Owner").count == 5)
    }

    @Test func `names are encoded where that is asked for`() throws {
        let fixture = try fixture(["a b/ü&<\u{1}>"])
        #expect(try list(fixture, [("encoding-type", "url")]).texts("Key") == ["a%20b%2F%C3%BC%26%3C%01%3E"])
        let plain = try list(fixture, [("prefix", "a b/")])
        #expect(plain.texts("Key") == ["a b/ü&amp;&lt;?&gt;"] && plain.texts("Prefix") == ["a b/"])
    }

    @Test func `what cannot be listed is refused`() throws {
        let fixture = try OSSFixture()
        for (name, value) in [
            ("max-keys", "0"), ("max-keys", "1001"), ("max-keys", "x"), ("encoding-type", "xml"), ("list-type", "3"),
        ] {
            let answer = try list(fixture, [(name, value)])
            #expect(answer.outcome == "400 InvalidArgument")
            #expect(answer.texts("ArgumentName") == [name] && answer.texts("ArgumentValue") == [value])
        }
        #expect(try list(fixture, [("list-type", "2"), ("continuation-token", "?")]).outcome == "400 InvalidArgument")
    }

    @Test func `several objects are deleted together, or none`() throws {
        let fixture = try fixture(OSSListingTests.keys + ["<&>"])
        func delete(_ body: String, digest: String? = nil) throws -> OSSAnswer {
            let md5 = try Base64.standard.encode(Digest(.md5, of: Array(body.utf8).span).bytes.array).text
            return try fixture.send(
                OSSTestCall("POST", nil, body) {
                    $0.query = [("delete", "")]
                    $0.fields = digest == "" ? [] : [("Content-MD5", digest ?? md5)]
                })
        }
        let two =
            "<?xml version=\"1.0\"?><Delete><Object><Key>a</Key></Object><Object><Key>&lt;&amp;&gt;</Key></Object></Delete>"
        #expect(try delete(two, digest: "").outcome == "400 MissingArgument")
        #expect(try delete(two, digest: "AAAAAAAAAAAAAAAAAAAAAA==").outcome == "400 InvalidDigest")
        for wrong in [
            "", "<Delete>", "<Delete></Delete>", "<Other><Object><Key>a</Key></Object></Other>",
            "<Delete><Object></Object></Delete>", "<Delete><Object><Key></Key></Object></Delete>",
            "<Delete><Object><Key>a</Key><Key>b</Key></Object></Delete>",
            "<Delete>" + String(repeating: "<Object><Key>a</Key></Object>", count: 1001) + "</Delete>",
        ] {
            #expect(try delete(wrong).outcome == "400 MalformedXML", "\(wrong.prefix(60))")
        }
        #expect(try list(fixture, []).texts("Key").count == 6)
        #expect(try delete(two).texts("Key") == ["a", "&lt;&amp;&gt;"])
        #expect(try delete("<Delete><Quiet>true</Quiet><Object><Key>dir/1</Key></Object></Delete>").text == "")
        #expect(try list(fixture, []).texts("Key") == ["dir/2", "dir/sub/3", "z/4"])
    }
}
