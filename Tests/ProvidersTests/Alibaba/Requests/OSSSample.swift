@testable import Access
@testable import Bytes
@testable import Crypto
@testable import Providers

/// A request to OSS as text.
struct OSSSample {
    var method = "PUT"
    var bucket = "examplebucket"
    var key = "a/b.txt"
    var query: [(String, String)] = []
    var fields: [(String, String)] = []
    var additional: [String] = []
    /// Field lines behind the fields.
    var ownLines = ""

    func with(_ change: (inout OSSSample) -> Void) -> OSSSample {
        var changed = self
        change(&changed)
        return changed
    }

    /// The same with the fields that a signer writes itself.
    func withFields(_ write: (inout ByteWriter) -> Void) -> OSSSample {
        var lines = ByteWriter()
        write(&lines)
        return with { $0.ownLines = lines.array.text }
    }

    func withRequest<Result>(_ use: (borrowing ObjectRequest) throws -> Result) throws -> Result {
        let (method, bucket, key) = (Array(method.utf8), Array(bucket.utf8), Array(key.utf8))
        let lines = Array((fields.map { "\($0.0): \($0.1)\r\n" }.joined() + ownLines).utf8)
        let request = try ObjectRequest(
            OSS.v4, method: method.span, bucket: bucket.span, key: key.span,
            query: QueryText.form(query.map { NameValue(Array($0.0.utf8), Array($0.1.utf8)) }).span,
            fieldLines: lines.span)
        return try use(request)
    }

    func withCanonical<Result>(_ use: (borrowing CanonicalRequest) throws -> Result) throws -> Result {
        try withRequest { request in
            try use(CanonicalRequest(copy request, signing: additional.map { Array($0.utf8) }))
        }
    }

    // MARK: What our signers give

    struct Signed: Equatable {
        var text = ""
        var stringToSign = ""
    }

    func headerV1(_ key: SigningKey) throws -> Signed {
        try withRequest { request in
            try Signed { try HeaderSignatureV1.write(for: request, with: key, into: &$0, using: &$1) }
        }
    }

    func urlV1(_ origin: BaseURL, until deadline: Int64, token: String?, _ key: SigningKey) throws -> Signed {
        try withRequest { request in
            try Signed {
                try PresignedURLV1.write(
                    for: request, on: origin, until: deadline,
                    by: OSSSigner.V1(key, token: token.map { Array($0.utf8) }), into: &$0, using: &$1)
            }
        }
    }

    func canonical() throws -> String {
        try withCanonical { canonical in
            var out = ByteWriter()
            canonical.write(into: &out)
            return out.array.text
        }
    }

    func headerV4(_ key: ScopedKey) throws -> Signed {
        try withCanonical { canonical in
            try Signed { try HeaderSignatureV4.write(for: canonical, with: key, into: &$0, using: &$1) }
        }
    }

    func urlV4(
        _ origin: BaseURL, at moment: Int64, for lifetime: Int64, token: String?, _ key: ScopedKey
    ) throws -> Signed {
        try withCanonical { canonical in
            try Signed {
                try PresignedURLV4.write(
                    for: canonical, on: origin, lasting: lifetime,
                    by: V4Signer(key, at: moment, token: token.map { Array($0.utf8) }), into: &$0, using: &$1)
            }
        }
    }
}

extension OSSSample.Signed {
    init(_ write: (inout ByteWriter, inout ByteWriter) throws -> Void) rethrows {
        var out = ByteWriter()
        var scratch = ByteWriter()
        try write(&out, &scratch)
        self.init(text: out.array.text, stringToSign: scratch.array.text)
    }
}
