import Access
import Bytes
import Crypto

/// Makes of S3's id of an upload in parts one for a client that holds for one caller, bucket and key: base64url of a code and S3's id,
/// without padding. Every instance with the credential's secret knows it again, and nothing is remembered.
struct UploadSeal: Sendable {
    private let secret: Secret
    /// When it is not believed any more, in seconds since 1970; nil for the key that seals now.
    private let until: Int64?

    /// What an id holds for.
    struct Subject: ~Escapable {
        let caller, bucket, key: Span<UInt8>

        @_lifetime(copy caller, copy bucket, copy key)
        init(caller: Span<UInt8>, bucket: Span<UInt8>, key: Span<UInt8>) {
            self.caller = caller
            self.bucket = bucket
            self.key = key
        }
    }

    /// Of the code, in bytes.
    private static let codeLength = 16
    /// Of a sealed id, in characters.
    static let longest = Base64.length(of: codeLength + UppyRequest.longestUploadID)

    private init(_ secret: Secret, until: Int64?) throws(CryptoError) {
        self.secret = try KeyDerivation.key(32, from: secret, for: "countersign s3 upload id v1")
        self.until = until
    }

    /// The seals of a credential: the one of its key, and those of the keys before it, as long as these are believed.
    static func all(of context: GrantContext) throws(FieldProblem) -> [UploadSeal] {
        guard let secret = context.secret else { throw FieldProblem("credential", "needs a key that the service has") }
        do throws(CryptoError) {
            var seals = [try UploadSeal(secret, until: nil)]
            for old in Settings(context.credential, of: SigningCredentialFields()).previous {
                if let secret = old.secretKey { seals.append(try UploadSeal(secret, until: old.until)) }
            }
            return seals
        } catch {
            throw FieldProblem("credential", "has a secret that no key can be derived from: \(error)")
        }
    }

    func seal(_ id: [UInt8], for subject: borrowing Subject) throws(CryptoError) -> [UInt8] {
        let text = Base64.urlSafe.encode(try code(of: id, for: subject) + id)
        return Array(text.prefix { $0 != UInt8(ascii: "=") })
    }

    /// S3's id.
    /// - Parameter now: seconds since 1970.
    /// - Returns: nil for anything that was not sealed by one of these for the subject.
    static func open(
        _ sealed: [UInt8], for subject: borrowing Subject, by seals: [UploadSeal], at now: Int64
    ) -> [UInt8]? {
        guard sealed.count <= longest, let bytes = Base64.urlSafe.decode(sealed.span, padded: false),
            bytes.count > codeLength
        else { return nil }
        let (code, id) = (Array(bytes.prefix(codeLength)), Array(bytes.dropFirst(codeLength)))
        for seal in seals where seal.until.map({ now < $0 }) ?? true {
            if let own = try? seal.code(of: id, for: subject), own.span.constantTimeEquals(code.span) { return id }
        }
        return nil
    }

    private func code(of id: [UInt8], for subject: borrowing Subject) throws(CryptoError) -> [UInt8] {
        var text = ByteWriter(capacity: 256)
        for part in [subject.caller.array, subject.bucket.array, subject.key.array, id] {
            // Lengths, so that no part can be read as the end of the one before it.
            text.append(decimal: part.count)
            text.append(UInt8(ascii: ":"))
            text.append(part)
        }
        return try HMACKey(.sha256, secret).sign(text.bytes).bytes.extracting(0..<UploadSeal.codeLength).array
    }
}
