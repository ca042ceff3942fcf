import Foundation
import Testing

@testable import Access
@testable import Bytes
@testable import Crypto
@testable import Providers

@Suite struct TimestampAntiLeechTests {
    private let origin: BaseURL

    init() throws { origin = try #require(BaseURL(isSecure: true, Array("cdn.example.com".utf8))) }

    private func url(_ key: String, query: String = "", until deadline: Int64) throws -> String {
        let (key, query) = (Array(key.utf8), Array(query.utf8))
        var out = ByteWriter()
        var scratch = ByteWriter()
        try TimestampAntiLeech.write(
            for: ObjectURL(key.span, query: query.span, on: origin), until: deadline, with: Secret(Array("k".utf8)),
            into: &out,
            using: &scratch)
        return out.array.text
    }

    @Test func `the query is told and not signed`() throws {
        let bare = SplitURL(try url("a/b.mp4", until: 1_700_003_600))
        let asked = SplitURL(try url("a/b.mp4", query: "v=1.2", until: 1_700_003_600))
        #expect(asked.query == "v=1.2&" + (bare.query ?? "?"))
        for query in ["sign=1", "t=ffffffff", "a&T=ffffffff", "%74=ffffffff"] {
            #expect(throws: IssueError.self) { try url("a", query: query, until: 1_700_003_600) }
        }
    }

    @Test func `a deadline has eight digits, so that path and deadline are told apart`() throws {
        for deadline in [Int64.min, -1, 0, 0xFFF_FFFF, 0x1_0000_0000, .max] {
            #expect(throws: IssueError.self) { try url("a", until: deadline) }
        }
        for (deadline, digits) in [(0x1000_0000, "10000000"), (0x6553_FF10, "6553ff10"), (0xFFFF_FFFF, "ffffffff")] {
            #expect(SplitURL(try url("a", until: Int64(deadline))).parameter("t") == digits)
        }
    }

    private func isSeparable(_ key: String) -> Bool {
        let bytes = Array(key.utf8)
        return TimestampAntiLeech.isSeparable(bytes.span)
    }

    @Test func `of a key that is separable, no URL of a shorter one can be made`() {
        for key in ["a/b1", "a/b", "a/1", "a/F", "a/b.jpg1", "a/b.mp41", "a/b.woff2", "a/mp4", "a/.a/b1", "a/b.MP5"] {
            #expect(!isSeparable(key), "\(key)")
        }
        for key in [
            "a/x", "a/b.jpg", "a/b.mp4", "a/b.MP4", "a/b.m3u8", "a/b.pdf", "a/", "a/-", "a/中", "a/b%", "a/b.1.gif",
        ] {
            #expect(isSeparable(key), "\(key)")
        }
    }

    @Test(arguments: ["a/中", "a/b%", "a/b ", "a/b+", "a/b?"])
    func `what is encoded at the end of a key is no encoding without its last digits`(key: String) throws {
        let path = SplitURL(try url(key, until: 1_700_003_600)).path
        for length in 1...2 { #expect(String(path.dropLast(length)).removingPercentEncoding == nil) }
    }

    @Test func `reading the signed text otherwise never leaves the key's folder`() throws {
        for key in ["photos/1/16", "photos/1/a.mp4", "photos/1/ff", "photos/fade/deadbeef", "f/0", "photos/1/中文"] {
            let split = SplitURL(try url(key, until: 1_700_003_600))
            let text = split.path + (split.parameter("t") ?? "")
            let folder = split.path[...(try #require(split.path.lastIndex(of: "/")))]
            // Every end of the text that could be a deadline, from its last digit on.
            let hex = text.reversed().prefix { $0.isHexDigit && !$0.isUppercase }.count
            for length in 1...hex {
                #expect(text.dropLast(length).hasPrefix(folder), "\(text)")
            }
        }
    }
}
