/// Two grants of a route that can admit the same ask, so that its caller must name one (R4).
extension Grant {
    /// Which asks two grants both admit.
    package enum Overlap {
        /// Those that name neither a key nor a bucket.
        case unnamed
        /// Those for some key.
        case key
    }

    /// What this grant and another of its route both admit for a caller of both; nil for nothing. Where it depends on values
    /// that only requests have, it is assumed.
    package func overlap(with other: Grant) -> Overlap? {
        let shared = callers.flatMap { one in other.callers.compactMap { one.intersection($0) } }
        guard !shared.isEmpty, !excludes(other) else { return nil }
        if admitsWithoutKey, other.admitsWithoutKey { return .unnamed }
        return shared.contains { meets(other, for: $0) } ? .key : nil
    }

    /// Whether no caller has the claims that both ask for. Of a claim that is a list of words, one may have several.
    private func excludes(_ other: Grant) -> Bool {
        principals.conditions.contains { one in other.principals.conditions.contains { one.excludes($0) } }
    }

    /// Whether it gives something to whoever names no key.
    private var admitsWithoutKey: Bool {
        if case .key(let template) = resources.target { return !template.usesExtension }
        if case .prefix = resources.withoutKey { return true }
        return false
    }

    private func meets(_ other: Grant, for caller: CallerSelector) -> Bool {
        switch (pattern(for: caller), other.pattern(for: caller)) {
        case (let one?, let two?): KeyTemplate.canMeet(one, two)
        case (nil, _), (_, nil): true
        }
    }

    /// What a key that it admits looks like; nil for any.
    private func pattern(for caller: CallerSelector) -> KeyPattern? {
        switch resources.target {
        case .key(let template): template.pattern(for: caller, isPrefix: false)
        case .prefix(let template): template.pattern(for: caller, isPrefix: true)
        case .anything: nil
        }
    }
}

/// A template with what is known of a caller filled in.
struct KeyPattern {
    let parts: [KeyTemplate.Part]
    /// Whether anything may follow.
    let isPrefix: Bool
}

extension KeyTemplate {
    func pattern(for caller: CallerSelector, isPrefix: Bool) -> KeyPattern {
        guard case .identity(let kind, let id) = caller else { return KeyPattern(parts: parts, isPrefix: isPrefix) }
        let filled = parts.map { part -> Part in
            switch part {
            case .callerID where kind != .jwt: .literal(id)
            case .callerSource: .literal(Principal(kind, id: id).source)
            default: part
            }
        }
        return KeyPattern(parts: filled, isPrefix: isPrefix)
    }

    /// Whether one key can look like both. The same placeholder stands for the same text in both; what differs is assumed to be
    /// able to be alike, but for a random part, which nobody can ask for.
    static func canMeet(_ one: KeyPattern, _ two: KeyPattern) -> Bool {
        if one.parts.contains(.uuid) || two.parts.contains(.uuid) { return false }
        var (first, second) = (one.parts[...], two.parts[...])
        while let a = first.first, let b = second.first {
            guard case .literal(let left) = a, case .literal(let right) = b else {
                if a != b { return true }
                first.removeFirst()
                second.removeFirst()
                continue
            }
            let length = min(left.count, right.count)
            guard left.prefix(length) == right.prefix(length) else { return false }
            first = KeyTemplate.rest(of: first, after: length, in: left)
            second = KeyTemplate.rest(of: second, after: length, in: right)
        }
        return (first.isEmpty || two.isPrefix) && (second.isEmpty || one.isPrefix)
    }

    private static func rest(of parts: ArraySlice<Part>, after length: Int, in literal: [UInt8]) -> ArraySlice<Part> {
        let rest = literal.dropFirst(length)
        return rest.isEmpty ? parts.dropFirst() : [.literal(Array(rest))] + parts.dropFirst()
    }
}

extension CallerSelector {
    /// Whom both admit; nil for nobody.
    fileprivate func intersection(_ other: CallerSelector) -> CallerSelector? {
        switch (self, other) {
        case (.anonymous, .anonymous): self
        case (.authenticated, .authenticated), (.authenticated, .identity): other
        case (.identity, .authenticated): self
        case (.identity, .identity): self == other ? self : nil
        case (.anonymous, _), (_, .anonymous): nil
        }
    }
}
