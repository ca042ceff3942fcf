/// An index of grants of one route that the same callers may use. It finds the grants for a key and a bucket, however many there are.
struct GrantIndex: Sendable {
    let tree: KeyTree
    let cohorts: CohortTable

    /// - Parameters:
    ///   - numbers: the indices of these grants in `grants`.
    ///   - buckets: the names of buckets, to which those of these grants are added.
    init(_ numbers: [Int32], of grants: [Grant], buckets: inout NameTable) {
        var builder = KeyTree.Builder()
        for number in numbers {
            switch grants[Int(number)].resources.target {
            case .key(let template): builder.add(template, isPrefix: false)
            case .prefix(let template): builder.add(template, isPrefix: true)
            case .anything: builder.add(nil, isPrefix: true)
            }
        }
        let patterns: [Int32]
        (tree, patterns) = builder.build()
        var known: [Grant.Fingerprint: Int32] = [:]
        var rows: [CohortTable.Row] = []
        rows.reserveCapacity(4 * numbers.count)
        for (number, pattern) in zip(numbers, patterns) {
            let grant = grants[Int(number)]
            let fingerprint = grant.fingerprint(orAlone: number)
            let (next, own) = (Int32(known.count), grant.resources.bucket.group(&buckets))
            let cohort = known[fingerprint, default: next]
            if cohort == next { known[fingerprint] = cohort }
            let isFixed = grant.resources.isFixed
            for pattern in [-1, pattern] {
                for bucket in [.any, own] {
                    rows.append(
                        .init(pattern: pattern, bucket: bucket, cohort: cohort, isFixed: isFixed, number: number))
                }
            }
        }
        cohorts = CohortTable(rows, patterns: builder.count)
    }
}

extension Grant.Bucket {
    fileprivate func group(_ buckets: inout NameTable) -> CohortTable.Bucket {
        switch self {
        case .named(let name): .named(buckets.insert(name))
        case .asked: .asked
        case .absent: .absent
        }
    }
}

extension Grant {
    /// A fingerprint that is equal for grants that differ at most in name, in bucket and in the literals of key or prefix.
    /// - Parameter number: the grant's own number, which is its fingerprint where its terms are not known.
    fileprivate func fingerprint(orAlone number: Int32) -> Fingerprint {
        Fingerprint { hasher in
            if let terms = entry.terms { hasher.combine(terms) } else { hasher.combine(number) }
            switch resources.bucket {
            case .named: hasher.combine(0)
            case .asked: hasher.combine(1)
            case .absent: hasher.combine(2)
            }
            switch resources.target {
            case .key(let template):
                hasher.combine(0)
                template.hashPlaceholders(into: &hasher)
            case .prefix(let template):
                hasher.combine(1)
                template.hashPlaceholders(into: &hasher)
            case .anything: hasher.combine(2)
            }
        }
    }
}
