extension Grant {
    /// What is equal for grants of one credential and bucket whose keys name the caller in the same words, and do not say of which
    /// identity the caller is (R9); nil where a grant's keys do not name the caller so.
    package var callerNames: Fingerprint? {
        let template: KeyTemplate
        switch resources.target {
        case .key(let key): template = key
        case .prefix(let prefix): template = prefix
        case .anything: return nil
        }
        guard template.namesCaller, !template.namesSource else { return nil }
        return Fingerprint { hasher in
            hasher.combine(issuance.credential)
            if case .named(let name) = resources.bucket { hasher.combine(name) }
            hasher.combine(template.parts)
        }
    }
}
