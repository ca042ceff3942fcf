/// Finds grants of one route and of the same callers by what is asked, whatever their number: by the key, then by the bucket.
struct GrantIndex: Sendable {
    let tree: KeyTree
    let cohorts: CohortTable

    /// - Parameters:
    ///   - numbers: the grants' among `grants`.
    ///   - buckets: gets the buckets of theirs.
    init(_ numbers: [Int32], of grants: [Grant], buckets: inout NameTable) {
        var builder = KeyTree.Builder()
        for number in numbers {
            switch grants[Int(number)].resources.target {
            case .key(let template): builder.add(template, isPrefix: false)
            case .prefix(let template): builder.add(template, isPrefix: true)
            case .anything: builder.add(nil, isPrefix: true)
            }
        }
        let places: [Int32]
        (tree, places) = builder.build()
        var known: [Grant.Fingerprint: Int32] = [:]
        var rows: [CohortTable.Row] = []
        rows.reserveCapacity(4 * numbers.count)
        for (number, place) in zip(numbers, places) {
            let grant = grants[Int(number)]
            let likeness = grant.likeness(orAlone: number)
            let cohort = known[likeness] ?? Int32(known.count)
            known[likeness] = cohort
            for place in [-1, place] {
                for bucket in [CohortTable.Bucket.any, grant.resources.bucket.group(&buckets)] {
                    rows.append(.init(place: place, bucket: bucket, cohort: cohort, number: number))
                }
            }
        }
        cohorts = CohortTable(rows, places: builder.places)
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
    /// The same for grants that differ in name, bucket and the literals of key or prefix at most.
    /// - Parameter number: tells it from all others where it is not known what it says.
    fileprivate func likeness(orAlone number: Int32) -> Fingerprint {
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
