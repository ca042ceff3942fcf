import Bytes

/// The identity of a caller: kind, configured identity, subject, compared as bytes and never as text (R9).
package struct Principal: Sendable, Hashable {
    package enum Kind: String, Sendable, CaseIterable {
        case anonymous, apiKey, jwt, certificate

        /// Bytes of the longest kind's name.
        static let longestName = allCases.map { $0.rawValue.utf8.count }.max() ?? 0
    }

    package let kind: Kind
    /// The identity in the configuration that vouches for the subject; empty for `anonymous`.
    package let id: [UInt8]
    /// Who it is there: for an API key and a certificate, the id; for a token, its `sub`.
    package let subject: [UInt8]

    /// Whether it is nobody in particular.
    package var isAnonymous: Bool { kind == .anonymous }

    package init(_ kind: Kind, id: [UInt8] = [], subject: [UInt8] = []) {
        self.kind = kind
        self.id = id
        self.subject = subject
    }

    package static let anonymous = Principal(.anonymous)

    /// - Parameter text: as it is written in the configuration: `anonymous`, `apiKey:ID`, `certificate:ID` or `jwt:ID/SUBJECT`.
    package init?(written text: [UInt8]) {
        guard let colon = text.firstIndex(of: UInt8(ascii: ":")) else {
            guard text.elementsEqual(Kind.anonymous.rawValue.utf8) else { return nil }
            self = .anonymous
            return
        }
        let id = Array(text[(colon + 1)...])
        guard let kind = Kind.allCases.first(where: { $0.rawValue.utf8.elementsEqual(text[..<colon]) }),
            kind != .anonymous, !id.isEmpty
        else { return nil }
        guard kind == .jwt else {
            self.init(kind, id: id, subject: id)
            return
        }
        guard let slash = id.firstIndex(of: UInt8(ascii: "/")), slash + 1 < id.count else { return nil }
        self.init(kind, id: Array(id[..<slash]), subject: Array(id[(slash + 1)...]))
    }

    /// As it is written in the configuration.
    package var written: [UInt8] {
        let start = Array(text: kind.rawValue)
        return switch kind {
        case .anonymous: start
        case .jwt: start + [UInt8(ascii: ":")] + id + [UInt8(ascii: "/")] + subject
        default: start + [UInt8(ascii: ":")] + id
        }
    }

    /// `kind-id`, what `${caller.source}` stands for.
    package var source: [UInt8] { Array(text: kind.rawValue) + [UInt8(ascii: "-")] + id }

    /// The longest name that may stand in a key, in bytes (R14).
    static let maximumPlainLength = 128

    /// Whether `text` may stand in a key where a caller's name belongs (R14): `[A-Za-z0-9_@+=~-][A-Za-z0-9._@+=~-]{0,127}`.
    package static func isPlain(_ text: Span<UInt8>) -> Bool {
        (1...maximumPlainLength).contains(text.count) && text[0] != UInt8(ascii: ".") && plainBytes.contains(all: text)
    }

    /// The first character that keeps `text` from being such a name; nil where it is another rule that does.
    static func badCharacter(in text: Span<UInt8>) -> Unicode.Scalar? {
        text.text.unicodeScalars.first { scalar in
            UInt8(exactly: scalar.value).map { !scalar.isASCII || !plainBytes.contains($0) } ?? true
        }
    }

    /// What such a name is made of.
    static let plainBytes = ByteSet.dottedWord.union("@+=~")
}
