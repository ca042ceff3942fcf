import Bytes

/// How schemes differ in the canonical requests that are read.
extension V4Scheme {
    /// Whether the last line of a canonical request may be so. A body's hash binds the request more.
    func isPayload(_ text: Span<UInt8>) -> Bool {
        if text.equals(V4Scheme.unsignedPayload) { return true }
        return signed == .all && text.count == 64 && ByteSet.lowercaseHex.contains(all: text)
    }

    var payloadFault: StaticString {
        switch signed {
        case .own: "UNSIGNED-PAYLOAD, without a line break at the end"
        case .all: "UNSIGNED-PAYLOAD or a SHA-256 in lower-case hex, without a line break at the end"
        }
    }

    /// Whether a header must name the payload. Servers of S3 take it from the field wherever that is signed or not, and sign it as
    /// the last line; EvaporateJS does not sign the field.
    var isHashFieldNeeded: Bool { signed == .own }

    /// The line that names headers.
    var namesClause: StringToSignError.Clause { signed == .own ? .additionalHeaders : .signedHeaders }

    var namesFault: StaticString {
        switch signed {
        case .own: "those headers, in ascending order, that are signed only because they stand there"
        case .all: "all headers of the lines above, in their order; each has a value, and none is authorization"
        }
    }
}
