import Foundation
import Testing

@testable import Access
@testable import Bytes
@testable import Crypto
@testable import Providers

/// Checks of vectors of AWS's signature of version 4, as AWS's SDKs and others make it.
enum S3Vectors {
    static func header(_ vector: Vector) throws {
        let (input, expected) = (try vector.input, try vector.expected)
        let date = try #require(input["timestamp"]?.string)
        let hash = try #require(input["payloadHash"]?.string)
        var sample = try S3Sample(
            input, url: try #require(input["url"]?.string),
            isPath: input["url"]?.string?.contains("//\(input["bucket"]?.string ?? "").") == false)
        sample.fields += [("x-amz-content-sha256", hash), ("X-Amz-Date", date)]
        if let token = input["sessionToken"]?.string { sample.fields.append(("X-Amz-Security-Token", token)) }
        try sample.expect(
            expected, hash: hash, at: try moment(date), key(input, sample.scheme),
            sabotaged: key(input, sample.scheme, suffix: "x"))
        let object = Array(sample.key.utf8)
        // SDKs sign keys that are not given to callers (R13).
        if object.isEmpty || ObjectKeyRule.fault(of: object.span) == nil {
            try read(
                expected["stringToSign"]?.bytes ?? [], of: expected["canonicalRequest"]?.bytes ?? [], sample.scheme,
                at: moment(date))
        }
        guard hash == "UNSIGNED-PAYLOAD" else { return }
        let signed = try sample.withRequest { canonical in
            try OSSSample.Signed {
                try HeaderSignatureV4.write(for: canonical, with: key(input, sample.scheme), into: &$0, using: &$1)
            }
        }
        #expect(signed.text == expected["authorization"]?.string)
    }

    static func presign(_ vector: Vector) throws {
        let (input, expected) = (try vector.input, try vector.expected)
        let moment = try moment(try #require(input["timestamp"]?.string))
        let isPath = input["addressingStyle"]?.string == "path"
        let host = try #require(input["host"]?.string)
        let sample = try S3Sample(input, url: "\(input["scheme"]?.string ?? "")://\(host)", isPath: isPath)
        let bucket = sample.bucket
        let authority = isPath ? host : String(host.dropFirst(bucket.count + 1))
        let base = BaseURL(isSecure: input["scheme"]?.string == "https", Array(authority.utf8))
        let endpoint = try #require(base)
        let lifetime = try #require(input["expires"]?.integer)
        let token = input["sessionToken"]?.string.map { Array($0.utf8) }
        func sign(_ suffix: String) throws -> OSSSample.Signed {
            let key = try key(input, sample.scheme, suffix: suffix)
            return try sample.withRequest { canonical in
                try OSSSample.Signed {
                    try PresignedURLV4.write(
                        for: canonical, on: endpoint, lasting: lifetime,
                        by: V4Signer(key, at: moment, token: token), into: &$0, using: &$1)
                }
            }
        }
        let signed = try sign("")
        #expect(signed.stringToSign == expected["stringToSign"]?.string)
        let url = SplitURL(signed.text)
        #expect(url.parameter("X-Amz-Signature") == expected["signature"]?.string)
        #expect(try SplitURL(sign("x").text).parameter("X-Amz-Signature") != expected["signature"]?.string)
        #expect(url.parameter("X-Amz-SignedHeaders")?.removingPercentEncoding == expected["signedHeaders"]?.string)
        if let text = expected["canonicalRequest"]?.string {
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            #expect(try url.query == "\(lines[2])&X-Amz-Signature=\(#require(url.parameter("X-Amz-Signature")))")
        }
        // Each SDK has its parameters in an order of its own.
        guard case .array(let urls)? = expected["urls"] else { return }
        #expect(!urls.isEmpty && urls.allSatisfy { SplitURL(canonical($0.string ?? "")).sorted == url.sorted })
    }

    /// The policy is the SDK's own text.
    static func post(_ vector: Vector) throws {
        let (input, expected) = (try vector.input, try vector.expected)
        let policy = try #require(input["policyJSON"]).bytes
        func sign(_ suffix: String) throws -> JSON {
            let key = try key(input, S3.v4(.virtual), suffix: suffix)
            var out = ByteWriter()
            try out.append(object: { form in _ = try PostForm.signV4(policy.span, with: key, into: &form) })
            return try JSON.read(Data(out.array))
        }
        let fields = try #require(expected["fields"])
        let signature = fields["x-amz-signature"]
        let signed = try sign("")
        #expect(signature != nil && signed["x-amz-signature"] == signature && signed["policy"] == fields["policy"])
        #expect(try sign("x")["x-amz-signature"] != signature)
    }

    /// What EvaporateJS has its server sign, read as `/s3/sign` reads it.
    static func sign(_ vector: Vector) throws {
        let (input, expected) = (try vector.input, try vector.expected)
        let moment = try moment(try #require(input["datetime"]?.string))
        let text = try #require(input["to_sign"]).bytes
        let request = try read(
            text, of: try #require(input["canonical_request"]).bytes, S3.v4(.virtual), at: moment)
        func sign(_ suffix: String) throws -> String {
            let key = try SigningKey(
                accessKey: [], secret: Secret(try #require(input["secretAccessKey"]).bytes + Array(suffix.utf8)))
            var out = ByteWriter()
            try request.writeSignature(
                over: text.span, S3.v4(.virtual), region: try #require(input["region"]).bytes, with: key, into: &out)
            return out.array.text
        }
        let signed = try sign("")
        #expect(signed == expected["responseBody"]?.string)
        #expect(try sign("x") != signed)
    }

    /// Reads a string to sign with its canonical request, and with no other.
    @discardableResult
    static func read(
        _ text: [UInt8], of canonical: [UInt8], _ scheme: V4Scheme, at moment: Int64
    ) throws -> RemoteRequest {
        let string = try StringToSignV4(reading: text.span, scheme)
        let isOfAnother = try string.isOf((canonical + Array("\n".utf8)).span)
        #expect(string.moment == moment && !isOfAnother)
        return try RemoteReading(string, of: canonical.span, lasting: S3.dateTolerance, at: moment).request
    }

    /// SDKs write a parameter without a value in two ways.
    private static func canonical(_ url: String) -> String {
        url.replacing("?uploads&", with: "?uploads=&").replacing("&uploads&", with: "&uploads=&")
    }

    /// Vectors of no service of AWS's in particular, with the body's hash in no field.
    static func suite(_ vector: Vector) throws {
        let (input, expected) = (try vector.input, try vector.expected)
        let lines = (input["rawRequest"]?.string ?? "").split(separator: "\n").map(String.init)
        let context = try #require(input["context"])
        let credentials = try #require(context["credentials"])
        let date = (context["timestamp"]?.string ?? "").filter { $0 != "-" && $0 != ":" }
        let target = String(lines[0].split(separator: " ")[1])
        var sample = S3Sample(scheme: S3.v4(.virtual), method: String(lines[0].prefix { $0 != " " }))
        sample.query = S3Sample.query(of: "https://h\(target)")
        sample.fields = lines.dropFirst().map { line in
            let parts = line.split(separator: ":", maxSplits: 1)
            return (String(parts[0]), String(parts[1]))
        }
        sample.fields.append(("X-Amz-Date", date))
        if let token = credentials["token"]?.string { sample.fields.append(("X-Amz-Security-Token", token)) }
        let moment = try moment(date)
        func key(_ suffix: String) throws -> ScopedKey {
            let signer = try SigningKey(
                accessKey: credentials["access_key_id"]?.bytes ?? [],
                secret: Secret((credentials["secret_access_key"]?.bytes ?? []) + Array(suffix.utf8)))
            return try ScopedKey(
                signer, sample.scheme, region: context["region"]?.bytes ?? [],
                product: context["service"]?.bytes ?? [], at: moment)
        }
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        try sample.expect(expected, hash: empty, at: moment, key(""), sabotaged: key("x"))
    }

    static func moment(_ text: String) throws -> Int64 {
        let moment = ISO8601.parseBasic(Array(text.utf8).span)
        return try #require(moment)
    }

    private static func key(_ input: JSON, _ scheme: V4Scheme, suffix: String = "") throws -> ScopedKey {
        let signer = try SigningKey(
            accessKey: try #require(input["accessKeyId"]).bytes,
            secret: Secret(try #require(input["secretAccessKey"]).bytes + Array(suffix.utf8)))
        return try ScopedKey(
            signer, scheme, region: try #require(input["region"]).bytes, product: Array("s3".utf8),
            at: moment(try #require(input["timestamp"]?.string)))
    }
}

/// A request to S3, to be signed.
struct S3Sample {
    var scheme: V4Scheme
    var method = "GET"
    var bucket = ""
    var key = ""
    var query: [(String, String)] = []
    var fields: [(String, String)] = []

    func withRequest<Result>(_ use: (borrowing CanonicalRequest) throws -> Result) throws -> Result {
        let lines = Array(fields.map { "\($0.0): \($0.1)\r\n" }.joined().utf8)
        let (method, bucket, key) = (Array(method.utf8), Array(bucket.utf8), Array(key.utf8))
        let request = try ObjectRequest(
            scheme, method: method.span, bucket: bucket.span, key: key.span,
            query: QueryText.form(query.map { NameValue(Array($0.0.utf8), Array($0.1.utf8)) }).span,
            fieldLines: lines.span)
        return try use(CanonicalRequest(request))
    }

    /// Expects canonical request, string to sign and signature; another secret has another signature.
    func expect(_ expected: JSON, hash: String, at moment: Int64, _ key: ScopedKey, sabotaged: ScopedKey) throws {
        let hash = Array(hash.utf8)
        try withRequest { canonical in
            var out = ByteWriter()
            canonical.write(payload: hash.span, into: &out)
            #expect(out.array.text == expected["canonicalRequest"]?.string)
            let code = try key.code(ofRequest: &out, at: moment)
            #expect(out.array.text == expected["stringToSign"]?.string)
            let signature = Hex.encode(code.bytes.array).text
            #expect(signature == expected["signature"]?.string)
            let other = try sabotaged.code(of: out.bytes)
            #expect(Hex.encode(other.bytes.array).text != signature)
        }
    }

    static func query(of url: String) -> [(String, String)] {
        let items = SplitURL(url).query?.components(separatedBy: "&") ?? []
        return items.map { item in
            let parts = item.split(separator: "=", maxSplits: 1).map { String($0).removingPercentEncoding ?? "" }
            return (parts[0], parts.count > 1 ? parts[1] : "")
        }
    }
}

extension S3Sample {
    init(_ input: JSON, url: String, isPath: Bool) throws {
        func pairs(_ list: JSON?) -> [(String, String)] {
            guard case .array(let pairs)? = list else { return [] }
            return pairs.map { pair in
                guard case .array(let parts) = pair, parts.count == 2 else { return ("", "") }
                return (parts[0].string ?? "", parts[1].string ?? "")
            }
        }
        self.init(scheme: S3.v4(isPath ? .path : .virtual))
        method = try #require(input["method"]?.string)
        bucket = input["bucket"]?.string ?? ""
        key = input["key"]?.string ?? ""
        query = input["query"] == nil ? S3Sample.query(of: url) : pairs(input["query"])
        fields = [("Host", SplitURL(url).authority)] + pairs(input["headers"])
    }
}
