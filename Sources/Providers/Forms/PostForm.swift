import Access
import Bytes
import Crypto

/// The fields of a form that uploads what a policy allows (PostObject), as members of a JSON object. The file comes behind them.
enum PostForm {
    /// Where in the text the values are that are not known beforehand.
    struct Ranges {
        /// The base64 of the policy.
        let policy: Range<Int>
        let signature: Range<Int>
    }

    /// Version 4: the signature is the hex of the derived key's HMAC-SHA256 over the policy's base64. The form is good for
    /// seven days from the signer's moment at most.
    /// - Parameter scratch: room to work in; the policy is there afterwards.
    @discardableResult
    static func writeV4(
        _ policy: PostPolicy, _ scope: borrowing PostPolicy.Scope, by signer: V4Signer,
        into form: inout JSONObject, using scratch: inout ByteWriter
    ) throws(IssueError) -> Ranges {
        guard signer.key.covers(signer.moment) else {
            throw .unsignable("the key must be of the day of the signature")
        }
        let (lifetime, isTooLong) = scope.deadline.subtractingReportingOverflow(signer.moment)
        guard !isTooLong, PresignedURLV4.lifetimes.contains(lifetime) else {
            throw .unsignable("a form must live for 1 to 604800 seconds")
        }
        return try write(policy, scope, SignatureFields(signer), into: &form, using: &scratch) {
            policy, form throws(IssueError) in try signV4(policy, with: signer.key, into: &form)
        }
    }

    /// Writes the form of either version.
    /// - Parameter sign: adds the policy and its signature.
    static func write(
        _ policy: PostPolicy, _ scope: borrowing PostPolicy.Scope, _ signed: SignatureFields,
        into form: inout JSONObject, using scratch: inout ByteWriter,
        _ sign: (Span<UInt8>, inout JSONObject) throws(IssueError) -> Ranges
    ) throws(IssueError) -> Ranges {
        scratch.reset()
        policy.write(scope, signed: signed, into: &scratch)
        policy.addFields(scope, signed: signed, to: &form)
        return try sign(scratch.bytes, &form)
    }

    /// Adds the members that hold a policy of any form and its signature.
    @discardableResult
    static func signV4(
        _ policy: Span<UInt8>, with key: ScopedKey, into form: inout JSONObject
    ) throws(IssueError) -> Ranges {
        let (encoded, code) = try add(policy, to: &form) { text throws(IssueError) in try key.code(of: text) }
        let signature = form.add(
            key.scheme.form.signature, text: { range(of: { Hex.encode(code.bytes, into: &$0) }, in: &$0) })
        return Ranges(policy: encoded, signature: signature)
    }

    /// Adds the member `policy`.
    /// - Returns: where its base64 is, and the signature over that.
    static func add(
        _ policy: Span<UInt8>, to form: inout JSONObject, signedBy sign: (Span<UInt8>) throws(IssueError) -> Digest
    ) throws(IssueError) -> (Range<Int>, Digest) {
        try form.add(
            "policy",
            text: { text throws(IssueError) in
                let encoded = range(of: { Base64.standard.encode(policy, into: &$0) }, in: &text)
                return (encoded, try sign(text.bytes.extracting(encoded)))
            })
    }

    /// Where in the text is what `write` appends.
    static func range(of write: (inout ByteWriter) -> Void, in text: inout ByteWriter) -> Range<Int> {
        let start = text.count
        write(&text)
        return start..<text.count
    }
}

/// The fields of a form that say how it is signed, each of which its policy has a condition for.
struct SignatureFields {
    private let names: V4Scheme.FormNames
    private let token: [UInt8]?
    /// Nil for version 1.
    private let signer: V4Signer?

    init(_ signer: V4Signer) {
        names = signer.key.scheme.form
        token = signer.token
        self.signer = signer
    }

    /// Those of version 1.
    init(_ scheme: V4Scheme, token: [UInt8]?) {
        names = scheme.form
        self.token = token
        signer = nil
    }

    /// Adds each of them to the object that `place` opens for it.
    func add(_ place: ((inout JSONObject) -> Void) -> Void) {
        if let signer {
            place { $0.add(named: names.algorithm.span, signer.key.scheme.algorithm.bytes) }
            place { $0.add(named: names.credential, signer.key.credential) }
            place { $0.add(named: names.date.span, text: { ISO8601.writeBasic(signer.moment, into: &$0) }) }
        }
        if let token { place { $0.add(named: names.token, token) } }
    }
}
