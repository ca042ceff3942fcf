import Access
import Bytes

/// Grants that can admit the same ask: the caller must name one, and a former configuration may not say so (R4).
extension Compiler {
    /// Pairs of grants that are compared; beyond it nothing is said of the others.
    private static let mostComparisons = 100_000
    /// Warnings of this kind; nobody reads more.
    private static let mostWarnings = 20

    /// Reports grants that are one and the same.
    /// - Returns: warnings of those that can admit the same ask, and of keys whose extension is asked for otherwise than before.
    func compileOverlaps(_ grants: [Grant]) -> [String] {
        refuseTwins(grants)
        var warnings: [String] = []
        var comparisons = 0
        var earlier: [Int: [Grant]] = [:]
        for grant in grants where !grant.callers.isEmpty {
            guard comparisons < Compiler.mostComparisons, warnings.count < Compiler.mostWarnings else { break }
            comparisons += earlier[grant.route]?.count ?? 0
            if let warning = Compiler.warning(of: grant, beside: earlier[grant.route] ?? []) {
                warnings.append(warning)
            }
            earlier[grant.route, default: []].append(grant)
        }
        return warnings + Compiler.warnings(ofNamesSharedBy: grants)
            + grants.compactMap(Compiler.warning(ofExtensionIn:))
    }

    /// R9 of several grants: where two of them name the caller in the same words, callers of two identities with one name share keys.
    private static func warnings(ofNamesSharedBy grants: [Grant]) -> [String] {
        var known: [Grant.Fingerprint: Grant] = [:]
        var warnings: [String] = []
        for grant in grants where warnings.count < mostWarnings {
            guard let names = grant.callerNames else { continue }
            // One grant is enough: those that are not kept have its callers, or are warned of.
            let other = known[names, default: grant]
            known[names] = other
            if other.callers != grant.callers {
                warnings.append(
                    "grants.\(grant.name.text): names the caller as grants.\(other.name.text) does, for callers of another "
                        + "identity; two callers with one name share the same keys (R9). Put ${caller.source} into both, unless "
                        + "they are the same person")
            }
        }
        return warnings
    }

    private func refuseTwins(_ grants: [Grant]) {
        var known = [Grant.Fingerprint: Int](minimumCapacity: grants.count)
        for (index, grant) in grants.enumerated() where !grant.callers.isEmpty {
            guard let twin = known.updateValue(index, forKey: grant.entry.fingerprint) else { continue }
            known[grant.entry.fingerprint] = twin
            let (path, other) = ("grants".member(grant.name), "grants".member(grants[twin].name))
            reader.report(path, "gives the same as \(other), under another name; remove one of them")
        }
    }

    private static func warning(of grant: Grant, beside others: [Grant]) -> String? {
        for other in others {
            guard let overlap = grant.overlap(with: other) else { continue }
            let request = if case .unnamed = overlap { "a request without a key" } else { "a request for certain keys" }
            return "grants.\(grant.name.text): \(request) fits grants.\(other.name.text), too; the answer is 400 "
                + "ambiguous_grant, unless the parameter grant names one of them"
        }
        return nil
    }

    private static func warning(ofExtensionIn grant: Grant) -> String? {
        guard case .key(let template) = grant.resources.target, template.usesExtension else { return nil }
        return
            "grants.\(grant.name.text).key: callers send the value of ${ext} in the parameter ext, such as ext=jpg; in former "
            + "versions it was the extension of any key that they asked for"
    }
}
