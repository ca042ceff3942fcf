import Bytes

/// Why a template cannot be filled in for a caller, in words.
extension KeyTemplate {
    /// Which value of the caller keeps it from being filled in, and why; nil where none does.
    func fault(of caller: Caller) -> String? {
        for part in parts {
            switch part {
            case .callerID where !caller.principal.isAnonymous:
                let subject = caller.principal.subject
                if !Principal.isPlain(subject.span) {
                    return KeyTemplate.objection(to: subject, called: Array(text: "caller.id")).words
                }
            case .claim(let name):
                if let fault = KeyTemplate.fault(ofClaim: name, in: caller.claims) { return fault }
            case .claimDigest(let name):
                if let absence = caller.claims.absence(of: name) { return absence }
                if caller.claims.text(name)?.isEmpty != false {
                    return "the claim \(name.text) must be one string, and not empty"
                }
            default: break
            }
        }
        return nil
    }

    private static func fault(ofClaim name: [UInt8], in claims: CallerClaims) -> String? {
        if let absence = claims.absence(of: name) { return absence }
        guard let text = claims.text(name) else { return "the claim \(name.text) must be one string" }
        return Principal.isPlain(text.span)
            ? nil : objection(to: text, called: Array(text: "the claim ") + name).words
    }

    /// - Parameter text: a value of the caller that may not stand in a key.
    static func objection(to text: [UInt8], called name: [UInt8]) -> Objection {
        Objection(
            "key",
            """
            must be 1 to 128 of A-Z a-z 0-9 . _ @ + = ~ - that do not begin with a dot; for other values the grant can have \
            the digest of a claim, such as ${sha256:claims.sub}
            """, value: name, character: Principal.badCharacter(in: text.span))
    }
}
