import Bytes

extension Chapter {
    private static let policy = Array(
        text: """
            {"scope":"test-bucket:photos/2026/img 1.jpg","deadline":1800003600,"insertOnly":1,\
            "returnBody":"{\\"key\\":$(key),\\"hash\\":$(etag)}","fsizeLimit":10485760}
            """)
    private static let query = Array(
        text: "grant=photos&bucket=test-bucket&key=photos%2F2026%2Fimg%201.jpg&expires=600&fsizeLimit=5000&_=17")
    private static let object = Array(
        text: """
            {"grant":"photos","bucket":"test-bucket","key":"photos/2026/img 1.jpg","expires":600,"fsizeLimit":5000,"_":17}
            """)

    static let bytes = Chapter(rows: [
        Row("base64 of a policy, 152 bytes") { bench in
            {
                bench.out.reset()
                Base64.urlSafe.encode(policy.span, into: &bench.out)
            }
        },
        Row("base64 read, 204 characters") { bench in
            let text = Base64.urlSafe.encode(policy)
            return {
                guard let bytes = Base64.urlSafe.decode(text.span) else { throw RowError("not read") }
                bench.take(bytes.count)
            }
        },
        Row("hex of 32 bytes") { bench in
            let bytes = [UInt8](0..<32)
            return {
                bench.out.reset()
                Hex.encode(bytes.span, into: &bench.out)
            }
        },
        Row("percent-encoding of a key, 32 bytes") { bench in
            let key = Array(text: "photos/2026/图片 1 of twelve.jpg")
            return {
                bench.out.reset()
                Percent.encode(key.span, into: &bench.out)
            }
        },
        Row("percent-decoding of a key, 50 characters") { bench in
            let key = Array(text: "photos%2F2026%2F%E5%9B%BE%E7%89%87+1+of+twelve.jpg")
            return {
                bench.out.reset()
                guard Percent.decode(key.span, plusIsSpace: true, into: &bench.out) else { throw RowError("not read") }
            }
        },
        Row("query of 6 parameters") { bench in
            {
                bench.parameters.reset()
                try bench.parameters.read(form: query.span)
            }
        },
        Row("JSON object of 6 parameters") { bench in
            {
                bench.parameters.reset()
                try bench.parameters.read(json: object.span, maximumDepth: 16)
            }
        },
        Row("JSON string written, 152 bytes") { bench in
            {
                bench.out.reset()
                bench.out.append(jsonString: policy)
            }
        },
        Row("JSON string of a String written, 16 bytes") { bench in
            let text = "a name of a user"
            return {
                bench.out.reset()
                bench.out.append(jsonString: text)
            }
        },
        Row("ISO 8601 time written") { bench in
            {
                bench.out.reset()
                ISO8601.write(Fixture.seconds, into: &bench.out)
            }
        },
        Row("HTTP date written") { bench in
            {
                bench.out.reset()
                HTTPDate.write(Fixture.seconds, into: &bench.out)
            }
        },
        Row("HTTP date read") { bench in
            let text = HTTPDate.write(Fixture.seconds)
            return {
                guard HTTPDate.parse(text.span) != nil else { throw RowError("not read") }
            }
        },
    ])
}
