import Bytes

/// What a vendor calls the parts of its signature of version 4, and how it differs from the others. AWS's is the model
/// ("Signature Version 4", Amazon S3 API reference); OSS's is a variant.
///
/// It is a class so that a request refers to it and copies nothing.
package final class V4Scheme: Sendable {
    /// The names of the header fields that say how a request is signed; in lower case.
    package struct FieldNames: Sendable {
        /// What the names of the vendor's own fields begin with.
        package let prefix: StaticString
        package let date, contentHash, token: StaticString
        /// That of a form.
        let signature: StaticString

        init(
            prefix: StaticString, date: StaticString, contentHash: StaticString, token: StaticString,
            signature: StaticString
        ) {
            (self.prefix, self.date, self.contentHash, self.token) = (prefix, date, contentHash, token)
            self.signature = signature
        }

        /// Whether a field of this name, in any case, is one of the signature's, which come once.
        func isOfSignature(_ name: Span<UInt8>) -> Bool {
            name.equals(ignoringCase: date) || name.equals(ignoringCase: contentHash)
                || name.equals(ignoringCase: token)
        }
    }

    /// The names of the query's parameters that carry a signature, unreserved as in a URL; arrays, since every URL has them.
    package struct ParameterNames: Sendable {
        package let algorithm, credential, date, expires, signedHeaders, token, signature: [UInt8]
        /// The hash of the body, where URLs may say it.
        var contentHash: [UInt8]?
        /// Those of a signed URL that are not the request's; the signature itself is not signed.
        let carriers: [[UInt8]]
        /// In lower case: by which URLs carry signatures of any version of the vendor's. No caller may give them.
        let reserved: [StaticString]
    }

    /// The names of a form's fields that carry a signature, in lower case; arrays, since every form has them.
    package struct FormNames: Sendable {
        package let algorithm, credential, date, token: [UInt8]
        package let signature: StaticString
    }

    /// What a URL says of its own signature, and signs.
    enum URLPart: Sendable { case algorithm, credential, date, expires, signedHeaders, token }

    /// How the Authorization field is written.
    package struct Authorization: Sendable {
        let separator: StaticString
        /// The name of what names them.
        package let signedHeaders: StaticString
    }

    /// Which header fields are signed, and which of them are named.
    enum Signed: Sendable {
        /// All that the request has; all are named.
        case all
        /// The vendor's own, Content-Type and Content-MD5; named are those that the client adds to them.
        case own
    }

    /// The name of the signature, such as `AWS4-HMAC-SHA256`; unreserved, too.
    package let algorithm: StaticString
    /// What stands before the secret in the first key.
    let keyPrefix: StaticString
    /// What a scope ends with.
    package let ending: StaticString
    /// What `region` of a credential goes with.
    package let service: StaticString
    package let fields: FieldNames
    package let parameters: ParameterNames
    /// Where they stand in a URL: in ascending order of their names.
    let urlParts: [(part: URLPart, name: [UInt8])]
    package let form: FormNames
    package let authorization: Authorization
    let signed: Signed
    /// Whether the path that is signed begins with the bucket.
    let hasBucketInPath: Bool
    /// Whether the host that is asked begins with the bucket; where it does not, the path of the URL does.
    let hasBucketInHost: Bool

    init(
        _ key: (algorithm: StaticString, prefix: StaticString, ending: StaticString, service: StaticString),
        fields: FieldNames, parameters: ParameterNames, authorization: Authorization, signed: Signed,
        bucketIn place: (path: Bool, host: Bool)
    ) {
        (algorithm, keyPrefix, ending, service) = key
        self.fields = fields
        self.parameters = parameters
        self.authorization = authorization
        let parts: [(part: URLPart, name: [UInt8])] = [
            (.algorithm, parameters.algorithm), (.credential, parameters.credential), (.date, parameters.date),
            (.expires, parameters.expires), (.signedHeaders, parameters.signedHeaders), (.token, parameters.token),
        ]
        urlParts = parts.sorted { $0.name.precedes($1.name) }
        form = FormNames(
            algorithm: parameters.algorithm.map(\.lowercasedASCII),
            credential: parameters.credential.map(\.lowercasedASCII), date: fields.date.array,
            token: fields.token.array, signature: fields.signature)
        self.signed = signed
        (hasBucketInPath, hasBucketInHost) = place
    }

    /// What stands for the hash of a body that is not signed.
    static let unsignedPayload: StaticString = "UNSIGNED-PAYLOAD"

    /// Whether a field's name, in any case, is of the vendor's own.
    func isOwn(_ name: Span<UInt8>) -> Bool {
        let count = fields.prefix.utf8CodeUnitCount
        return name.count >= count && name.extracting(0..<count).equals(ignoringCase: fields.prefix)
    }

    /// Whether a header is signed wherever it is there.
    func isAlwaysSigned(_ name: Span<UInt8>) -> Bool {
        switch signed {
        case .all: true
        case .own:
            isOwn(name) || name.equals(ignoringCase: "content-type") || name.equals(ignoringCase: "content-md5")
        }
    }

    /// Whether a parameter of a query says how a URL is signed, and not what it asks for.
    func isCarrier(query name: Span<UInt8>) -> Bool { OperationTable.lists(name, among: parameters.carriers) }

    /// Whether a header of this name, which is in lower case, says how a request is signed, and not what it is.
    func isCarrier(header name: Span<UInt8>) -> Bool {
        if name.equals(fields.date) || name.equals(fields.contentHash) { return true }
        return signed == .all && (name.equals("host") || name.equals(fields.token))
    }

    /// Whether a bucket of this name can be asked for.
    func isBucket(_ name: Span<UInt8>) -> Bool {
        hasBucketInHost ? HostName.isBucket(name) : HostName.isDottedBucket(name)
    }

    /// Whether runs of spaces in a value are signed as one (Amazon S3 API reference, "Trim()").
    var collapsesSpaces: Bool { signed == .all }

    /// Whether a parameter without a value is signed as `name=`, and not as `name`.
    var endsBareNames: Bool { signed == .all }
}
