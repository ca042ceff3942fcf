import Bytes
import Crypto

/// A key, a prefix or a name with placeholders that are filled in for each request (R14).
package struct KeyTemplate: Sendable {
    enum Part: Sendable, Hashable {
        case literal([UInt8])
        case callerID, callerSource
        /// Who it is, as the configuration writes it; in no key.
        case caller
        /// The value of the caller's claim of this name.
        case claim([UInt8])
        /// The SHA-256 of it, in hex.
        case claimDigest([UInt8])
        case uuid, year, month, day
        /// The extension asked for.
        case fileExtension
    }

    let parts: [Part]
    /// For each part, the bytes that its value must not hold; empty where no part has any (`KeyTemplate.separators`).
    private let barred: [ByteSet?]
    /// The extensions that `${ext}` may become; nil for any of `[a-z0-9]{1,8}`.
    private let extensions: Set<[UInt8]>?

    /// Why a template cannot stand.
    package struct Fault: Error, Sendable {
        package let reason: String
    }

    /// Why it could not be filled in for this request.
    enum RenderFault {
        /// The caller is anonymous.
        case caller
        /// The caller's id may not stand in a key.
        case callerID
        /// The caller has no such claim, or one that may not stand in a key.
        case claim
        /// No extension was asked for.
        case noExtension
        /// The extension asked for, alone or by a key, is not admitted, or the key has none.
        case badExtension
        /// The value of this name holds a byte that separates values of the template.
        case separator(name: [UInt8])
    }

    /// The caller as the configuration writes it, whom no other caller is written as. It is for what stands in no key.
    package static let caller = KeyTemplate(.caller)

    private init(_ part: Part) { (parts, barred, extensions) = ([part], [], nil) }

    package init(_ text: [UInt8]) throws(Fault) {
        extensions = nil
        var parts: [Part] = []
        var literal: [UInt8] = []
        var index = 0
        while index < text.count {
            guard text[index] == UInt8(ascii: "$") else {
                literal.append(text[index])
                index += 1
                continue
            }
            guard index + 1 < text.count, text[index + 1] == UInt8(ascii: "{"),
                let end = text[index...].firstIndex(of: UInt8(ascii: "}"))
            else { throw Fault(reason: "a $ must begin a placeholder such as ${caller.id}") }
            if !literal.isEmpty { parts.append(.literal(literal)) }
            literal = []
            parts.append(try KeyTemplate.part(named: Array(text[(index + 2)..<end]).text))
            index = end + 1
        }
        if !literal.isEmpty { parts.append(.literal(literal)) }
        self.parts = parts
        barred = try KeyTemplate.separators(in: parts)
    }

    /// The template with `${ext}` bound to a list.
    package func limited(to extensions: [[UInt8]]?) -> KeyTemplate {
        KeyTemplate(self, extensions: extensions.map(Set.init))
    }

    private init(_ template: KeyTemplate, extensions: Set<[UInt8]>?) {
        parts = template.parts
        barred = template.barred
        self.extensions = extensions
    }

    /// Whether it speaks of the caller, so that R9 holds for its grant.
    package var namesCaller: Bool { parts.contains(.callerID) || !claimNames.isEmpty }
    /// The claims that it asks for.
    package var claimNames: [[UInt8]] {
        parts.compactMap { part in
            switch part {
            case .claim(let name), .claimDigest(let name): name
            default: nil
            }
        }
    }
    /// Whether it tells identities of different kinds apart.
    package var namesSource: Bool { parts.contains(.callerSource) }
    package var usesExtension: Bool { parts.contains(.fileExtension) }
    /// Whether no two renderings of it are the same.
    package var usesUUID: Bool { parts.contains(.uuid) }
    package var isEmpty: Bool { parts.isEmpty }
    /// The bytes that every rendering begins with.
    package var literalStart: [UInt8] { if case .literal(let bytes)? = parts.first { bytes } else { [] } }
    /// The bytes that every rendering ends with.
    package var literalEnd: [UInt8] { if case .literal(let bytes)? = parts.last { bytes } else { [] } }
    package var endsInSlash: Bool { literalEnd.last == UInt8(ascii: "/") }
    package var endsInExtension: Bool { parts.last == .fileExtension }
    /// Whether it has no placeholders, so that it is the same for everybody.
    package var isConstant: Bool { parts.allSatisfy { if case .literal = $0 { true } else { false } } }

    /// What a rendering may look like, each placeholder being one letter; for checking the parts that do not change.
    package var sample: [UInt8] {
        parts.flatMap { if case .literal(let bytes) = $0 { bytes } else { [UInt8(ascii: "x")] } }
    }

    /// A rendering with the longest of everything that R14 admits, for limits of the vendors'.
    package var longest: [UInt8] {
        parts.flatMap { part -> [UInt8] in
            if case .literal(let bytes) = part { return bytes }
            let length =
                switch part {
                case .literal(let bytes): bytes.count
                case .caller, .callerID, .claim: Principal.maximumPlainLength
                case .callerSource: Principal.Kind.longestName + 1 + Principal.maximumPlainLength
                case .claimDigest: 64
                case .uuid: 36
                case .year: 4
                case .month, .day: 2
                case .fileExtension: 8
                }
            return [UInt8](repeating: UInt8(ascii: "x"), count: length)
        }
    }

    /// As it stands in the configuration.
    package var written: [UInt8] {
        parts.flatMap { part -> [UInt8] in
            switch part {
            case .literal(let bytes): bytes
            default: Array(text: "${") + part.name + [UInt8(ascii: "}")]
            }
        }
    }

    fileprivate static let placeholders: [(String, Part)] = [
        ("caller.id", .callerID), ("caller.source", .callerSource), ("uuid", .uuid), ("date.yyyy", .year),
        ("date.mm", .month), ("date.dd", .day), ("ext", .fileExtension),
    ]

    private static let claimPlaceholders: [(String, @Sendable ([UInt8]) -> Part)] = [
        ("claims.", { .claim($0) }), ("sha256:claims.", { .claimDigest($0) }),
    ]

    private static func part(named name: String) throws(Fault) -> Part {
        if let placeholder = placeholders.first(where: { $0.0 == name }) { return placeholder.1 }
        for (start, make) in claimPlaceholders where name.hasPrefix(start) && name != start {
            return make(Array(text: name.dropFirst(start.count)))
        }
        let names = placeholders.map(\.0) + claimPlaceholders.map { "\($0.0)NAME" }
        let known = names.map { "${\($0)}" }.joined(separator: ", ")
        throw Fault(reason: "${\(name.prefix(64))} is not known; there are \(known)")
    }

    /// Appends the text for this request to `rendered`.
    /// - Parameters:
    ///   - fileExtension: the one asked for; nil for none.
    ///   - nonce: what a UUID is made of.
    func render(
        for caller: Caller, asking fileExtension: Span<UInt8>?, by nonce: Nonce, at instant: Instant,
        into rendered: inout ByteWriter
    ) -> RenderFault? {
        for index in parts.indices {
            let start = rendered.count
            if let fault = parts[index].render(
                for: caller, asking: fileExtension, by: nonce, at: instant, into: &rendered)
            {
                return fault
            }
            if let extensions, case .fileExtension = parts[index],
                !extensions.contains(rendered.bytes.extracting(start..<rendered.count).array)
            {
                return .badExtension
            }
            if !barred.isEmpty, let bytes = barred[index],
                bytes.meets(rendered.bytes.extracting(start..<rendered.count))
            {
                return .separator(name: parts[index].name)
            }
        }
        return nil
    }

    /// Hashes all that decides whether it can be filled in, which its literals do not.
    func hashPlaceholders(into hasher: inout Hasher) {
        for part in parts {
            if case .literal = part { continue }
            hasher.combine(part)
        }
        hasher.combine(barred)
        hasher.combine(extensions)
    }
}

extension KeyTemplate.Part {
    /// Appends its text for this request, or a beginning of it if there is a fault.
    func render(
        for caller: Caller, asking fileExtension: Span<UInt8>?, by nonce: Nonce, at instant: Instant,
        into rendered: inout ByteWriter
    ) -> KeyTemplate.RenderFault? {
        switch self {
        case .literal(let bytes): rendered.append(bytes)
        case .caller: rendered.append(caller.principal.written)
        case .callerID:
            let subject = caller.principal.subject
            guard Principal.isPlain(subject.span) else {
                return caller.principal.isAnonymous ? .caller : .callerID
            }
            rendered.append(subject)
        case .callerSource:
            guard !caller.principal.isAnonymous else { return .caller }
            rendered.append(caller.principal.source)
        case .claim(let name):
            guard let value = caller.claims.text(name), Principal.isPlain(value.span) else { return .claim }
            rendered.append(value)
        case .claimDigest(let name):
            guard let value = caller.claims.text(name), !value.isEmpty,
                let digest = try? Digest(.sha256, of: value.span)
            else { return .claim }
            Hex.encode(digest.bytes, into: &rendered)
        case .uuid: rendered.append(nonce.uuid)
        case .year: rendered.append(instant.date[0..<4])
        case .month: rendered.append(instant.date[5..<7])
        case .day: rendered.append(instant.date[8..<10])
        case .fileExtension:
            guard let fileExtension else { return .noExtension }
            guard FileExtension.admits(fileExtension) else { return .badExtension }
            rendered.append(fileExtension)
        }
        return nil
    }
}

extension KeyTemplate.Part {
    /// What stands in its placeholder, such as `claims.tenant`; empty for a literal.
    fileprivate var name: [UInt8] {
        switch self {
        case .literal: []
        case .claim(let name): Array(text: "claims.") + name
        case .claimDigest(let name): Array(text: "sha256:claims.") + name
        default: Array(text: KeyTemplate.placeholders.first { $0.1 == self }?.0 ?? "")
        }
    }
}

extension Instant {
    /// `2026-11-20T…Z`.
    fileprivate var date: [UInt8] { ISO8601.write(unixSeconds) }
}
