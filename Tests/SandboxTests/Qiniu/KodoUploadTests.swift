import Testing

@testable import Bytes
@testable import Sandbox

/// The ways in which something is uploaded to Kodo, and what is no such way.
struct KodoUploadTests {
    private let token: String

    init() throws { token = try KodoFixture.token("demo-media") }

    @Test func `an upload that is cut short leaves nothing`() throws {
        let kodo = try KodoFixture()
        let form = KodoFixture.form([("token", token), ("key", "a")], [UInt8](repeating: 7, count: 200_000))
        for end in [10, 300, 100_000, form.count - 1] {
            var rest: [UInt8]? = Array(form[..<end])
            let body = BodyReader(length: form.count) { () throws(BodyReader.Fault) in
                guard let bytes = rest else { throw .interrupted }
                rest = nil
                return bytes
            }
            #expect(throws: BodyReader.Fault.interrupted) {
                try kodo.ask("POST", "/", KodoFixture.formType, body)
            }
            #expect(try kodo.keys().isEmpty && kodo.leftovers().isEmpty)
        }
    }

    /// Fields, with `TOKEN` for the token, and what comes of them.
    private static let forms: [(fields: [(String, String)], outcome: String)] = [
        ([("key", "a")], "401 token not specified"), ([("token", "a:b:c")], "401 bad token"),
        ([("token", "")], "401 bad token"), ([("token", "TOKEN"), ("token", "TOKEN")], "400 invalid argument: token"),
        ([("token", "TOKEN"), ("crc32", "1")], "406 crc32 does not match"),
        ([("token", "TOKEN"), ("crc32", "-1")], "400 invalid crc32"),
        ([("token", "TOKEN"), ("crc32", "4294967296")], "400 invalid crc32"),
        ([("token", "TOKEN"), ("x-qn-meta-a b", "1")], "400 invalid argument: x-qn-meta-a b"),
        ([("token", "TOKEN"), ("key", String(repeating: "k", count: 751))], "400 invalid key"),
        ([("token", "TOKEN"), ("key", String(repeating: "k", count: 65_537))], "413 request entity is too large"),
        ([("token", "TOKEN"), ("key", "a"), ("accept", "x"), ("x:a", "1")], "200 a"),
    ]

    @Test(arguments: forms.indices) func `a form is read strictly`(index: Int) throws {
        let (fields, outcome) = KodoUploadTests.forms[index]
        let kodo = try KodoFixture()
        let form = KodoFixture.form(fields.map { ($0.0, $0.1 == "TOKEN" ? token : $0.1) }, KodoFixture.jpeg)
        #expect(try kodo.ask("POST", "/", KodoFixture.formType, BodyReader(form)).outcome == outcome)
        #expect(try kodo.leftovers().isEmpty)
    }

    @Test func `what is no form is refused`() throws {
        let kodo = try KodoFixture()
        let noFile = BodyReader(KodoFixture.form([("token", token)], nil))
        #expect(try kodo.ask("POST", "/", KodoFixture.formType, noFile).outcome == "400 invalid argument: no file")
        let types = [[("Content-Type", "text/plain")], [("Content-Type", "multipart/form-data")], []]
        for type in types { #expect(try kodo.ask("POST", "/", type, BodyReader([1])).status == 400) }
        #expect(try kodo.ask("POST", "/", KodoFixture.formType, BodyReader(Array("--b\r\n".utf8))).status == 400)
    }

    @Test(arguments: [
        "a/b", "../a", "/", "", "a//b", ".", "a/../../b", "%2e%2e/a", "a\u{0}b", "C:\\a", "~",
        String(repeating: "é", count: 375),
    ])
    func `any key is stored, and none leaves the folder`(key: String) throws {
        let kodo = try KodoFixture()
        #expect(try kodo.put(token, key)["key"] == key)
        #expect(try kodo.keys() == [key])
        let file = kodo.store.open(Array(key.utf8), in: QiniuSide.sampleBucket)?.file
        #expect(file?.size == KodoFixture.jpeg.count)
    }

    @Test func `a field's value cannot add a field to an answer`() throws {
        let kodo = try KodoFixture()
        let name = KodoFixture.encode("x")
        let context = try kodo.post("/mkblk/1", token, "x")["ctx"] ?? ""
        for (path, status) in [
            ("mimeType/\(KodoFixture.encode("a/b\r\nX: y"))", 400), ("x-qn-meta-a%0D%0AX/\(name)", 400),
            ("x-qn-meta-a/\(KodoFixture.encode("1\r\nX-Y: z"))", 200),
        ] {
            #expect(try kodo.post("/mkfile/1/key/\(name)/\(path)", token, context).status == status)
        }
        let url = "http://127.0.0.1:8090/x?e=\(KodoFixture.deadline)"
        let answer = try kodo.ask("GET", "/x?e=\(KodoFixture.deadline)&token=\(try KodoFixture.sign(url))")
        let head = answer.response.head(date: 0, keepsAlive: true).text
        #expect(head.contains("\r\nx-qn-meta-a: 1  X-Y: z\r\n"))
    }

    @Test func `an empty file has no block`() throws {
        let kodo = try KodoFixture()
        let answer = try kodo.post("/mkfile/0/key/\(KodoFixture.encode("empty"))", token)
        #expect(answer["hash"] == "Fto5o-5ea0sNMlW_75VgGJCv2AcJ")
    }

    @Test func `a chunk may be sent once more`() throws {
        let kodo = try KodoFixture()
        let first = try kodo.post("/mkblk/3", token, "a")["ctx"] ?? ""
        for text in ["bc", "bd"] {
            let last = try kodo.post("/bput/\(first)/1", token, text)["ctx"] ?? ""
            let key = KodoFixture.encode(text)
            if text == "bc" {
                #expect(
                    try kodo.post("/mkfile/3/key/\(key)", try KodoFixture.token("demo-media:x"), last).status == 403)
            } else {
                #expect(try kodo.post("/mkfile/3/key/\(key)", token, last).outcome == "200 bd")
            }
        }
        // All that belonged to the block is gone.
        #expect(try kodo.post("/bput/\(first)/1", token, "bc").outcome == "701 invalid ctx")
        #expect(try kodo.leftovers().isEmpty)
    }

    @Test func `contexts of one block share its chunks, of which there are 16,384 at most`() throws {
        let kodo = try KodoFixture()
        let file = PartFile(try kodo.store.stage())
        let part = UploadedPart(size: 1, hash: [], time: KodoFixture.now, file: file)
        let blocks = kodo.service.blocks
        var block = KodoBlock(bucket: QiniuSide.sampleBucket, size: 4 << 20, end: KodoFixture.deadline)
        // A list of its own for each context would take 30 GB.
        for _ in 0..<100_000 {
            block.chunk = KodoChunk(part, after: block.chunk)
            _ = try blocks.keep(block)
        }
        #expect(block.offset == 100_000 && block.chunk?.parts.count == 100_000)
        let context = try blocks.keep(block).text
        let answer = try kodo.post("/bput/\(context)/100000", token, "a")
        #expect(answer.outcome.hasPrefix("400 invalid data: the block has 16384 chunks"), "\(answer.outcome)")
    }

    @Test(arguments: ["0", "4194305", "-1", "x", "", "01", "99999999999999999999"])
    func `a block has 1 byte to 4 MiB`(size: String) throws {
        #expect(try KodoFixture().post("/mkblk/\(size)", token, "a").outcome == "400 invalid block size")
    }

    @Test func `a part's number is from 1 to 10,000, and an upload is its token's`() throws {
        let kodo = try KodoFixture()
        let base = "/buckets/demo-media/objects/\(KodoFixture.encode("a"))/uploads"
        let id = try #require(try kodo.post(base, token)["uploadId"])
        for number in ["0", "10001", "x", "-1", "99999999999999999999"] {
            let answer = try kodo.post("\(base)/\(id)/\(number)", token, "x", method: "PUT")
            #expect(answer.outcome == "400 invalid partNumber")
        }
        #expect(try kodo.post("\(base)/\(id)/10000", token, "x", method: "PUT").status == 200)
        #expect(try kodo.post("\(base)/\(id)/1", token, "", method: "PUT").status == 400)
        #expect(try kodo.post("\(base)/unknown/1", token, "x", method: "PUT").outcome == "612 no such uploadId")
        let other = "/buckets/demo-media/objects/\(KodoFixture.encode("b"))/uploads"
        #expect(try kodo.post("\(other)/\(id)/1", token, "x", method: "PUT").outcome == "612 no such uploadId")
        let wrongBucket = "/buckets/other/objects/\(KodoFixture.encode("a"))/uploads"
        #expect(try kodo.post(wrongBucket, token).outcome == "403 bucket doesn't match with scope")
        let wrongKey = try KodoFixture.token("demo-media:b")
        #expect(try kodo.post(base, wrongKey).outcome == "403 key doesn't match with scope")
        #expect(try kodo.post("/buckets/demo-media/objects/YQ/uploads", token).outcome == "400 invalid argument")
        #expect(try kodo.ask("POST", base).outcome == "401 token not specified")
        #expect(try kodo.ask("POST", base, [("Authorization", "UpToken x")]).outcome == "401 bad token")
    }

    @Test func `a part that differs from its MD5 is refused`() throws {
        let kodo = try KodoFixture()
        let base = "/buckets/demo-media/objects/~/uploads"
        let id = try #require(try kodo.post(base, token)["uploadId"])
        for (md5, status) in [("0cc175b9c0f1b6a831c399e269772661", 200), ("0cc175b9c0f1b6a831c399e269772662", 400)] {
            let fields = [("Authorization", "UpToken \(token)"), ("Content-MD5", md5)]
            let answer = try kodo.ask("PUT", "\(base)/\(id)/1", fields, BodyReader(Array("a".utf8)))
            #expect(answer.status == status)
        }
        let etag = try #require(try kodo.post("\(base)/\(id)/1", token, "a", method: "PUT")["etag"])
        let parts = #"{"parts":[{"partNumber":1,"etag":"\#(etag)"}],"fname":"a.txt","customVars":{"x:a":"1"}}"#
        let answer = try kodo.post("\(base)/\(id)", token, parts)
        #expect(answer["key"] == etag && answer.status == 200)
        #expect(try kodo.leftovers().isEmpty)
    }
}
